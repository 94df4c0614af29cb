/* SPDX-License-Identifier: MIT */
/*
 * Paths as text: absolute, with one slash between names, without `.` and `..`. The file system is
 * not looked at: what is judged by its text must be opened by the same text, below a folder that
 * cannot be left (openat2 with RESOLVE_BENEATH).
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/buf.h"

/*
 * Appends path, taken relative to the absolute path `from` when it is relative. `..` above the
 * root stays at the root. False when it holds a NUL or does not fit.
 */
bool path_normal(struct str from, struct str path, struct buf *ret_path);
/* Whether `path` is `folder` or below it; both normal. */
bool path_below(struct str path, struct str folder);
/* What is left of `path` below `folder`, without a slash in front; "." for the folder itself. */
struct str path_rest(struct str path, struct str folder);

#endif
