/* SPDX-License-Identifier: MIT */
/*
 * A stack of its own with a guard below it, and the switch between two of them.
 *
 * The switch saves what the C calling convention says a callee keeps, nothing else: no signal
 * mask, no system call. A fiber's function must not return; it switches away for the last time.
 *
 *	struct fiber loop = { 0 };
 *	fiber_init(&f, MiB(3), body, argument, &e);
 *	fiber_switch(&loop, &f);	runs body until it switches back to &loop
 */
#ifndef JS_FIBER_H
#define JS_FIBER_H

#include "base/err.h"

/* Below every stack: touching it means the stack is full. */
#define FIBER_GUARD KiB(128)

typedef void fiber_fn(void *argument);

struct fiber {
	void *sp;  /* first: fiber.S knows it */
	char *map; /* the mapping, guard first; NULL for the thread's own stack */
	size_t map_size;
	fiber_fn *fn;
	void *argument;

	/* private to fiber_shadow_asan.c */
	void *shadow;
	const void *stack;
	size_t stack_size;
};

/*
 * Maps a stack of at least `size` bytes that will run fn(argument) at its first switch. From then
 * on f stays where it is in memory.
 */
int fiber_init(struct fiber *f, size_t size, fiber_fn *fn, void *argument,
    struct err *e) must_use;
void fiber_done(struct fiber *f);
/* Gives back what lies below the frames of a fiber that is switched away. */
void fiber_trim(struct fiber *f);
/* Whether the address lies in the guard. */
bool fiber_in_guard(const struct fiber *f, const void *address);
/* Stops here, goes on where `to` last stopped. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
