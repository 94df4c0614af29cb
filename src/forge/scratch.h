/* SPDX-License-Identifier: MIT */
/*
 * The scratchpad of a session: a folder of its own for scripts and what they leave behind,
 * <tmp>/crisol-<uid>/<workspace>/<session>/scratchpad, each part 0700, of this person, no link. Where
 * the shared folder cannot be had so, it is <state home>/scratch/... instead, and that is said.
 */
#ifndef FORGE_SCRATCH_H
#define FORGE_SCRATCH_H

#include "base/buf.h"
#include "base/err.h"

struct scratch {
	struct buf path;        /* empty: there is none */
	int fd;                 /* of it; -1 */
	char why[ERR_TEXT_MAX]; /* it is not where it should be; empty: it is */
};

/*
 * base: the folder that CRISOL_TMPDIR or forge.scratch.root names, empty for the usual one.
 * ERR_SYS, ERR_DENIED when it can be made nowhere.
 */
int scratch_open(struct scratch *s, struct str base, struct str workspace, const char *session,
    struct err *e) must_use;
void scratch_done(struct scratch *s);
/*
 * A script of it. ERR_INVALID for a path that leads out, has a link on the way or is no regular
 * file of UTF-8 text; ERR_NOTFOUND; ERR_LIMIT.
 */
int scratch_read(const struct scratch *s, struct str path, struct buf *ret_text,
    struct err *e) must_use;
/*
 * Removes the scratchpads beside this one, of all workspaces, that nobody used for so many days; at
 * most once a day, never outside of the folder they are in. 0 days: never.
 */
void scratch_sweep(const struct scratch *s, uint64_t days);

#endif
