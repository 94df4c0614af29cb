/* SPDX-License-Identifier: MIT */
/*
 * crisol-launch: starts the closed processes and tells the broker of their ends. It is small,
 * has one thread and no secrets, parses nothing but our own frames, and dies with the broker;
 * its children die with it.
 */
#include "ipc/peer.h"
#include "loop/child.h"
#include "sandbox/spawn.h"
#include "sandbox/tmpdir.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 64

struct launch;

struct child {
	struct source source; /* its pidfd */
	struct sandbox_child process;
	struct launch *launch;
	struct child *next;
	uint64_t ticket;
	char tmp[TMPDIR_PATH_MAX]; /* its private folder; "": none */
};

struct launch {
	struct loop loop;
	struct peer core;
	struct sandbox_host host;
	struct child *children;
	int exe[PROFILE_COUNT]; /* our own programs, opened once */
};

/* Commands: what builds and tests of large projects use; a fork bomb ends at it. */
#define RUNNER_GROUP { .memory_bytes = GiB(64), .pids = 512 }

/* Which program a profile closes, and what bounds its whole tree where control groups are there. */
static const struct program {
	const char *name;
	struct cgroup_limits group;
} programs[PROFILE_COUNT] = {
	[PROFILE_js] = { "crisol-js", { .memory_bytes = GiB(4), .pids = 4 } },
	[PROFILE_reader] = { "crisol-tool", { .memory_bytes = GiB(4), .pids = 256 } },
	[PROFILE_runner] = { "crisol-tool", RUNNER_GROUP },
	[PROFILE_runner_net] = { "crisol-tool", RUNNER_GROUP },
	[PROFILE_runner_open] = { "crisol-tool", RUNNER_GROUP },
	[PROFILE_writer] = { "crisol-tool", { .memory_bytes = GiB(1), .pids = 4 } },
};

static void
say(struct launch *l, enum msg_type type, const void *body, int fd)
{
	struct err e;

	if (peer_send_fd(&l->core, type, body, fd, &e) < 0)
		peer_drop(&l->core, &e);
}

static void
unlist(struct child *c)
{
	struct child **at = &c->launch->children;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	loop_remove(&c->source);
}

/* After it is dead. */
static void
forget(struct child *c)
{
	if (*c->tmp)
		tmpdir_remove(c->tmp);
	free(c);
}

static void
on_child_exit(struct source *s, uint32_t events)
{
	struct child *c = container_of(s, struct child, source);
	struct launch *l = c->launch;
	struct msg_exited m = { .ticket = c->ticket };
	struct err e;
	int status = 0;

	(void)events;
	unlist(c);
	if (sandbox_reap(&l->host, &c->process, &status, &e) < 0)
		m.signal = SIGKILL;
	else if (WIFSIGNALED(status))
		m.signal = (uint64_t)WTERMSIG(status);
	else
		m.status = (uint64_t)WEXITSTATUS(status);
	forget(c);
	say(l, MSG_exited, &m, -1);
}

/* argv: the program's name and the arguments, which lie one behind the other with a NUL each. */
static size_t
split_arguments(struct str arguments, const char **argv, size_t max)
{
	size_t n = 0;

	while (arguments.n && n < max) {
		const char *one = arguments.p;

		if (!memchr(one, '\0', arguments.n))
			break;
		argv[n++] = one;
		arguments = str_from(arguments, strlen(one) + 1);
	}
	argv[n] = NULL;
	return n;
}

