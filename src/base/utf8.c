/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

/* The length that a first byte announces; 0 for one that starts nothing. */
static size_t
length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t
utf8_next(struct str s, uint32_t *ret_point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = s.n ? (unsigned char)s.p[0] : 0xff;
	size_t n = length_of(first);
	uint32_t point = n == 1 ? first : first & (0xffu >> (n + 1));

	if (n == 0 || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (c & 0x3f);
	}
	if (point < least[n] || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff)
		return 0;
	if (ret_point)
		*ret_point = point;
	return n;
}

/* Bytes of plain ASCII at the start, eight at a time. */
static size_t
ascii_run(struct str s)
{
	size_t i = 0;
	uint64_t word;

	for (; i + sizeof(word) <= s.n; i += sizeof(word)) {
		memcpy(&word, s.p + i, sizeof(word));
		if (word & 0x8080808080808080ull)
			break;
	}
	while (i < s.n && (unsigned char)s.p[i] < 0x80)
		i++;
	return i;
}

bool
utf8_valid(struct str s)
{
	for (;;) {
		size_t n;

		s = str_from(s, ascii_run(s));
		if (s.n == 0)
			return true;
		n = utf8_next(s, NULL);
		if (n == 0)
			return false;
		s = str_from(s, n);
	}
}

size_t
utf8_count(struct str s)
{
	size_t count = 0;

	for (size_t i = 0; i < s.n; i++)
		count += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return count;
}

struct str
utf8_head(struct str s, size_t points)
{
	size_t i = 0;

	for (; i < s.n; i++) {
		if (((unsigned char)s.p[i] & 0xc0) != 0x80 && points-- == 0)
			break;
	}
	return (struct str){ s.p, i };
}

void
utf8_scrub(struct str s, struct buf *ret_clean)
{
	while (s.n && buf_ok(ret_clean)) {
		size_t run = MIN(ascii_run(s), MAX(ret_clean->max - ret_clean->n, 1));
		size_t n = run ? run : utf8_next(s, NULL);

		buf_add(ret_clean, n ? (struct str){ s.p, n } : STR("\xef\xbf\xbd"));
		s = str_from(s, n ? n : 1);
	}
}

/* Characters that could hide or reorder text, or drive a terminal. */
static bool
must_escape(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00, 0x08 },
		{ 0x0b, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x34f, 0x34f },
		{ 0x61c, 0x61c },
		{ 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0x3164, 0x3164 },
		{ 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 },
		{ 0xfff9, 0xfffb },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < COUNT(ranges); i++) {
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	}
	return false;
}

void
utf8_show(struct str s, struct buf *ret_shown)
{
	while (s.n) {
		uint32_t point = 0;
		size_t n = utf8_next(s, &point);

		if (n == 0)
			buf_addf(ret_shown, "\\x%02x", (unsigned char)s.p[0]);
		else if (!must_escape(point))
			buf_add(ret_shown, (struct str){ s.p, n });
		else
			buf_addf(ret_shown, point < 0x100 ? "\\x%02x" : "\\u{%x}", point);
		s = str_from(s, n ? n : 1);
	}
}

void
utf8_show_message(struct str s, struct buf *ret_shown)
{
	while (s.n && s.p[s.n - 1] == '\n')
		s.n--;
	while (s.n) {
		utf8_show(str_split(&s, '\n'), ret_shown);
		if (s.n)
			buf_add(ret_shown, STR("\n    "));
	}
}

void
utf8_show_json(struct str s, struct buf *ret_json)
{
	while (s.n) {
		uint32_t point = 0;
		size_t n = utf8_next(s, &point);

		if (point < 0x7f || !must_escape(point))
			buf_add(ret_json, (struct str){ s.p, n ? n : 1 });
		else if (point < 0x10000)
			buf_addf(ret_json, "\\u%04x", point);
		else
			buf_addf(ret_json, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
			    0xdc00 + ((point - 0x10000) & 0x3ff));
		s = str_from(s, n ? n : 1);
	}
}
