/* SPDX-License-Identifier: MIT */
/*
 * JSON in and out: a strict reader over yyjson, and a writer that appends to a buffer.
 *
 * The reader takes RFC 8259 text alone: no comments, no trailing bytes, valid UTF-8, no
 * duplicate keys, at most JSON_DEPTH_MAX levels and the given size. Accessors accept NULL and a
 * value of another type, so that chains read well:
 *
 *	auto_obj(json) struct json *doc = NULL;
 *	r = json_parse(text, KiB(64), &doc, &e);
 *	name = json_str(json_at(json_root(doc), "name"));
 *
 * Values and strings live as long as the document.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"
#include "base/err.h"

#define JSON_DEPTH_MAX 64

struct json;
struct yyjson_val;

/* The document; ERR_INVALID with line and column, ERR_LIMIT over `max` bytes or too deep. */
int json_parse(struct str text, size_t max, struct json **ret_doc, struct err *e) must_use;
void json_free(struct json *doc);
DEFINE_AUTO_OBJ(json)
const struct yyjson_val *json_root(const struct json *doc);

/* A member; NULL when v is no object or has none of that name. */
const struct yyjson_val *json_at(const struct yyjson_val *v, const char *name);
bool json_is_object(const struct yyjson_val *v);
bool json_is_array(const struct yyjson_val *v);
bool json_is_string(const struct yyjson_val *v);
bool json_is_bool(const struct yyjson_val *v);
bool json_is_number(const struct yyjson_val *v);
/* The string, p == NULL when v is none. */
struct str json_str(const struct yyjson_val *v);
bool json_bool(const struct yyjson_val *v);
/* A number as a double; 0 when v is none. */
double json_double(const struct yyjson_val *v);
/* A whole number from 0 to max; false for anything else. */
bool json_u64(const struct yyjson_val *v, uint64_t max, uint64_t *ret_value);
/* What kind of value it is, in words, for messages. */
const char *json_kind(const struct yyjson_val *v);
/* Members of an object or elements of an array. */
size_t json_size(const struct yyjson_val *v);
/* Whether a list has this text in it. */
bool json_has_text(const struct yyjson_val *list, struct str text);
/* The i-th member's value and name, or element (ret_name->p == NULL). O(i). */
const struct yyjson_val *json_nth(const struct yyjson_val *v, size_t i, struct str *ret_name);

/*
 * Writing. A member or element adds its own comma; json_open and json_close the brackets.
 * `name` is NULL for an element.
 *
 *	json_open(&out, NULL, '{');
 *	json_put_str(&out, "run", run);
 *	json_close(&out, '}');
 */
void json_open(struct buf *out, const char *name, char bracket);
void json_close(struct buf *out, char bracket);
void json_put_str(struct buf *out, const char *name, struct str value);
void json_put_u64(struct buf *out, const char *name, uint64_t value);
/* A value that was read, as compact JSON: a number, or anything else. */
void json_put_value(struct buf *out, const char *name, const struct yyjson_val *v);
/* Milliseconds with three decimals from nanoseconds. */
void json_put_ms(struct buf *out, const char *name, uint64_t ns);
void json_put_bool(struct buf *out, const char *name, bool value);
void json_put_null(struct buf *out, const char *name);
/* Text that is JSON already. */
void json_put_raw(struct buf *out, const char *name, struct str json);
/* The quoted form of valid UTF-8, without name or comma. */
void json_quote(struct buf *out, struct str value);

#endif
