/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include "tap.h"

static struct err e;

static void
accepts(void)
{
	static const char *const good[] = {
		"null",
		"true",
		"0",
		"-0.0",
		"1e308",
		"123456789012345678901234567890",
		"\"\"",
		"\"\\u0000\\ud83d\\ude00\xf0\x9f\x98\x80\"",
		"[]",
		"{}",
		" \t\r\n[ 1 , [ ] , { } ]\n",
		"{\"a\":1,\"A\":2,\"\":3}",
		"{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}",
	};

	for (size_t i = 0; i < COUNT(good); i++) {
		auto_obj(json) struct json *doc = NULL;

		ok(json_parse(str_of(good[i]), KiB(1), &doc, &e) == 0 && doc, "JSON: %s",
		    i == 10 ? "(with blanks)" : good[i]);
	}
}

static void
refuses(void)
{
	static const struct str bad[] = {
		STR(""),
		STR(" "),
		STR("nul"),
		STR("01"),
		STR("+1"),
		STR(".5"),
		STR("1."),
		STR("NaN"),
		STR("Infinity"),
		STR("0x1"),
		STR("'a'"),
		STR("\"a"),
		STR("\"\\x41\""),
		STR("\"\t\""),
		STR("\"\\ud800\""),
		STR("\"\xff\""),
		STR("\"\xc0\x80\""),
		STR("\"\xed\xa0\x80\""),
		STR("[1,]"),
		STR("[1 2]"),
		STR("[1"),
		STR("{\"a\":1,}"),
		STR("{a:1}"),
		STR("{\"a\"}"),
		STR("{1:2}"),
		STR("/**/1"),
		STR("1//x"),
		STR("\xef\xbb\xbf"
		    "1"),
		STR("1 2"),
		STR("1\0"),
		STR("{}}"),
		STR("{\"a\":1,\"a\":2}"),
		STR("{\"a\":1,\"\\u0061\":2}"),
		STR("[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]"),
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct json *doc = NULL;

		ok(json_parse(bad[i], KiB(1), &doc, &e) == -ERR_INVALID && !doc,
		    "not JSON: row %zu: %s", i, e.text);
	}
}

static void
tells_where(void)
{
	auto_obj(json) struct json *doc = NULL;

	ok(json_parse(STR("{\n  \"a\": 1,\n  b\n}"), 100, &doc, &e) < 0, "an error");
	ok(strncmp(e.text, "line 3, column 3: ", 18) == 0, "has a place: %s", e.text);
	ok(json_parse(STR("{\"same\":1,\"same\":1}"), 100, &doc, &e) < 0, "a key twice");
	ok(strstr(e.text, "'same'") != NULL, "is named: %s", e.text);
}

static int
parse_nested(size_t levels, const char *open, const char *close)
{
	auto_done(buf) struct buf b = buf_max(MiB(4));
	auto_obj(json) struct json *doc = NULL;

	for (size_t i = 0; i < levels; i++)
		buf_add(&b, str_of(open));
	buf_addc(&b, '1');
	for (size_t i = 0; i < levels; i++)
		buf_add(&b, str_of(close));
	return json_parse(buf_str(&b), MiB(4), &doc, &e);
}

static void
keeps_to_limits(void)
{
	auto_obj(json) struct json *doc = NULL;

	is_int(json_parse(STR("[1]"), 3, &doc, &e), 0, "exactly the size");
	is_int(json_parse(STR("[1] "), 3, &doc, &e), -ERR_LIMIT, "a byte more");
	is_int(parse_nested(JSON_DEPTH_MAX, "[", "]"), 0, "as deep as may be");
	is_int(parse_nested(JSON_DEPTH_MAX + 1, "[", "]"), -ERR_LIMIT, "deeper");
	is_int(parse_nested(JSON_DEPTH_MAX, "{\"a\":", "}"), 0, "objects as deep as may be");
	is_int(parse_nested(JSON_DEPTH_MAX + 1, "{\"a\":", "}"), -ERR_LIMIT, "objects deeper");
	is_int(parse_nested(500000, "[", "]"), -ERR_LIMIT, "absurdly deep");
	json_free(doc);
	doc = NULL;
	is_int(json_parse(STR("[\"[[\\\"[[{{\"]"), 99, &doc, &e), 0, "brackets in strings");
}

