/* SPDX-License-Identifier: MIT */
#include "tool/rg.h"

#include "tool/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX_N 32
#define READ_STEP  KiB(64)

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

static int
spawn(const char *path, char *const argv[], int dir, struct pipes *p, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawn_file_actions_addfchdir_np(&actions, dir);
	posix_spawn_file_actions_adddup2(&actions, p->out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, p->err[1], STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	r = posix_spawn(ret_pid, path, &actions, &attr, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return r;
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
	struct pollfd fds[] = { { .fd = p->out[0], .events = POLLIN }, { .fd = p->err[0], .events = POLLIN } };

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
build(char *argv[ARGS_MAX_N], const char *path, const struct rg_globs *globs, const char *const args[])
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
rg_run(struct tool_call *c, int dir, const struct rg_globs *globs, const char *const args[],
    struct rg_output *ret_output)
{
	struct pipes p = { { -1, -1 }, { -1, -1 } };
	const char *path = rg_find();
	char *argv[ARGS_MAX_N];
	pid_t pid;
	int r;

	if (!path)
		return tool_fail(c, CODE_TOOL_FAILED,
		    "ripgrep (rg) is not installed: sudo apt install ripgrep (Debian, Ubuntu), "
		    "brew install ripgrep (macOS), winget install BurntSushi.ripgrep.MSVC or "
		    "scoop install ripgrep (Windows)");
	build(argv, path, globs, args);
	r = pipe2(p.out, O_CLOEXEC) < 0 || pipe2(p.err, O_CLOEXEC) < 0 ? errno :
									 spawn(path, argv, dir, &p, &pid);
	if (r) {
		close_pipes(&p);
		return tool_fail(c, CODE_TOOL_FAILED, "ripgrep could not be started: %s", strerrordesc_np(r));
	}
	base_close_fd(&p.out[1]);
	base_close_fd(&p.err[1]);
	listen_to(&p, pid, ret_output);
	ret_output->exit_status = reap(pid);
	close_pipes(&p);
	return true;
}
