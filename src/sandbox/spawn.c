/* SPDX-License-Identifier: MIT */
#include "sandbox/spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "sandbox/caps.h"
#include "sandbox/stage.h"
#include "sandbox/sys.h"
#include "sandbox/test.h"

#define START_TIMEOUT_MS 10000
#define END_TIMEOUT_MS   5000
#define OOM_FIRST        "1000" /* a guest goes before anything else when memory is short */

/* One try in one mode. */
struct attempt {
	struct sandbox_host *host;
	const struct sandbox_job *job;
	enum sandbox_mode mode;
	struct mount_view view;
	bool own_id; /* the child gets an id that is nobody else's: the slot */
	uid_t slot;
	struct sandbox_child child;
	int talk;
	bool weaker; /* it failed in a way that a weaker mode may not */
};

void
sandbox_host_init(struct sandbox_host *ret_host)
{
	*ret_host = (struct sandbox_host){ 0 };
	sys_prctl(PR_SET_CHILD_SUBREAPER, 1, 0);
	userns_read(&ret_host->namespaces);
	cgroup_find(&ret_host->group);
}

static uint32_t
layers_of(const struct sandbox_job *job, enum sandbox_mode mode)
{
	uint32_t layers = job->profile->want & LAYERS_NAMESPACES & ~sandbox_test()->leave_out;

	if (mode == SANDBOX_BARE)
		return 0;
	return mode == SANDBOX_ROOT ? layers & ~LAYER_BIT(userns) : layers;
}

static bool
mode_applies(const struct sandbox_job *job, enum sandbox_mode mode)
{
	uint32_t layers = layers_of(job, mode);

	if (mode == SANDBOX_USERNS)
		return layers & LAYER_BIT(userns);
	if (mode == SANDBOX_ROOT)
		return layers && (caps_effective() & CAPS_BIT(CAP_SYS_ADMIN));
	return true;
}

