/* SPDX-License-Identifier: MIT */
#include "loop/loop.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SHORT_WAIT_NS (50 * NS_PER_US)
#define SHORT_WAITS   4  /* so many in a row, and a wait looks instead of sleeping */
#define LONG_REST     64 /* so many waits sleep after one that looked in vain */

int
loop_init(struct loop *l, struct err *e)
{
	*l = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
	return l->epoll < 0 ? err_sys(e, "epoll_create1") : 0;
}

void
loop_done(struct loop *l)
{
	base_close_fd(&l->epoll);
}

int
loop_add(struct loop *l, struct source *s, int fd, uint32_t events, struct err *e)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	assert(!s->loop && s->on_ready);
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		return err_sys(e, "wait for descriptor %d", fd);
	s->loop = l;
	s->fd = fd;
	return 0;
}

int
loop_change(struct source *s, uint32_t events, struct err *e)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	if (epoll_ctl(s->loop->epoll, EPOLL_CTL_MOD, s->fd, &ev) < 0)
		return err_sys(e, "change the wait for descriptor %d", s->fd);
	return 0;
}

void
loop_remove(struct source *s)
{
	struct loop *l = s->loop;

	if (!l)
		return;
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	for (int i = 0; i < l->batch_n; i++) {
		if (l->batch[i].data.ptr == s)
			l->batch[i].data.ptr = NULL;
	}
	s->loop = NULL;
}

void
loop_timer(struct loop *l, struct timer *t, uint64_t due)
{
	struct timer **at = &l->timers;

	loop_timer_cancel(t);
	due = MAX(due, l->timers_at + 1);
	while (*at && (*at)->due <= due)
		at = &(*at)->next;
	t->due = due;
	t->loop = l;
	t->next = *at;
	*at = t;
}

void
loop_timer_cancel(struct timer *t)
{
	struct timer **at;

	if (!t->loop)
		return;
	for (at = &t->loop->timers; *at != t; at = &(*at)->next)
		;
	*at = t->next;
	t->loop = NULL;
	t->next = NULL;
}

int
loop_signals(const int *signals, size_t n, int *ret_fd, struct err *e)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(e, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_sys(e, "signalfd");
	*ret_fd = fd;
	return 0;
}

static int
wait_ms(const struct loop *l, uint64_t until)
{
	uint64_t now;

	if (l->timers)
		until = MIN(until, l->timers->due);
	if (until == 0)
		return 0;
	if (until == UINT64_MAX)
		return -1;
	now = clock_now();
	if (until <= now)
		return 0;
	return (int)MIN((until - now + NS_PER_MS - 1) / NS_PER_MS, (uint64_t)INT_MAX);
}

static int
look(struct loop *l, int ms)
{
	return epoll_wait(l->epoll, l->batch, LOOP_BATCH, ms);
}

/*
 * To sleep and be woken takes longer than a short wait does. After some short waits in a row the
 * next one looks again and again instead, for no longer than a short wait is; one that did so in
 * vain has the next many sleep, as on a busy machine, or one with a single processor, all would.
 */
static int
wait_for_events(struct loop *l, int ms)
{
	uint64_t end = clock_now() + SHORT_WAIT_NS;
	int n = 0;

	if (ms == 0)
		return look(l, 0);
	if (l->short_waits == SHORT_WAITS) {
		do
			n = look(l, 0);
		while (n == 0 && clock_now() < end);
		if (n == 0)
			l->short_waits = -LONG_REST;
		else
			return n;
	}
	n = look(l, ms);
	if (l->short_waits < 0 || (clock_now() < end && l->short_waits < SHORT_WAITS))
		l->short_waits++;
	else
		l->short_waits = 0;
	return n;
}

static void
run_timers(struct loop *l)
{
	if (!l->timers)
		return;
	l->timers_at = clock_now();
	while (l->timers && l->timers->due <= l->timers_at) {
		struct timer *t = l->timers;

		loop_timer_cancel(t);
		t->on_due(t);
	}
	l->timers_at = 0;
}

int
loop_turn(struct loop *l, uint64_t until, struct err *e)
{
	int n = wait_for_events(l, wait_ms(l, until));

	if (n < 0 && errno != EINTR)
		return err_sys(e, "epoll_wait");
	l->batch_n = MAX(n, 0);
	for (int i = 0; i < l->batch_n; i++) {
		struct source *s = l->batch[i].data.ptr;

		if (s)
			s->on_ready(s, l->batch[i].events);
	}
	l->batch_n = 0;
	run_timers(l);
	return 0;
}

int
loop_run(struct loop *l, struct err *e)
{
	int r = 0;

	while (!l->stopping && r >= 0)
		r = loop_turn(l, UINT64_MAX, e);
	return r;
}

void
loop_stop(struct loop *l)
{
	l->stopping = true;
}
