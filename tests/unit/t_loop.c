/* SPDX-License-Identifier: MIT */
#include "loop/loop.h"

#include "base/clock.h"
#include "base/fd.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES 100

static struct err e;

/* A pipe with a byte in it, and what happened to its source. */
struct end {
	struct source source;
	int write;
	unsigned calls;
	uint32_t events;
};

static struct loop loop;

static void
count(struct source *s, uint32_t events)
{
	struct end *p = container_of(s, struct end, source);

	p->calls++;
	p->events = events;
}

static bool
end_open(struct end *p, source_fn *on_ready, bool full)
{
	int ends[2];

	*p = (struct end){ .source.on_ready = on_ready, .write = -1 };
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	p->write = ends[1];
	if (full && write(ends[1], "x", 1) != 1)
		return false;
	return loop_add(&loop, &p->source, ends[0], EPOLLIN, &e) == 0;
}

static void
end_close(struct end *p)
{
	loop_remove(&p->source);
	close(p->source.fd);
	close(p->write);
}

/* ---- descriptors ---- */

static void
calls_handlers(void)
{
	struct end a = { 0 }, b = { 0 };

	ok(end_open(&a, count, true) && end_open(&b, count, false), "two pipes");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	ok(a.calls == 1 && b.calls == 0, "the one that is ready");
	is_int(a.events, EPOLLIN, "with what it is ready for");
	is_int(loop_turn(&loop, UINT64_MAX, &e), 0, "a turn that may wait");
	is_int(a.calls, 2, "again as long as nobody reads");
	loop_remove(&a.source);
	ok(!a.source.loop, "removed");
	loop_remove(&a.source);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn without it");
	is_int(a.calls, 2, "leaves it alone");
	is_int(loop_add(&loop, &a.source, a.source.fd, EPOLLIN, &e), 0, "added again");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_int(a.calls, 3, "calls it again");
	is_int(loop_change(&a.source, 0, &e), 0, "waiting for nothing");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_int(a.calls, 3, "does not call it");
	close(b.write);
	b.write = -1;
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	ok(b.calls == 1 && (b.events & EPOLLHUP), "a closed other end is told");
	end_close(&a);
	end_close(&b);
}

static void
reports_errors(void)
{
	struct end a = { 0 };
	struct source s = { .on_ready = count };

	ok(end_open(&a, count, false), "a pipe");
	is_int(loop_add(&loop, &s, -1, EPOLLIN, &e), -ERR_SYS, "no descriptor");
	ok(e.sys == EBADF && strstr(e.text, "-1"), "is named: %s", e.text);
	is_int(loop_add(&loop, &s, a.source.fd, EPOLLIN, &e), -ERR_SYS,
	    "one that is there already");
	is_int(e.sys, EEXIST, "is EEXIST");
	ok(!s.loop, "a source that was refused is not added");
	s.loop = &loop;
	s.fd = -1;
	is_int(loop_change(&s, EPOLLIN, &e), -ERR_SYS, "changing what is not there");
	end_close(&a);
}

static struct end *many;
static unsigned many_calls;

/* The first one called removes all others and gives their memory back. */
static void
remove_others(struct source *s, uint32_t events)
{
	struct end *self = container_of(s, struct end, source);

	(void)events;
	many_calls++;
	for (size_t i = 0; i < 8; i++) {
		if (&many[i] != self)
			loop_remove(&many[i].source);
	}
}

static void
remove_all_and_free(struct source *s, uint32_t events)
{
	(void)s;
	(void)events;
	many_calls++;
	for (size_t i = 0; i < 8; i++)
		end_close(&many[i]);
	free(many);
	many = NULL;
}

/* Removes the others and adds them again: they are not due any more in this turn. */
static void
add_others_again(struct source *s, uint32_t events)
{
	struct end *self = container_of(s, struct end, source);

	(void)events;
	self->calls++;
	many_calls++;
	for (size_t i = 0; i < 8; i++) {
		struct source *other = &many[i].source;

		if (&many[i] == self)
			continue;
		loop_remove(other);
		if (loop_add(&loop, other, other->fd, EPOLLIN, &e) < 0)
			many_calls += 1000;
	}
}

static bool
open_many(source_fn *on_ready)
{
	bool good = true;

	many = xcalloc(8, sizeof(*many));
	many_calls = 0;
	for (size_t i = 0; i < 8; i++)
		good = end_open(&many[i], on_ready, true) && good;
	return good;
}

static void
close_many(void)
{
	for (size_t i = 0; i < 8; i++)
		end_close(&many[i]);
	free(many);
}

