/* SPDX-License-Identifier: MIT */
#include "tui/show.h"

#include "base/utf8.h"

#include <locale.h>
#include <wchar.h>

/* Blank, joining, or written from right to left, whatever their width. */
static bool
misleads(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x80, 0xa0 }, /* controls, the blank that does not break */
		{ 0xad, 0xad }, /* a hyphen that is not there */
		{ 0x34f, 0x34f }, { 0x590, 0x8ff }, /* right to left */
		{ 0x115f, 0x1160 },                 /* fillers */
		{ 0x1680, 0x1680 },                 /* blanks */
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
		{ 0x2000, 0x200f }, /* blanks, zero width, marks of direction */
		{ 0x2028, 0x202f }, { 0x205f, 0x206f },
		{ 0x2800, 0x2800 }, /* braille without a dot */
		{ 0x3000, 0x3000 }, { 0x3164, 0x3164 }, { 0xe000, 0xf8ff }, /* private use */
		{ 0xfb1d, 0xfdff },                                         /* right to left */
		{ 0xfe00, 0xfe0f }, /* variation selectors */
		{ 0xfe70, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffd },
		{ 0x10800, 0x10fff }, /* right to left */
		{ 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 }, { 0x1d173, 0x1d17a },
		{ 0x1e800, 0x1efff }, { 0xe0000, 0x10ffff }, /* tags, selectors, private use */
	};

	for (size_t i = 0; i < COUNT(ranges); i++) {
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	}
	return false;
}

/* By the C library's table of Unicode, whatever locale the person has; without it ASCII alone. */
static bool
shown(uint32_t point, locale_t unicode)
{
	locale_t before;
	int width;

	if (point < 0x80)
		return point >= ' ' && point < 0x7f;
	if (!unicode || misleads(point))
		return false;
	before = uselocale(unicode);
	width = wcwidth((wchar_t)point);
	uselocale(before);
	return width > 0;
}

static void
spell(struct str s, uint32_t point, bool valid, struct buf *out)
{
	buf_addc(out, SHOW_MARK);
	if (!valid)
		buf_addf(out, "\\x%02x", (unsigned char)s.p[0]);
	else if (point == '\t' || point == '\n')
		buf_add(out, point == '\t' ? STR("\\t") : STR("\\n"));
	else
		buf_addf(out, point < 0x100 ? "\\x%02x" : "\\u{%x}", point);
	buf_addc(out, SHOW_END);
}

void
show_line(struct str s, struct buf *ret_shown)
{
	locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	while (s.n && buf_ok(ret_shown)) {
		uint32_t point = 0;
		size_t n = utf8_next(s, &point);

		if (n && shown(point, unicode))
			buf_add(ret_shown, (struct str){ s.p, n });
		else
			spell(s, point, n != 0, ret_shown);
		s = str_from(s, n ? n : 1);
	}
	if (unicode)
		freelocale(unicode);
}