static int
check_job(const struct sandbox_job *job, struct err *e)
{
	size_t env = 0;

	while (job->env && job->env[env])
		env++;
	if (env + 2 >= SANDBOX_ENV_MAX)
		return err_set(e, ERR_LIMIT, "more than %d environment variables",
		    SANDBOX_ENV_MAX - 3);
	if (job->fd_count > SANDBOX_FDS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d descriptors", SANDBOX_FDS_MAX);
	for (size_t i = 0; i < job->fd_count; i++)
		if (job->fds[i].to < 0 || job->fds[i].to >= STAGE_FDS_MAX)
			return err_set(e, ERR_INVALID, "descriptor number %d", job->fds[i].to);
	if (!job->argv || !job->argv[0])
		return err_set(e, ERR_INVALID, "no arguments");
	return 0;
}

static int
open_view(struct attempt *a, struct err *e)
{
	const struct sandbox_profile *p = a->job->profile;
	bool may_mount =
	    a->mode != SANDBOX_BARE && (caps_effective() & CAPS_BIT(CAP_SYS_ADMIN));
	int r;

	mount_view_init(&a->view);
	r = mount_view_add(&a->view, p->view, p->view_count, e);
	if (r == 0)
		r = mount_view_add(&a->view, a->job->binds, a->job->bind_count, e);
	if (r == 0 && may_mount)
		r = mount_view_detach(&a->view, e);
	return r;
}

static bool
gives_id(const struct sandbox_job *job)
{
	return geteuid() == 0 && !job->profile->person_id &&
	       !(sandbox_test()->leave_out & LAYER_BIT(ids));
}

static void no_return
child_side(struct attempt *a, int talk, const struct sandbox_report *report)
{
	uint32_t layers = layers_of(a->job, a->mode);
	bool mapped = layers & LAYER_BIT(userns);
	struct stage s = {
		.job = a->job,
		.view = &a->view,
		.handoff = { .own_id = a->own_id,
		    .need = a->job->need,
		    .outside = a->host->namespaces,
		    .report = *report },
		.layers = layers,
		.need = a->job->need | a->job->profile->must,
		.become = mapped || a->own_id,
		.id = mapped ? USERNS_ID : a->slot,
		.talk = talk,
	};

	stage_run(&s);
}

/* Writes what only a parent can write, then lets the child go on. */
static int
release(struct attempt *a, struct err *e)
{
	pid_t pid = a->child.pid;
	bool grouped;
	char path[64];
	int r = 0;

	if (layers_of(a->job, a->mode) & LAYER_BIT(userns)) {
		uid_t uid = a->own_id ? a->slot : geteuid();
		gid_t gid = a->own_id ? a->slot : getegid();

		r = userns_map(pid, uid, gid, e);
		a->weaker = r < 0;
	}
	if (r < 0)
		return r;
	grouped = cgroup_join(&a->child.group, pid);
	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
	sys_put(AT_FDCWD, path, OOM_FIRST); /* a kindness to others, no wall */
	if (sys_write(a->talk, grouped ? STAGE_GO_GROUPED : STAGE_GO, 1) != 1)
		return err_sys(e, "let the child go on");
	return 0;
}

/* One note and the descriptor that may come with it; 0 at the end. */
static ssize_t
receive(int talk, struct stage_note *ret_note, int *ret_fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { ret_note, sizeof(*ret_note) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n = recvmsg(talk, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*ret_fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(head), sizeof(int));
	if (n > 0 && (n < (ssize_t)STAGE_HEAD || (size_t)n != STAGE_HEAD + ret_note->n))
		return -1;
	return n;
}

static int
keep_sent(struct attempt *a, int *fd, struct err *e)
{
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++) {
		if (a->child.sent[i] < 0) {
			a->child.sent[i] = steal_fd(fd);
			return 0;
		}
	}
	return err_set(e, ERR_LIMIT, "more than %d mounts sent out", SANDBOX_SENT_MAX);
}

static int
on_failed(struct attempt *a, const struct stage_note *note, struct err *e)
{
	a->weaker = note->weaker;
	err_set(e, (enum err_code)note->code, "%.*s", (int)note->n, note->text);
	e->sys = note->sys;
	return -(int)e->code;
}

/* Acts on one note; 1 when the program runs. */
static int
on_note(struct attempt *a, const struct stage_note *note, int *fd, struct err *e)
{
	switch ((enum stage_kind)note->kind) {
	case STAGE_FAILED:
		return on_failed(a, note, e);
	case STAGE_REPORT:
		return sandbox_report_read((struct str){ note->text, note->n },
		    &a->child.report, e);
	case STAGE_MOUNT:
		return keep_sent(a, fd, e);
	case STAGE_STARTED:
		return 1;
	case STAGE_ENDED:
	case STAGE_KIND_COUNT:
		break;
	}
	return err_set(e, ERR_PROTO, "an unexpected note %u from the child", note->kind);
}

/* Reads notes until the exec closes the socket or a keeper says that the program runs. */
static int
wait_started(struct attempt *a, struct err *e)
{
	struct stage_note note;
	bool reported = false;

	for (;;) {
		struct pollfd ready = { .fd = a->talk, .events = POLLIN };
		auto_fd int fd = -1;
		ssize_t n;
		int r;

		if (poll(&ready, 1, START_TIMEOUT_MS) <= 0)
			return err_set(e, ERR_LIMIT, "the child did not start within %d ms",
			    START_TIMEOUT_MS);
		n = receive(a->talk, &note, &fd);
		if (n < 0)
			return err_set(e, ERR_PROTO, "the child's start cannot be followed");
		if (n == 0)
			return reported ? 0
					: err_set(e, ERR_CLOSED,
					      "the child ended before it started");
		r = on_note(a, &note, &fd, e);
		if (r != 0)
			return r < 0 ? r : 0;
		reported |= note.kind == STAGE_REPORT;
	}
}

static void
abandon(struct sandbox_child *child)
{
	siginfo_t info;

	if (child->pid > 0) {
		if (sys_pidfd_signal(child->pidfd, SIGKILL) < 0)
			kill(child->pid,
			    SIGKILL); /* not reaped, so the number is still its own */
		waitid(P_PID, (id_t)child->pid, &info, WEXITED);
	}
	base_close_fd(&child->pidfd);
	base_close_fd(&child->slot_fd);
	base_close_fd(&child->status_fd);
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++)
		base_close_fd(&child->sent[i]);
	cgroup_remove(&child->group);
}

