/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#define FIRST_ROOM 64

const char *
buf_text(const struct buf *b)
{
	return b->n ? b->p : "";
}

/* Room for n more bytes and the NUL. */
static bool
reserve(struct buf *b, size_t n)
{
	size_t room;

	if (b->full || n > b->max || b->n > b->max - n) {
		b->full = true;
		return false;
	}
	if (b->n + n < b->room)
		return true;
	room = b->room ? b->room : FIRST_ROOM;
	while (room <= b->n + n)
		room *= 2;
	b->p = xrealloc(b->p, room);
	b->room = room;
	return true;
}

void *
buf_space(struct buf *b, size_t n)
{
	char *space;

	if (!reserve(b, n))
		return NULL;
	space = b->p + b->n;
	b->n += n;
	b->p[b->n] = '\0';
	return space;
}

void
buf_add(struct buf *b, struct str s)
{
	void *space = buf_space(b, s.n);

	if (space && s.n)
		memcpy(space, s.p, s.n);
}

void
buf_addc(struct buf *b, char c)
{
	buf_add(b, (struct str){ &c, 1 });
}

void
buf_addf(struct buf *b, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0 || !reserve(b, (size_t)n))
		return;
	va_start(ap, format);
	vsnprintf(b->p + b->n, (size_t)n + 1, format, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void
buf_drop(struct buf *b, size_t n)
{
	assert(n <= b->n);
	if (n == 0)
		return;
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
	b->p[b->n] = '\0';
}

void
buf_reset(struct buf *b)
{
	b->n = 0;
	b->full = false;
	if (b->p)
		b->p[0] = '\0';
}

void
buf_done(struct buf *b)
{
	free(b->p);
	*b = buf_max(b->max);
}
