/* SPDX-License-Identifier: MIT */
/* Build tool: prints the man page. */
#include "cmd/cmd.h"

#include <stdio.h>

int
main(void)
{
	auto_done(buf) struct buf page = buf_max(KiB(256));

	cmd_man(&page);
	return fwrite(page.p, 1, page.n, stdout) == page.n && fflush(stdout) == 0 ? 0 : 1;
}
