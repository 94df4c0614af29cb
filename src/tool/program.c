/* SPDX-License-Identifier: MIT */
#include "tool/program.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define READ_STEP KiB(64)

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
listen_to(const struct helper *h, struct program_output *ret_output)
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
program_said(const struct program_output *o, size_t most)
{
	struct str said = { buf_text(&o->err), MIN(o->err.n, most) };

	while (said.n && said.p[said.n - 1] == '\n')
		said.n--;
	return said;
}

void
program_output_done(struct program_output *o)
{
	buf_done(&o->out);
	buf_done(&o->err);
}

bool
program_run(struct tool_call *c, const char *what, const struct helper_order *order,
    struct program_output *ret_output)
{
	struct helper program;
	struct err e;

	if (helper_start(order, &program, &e) < 0)
		return tool_fail(c, CODE_TOOL_FAILED, "%s could not be started: %s", what,
		    e.text);
	listen_to(&program, ret_output);
	ret_output->exit_status = helper_done(&program);
	if (ret_output->exit_status == HELPER_NOT_STARTED)
		return tool_fail(c, CODE_TOOL_FAILED, "%s could not be started: %.*s", what,
		    STR_ARG(program_said(ret_output, 200)));
	return true;
}
