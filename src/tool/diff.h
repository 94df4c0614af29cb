/* SPDX-License-Identifier: MIT */
/*
 * What changed between two texts, as a unified diff with three lines of context. Pure. Time and
 * memory are bounded: where texts have little in common, what lies between their common beginning
 * and end is shown as replaced, which is right, though longer than it could be.
 *
 *	diff_unified(before, after, STR("src/a.c"), false, &out);
 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include "base/buf.h"

#define DIFF_MAX KiB(200) /* of the diff; cut behind a line, and a last line says so */

/*
 * Appends it; nothing for equal texts. created: there was no file, which is /dev/null, as patches have
 * it. A text with a NUL is only said to differ. Names with control characters are quoted as git does.
 * The result has the bytes of the texts, which need not be UTF-8.
 */
void diff_unified(struct str before, struct str after, struct str name, bool created,
    struct buf *ret_diff);
/* The language that a name's ending stands for, in lower case; "" for none. */
const char *diff_language(struct str name);

#endif