static void
removes_in_a_handler(void)
{
	ok(open_many(remove_others), "eight pipes");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_int(many_calls, 1, "what was removed in the same batch is not called");
	close_many();
	ok(open_many(remove_all_and_free), "eight pipes");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn that frees them all");
	ok(many_calls == 1 && !many, "one call");
	ok(open_many(add_others_again), "eight pipes");
	is_int(loop_turn(&loop, 0, &e), 0, "a turn that adds again what it removed");
	is_int(many_calls, 1, "what was added again waits for the next turn");
	is_int(loop_turn(&loop, 0, &e), 0, "the next");
	is_int(many_calls, 2, "comes");
	close_many();
}

static void
serves_all(void)
{
	static struct end ends[SOURCES];
	unsigned least = UINT32_MAX;
	bool good = true;

	for (size_t i = 0; i < SOURCES; i++)
		good = end_open(&ends[i], count, true) && good;
	ok(good, "more pipes than a batch holds");
	for (int turn = 0; turn < (SOURCES + LOOP_BATCH - 1) / LOOP_BATCH; turn++)
		good = loop_turn(&loop, 0, &e) == 0 && good;
	for (size_t i = 0; i < SOURCES; i++) {
		least = MIN(least, ends[i].calls);
		end_close(&ends[i]);
	}
	ok(good && least >= 1, "all are served in as few turns as it takes");
}

/* ---- timers ---- */

struct mark {
	struct timer timer;
	char letter;
};

static char fired[64];
static struct mark *again; /* re-armed by its own handler, for `again_due` */
static uint64_t again_due;

static void
note(struct timer *t)
{
	struct mark *m = container_of(t, struct mark, timer);
	size_t n = strlen(fired);

	if (n < sizeof(fired) - 1)
		fired[n] = m->letter;
	if (m == again)
		loop_timer(&loop, t, again_due);
}

static void
fires_in_order(void)
{
	struct mark m[6];
	uint64_t now = clock_now();

	memset(fired, 0, sizeof(fired));
	for (size_t i = 0; i < COUNT(m); i++)
		m[i] = (struct mark){ .timer.on_due = note, .letter = (char)('a' + i) };
	loop_timer(&loop, &m[3].timer, now - 100);
	loop_timer(&loop, &m[0].timer, 0);
	loop_timer(&loop, &m[2].timer, now - 200);
	loop_timer(&loop, &m[1].timer, now - 300);
	loop_timer(&loop, &m[4].timer, now - 100);
	loop_timer(&loop, &m[5].timer, now + 3600 * NS_PER_S);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_str(fired, "abcde", "by their times, equal ones in the order they were set");
	ok(!m[0].timer.loop && m[5].timer.loop == &loop, "each once");
	loop_timer_cancel(&m[5].timer);
	loop_timer_cancel(&m[5].timer);
	ok(!m[5].timer.loop && !loop.timers, "cancelled");
}

static void
never_early(void)
{
	struct mark m = { .timer.on_due = note, .letter = 'x' };
	uint64_t due = clock_now() + 3 * NS_PER_MS + 1;

	memset(fired, 0, sizeof(fired));
	loop_timer(&loop, &m.timer, due);
	while (!fired[0] && loop_turn(&loop, UINT64_MAX, &e) == 0)
		;
	ok(clock_now() >= due, "a turn without an end in time waits for the timer, not less");
	is_str(fired, "x", "and runs it");
	due = clock_now() + 2 * NS_PER_MS;
	is_int(loop_turn(&loop, due, &e), 0, "a turn with an end in time");
	ok(clock_now() >= due, "waits until then when nothing happens");
}

static void
moves(void)
{
	struct mark a = { .timer.on_due = note, .letter = 'a' };
	struct mark b = { .timer.on_due = note, .letter = 'b' };

	memset(fired, 0, sizeof(fired));
	loop_timer(&loop, &a.timer, 1);
	loop_timer(&loop, &b.timer, 2);
	loop_timer(&loop, &a.timer, 3);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_str(fired, "ba", "a timer set again is moved");
}

struct canceller {
	struct timer timer;
	struct mark *victim;
};

static void
cancel_and_free(struct timer *t)
{
	struct canceller *c = container_of(t, struct canceller, timer);

	loop_timer_cancel(&c->victim->timer);
	free(c->victim);
	c->victim = NULL;
}

static void
cancels_in_a_handler(void)
{
	struct canceller c = { .timer.on_due = cancel_and_free };

	c.victim = xcalloc(1, sizeof(*c.victim));
	c.victim->timer.on_due = note;
	c.victim->letter = 'v';
	memset(fired, 0, sizeof(fired));
	loop_timer(&loop, &c.timer, 1);
	loop_timer(&loop, &c.victim->timer, 1);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	ok(!c.victim && !fired[0], "a timer that is due may be cancelled and freed");
}

