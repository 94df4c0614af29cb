/* SPDX-License-Identifier: MIT */
#include "loop/process.h"

#include "base/clock.h"
#include "base/fd.h"
#include "loop/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_STEP KiB(64)
#define TICK_MS   200 /* orphans that end are reaped so often */
#define DRAIN_MAX MiB(1)
#define GRACE_NS  (2 * NS_PER_S)    /* after TERM, when it is not over by itself */
#define LEFT_NS   (300 * NS_PER_MS) /* the same, for what it left behind */
#define KILL_NS   (5 * NS_PER_S)    /* after KILL, for what sits in a system call */

/* What the child says when it does not come to its exec. */
struct refusal {
	int step, sys;
	char why[ERR_TEXT_MAX];
};

struct running {
	const struct process_order *order;
	struct process_end *end;
	pid_t pid;
	int pidfd, out, err;
	uint64_t began;
	bool over; /* the command itself has ended */
};

/* ---- the child ---- */

static void no_return
refuse(int talk, enum process_step step, int sys, const char *why)
{
	struct refusal r = { .step = (int)step, .sys = sys };
	ssize_t n;

	snprintf(r.why, sizeof(r.why), "%s", why);
	n = write(talk, &r, sizeof(r));
	(void)n; /* nobody is there to hear it then */
	_exit(127);
}

static void
plain_signals(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &plain, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool
place(int null, int out, int err)
{
	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	       dup2(err, STDERR_FILENO) >= 0 &&
	       close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/* As execvp, but an empty folder of the path is none, and a text file is not given to a shell. */
static int
execute(const struct process_order *o)
{
	struct str rest = o->path;
	int sys = ENOENT;

	if (strchr(o->argv[0], '/')) {
		execve(o->argv[0], o->argv, o->env);
		return errno;
	}
	while (rest.n) {
		struct str folder = str_split(&rest, ':');
		char path[PATH_MAX];
		int n = snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(folder), o->argv[0]);

		if (!folder.n || n < 0 || (size_t)n >= sizeof(path))
			continue;
		execve(path, o->argv, o->env);
		if (errno == EACCES)
			sys = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return errno;
		else if (access(path, F_OK) == 0)
			return errno; /* it is there: what it wants as its interpreter is not */
	}
	return sys;
}

static void no_return
become(const struct process_order *o, int out, int err, int talk, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct err e = { .text = "" };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || setsid() < 0)
		refuse(talk, PROCESS_SESSION, errno, "");
	plain_signals();
	if (!place(null, out, err))
		refuse(talk, PROCESS_SESSION, errno, "");
	if (o->fence(o, &e) < 0)
		refuse(talk, PROCESS_FENCE, e.sys, e.text);
	if (fchdir(o->dir) < 0)
		refuse(talk, PROCESS_FOLDER, errno, "");
	refuse(talk, PROCESS_EXEC, execute(o), "");
}

/* ---- listening ---- */

/* One read: false when there was nothing, or nothing will come any more. */
static bool
drain(int *fd, struct kept *k)
{
	char piece[READ_STEP];
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, piece, sizeof(piece));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		base_close_fd(fd);
		return false;
	}
	kept_add(k, (struct str){ piece, (size_t)n });
	return true;
}

/* What has arrived by now, and no more than pipes hold: who still writes may never stop. */
static void
drain_rest(struct running *r)
{
	for (size_t n = 0; n < DRAIN_MAX && drain(&r->out, &r->end->out); n += READ_STEP)
		;
	for (size_t n = 0; n < DRAIN_MAX && drain(&r->err, &r->end->err); n += READ_STEP)
		;
}

/* Everything that has ended is reaped; whether anything of the command is left. */
static bool
reap(struct running *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == r->pid && !r->over) {
			r->over = true;
			r->end->status = status;
			r->end->took = clock_now() - r->began;
		}
	}
	return pid == 0;
}

static int
wait_ms(uint64_t until)
{
	uint64_t now = clock_now();

	if (now >= until)
		return 0;
	return (int)MIN((until - now) / NS_PER_MS + 1, (uint64_t)TICK_MS);
}

/* One wait for output, the command's end or somebody's word; false for that word. */
static bool
turn(struct running *r, uint64_t until)
{
	struct pollfd fds[] = { { .fd = r->out, .events = POLLIN },
		{ .fd = r->err, .events = POLLIN },
		{ .fd = r->over ? -1 : r->pidfd, .events = POLLIN },
		{ .fd = r->order->cancel, .events = POLLIN } };

	if (poll(fds, COUNT(fds), wait_ms(until)) < 0)
		return true;
	if (fds[0].revents)
		drain(&r->out, &r->end->out);
	if (fds[1].revents)
		drain(&r->err, &r->end->err);
	return !fds[3].revents;
}

