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
		if (next.source >= pair.source)
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

/* ---- mappings ---- */

#define VLQ_MORE  32u
#define STEPS_MAX MiB(64) /* over characters, for all mappings of one text */

/* A number of base 64 digits, the lowest first, its sign in the lowest bit. */
static bool
take_number(struct str *s, int64_t *ret_number)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t value = 0;

	for (unsigned shift = 0; s->n && shift < 35; shift += 5) {
		const char *at = memchr(digits, s->p[0], sizeof(digits) - 1);
		uint32_t digit = at ? (uint32_t)(at - digits) : 0;

		if (!at)
			return false;
		*s = str_from(*s, 1);
		value |= (uint64_t)(digit & (VLQ_MORE - 1)) << shift;
		if (digit & VLQ_MORE)
			continue;
		*ret_number = value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
		return true;
	}
	return false;
}

/* A text, its line starts, and the last place that was asked for. */
struct lines {
	struct walk walk;
	struct buf starts; /* uint32_t each */
	int64_t line;
	size_t steps; /* left */
};

static void
lines_init(struct lines *l, struct str text)
{
	uint32_t start = 0;

	*l = (struct lines){ .walk.text = text,
		.starts = buf_max(UINT32_MAX),
		.steps = STEPS_MAX };
	buf_add(&l->starts, (struct str){ (const char *)&start, sizeof(start) });
	for (size_t at = 0; at < text.n;) {
		size_t n = line_break(text, at);

		at += MAX(n, 1);
		start = (uint32_t)at;
		if (n)
			buf_add(&l->starts,
			    (struct str){ (const char *)&start, sizeof(start) });
	}
}

/* The byte of a line and a column, from 0, in UTF-16 units; false where the text has no such place. */
static bool
lines_find(struct lines *l, int64_t line, int64_t column, uint32_t *ret_at)
{
	size_t before;
	bool found;

	if (line < 0 || column < 0 || column > UINT32_MAX ||
	    (uint64_t)line >= l->starts.n / sizeof(uint32_t))
		return false;
	if (line != l->line || column < l->walk.units) {
		uint32_t start;

		memcpy(&start, l->starts.p + (size_t)line * sizeof(start), sizeof(start));
		l->walk.at = start;
		l->walk.units = 0;
		l->line = line;
	}
	before = l->walk.at;
	found = walk_to(&l->walk, (uint32_t)column);
	l->steps -= MIN(l->steps, l->walk.at - before);
	*ret_at = (uint32_t)l->walk.at;
	return found && l->steps;
}

void
places_decode(struct str mappings, struct str code, struct str source, struct buf *ret_pairs)
{
	struct lines in_code, in_source;
	int64_t line = -1, column = 0, file = 0, from_line = 0, from_column = 0;
	uint32_t last = 0;

	lines_init(&in_code, code);
	lines_init(&in_source, source);
	while (mappings.n && in_code.steps && in_source.steps) {
		struct place_pair pair;
		int64_t by[5] = { 0 };
		size_t n = 0;

		if (mappings.p[0] == ';' || mappings.p[0] == ',') {
			line += mappings.p[0] == ';';
			column = mappings.p[0] == ';' ? 0 : column;
			mappings = str_from(mappings, 1);
			continue;
		}
		while (n < COUNT(by) && mappings.n && mappings.p[0] != ';' &&
		       mappings.p[0] != ',') {
			if (!take_number(&mappings, &by[n++]))
				goto out;
		}
		column += by[0];
		file += by[1];
		from_line += by[2];
		from_column += by[3];
		if (n >= 4 && lines_find(&in_code, line, column, &pair.code) &&
		    lines_find(&in_source, from_line - 1, from_column, &pair.source) &&
		    pair.code >= last) {
			last = pair.code;
			buf_add(ret_pairs, (struct str){ (const char *)&pair, sizeof(pair) });
		}
	}
out:
	buf_done(&in_code.starts);
	buf_done(&in_source.starts);
}
