/* SPDX-License-Identifier: MIT */
#include "tool/rg.h"

#include "tool/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX_N  32
#define READ_STEP   KiB(64)
#define NOT_STARTED 127

const char *const rg_places[] = { "/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg", NULL };

const char *
rg_find(void)
{
	for (size_t i = 0; rg_places[i]; i++) {
		if (access(rg_places[i], X_OK) == 0)
			return rg_places[i];
	}
	return NULL;
}

/* ---- starting ---- */

static char path_variable[] = "PATH=/usr/bin:/bin", language[] = "LANG=C.UTF-8";
static char *const environment[] = { path_variable, language, NULL };

struct pipes {
	int out[2], err[2];
};

static void
close_pipes(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		base_close_fd(&p->out[i]);
		base_close_fd(&p->err[i]);
	}
}

/* What rg_run was asked for. */
struct order {
	const char *path;
	char **argv;
	int dir, input;
};

/* In the child, which has nothing of ours to lose: it becomes ripgrep and ends with its parent. */
static void no_return
become(const struct order *o, const struct pipes *p, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    fchdir(o->dir) == 0 && dup2(p->out[1], STDOUT_FILENO) >= 0 &&
	    dup2(p->err[1], STDERR_FILENO) >= 0 &&
	    (o->input < 0 || dup2(o->input, STDIN_FILENO) >= 0) &&
	    close_range(STDERR_FILENO + 1, ~0U, 0) == 0)
		execve(o->path, o->argv, environment);
	dprintf(STDERR_FILENO, "%s", strerrordesc_np(errno));
	_exit(NOT_STARTED);
}

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
listen_to(struct pipes *p, pid_t pid, struct rg_output *ret_output)
{
	struct pollfd fds[] = { { .fd = p->out[0], .events = POLLIN },
		{ .fd = p->err[0], .events = POLLIN } };

	while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !ret_output->cut) {
		if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && !drain(fds[0].fd, &ret_output->out, &ret_output->cut))
			fds[0].fd = -1;
		if (fds[1].revents && !drain(fds[1].fd, &ret_output->err, NULL))
			fds[1].fd = -1;
	}
	if (ret_output->cut)
		kill(pid, SIGKILL);
}

static int
reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void
rg_globs(const struct tool_call *c, struct str folder, struct rg_globs *ret_globs)
{
	*ret_globs = (struct rg_globs){ 0 };
	for (size_t i = 0; i < HIDDEN_FOLDERS_MAX; i++) {
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

	/* posix_spawn only reads them. */
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
	struct pipes p = { { -1, -1 }, { -1, -1 } };
	char *argv[ARGS_MAX_N];
	struct order order = { rg_find(), argv, dir, input };
	pid_t parent = getpid(), pid = -1;

	if (!order.path)
		return tool_fail(c, CODE_TOOL_FAILED,
		    "ripgrep (rg) is not installed: sudo apt install ripgrep (Debian, Ubuntu), "
		    "brew install ripgrep (macOS), winget install BurntSushi.ripgrep.MSVC or "
		    "scoop install ripgrep (Windows)");
	build(argv, order.path, globs, args);
	if (pipe2(p.out, O_CLOEXEC) == 0 && pipe2(p.err, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		become(&order, &p, parent);
	if (pid < 0) {
		tool_fail(c, CODE_TOOL_FAILED, "ripgrep could not be started: %s",
		    strerrordesc_np(errno));
		close_pipes(&p);
		return false;
	}
	base_close_fd(&p.out[1]);
	base_close_fd(&p.err[1]);
	listen_to(&p, pid, ret_output);
	ret_output->exit_status = reap(pid);
	close_pipes(&p);
	if (ret_output->exit_status == NOT_STARTED)
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep could not be started: %.*s",
		    (int)MIN(ret_output->err.n, 200), buf_text(&ret_output->err));
	/* With nothing to say it has gone past what it could not read. */
	ret_output->unread =
	    ret_output->exit_status == 2 && !ret_output->err.n && !ret_output->cut;
	return true;
}
