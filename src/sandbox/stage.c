/* SPDX-License-Identifier: MIT */
#include "sandbox/stage.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "sandbox/caps.h"
#include "sandbox/sys.h"
#include "sandbox/test.h"

#define HOST_NAME "sandbox"

void
stage_send(int talk, const struct stage_note *note)
{
	ssize_t n = sys_write(talk, note, STAGE_HEAD + note->n);

	(void)n; /* who does not read it is dead, and then so are we */
}

static void no_return
fail(struct stage *s, const struct err *e, bool weaker)
{
	struct stage_note note = {
		.kind = STAGE_FAILED,
		.code = (int32_t)e->code,
		.sys = e->sys,
		.weaker = weaker,
		.n = (uint32_t)strlen(e->text),
	};

	memcpy(note.text, e->text, note.n);
	stage_send(s->talk, &note);
	_exit(127);
}

static void
send_report(struct stage *s)
{
	struct stage_note note = { .kind = STAGE_REPORT };

	buf_reset(&s->text);
	sandbox_report_write(&s->handoff.report, &s->text);
	assert(buf_ok(&s->text) && s->text.n <= sizeof(note.text));
	note.n = (uint32_t)s->text.n;
	memcpy(note.text, s->text.p, s->text.n);
	stage_send(s->talk, &note);
}

static bool
leaves_out(uint32_t layers)
{
	return sandbox_test()->leave_out & layers;
}

/* The launcher has written the maps and the group. */
static int
wait_release(struct stage *s, struct err *e)
{
	char go;
	ssize_t n = read(s->talk, &go, 1);

	if (n != 1)
		return err_set(e, ERR_CLOSED, "the launcher is gone");
	if (s->handoff.report.held & LAYER_BIT(cgroup))
		report_prove(&s->handoff.report, LAYER_cgroup, go == STAGE_GO_GROUPED[0],
		    "joining the group");
	return 0;
}

/* Where namespaces exist but mean nothing (a wall around them), this is what is refused first.
 */
static int
cut_mounts(struct stage *s, struct err *e)
{
	return s->layers & LAYER_BIT(mntns) ? mount_private(e) : 0;
}

static int
name_host(struct stage *s, struct err *e)
{
	if ((s->layers & LAYER_BIT(utsns)) && sys_sethostname(HOST_NAME) < 0)
		return err_sys(e, "set the host name");
	return 0;
}

/* Before anything hides /proc. A self-closing program looks for itself. */
static int
look(struct stage *s, struct err *e)
{
	(void)e;
	if (!s->job->profile->self_closing)
		userns_look(&s->handoff.outside, s->layers, &s->handoff.report);
	return 0;
}

static int
send_mount(struct stage *s, int fd, struct err *e)
{
	struct stage_note note = { .kind = STAGE_MOUNT };
	struct iovec part = { &note, STAGE_HEAD };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(s->talk, &message, MSG_NOSIGNAL) < 0)
		return err_sys(e, "send a mount to the launcher");
	return 0;
}

static int
build_view(struct stage *s, struct err *e)
{
	int r;

	if (s->view->count == 0 || s->job->profile->self_closing || leaves_out(LAYER_BIT(root)))
		return 0;
	if (!(s->layers & LAYER_BIT(mntns))) {
		report_lack(&s->handoff.report, LAYER_root, 0, "there is no mount namespace");
		return 0;
	}
	r = mount_view_enter(s->view, s->become ? s->id : getuid(),
	    s->become ? s->id : getgid(), e);
	for (size_t i = 0; r == 0 && i < s->view->count; i++)
		if (s->view->trees[i] >= 0)
			r = send_mount(s, s->view->trees[i], e);
	if (r == 0)
		mount_prove_root(false, &s->handoff.report);
	return r;
}

/* Without namespaces a machine that refuses the change still has the other walls. */
static int
change_ids(struct stage *s, struct err *e)
{
	int r = s->become ? caps_become(s->id, s->id, e) : 0;

	if (r < 0 && s->layers == 0) {
		report_lack(&s->handoff.report, LAYER_ids, e->sys, "%s", e->text);
		s->handoff.own_id = false;
		r = 0;
	}
	return r;
}

