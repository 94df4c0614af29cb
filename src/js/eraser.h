/* SPDX-License-Identifier: MIT */
/*
 * The quick way to take the types out of TypeScript: swc's module (npm @swc/wasm-typescript) as
 * native code, in a linear memory of its own that is made for one source and thrown away.
 *
 * It says yes or nothing. A source that it refuses, or that it may treat otherwise than
 * doc/scripts.md says, is for the careful way (guest/strip), which also knows how to refuse. First
 * it only blanks the types: then code and source agree byte for byte. Where something must be
 * written anew (enum, parameter properties, <T>x), it prints the whole source and says where each
 * piece stood.
 *
 * It never asks whether to stop: the hard-stop timers and the broker's signal end it.
 */
#ifndef JS_ERASER_H
#define JS_ERASER_H

#include "js/engine.h"

/*
 * Called in the slice of a compiler's VM, on its stack and under its limits. True: the VM's value
 * is the code, and its places the mappings for places_decode, empty when code and source agree.
 */
bool eraser_strip(struct vm *vm);

/* What stands before the text in what the eraser is given, and in what it prints: one line each. */
#define ERASER_HEAD         "async()=>{\n"
#define ERASER_PRINTED_HEAD "async ()=>{\n"

/* The engine while this is its memory, else NULL: for wasm_rt_grow_memory. */
struct engine *eraser_engine(const wasm_rt_memory_t *m);

#endif
