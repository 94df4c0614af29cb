/* SPDX-License-Identifier: MIT */
/*
 * The conversation with the prelude: what the host does to start a script, run it to its end
 * and get its result, and what the guest may call.
 *
 * Every address that comes out of the guest is checked against the memory's size before it is
 * read: a wrong one is a crash of that VM, nothing else.
 */
#ifndef JS_GUEST_H
#define JS_GUEST_H

#include "js/call.h"

/* n bytes at an address, or p == NULL when they are not all inside the memory. */
struct str guest_bytes(const struct engine *g, uint32_t at, uint64_t n);
/* Fills n bytes at an address with random ones; false when they are not all inside. */
bool guest_random(const struct engine *g, uint32_t at, uint32_t n);
/*
 * Copies bytes in, and a NUL; the address is freed with q_wasm_free; 0 when there is no room.
 */
uint32_t guest_put(struct engine *g, struct str bytes);
/*
 * The text of a string value: a view that stands until *ret_free is given to
 * q_qjs_free_cstring. p == NULL when there is none.
 */
struct str guest_text(struct engine *g, handle value, uint32_t *ret_free);

/* Evaluates the prelude and fills the image's handles (image tool only). */
int guest_install(struct engine *g, struct str prelude, struct image_head *ret_head,
    struct err *e) must_use;
/* Body of a VM's fiber: runs the job's script to its end. */
void guest_main(struct vm *vm);

/* Body of the compiler's fiber: makes JavaScript of the source. */
void guest_strip(struct vm *vm);

/* host.NAME(...) of the prelude; a handle. From import.c's one entry. */
handle guest_host_call(struct engine *g, struct str name, const handle *arguments, uint32_t n);
/* The engine's rejection tracker; takes both handles over. */
void guest_rejection(struct engine *g, handle promise, handle reason, bool handled);

#endif
