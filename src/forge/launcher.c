/* SPDX-License-Identifier: MIT */
#include "forge/launcher.h"

#include "loop/child.h"

#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct launched *
find(struct launcher *l, uint64_t ticket)
{
	struct launched *c = l->children;

	while (c && c->ticket != ticket)
		c = c->next;
	return c;
}

static void
unlist(struct launched *child)
{
	struct launched **at = &child->launcher->children;

	while (*at != child)
		at = &(*at)->next;
	*at = child->next;
	child->launcher = NULL;
}

static void
end(struct launched *child)
{
	base_close_fd(&child->pidfd);
	unlist(child);
}

/* ---- what the launcher says; a ticket nobody knows was forgotten ---- */

static struct launcher *
heard(struct peer *p)
{
	struct launcher *l = container_of(p, struct launcher, peer);

	l->answered = true;
	return l;
}

static int
core_on_spawned(struct peer *p, const void *body, struct err *e)
{
	const struct msg_spawned *m = body;
	struct launched *c = find(heard(p), m->ticket);
	auto_fd int pidfd = peer_take_fd(p);

	if (pidfd < 0)
		return err_set(e, ERR_PROTO, "spawned without a pidfd");
	/* It may have spoken, and been found wanting, before the launcher told of it. */
	if (!c || c->unwanted)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	if (!c)
		return 0;
	c->pidfd = steal_fd(&pidfd);
	c->pid = (pid_t)m->pid;
	c->events->on_spawned(c, m->report);
	return 0;
}

static int
core_on_spawn_failed(struct peer *p, const void *body, struct err *e)
{
	const struct msg_spawn_failed *m = body;
	struct launched *c = find(heard(p), m->ticket);

	(void)e;
	if (!c)
		return 0;
	end(c);
	c->events->on_failed(c, m->why);
	return 0;
}

static int
core_on_exited(struct peer *p, const void *body, struct err *e)
{
	const struct msg_exited *m = body;
	struct launched *c = find(container_of(p, struct launcher, peer), m->ticket);

	(void)e;
	if (!c)
		return 0;
	end(c);
	c->events->on_exited(c, (int)m->signal, (int)m->status);
	return 0;
}

static const struct peer_fn_table on_launch = { {
    [MSG_spawned] = core_on_spawned,
    [MSG_spawn_failed] = core_on_spawn_failed,
    [MSG_exited] = core_on_exited,
} };

static void
on_closed(struct peer *p, const struct err *why)
{
	struct launcher *l = container_of(p, struct launcher, peer);

	while (l->children) {
		struct launched *c = l->children;

		end(c);
		if (l->answered)
			c->events->on_exited(c, SIGKILL, 0);
		else
			c->events->on_failed(c, STR("crisol-launch ended at once"));
	}
	l->on_closed(p, why);
}

/* ---- life ---- */

int
launcher_init(struct launcher *l, struct loop *loop, peer_closed_fn *when_closed, struct err *e)
{
	char *env[] = { NULL };
	int channel;
	int r;

	*l = (struct launcher){ .loop = loop, .next_ticket = 1, .on_closed = when_closed };
	r = child_start("crisol-launch", env, &channel, &l->pid, e);
	if (r < 0)
		return r;
	r = peer_init(&l->peer, loop, channel, ROLE_CORE, ROLE_LAUNCH, &on_launch, on_closed,
	    e);
	l->peer.state = ST_READY;
	return r;
}

void
launcher_missing(struct launcher *l, const char *why)
{
	snprintf(l->missing, sizeof(l->missing), "%s", why);
}

void
launcher_done(struct launcher *l)
{
	while (l->children)
		launched_forget(l->children);
	peer_done(&l->peer);
	if (l->pid > 0)
		waitpid(l->pid, NULL, 0);
	l->pid = 0;
}

int
launcher_spawn(struct launcher *l, struct launched *child, unsigned profile,
    struct str arguments, struct peer *peer, enum msg_role role, const struct peer_fn_table *on,
    peer_closed_fn *when_closed, struct err *e)
{
	/* Used up even if it is not sent now: it may be queued, and what comes of it is nobody's. */
	struct msg_spawn m = { .ticket = l->next_ticket++,
		.profile = profile,
		.arguments = arguments,
		.tmp = child->tmp };
	auto_fd int theirs = -1;
	int pair[2];
	int r;

	if (*l->missing)
		return err_set(e, ERR_NOTFOUND, "%s", l->missing);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "make a channel");
	theirs = pair[1];
	r = peer_init(peer, l->loop, pair[0], ROLE_CORE, role, on, when_closed, e);
	peer->pieces = true;
	if (r >= 0)
		r = peer_send_fd(&l->peer, MSG_spawn, &m, theirs, e);
	if (r == -ERR_CLOSED)
		err_set(e, ERR_CLOSED, "crisol-launch ended at once");
	if (r < 0)
		return r;
	child->ticket = m.ticket;
	child->launcher = l;
	child->pidfd = -1;
	child->unwanted = false;
	child->next = l->children;
	l->children = child;
	return 0;
}

void
launched_signal(const struct launched *child, int number, uint64_t value)
{
	siginfo_t info = { .si_signo = number,
		.si_code = SI_QUEUE,
		.si_pid = getpid(),
		.si_uid = getuid() };

	info.si_value.sival_ptr = (void *)(uintptr_t)value;
	if (child->launcher && child->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, child->pidfd, number, &info, 0);
}

void
launched_kill(struct launched *child)
{
	if (child->launcher && child->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
	else
		child->unwanted = true;
}

void
launched_forget(struct launched *child)
{
	if (!child->launcher)
		return;
	launched_kill(child);
	end(child);
}
