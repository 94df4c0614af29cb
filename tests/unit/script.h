/* SPDX-License-Identifier: MIT */
/*
 * Runs scripts in VMs the way crisol-js does, without a channel: slices, wakes and deadlines.
 *
 *	struct script s = { .source = STR("return 1"), .timeout_ms = 1000 };
 *	script_run(&s);
 *	is_int(s.outcome, VM_OK, "it ends");
 *	script_done(&s);
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include "js/vm.h"

#include <time.h>

#define SCRIPT_MEMORY MiB(32)
#define SCRIPT_STACK  KiB(256)

struct script {
	struct str source, args;
	uint64_t timeout_ms, cpu_ms; /* 0: none */
	uint32_t memory, stack;      /* 0: as usual */
	uint64_t number;
	/* NULL: collected in text; calls are not answered, progress is dropped */
	void (*on_text)(struct vm *vm, struct str text);
	struct vm_events events;
	bool rests; /* gives its memory back whenever it waits */

	struct vm vm;
	bool started; /* else there was no room */
	enum vm_outcome outcome;
	struct buf text;
	unsigned slices;
};

/* One engine a process. */
static struct engine script_engine;

static inline bool
script_setup(struct err *e)
{
	return trap_setup(e) >= 0 && engine_open(&script_engine, e) >= 0;
}

static inline void
script_keep_text(struct vm *vm, struct str text)
{
	buf_add(&container_of(vm, struct script, vm)->text, text);
}

static inline void
script_drop_call(struct vm *vm, uint64_t number, struct str name, struct str input)
{
	(void)vm;
	(void)number;
	(void)name;
	(void)input;
}

static inline void
script_drop_progress(struct vm *vm, struct str json)
{
	(void)vm;
	(void)json;
}

static inline int
script_start(struct script *s, struct err *e)
{
	struct vm_job job = {
		.run = s->number,
		.source = s->source,
		.args = s->args,
		.timeout_ns = s->timeout_ms * NS_PER_MS,
		.cpu_ns = s->cpu_ms * NS_PER_MS,
		.memory_bytes = s->memory ? s->memory : SCRIPT_MEMORY,
		.stack_bytes = s->stack ? s->stack : SCRIPT_STACK,
	};
	int r;

	s->events = (struct vm_events){
		.on_text = s->on_text ? s->on_text : script_keep_text,
		.on_call = script_drop_call,
		.on_progress = script_drop_progress,
	};
	r = vm_init(&s->vm, &script_engine, &job, &s->events, e);
	s->text = buf_max(MiB(4));
	s->slices = 0;
	s->started = r >= 0;
	return r;
}

static inline void
script_sleep(uint64_t until)
{
	struct timespec at = { (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* A slice, or the wait for a timer. */
static inline void
script_step(struct script *s)
{
	if (s->vm.state == VM_READY) {
		vm_slice(&s->vm);
		s->slices++;
	} else if (s->vm.state == VM_WAITING) {
		if (s->rests)
			vm_rest(&s->vm);
		script_sleep(MIN(s->vm.wake, s->vm.deadline));
		if (clock_now() >= s->vm.deadline)
			vm_stop(&s->vm, VM_TIMEOUT);
		else
			vm_tick(&s->vm);
	}
	s->outcome = s->vm.outcome;
}

/* To its end; the results stay in s->vm until script_done. */
static inline void
script_run(struct script *s)
{
	struct err e;

	if (script_start(s, &e) < 0) {
		s->outcome = VM_NO_ROOM;
		return;
	}
	while (s->vm.state != VM_DONE)
		script_step(s);
}

static inline void
script_done(struct script *s)
{
	if (s->started)
		vm_done(&s->vm);
	buf_done(&s->text);
	s->started = false;
}

#endif
