/* SPDX-License-Identifier: MIT */
/*
 * Patterns over names and paths, with few signs and no escapes:
 *
 *	*	any characters but '/'
 *	?	one character but '/'
 *	[a-z]	one of these, [!a-z] or [^a-z] one but these, never '/'; ']' first is itself
 *	**	between slashes: any number of folders, none included; last: the folder and all in it
 *
 * Everything else stands for itself: case counts, a dot in front is nothing special. What people
 * know from elsewhere and would silently mean something else here is refused when the pattern is
 * read: backslashes, braces, a leading '!', "**" inside a name, ".." and [:classes:].
 *
 *	r = glob_normal(STR("src/"), home, &pattern, &e);      pattern is "src/" + "**"
 *	if (glob_match(buf_str(&pattern), STR("src/a/b.c")))
 *
 * Matching is bounded by the product of both lengths; pattern and path may be any bytes.
 */
#ifndef GATE_GLOB_H
#define GATE_GLOB_H

#include "base/buf.h"
#include "base/err.h"

#define GLOB_MAX 1024 /* bytes of a pattern */

/*
 * Checks a path pattern and appends its normal form: no empty and no "." parts, a slash at the
 * end is "**" after it, "~/" in front is `home` (absolute; refused when home is empty). The pattern
 * of the folder itself (".") is empty, an absolute one keeps its slash in front. ERR_INVALID
 * says what is wrong, ERR_LIMIT that it is over GLOB_MAX.
 */
int glob_normal(struct str pattern, struct str home, struct buf *ret_normal,
    struct err *e) must_use;
/* Checks a pattern for names: the same signs, but neither '/' nor "**". */
int glob_check_name(struct str pattern, struct err *e) must_use;
/* Appends a path so that its signs stand for themselves. */
void glob_add_plain(struct buf *pattern, struct str path);
/* Whether the normal pattern matches the whole path; both absolute or both relative. */
bool glob_match(struct str pattern, struct str path);
/* Whether it matches the path or a folder above it. */
bool glob_match_above(struct str pattern, struct str path);

#endif
