/* SPDX-License-Identifier: MIT */
#include "js/fiber.h"

#include <sys/mman.h>

/* In fiber.S: the first thing on a new stack; calls the function with its argument. */
void fiber_entry(void);

/* What fiber_switch pops, lowest address first; see fiber.S. */
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

int
fiber_init(struct fiber *f, size_t size, fiber_fn *fn, void *argument, struct err *e)
{
	struct first_frame *first;
	size_t map_size = FIBER_GUARD + ((size + KiB(64) - 1) & ~(KiB(64) - 1));
	void *map = mmap(NULL, map_size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (map == MAP_FAILED)
		return err_sys(e, "map a stack of %zu KiB", map_size >> 10);
	*f = (struct fiber){ .map = map, .map_size = map_size };
	if (mprotect(f->map + FIBER_GUARD, map_size - FIBER_GUARD, PROT_READ | PROT_WRITE) <
	    0) {
		fiber_done(f);
		return err_sys(e, "open a stack of %zu KiB", map_size >> 10);
	}
	/* 16-byte aligned at fiber_entry, as after a call into it from aligned code. */
	first = (void *)(f->map + map_size - 16 - ((sizeof(*first) + 15) & ~(size_t)15));
	*first = blank;
	first->function = (void *)(uintptr_t)fn;
	first->argument = argument;
	f->sp = first;
	return 0;
}

void
fiber_done(struct fiber *f)
{
	if (f->map)
		munmap(f->map, f->map_size);
	*f = (struct fiber){ 0 };
}

bool
fiber_in_guard(const struct fiber *f, const void *address)
{
	const char *a = address;

	return f->map && a >= f->map && a < f->map + FIBER_GUARD;
}