static void
listen_to(struct running *r)
{
	uint64_t until = r->began + r->order->timeout;

	for (;;) {
		bool called = !turn(r, until);

		reap(r);
		if (r->over)
			return;
		if (called || clock_now() >= until) {
			r->end->how = called ? PROCESS_CANCELLED : PROCESS_TIMEOUT;
			return;
		}
	}
}

/* ---- ending ---- */

/* Until nothing is left, or the time is up; output is read on, or who writes would never end. */
static bool
wait_gone(struct running *r, uint64_t ns)
{
	uint64_t until = clock_now() + ns;

	while (reap(r)) {
		struct pollfd fds[] = { { .fd = r->out, .events = POLLIN },
			{ .fd = r->err, .events = POLLIN } };

		if (clock_now() >= until)
			return false;
		if (poll(fds, COUNT(fds), 5) > 0)
			drain_rest(r);
	}
	return true;
}

static void
end_everything(struct running *r)
{
	struct process_end *end = r->end;
	bool whole = end->how == PROCESS_ENDED;
	uint64_t until;

	if (!reap(r))
		return;
	/* One is there, whether or not it was just then on its way to us and in no list. */
	end->left = MAX(descendants_signal(0, r->order->alone), 1U);
	/* Its group in one go, while its number is surely its own: it has not been reaped. */
	if (!r->over)
		kill(-r->pid, SIGTERM);
	descendants_signal(SIGTERM, r->order->alone);
	descendants_signal(SIGCONT, r->order->alone);
	if (wait_gone(r, whole ? LEFT_NS : GRACE_NS))
		return;
	end->killed = true;
	until = clock_now() + KILL_NS;
	do {
		if (!r->over)
			kill(-r->pid, SIGKILL);
		end->left = MAX(end->left, MAX(descendants_kill(r->order->alone), 1U));
	} while (!wait_gone(r, 20 * NS_PER_MS) && clock_now() < until);
	end->stuck = reap(r);
}

/* ---- life ---- */

int
process_init(struct err *e)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_sys(e, "become the one to whom orphans come");
	return 0;
}

static int
start(struct running *r, int *ret_talk, struct err *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, talk[2] = { -1, -1 };
	pid_t parent = getpid();
	int n = 0;

	r->pid = -1;
	if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
	    pipe2(talk, O_CLOEXEC) == 0)
		r->pid = (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &r->pidfd, NULL,
		    NULL);
	if (r->pid == 0)
		become(r->order, out[1], err[1], talk[1], parent);
	if (r->pid < 0)
		n = err_sys(e, "make a process");
	base_close_fd(&out[1]);
	base_close_fd(&err[1]);
	base_close_fd(&talk[1]);
	r->out = out[0];
	r->err = err[0];
	*ret_talk = talk[0];
	if (n == 0)
		n = fd_nonblock(r->out, e);
	return n == 0 ? fd_nonblock(r->err, e) : n;
}

/* What it says before its exec, which closes the pipe. */
static void
hear(int talk, struct process_end *end)
{
	struct refusal refusal;
	ssize_t n;

	do
		n = read(talk, &refusal, sizeof(refusal));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(refusal))
		return;
	end->step = (enum process_step)refusal.step;
	end->sys = refusal.sys;
	snprintf(end->why, sizeof(end->why), "%s", refusal.why);
}

bool
process_run(const struct process_order *order, struct process_end *ret_end, struct err *e)
{
	struct running r = { .order = order,
		.end = ret_end,
		.pidfd = -1,
		.out = -1,
		.err = -1 };
	auto_fd int talk = -1;
	bool ran;

	memset(ret_end, 0, offsetof(struct process_end, out));
	ret_end->out.bytes = ret_end->out.head_n = ret_end->out.tail_n = ret_end->out.tail_at =
	    0;
	ret_end->err.bytes = ret_end->err.head_n = ret_end->err.tail_n = ret_end->err.tail_at =
	    0;
	r.began = clock_now();
	ran = start(&r, &talk, e) == 0;
	if (ran) {
		hear(talk, ret_end);
		listen_to(&r);
		drain_rest(&r);
	}
	if (r.pid > 0)
		end_everything(&r);
	drain_rest(&r);
	base_close_fd(&r.pidfd);
	base_close_fd(&r.out);
	base_close_fd(&r.err);
	return ran;
}
