/* SPDX-License-Identifier: MIT */
#include "loop/kept.h"

#include "base/utf8.h"
#include "tap.h"

static struct kept kept;

/* The stream "0123456789..." of n bytes, in pieces of that size. */
static void
fill(size_t n, size_t piece)
{
	memset(&kept, 0, sizeof(kept));
	for (size_t at = 0; at < n;) {
		char text[4096];
		size_t step = MIN(MIN(piece, n - at), sizeof(text));

		for (size_t i = 0; i < step; i++)
			text[i] = (char)('0' + (at + i) % 10);
		kept_add(&kept, (struct str){ text, step });
		at += step;
	}
}

/* Whether both ends are there, each of its digits in its place, and the number between them is right. */
static bool
has_ends(struct str text, size_t n, size_t half)
{
	auto_done(buf) struct buf note = buf_max(64);
	bool right = true;

	buf_addf(&note, "\n[%zu bytes left out]\n", n - 2 * half);
	if (text.n != 2 * half + note.n || memcmp(text.p + half, note.p, note.n) != 0)
		return false;
	for (size_t i = 0; i < half; i++)
		right = right && text.p[i] == (char)('0' + i % 10) &&
			text.p[text.n - half + i] == (char)('0' + (n - half + i) % 10);
	return right;
}

static void
ends(void)
{
	static const size_t sizes[] = { 0, 1, 9, KEPT_HALF - 1, KEPT_HALF, KEPT_HALF + 1,
		KEPT_MAX - 1, KEPT_MAX, KEPT_MAX + 1, 3 * KEPT_MAX + 7, 1000003 };
	static const size_t pieces[] = { 1, 7, 4096 };
	static const size_t budgets[] = { 2, 100, KEPT_HALF, KEPT_MAX - 2, KEPT_MAX };

	for (size_t s = 0; s < COUNT(sizes); s++) {
		for (size_t b = 0; b < COUNT(budgets); b++) {
			bool right = true;

			for (size_t p = 0; p < COUNT(pieces); p++) {
				auto_done(buf) struct buf text = buf_max(MiB(1));

				fill(sizes[s], pieces[p]);
				kept_write(&kept, budgets[b], &text);
				right =
				    right && kept.bytes == sizes[s] &&
				    (sizes[s] <= budgets[b] ? text.n == sizes[s]
							    : has_ends(buf_str(&text), sizes[s],
								  budgets[b] / 2));
			}
			ok(right, "%zu bytes within %zu", sizes[s], budgets[b]);
		}
	}
}

/* Wherever the cut falls, it goes through no character. */
static void
characters(void)
{
	static const struct str wide[] = { STR("\xc3\xa9"), STR("\xe2\x82\xac"),
		STR("\xf0\x9f\x98\x80") };

	for (size_t w = 0; w < COUNT(wide); w++) {
		for (size_t shift = 0; shift < 4; shift++) {
			auto_done(buf) struct buf text = buf_max(MiB(1));

			memset(&kept, 0, sizeof(kept));
			kept_add(&kept, (struct str){ "xxx", shift });
			for (int i = 0; i < 20000; i++)
				kept_add(&kept, wide[w]);
			kept_write(&kept, KEPT_MAX, &text);
			ok(utf8_valid(buf_str(&text)) &&
				!memmem(text.p, text.n, "\xef\xbf\xbd", 3),
			    "characters of %zu bytes behind %zu others", wide[w].n, shift);
		}
	}
}

int
main(void)
{
	ends();
	characters();
	return tap_done();
}
