/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <yyjson.h>

/* ---- reading ---- */

struct json {
	yyjson_doc *doc;
};

/* yyjson only reads through it. */
static yyjson_val *
val(const struct yyjson_val *v)
{
	return (yyjson_val *)(uintptr_t)v;
}

static void
line_and_column(struct str text, size_t at, unsigned *ret_line, unsigned *ret_column)
{
	*ret_line = 1;
	*ret_column = 1;
	for (size_t i = 0; i < at && i < text.n; i++) {
		(*ret_column)++;
		if (text.p[i] == '\n') {
			(*ret_line)++;
			*ret_column = 1;
		}
	}
}

/* Depth by brackets outside of strings; the text parses already. */
static bool
too_deep(struct str text)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{') && ++depth > JSON_DEPTH_MAX)
			return true;
		else if (!quoted && (c == ']' || c == '}'))
			depth--;
	}
	return false;
}

static int
by_text(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int r = memcmp(x->p, y->p, MIN(x->n, y->n));

	return r ? r : (x->n > y->n) - (x->n < y->n);
}

static int
check_names(yyjson_val *object, struct err *e)
{
	size_t n = yyjson_obj_size(object);
	auto_free struct str *names = xcalloc(n, sizeof(*names));
	yyjson_obj_iter it = yyjson_obj_iter_with(object);
	size_t i = 0;

	for (yyjson_val *key = yyjson_obj_iter_next(&it); key; key = yyjson_obj_iter_next(&it))
		names[i++] = (struct str){ yyjson_get_str(key), yyjson_get_len(key) };
	qsort(names, n, sizeof(*names), by_text);
	for (i = 1; i < n; i++) {
		if (str_eq(names[i - 1], names[i]))
			return err_set(e, ERR_INVALID, "the key '%.*s' is there twice",
			    (int)MIN(names[i].n, 60), names[i].p);
	}
	return 0;
}

