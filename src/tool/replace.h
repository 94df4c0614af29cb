/* SPDX-License-Identifier: MIT */
/*
 * Puts a file in the place of another, or where none is, in one step: whoever looks sees the old
 * bytes or the new ones, also after a power cut or the death of this process at any instruction.
 * doc/files.md has the steps, and what remains.
 *
 *	struct replace r = { .folder = folder, .name = "a.c", .old = fd, .was = st, .before = bytes };
 *
 *	if (!replace_file(&r, after, c, shown))
 *		return false;
 */
#ifndef TOOL_REPLACE_H
#define TOOL_REPLACE_H

#include "tool/run.h"

#include <sys/stat.h>

struct replace {
	int folder;        /* open for reading; the lock of folder_lock held */
	const char *name;  /* of the file in it, no slash in it */
	int old;           /* the file that is there, open for reading; -1: there is none */
	struct stat was;   /* of it, when its bytes were read */
	struct str before; /* those */
	bool unsure;       /* afterwards: it is done, but the disk did not confirm the folder */
};

/*
 * Waits for other writers of ours in this folder, at most ten seconds. False when the call has failed.
 * Closing the descriptor gives it back.
 */
bool folder_lock(struct tool_call *c, int folder, struct str shown);
/*
 * False when the call has failed: then the old file, or none, is there as before. Mode, owner, group,
 * extended attributes and access lists of the old file are kept.
 */
bool replace_file(struct replace *r, struct str after, struct tool_call *c, struct str shown);

#endif
