/* SPDX-License-Identifier: MIT */
#include "tool/args.h"

#include "ipc/limits.h"

static size_t
find(const struct tool_spec *spec, struct str name)
{
	size_t n = tool_params_count(spec);

	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, str_of(spec->params[i].name)))
			return i;
	}
	return n;
}

static int
unknown_field(const struct tool_spec *spec, struct str name, struct err *e)
{
	auto_done(buf) struct buf known = buf_max(160);
	size_t n = tool_params_count(spec);

	for (size_t i = 0; i < n; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", spec->params[i].name);
	return err_set(e, ERR_INVALID, "there is no field '%.*s'; its fields: %s",
	    (int)MIN(name.n, 40), name.p, buf_text(&known));
}

static int
wrong_kind(const struct param_spec *p, const struct yyjson_val *v, struct err *e)
{
	auto_done(buf) struct buf given = buf_max(64);
	struct str text = json_str(v);
	bool fits = text.p && text.n >= p->least && text.n <= p->most;

	switch (p->kind) {
	case PARAM_PATH:
	case PARAM_TEXT:
		return err_set(e, ERR_INVALID,
		    "%s: a string of %llu to %llu bytes was expected, not %s", p->name,
		    (unsigned long long)p->least, (unsigned long long)p->most,
		    fits                ? "one with a NUL in it"
		    : json_is_string(v) ? "one of another length"
					: json_kind(v));
	case PARAM_LIST:
		return err_set(e, ERR_INVALID,
		    "%s: a list of %llu to %llu strings without NUL, together at most %zu "
		    "bytes, "
		    "was expected, not %s",
		    p->name, (unsigned long long)p->least, (unsigned long long)p->most,
		    TOOL_LIST_MAX, json_is_array(v) ? "this one" : json_kind(v));
	case PARAM_INT:
		if (json_is_number(v))
			json_put_value(&given, NULL, v);
		else
			buf_add(&given, str_of(json_kind(v)));
		return err_set(e, ERR_INVALID,
		    "%s: a whole number from %llu to %llu was expected, not %s", p->name,
		    (unsigned long long)p->least, (unsigned long long)p->most,
		    buf_text(&given));
	case PARAM_BOOL:
		break;
	}
	return err_set(e, ERR_INVALID, "%s: true or false was expected, not %s", p->name,
	    json_kind(v));
}

static bool
fits_list(const struct param_spec *p, const struct yyjson_val *v)
{
	size_t n = json_size(v), bytes = 0;
	struct str name;

	if (!json_is_array(v) || n < p->least || n > p->most)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct str text = json_str(json_nth(v, i, &name));

		if (!text.p || memchr(text.p, '\0', text.n))
			return false;
		bytes += text.n + 1;
	}
	return bytes <= TOOL_LIST_MAX;
}

static int
take(struct args *in, size_t at, const struct yyjson_val *v, struct err *e)
{
	const struct param_spec *p = &in->spec->params[at];
	struct str text = json_str(v);
	bool ok = false;

	switch (p->kind) {
	case PARAM_PATH:
		/* A path is a C string in the end. */
		ok = text.p && text.n >= p->least && text.n <= p->most &&
		     !memchr(text.p, '\0', text.n);
		break;
	case PARAM_TEXT:
		ok = text.p && text.n >= p->least && text.n <= p->most;
		break;
	case PARAM_LIST:
		ok = fits_list(p, v);
		in->value[at].list = v;
		break;
	case PARAM_INT:
		ok = json_u64(v, p->most, &in->value[at].number) &&
		     in->value[at].number >= p->least;
		break;
	case PARAM_BOOL:
		ok = json_is_bool(v);
		in->value[at].number = json_bool(v);
		break;
	}
	in->value[at].text = text;
	in->value[at].given = true;
	return ok ? 0 : wrong_kind(p, v, e);
}

static int
take_all(struct args *in, const struct yyjson_val *object, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < json_size(object) && r >= 0; i++) {
		struct str name;
		const struct yyjson_val *v = json_nth(object, i, &name);
		size_t at = find(in->spec, name);

		r = at < tool_params_count(in->spec) ? take(in, at, v, e)
						     : unknown_field(in->spec, name, e);
	}
	return r;
}

static int
fill_in(struct args *in, struct err *e)
{
	size_t n = tool_params_count(in->spec);

	for (size_t i = 0; i < n; i++) {
		const struct param_spec *p = &in->spec->params[i];

		if (in->value[i].given)
			continue;
		if (p->required)
			return err_set(e, ERR_INVALID, "the field '%s' is missing: %s", p->name,
			    p->text);
		in->value[i].number = p->fallback;
		in->value[i].text = str_of(p->fallback_text);
	}
	return 0;
}

int
args_read(struct args *in, const struct tool_spec *spec, struct str json, struct err *e)
{
	int r;

	*in = (struct args){ .spec = spec };
	r = json_parse(json, CALL_INPUT_MAX, &in->doc, e);
	if (r < 0)
		return err_wrap(e, r, "the input");
	if (!json_is_object(json_root(in->doc)))
		return err_set(e, ERR_INVALID, "an object was expected as input, not %s",
		    json_kind(json_root(in->doc)));
	r = take_all(in, json_root(in->doc), e);
	return r < 0 ? r : fill_in(in, e);
}

void
args_done(struct args *in)
{
	json_free(in->doc);
	*in = (struct args){ 0 };
}

struct str
args_text(const struct args *in, const char *name)
{
	size_t at = find(in->spec, str_of(name));

	assert(at < tool_params_count(in->spec));
	return in->value[at].text;
}

uint64_t
args_number(const struct args *in, const char *name)
{
	size_t at = find(in->spec, str_of(name));

	assert(at < tool_params_count(in->spec));
	return in->value[at].number;
}

static const struct yyjson_val *
list_of(const struct args *in, const char *name)
{
	size_t at = find(in->spec, str_of(name));

	assert(at < tool_params_count(in->spec));
	return in->value[at].list;
}

size_t
args_list_size(const struct args *in, const char *name)
{
	const struct yyjson_val *list = list_of(in, name);

	return list ? json_size(list) : 0;
}

struct str
args_list_text(const struct args *in, const char *name, size_t at)
{
	struct str key;

	return json_str(json_nth(list_of(in, name), at, &key));
}
