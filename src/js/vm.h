/* SPDX-License-Identifier: MIT */
/*
 * One isolated VM: a copy-on-write clone of the heap image, a stack, one script, one result.
 *
 * The owner gives it slices of the processor. In a slice it runs until it is done, has to wait,
 * or has had its 2 ms. It ends itself at its limits: at the deadline the engine's interrupt
 * import says stop; 10 ms later the hard-stop timer takes the processor away from code that
 * never asks. The result lies in the VM until vm_done, which gives everything back.
 *
 *	r = vm_init(&owner->vm, &engine, &job, &events, &e);
 *	while (owner->vm.state != VM_DONE)
 *		vm_slice(&owner->vm);
 *	vm_done(&owner->vm);
 *
 * Strings from the guest are bytes to be distrusted: any length up to the limits, any content.
 */
#ifndef JS_VM_H
#define JS_VM_H

#include "base/buf.h"
#include "base/clock.h"
#include "ipc/language.h"
#include "ipc/limits.h"
#include "ipc/outcome.h"
#include "js/engine.h"
#include "js/fiber.h"
#include "js/rest.h"
#include "js/trap.h"

#define VM_SLICE_NS     (2 * NS_PER_MS)
#define VM_REST_NS      (100 * NS_PER_MS) /* of waiting, before vm_rest is worth it */
#define VM_HARD_STOP_NS (10 * NS_PER_MS)  /* behind the deadline */
#define VM_PAGES_MAX    (uint32_t)(MiB(192) / WASM_PAGE)
#define VM_STACK_FACTOR 12 /* native stack per byte of the script's; measured at most 9.4 */

enum vm_state {
	VM_READY,   /* wants the processor */
	VM_WAITING, /* for vm->wake or an answer to a call */
	VM_DONE,
};

/* The compiler of TypeScript in a VM: what it may use, whatever the script may. */
#define STRIP_CPU_NS       (5 * NS_PER_S)
#define STRIP_MEMORY_BYTES MiB(128)
#define STRIP_STACK_BYTES  KiB(512)
#define STRIP_CODE_MAX     MiB(8) /* what comes of a source */

struct vm_job {
	uint64_t run;
	struct str source; /* UTF-8 */
	enum language language;
	bool careful;     /* of a strip: not the quick way, which had its turn */
	bool strip;       /* no script runs: the compiler's image, and its code is the value */
	struct str args;  /* JSON; empty means {} */
	struct str state; /* JSON of the session's state */
	bool has_state;   /* there is one */
	uint64_t timeout_ns, cpu_ns; /* 0: none */
	uint32_t memory_bytes, stack_bytes;
};

/* What the script does besides computing. Called in a slice; must not touch the VM. */
struct vm_events {
	void (*on_text)(struct vm *vm, struct str text);
	/* Nested call `number`; its answer comes by vm_answer. */
	void (*on_call)(struct vm *vm, uint64_t number, struct str name, struct str input);
	void (*on_progress)(struct vm *vm, struct str json);
	/*
	 * The source is, or may be, TypeScript: the VM waits for vm_stripped. NULL: there is no
	 * compiler, all is JavaScript.
	 */
	void (*on_strip)(struct vm *vm);
};

/* An answer that the script has not got yet. */
struct vm_answer {
	struct vm_answer *next;
	uint64_t number;
	bool ok;
	struct buf text; /* JSON: the result, or the error */
};

struct vm {
	struct engine *engine;
	enum vm_state state;
	enum vm_outcome outcome; /* once done */

	/* result */
	struct buf value; /* JSON; has_value false means undefined */
	struct buf error; /* JSON as entry.describe makes it; empty when the guest could not */
	struct buf notes; /* JSON array of strings, or empty */
	struct buf state_out; /* the session's state as the script left it */
	struct buf places;    /* of the compiler: pairs of offsets, or mappings, see places.h */
	bool has_value;
	bool has_state_out;   /* it read or wrote the state */
	uint64_t value_chars; /* code points of the whole value, also where it was cut */
	uint64_t cpu_ns;
	uint64_t heap_peak; /* bytes of the script's own, the most seen at the end of a slice */

	/* asked for by the script, for the owner's timer */
	uint64_t wake; /* clock_now() time; UINT64_MAX: not */

	/* private to vm.c, guest.c and import.c */
	struct trap_point trap;
	struct fiber loop, fiber;
	wasm_rt_memory_t memory;
	struct rest rest;
	uint32_t stack_pointer;
	struct buf source, args, state_in;
	struct buf code;        /* what runs, once the compiler made it of the source */
	struct buf js_error;    /* why it is no JavaScript, as JSON */
	struct buf strip_error; /* or why it did not, as JSON */
	enum language language;
	bool strip;   /* it is the compiler */
	bool careful; /* it goes the careful way; of a script: it asks for that */
	bool erased;  /* the compiler went the quick way; of a script: its code came that way */
	bool wrapped; /* what runs stands in a function, a line below its head */
	enum { STRIP_NONE, STRIP_ASKED, STRIP_DONE, STRIP_FAILED } stripped;
	const struct image_head *image;
	bool has_state_in;
	struct vm_answer *answers, **answers_end;
	uint64_t calls_open; /* asked and not answered */
	struct buf call_name, call_input;
	struct buf
	    body; /* the source as a function's body; here, as no stack frame may own it */
	const struct vm_events *events;
	uint64_t started, deadline, cpu_limit;
	uint64_t slice_started, slice_cpu;
	uint32_t memory_bytes, stack_bytes;
	bool stopping;      /* outcome says why */
	bool settled;       /* the script's result is in */
	uint32_t heap_base; /* the image's bytes in use */
	bool full;          /* the memory limit refused growth */
	bool tick;          /* the wake is due */
};

/*
 * Copies the job. On failure the VM needs no vm_done; ERR_LIMIT where there is no room for
 * another.
 */
int vm_init(struct vm *vm, struct engine *g, const struct vm_job *job,
    const struct vm_events *events, struct err *e) must_use;
void vm_done(struct vm *vm);

/* Up to VM_SLICE_NS of guest code. */
void vm_slice(struct vm *vm);
/* The wake is due: the VM wants the processor again. */
void vm_tick(struct vm *vm);
/* It waits and may wait on for long: its memory is given back until its next slice. */
void vm_rest(struct vm *vm);
/* The answer to a call; text is copied. */
void vm_answer(struct vm *vm, uint64_t number, bool ok, struct str text);
/*
 * Ends it as `why`: at once when it has not the processor, which it never has when this is
 * called.
 */
void vm_stop(struct vm *vm, enum vm_outcome why);

/* What came of the compiler's VM, which is done; its processor time counts. */
void vm_stripped(struct vm *vm, struct vm *compiler);
/* There is no compiler for this source: why not, a text that needs no quoting. */
void vm_not_stripped(struct vm *vm, const char *why);

/* ---- for the engine's imports ---- */

/* What is running: the source, or what the compiler made of it. */
struct str vm_code(const struct vm *vm);

/* Gives the processor back until vm_tick or vm_answer. */
void vm_wait(struct vm *vm);
/* The first answer has been given to the script. */
void vm_answer_drop(struct vm *vm);
void vm_note_full(struct vm *vm);
/* The engine's bytes in use now. */
void vm_note_heap(struct vm *vm, uint32_t bytes);
/* The interrupt import: whether the guest must stop. Gives the processor back after a slice. */
bool vm_interrupt(struct vm *vm);

#endif
