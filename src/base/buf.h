/* SPDX-License-Identifier: MIT */
/*
 * An owned, growing byte buffer with a maximum given at creation.
 *
 * Always NUL-terminated after the first byte was added, so text can be handed to libc.
 * Overflow is sticky: build freely, ask buf_ok once. After an overflow the content is what
 * fitted whole.
 *
 *	auto_done(buf) struct buf out = buf_max(KiB(4));
 *	buf_add(&out, STR("name="));
 *	buf_addf(&out, "%d", n);
 *	if (!buf_ok(&out))
 *		return err_set(e, ERR_LIMIT, "name too long");
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
	char *p;
	size_t n;
	size_t room; /* bytes allocated */
	size_t max;  /* n never exceeds this */
	bool full;   /* something did not fit */
};

static inline struct buf
buf_max(size_t max)
{
	return (struct buf){ .max = max };
}

static inline bool
buf_ok(const struct buf *b)
{
	return !b->full;
}

static inline struct str
buf_str(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}

/* The content as a C string; "" while empty. Valid until the next change. */
const char *buf_text(const struct buf *b);

void buf_add(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *format, ...) like_printf(2, 3);
/* `n` bytes to be filled by the caller; NULL when they do not fit (the buffer is then full). */
void *buf_space(struct buf *b, size_t n);
/* Drops the first n bytes. */
void buf_drop(struct buf *b, size_t n);
/* Empties it and keeps the memory. */
void buf_reset(struct buf *b);
/* Releases the memory; the buffer is empty and usable again. */
void buf_done(struct buf *b);

#endif
