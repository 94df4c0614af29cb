/* SPDX-License-Identifier: MIT */
/*
 * `current` is the one piece of state that a signal handler can find: the trap point of the
 * guest that has the processor. Handlers run on a stack of their own, because the guest's may
 * be full.
 */
#include "js/trap.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HANDLER_STACK KiB(64)

static struct trap_point *volatile current;
static struct hard_timer {
	timer_t id;
	bool armed;
} hard_timer, hard_cpu_timer;

int
trap_stop_signal(void)
{
	return SIGUSR1;
}

static bool
within(const char *at, const char *start, size_t size)
{
	return at >= start && at < start + size;
}

static void
on_fault(int number, siginfo_t *info, void *context)
{
	struct trap_point *p = current;
	const char *at = info->si_addr;

	(void)context;
	if (info->si_code <= 0) /* sent by somebody, no fault of anybody */
		return;
	if (p && p->in_guest && within(at, p->memory, p->memory_size))
		trap_now(TRAP_MEMORY);
	if (p && p->in_guest && within(at, p->guard, p->guard_size))
		trap_now(TRAP_STACK);
	/* A bug of ours. A closed process may not give the signal its default action back. */
	_exit(128 + number);
}

static void
stop_current(void)
{
	struct trap_point *p = current;

	if (!p)
		return;
	p->stop = 1;
	if (p->in_guest)
		trap_now(TRAP_STOP);
}

static void
on_timer(int number)
{
	(void)number;
	stop_current();
}

static void
on_broker(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (current && current->run == (uint64_t)(uintptr_t)info->si_value.sival_ptr)
		stop_current();
}

static int
handle(int number, struct sigaction action, struct err *e)
{
	action.sa_flags |= SA_ONSTACK | SA_RESTART;
	sigfillset(&action.sa_mask);
	if (sigaction(number, &action, NULL) < 0)
		return err_sys(e, "handle signal %d", number);
	return 0;
}

int
trap_setup(struct err *e)
{
	/* The broker's channel and SIGKILL end this process, nothing else. */
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct sigaction broker = { .sa_sigaction = on_broker, .sa_flags = SA_SIGINFO };
	struct sigaction tick = { .sa_handler = on_timer };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	stack_t stack = { .ss_size = HANDLER_STACK };
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE };
	int r = 0;

	for (size_t i = 0; i < COUNT(ignored) && r >= 0; i++)
		r = handle(ignored[i], (struct sigaction){ .sa_handler = SIG_IGN }, e);
	if (r < 0)
		return r;
	stack.ss_sp = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) < 0)
		return err_sys(e, "make a stack for signal handlers");
	r = handle(SIGSEGV, fault, e);
	if (r >= 0)
		r = handle(SIGBUS, fault, e);
	if (r >= 0)
		r = handle(SIGALRM, tick, e);
	if (r >= 0)
		r = handle(trap_stop_signal(), broker, e);
	if (r >= 0 &&
	    (timer_create(CLOCK_MONOTONIC, &event, &hard_timer.id) < 0 ||
		timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &hard_cpu_timer.id) < 0))
		r = err_sys(e, "make the hard-stop timers");
	return r;
}

enum trap
trap_run(struct trap_point *p, trap_fn *fn, void *argument)
{
	int why = sigsetjmp(p->jump, 1);

	if (why)
		return (enum trap)why;
	fn(argument);
	return TRAP_NONE;
}

enum trap
trap_try(struct trap_point *p, const char *memory, size_t memory_size, trap_fn *fn,
    void *argument)
{
	struct trap_point outer = *p;
	enum trap why;

	p->memory = memory;
	p->memory_size = memory_size;
	why = trap_run(p, fn, argument);
	p->in_guest = 0;
	memcpy(p->jump, outer.jump, sizeof(p->jump));
	p->memory = outer.memory;
	p->memory_size = outer.memory_size;
	return why;
}

void
trap_enter(struct trap_point *p)
{
	current = p;
}

void
trap_guest(struct trap_point *p)
{
	p->in_guest = 1;
	if (p->stop)
		trap_now(TRAP_STOP);
}

void
trap_host(struct trap_point *p)
{
	p->in_guest = 0;
}

void
trap_now(enum trap why)
{
	struct trap_point *p = current;

	if (!p)
		abort();
	p->in_guest = 0;
	siglongjmp(p->jump, (int)why);
}

static void
arm(struct hard_timer *t, uint64_t when)
{
	struct itimerspec spec = {
		.it_value = { (time_t)(when / NS_PER_S), (long)(when % NS_PER_S) },
	};
	int r;

	if (!when && !t->armed)
		return;
	r = timer_settime(t->id, TIMER_ABSTIME, &spec, NULL);
	assert(r == 0);
	t->armed = when != 0;
}

void
trap_timers(uint64_t when, uint64_t cpu)
{
	arm(&hard_timer, when);
	arm(&hard_cpu_timer, cpu);
}
