/* SPDX-License-Identifier: MIT */
#include "tool/rg.h"

#include "loop/helper.h"
#include "tool/hidden.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGS_MAX_N 32
#define READ_STEP  KiB(64)

/* ---- starting ---- */

static char path_variable[] = "PATH=/usr/bin:/bin", language[] = "LANG=C.UTF-8";
static char *const environment[] = { path_variable, language, NULL };

/* What its worker may and it need not: flags that no filter sees, signals, messages. */
static const unsigned without[] = { SYS_openat2, SYS_pidfd_send_signal, SYS_sendmsg,
	SYS_recvmsg, SYS_sendto, SYS_recvfrom, 0 };

/* ---- listening ---- */

/* One read: false at the end. */
static bool
drain(int fd, struct buf *b, bool *ret_cut)
{
	char piece[READ_STEP];
	ssize_t n = read(fd, piece, sizeof(piece));
	size_t room = b->max - b->n;

	if (n < 0)
		return errno == EINTR;
	if ((size_t)n > room && ret_cut)
		*ret_cut = true;
	buf_add(b, (struct str){ piece, MIN((size_t)n, room) });
	return n > 0;
}

/* Until both ends are closed, or enough has come. */
static void
listen_to(const struct helper *h, struct rg_output *ret_output)
{
	struct pollfd fds[] = { { .fd = h->out, .events = POLLIN },
		{ .fd = h->err, .events = POLLIN } };

	while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !ret_output->cut) {
		if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && !drain(fds[0].fd, &ret_output->out, &ret_output->cut))
			fds[0].fd = -1;
		if (fds[1].revents && !drain(fds[1].fd, &ret_output->err, NULL))
			fds[1].fd = -1;
	}
	if (ret_output->cut)
		helper_kill(h);
}

struct str
rg_said(const struct rg_output *o, size_t most)
{
	struct str said = { buf_text(&o->err), MIN(o->err.n, most) };

	while (said.n && said.p[said.n - 1] == '\n')
		said.n--;
	return said;
}

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
    const char *const args[], struct rg_output *ret_output)
{
	char *argv[ARGS_MAX_N];
	struct helper_order order = { rg_find(), argv, environment, dir, input, without };
	struct helper rg;
	struct err e;

	if (!order.path)
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep (rg) is not installed: %s",
		    rg_advice);
	build(argv, order.path, globs, args);
	if (helper_start(&order, &rg, &e) < 0)
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep could not be started: %s",
		    e.text);
	listen_to(&rg, ret_output);
	ret_output->exit_status = helper_done(&rg);
	if (ret_output->exit_status == HELPER_NOT_STARTED)
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep could not be started: %.*s",
		    STR_ARG(rg_said(ret_output, 200)));
	/* With nothing to say it has gone past what it could not read. */
	ret_output->unread =
	    ret_output->exit_status == 2 && !ret_output->err.n && !ret_output->cut;
	return true;
}
