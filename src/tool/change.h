/* SPDX-License-Identifier: MIT */
/*
 * What write_file and edit_file have in common: the file as it is now, under a lock of its folder, the
 * check of the fingerprint, and the result.
 *
 *	auto_done(change) struct change ch = { 0 };
 *
 *	return change_open(&ch, c) && change_check(&ch, true) && change_put(&ch, after);
 */
#ifndef TOOL_CHANGE_H
#define TOOL_CHANGE_H

#include "base/sha.h"
#include "tool/replace.h"

#include <limits.h>

#define CHANGE_MAX MiB(1) /* bytes of a file, before and after */

struct change {
	struct tool_call *c;
	struct buf path, given; /* to open, to show */
	struct str shown;
	char name[NAME_MAX + 1]; /* in its folder */
	int folder;              /* -1: it is not there yet */
	int old;                 /* -1: there is no such file */
	struct stat was;
	struct buf before;
	char hash[SHA_HEX_SIZE]; /* of before */
	struct buf made;         /* folders made for it, a JSON array of shown paths */
};

/* All false when the call has failed. */
bool change_open(struct change *ch, struct tool_call *c);
/* The fingerprint given is that of the file; must: it has to be given even for a new file. */
bool change_check(struct change *ch, bool must);
/* Replaces the file's bytes, or makes it and its folders, and writes the result. */
bool change_put(struct change *ch, struct str after);
void change_done(struct change *ch);

#endif
