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
	struct conf_list *lists; /* this file's */
};

void
conf_defaults(struct conf *ret_conf)
{
	*ret_conf = (struct conf){ 0 };
	for (int o = 0; o < OPT_COUNT; o++) {
		ret_conf->value[o] = option_specs[o].fallback;
	}
}

void
conf_unset(struct conf *conf)
{
	struct conf_list *lists = conf->lists;

	conf_defaults(conf);
	conf->lists = lists;
}

static void
free_lists(struct conf_list *list)
{
	while (list) {
		struct conf_list *next = list->next;

		buf_done(&list->file);
		buf_done(&list->json);
		free(list);
		list = next;
	}
}

void
conf_done(struct conf *conf)
{
	free_lists(conf->lists);
	conf->lists = NULL;
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
	case OPTION_LIST:
		return err_set(e, ERR_INVALID, "%s: %s takes a list, not %s", r->name,
		    spec->key, json_kind(v));
	case OPTION_TEXT:
		return err_set(e, ERR_INVALID, "%s: %s takes a string, not %s", r->name,
		    spec->key, json_kind(v));
	case OPTION_WORD:
		break;
	}
	return err_set(e, ERR_INVALID, "%s: %s takes one of: %s", r->name, spec->key,
	    spec->words);
}

static void
keep_list(struct reader *r, enum option o, const struct yyjson_val *v)
{
	struct conf_list *list = xcalloc(1, sizeof(*list));

	*list = (struct conf_list){
		.next = r->lists,
		.option = o,
		.layer = r->layer,
		.file = buf_max(KiB(8)),
		.json = buf_max(2 * FILE_MAX),
	};
	buf_add(&list->file, str_of(r->name));
	json_put_value(&list->json, NULL, v);
	r->lists = list;
}

static int
read_value(struct reader *r, enum option o, const struct yyjson_val *v, struct err *e)
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
	case OPTION_LIST:
		ok = json_is_array(v);
		break;
	case OPTION_TEXT:
		ok = json_is_string(v);
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
	if (spec->kind == OPTION_LIST || spec->kind == OPTION_TEXT) {
		keep_list(r, o, v);
		r->conf->set[o] = true;
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
read_object(struct reader *r, const char *prefix, const struct yyjson_val *object,
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
	struct conf_list **at;
	struct reader reader = { &changed, name, layer, ret_notices, NULL };
	int r = json_parse(text, FILE_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, r, "%s", name);
	if (!json_is_object(json_root(doc)))
		return err_set(e, ERR_INVALID, "%s: one JSON object is expected, not %s", name,
		    json_kind(json_root(doc)));
	r = read_object(&reader, "", json_root(doc), e);
	if (r < 0) {
		free_lists(reader.lists);
		return r;
	}
	for (at = &changed.lists; *at; at = &(*at)->next)
		;
	*at = reader.lists;
	*conf = changed;
	return 0;
}

/* ---- for people ---- */

static void
put_option(const char *name, enum option o, uint64_t value, struct buf *out)
{
	switch (option_specs[o].kind) {
	case OPTION_NUMBER:
		json_put_u64(out, name, value);
		break;
	case OPTION_SWITCH:
		json_put_bool(out, name, value != 0);
		break;
	case OPTION_WORD:
		json_put_str(out, name, conf_word(o, value));
		break;
	case OPTION_LIST:
		json_put_raw(out, name, STR("[]"));
		break;
	case OPTION_TEXT:
		json_put_null(out, name);
		break;
	}
}

/* All that the files say, one behind the other. */
static void
put_list(const struct conf *conf, enum option o, struct buf *out)
{
	json_open(out, "value", '[');
	for (const struct conf_list *list = conf->lists; list; list = list->next) {
		struct str json = buf_str(&list->json);

		if (list->option == o && json.n > 2)
			json_put_raw(out, NULL, (struct str){ json.p + 1, json.n - 2 });
	}
	json_close(out, ']');
}

static const struct conf_list *
last_text(const struct conf *conf, enum option o)
{
	const struct conf_list *last = NULL;

	for (const struct conf_list *list = conf->lists; list; list = list->next) {
		if (list->option == o)
			last = list;
	}
	return last;
}

static void
put_text(const struct conf *conf, enum option o, struct buf *out)
{
	const struct conf_list *last = last_text(conf, o);

	json_put_raw(out, "value", last ? buf_str(&last->json) : STR("null"));
}

void
conf_text(const struct conf *conf, enum option o, struct buf *ret_text)
{
	const struct conf_list *last = last_text(conf, o);
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	if (last && json_parse(buf_str(&last->json), 2 * FILE_MAX, &doc, &e) >= 0)
		buf_add(ret_text, json_str(json_root(doc)));
}

void
conf_write(const struct conf *conf, struct buf *ret_json)
{
	static const char *const project[] = {
		[PROJECT_NOTHING] = "nothing",
		[PROJECT_LOWER] = "lower",
		[PROJECT_ADD] = "add",
	};

	json_open(ret_json, NULL, '[');
	for (int o = 0; o < OPT_COUNT; o++) {
		const struct option_spec *spec = &option_specs[o];

		json_open(ret_json, NULL, '{');
		json_put_str(ret_json, "key", str_of(spec->key));
		if (spec->kind == OPTION_TEXT)
			put_text(conf, (enum option)o, ret_json);
		else if (spec->kind == OPTION_LIST)
			put_list(conf, (enum option)o, ret_json);
		else
			put_option("value", (enum option)o, conf->value[o], ret_json);
		put_option("default", (enum option)o, spec->fallback, ret_json);
		if (spec->kind == OPTION_NUMBER) {
			json_put_u64(ret_json, "least", spec->least);
			json_put_u64(ret_json, "most", spec->most);
		}
		if (spec->kind == OPTION_WORD)
			json_put_str(ret_json, "words", str_of(spec->words));
		json_put_bool(ret_json, "set", conf->set[o]);
		json_put_str(ret_json, "project", str_of(project[spec->project]));
		json_close(ret_json, '}');
	}
	json_close(ret_json, ']');
}