static int
clone_child(struct attempt *a, const struct sandbox_report *report, struct err *e)
{
	uint32_t layers = layers_of(a->job, a->mode);
	uint64_t flags = userns_flags(layers);
	int dumpable = sys_prctl(PR_GET_DUMPABLE, 0, 0);
	int pair[2];

	if (sys_socketpair(SOCK_SEQPACKET, pair) < 0)
		return err_sys(e, "make a socket for the child");
	/* The maps of a child that is not dumpable belong to root, and we may not be root. */
	sys_prctl(PR_SET_DUMPABLE, 1, 0);
	a->child.pid = userns_clone(flags, a->child.group.fd, &a->child.pidfd, e);
	if (a->child.pid < 0 && a->child.group.fd >= 0)
		a->child.pid = userns_clone(flags, -1, &a->child.pidfd, e);
	if (a->child.pid == 0) {
		close(pair[0]);
		child_side(a, pair[1], report);
	}
	sys_prctl(PR_SET_DUMPABLE, (unsigned long)(dumpable == 1), 0);
	close(pair[1]);
	a->talk = pair[0];
	a->weaker = a->child.pid < 0 && layers;
	return a->child.pid < 0 ? -(int)ERR_SYS : 0;
}

/* What this mode promises; the child looks whether it is true. */
static void
begin_report(const struct attempt *a, struct sandbox_report *r)
{
	uint32_t layers = layers_of(a->job, a->mode);

	r->mode = a->mode;
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (layers & (1U << i))
			report_hold(r, (enum sandbox_layer)i);
}

static int
prepare(struct attempt *a, struct sandbox_report *report, struct err *e)
{
	int r = open_view(a, e);

	if (r == 0 && a->own_id)
		r = userns_slot_claim(&a->slot, &a->child.slot_fd, e);
	if (r == 0 && (a->job->profile->want & LAYER_BIT(cgroup) & ~sandbox_test()->leave_out))
		cgroup_new(&a->host->group, &a->job->group, &a->child.group, report);
	return r;
}

static int
try_mode(struct attempt *a, struct sandbox_report *report, struct err *e)
{
	int r = prepare(a, report, e);

	begin_report(a, report);
	if (r == 0)
		r = clone_child(a, report, e);
	a->child.report = *report;
	if (r == 0)
		r = release(a, e);
	if (r == 0)
		r = wait_started(a, e);
	mount_view_done(&a->view);
	if (r == 0 && a->job->profile->keeper)
		a->child.status_fd = steal_fd(&a->talk);
	base_close_fd(&a->talk);
	if (r < 0) {
		abandon(&a->child);
		if (a->job->profile->keeper && !(layers_of(a->job, a->mode) & LAYER_BIT(pidns)))
			keeper_kill_tree(a->host->live, a->host->live_count);
	}
	return r;
}

static void
begin_attempt(struct attempt *a)
{
	a->child = (struct sandbox_child){
		.pid = -1,
		.pidfd = -1,
		.status_fd = -1,
		.slot_fd = -1,
		.group = { .fd = -1 },
	};
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++)
		a->child.sent[i] = -1;
	a->own_id = gives_id(a->job);
	a->talk = -1;
	a->weaker = false;
}

/* A mode that failed: none of its namespaces holds, and this is why. */
static void
note_fallback(const struct attempt *a, const struct err *why, struct sandbox_report *report)
{
	uint32_t layers = layers_of(a->job, a->mode);

	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (layers & (1U << i))
			report_lack(report, (enum sandbox_layer)i, why->sys, "%s", why->text);
}

/* Namespaces without which the job must not start. */
static uint32_t
insisted(const struct sandbox_job *job)
{
	uint32_t need =
	    (job->need | job->profile->must) & job->profile->want & ~sandbox_test()->leave_out;

	return (need & LAYERS_NAMESPACES) | (need & LAYER_BIT(root) ? LAYER_BIT(mntns) : 0);
}