/* The values of a document stand one behind the other, so no recursion is needed. */
static int
check_all_names(const struct json *j, struct err *e)
{
	yyjson_val *v = yyjson_doc_get_root(j->doc);
	size_t n = yyjson_doc_get_val_count(j->doc);

	for (size_t i = 0; i < n; i++) {
		int r = yyjson_is_obj(v + i) ? check_names(v + i, e) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

int
json_parse(struct str text, size_t max, struct json **ret_doc, struct err *e)
{
	auto_obj(json) struct json *j = xcalloc(1, sizeof(*j));
	yyjson_read_err problem;
	unsigned line, column;
	int r;

	if (text.n > max)
		return err_set(e, ERR_LIMIT, "%zu bytes of JSON, at most %zu", text.n, max);
	if (text.n == 0)
		return err_set(e, ERR_INVALID, "empty text where JSON was expected");
	j->doc = yyjson_read_opts((char *)(uintptr_t)text.p, text.n, YYJSON_READ_NOFLAG, NULL,
	    &problem);
	if (!j->doc) {
		line_and_column(text, problem.pos, &line, &column);
		return err_set(e, ERR_INVALID, "line %u, column %u: %s", line, column,
		    problem.msg);
	}
	if (too_deep(text))
		return err_set(e, ERR_LIMIT, "JSON nested deeper than %d levels",
		    JSON_DEPTH_MAX);
	r = check_all_names(j, e);
	if (r < 0)
		return r;
	*ret_doc = steal(&j);
	return 0;
}

void
json_free(struct json *doc)
{
	if (!doc)
		return;
	yyjson_doc_free(doc->doc);
	free(doc);
}

const struct yyjson_val *
json_root(const struct json *doc)
{
	return doc ? yyjson_doc_get_root(doc->doc) : NULL;
}

const struct yyjson_val *
json_at(const struct yyjson_val *v, const char *name)
{
	return yyjson_obj_get(val(v), name);
}

bool
json_is_object(const struct yyjson_val *v)
{
	return yyjson_is_obj(val(v));
}

bool
json_is_array(const struct yyjson_val *v)
{
	return yyjson_is_arr(val(v));
}

bool
json_is_string(const struct yyjson_val *v)
{
	return yyjson_is_str(val(v));
}

bool
json_is_bool(const struct yyjson_val *v)
{
	return yyjson_is_bool(val(v));
}

bool
json_is_number(const struct yyjson_val *v)
{
	return yyjson_is_num(val(v));
}

struct str
json_str(const struct yyjson_val *v)
{
	/* An array and an object have a length too. */
	return (struct str){ yyjson_get_str(val(v)),
		json_is_string(v) ? yyjson_get_len(val(v)) : 0 };
}

bool
json_bool(const struct yyjson_val *v)
{
	return yyjson_get_bool(val(v));
}

double
json_double(const struct yyjson_val *v)
{
	return yyjson_get_num(val(v));
}

bool
json_u64(const struct yyjson_val *v, uint64_t max, uint64_t *ret_value)
{
	if (!yyjson_is_uint(val(v)) || yyjson_get_uint(val(v)) > max)
		return false;
	*ret_value = yyjson_get_uint(val(v));
	return true;
}

const char *
json_kind(const struct yyjson_val *v)
{
	static const struct {
		bool (*is)(yyjson_val *v);
		const char *words;
	} kinds[] = {
		{ yyjson_is_null, "null" },
		{ yyjson_is_true, "true" },
		{ yyjson_is_false, "false" },
		{ yyjson_is_str, "a string" },
		{ yyjson_is_arr, "an array" },
		{ yyjson_is_obj, "an object" },
		{ yyjson_is_uint, "a number" },
		{ yyjson_is_sint, "a negative number" },
		{ yyjson_is_real, "a fraction" },
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (kinds[i].is(val(v)))
			return kinds[i].words;
	}
	return "nothing";
}

size_t
json_size(const struct yyjson_val *v)
{
	return yyjson_is_obj(val(v)) ? yyjson_obj_size(val(v)) : yyjson_arr_size(val(v));
}

const struct yyjson_val *
json_nth(const struct yyjson_val *v, size_t i, struct str *ret_name)
{
	yyjson_obj_iter it;
	yyjson_val *key = NULL;

	*ret_name = (struct str){ NULL, 0 };
	if (yyjson_is_arr(val(v)))
		return yyjson_arr_get(val(v), i);
	if (!yyjson_is_obj(val(v)) || i >= yyjson_obj_size(val(v)))
		return NULL;
	it = yyjson_obj_iter_with(val(v));
	for (size_t at = 0; at <= i; at++)
		key = yyjson_obj_iter_next(&it);
	*ret_name = (struct str){ yyjson_get_str(key), yyjson_get_len(key) };
	return yyjson_obj_iter_get_val(key);
}

bool
json_has_text(const struct yyjson_val *list, struct str text)
{
	struct str name;

	for (size_t i = 0; i < json_size(list); i++) {
		if (str_eq(json_str(json_nth(list, i, &name)), text))
			return true;
	}
	return false;
}

/* ---- writing ---- */

void
json_quote(struct buf *out, struct str value)
{
	static const char hex[] = "0123456789abcdef";

	buf_addc(out, '"');
	while (value.n) {
		size_t plain = 0;
		unsigned char c;

		while (plain < value.n && (unsigned char)value.p[plain] >= 0x20 &&
		       value.p[plain] != '"' && value.p[plain] != '\\' &&
		       (unsigned char)value.p[plain] != 0x7f)
			plain++;
		buf_add(out, (struct str){ value.p, plain });
		value = str_from(value, plain);
		if (!value.n)
			break;
		c = (unsigned char)value.p[0];
		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c == '\n')
			buf_add(out, STR("\\n"));
		else if (c == '\t')
			buf_add(out, STR("\\t"));
		else if (c == '\r')
			buf_add(out, STR("\\r"));
		else
			buf_addf(out, "\\u00%c%c", hex[c >> 4], hex[c & 15]);
		value = str_from(value, 1);
	}
	buf_addc(out, '"');
}

static void
lead_in(struct buf *out, const char *name)
{
	char last = out->n ? out->p[out->n - 1] : '[';

	if (last != '{' && last != '[' && last != ':')
		buf_addc(out, ',');
	if (name) {
		json_quote(out, str_of(name));
		buf_addc(out, ':');
	}
}

void
json_open(struct buf *out, const char *name, char bracket)
{
	lead_in(out, name);
	buf_addc(out, bracket);
}

void
json_close(struct buf *out, char bracket)
{
	buf_addc(out, bracket);
}

void
json_put_raw(struct buf *out, const char *name, struct str json)
{
	lead_in(out, name);
	buf_add(out, json);
}

void
json_put_str(struct buf *out, const char *name, struct str value)
{
	lead_in(out, name);
	json_quote(out, value);
}

void
json_put_u64(struct buf *out, const char *name, uint64_t value)
{
	lead_in(out, name);
	buf_addf(out, "%llu", (unsigned long long)value);
}

void
json_put_value(struct buf *out, const char *name, const struct yyjson_val *v)
{
	size_t n = 0;
	char *text = yyjson_val_write(val(v), YYJSON_WRITE_NOFLAG, &n);

	lead_in(out, name);
	buf_add(out, text ? (struct str){ text, n } : STR("null"));
	free(text);
}

void
json_put_ms(struct buf *out, const char *name, uint64_t ns)
{
	lead_in(out, name);
	buf_addf(out, "%llu.%03llu", (unsigned long long)(ns / 1000000),
	    (unsigned long long)(ns / 1000 % 1000));
}

void
json_put_bool(struct buf *out, const char *name, bool value)
{
	json_put_raw(out, name, value ? STR("true") : STR("false"));
}

void
json_put_null(struct buf *out, const char *name)
{
	json_put_raw(out, name, STR("null"));
}
