/* SPDX-License-Identifier: MIT */
#include "tool/rg.h"

#include "tool/hidden.h"

#include <sys/syscall.h>

#define ARGS_MAX_N 32

/* ---- starting ---- */

static char path_variable[] = "PATH=/usr/bin:/bin", language[] = "LANG=C.UTF-8";
static char *const environment[] = { path_variable, language, NULL };

/* What its worker may and it need not: flags that no filter sees, signals, messages. */
static const unsigned without[] = { SYS_openat2, SYS_pidfd_send_signal, SYS_sendmsg,
	SYS_recvmsg, SYS_sendto, SYS_recvfrom, 0 };

void
rg_globs(const struct tool_call *c, struct str folder, struct rg_globs *ret_globs)
{
	*ret_globs = (struct rg_globs){ 0 };
	for (size_t i = 0; i < HIDDEN_GLOBS_MAX; i++) {
		struct buf *option = &ret_globs->text[ret_globs->n];

		*option = buf_max(KiB(16));
		if (hidden_glob(c->hidden, i, folder, option))
			ret_globs->n++;
		else
			buf_done(option);
	}
}

void
rg_globs_done(struct rg_globs *g)
{
	for (size_t i = 0; i < g->n; i++)
		buf_done(&g->text[i]);
	g->n = 0;
}

static void
build(char *argv[ARGS_MAX_N], const char *path, const struct rg_globs *globs,
    const char *const args[])
{
	size_t n = 0;

	const char *const own[] = { path, "--no-config", "--no-messages", "--color=never" };

	/* execve only reads them. */
	for (size_t i = 0; i < COUNT(own); i++)
		argv[n++] = (char *)(uintptr_t)own[i];
	for (size_t i = 0; i < globs->n; i++)
		argv[n++] = globs->text[i].p;
	for (size_t i = 0; args[i]; i++) {
		assert(n < ARGS_MAX_N - 1);
		argv[n++] = (char *)(uintptr_t)args[i];
	}
	argv[n] = NULL;
}

bool
rg_run(struct tool_call *c, int dir, int input, const struct rg_globs *globs,
    const char *const args[], struct program_output *ret_output)
{
	char *argv[ARGS_MAX_N];
	struct helper_order order = {
		.path = rg_find(),
		.argv = argv,
		.env = environment,
		.dir = dir,
		.input = input,
		.without = without,
	};

	if (!order.path)
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep (rg) is not installed: %s",
		    rg_advice);
	build(argv, order.path, globs, args);
	if (!program_run(c, "ripgrep", &order, ret_output))
		return false;
	/* With nothing to say it has gone past what it could not read. */
	ret_output->unread =
	    ret_output->exit_status == 2 && !ret_output->err.n && !ret_output->cut;
	return true;
}
