/* SPDX-License-Identifier: MIT */
/*
 * The heap image as it stands in the executable: a page with struct image_head, then the
 * memory.
 */
#ifndef JS_IMAGE_H
#define JS_IMAGE_H

extern const char image_bytes[], image_memory[], image_end[];

#endif
