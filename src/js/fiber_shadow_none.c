/* SPDX-License-Identifier: MIT */
#include "js/fiber_shadow.h"

void
fiber_shadow_leave(struct fiber *from, const struct fiber *to)
{
	(void)from;
	(void)to;
}

void
fiber_shadow_arrive(struct fiber *self)
{
	(void)self;
}

void
fiber_shadow_gone(const struct fiber *f)
{
	(void)f;
}
