/* SPDX-License-Identifier: MIT */
/*
 * The folders a worker may touch, opened once, and the only way in: a path is opened below its
 * folder by openat2, which follows no link. The broker has resolved those that were there when it
 * judged the call, so one that is met here has come since, or leads nowhere.
 *
 *	fd = roots_open(&roots, path, O_RDONLY, &failed);
 */
#ifndef TOOL_ROOTS_H
#define TOOL_ROOTS_H

#include "base/path.h"
#include "tool/run.h"

#define ROOTS_MAX 64

struct root {
	char *path; /* normal */
	int fd;
};

struct roots {
	struct root list[ROOTS_MAX];
	size_t n;
};

/* Adds a folder by its normal path. */
int roots_add(struct roots *r, const char *path, struct err *e) must_use;

/* The folder with the longest path that the normal path is below; NULL for none. */
const struct root *roots_find(const struct roots *r, struct str path);
/*
 * Opens a normal path with these flags (O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added). Negative
 * with *ret_failed set: OUTSIDE_ROOTS, NOT_FOUND, DENIED, TOOL_FAILED.
 */
int roots_open(const struct roots *r, struct str path, int flags,
    struct tool_failure *ret_failed);
/* The same for a name below a folder that is open, with no link on the way. -1 for any failure. */
int roots_below(int folder, struct str name, int flags);

#endif
