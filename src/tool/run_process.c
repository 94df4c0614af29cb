/* SPDX-License-Identifier: MIT */
/* run_process: one program with the arguments it is given, no shell in between. */
#include "base/clock.h"
#include "tool/runner.h"

bool
tool_run_process(struct tool_call *c)
{
	size_t n = args_list_size(c->in, "argv");
	char **argv = xcalloc(n + 1, sizeof(*argv));
	bool ok;

	/* The texts are views into the input, without NULs at their ends. */
	for (size_t i = 0; i < n; i++) {
		struct str text = args_list_text(c->in, "argv", i);

		argv[i] = xcalloc(text.n + 1, 1);
		memcpy(argv[i], text.p, text.n);
	}
	if (n && argv[0][0])
		ok = runner_run(c, argv, args_number(c->in, "timeoutMs") * NS_PER_MS);
	else
		ok = tool_fail(c, CODE_INVALID_INPUT, "argv: its first text names a program");
	for (size_t i = 0; i < n; i++)
		free(argv[i]);
	free(argv);
	return ok;
}