/* After the ids, whose change clears it. A launcher that died before shows on the socket. */
static int
tie_to(int talk, struct err *e)
{
	struct pollfd parent = { .fd = talk };

	if (sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0) < 0)
		return err_sys(e, "tie this process to its parent's life");
	if (poll(&parent, 1, 0) != 0)
		return err_set(e, ERR_CLOSED, "the launcher is gone");
	return 0;
}

static int
tie(struct stage *s, struct err *e)
{
	return tie_to(s->talk, e);
}

static int
new_session(struct stage *s, struct err *e)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &plain, NULL);
	if (!s->job->profile->their_umask)
		umask(077);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return err_sys(e, "unblock signals");
	if (sys_setsid() < 0)
		return err_sys(e, "start a session");
	return 0;
}

/* From here on two processes: the keeper does not come back. */
static int
split_keeper(struct stage *s, struct err *e)
{
	int pair[2], unused = -1;
	pid_t pid;

	if (!s->job->profile->keeper)
		return 0;
	if (sys_socketpair(SOCK_SEQPACKET, pair) < 0)
		return err_sys(e, "make a socket for the keeper");
	pid = sys_clone(SIGCHLD, &unused);
	if (pid < 0)
		return err_sys(e, "start the payload");
	if (pid > 0) {
		close(pair[1]);
		keeper_run(s->talk, pair[0], pid, s->layers & LAYER_BIT(pidns));
	}
	close(pair[0]);
	close(s->talk);
	s->talk = pair[1];
	if (sys_setsid() < 0)
		return err_sys(e, "start a session");
	return tie_to(s->talk, e);
}

/* Out of the way of the numbers the child will be given. */
static int
lift(int fd, int *ret_high, struct err *e)
{
	*ret_high = sys_fcntl(fd, F_DUPFD_CLOEXEC, STAGE_FDS_MAX);
	return *ret_high < 0 ? err_sys(e, "move descriptor %d away", fd) : 0;
}

/* In the old tree still: a view need not have /dev/null. */
static int
gather_descriptors(struct stage *s, struct err *e)
{
	const struct sandbox_job *job = s->job;
	auto_fd int null = sys_openat(AT_FDCWD, "/dev/null", O_RDWR | O_NOCTTY, 0);
	int r;

	if (null < 0)
		return err_sys(e, "open /dev/null");
	r = lift(null, &s->null, e);
	if (r == 0)
		r = lift(s->talk, &s->talk, e);
	if (r == 0)
		r = lift(job->exe_fd, &s->exe, e);
	for (size_t i = 0; r == 0 && i < job->fd_count; i++)
		r = lift(job->fds[i].from, &s->high[i], e);
	return r;
}

/* Everything else closes by the exec. */
static int
place_descriptors(struct stage *s, struct err *e)
{
	const struct sandbox_job *job = s->job;

	if (sys_close_from(0, CLOSE_RANGE_CLOEXEC) < 0)
		return err_sys(e, "mark descriptors to close");
	for (int to = 0; to <= 2; to++)
		if (sys_dup2(s->null, to) < 0)
			return err_sys(e, "put /dev/null to %d", to);
	for (size_t i = 0; i < job->fd_count; i++)
		if (sys_dup2(s->high[i], job->fds[i].to) < 0)
			return err_sys(e, "put a descriptor to %d", job->fds[i].to);
	return 0;
}

static int
go_to_folder(struct stage *s, struct err *e)
{
	const char *dir = s->job->dir ? s->job->dir : "/";

	return sys_chdir(dir) < 0 ? err_sys(e, "go to '%s'", dir) : 0;
}

static int
set_limits(struct stage *s, struct err *e)
{
	const struct sandbox_profile *p = s->job->profile;
	int r = p->self_closing ? 0 : rlimit_enter(p->limits, p->limit_count, e);

	if (r == 0)
		r = rlimit_enter(s->job->limits, s->job->limit_count, e);
	if (r == 0 && !p->self_closing)
		rlimit_prove(p->limits, p->limit_count, &s->handoff.report);
	return r;
}

