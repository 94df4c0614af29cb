/* SPDX-License-Identifier: MIT */
/*
 * The heap images as they stand in the executable, of a script's VM and of the compiler of
 * TypeScript: each a page with struct image_head, then the memory.
 */
#ifndef JS_IMAGE_H
#define JS_IMAGE_H

extern const char image_bytes[], image_memory[], image_end[];
extern const char strip_bytes[], strip_memory[], strip_end[];

#endif
