/* SPDX-License-Identifier: MIT */
#include "js/places.h"

#include "tap.h"

/* Pairs of offsets as the compiler hands them over. */
static struct buf
read_pairs(const uint32_t *offsets, size_t n, const char *code, const char *source)
{
	struct buf pairs = buf_max(PLACES_MAX);

	places_read((struct str){ (const char *)offsets, n * sizeof(uint32_t) }, str_of(code),
	    str_of(source), &pairs);
	return pairs;
}

static void
is_place(struct place got, uint32_t line, uint32_t column, const char *what)
{
	ok(got.line == line && got.column == column, "%s: %u:%u, want %u:%u", what, got.line,
	    got.column, line, column);
}

static void
one_text(void)
{
	static const struct {
		const char *text;
		uint32_t line, column, want_line, want_column;
		const char *what;
	} rows[] = {
		{ "abc", 1, 1, 1, 1, "the beginning" },
		{ "abc", 1, 3, 1, 3, "a letter" },
		{ "abc", 1, 4, 1, 4, "the end" },
		{ "abc", 1, 400, 1, 4, "behind the end" },
		{ "abc", 9, 1, 1, 4, "a line that is not there" },
		{ "abc", 0, 0, 1, 1, "line 0" },
		{ "", 1, 1, 1, 1, "nothing" },
		{ "a\nb\nc", 2, 1, 2, 1, "a second line" },
		{ "a\r\nb\r\nc", 3, 1, 3, 1, "lines of another system" },
		{ "a\rb\rc", 3, 1, 3, 1, "lines of an old one" },
		{ "a\xe2\x80\xa8"
		  "b\xe2\x80\xa9"
		  "c",
		    3, 1, 3, 1, "Unicode's separators" },
		{ "\xc3\xa9x", 1, 3, 1, 2, "behind two bytes" },
		{ "\xf0\x9f\x98\x80x", 1, 5, 1, 2, "behind four bytes" },
		{ "a\n\xf0\x9f\x98\x80\xe4\xb8\xadx", 2, 8, 2, 3, "and in a second line" },
		{ "\xe2\x80", 1, 3, 1, 2, "half a character" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str text = str_of(rows[i].text);

		is_place(places_find((struct str){ NULL, 0 }, text, text, rows[i].line,
			     rows[i].column),
		    rows[i].want_line, rows[i].want_column, rows[i].what);
	}
}

static void
two_texts(void)
{
	static const char source[] = "let a: T = '\xf0\x9f\x98\x80', b: U = c\nd";
	static const char code[] = "let a = '\xf0\x9f\x98\x80', b = c\nd";
	static const uint32_t offsets[] = { 6, 9, 15, 21 };
	auto_done(buf) struct buf pairs = read_pairs(offsets, COUNT(offsets), code, source);
	struct str p = buf_str(&pairs), c = str_of(code), s = str_of(source);

	is_int(pairs.n, 2 * sizeof(struct place_pair), "two pairs");
	is_place(places_find(p, c, s, 1, 1), 1, 1, "before the first");
	is_place(places_find(p, c, s, 1, 5), 1, 5, "still");
	is_place(places_find(p, c, s, 1, 7), 1, 10, "at the first");
	is_place(places_find(p, c, s, 1, 16), 1, 16, "behind an astral character");
	is_place(places_find(p, c, s, 1, 20), 1, 23, "behind the second");
	is_place(places_find(p, c, s, 2, 1), 2, 1, "the next line");
}

static void
added_text(void)
{
	static const uint32_t offsets[] = { 0, 0, 20, 2 };
	auto_done(buf) struct buf pairs =
	    read_pairs(offsets, COUNT(offsets), "a;this.long = long; b", "a b");
	struct str c = STR("a;this.long = long; b"), s = STR("a b");

	is_place(places_find(buf_str(&pairs), c, s, 1, 12), 1, 3, "what was added");
	is_place(places_find(buf_str(&pairs), c, s, 1, 21), 1, 3, "what stands behind");
}

/* What comes out of a VM is bytes. */
static void
wrong_pairs(void)
{
	static const uint32_t back[] = { 3, 3, 1, 4, 4, 1, 4, 4 },
			      far[] = { 1, 1, 900, 2, 2, 2 };
	auto_done(buf) struct buf a = read_pairs(back, COUNT(back), "abcdef", "abcdef");
	auto_done(buf) struct buf b = read_pairs(far, COUNT(far), "abc", "abc");
	auto_done(buf) struct buf c = read_pairs(far, 0, "abc", "abc");
	auto_done(buf) struct buf d = buf_max(PLACES_MAX);

	is_int(a.n, 2 * sizeof(struct place_pair), "those that go back are left out");
	is_int(b.n, sizeof(struct place_pair), "one that lies outside is the last");
	is_int(c.n, 0, "none are none");
	places_read(STR("1234567"), STR("abc"), STR("abc"), &d);
	is_int(d.n, 0, "part of a pair is none");
	is_place(places_find(buf_str(&a), STR("abcdef"), STR("ab"), 1, 6), 1, 3,
	    "a source that is shorter than they say");
}

int
main(void)
{
	one_text();
	two_texts();
	added_text();
	wrong_pairs();
	return tap_done();
}
