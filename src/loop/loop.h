/* SPDX-License-Identifier: MIT */
/*
 * One epoll loop a process: descriptors, timers and signals, one handler at a time.
 *
 * A source or timer is embedded in its owner, who gets back to itself with container_of. Adding
 * allocates nothing per wait. A handler never blocks and never runs another handler; it may
 * remove and free any source or timer, also one that is due in the same turn.
 *
 *	struct client {
 *		struct source source;
 *	};
 *	static void
 *	on_ready(struct source *s, uint32_t events)
 *	{
 *		struct client *c = container_of(s, struct client, source);
 *	}
 *
 * A child's end is its pidfd becoming readable, so it is an ordinary source.
 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "base/err.h"

#include <signal.h>
#include <sys/epoll.h>

#define LOOP_BATCH 32

struct loop;
struct source;
struct timer;

typedef void source_fn(struct source *s, uint32_t events);
typedef void timer_fn(struct timer *t);

struct source {
	source_fn *on_ready;
	struct loop *loop; /* NULL while not added */
	int fd;            /* not owned */
};

struct timer {
	timer_fn *on_due;
	struct loop *loop; /* NULL while not set */
	struct timer *next;
	uint64_t due; /* clock_now() time */
};

struct loop {
	int epoll;
	bool stopping;
	struct timer *timers; /* in order of due */
	uint64_t timers_at;   /* whose timers run now; 0 while none do */
	struct epoll_event batch[LOOP_BATCH];
	int batch_n;
	int short_waits; /* in a row; below 0 until those that must sleep have slept */
};

int loop_init(struct loop *l, struct err *e) must_use;
void loop_done(struct loop *l);

/* Waits for `events` (EPOLLIN, EPOLLOUT) on fd; s->on_ready must be set. */
int loop_add(struct loop *l, struct source *s, int fd, uint32_t events, struct err *e) must_use;
int loop_change(struct source *s, uint32_t events, struct err *e) must_use;
/* Does nothing when not added. */
void loop_remove(struct source *s);

/* Sets or moves the timer; it fires once, not before `due`; set by a timer, in a later turn. */
void loop_timer(struct loop *l, struct timer *t, uint64_t due);
void loop_timer_cancel(struct timer *t);

/* Blocks the signals and returns a non-blocking signalfd for them that the caller owns. */
int loop_signals(const int *signals, size_t n, int *ret_fd, struct err *e) must_use;

/* One turn: waits at most until `until` (0 polls, UINT64_MAX is for ever), runs what is due. */
int loop_turn(struct loop *l, uint64_t until, struct err *e) must_use;
/* Turns until loop_stop. */
int loop_run(struct loop *l, struct err *e) must_use;
void loop_stop(struct loop *l);

#endif
