/* SPDX-License-Identifier: MIT */
/*
 * Shortens JSON so that what is left is JSON still: arrays and objects lose members from the
 * end, a string its last characters; names, numbers and words stay whole. Works on text alone,
 * without recursion, and checks it on the way. Pure; fuzzed.
 */
#ifndef FORGE_CUT_H
#define FORGE_CUT_H

#include "base/buf.h"

#define CUT_DEPTH_MAX 2048

enum cut_result {
	CUT_WHOLE,   /* all of it, unchanged */
	CUT_PART,    /* cut, and valid; or nothing at all when not even a bracket pair fits */
	CUT_INVALID, /* the text is no JSON; what was appended means nothing */
};

/*
 * Appends at most `points` code points of the JSON text to ret_out. A text that ends early
 * counts as cut by its sender, so its whole part is kept.
 */
enum cut_result cut_json(struct str json, size_t points, struct buf *ret_out);

#endif
