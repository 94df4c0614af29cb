/* SPDX-License-Identifier: MIT */
/* shell: one line for /bin/sh. */
#include "base/clock.h"
#include "tool/runner.h"

#define TIMEOUT_NS (30 * NS_PER_S)

bool
tool_shell(struct tool_call *c)
{
	static char sh[] = "/bin/sh", option[] = "-c", no_more[] = "--";
	struct str line = args_text(c->in, "command");
	auto_free char *text = xcalloc(line.n + 1, 1);
	char *argv[] = { sh, option, no_more, text, NULL };

	if (memchr(line.p, '\0', line.n))
		return tool_fail(c, CODE_INVALID_INPUT, "command: a line holds no NUL");
	memcpy(text, line.p, line.n);
	return runner_run(c, argv, TIMEOUT_NS);
}