/* Modes come strongest first: what this one does not give, none of those after it does. */
static int
insist_on_mode(const struct sandbox_job *job, enum sandbox_mode mode,
    const struct sandbox_report *report, struct err *e)
{
	uint32_t lacks = insisted(job) & ~layers_of(job, mode);

	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (lacks & (1U << i))
			return err_set(e, ERR_DENIED,
			    "the layer '%s' is insisted on but not there: %s",
			    sandbox_layer_name((enum sandbox_layer)i), report->why[i].text);
	return 0;
}

static void
forget(struct sandbox_host *host, pid_t pid)
{
	for (size_t i = 0; i < host->live_count; i++) {
		if (host->live[i] == pid) {
			host->live[i] = host->live[--host->live_count];
			return;
		}
	}
}

int
sandbox_spawn(struct sandbox_host *host, const struct sandbox_job *job,
    struct sandbox_child *ret_child, struct err *e)
{
	struct sandbox_report report = { .want = job->profile->want };
	struct attempt a = { .host = host, .job = job };
	int r = check_job(job, e);

	if (r == 0 && host->live_count == SANDBOX_LIVE_MAX)
		r = err_set(e, ERR_LIMIT, "%d closed processes are running", SANDBOX_LIVE_MAX);
	for (int mode = SANDBOX_USERNS; r == 0 && mode >= SANDBOX_BARE; mode--) {
		a.mode = (enum sandbox_mode)mode;
		if (!mode_applies(job, a.mode))
			continue;
		r = insist_on_mode(job, a.mode, &report, e);
		if (r < 0)
			return r;
		begin_attempt(&a);
		r = try_mode(&a, &report, e);
		if (r == 0) {
			host->live[host->live_count++] = a.child.pid;
			*ret_child = a.child;
			return 0;
		}
		if (!a.weaker || a.mode == SANDBOX_BARE)
			return r;
		note_fallback(&a, e, &report);
		r = 0;
	}
	return r;
}

/* Outside a pid namespace only the keeper can find everything that the payload started. */
static bool
ends_its_tree(const struct sandbox_child *child)
{
	return child->status_fd >= 0 && !(child->report.held & LAYER_BIT(pidns));
}

void
sandbox_kill(struct sandbox_child *child)
{
	child->killed = true;
	cgroup_kill(&child->group);
	if (!ends_its_tree(child)) {
		sys_pidfd_signal(child->pidfd, SIGKILL);
		return;
	}
	sys_pidfd_signal(child->pidfd, SIGTERM);
	sys_pidfd_signal(child->pidfd, SIGCONT);
}

/* The status a keeper sent, or what the kernel says of the child itself. */
static int
status_of(const struct sandbox_child *child, const siginfo_t *info)
{
	struct stage_note note;

	while (child->status_fd >= 0 &&
	       recv(child->status_fd, &note, sizeof(note), MSG_DONTWAIT) >= (ssize_t)STAGE_HEAD)
		if (note.kind == STAGE_ENDED)
			return note.status;
	if (child->status_fd >= 0)
		return SIGKILL; /* the keeper was ended before its payload */
	return info->si_code == CLD_EXITED ? (info->si_status & 0xff) << 8
					   : info->si_status & 0x7f;
}

int
sandbox_reap(struct sandbox_host *host, struct sandbox_child *child, int *ret_status,
    struct err *e)
{
	struct pollfd end = { .fd = child->pidfd, .events = POLLIN };
	siginfo_t info = { 0 };

	if (child->killed && poll(&end, 1, END_TIMEOUT_MS) == 0)
		sys_pidfd_signal(child->pidfd, SIGKILL);
	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED) < 0)
		return err_sys(e, "wait for process %d", (int)child->pid);
	*ret_status = status_of(child, &info);
	forget(host, child->pid);
	if (ends_its_tree(child))
		keeper_kill_tree(host->live, host->live_count);
	child->pid = -1;
	child->memory_kills = cgroup_memory_kills(&child->group);
	abandon(child);
	return 0;
}
