/* SPDX-License-Identifier: MIT */
/*
 * What a path really is, for the gate to judge: links resolved on the file system as it is now, by
 * looking alone (nothing is opened for reading). What is opened later is exactly what was judged:
 * the resolved path, by openat2 that follows no further link.
 */
#ifndef FORGE_RESOLVE_H
#define FORGE_RESOLVE_H

#include "base/buf.h"
#include "gate/gate.h"

struct resolved {
	struct buf given;  /* absolute and normal by text */
	struct buf real;   /* links resolved; of what does not exist, its nearest folder is */
	struct buf folder; /* the existing folder that holds it, or itself when it is one */
	bool linked;
};

/* cwd is normal. False when the text is no path. */
bool resolve_path(struct str cwd, struct str path, struct resolved *ret_resolved);
void resolved_done(struct resolved *r);
/* As the gate takes it; borrows from r. */
struct gate_path resolved_for_gate(const struct resolved *r, bool write);

#endif
