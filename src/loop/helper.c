/* SPDX-License-Identifier: MIT */
#include "loop/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * On top of the filter that there is, which has looked at the machine already; no_new_privs is set.
 */
static bool
take_away(const unsigned *calls)
{
	struct sock_filter code[HELPER_WITHOUT_MAX * 2 + 2];
	struct sock_fprog program = { .filter = code };

	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, nr));
	for (size_t i = 0; calls && calls[i]; i++) {
		assert(i < HELPER_WITHOUT_MAX);
		code[program.len++] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		code[program.len++] =
		    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return program.len == 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In the child, which has nothing of ours to lose. */
static void no_return
become(const struct helper_order *o, int out, int err, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    fchdir(o->dir) == 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0 &&
	    (o->input < 0 || dup2(o->input, STDIN_FILENO) >= 0) &&
	    close_range(STDERR_FILENO + 1, ~0U, 0) == 0 && take_away(o->without))
		execve(o->path, o->argv, o->env);
	dprintf(STDERR_FILENO, "%s", strerrordesc_np(errno));
	_exit(HELPER_NOT_STARTED);
}

int
helper_start(const struct helper_order *order, struct helper *ret_helper, struct err *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, pidfd = -1;
	pid_t parent = getpid(), pid = -1;
	int r = 0;

	/* The same order of arguments on every architecture up to the third. */
	if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0)
		pid =
		    (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, NULL);
	if (pid == 0)
		become(order, out[1], err[1], parent);
	if (pid < 0)
		r = err_sys(e, "start %s", order->path);
	base_close_fd(&out[1]);
	base_close_fd(&err[1]);
	if (r < 0) {
		base_close_fd(&out[0]);
		base_close_fd(&err[0]);
		return r;
	}
	*ret_helper = (struct helper){ pid, pidfd, out[0], err[0] };
	return 0;
}

void
helper_kill(const struct helper *h)
{
	syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
}

int
helper_done(struct helper *h)
{
	int status = 0;

	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	base_close_fd(&h->pidfd);
	base_close_fd(&h->out);
	base_close_fd(&h->err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