/* What a self-closing program needs to finish: none where there is nothing to leave. */
static int
drop_privileges(struct stage *s, struct err *e)
{
	const struct sandbox_profile *p = s->job->profile;
	struct sandbox_report *report = &s->handoff.report;
	uint64_t closing = s->layers & LAYER_BIT(mntns) ? CAPS_CLOSING : 0;
	int r = caps_enter(p->caps | (p->self_closing ? closing : 0), report, e);

	if (r == 0)
		r = caps_no_new_privs(report, e);
	if (r < 0 || p->self_closing)
		return r;
	caps_prove(p->caps, report);
	if (p->want & LAYER_BIT(ids))
		caps_look_ids(s->handoff.own_id, report);
	return 0;
}

static int
enter_landlock(struct stage *s, struct err *e)
{
	const struct sandbox_profile *p = s->job->profile;
	const struct landlock_group groups[] = {
		{ p->rules, p->rule_count },
		{ s->job->rules, s->job->rule_count },
	};
	bool closed = p->rule_count + s->job->rule_count == 0;
	int r;

	if (p->self_closing || !(p->want & LAYER_BIT(landlock)))
		return 0;
	landlock_aim(&s->aim);
	r = landlock_enter(groups, COUNT(groups), !p->tcp, &s->handoff.report, e);
	if (r == 0)
		landlock_prove(&s->aim, closed, !p->tcp, &s->handoff.report);
	return r;
}

static int
enter_filter(struct stage *s, struct err *e)
{
	const struct sandbox_profile *p = s->job->profile;
	int before, r;

	if (p->self_closing || !p->filter)
		return 0;
	before = seccomp_aim();
	r = seccomp_enter(p->filter, &s->handoff.report, e);
	if (r == 0)
		seccomp_prove(before, &s->handoff.report);
	return r;
}

/* The last moment to refuse: a self-closing program checks again when it is closed. */
static int
insist(struct stage *s, struct err *e)
{
	const struct sandbox_report *report = &s->handoff.report;
	uint32_t lacks = s->need & report->want & ~report->held & ~sandbox_test()->leave_out;

	if (s->job->profile->self_closing)
		return 0;
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (lacks & (1U << i))
			return err_set(e, ERR_DENIED,
			    "the layer '%s' is insisted on but not there: %s",
			    sandbox_layer_name((enum sandbox_layer)i), report->why[i].text);
	return 0;
}

static const struct {
	int (*run)(struct stage *s, struct err *e);
	bool weaker; /* what fails here may work with fewer namespaces */
} steps[] = {
	{ wait_release, false },
	{ cut_mounts, true },
	{ name_host, true },
	{ look, false },
	{ gather_descriptors, false },
	{ change_ids, true },
	{ build_view, false },
	{ tie, false },
	{ new_session, false },
	{ split_keeper, false },
	{ place_descriptors, false },
	{ go_to_folder, false },
	{ set_limits, false },
	{ drop_privileges, false },
	{ enter_landlock, false },
	{ enter_filter, false },
	{ insist, false },
};

/* The whole environment: what the job gives, and for our own programs the handoff. */
static void
make_environment(struct stage *s, struct buf *handoff, char **ret_env)
{
	const struct sandbox_job *job = s->job;
	size_t n = 0;

	for (; job->env && job->env[n]; n++) {
		assert(n + 2 < SANDBOX_ENV_MAX);
		ret_env[n] = (char *)(uintptr_t)job->env[n];
	}
	if (job->profile->self_closing) {
		handoff_write(&s->handoff, handoff);
		assert(buf_ok(handoff));
		ret_env[n++] = handoff->p;
	}
	ret_env[n] = NULL;
}

void
stage_run(struct stage *s)
{
	auto_done(buf) struct buf handoff = buf_max(HANDOFF_MAX);
	char *env[SANDBOX_ENV_MAX];
	struct err e = { 0 };

	s->text = buf_max(SANDBOX_REPORT_MAX);
	buf_space(&s->text, SANDBOX_REPORT_MAX);
	for (size_t i = 0; i < COUNT(steps); i++)
		if (steps[i].run(s, &e) < 0)
			fail(s, &e, steps[i].weaker && s->layers);
	make_environment(s, &handoff, env);
	send_report(s);
	sys_execveat(s->exe, (char *const *)(uintptr_t)s->job->argv, env);
	err_sys(&e, "execute '%s'", s->job->argv[0]);
	fail(s, &e, false);
}
