/* SPDX-License-Identifier: MIT */
#include "js/fiber.h"

#include "js/fiber_shadow.h"

#include <sys/mman.h>

/* In fiber.S: the switch, and the first thing on a new stack, which calls first(fiber). */
void fiber_swap(struct fiber *from, struct fiber *to);
void fiber_entry(void);

/* What fiber_swap pops, lowest address first; see fiber.S. */
#if defined(__x86_64__)
struct first_frame {
	uint64_t control; /* SSE and x87 control words */
	void *r15, *r14;
	void *function; /* r13 */
	void *argument; /* r12 */
	void *rbx, *rbp;
	void (*ret)(void);
	void *end;
};
static const struct first_frame blank = { .control = 0x037f00001f80, .ret = fiber_entry };
#elif defined(__aarch64__)
struct first_frame {
	double d[8];
	void *function; /* x19 */
	void *argument; /* x20 */
	void *x[8];
	void *fp;
	void (*ret)(void); /* x30 */
};
static const struct first_frame blank = { .ret = fiber_entry };
#else
#error "fiber.S has no switch for this machine"
#endif

static void
first(void *argument)
{
	struct fiber *f = argument;

	fiber_shadow_arrive(f);
	f->fn(f->argument);
}

void
fiber_switch(struct fiber *from, struct fiber *to)
{
	fiber_shadow_leave(from, to);
	fiber_swap(from, to);
	fiber_shadow_arrive(from);
}

int
fiber_init(struct fiber *f, size_t size, fiber_fn *fn, void *argument, struct err *e)
{
	struct first_frame *frame;
	size_t map_size = FIBER_GUARD + ((size + KiB(64) - 1) & ~(KiB(64) - 1));
	void *map = mmap(NULL, map_size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (map == MAP_FAILED)
		return err_sys(e, "map a stack of %zu KiB", map_size >> 10);
	*f = (struct fiber){
		.map = map,
		.map_size = map_size,
		.fn = fn,
		.argument = argument,
		.stack = (char *)map + FIBER_GUARD,
		.stack_size = map_size - FIBER_GUARD,
	};
	if (mprotect(f->map + FIBER_GUARD, map_size - FIBER_GUARD, PROT_READ | PROT_WRITE) <
	    0) {
		fiber_done(f);
		return err_sys(e, "open a stack of %zu KiB", map_size >> 10);
	}
	/* 16-byte aligned at fiber_entry, as after a call into it from aligned code. */
	frame = (void *)(f->map + map_size - 16 - ((sizeof(*frame) + 15) & ~(size_t)15));
	*frame = blank;
	frame->function = (void *)(uintptr_t)first;
	frame->argument = f;
	f->sp = frame;
	return 0;
}

void
fiber_done(struct fiber *f)
{
	if (f->map) {
		fiber_shadow_gone(f);
		munmap(f->map, f->map_size);
	}
	*f = (struct fiber){ 0 };
}

void
fiber_trim(struct fiber *f)
{
	char *low = f->map + FIBER_GUARD;
	size_t unused = (size_t)((char *)f->sp - low) & ~(KiB(4) - 1);

	/* A hint: where it is refused nothing is lost but memory. */
	if (unused)
		madvise(low, unused, MADV_DONTNEED);
}

bool
fiber_in_guard(const struct fiber *f, const void *address)
{
	const char *a = address;

	return f->map && a >= f->map && a < f->map + FIBER_GUARD;
}
