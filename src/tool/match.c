/* SPDX-License-Identifier: MIT */
#include "tool/match.h"

#include "base/utf8.h"

#define CANDIDATES_MAX 200  /* places where the first line is, of which the best is taken */
#define SET_BITS       4096 /* for triples of bytes */

/* ---- where it is ---- */

static size_t
count_lines(struct str text)
{
	size_t n = 0;

	for (const char *at = text.p; text.n && (at = memchr(at, '\n', text.n)); n++, at++)
		text.n -= (size_t)(at + 1 - text.p), text.p = at + 1;
	return n;
}

void
match_find(struct str text, struct str wanted, struct match_found *ret_found)
{
	size_t from = 0, counted = 0, line = 1;
	const char *at;

	*ret_found = (struct match_found){ 0 };
	while (ret_found->count < MATCH_COUNT_MAX && from < text.n &&
	       (at = memmem(text.p + from, text.n - from, wanted.p, wanted.n))) {
		size_t here = (size_t)(at - text.p);

		if (ret_found->count == 0)
			ret_found->at = here;
		if (ret_found->count < MATCH_LINES_MAX) {
			line += count_lines((struct str){ text.p + counted, here - counted });
			counted = here;
			ret_found->lines[ret_found->count] = line;
		}
		ret_found->count++;
		from = here + 1;
	}
}

/* ---- characters that are taken for one another ---- */

#define BOM 0xfeff

/* The character there; an ill-formed byte counts as itself above all characters. 0 past the end. */
static uint32_t
point_at(struct str text, size_t at, size_t *ret_n)
{
	uint32_t point = 0;
	size_t n = utf8_next(str_from(text, at), &point);

	if (n == 0 && at < text.n) {
		point = 0x200000U + (unsigned char)text.p[at];
		n = 1;
	}
	*ret_n = n;
	return point;
}

/* Blanks of other kinds than space and tab. */
static bool
odd_blank(uint32_t c)
{
	return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
	       c == 0x205f || c == 0x3000 || c == 0x85 || c == 0x2028 || c == 0x2029 ||
	       c == '\v' || c == '\f';
}

static bool
unseen(uint32_t c)
{
	return c == BOM || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x2064) || (c >= 0x2066 && c <= 0x2069) || c == 0xad;
}

static bool
is_mark(uint32_t c)
{
	return (c >= 0x300 && c <= 0x36f) || c == 0x3099 || c == 0x309a ||
	       (c >= 0x1100 && c <= 0x11ff);
}

/* Letters that can also be written as a letter and a mark. */
static bool
is_joined(uint32_t c)
{
	return (c >= 0xc0 && c <= 0x24f) || (c >= 0x1e00 && c <= 0x1eff) ||
	       (c >= 0xac00 && c <= 0xd7a3) || (c >= 0x304c && c <= 0x30fe);
}

/* The plain character that a typographic one stands for; 0 for none. */
static char
plain_of(uint32_t c)
{
	if ((c >= 0x2018 && c <= 0x201b) || c == 0x2032 || c == 0xb4)
		return '\'';
	if ((c >= 0x201c && c <= 0x201f) || c == 0x2033 || c == 0xab || c == 0xbb)
		return '"';
	if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212)
		return '-';
	return 0;
}

static bool
is_blank(uint32_t c)
{
	return c == ' ' || c == '\t' || odd_blank(c);
}

