/* SPDX-License-Identifier: MIT */
/*
 * A stream that goes on: its bytes are counted, and of them the first and the last part are kept.
 *
 *	static struct kept out;
 *	kept_add(&out, piece);
 *	kept_write(&out, KEPT_MAX, &text);	whole, or both ends with what is missing between them
 */
#ifndef LOOP_KEPT_H
#define LOOP_KEPT_H

#include "base/buf.h"

#define KEPT_MAX  32000 /* bytes that can be given back */
#define KEPT_HALF (KEPT_MAX / 2)

struct kept {
	uint64_t bytes; /* all that came */
	size_t head_n, tail_n, tail_at;
	char head[KEPT_HALF];
	char tail[KEPT_HALF]; /* a ring: the oldest byte is at tail_at once it is full */
};

void kept_add(struct kept *k, struct str piece);
/* Appends at most `budget` bytes of it, cut between characters; each ill-formed byte is U+FFFD then. */
void kept_write(const struct kept *k, size_t budget, struct buf *ret_text);

#endif