static void
sets_again_in_a_handler(void)
{
	struct mark a = { .timer.on_due = note, .letter = 'a' };
	struct mark b = { .timer.on_due = note, .letter = 'b' };
	struct end p = { 0 };

	ok(end_open(&p, count, true), "a pipe");
	memset(fired, 0, sizeof(fired));
	again = &a;
	again_due = 0;
	loop_timer(&loop, &a.timer, 0);
	loop_timer(&loop, &b.timer, 0);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	is_str(fired, "ab", "one set again for a time that has passed waits for the next turn");
	is_int(loop_turn(&loop, UINT64_MAX, &e), 0, "the next");
	is_str(fired, "aba", "comes");
	is_int(p.calls, 2, "and descriptors have their turn");
	loop_timer_cancel(&a.timer);
	again = NULL;
	end_close(&p);
}

static void
free_of_handler(struct source *s, uint32_t events)
{
	struct end *p = container_of(s, struct end, source);

	p->events = events;
	loop_timer_cancel(&again->timer);
	free(again);
	again = NULL;
}

static void
descriptors_before_timers(void)
{
	struct end p = { 0 };

	memset(fired, 0, sizeof(fired));
	again = xcalloc(1, sizeof(*again));
	again->timer.on_due = note;
	again->letter = 'z';
	ok(end_open(&p, free_of_handler, true), "a pipe");
	loop_timer(&loop, &again->timer, 0);
	is_int(loop_turn(&loop, 0, &e), 0, "a turn");
	ok(p.events && !fired[0], "a handler may free a timer that is due in the same turn");
	end_close(&p);
}

/* ---- signals, children, stopping ---- */

static void
stop_loop(struct source *s, uint32_t events)
{
	struct end *p = container_of(s, struct end, source);

	(void)events;
	p->calls++;
	loop_stop(&loop);
}

static void
signals(void)
{
	static const int wanted[] = { SIGUSR1, SIGTERM };
	struct end p = { .source.on_ready = stop_loop };
	unsigned char info[128]; /* struct signalfd_siginfo */
	uint32_t number;
	int fd = -1;

	is_int(loop_signals(wanted, COUNT(wanted), &fd, &e), 0, "a descriptor for two signals");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) && (fcntl(fd, F_GETFL) & O_NONBLOCK),
	    "as it should be");
	ok(read(fd, info, sizeof(info)) < 0 && errno == EAGAIN, "none came yet");
	is_int(loop_add(&loop, &p.source, fd, EPOLLIN, &e), 0, "waited for");
	is_int(kill(getpid(), SIGTERM), 0, "one is sent");
	is_int(loop_run(&loop, &e), 0, "the loop runs until it is stopped");
	is_int(p.calls, 1, "by the signal");
	ok(read(fd, info, sizeof(info)) == (ssize_t)sizeof(info), "which can be read");
	memcpy(&number, info, sizeof(number));
	is_int(number, SIGTERM, "by its number");
	loop.stopping = false;
	loop_remove(&p.source);
	close(fd);
}

static void
children(void)
{
	struct end p = { .source.on_ready = stop_loop };
	pid_t pid = fork();
	int fd, status = 0;

	if (pid == 0)
		_exit(7);
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	is_int(loop_add(&loop, &p.source, fd, EPOLLIN, &e), 0, "a child is waited for");
	is_int(loop_run(&loop, &e), 0, "until it ends");
	ok(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7, "with its status");
	loop.stopping = false;
	loop_remove(&p.source);
	close(fd);
}

static void
on_alarm(int number)
{
	(void)number;
}

static void
interrupted(void)
{
	struct mark m = { .timer.on_due = note, .letter = 'i' };
	struct sigaction action = { .sa_handler = on_alarm };

	memset(fired, 0, sizeof(fired));
	sigaction(SIGALRM, &action, NULL);
	ualarm(1000, 1000);
	loop_timer(&loop, &m.timer, clock_now() + 20 * NS_PER_MS);
	while (!fired[0] && loop_turn(&loop, UINT64_MAX, &e) == 0)
		;
	ualarm(0, 0);
	is_str(fired, "i", "a turn that a signal interrupts is a turn");
}

int
main(void)
{
	is_int(loop_init(&loop, &e), 0, "a loop");
	ok(fcntl(loop.epoll, F_GETFD) & FD_CLOEXEC, "close-on-exec");
	calls_handlers();
	reports_errors();
	removes_in_a_handler();
	serves_all();
	fires_in_order();
	never_early();
	moves();
	cancels_in_a_handler();
	sets_again_in_a_handler();
	descriptors_before_timers();
	signals();
	children();
	interrupted();
	loop_done(&loop);
	loop_done(&loop);
	return tap_done();
}
