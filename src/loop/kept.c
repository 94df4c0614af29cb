/* SPDX-License-Identifier: MIT */
#include "loop/kept.h"

#include "base/utf8.h"

void
kept_add(struct kept *k, struct str piece)
{
	size_t first = MIN(piece.n, KEPT_HALF - k->head_n);

	k->bytes += piece.n;
	if (first)
		memcpy(k->head + k->head_n, piece.p, first);
	k->head_n += first;
	piece = str_from(piece, first);
	if (piece.n > KEPT_HALF)
		piece = str_from(piece, piece.n - KEPT_HALF);
	while (piece.n) {
		size_t step = MIN(piece.n, KEPT_HALF - k->tail_at);

		memcpy(k->tail + k->tail_at, piece.p, step);
		k->tail_at = (k->tail_at + step) % KEPT_HALF;
		k->tail_n = MIN(k->tail_n + step, (size_t)KEPT_HALF);
		piece = str_from(piece, step);
	}
}

/* Head and tail one behind the other: the whole stream when it is no longer than both. */
static void
join(const struct kept *k, struct buf *out)
{
	size_t from = k->tail_n == KEPT_HALF ? k->tail_at : 0;

	buf_add(out, (struct str){ k->head, k->head_n });
	buf_add(out, (struct str){ k->tail + from, k->tail_n - from });
	buf_add(out, (struct str){ k->tail, from });
}

static bool
continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Without the beginning of a character that a cut has gone through. */
static struct str
whole_start(struct str s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = (unsigned char)s.p[s.n - back];
		size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if (!continues((char)c)) {
			s.n -= length > back ? back : 0;
			break;
		}
	}
	return s;
}

static struct str
whole_end(struct str s)
{
	for (int i = 0; i < 3 && s.n && continues(s.p[0]); i++)
		s = str_from(s, 1);
	return s;
}

void
kept_write(const struct kept *k, size_t budget, struct buf *ret_text)
{
	auto_done(buf) struct buf all = buf_max(KEPT_MAX);
	size_t half = budget / 2;
	struct str left, right;

	join(k, &all);
	if (k->bytes <= budget) {
		utf8_scrub(buf_str(&all), ret_text);
		return;
	}
	left = whole_start((struct str){ all.p, MIN(half, all.n) });
	right = whole_end(str_from(buf_str(&all), all.n - MIN(half, all.n)));
	utf8_scrub(left, ret_text);
	buf_addf(ret_text, "\n[%llu bytes left out]\n",
	    (unsigned long long)(k->bytes - left.n - right.n));
	utf8_scrub(right, ret_text);
}
