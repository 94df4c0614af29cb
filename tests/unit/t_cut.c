/* SPDX-License-Identifier: MIT */
#include "forge/cut.h"

#include "cut_check.h"
#include "tap.h"

#define TEXTS 3000

/* ---- by hand ---- */

static void
cuts_as_said(void)
{
	static const struct {
		const char *text;
		size_t limit;
		enum cut_result result;
		const char *out;
	} rows[] = {
		{ "[1,2,3]", 7, CUT_WHOLE, "[1,2,3]" },
		{ "[1,2,3]", 6, CUT_PART, "[1,2]" },
		{ "[1,2,3]", 5, CUT_PART, "[1,2]" },
		{ "[1,2,3]", 4, CUT_PART, "[1]" },
		{ "[1,2,3]", 2, CUT_PART, "[]" },
		{ "[1,2,3]", 1, CUT_PART, "" },
		{ "[1,2,3]", 0, CUT_PART, "" },
		{ "\"abcdef\"", 8, CUT_WHOLE, "\"abcdef\"" },
		{ "\"abcdef\"", 7, CUT_PART, "\"abcde\"" },
		{ "\"abcdef\"", 3, CUT_PART, "\"a\"" },
		{ "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", 5, CUT_WHOLE,
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", 4, CUT_PART,
		    "\"\xc3\xa9\xe2\x82\xac\"" },
		{ "\"a\\u00e9b\"", 9, CUT_PART, "\"a\\u00e9\"" },
		{ "\"a\\u00e9b\"", 8, CUT_PART, "\"a\"" },
		{ "\"\\ud83d\\ude00b\"", 14, CUT_PART, "\"\\ud83d\\ude00\"" },
		{ "\"a\\ud83d\\ude00b\"", 10, CUT_PART, "\"a\"" },
		{ "{\"a\":1,\"b\":2}", 12, CUT_PART, "{\"a\":1}" },
		{ "{\"a\":1,\"b\":2}", 6, CUT_PART, "{}" },
		{ "{\"a\":{\"b\":[1,2]}}", 16, CUT_PART, "{\"a\":{\"b\":[1]}}" },
		{ "{\"a\":\"long text\"}", 12, CUT_PART, "{\"a\":\"long\"}" },
		{ "{\"long name\":1}", 5, CUT_PART, "{}" },
		{ "12345", 4, CUT_PART, "" },
		{ "12345", 5, CUT_WHOLE, "12345" },
		{ "true", 3, CUT_PART, "" },
		{ " [ 1 , 2 ] ", 11, CUT_WHOLE, " [ 1 , 2 ] " },
		{ " [ 1 , 2 ] ", 10, CUT_PART, " [ 1 , 2 ]" },
		{ " [ 1 , 2 ] ", 9, CUT_PART, " [ 1 , 2]" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		is_int(cut_json(str_of(rows[i].text), rows[i].limit, &out), rows[i].result,
		    rows[i].text);
		is_str(buf_text(&out), rows[i].out, "to a number of characters");
	}
}

static void
takes_texts_that_end_early(void)
{
	static const struct {
		const char *text, *out;
	} rows[] = {
		{ "[1,2", "[1]" },
		{ "[1,2,", "[1,2]" },
		{ "[1,-", "[1]" },
		{ "[1,2.", "[1]" },
		{ "[1,2e+", "[1]" },
		{ "[1,tru", "[1]" },
		{ "[1,true", "[1,true]" },
		{ "[", "[]" },
		{ "{\"a", "{}" },
		{ "{\"a\":", "{}" },
		{ "{\"a\":1,\"b", "{\"a\":1}" },
		{ "\"ab", "\"ab\"" },
		{ "\"ab\\", "\"ab\"" },
		{ "\"ab\\u12", "\"ab\"" },
		{ "\"ab\xe2\x82", "\"ab\"" },
		{ "\"\\ud83d", "" },
		{ "[[[[", "[[[[]]]]" },
		{ "tru", "" },
		{ "-", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		is_int(cut_json(str_of(rows[i].text), 100, &out), CUT_PART, rows[i].text);
		is_str(buf_text(&out), rows[i].out, "what is whole of a text that ends early");
	}
}

static void
refuses(void)
{
	static const struct str rows[] = { STR(""), STR("[1 2]"), STR("[1 2"), STR("[12x"),
		STR("[1}"), STR("{]"), STR("{\"a\":1]"), STR("{\"a\" 1}"), STR("{\"a\"1"),
		STR("{\"a\":1 \"b\""), STR("{1:2}"), STR("{,}"), STR("[,]"), STR("[1,]"),
		STR("{\"a\":1,}"), STR("1 2"), STR("1x"), STR("01"), STR("[01]"), STR("+1"),
		STR(".5"), STR("1.x"), STR("1ex"), STR("--1"), STR("nul x"), STR("trve"),
		STR("True"), STR("'a'"), STR("\"\\x\""), STR("\"\\u12g4\""), STR("\"\x01\""),
		STR("\"\n\""), STR("\"\xff\""), STR("\"\xc0\x80\""), STR("\"\xe2["),
		STR("\"\xe0\x80"), STR("\"\xf4\x90"), STR("]"), STR("}"), STR(":"), STR(","),
		STR("[1]]"), STR("{}{}"), STR("NaN"), STR("undefined"), STR("[1,2\0]"),
		STR("\0"), STR("1\0"), STR("// x"), STR("[1]//") };

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		ok(cut_json(rows[i], 1000, &out) == CUT_INVALID, "no JSON: row %zu", i);
	}
}

static void
very_deep(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(64));
	size_t kept;

	for (int i = 0; i < CUT_DEPTH_MAX; i++)
		buf_addc(&text, '[');
	for (int i = 0; i < CUT_DEPTH_MAX; i++)
		buf_addc(&text, ']');
	for (size_t limit = 0; limit <= text.n; limit += 61)
		ok(!cut_check(buf_str(&text), limit, &kept), "as deep as may be, %zu", limit);
	ok(!cut_check(buf_str(&text), text.n, &kept) && kept == text.n, "and whole");
	buf_reset(&text);
	for (int i = 0; i <= CUT_DEPTH_MAX; i++)
		buf_addc(&text, '[');
	ok(cut_json(buf_str(&text), 100000, &(struct buf){ .max = 100000 }) == CUT_INVALID,
	    "a level deeper");
}

