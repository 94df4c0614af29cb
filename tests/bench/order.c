/* SPDX-License-Identifier: MIT */
#include "order.h"

#include "base/fd.h"

#include <fcntl.h>
#include <stdio.h>

#define LINE_MAX_BYTES KiB(8)
#define SCRIPT_MAX     MiB(4)

/* One line of standard input, without stdio's buffer ahead of it: false at the end. */
static bool
read_line(struct buf *ret_line)
{
	int c = getchar();

	if (c == EOF)
		return false;
	while (c != EOF && c != '\n') {
		buf_addc(ret_line, (char)c);
		c = getchar();
	}
	return true;
}

int
order_read(struct order *ret_order, struct err *e)
{
	struct order *o = ret_order;
	struct str rest;
	int r;

	*o = (struct order){ .line = buf_max(LINE_MAX_BYTES), .source = buf_max(SCRIPT_MAX) };
	if (!read_line(&o->line))
		return 0;
	rest = buf_str(&o->line);
	o->verb = str_split(&rest, ' ');
	if (!str_u64(str_split(&rest, ' '), UINT32_MAX, &o->count) ||
	    !str_u64(str_split(&rest, ' '), UINT32_MAX, &o->timeout_ms) ||
	    !str_u64(str_split(&rest, ' '), UINT32_MAX, &o->memory_bytes) || !rest.n)
		return err_set(e, ERR_INVALID, "not an order: %s", buf_text(&o->line));
	r = fd_slurp_at(AT_FDCWD, rest.p, &o->source, e); /* the line's end ends the path */
	return r < 0 ? r : 1;
}

void
order_done(struct order *o)
{
	buf_done(&o->line);
	buf_done(&o->source);
}

void
order_answer(const char *json)
{
	puts(json ? json : ".");
	if (!json)
		fflush(stdout);
}
