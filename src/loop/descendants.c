/* SPDX-License-Identifier: MIT */
#include "loop/descendants.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST       65536
#define ROUNDS_MAX 1000 /* of stopping a tree that grows: each stopped one keeps its place */

struct found {
	pid_t pid, parent;
	bool ours, dead, stopped;
};

struct table {
	struct found *list;
	size_t n;
};

/* "71 (any name) S 1 ...": false when it is gone. */
static bool
look_at(pid_t pid, struct found *ret_found)
{
	char path[64], text[512];
	const char *end;
	int fd, parent = 0;
	char state = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	end = strrchr(text, ')'); /* the name before it may hold anything */
	if (!end || sscanf(end + 1, " %c %d", &state, &parent) != 2)
		return false;
	*ret_found = (struct found){ .pid = pid,
		.parent = parent,
		.dead = state == 'Z' || state == 'X',
		.stopped = state == 'T' || state == 't' };
	return true;
}

static void
collect(struct table *t)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;

	t->n = 0;
	while (d && t->n < MOST && (entry = readdir(d))) {
		uint64_t pid;

		if (str_u64(str_of(entry->d_name), INT32_MAX, &pid) && pid > 1 &&
		    look_at((pid_t)pid, &t->list[t->n]))
			t->n++;
	}
	if (d)
		closedir(d);
}

static bool
is_ours(const struct table *t, pid_t pid)
{
	if (pid == getpid())
		return true;
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].pid == pid)
			return t->list[i].ours;
	return false;
}

/* Parents mostly stand before their children, so this ends soon. */
static void
mark(struct table *t)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < t->n; i++) {
			struct found *f = &t->list[i];

			if (!f->ours && is_ours(t, f->parent)) {
				f->ours = true;
				more = true;
			}
		}
	}
}

/* By a descriptor, after another look: a number may have been given anew in between. */
static bool
send_to(const struct table *t, const struct found *f, int sig)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	struct found now;

	return pidfd >= 0 && look_at(f->pid, &now) && is_ours(t, now.parent) &&
	       syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) == 0;
}

/* One look and a signal to all that are not dead or, for STOP, not stopped; how many. */
static unsigned
send_round(struct table *t, int sig)
{
	unsigned sent = 0;

	collect(t);
	mark(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct found *f = &t->list[i];

		if (f->ours && !f->dead && !(sig == SIGSTOP && f->stopped) &&
		    send_to(t, f, sig))
			sent++;
	}
	return sent;
}

static unsigned
count(struct table *t)
{
	unsigned n = 0;

	collect(t);
	mark(t);
	for (size_t i = 0; i < t->n; i++)
		n += t->list[i].ours && !t->list[i].dead;
	return n;
}

/* In a namespace of its own this process is the one that the first has started. */
static bool
is_alone(bool said)
{
	return said && getpid() <= 2;
}

unsigned
descendants_signal(int sig, bool alone)
{
	auto_free struct found *list = xcalloc(MOST, sizeof(*list));
	struct table t = { list, 0 };
	unsigned n;

	if (!is_alone(alone))
		return send_round(&t, sig);
	n = count(&t);
	kill(-1, sig);
	return n;
}

unsigned
descendants_kill(bool alone)
{
	auto_free struct found *list = xcalloc(MOST, sizeof(*list));
	struct table t = { list, 0 };

	if (is_alone(alone)) {
		kill(-1, SIGKILL);
		return count(&t);
	}
	for (int round = 0; round < ROUNDS_MAX && send_round(&t, SIGSTOP); round++)
		;
	return send_round(&t, SIGKILL);
}
