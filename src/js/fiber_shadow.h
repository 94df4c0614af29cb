/* SPDX-License-Identifier: MIT */
/*
 * What a sanitizer that watches stacks has to hear of a switch. The build links one variant:
 * fiber_shadow_none.c says nothing, fiber_shadow_asan.c tells AddressSanitizer.
 */
#ifndef JS_FIBER_SHADOW_H
#define JS_FIBER_SHADOW_H

#include "js/fiber.h"

/* Before a switch. */
void fiber_shadow_leave(struct fiber *from, const struct fiber *to);
/* On the stack of self, first thing after a switch to it. */
void fiber_shadow_arrive(struct fiber *self);
/* Before the stack is unmapped. */
void fiber_shadow_gone(const struct fiber *f);

#endif
