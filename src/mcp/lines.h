/* SPDX-License-Identifier: MIT */
/*
 * Lines in and lines out over two descriptors of any kind: pipes, sockets, terminals, files.
 *
 * In: a line ends at a line feed, a carriage return before it is taken off; empty lines and a byte
 * order mark at the very beginning are passed over; what stands after the last line feed counts
 * as a line. A line over its maximum is told of once and skipped to its end. Nothing is read while
 * paused, and nothing that was read is lost by it.
 *
 * Out: lines are queued whole and leave in order, without ever blocking on a pipe or a socket. The
 * reading end's closing is told of, also while nothing is written.
 *
 *	lines_in_open(&in, &loop, STDIN_FILENO, MiB(10), &events, &e);
 *	lines_out_open(&out, &loop, STDOUT_FILENO, MiB(64), &events, &e);
 *	lines_put(&out, STR("{}"));
 *
 * Neither owns its descriptor. Handlers may close them.
 */
#ifndef MCP_LINES_H
#define MCP_LINES_H

#include "base/buf.h"
#include "loop/loop.h"

struct lines_in;
struct lines_out;

struct lines_in_events {
	void (*on_line)(struct lines_in *in, struct str line);
	void (*on_long)(struct lines_in *in);
	/* Nothing more comes; once. */
	void (*on_end)(struct lines_in *in);
};

struct lines_in {
	const struct lines_in_events *events;
	struct loop *loop;
	struct source source;
	struct timer
	    again; /* for what epoll does not take, and for lines held back by a pause */
	int fd;
	size_t line_max;
	struct buf held; /* bytes not yet given on */
	size_t looked;   /* of them, those known to have no line feed */
	bool plain;      /* a file: always ready */
	bool begun, skipping, paused, ended, handling;
};

struct lines_out_events {
	void (*on_broken)(struct lines_out *out);
	/* What had to wait has been taken. Not from inside lines_put. */
	void (*on_drained)(struct lines_out *out);
};

struct lines_out {
	const struct lines_out_events *events;
	struct source source;
	struct buf queue;
	size_t sent; /* of the queue */
	int fd;
	bool plain;   /* epoll does not take it: writes block */
	bool waiting; /* for room */
	bool broken;
};

int lines_in_open(struct lines_in *in, struct loop *loop, int fd, size_t line_max,
    const struct lines_in_events *events, struct err *e) must_use;
void lines_in_close(struct lines_in *in);
void lines_pause(struct lines_in *in);
void lines_resume(struct lines_in *in);

int lines_out_open(struct lines_out *out, struct loop *loop, int fd, size_t queue_max,
    const struct lines_out_events *events, struct err *e) must_use;
void lines_out_close(struct lines_out *out);
/* Queues line and line feed and writes what goes. Over queue_max it is broken. */
void lines_put(struct lines_out *out, struct str line);
/* Bytes that nobody has taken yet. */
size_t lines_pending(const struct lines_out *out);

#endif
