/* SPDX-License-Identifier: MIT */
#include "forge/result.h"

#include "base/json.h"
#include "base/utf8.h"
#include "ipc/limits.h"

#include "tap.h"

#define NO_CALLS "\"calls\":[],\"effects\":{\"verdict\":\"none\",\"list\":[]}"

static struct err e;

static const struct engine_facts engine = {
	.name = STR("engine"),
	.version = STR("1.2.3"),
	.sha256 = STR("00ff"),
	.host = STR("process"),
	.isolation = STR("seccomp landlock userns"),
	.reason = STR("as \"asked\""),
};
static const struct engine_facts no_engine = { 0 };
static const struct run_limits limits = { 1, 2, 3, 4, 5, 6, 7 };

/* ---- errors ---- */

static const struct {
	const char *description;
	enum code code;
	const char *message, *name, *hint; /* hint: "" means the code's own */
	unsigned line, column;
} errors[] = {
	{ "{\"name\":\"TypeError\",\"message\":\"broken\",\"line\":2,\"column\":3,\"stack\":"
	  "\"at f\"}",
	    CODE_SCRIPT_ERROR, "TypeError: broken", "TypeError", "", 2, 3 },
	{ "{\"name\":\"Error\",\"message\":\"m\",\"hint\":\"do this\"}", CODE_SCRIPT_ERROR,
	    "Error: m", "Error", "do this", 0, 0 },
	{ "{\"name\":\"SyntaxError\",\"message\":\"unexpected\",\"line\":1,\"column\":9,"
	  "\"hint\":\"h\"}",
	    CODE_SYNTAX_ERROR, "unexpected", "SyntaxError", "h", 1, 9 },
	{ "{\"name\":\"InternalError\",\"message\":\"out of memory\",\"hint\":\"not this\"}",
	    CODE_MEMORY_LIMIT, "InternalError: out of memory", "InternalError", "", 0, 0 },
	{ "{\"name\":\"RangeError\",\"message\":\"Maximum call stack size exceeded\"}",
	    CODE_STACK_LIMIT, "RangeError: Maximum call stack size exceeded", "RangeError", "",
	    0, 0 },
	{ "{\"name\":\"RangeError\",\"message\":\"Maximum call stack size exceeded!\"}",
	    CODE_SCRIPT_ERROR, "RangeError: Maximum call stack size exceeded!", "RangeError",
	    "", 0, 0 },
	{ "{\"name\":\"Error\",\"message\":\"out of memory\"}", CODE_SCRIPT_ERROR,
	    "Error: out of memory", "Error", "", 0, 0 },
	{ "{\"name\":\"Error\",\"message\":\"\"}", CODE_SCRIPT_ERROR, "Error", "Error", "", 0,
	    0 },
	{ "{\"name\":\"\",\"message\":\"only a message\"}", CODE_SCRIPT_ERROR, "only a message",
	    "", "", 0, 0 },
	{ "{\"message\":\"only a message\"}", CODE_SCRIPT_ERROR, "only a message", "", "", 0,
	    0 },
	{ "{\"name\":\"E\\u0000x\",\"message\":\"m\"}", CODE_SCRIPT_ERROR, NULL, NULL, "", 0,
	    0 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":7}", CODE_SCRIPT_ERROR, "E: m", "E", "",
	    7, 1 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":7,\"column\":0}", CODE_SCRIPT_ERROR,
	    "E: m", "E", "", 7, 1 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"column\":7}", CODE_SCRIPT_ERROR, "E: m", "E", "",
	    0, 0 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":0,\"column\":1}", CODE_SCRIPT_ERROR,
	    "E: m", "E", "", 0, 0 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":-1,\"column\":1.5}", CODE_SCRIPT_ERROR,
	    "E: m", "E", "", 0, 0 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":1e99,\"column\":\"x\"}",
	    CODE_SCRIPT_ERROR, "E: m", "E", "", 0, 0 },
	{ "{\"name\":\"E\",\"message\":\"m\",\"line\":18446744073709551615,\"column\":4}",
	    CODE_SCRIPT_ERROR, "E: m", "E", "", 0, 0 },
	/* Without a text there is one all the same. */
	{ "{}", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "{\"name\":[1,2],\"message\":[\"a\"],\"stack\":{\"b\":1},\"hint\":[3]}",
	    CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "{\"name\":1,\"message\":[],\"stack\":{},\"hint\":null}", CODE_SCRIPT_ERROR, NULL, "",
	    "", 0, 0 },
	{ "", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "[]", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "null", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "{\"name\":\"E\"", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "{\"name\":\"E\",\"name\":\"F\"}", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
	{ "{\"name\":\"\\ud800\"}", CODE_SCRIPT_ERROR, NULL, "", "", 0, 0 },
};

static void
maps_errors(void)
{
	for (size_t i = 0; i < COUNT(errors); i++) {
		struct run_result r;

		result_init(&r);
		result_error(&r, str_of(errors[i].description), 0);
		is_int(r.code, errors[i].code, errors[i].description);
		if (errors[i].message)
			is_str(buf_text(&r.message), errors[i].message, "its message");
		else
			ok(r.message.n > 0, "some message: %s", buf_text(&r.message));
		if (errors[i].name)
			is_str(buf_text(&r.name), errors[i].name, "its name");
		is_str(buf_text(&r.hint), errors[i].hint, "its hint");
		ok(r.line == errors[i].line && r.column == errors[i].column, "its place: %u:%u",
		    (unsigned)r.line, (unsigned)r.column);
		result_done(&r);
	}
}

/* Strings far longer than is kept, of characters of each length. */
static void
cuts_long_errors(void)
{
	static const char *const points[] = { "x", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80" };
	static const char *const fields[] = { "name", "message", "stack", "hint" };

	for (size_t p = 0; p < COUNT(points); p++) {
		auto_done(buf) struct buf description = buf_max(ERROR_MAX);
		struct run_result r;

		json_open(&description, NULL, '{');
		for (size_t f = 0; f < COUNT(fields); f++) {
			auto_done(buf) struct buf text = buf_max(KiB(15));

			buf_add(&text, str_of(f == 1 ? "a" : ""));
			while (text.n + 4 < text.max)
				buf_add(&text, str_of(points[p]));
			json_put_str(&description, fields[f], buf_str(&text));
		}
		json_close(&description, '}');
		result_init(&r);
		result_error(&r, buf_str(&description), 0);
		ok(r.code == CODE_SCRIPT_ERROR && buf_ok(&r.message) && buf_ok(&r.name) &&
			buf_ok(&r.stack) && buf_ok(&r.hint),
		    "an error whose texts are long");
		ok(r.message.n > KiB(10) && r.stack.n > KiB(8) && r.hint.n > KiB(1) &&
			r.name.n > 50,
		    "as much as there is room for is kept");
		ok(utf8_valid(buf_str(&r.message)) && utf8_valid(buf_str(&r.name)) &&
			utf8_valid(buf_str(&r.stack)) && utf8_valid(buf_str(&r.hint)),
		    "and cut between characters");
		result_done(&r);
	}
}

/* ---- values and text ---- */

static const struct {
	const char *what, *value, *text;
	uint64_t max, value_total, text_total;
	const char *value_kept, *text_kept; /* value NULL: none */
	uint64_t kept;
} shares[] = {
	{ "all fits", "[1,2]", "abc", 100, 5, 3, "[1,2]", "abc", 8 },
	{ "exactly", "[1,2]", "abc", 8, 5, 3, "[1,2]", "abc", 8 },
	{ "no value", NULL, "abcdef", 4, 0, 6, NULL, "abcd", 4 },
	{ "no text", "[1,2,3]", "", 6, 7, 0, "[1,2]", "", 5 },
	{ "a long text leaves the value whole where it fits", "[1,2]", "0123456789", 10, 5, 10,
	    "[1,2]", "01234", 10 },
	{ "a long value leaves the text a quarter", "\"0123456789\"", "abcdefgh", 8, 12, 8,
	    "\"0123\"", "ab", 8 },
	{ "what the text does not need is the value's", "\"0123456789\"", "a", 8, 12, 1,
	    "\"01234\"", "a", 8 },
	{ "a value that cannot be shortened", "123456789012", "abc", 8, 12, 3, NULL, "abc", 3 },
	{ "a value already cut", "[1,2,\"thr", "", 100, 4000, 0, "[1,2,\"thr\"]", "", 11 },
	{ "a total that is too small", "[1,2,3]", "abc", 100, 1, 1, "[1,2,3]", "abc", 10 },
	{ "totals that overflow", "[1]", "abc", 100, UINT64_MAX, UINT64_MAX, "[1]", "abc", 6 },
	{ "room for none", "[1]", "abc", 0, 3, 3, NULL, "", 0 },
};

static void
shares_the_room(void)
{
	for (size_t i = 0; i < COUNT(shares); i++) {
		struct run_result r;

		result_init(&r);
		r.has_value = shares[i].value != NULL;
		result_value(&r, str_of(shares[i].value), str_of(shares[i].text), shares[i].max,
		    shares[i].value_total, shares[i].text_total);
		ok(r.code == CODE_NONE && r.has_value == (shares[i].value_kept != NULL), "%s",
		    shares[i].what);
		is_str(buf_text(&r.value), shares[i].value_kept ? shares[i].value_kept : "",
		    "the value");
		is_str(buf_text(&r.text), shares[i].text_kept, "the text");
		ok(r.kept == shares[i].kept &&
			r.total == shares[i].value_total + shares[i].text_total,
		    "%llu kept", (unsigned long long)r.kept);
		result_done(&r);
	}
}

static void
refuses_values(void)
{
	static const char *const rows[] = { "nonsense", "[1 2]", "{\"a\":1}x", "[1,]",
		"\"\x01\"" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_result r;

		result_init(&r);
		r.has_value = true;
		result_value(&r, str_of(rows[i]), STR("text"), 100, 5, 4);
		ok(r.code == CODE_INTERNAL && !r.has_value && r.value.n == 0,
		    "a value that is no JSON: %s", buf_text(&r.message));
		is_str(buf_text(&r.text), "text", "keeps its text");
		result_done(&r);
	}
}

static void
keeps_notes(void)
{
	static const struct {
		const char *notes;
		bool kept;
	} rows[] = { { "[]", true }, { "[\"a\",\"b\"]", true }, { " [ \"a\" ]\n", true },
		{ "", false }, { "[1]", false }, { "[\"a\",null]", false },
		{ "[[\"a\"]]", false }, { "{\"a\":\"b\"}", false }, { "\"a\"", false },
		{ "[\"a\"", false }, { "[\"\\ud800\"]", false }, { "nonsense", false } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_result r;

		result_init(&r);
		result_notes(&r, str_of(rows[i].notes));
		is_str(buf_text(&r.notes), rows[i].kept ? rows[i].notes : "",
		    "notes are strings in an array");
		result_done(&r);
	}
}

static void
notes_of_ours(void)
{
	static const struct {
		const char *before, *after;
	} rows[] = { { "", "[\"o\"]" }, { "[]", "[\"o\"]" }, { " [ ] ", "[\"o\"]" },
		{ "[\"a\"]", "[\"o\",\"a\"]" },
		{ " [ \"a\", \"b\" ]\n", "[\"o\",\"a\", \"b\" ]" } };
	auto_done(buf) struct buf full = buf_max(NOTES_MAX);
	struct run_result r;

	for (size_t i = 0; i < COUNT(rows); i++) {
		result_init(&r);
		result_notes(&r, str_of(rows[i].before));
		result_note(&r, STR("o"));
		is_str(buf_text(&r.notes), rows[i].after, "a note of ours comes first");
		result_done(&r);
	}
	buf_add(&full, STR("[\""));
	while (full.n < NOTES_MAX - 2)
		buf_addc(&full, 'x');
	buf_add(&full, STR("\"]"));
	result_init(&r);
	result_notes(&r, buf_str(&full));
	is_int((int64_t)r.notes.n, NOTES_MAX, "as many notes as there may be");
	result_note(&r, STR("o"));
	is_str(buf_text(&r.notes), "[\"o\"]", "make room for ours");
	result_done(&r);
}

/* ---- the envelope ---- */

static void
statuses(void)
{
	static const struct {
		int exit_status;
		const char *status;
	} rows[] = { { 0, "succeeded" }, { 1, "failed" }, { 2, "refused" }, { 3, "limited" },
		{ 4, "refused" }, { 5, "refused" }, { 130, "cancelled" } };

	for (int c = 0; c < CODE_COUNT; c++) {
		struct run_result r;
		bool found = false;

		result_init(&r);
		r.code = (enum code)c;
		for (size_t i = 0; i < COUNT(rows); i++) {
			if (rows[i].exit_status == code_specs[c].exit_status) {
				is_str(result_status(&r), rows[i].status,
				    c ? code_specs[c].name : "success");
				found = true;
			}
		}
		ok(found, "its exit status is one that is known");
		r.lost = true;
		is_str(result_status(&r), "lost", "what was lost is lost");
		result_done(&r);
	}
}

static const char nasty[] =
    "\"\\\b\f\n\r\t\x01\x1f\x7f</script>\xe2\x80\xa8\xe2\x80\xae\xf0\x9f\x98\x80";

/* Whatever is set, the envelope is one JSON object with all its members. */
static bool
whole(const struct run_result *r, const struct engine_facts *facts)
{
	static const char *const members[] = { "run", "status", "text", "error", "calls",
		"effects", "engine", "limits", "usage", "truncated", "notes" };
	auto_done(buf) struct buf out = buf_max(ENVELOPE_MAX);
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root, *error;

	result_envelope(r, "01ARZ3NDEKTSV4RRFFQ69G5FAV", facts, &limits, 0, STR(NO_CALLS),
	    &out);
	if (!buf_ok(&out) || json_parse(buf_str(&out), ENVELOPE_MAX, &doc, &e) < 0)
		return false;
	root = json_root(doc);
	for (size_t i = 0; i < COUNT(members); i++) {
		if (!json_at(root, members[i]))
			return false;
	}
	error = json_at(root, "error");
	if (json_size(root) != COUNT(members) + r->has_value ||
	    (json_at(root, "value") != NULL) != r->has_value)
		return false;
	if ((r->code != CODE_NONE) != json_is_object(error))
		return false;
	return r->code == CODE_NONE ||
	       (str_eq(json_str(json_at(error, "message")), buf_str(&r->message)) &&
		   json_str(json_at(error, "hint")).n > 0 &&
		   json_str(json_at(error, "retry")).n > 0 &&
		   str_eq(json_str(json_at(error, "code")), str_of(code_specs[r->code].name)));
}

static bool
combination(enum code code, unsigned bits)
{
	struct run_result r;
	bool good;

	result_init(&r);
	r.code = code;
	r.has_value = bits & 1;
	if (r.has_value)
		buf_add(&r.value, STR("{\"a\":[1,\"\xe2\x82\xac\"]}"));
	if (bits & 2)
		buf_add(&r.text, STR(nasty));
	if (bits & 4)
		buf_add(&r.notes, STR("[\"a note\"]"));
	if (bits & 8)
		r.line = r.column = 3;
	if (bits & 16) {
		buf_add(&r.message, STR(nasty));
		buf_add(&r.hint, STR(nasty));
		buf_add(&r.name, STR(nasty));
		buf_add(&r.stack, STR(nasty));
	}
	r.lost = bits & 32;
	r.total = UINT64_MAX;
	r.kept = bits & 64 ? r.total : 7;
	r.wall_ns = r.cpu_ns = r.heap_peak = UINT64_MAX;
	good = whole(&r, bits & 128 ? &engine : &no_engine);
	result_done(&r);
	return good;
}

static void
envelopes(void)
{
	for (int c = 0; c < CODE_COUNT; c++) {
		unsigned bad = 0;

		for (unsigned bits = 0; bits < 256; bits++)
			bad += !combination((enum code)c, bits);
		is_int(bad, 0, c ? code_specs[c].name : "success");
	}
}

static void
one_envelope(void)
{
	auto_done(buf) struct buf out = buf_max(KiB(8));
	struct run_result r;

	result_init(&r);
	result_error(&r,
	    STR("{\"name\":\"TypeError\",\"message\":\"m\",\"line\":2,\"column\":3}"), 0);
	r.total = 10;
	r.kept = 4;
	r.wall_ns = 1234567;
	buf_add(&r.text, STR("out"));
	result_envelope(&r, "R", &engine, &limits, 0, STR(NO_CALLS), &out);
	is_str(buf_text(&out),
	    "{\"run\":\"R\",\"status\":\"failed\",\"text\":\"out\",\"error\":{\"code\":"
	    "\"SCRIPT_ERROR\","
	    "\"message\":\"TypeError: m\",\"hint\":\"correct the script; try/catch keeps one "
	    "failure from ending the "
	    "run\",\"retry\":\"after_change\",\"line\":2,\"column\":3,\"name\":\"TypeError\"},"
	    "\"calls\":[],"
	    "\"effects\":{\"verdict\":\"none\",\"list\":[]},\"engine\":{\"name\":\"engine\","
	    "\"version\":\"1.2.3\","
	    "\"sha256\":\"00ff\",\"host\":\"process\",\"isolation\":[\"seccomp\",\"landlock\","
	    "\"userns\"],"
	    "\"reason\":\"as "
	    "\\\"asked\\\"\"},\"limits\":{\"timeoutMs\":1,\"cpuMs\":2,\"memoryBytes\":3,"
	    "\"stackBytes\":4,\"maxToolCalls\":5,\"maxConcurrency\":6,\"maxOutputChars\":7},"
	    "\"usage\":{"
	    "\"wall_ms\":1.234,\"cpu_ms\":0.000,\"heap_peak\":0,\"calls\":0,\"output_chars\":"
	    "10},\"truncated\":{"
	    "\"kept\":4,\"total\":10,\"handle\":null},\"notes\":[]}",
	    "an envelope, to the letter");
	result_done(&r);
}

static void
says_why(void)
{
	struct run_result r;
	char longer[2000];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	result_init(&r);
	buf_add(&r.hint, STR("an old hint"));
	result_fail(&r, CODE_TIMEOUT, "after %d ms", 5);
	ok(r.code == CODE_TIMEOUT && r.hint.n == 0, "a code, and its own hint");
	is_str(buf_text(&r.message), "after 5 ms", "and a message");
	result_fail(&r, CODE_INTERNAL, "%s", longer);
	ok(buf_ok(&r.message) && r.message.n > 500, "a long message is cut");
	result_fail(&r, CODE_INTERNAL, "bytes \xff here");
	ok(utf8_valid(buf_str(&r.message)), "bytes that are no text are replaced");
	result_done(&r);
}

int
main(void)
{
	maps_errors();
	cuts_long_errors();
	shares_the_room();
	refuses_values();
	keeps_notes();
	notes_of_ours();
	statuses();
	envelopes();
	one_envelope();
	says_why();
	return tap_done();
}
