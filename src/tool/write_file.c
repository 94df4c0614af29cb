/* SPDX-License-Identifier: MIT */
/* write_file: a whole file, new or in the place of one that was read. */
#include "tool/change.h"

bool
tool_write_file(struct tool_call *c)
{
	auto_done(change) struct change ch = { .folder = -1, .old = -1 };

	return change_open(&ch, c) && change_check(&ch, false) &&
	       change_put(&ch, args_text(c->in, "content"));
}