static bool
is_letter(uint32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- texts without what is easily mistaken ---- */

/* What is left of a text: its bytes, and for each where it was. */
struct folded {
	char *p;
	uint32_t *at;
	size_t n;
};

static void
folded_done(struct folded *f)
{
	free(f->p);
	free(f->at);
}

static bool
left_out(struct str text, uint32_t c, size_t next)
{
	size_t n;

	return c == '\n' || c == '\r' || is_blank(c) || unseen(c) || is_mark(c) ||
	       is_joined(c) || (is_letter(c) && is_mark(point_at(text, next, &n)));
}

static struct folded
fold(struct str text)
{
	struct folded f = { xmalloc(text.n + 1), xmalloc((text.n + 1) * sizeof(*f.at)), 0 };
	size_t n;

	for (size_t at = 0; at < text.n; at += n) {
		uint32_t c = point_at(text, at, &n);
		char plain = plain_of(c);

		if (left_out(text, c, at + n))
			continue;
		for (size_t i = 0; i < (plain ? 1 : n); i++) {
			char b = plain ? plain : text.p[at + i];

			f.p[f.n] = b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b;
			f.at[f.n++] = (uint32_t)(at + i);
		}
	}
	return f;
}

/* ---- the place that differs ---- */

struct place {
	size_t text, wanted; /* bytes, at the beginning of a character */
};

static size_t
char_start(struct str text, size_t at)
{
	for (size_t back = 0; back < 3 && at > 0 && at < text.n; back++, at--) {
		if (((unsigned char)text.p[at] & 0xc0) != 0x80)
			break;
	}
	return at;
}

static struct place
forward(struct str text, struct str wanted, struct place p)
{
	while (p.text < text.n && p.wanted < wanted.n && text.p[p.text] == wanted.p[p.wanted])
		p.text++, p.wanted++;
	return (struct place){ char_start(text, p.text), char_start(wanted, p.wanted) };
}

/* What is before the first thing found may differ already: a mark, an indentation. */
static bool
backward(struct str text, struct str wanted, struct place *p)
{
	struct place at = *p;

	while (at.text && at.wanted && text.p[at.text - 1] == wanted.p[at.wanted - 1])
		at.text--, at.wanted--;
	if (at.wanted == 0)
		return false;
	at.wanted = char_start(wanted, at.wanted - 1);
	if (at.text)
		at.text = char_start(text, at.text - 1);
	*p = at;
	return true;
}

/* ---- words ---- */

static void
show(struct buf *out, uint32_t c, struct str text, size_t at, size_t n)
{
	static const struct {
		uint32_t c;
		const char *name;
	} names[] = {
		{ ' ', "a space" },
		{ '\t', "a tab" },
		{ '\n', "the end of a line (LF)" },
		{ '\r', "a carriage return (CR)" },
		{ BOM, "a byte order mark (U+FEFF)" },
		{ 0xa0, "a no-break space (U+00A0)" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		if (names[i].c == c && n) {
			buf_add(out, str_of(names[i].name));
			return;
		}
	}
	if (!n)
		buf_add(out, STR("its end"));
	else if (c >= 0x200000)
		buf_addf(out, "the byte 0x%02x", (unsigned)c & 0xff);
	else if (c < 0x20 || c == 0x7f || odd_blank(c) || unseen(c) || is_mark(c))
		buf_addf(out, "U+%04X", (unsigned)c);
	else
		buf_addf(out, c > 0x7e ? "'%.*s' (U+%04X)" : "'%.*s'", (int)n, text.p + at,
		    (unsigned)c);
}

static bool
either(uint32_t a, uint32_t b, bool (*is)(uint32_t c))
{
	return is(a) || is(b);
}

static bool
is_end(uint32_t c)
{
	return c == '\n' || c == '\r';
}

/* The kind of difference between two characters; NULL for one that has no name. */
static const char *
kind_of(uint32_t file, uint32_t wanted)
{
	if (file == BOM || wanted == BOM)
		return "a byte order mark";
	if (either(file, wanted, unseen))
		return "an invisible character";
	if (file == '\r' && wanted == '\n')
		return "the file's lines end in CRLF there, those of oldText in LF";
	if (file == '\n' && wanted == '\r')
		return "the file's lines end in LF there, those of oldText in CRLF";
	if (either(file, wanted, odd_blank))
		return "blanks of different kinds";
	if ((file == '\t' && is_blank(wanted)) || (wanted == '\t' && is_blank(file)))
		return "tabs against spaces";
	if ((is_blank(file) && (is_end(wanted) || !wanted)) ||
	    (is_blank(wanted) && (is_end(file) || !file)))
		return "blanks at the end of a line";
	if (either(file, wanted, is_blank))
		return "another number of blanks";
	if (either(file, wanted, is_end))
		return "lines end at other places";
	if (either(file, wanted, is_mark) ||
	    (is_joined(file) && wanted != file && (is_joined(wanted) || is_letter(wanted))) ||
	    (is_joined(wanted) && is_letter(file)))
		return "letters with marks written in another form (NFC against NFD), or "
		       "others";
	if (is_letter(file) && is_letter(wanted) && (file | 0x20) == (wanted | 0x20))
		return "the case of letters";
	if ((plain_of(file) ? plain_of(file) : (char)(file & 0x7f)) ==
		(plain_of(wanted) ? plain_of(wanted) : (char)(wanted & 0x7f)) &&
	    (plain_of(file) || plain_of(wanted)))
		return "typographic quotes or dashes against plain ones";
	return NULL;
}

static void
tell(struct str text, struct str wanted, struct place p, struct buf *out)
{
	size_t fn, wn;
	uint32_t f = point_at(text, p.text, &fn), w = point_at(wanted, p.wanted, &wn);
	const char *kind = kind_of(f, w);
	size_t line = 1 + count_lines((struct str){ text.p, p.text });

	buf_addf(out, "the nearest is at line %zu: at byte %zu the file has ", line, p.text);
	show(out, f, text, p.text, fn);
	buf_addf(out, " where oldText, at its byte %zu, has ", p.wanted);
	show(out, w, wanted, p.wanted, wn);
	if (kind)
		buf_addf(out, " (%s)", kind);
}

/* ---- the nearest place ---- */

static bool
nearest_folded(struct str text, struct str wanted, struct place *ret_place)
{
	attr_cleanup(folded_done) struct folded t = fold(text);
	attr_cleanup(folded_done) struct folded w = fold(wanted);
	const char *at = w.n ? memmem(t.p, t.n, w.p, w.n) : NULL;

	if (!at)
		return false;
	*ret_place = (struct place){ t.at[at - t.p], w.at[0] };
	if (!backward(text, wanted, ret_place))
		*ret_place = forward(text, wanted, *ret_place);
	return true;
}

/* The first line that has anything, without blanks around it. */
static struct str
first_line(struct str wanted)
{
	struct str line = { NULL, 0 };

	while (wanted.n && !line.n)
		line = str_trim(str_split(&wanted, '\n'));
	return line;
}

/* Where the first line is as it is: the place after which most is the same. */
static bool
nearest_begun(struct str text, struct str wanted, struct str line, struct place *ret_place)
{
	size_t from = 0, best = 0, begin = (size_t)(line.p - wanted.p);
	const char *at;

	for (size_t n = 0; n < CANDIDATES_MAX && from < text.n &&
			   (at = memmem(text.p + from, text.n - from, line.p, line.n));
	    n++) {
		size_t here = (size_t)(at - text.p);
		struct place p = forward(text, wanted, (struct place){ here, begin });

		if (p.wanted > best) {
			best = p.wanted;
			*ret_place = p;
		}
		from = here + 1;
	}
	return best > 0;
}

static unsigned
triple(const char *p)
{
	return ((unsigned)(unsigned char)p[0] * 961U + (unsigned)(unsigned char)p[1] * 31U +
		   (unsigned)(unsigned char)p[2]) %
	       SET_BITS;
}

/* The line that has most triples of bytes in common; false when none has half of them. */
static bool
nearest_alike(struct str text, struct str wanted, struct str line, struct place *ret_place)
{
	bool set[SET_BITS] = { false };
	size_t best = 0, begin = (size_t)(line.p - wanted.p);
	struct str rest = text;

	for (size_t i = 0; i + 3 <= line.n; i++)
		set[triple(line.p + i)] = true;
	while (rest.n) {
		struct str one = str_trim(str_split(&rest, '\n'));
		size_t hits = 0;

		for (size_t i = 0; i + 3 <= one.n; i++)
			hits += set[triple(one.p + i)];
		hits = 2 * hits > one.n ? hits : 0;
		if (hits > best && 2 * hits >= line.n) {
			best = hits;
			*ret_place = (struct place){ (size_t)(one.p - text.p), begin };
		}
	}
	if (best)
		*ret_place = forward(text, wanted, *ret_place);
	return best > 0;
}

/* Lines copied from read_file with their numbers: "12: " in front of every one. */
static bool
has_numbers(struct str wanted)
{
	while (wanted.n) {
		struct str line = str_split(&wanted, '\n');
		size_t digits = 0;

		while (digits < line.n && line.p[digits] >= '0' && line.p[digits] <= '9')
			digits++;
		if (!digits || !str_starts(str_from(line, digits), STR(": ")))
			return false;
	}
	return true;
}

void
match_explain(struct str text, struct str wanted, struct buf *ret_words)
{
	struct str line = first_line(wanted);
	struct place place;

	if (!text.n)
		buf_add(ret_words, STR("the file is empty"));
	else if (has_numbers(wanted))
		buf_add(ret_words,
		    STR("its lines begin with the numbers that read_file puts in front: leave "
			"them out"));
	else if (nearest_folded(text, wanted, &place) ||
		 (line.n && (nearest_begun(text, wanted, line, &place) ||
				nearest_alike(text, wanted, line, &place))))
		tell(text, wanted, place, ret_words);
	else
		buf_add(ret_words, STR("no line of the file is like its first one"));
}
