/* SPDX-License-Identifier: MIT */
#include "tool/match.h"

#include "tap.h"

static void
finds_all(void)
{
	static const struct {
		const char *text, *wanted;
		size_t count, at, last_line;
	} rows[] = {
		{ "abc", "b", 1, 1, 1 },
		{ "", "b", 0, 0, 0 },
		{ "abc", "abcd", 0, 0, 0 },
		{ "a\nb\na\n", "a", 2, 0, 3 },
		{ "aaa", "aa", 2, 0, 1 }, /* they overlap: it is not clear which is meant */
		{ "x\n\n\nx", "x", 2, 0, 4 },
		{ "\n\n\n", "\n", 3, 0, 3 },
		{ "a\r\nb", "\r\nb", 1, 1, 1 },
		{ "one\ntwo\n", "e\nt", 1, 2, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct match_found f;

		match_find(str_of(rows[i].text), str_of(rows[i].wanted), &f);
		ok(f.count == rows[i].count && f.at == rows[i].at &&
			(!f.count ||
			    f.lines[MIN(f.count, MATCH_LINES_MAX) - 1] == rows[i].last_line),
		    "'%s' in '%s': %zu", rows[i].wanted, rows[i].text, rows[i].count);
	}
}

static void
counts_up_to_a_bound(void)
{
	auto_free char *text = xmalloc(MiB(1));
	struct match_found f;

	memset(text, 'a', MiB(1));
	match_find((struct str){ text, MiB(1) }, (struct str){ text, KiB(512) }, &f);
	is_int(f.count, MATCH_COUNT_MAX, "many places are counted up to a bound");
}

static void
explains(void)
{
	static const struct {
		const char *text, *wanted, *kind;
		size_t line;
	} rows[] = {
		{ "if\n\tx = 1;\n", "    x = 1;\n", "tabs against spaces", 2 },
		{ "if\n    x = 1;\n", "\tx = 1;\n", "tabs against spaces", 2 },
		{ "a\tb\n", "a b\n", "tabs against spaces", 1 },
		{ "one\r\ntwo\r\n", "one\ntwo\n", "in CRLF there", 1 },
		{ "z\none\ntwo\n", "one\r\ntwo", "in LF there", 2 },
		{ "a\xc2\xa0"
		  "b\n",
		    "a b\n", "blanks of different kinds", 1 },
		{ "a b\n",
		    "a\xe2\x80\xaf"
		    "b\n",
		    "blanks of different kinds", 1 },
		{ "a  b\n", "a b\n", "another number of blanks", 1 },
		{ "one  \ntwo\n", "one\ntwo\n", "blanks at the end of a line", 1 },
		{ "one\ntwo\n", "one \ntwo\n", "blanks at the end of a line", 1 },
		{ "caf\xc3\xa9 x\n", "cafe\xcc\x81 x\n", "NFC against NFD", 1 },
		{ "cafe\xcc\x81 x\n", "caf\xc3\xa9 x\n", "NFC against NFD", 1 },
		{ "\xef\xbb\xbf#include\n", "x\xef\xbb\xbf#include\n", NULL, 1 },
		{ "#include <a>\n", "\xef\xbb\xbf#include <a>\n", "byte order mark", 1 },
		{ "#in\xe2\x80\x8b"
		  "clude\n",
		    "#include\n", "invisible character", 1 },
		{ "Hello World\n", "hello World\n", "the case of letters", 1 },
		{ "say \xe2\x80\x9chi\xe2\x80\x9d\n", "say \"hi\"\n", "typographic", 1 },
		{ "it's\n", "it\xe2\x80\x99s\n", "typographic", 1 },
		{ "a \xe2\x80\x93 b\n", "a - b\n", "typographic", 1 },
		{ "a\nb\n", "a b\n", "", 1 },
		{ "q\nfirst line here\nsecond\n", "first line here\nother\n", "has 's'", 3 },
		{ "q\nint value_of_it = 5;\n", "int value_of_ix = 5;\n", "has 't'", 2 },
		{ "one\ntwo\n", "1: one\n2: two\n", "numbers", 0 },
		{ "", "x", "empty", 0 },
		{ "one\ntwo\n", "zzzzzzzzzzzz", "no line", 0 },
		{ "\xff\xfe"
		  "abc\n",
		    "\xc3\xbf"
		    "abc\n",
		    "0xfe", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf words = buf_max(KiB(1));
		char line[32] = "";

		match_explain(str_of(rows[i].text), str_of(rows[i].wanted), &words);
		if (rows[i].line)
			snprintf(line, sizeof(line), "at line %zu:", rows[i].line);
		ok(strstr(buf_text(&words), line) &&
			(!rows[i].kind || strstr(buf_text(&words), rows[i].kind)),
		    "%zu, %s: %s", i, rows[i].kind ? rows[i].kind : "-", buf_text(&words));
	}
}

int
main(void)
{
	finds_all();
	counts_up_to_a_bound();
	explains();
	return tap_done();
}
