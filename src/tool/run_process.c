/* SPDX-License-Identifier: MIT */
/* run_process: one program with the arguments it is given, no shell in between. */
#include "base/clock.h"
#include "tool/runner.h"

static char *
copy_of(struct str text)
{
	char *copy = xcalloc(text.n + 1, 1);

	memcpy(copy, text.p, text.n);
	return copy;
}

bool
tool_run_process(struct tool_call *c)
{
	struct str program = args_text(c->in, "command");
	size_t n = args_list_size(c->in, "args");
	char **argv;
	bool ok;

	if (memchr(program.p, '\0', program.n))
		return tool_fail(c, CODE_INVALID_INPUT,
		    "command: the name of a program holds no NUL");
	argv = xcalloc(n + 2, sizeof(*argv));
	/* The texts are views into the input, without NULs at their ends. */
	argv[0] = copy_of(program);
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = copy_of(args_list_text(c->in, "args", i));
	ok = runner_run(c, argv, args_number(c->in, "timeoutMs") * NS_PER_MS);
	for (size_t i = 0; i <= n; i++)
		free(argv[i]);
	free(argv);
	return ok;
}
