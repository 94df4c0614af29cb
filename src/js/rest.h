/* SPDX-License-Identifier: MIT */
/*
 * What a VM that waits for long keeps of its linear memory: where it differs from the heap image.
 * A script dirties some sixty pages of the image by a few bytes each; those bytes are kept, the
 * pages are given back to the kernel, and come back before the VM runs again, byte for byte.
 *
 *	if (rest_take(&vm->rest, &vm->memory, vm->stack_pointer, vm->engine->image))
 *		...					nothing may touch the memory now
 *	rest_give(&vm->rest, &vm->memory);
 *
 * Taking compares all of the memory, about 0.2 ms; giving copies, about 0.1 ms. What lies below
 * the stack pointer (the module's stack is the lowest part of its memory) is dead and not kept.
 */
#ifndef JS_REST_H
#define JS_REST_H

#include "js/engine.h"

#define REST_MAX   KiB(128)             /* a memory that differs by more stays as it is */
#define REST_GROWN (MiB(1) / WASM_PAGE) /* so does one that grew by more pages than this */

struct rest {
	char *runs; /* {at, size, bytes} one after the other; NULL: the memory is whole */
	size_t n;
};

/* False when it is not worth it; the memory is then as it was. */
bool rest_take(struct rest *r, const wasm_rt_memory_t *m, uint32_t stack_pointer,
    const struct image_head *image);
/* Makes the memory whole; does nothing where it is. */
void rest_give(struct rest *r, const wasm_rt_memory_t *m);
void rest_done(struct rest *r);

#endif
