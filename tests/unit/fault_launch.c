/* SPDX-License-Identifier: MIT */
/*
 * A launcher for t_forge_fault, with its own JavaScript process and workers, none of them closed: they
 * answer whatever they are asked, so that every failure there is one of the broker's.
 */
#include "ipc/outcome.h"
#include "ipc/peer.h"
#include "loop/child.h"
#include "sandbox/profile.h"
#include "sandbox/report.h"

#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 3

struct child {
	struct source source;
	uint64_t ticket;
	pid_t pid;
};

static struct loop loop;
static struct peer core;
static struct err e;
static unsigned answered;

static void
on_closed(struct peer *p, const struct err *why)
{
	(void)p;
	(void)why;
	_exit(0);
}

static void no_return
serve(int fd, enum msg_role role, const struct peer_fn_table *on, enum msg_type hello,
    const void *body)
{
	loop_done(&loop);
	core = (struct peer){ .source.fd = -1 };
	if (dup2(fd, CHILD_CHANNEL) < 0 || close_range(CHILD_CHANNEL + 1, ~0U, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || loop_init(&loop, &e) < 0 ||
	    peer_init(&core, &loop, CHILD_CHANNEL, role, ROLE_CORE, on, on_closed, &e) < 0)
		_exit(1);
	core.state = ST_READY;
	core.pieces = true;
	if (peer_send(&core, hello, body, &e) < 0 || loop_run(&loop, &e) < 0)
		_exit(1);
	_exit(0);
}

/* ---- a worker ---- */

static int
tool_on_policy(struct peer *p, const void *body, struct err *ret_e)
{
	(void)p;
	(void)body;
	(void)ret_e;
	return 0;
}

static int
tool_on_run(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_tool_run *m = body;
	struct msg_tool_done done = { .ticket = m->ticket,
		.result = STR("{\"content\":\"x\"}") };

	if (memmem(m->input.p, m->input.n, "slow",
		4)) /* long enough to try something else often */
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	return peer_send(p, MSG_tool_done, &done, ret_e);
}

static const struct peer_fn_table on_tool = { {
    [MSG_tool_policy] = tool_on_policy,
    [MSG_tool_run] = tool_on_run,
} };

/* ---- the JavaScript process ---- */

static int
js_done(struct peer *p, uint64_t run, enum vm_outcome outcome, struct err *ret_e)
{
	struct msg_vm_done done = {
		.run = run,
		.outcome = outcome,
		.value = STR("1"),
		.has_value = outcome == VM_OK,
		.value_chars = 1,
	};

	return peer_send(p, MSG_vm_done, &done, ret_e);
}

/* A script of one letter waits for its cancel; any other makes some calls. */
static int
js_on_start(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_start *m = body;
	int r = 0;

	answered = 0;
	for (uint64_t n = 1; m->source.n > 1 && n <= CALLS && r >= 0; n++) {
		struct msg_vm_call call = {
			.run = m->run,
			.number = n,
			.name = STR("read_file"),
			.input = STR("{\"path\":\"a\"}"),
		};

		r = peer_send(p, MSG_vm_call, &call, ret_e);
	}
	return r;
}

static int
js_on_answer(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_answer *m = body;

	return ++answered == CALLS ? js_done(p, m->run, VM_OK, ret_e) : 0;
}

static int
js_on_cancel(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_cancel *m = body;

	return js_done(p, m->run, VM_CANCELLED, ret_e);
}

static const struct peer_fn_table on_js = { {
    [MSG_vm_start] = js_on_start,
    [MSG_vm_answer] = js_on_answer,
    [MSG_vm_cancel] = js_on_cancel,
} };

static void no_return
become(uint64_t profile, int fd)
{
	struct sandbox_report report = { .mode = SANDBOX_BARE };
	struct buf text = buf_max(SANDBOX_REPORT_MAX);
	struct msg_tool_hello tool = { .report = STR("") };
	struct msg_js_hello js = { .engine = STR("e"),
		.version = STR("1"),
		.sha256 = STR("0") };

	sandbox_report_write(&report, &text);
	js.report = buf_str(&text);
	if (profile == PROFILE_js)
		serve(fd, ROLE_JS, &on_js, MSG_js_hello, &js);
	serve(fd, ROLE_TOOL, &on_tool, MSG_tool_hello, &tool);
}

/* ---- the launcher ---- */

static void
on_exit_of(struct source *s, uint32_t events)
{
	struct child *c = container_of(s, struct child, source);
	struct msg_exited m = { .ticket = c->ticket };
	int status;

	(void)events;
	loop_remove(s);
	close(s->fd);
	waitpid(c->pid, &status, 0);
	m.signal = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
	free(c);
	if (peer_send(&core, MSG_exited, &m, &e) < 0)
		_exit(1);
}

static int
launch_on_spawn(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_spawn *m = body;
	struct child *c = xcalloc(1, sizeof(*c));
	struct msg_spawned told = { .ticket = m->ticket };
	auto_fd int channel = peer_take_fd(p);
	int pidfd;

	*c =
	    (struct child){ .source.on_ready = on_exit_of, .ticket = m->ticket, .pid = fork() };
	if (c->pid == 0)
		become(m->profile, channel);
	told.pid = (uint64_t)c->pid;
	pidfd = pidfd_open(c->pid, 0);
	if (peer_send_fd(p, MSG_spawned, &told, pidfd, ret_e) < 0)
		return -1;
	return loop_add(&loop, &c->source, pidfd, EPOLLIN, ret_e);
}

static const struct peer_fn_table on_launch = { { [MSG_spawn] = launch_on_spawn } };

int
main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	if (loop_init(&loop, &e) < 0 || peer_init(&core, &loop, CHILD_CHANNEL, ROLE_LAUNCH,
					    ROLE_CORE, &on_launch, on_closed, &e) < 0)
		return 1;
	core.state = ST_READY;
	return loop_run(&loop, &e) < 0;
}