static int
start(struct launch *l, const struct msg_spawn *m, int channel, struct child *c, struct err *e)
{
	const struct program *program = &programs[m->profile];
	/* Nothing else: standard error may be a terminal, which can be read and told what to do. */
	const struct sandbox_fd fds[] = { { channel, CHILD_CHANNEL } };
	const char *argv[ARGUMENTS_MAX + 2] = { program->name };
	char variable[TMPDIR_PATH_MAX + 8], base[NAME_MAX_BYTES + 1];
	const char *env[2] = { NULL };
	struct sandbox_job job = {
		.profile = &sandbox_profiles[m->profile],
		.exe_fd = l->exe[m->profile],
		.argv = argv,
		.env = env,
		.fds = fds,
		.fd_count = COUNT(fds),
		.group = program->group,
	};

	if (l->exe[m->profile] < 0) {
		int r = child_open(program->name, &l->exe[m->profile], e);

		if (r < 0)
			return r;
		job.exe_fd = l->exe[m->profile];
	}
	if (m->tmp.n) {
		snprintf(base, sizeof(base), "%.*s", STR_ARG(m->tmp));
		if (tmpdir_make(&l->host.group, base, c->tmp, e) < 0)
			return -1;
		snprintf(variable, sizeof(variable), "TMPDIR=%s", c->tmp);
		env[0] = variable;
	}
	split_arguments(m->arguments, argv + 1, ARGUMENTS_MAX);
	return sandbox_spawn(&l->host, &job, &c->process, e);
}

static void
watch(struct launch *l, struct child *c)
{
	auto_done(buf) struct buf report = buf_max(REPORT_MAX);
	struct msg_spawned m = { .ticket = c->ticket, .pid = (uint64_t)c->process.pid };
	struct err e;

	c->launch = l;
	c->source.on_ready = on_child_exit;
	c->next = l->children;
	l->children = c;
	sandbox_report_write(&c->process.report, &report);
	m.report = buf_str(&report);
	say(l, MSG_spawned, &m, c->process.pidfd);
	if (loop_add(&l->loop, &c->source, c->process.pidfd, EPOLLIN, &e) < 0)
		peer_drop(&l->core, &e);
}

static int
launch_on_spawn(struct peer *p, const void *body, struct err *e)
{
	const struct msg_spawn *m = body;
	struct launch *l = container_of(p, struct launch, core);
	struct msg_spawn_failed failed = { .ticket = m->ticket };
	auto_fd int channel = peer_take_fd(p);
	struct child *c;
	struct err why;

	if (channel < 0 || m->profile >= PROFILE_COUNT)
		return err_set(e, ERR_PROTO, "spawn without a channel or of no known profile");
	c = xcalloc(1, sizeof(*c));
	c->ticket = m->ticket;
	if (start(l, m, channel, c, &why) >= 0) {
		watch(l, c);
		return 0;
	}
	forget(c);
	failed.why = str_of(why.text);
	say(l, MSG_spawn_failed, &failed, -1);
	return 0;
}

static const struct peer_fn_table on_core = { {
    [MSG_spawn] = launch_on_spawn,
} };

static void
on_core_closed(struct peer *p, const struct err *why)
{
	struct launch *l = container_of(p, struct launch, core);

	(void)why;
	loop_stop(&l->loop);
}

static void
end_children(struct launch *l)
{
	while (l->children) {
		struct child *c = l->children;
		struct err e;
		int status;

		unlist(c);
		sandbox_kill(&c->process);
		if (sandbox_reap(&l->host, &c->process, &status, &e) < 0)
			fprintf(stderr, "crisol-launch: %s\n", e.text);
		forget(c);
	}
}

static int
run(struct launch *l, struct err *e)
{
	int r = loop_init(&l->loop, e);

	/* One that is not there is missed by who asks for it. */
	for (int i = 0; i < PROFILE_COUNT; i++) {
		if (child_open(programs[i].name, &l->exe[i], e) < 0)
			l->exe[i] = -1;
	}
	if (r >= 0)
		r = peer_init(&l->core, &l->loop, CHILD_CHANNEL, ROLE_LAUNCH, ROLE_CORE,
		    &on_core, on_core_closed, e);
	if (r < 0)
		return r;
	l->core.state = ST_READY;
	sandbox_host_init(&l->host);
	r = loop_run(&l->loop, e);
	end_children(l);
	return r;
}

int
main(void)
{
	static struct launch l;
	struct err e;

	if (run(&l, &e) < 0) {
		fprintf(stderr, "crisol-launch: %s\n", e.text);
		return 1;
	}
	return 0;
}
