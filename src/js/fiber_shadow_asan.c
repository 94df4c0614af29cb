/* SPDX-License-Identifier: MIT */
#include "js/fiber_shadow.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/*
 * Locals are to be on the stack of who runs: fibers and the stop's jump go by where they are. Newer
 * compilers would have them elsewhere.
 */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_stack_use_after_return=0";
}

/* The one that switched last: where it arrives, its stack's place becomes known. */
static struct fiber *left;

void
fiber_shadow_leave(struct fiber *from, const struct fiber *to)
{
	left = from;
	__sanitizer_start_switch_fiber(&from->shadow, to->stack, to->stack_size);
}

void
fiber_shadow_arrive(struct fiber *self)
{
	__sanitizer_finish_switch_fiber(self->shadow, &left->stack, &left->stack_size);
}

/* Frames that were never left keep their red zones, which the next mapping there would inherit. */
void
fiber_shadow_gone(const struct fiber *f)
{
	__asan_unpoison_memory_region(f->map, f->map_size);
}
