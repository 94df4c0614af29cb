/* SPDX-License-Identifier: MIT */
#include "loop/child.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where siblings may be, relative to the folder this executable is in. */
static const char *const places[] = { "", "../libexec/crisol/" };

static int
find_sibling(const char *name, struct buf *ret_path, int *ret_fd, struct err *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return err_sys(e, "find out where this program is (is /proc mounted?)");
	self[n] = '\0';
	slash = strrchr(self, '/');
	slash[1] = '\0';
	for (size_t i = 0; i < COUNT(places); i++) {
		int fd;

		buf_reset(ret_path);
		buf_addf(ret_path, "%s%s%s", self, places[i], name);
		fd = open(buf_text(ret_path), O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		if (errno != ENOENT)
			return err_sys(e, "open %s", buf_text(ret_path));
	}
	return err_set(e, ERR_NOTFOUND,
	    "%s is not beside crisol in %s: the installation is not whole", name, self);
}

int
child_open(const char *name, int *ret_fd, struct err *e)
{
	auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);

	return find_sibling(name, &path, ret_fd, e);
}

static int
spawn(const char *path, const char *name, char *const env[], int channel, pid_t *ret_pid,
    struct err *e)
{
	char *argv[] = { (char *)(uintptr_t)name, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr,
	    POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	/* The channel is never 0, 1 or 2 here, and dup2 takes close-on-exec off. */
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, channel, CHILD_CHANNEL);
	posix_spawn_file_actions_addclosefrom_np(&actions, CHILD_CHANNEL + 1);
	r = posix_spawn(ret_pid, path, &actions, &attr, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (r) {
		errno = r;
		return err_sys(e, "start %s", path);
	}
	return 0;
}

/* Both ends of a channel, above the numbers that a child maps. */
static int
new_channel(int ret_ends[2], struct err *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "make a channel");
	for (int i = 0; i < 2; i++) {
		ret_ends[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, CHILD_CHANNEL + 1);
		close(pair[i]);
	}
	if (ret_ends[0] < 0 || ret_ends[1] < 0)
		return err_sys(e, "make a channel");
	return 0;
}

int
child_start(const char *name, char *const env[], int *ret_channel, pid_t *ret_pid,
    struct err *e)
{
	auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);
	auto_fd int ours = -1, theirs = -1, found = -1;
	int ends[2] = { -1, -1 };
	int r = find_sibling(name, &path, &found, e);

	if (r >= 0)
		r = new_channel(ends, e);
	ours = ends[0];
	theirs = ends[1];
	if (r < 0)
		return r;
	r = spawn(buf_text(&path), name, env, theirs, ret_pid, e);
	if (r >= 0)
		*ret_channel = steal_fd(&ours);
	return r;
}
