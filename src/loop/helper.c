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

#define RULE_LENGTH 6 /* instructions */

static void
put(struct sock_fprog *program, struct sock_filter one)
{
	program->filter[program->len++] = one;
}

static void
put_rule(struct sock_fprog *program, const struct helper_rule *r)
{
	const struct sock_filter code[RULE_LENGTH] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, 4),
		/* Where we run, the low half stands first. */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    (unsigned)(offsetof(struct seccomp_data, args) +
			       r->arg * sizeof(uint64_t))),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)r->gives),
	};

	for (size_t i = 0; i < COUNT(code); i++)
		put(program, code[i]);
}

/*
 * On top of the filter that there is, which has looked at the machine already; no_new_privs is set.
 * Of two filters that both refuse, the newer one says what is given.
 */
static bool
take_away(const struct helper_order *o)
{
	struct sock_filter code[(HELPER_WITHOUT_MAX + HELPER_RULES_MAX) * RULE_LENGTH + 1];
	struct sock_fprog program = { .filter = code };

	for (size_t i = 0; o->without && o->without[i]; i++) {
		assert(i < HELPER_WITHOUT_MAX);
		put_rule(&program,
		    &(struct helper_rule){ .call = o->without[i], .gives = ENOSYS });
	}
	assert(o->rules_n <= HELPER_RULES_MAX);
	for (size_t i = 0; i < o->rules_n; i++)
		put_rule(&program, &o->rules[i]);
	put(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	return program.len == 1 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
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
	    close_range(STDERR_FILENO + 1, ~0U, 0) == 0 && take_away(o))
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
