/* SPDX-License-Identifier: MIT */
/*
 * Private folders for temporary files: made by the launcher for one closed process, emptied by that
 * process after each thing it did, removed by the launcher when it is dead. What a dead launcher left
 * is removed by the next one of the same person.
 *
 *	r = tmpdir_make(&home, "/tmp", path, e);	"/tmp/crisol-4026531836-71-90210-0"
 *	...
 *	tmpdir_remove(path);
 *
 * What lies in them is hostile: no link is followed, no other mount entered, depth does not matter.
 */
#ifndef SANDBOX_TMPDIR_H
#define SANDBOX_TMPDIR_H

#include <limits.h>

#include "sandbox/cgroup.h"

#define TMPDIR_PATH_MAX (PATH_MAX - 64)

/* base: absolute. Sweeps it first when it is the first one made. */
int tmpdir_make(const struct cgroup_home *owner, const char *base,
    char ret_path[TMPDIR_PATH_MAX], struct err *e) must_use;
/* Whether everything in it could be removed. */
bool tmpdir_empty(int fd);
/* Removes it with all that is in it. */
void tmpdir_remove(const char *path);

#endif
