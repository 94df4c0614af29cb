/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "sandbox/caps.h"
#include "sandbox/stage.h"
#include "sandbox/sys.h"

#define ROUNDS_MAX   1000 /* of killing a tree that keeps growing */
#define CHILDREN_MAX KiB(64)

static bool
spared(pid_t pid, const pid_t *spare, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (spare[i] == pid)
			return true;
	return false;
}

/* One round over the direct children; the number of those that were killed. */
static unsigned
kill_children(const pid_t *spare, size_t count)
{
	static char text[CHILDREN_MAX];
	struct str rest;
	unsigned killed = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	rest = str_of(text);
	while (rest.n) {
		uint64_t pid;

		if (!str_u64(str_split(&rest, ' '), INT32_MAX, &pid) ||
		    spared((pid_t)pid, spare, count))
			continue;
		kill((pid_t)pid, SIGKILL);
		waitpid((pid_t)pid, NULL, 0);
		killed++;
	}
	return killed;
}

/* What a killed process leaves becomes our child, so the next round finds it. */
void
keeper_kill_tree(const pid_t *spare, size_t count)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++)
		if (kill_children(spare, count) == 0)
			return;
}

/* Passes notes on until the exec closes the payload's end. */
static bool
relay(int talk, int payload_talk)
{
	static struct stage_note note;
	ssize_t n;

	while ((n = read(payload_talk, &note, sizeof(note))) > 0) {
		if (n < (ssize_t)STAGE_HEAD)
			return false;
		stage_send(talk, &note);
		if (note.kind == STAGE_FAILED)
			return false;
	}
	note = (struct stage_note){ .kind = STAGE_STARTED };
	stage_send(talk, &note);
	return n == 0;
}

static void
tell_end(int talk, int status)
{
	struct stage_note note = { .kind = STAGE_ENDED, .status = status };

	stage_send(talk, &note);
}

/* Waits for the payload; orphans of it that end before are reaped on the way. */
static void
wait_payload(int talk, int signals, pid_t payload)
{
	struct pollfd wake[] = { { .fd = signals, .events = POLLIN }, { .fd = talk } };
	struct signalfd_siginfo info;
	int status;

	for (;;) {
		pid_t pid;

		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (pid == payload) {
				tell_end(talk, status);
				return;
			}
		}
		if (poll(wake, COUNT(wake), -1) < 0 && errno != EINTR)
			return;
		if (wake[1].revents)
			return; /* the launcher is gone */
		if ((wake[0].revents & POLLIN) &&
		    read(signals, &info, sizeof(info)) == sizeof(info) &&
		    info.ssi_signo == SIGTERM)
			return;
	}
}

/* A keeper needs two sockets and nothing it could be tricked with. */
static void
strip(int talk, int payload_talk)
{
	struct sandbox_report unused = { 0 };
	struct err e;
	int low = MIN(talk, payload_talk), high = MAX(talk, payload_talk);

	if (low > 0)
		sys_close_range(0, (unsigned)low - 1, 0);
	if (high - low > 1)
		sys_close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	sys_close_from((unsigned)high + 1, 0);
	if (caps_enter(0, &unused, &e) < 0 || caps_no_new_privs(&unused, &e) < 0 ||
	    caps_not_dumpable(&unused, &e) < 0)
		_exit(127);
}

void
keeper_run(int talk, int payload_talk, pid_t payload, bool in_pidns)
{
	sigset_t watched;
	int signals;

	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, SIGTERM);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	strip(talk, payload_talk);
	signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		_exit(127);
	/* Dying with the launcher at once would leave the tree to nobody. */
	if (!in_pidns && (sys_prctl(PR_SET_CHILD_SUBREAPER, 1, 0) < 0 ||
			     sys_prctl(PR_SET_PDEATHSIG, 0, 0) < 0))
		_exit(127);
	if (relay(talk, payload_talk))
		wait_payload(talk, signals, payload);
	if (!in_pidns)
		keeper_kill_tree(NULL, 0);
	_exit(0);
}
