/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include "base/json.h"

#define FILE_MAX KiB(256)
#define KEY_MAX  128

const struct option_spec option_specs[OPT_COUNT] = {
#define OPTION(id, key, kind, fallback, least, most, project, words) \
	[OPT_##id] = { key, OPTION_##kind, fallback, least, most, PROJECT_##project, words },
#include "conf/options.def"
#undef OPTION
};

struct reader {
	struct conf *conf;
	const char *name;
	enum conf_layer layer;
	struct buf *notices;
};

void
conf_defaults(struct conf *ret_conf)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		ret_conf->value[o] = option_specs[o].fallback;
		ret_conf->set[o] = false;
	}
}

struct str
conf_word(enum option o, uint64_t value)
{
	struct str words = str_of(option_specs[o].words);
	struct str word = str_split(&words, ' ');

	while (value-- > 0)
		word = str_split(&words, ' ');
	return word;
}

static bool
word_value(enum option o, struct str given, uint64_t *ret_value)
{
	for (uint64_t v = option_specs[o].least; v <= option_specs[o].most; v++) {
		if (str_eq(given, conf_word(o, v))) {
			*ret_value = v;
			return true;
		}
	}
	return false;
}

static int
bad_value(const struct reader *r, enum option o, const struct yyjson_val *v, struct err *e)
{
	const struct option_spec *spec = &option_specs[o];
	auto_done(buf) struct buf given = buf_max(64);
	uint64_t number;

	switch (spec->kind) {
	case OPTION_NUMBER:
		if (json_u64(v, UINT64_MAX, &number))
			buf_addf(&given, "%llu", (unsigned long long)number);
		else
			buf_add(&given, str_of(json_kind(v)));
		return err_set(e, ERR_INVALID,
		    "%s: %s takes a whole number from %llu to %llu, not %s", r->name, spec->key,
		    (unsigned long long)spec->least, (unsigned long long)spec->most,
		    buf_text(&given));
	case OPTION_SWITCH:
		return err_set(e, ERR_INVALID, "%s: %s takes true or false, not %s", r->name,
		    spec->key, json_kind(v));
	case OPTION_WORD:
		break;
	}
	return err_set(e, ERR_INVALID, "%s: %s takes one of: %s", r->name, spec->key,
	    spec->words);
}

static int
read_value(const struct reader *r, enum option o, const struct yyjson_val *v, struct err *e)
{
	const struct option_spec *spec = &option_specs[o];
	uint64_t value = 0;
	bool ok = false;

	switch (spec->kind) {
	case OPTION_NUMBER:
		ok = json_u64(v, spec->most, &value) && value >= spec->least;
		break;
	case OPTION_SWITCH:
		ok = json_is_bool(v);
		value = json_bool(v);
		break;
	case OPTION_WORD:
		ok = word_value(o, json_str(v), &value);
		break;
	}
	if (!ok)
		return bad_value(r, o, v, e);
	if (r->layer == CONF_PROJECT && spec->project == PROJECT_NOTHING) {
		buf_addf(r->notices,
		    "%s: %s is left out: only your own configuration may set it\n", r->name,
		    spec->key);
		return 0;
	}
	if (r->layer == CONF_PROJECT && value > r->conf->value[o]) {
		buf_addf(r->notices,
		    "%s: %s is left out: a project may not raise it above %llu\n", r->name,
		    spec->key, (unsigned long long)r->conf->value[o]);
		return 0;
	}
	r->conf->value[o] = value;
	r->conf->set[o] = true;
	return 0;
}

/* The option with this key, OPT_COUNT for none; *ret_inner when keys go on below it. */
static enum option
find_option(const char *key, bool *ret_inner)
{
	enum option found = OPT_COUNT;
	size_t n = strlen(key);

	*ret_inner = false;
	for (int o = 0; o < OPT_COUNT; o++) {
		const char *known = option_specs[o].key;

		if (strcmp(known, key) == 0)
			found = (enum option)o;
		else if (strncmp(known, key, n) == 0 && known[n] == '.')
			*ret_inner = true;
	}
	return found;
}

static int
unknown_key(const struct reader *r, const char *key, struct err *e)
{
	const char *nearest = NULL;
	unsigned best = 8;

	for (int o = 0; o < OPT_COUNT; o++) {
		unsigned d = str_distance(str_of(key), str_of(option_specs[o].key));

		if (d < best) {
			best = d;
			nearest = option_specs[o].key;
		}
	}
	return err_set(e, ERR_INVALID, "%s: there is no key %.80s%s%s", r->name, key,
	    nearest ? "; did you mean " : "", nearest ? nearest : "");
}

/* With a dot one key could be written in two ways, and what is behind a NUL would not count. */
static int
check_name(const struct reader *r, struct str name, struct err *e)
{
	if (!name.n || (!memchr(name.p, '.', name.n) && !memchr(name.p, '\0', name.n)))
		return 0;
	return err_set(e, ERR_INVALID,
	    "%s: there is no key '%.*s': a dot stands for an object inside another", r->name,
	    (int)MIN(name.n, 80), name.p);
}

/* As deep as the table's keys, no deeper. */
static int
read_object(const struct reader *r, const char *prefix, const struct yyjson_val *object,
    struct err *e)
{
	size_t n = json_size(object);
	int result = 0;

	for (size_t i = 0; i < n && result >= 0; i++) {
		auto_done(buf) struct buf key = buf_max(KEY_MAX);
		struct str name;
		const struct yyjson_val *v = json_nth(object, i, &name);
		enum option o;
		bool inner;

		result = check_name(r, name, e);
		if (result < 0)
			break;
		buf_addf(&key, "%s%s%.*s", prefix, *prefix ? "." : "", STR_ARG(name));
		o = find_option(buf_text(&key), &inner);
		if (!buf_ok(&key) || (o == OPT_COUNT && !inner))
			return unknown_key(r,
			    buf_ok(&key) ? buf_text(&key) : "with a name that long", e);
		if (o != OPT_COUNT)
			result = read_value(r, o, v, e);
		else if (json_is_object(v))
			result = read_object(r, buf_text(&key), v, e);
		else
			result = err_set(e, ERR_INVALID, "%s: %s takes an object, not %s",
			    r->name, buf_text(&key), json_kind(v));
	}
	return result;
}

int
conf_apply(struct conf *conf, struct str text, const char *name, enum conf_layer layer,
    struct buf *ret_notices, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	struct conf changed = *conf;
	struct reader reader = { &changed, name, layer, ret_notices };
	int r = json_parse(text, FILE_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, r, "%s", name);
	if (!json_is_object(json_root(doc)))
		return err_set(e, ERR_INVALID, "%s: one JSON object is expected, not %s", name,
		    json_kind(json_root(doc)));
	r = read_object(&reader, "", json_root(doc), e);
	if (r >= 0)
		*conf = changed;
	return r;
}
