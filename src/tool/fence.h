/* SPDX-License-Identifier: MIT */
/*
 * The walls of one command, on top of those of its worker: its own signals and, where no mount covers
 * them, crisol's folders out of its reach. And what of its complaints they are the reason for.
 */
#ifndef TOOL_FENCE_H
#define TOOL_FENCE_H

#include "tool/runner.h"

/*
 * Before a command: what it will get, from what is in the folders above crisol's own now. ERR_LIMIT
 * where there are too many names to walk around; ERR_SYS.
 */
int fence_prepare(struct runner *r, struct err *e) must_use;
/* In the child that becomes the command. */
int fence_enter(const struct runner *r, struct err *e) must_use;
/* Member "fence": {held, layers, lacks}. */
void fence_write(const struct runner *r, struct buf *ret_json);
/*
 * Members "refused" and "hint", when lines of what a failed command said name a path or the network
 * that the fence, and nothing else that can be seen, has refused. A guess, and labelled so.
 */
void fence_explain(const struct runner *r, struct str said, struct str cwd,
    struct buf *ret_json);

#endif