static void
reads_values(void)
{
	struct str text = STR("{\"s\":\"a\\u0000b\",\"n\":7,\"neg\":-1,\"f\":1.5,\"t\":true,"
			      "\"l\":[10,\"x\"],\"o\":{\"k\":null}}");
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root;
	struct str name;
	uint64_t n = 99;

	is_int(json_parse(text, KiB(1), &doc, &e), 0, "parsed");
	root = json_root(doc);
	ok(json_is_object(root) && json_size(root) == 7, "an object of seven");
	ok(str_eq(json_str(json_at(root, "s")), STR("a\0b")), "a string with a NUL");
	ok(json_u64(json_at(root, "n"), 7, &n) && n == 7, "a number");
	ok(!json_u64(json_at(root, "n"), 6, &n), "over its maximum");
	ok(!json_u64(json_at(root, "neg"), 9, &n) && !json_u64(json_at(root, "f"), 9, &n) &&
		!json_u64(json_at(root, "s"), 9, &n) && n == 7,
	    "other numbers and values are none");
	ok(!json_str(json_at(root, "l")).p && json_str(json_at(root, "l")).n == 0 &&
		!json_str(json_at(root, "o")).p && json_str(json_at(root, "o")).n == 0 &&
		json_str(json_at(root, "n")).n == 0 && json_str(json_at(root, "t")).n == 0,
	    "what is no string is an empty one");
	ok(json_is_bool(json_at(root, "t")) && json_bool(json_at(root, "t")), "true");
	ok(!json_bool(json_at(root, "n")) && !json_bool(NULL),
	    "what is no boolean is not true");
	ok(json_is_array(json_at(root, "l")) && json_size(json_at(root, "l")) == 2, "a list");
	ok(str_eq(json_str(json_nth(json_at(root, "l"), 1, &name)), STR("x")) && !name.p,
	    "its second element has no name");
	ok(json_is_object(json_nth(root, 6, &name)) && str_eq(name, STR("o")),
	    "the seventh member has");
	ok(!json_nth(root, 7, &name) && !json_nth(json_at(root, "l"), 2, &name),
	    "past the end");
	is_str(json_kind(json_at(json_at(root, "o"), "k")), "null", "a kind");
}

static void
names_kinds(void)
{
	static const struct {
		const char *text, *kind;
	} rows[] = {
		{ "null", "null" },
		{ "true", "true" },
		{ "false", "false" },
		{ "\"\"", "a string" },
		{ "[]", "an array" },
		{ "{}", "an object" },
		{ "0", "a number" },
		{ "18446744073709551615", "a number" },
		{ "-1", "a negative number" },
		{ "1.0", "a fraction" },
		{ "1e3", "a fraction" },
		{ "18446744073709551616", "a fraction" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_obj(json) struct json *doc = NULL;

		is_int(json_parse(str_of(rows[i].text), KiB(1), &doc, &e), 0, rows[i].text);
		is_str(json_kind(json_root(doc)), rows[i].kind, "is told in words");
	}
}

static void
takes_nothing(void)
{
	struct str name;
	uint64_t n;

	ok(!json_root(NULL) && !json_at(NULL, "x") && !json_nth(NULL, 0, &name), "no value");
	ok(!json_str(NULL).p && !json_u64(NULL, 1, &n) && json_size(NULL) == 0, "of no type");
	ok(!json_is_object(NULL) && !json_is_array(NULL) && !json_is_string(NULL) &&
		!json_is_bool(NULL),
	    "is nothing");
	is_str(json_kind(NULL), "nothing", "and says so");
	json_free(NULL);
}

static void
writes(void)
{
	auto_done(buf) struct buf b = buf_max(KiB(1));
	auto_obj(json) struct json *doc = NULL;

	json_open(&b, NULL, '{');
	json_put_str(&b, "a\"", STR("\"\\\n\r\t\x01\x7f\0\xc3\xa9/"));
	json_put_u64(&b, "n", UINT64_MAX);
	json_put_ms(&b, "ms", 1234567890);
	json_open(&b, "list", '[');
	json_put_bool(&b, NULL, true);
	json_put_null(&b, NULL);
	json_open(&b, NULL, '[');
	json_close(&b, ']');
	json_put_raw(&b, NULL, STR("{}"));
	json_close(&b, ']');
	json_close(&b, '}');
	is_str(buf_text(&b),
	    "{\"a\\\"\":\"\\\"\\\\\\n\\r\\t\\u0001\\u007f\\u0000\xc3\xa9/"
	    "\",\"n\":18446744073709551615,"
	    "\"ms\":1234.567,\"list\":[true,null,[],{}]}",
	    "commas, names and escapes");
	is_int(json_parse(buf_str(&b), KiB(1), &doc, &e), 0, "and it reads back");
	ok(str_eq(json_str(json_at(json_root(doc), "a\"")),
	       STR("\"\\\n\r\t\x01\x7f\0\xc3\xa9/")),
	    "the same");
}

int
main(void)
{
	accepts();
	refuses();
	tells_where();
	keeps_to_limits();
	reads_values();
	names_kinds();
	takes_nothing();
	writes();
	return tap_done();
}
