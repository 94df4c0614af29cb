/* SPDX-License-Identifier: MIT */
#include "js/places.h"

#include "base/utf8.h"

/* ---- reading ---- */

/* A text and how far into it we are, in both measures. */
struct walk {
	struct str text;
	size_t at;      /* bytes */
	uint32_t units; /* UTF-16 */
};

/* Goes on to an offset that does not lie behind; false when the text ends before. */
static bool
walk_to(struct walk *w, uint32_t units)
{
	while (w->units < units && w->at < w->text.n) {
		unsigned char c = (unsigned char)w->text.p[w->at];
		size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		w->at = MIN(w->at + n, w->text.n);
		w->units += n == 4 ? 2 : 1;
	}
	return w->units >= units;
}

void
places_read(struct str pairs, struct str code, struct str source, struct buf *ret_pairs)
{
	struct walk in_code = { .text = code }, in_source = { .text = source };

	for (size_t at = 0; pairs.n - at >= sizeof(uint32_t[2]); at += sizeof(uint32_t[2])) {
		uint32_t offsets[2];
		struct place_pair pair;

		memcpy(offsets, pairs.p + at, sizeof(offsets));
		if (offsets[0] < in_code.units || offsets[1] < in_source.units)
			continue;
		if (!walk_to(&in_code, offsets[0]) || !walk_to(&in_source, offsets[1]))
			return;
		pair.code = (uint32_t)in_code.at;
		pair.source = (uint32_t)in_source.at;
		buf_add(ret_pairs, (struct str){ (const char *)&pair, sizeof(pair) });
	}
}

/* ---- finding ---- */

/* The bytes of the line break that stands at `at`, as the engine knows them; 0 for none. */
static size_t
line_break(struct str text, size_t at)
{
	const char *p = text.p + at;
	size_t left = text.n - at;

	if (*p == '\r')
		return left > 1 && p[1] == '\n' ? 2 : 1;
	if (*p == '\n')
		return 1;
	return left > 2 &&
		       (memcmp(p, "\xe2\x80\xa8", 3) == 0 || memcmp(p, "\xe2\x80\xa9", 3) == 0)
		   ? 3
		   : 0;
}

/* Where a line begins; the end of the text when it has fewer. */
static size_t
line_start(struct str text, uint32_t line)
{
	size_t at = 0;

	while (line > 1 && at < text.n) {
		size_t n = line_break(text, at);

		line -= n > 0;
		at += MAX(n, 1);
	}
	return at;
}

static struct place
place_of(struct str text, size_t end)
{
	struct place place = { 1, 1 };
	size_t start = 0, at = 0;

	if (!end)
		return place; /* of an empty text, which may be nowhere */
	while (at < end) {
		size_t n = line_break(text, at);

		at += MAX(n, 1);
		if (n && at <= end) {
			place.line++;
			start = at;
		}
	}
	place.column += (uint32_t)utf8_count((struct str){ text.p + start, end - start });
	return place;
}

uint32_t
places_lines(struct str text)
{
	return place_of(text, text.n).line;
}

static struct place_pair
pair_at(struct str pairs, size_t i)
{
	struct place_pair pair;

	memcpy(&pair, pairs.p + i * sizeof(pair), sizeof(pair));
	return pair;
}

/* The offset in the source of an offset in the code. */
static size_t
to_source(struct str pairs, size_t code, size_t source_end)
{
	size_t low = 0, high = pairs.n / sizeof(struct place_pair);
	struct place_pair pair = { 0, 0 }, next;
	size_t source;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pair_at(pairs, middle).code <= code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		pair = pair_at(pairs, low - 1);
	source = pair.source + (code - pair.code);
	/* What the compiler added belongs to the end of what it stands behind. */
	if (low < pairs.n / sizeof(pair)) {
		next = pair_at(pairs, low);
		source = MIN(source, next.source);
	}
	return MIN(source, source_end);
}

struct place
places_find(struct str pairs, struct str code, struct str source, uint32_t line,
    uint32_t column)
{
	size_t at = line_start(code, line);

	at = MIN(at + MAX(column, 1) - 1, code.n);
	if (pairs.n)
		at = to_source(pairs, at, source.n);
	return place_of(source, MIN(at, source.n));
}
