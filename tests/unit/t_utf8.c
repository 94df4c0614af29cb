/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include "tap.h"

static void
decodes(void)
{
	static const struct {
		struct str s;
		size_t n;
		uint32_t point;
	} rows[] = {
		/* clang-format off */
		{ STR(""), 0, 0 },
		{ STR("A"), 1, 'A' },
		{ STR("\0"), 1, 0 },
		{ STR("\x7f"), 1, 0x7f },
		{ STR("\xc2\x80"), 2, 0x80 },
		{ STR("\xdf\xbf"), 2, 0x7ff },
		{ STR("\xe0\xa0\x80"), 3, 0x800 },
		{ STR("\xed\x9f\xbf"), 3, 0xd7ff },
		{ STR("\xee\x80\x80"), 3, 0xe000 },
		{ STR("\xef\xbf\xbf"), 3, 0xffff },
		{ STR("\xf0\x90\x80\x80"), 4, 0x10000 },
		{ STR("\xf4\x8f\xbf\xbf"), 4, 0x10ffff },
		{ STR("\x80"), 0, 0 },             /* a continuation alone */
		{ STR("\xc0\x80"), 0, 0 },         /* longer than needed */
		{ STR("\xc1\xbf"), 0, 0 },
		{ STR("\xe0\x9f\xbf"), 0, 0 },
		{ STR("\xf0\x8f\xbf\xbf"), 0, 0 },
		{ STR("\xed\xa0\x80"), 0, 0 },     /* surrogates */
		{ STR("\xed\xbf\xbf"), 0, 0 },
		{ STR("\xf4\x90\x80\x80"), 0, 0 }, /* above the end */
		{ STR("\xf5\x80\x80\x80"), 0, 0 },
		{ STR("\xff"), 0, 0 },
		{ STR("\xc3"), 0, 0 },             /* cut short */
		{ STR("\xe2\x82"), 0, 0 },
		{ STR("\xf0\x9f\x98"), 0, 0 },
		{ STR("\xe2\x28\xa1"), 0, 0 },     /* no continuation */
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t point = 0;
		size_t n = utf8_next(rows[i].s, &point);

		ok(n == rows[i].n && point == rows[i].point, "row %zu: %zu bytes, U+%04X", i, n,
		    point);
		ok(utf8_valid(rows[i].s) == (rows[i].n == rows[i].s.n), "row %zu: validity", i);
	}
}

static void
validates_long(void)
{
	char text[41];

	/* A bad byte is found wherever it stands in the words that are read at once. */
	for (size_t at = 0; at < 40; at++) {
		memset(text, 'x', sizeof(text));
		text[at] = '\x80';
		ok(!utf8_valid((struct str){ text, 40 }), "a bad byte at %zu", at);
	}
	memset(text, 'x', sizeof(text));
	ok(utf8_valid((struct str){ text, 40 }), "forty good ones");
	ok(utf8_valid(STR("h\xc3\xa9llo w\xc3\xb6rld \xf0\x9f\x98\x80 end of line")),
	    "mixed text");
}

static void
counts(void)
{
	struct str s = STR("a\xc3\xa9\xf0\x9f\x98\x80z");

	is_int(utf8_count(s), 4, "four characters");
	is_int(utf8_head(s, 0).n, 0, "none of them");
	is_int(utf8_head(s, 2).n, 3, "two of them");
	is_int(utf8_head(s, 3).n, 7, "three of them");
	is_int(utf8_head(s, 9).n, s.n, "all of them");
}

static void
cleans(void)
{
	auto_done(buf) struct buf b = buf_max(100);

	utf8_scrub(STR("a\xff\xc3\xa9\xe2\x82"), &b);
	is_str(buf_text(&b), "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd",
	    "each bad byte replaced");
	buf_reset(&b);
	utf8_show(STR("a\x1b[1m\tb\n\xff\xe2\x80\xae\xc2\x9b\xc3\xa9"), &b);
	is_str(buf_text(&b), "a\\x1b[1m\tb\n\\xff\\u{202e}\\x9b\xc3\xa9",
	    "shown without its powers");
	buf_reset(&b);
	utf8_show(STR("a\0b\r"), &b);
	is_str(buf_text(&b), "a\\x00b\\x0d", "NUL and return too");
	buf_reset(&b);
	utf8_show(STR("\xd8\x9c\xe3\x85\xa4\xe1\xa0\x8e\xc2\xa0"), &b);
	is_str(buf_text(&b), "\\u{61c}\\u{3164}\\u{180e}\xc2\xa0",
	    "and what turns text or has no width");
	buf_reset(&b);
	utf8_show_message(STR("a\n  hint: b\n\n\x1b\n\n"), &b);
	is_str(buf_text(&b), "a\n      hint: b\n    \n    \\x1b",
	    "a message has no line that looks like ours");
	buf_reset(&b);
	utf8_show_message(STR("\n\n"), &b);
	is_str(buf_text(&b), "", "one of line feeds is empty");
	buf_reset(&b);
	utf8_show_json(STR("[\"a\\n\xc2\x9b\xe2\x80\xa8\xf3\xa0\x81\x81\xc3\xa9\x7f\"]\n"), &b);
	is_str(buf_text(&b), "[\"a\\n\\u009b\\u2028\\udb40\\udc41\xc3\xa9\\u007f\"]\n",
	    "JSON stays JSON, and shows");
}

int
main(void)
{
	decodes();
	validates_long();
	counts();
	cleans();
	return tap_done();
}