/* ---- by chance ---- */

static uint64_t seed = 1442695040888963407ull;

static unsigned
chance(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static void
add_blanks(struct buf *out)
{
	static const char *const blanks[] = { "", "", "", "", "", "", " ", "\n", "\t\r", "  " };

	buf_add(out, str_of(blanks[chance(COUNT(blanks))]));
}

static void
add_string(struct buf *out)
{
	static const char *const parts[] = { "a", "b", "key", "\\n", "\\\"", "\\\\", "\\/",
		"\\u00e9", "\\uD83D\\uDE00", "\\ud83d", "\\ude00", "\\u0000", "\xc3\xa9",
		"\xe2\x82\xac", "\xf0\x9f\x98\x80", "{", "]", ",", ":", "\x7f", " " };

	buf_addc(out, '"');
	for (unsigned n = chance(6); n > 0; n--)
		buf_add(out, str_of(parts[chance(COUNT(parts))]));
	buf_addc(out, '"');
}

static void
add_scalar(struct buf *out)
{
	static const char *const scalars[] = { "0", "-0", "7", "42", "-1", "1.5", "0.001",
		"1e9", "1E+2", "2e-3", "-12.75e+10", "123456789012345678901234567890", "true",
		"false", "null" };

	if (chance(3) == 0)
		add_string(out);
	else
		buf_add(out, str_of(scalars[chance(COUNT(scalars))]));
}

/* A value with at most `depth` levels below it, without recursion: a stack of what is open. */
static void
add_value(struct buf *out, unsigned depth)
{
	char open[16];
	unsigned left[16];
	unsigned level = 0;

	for (;;) {
		bool value = true;

		add_blanks(out);
		if (level < depth && chance(2)) {
			open[level] = chance(2) ? '{' : '[';
			left[level] = chance(4);
			buf_addc(out, open[level]);
			level++;
			value = false;
		} else {
			add_scalar(out);
		}
		for (; level; value = true) {
			if (left[level - 1]) {
				left[level - 1]--;
				if (value)
					buf_addc(out, ',');
				break;
			}
			add_blanks(out);
			buf_addc(out, open[level - 1] == '{' ? '}' : ']');
			level--;
		}
		if (!level)
			break;
		add_blanks(out);
		if (open[level - 1] == '{') {
			add_string(out);
			add_blanks(out);
			buf_addc(out, ':');
		}
	}
	add_blanks(out);
}

/* Each limit up to more than enough, and one that is enough for all closers of any wrong text. */
static bool
every_limit(struct str text, bool must_grow)
{
	size_t enough = utf8_count(text) + 1, before = 0, kept;

	for (size_t i = 0; i <= enough + 1; i++) {
		size_t limit = i <= enough ? i : 2 * text.n + 2;
		const char *bad = cut_check(text, limit, &kept);

		if (!bad && must_grow && kept < before)
			bad = "less than with a smaller limit";
		if (bad) {
			printf("# %s, limit %zu: %.*s\n", bad, limit, STR_ARG(text));
			return false;
		}
		before = kept;
	}
	return true;
}

static void
made_by_chance(void)
{
	unsigned bad = 0;
	size_t longest = 0;

	for (unsigned i = 0; i < TEXTS; i++) {
		auto_done(buf) struct buf text = buf_max(KiB(64));

		add_value(&text, chance(6));
		bad += grammar_of(buf_str(&text)) != GRAMMAR_RIGHT;
		bad += text.n < 2000 && !every_limit(buf_str(&text), true);
		longest = MAX(longest, text.n);
	}
	ok(bad == 0,
	    "three thousand texts made by chance and every limit; the longest has %zu bytes",
	    longest);
}

static void
cut_by_chance(void)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < TEXTS / 10; i++) {
		auto_done(buf) struct buf text = buf_max(KiB(64));

		add_value(&text, 3);
		for (size_t n = 1; n < MIN(text.n, 200); n++)
			bad += !every_limit((struct str){ text.p, n }, true);
	}
	is_int(bad, 0, "texts that end anywhere and every limit");
}

static void
damaged_by_chance(void)
{
	static const char damage[] = "[]{},:\"\\0123456789abcdefnrtu-+.eE \x01\x80\xff";
	unsigned bad = 0;

	for (unsigned i = 0; i < TEXTS; i++) {
		auto_done(buf) struct buf text = buf_max(KiB(64));

		add_value(&text, chance(4));
		for (unsigned n = 1 + chance(3); n > 0; n--)
			text.p[chance((unsigned)text.n)] = damage[chance(sizeof(damage) - 1)];
		bad += text.n < 500 && !every_limit(buf_str(&text), false);
	}
	is_int(bad, 0, "texts with other bytes here and there and every limit");
}

int
main(void)
{
	cuts_as_said();
	takes_texts_that_end_early();
	refuses();
	very_deep();
	made_by_chance();
	cut_by_chance();
	damaged_by_chance();
	return tap_done();
}
