/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark's programs are told on standard input, and how they answer. The peers
 * (peers/) speak the same.
 *
 *	VERB COUNT TIMEOUT_MS MEMORY_BYTES FILE		FILE holds a script
 *
 * The answer is one JSON object a line, then a line with a full stop; so is what a program says
 * when it is ready for its first order. Between orders it holds what it started.
 */
#ifndef BENCH_ORDER_H
#define BENCH_ORDER_H

#include "base/buf.h"
#include "base/err.h"

struct order {
	struct buf line;
	struct str verb;
	uint64_t count, timeout_ms, memory_bytes;
	struct buf source;
};

/* 1 for an order, 0 at the end of the input. The strings stand until order_done. */
int order_read(struct order *ret_order, struct err *e) must_use;
void order_done(struct order *o);
/* One line of an answer; NULL is the end of the answer. */
void order_answer(const char *json);

#endif
