/* SPDX-License-Identifier: MIT */
/*
 * Coming back from guest code that cannot come back by itself.
 *
 * The only place with longjmp and with work in a signal handler. Safe because compiled guest
 * code holds no lock and owns no host memory: leaving it in the middle loses nothing but its
 * VM, which is thrown away. Host code that runs for the guest does own things, so it is never
 * left: a stop that arrives there is noted, and taken when the guest would go on.
 *
 *	switch (trap_run(&point, body, argument)) { case TRAP_NONE: ... }
 *
 * body begins as host code and wraps each call into the guest in trap_guest and trap_host.
 *
 * Sources: a touch of the guard around the linear memory or below the stack (SIGSEGV, SIGBUS),
 * a trap instruction of the guest (wasm_rt_trap), the hard-stop timers, and the broker's signal
 * that names a run. A fault that is none of these is a bug of ours: the process dies.
 */
#ifndef JS_TRAP_H
#define JS_TRAP_H

#include "base/err.h"

#include <setjmp.h>
#include <signal.h>

enum trap {
	TRAP_NONE,
	TRAP_MEMORY, /* an access outside the linear memory */
	TRAP_STACK,  /* the native stack is full */
	TRAP_CODE,   /* unreachable, a bad indirect call, a division */
	TRAP_STOP,   /* the hard stop */
};

struct trap_point {
	sigjmp_buf jump;
	uint64_t run;       /* the broker's number for what runs here */
	const char *memory; /* the linear memory's reservation */
	size_t memory_size;
	const char *guard; /* the stack's guard */
	size_t guard_size;
	volatile sig_atomic_t in_guest; /* a jump is allowed now */
	volatile sig_atomic_t stop;     /* one was asked for meanwhile */
};

typedef void trap_fn(void *argument);

/* The signal with which the broker says "leave run N now"; N is its value. */
int trap_stop_signal(void);
/* Handlers, their stack and the hard-stop timers: once, before the process closes itself. */
int trap_setup(struct err *e) must_use;
/* Runs fn on the present stack; what ended it. */
enum trap trap_run(struct trap_point *p, trap_fn *fn, void *argument) must_use;
/*
 * Within trap_run, for guest code in another linear memory: runs fn and comes back, whatever ended it.
 * After TRAP_STOP the caller tidies up and then calls trap_guest, which takes the stop.
 */
enum trap trap_try(struct trap_point *p, const char *memory, size_t memory_size, trap_fn *fn,
    void *argument) must_use;
/* Says which point the processor is in; NULL while the loop runs. */
void trap_enter(struct trap_point *p);
/* What follows is guest code; jumps when a stop was noted. */
void trap_guest(struct trap_point *p);
/* What follows is host code. */
void trap_host(struct trap_point *p);
/* Leaves the guest for good. */
no_return void trap_now(enum trap why);
/* Arms the hard stop for a moment on clock_now()'s clock and for one on clock_cpu()'s; 0: none. */
void trap_timers(uint64_t when, uint64_t cpu);

#endif
