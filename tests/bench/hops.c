/* SPDX-License-Identifier: MIT */
/*
 * What the kernel alone takes for an awaited call: processes in a row that wake each other, each
 * asleep in epoll_wait until then, with nothing to do but send on what came. TIMEOUT_MS of an
 * order is how many they are: 2 stand for a call that the broker answers, 3 for one of a worker.
 *
 * The answer: {"ns":for all round trips}. COUNT round trips are made.
 */
#include "order.h"

#include "base/clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROW_MAX       8
#define MESSAGE_BYTES 256 /* about what a small call and its answer take */

/* Waits for either end, and sends what comes to the other. The last one sends it back. */
static void
pass_on(int epoll, int before, int behind)
{
	struct epoll_event event;
	char message[MESSAGE_BYTES];
	int from;
	ssize_t n;

	if (epoll_wait(epoll, &event, 1, -1) != 1)
		return;
	from = event.data.fd;
	n = recv(from, message, sizeof(message), 0);
	if (n <= 0 || send(behind < 0 || from == behind ? before : behind, message, (size_t)n,
			  MSG_NOSIGNAL) != n)
		_exit(0);
}

static int
watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Starts those behind it first. Returns the end that the one before it holds; -1 for none. */
static int
start(uint64_t left)
{
	int pair[2], behind, epoll;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid != 0) {
		close(pair[1]);
		return pid < 0 ? -1 : pair[0];
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(pair[0]);
	behind = left > 1 ? start(left - 1) : -1;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if ((left > 1 && (behind < 0 || watch(epoll, behind) < 0)) || watch(epoll, pair[1]) < 0)
		_exit(1);
	for (;;)
		pass_on(epoll, pair[1], behind);
}

/* This process is the first of the row. */
static int
obey(const struct order *o, struct err *e)
{
	int first = start(o->timeout_ms - 1), epoll = epoll_create1(EPOLL_CLOEXEC);
	char message[MESSAGE_BYTES] = { 0 }, line[64];
	struct epoll_event event;
	uint64_t begin = 0;
	int r = 0;

	if (first < 0 || watch(epoll, first) < 0)
		return err_sys(e, "processes in a row");
	for (uint64_t i = 0; i <= o->count && r >= 0; i++) {
		if (i == 1) /* the first goes before, while the others start */
			begin = clock_now();
		if (send(first, message, sizeof(message), MSG_NOSIGNAL) != sizeof(message) ||
		    epoll_wait(epoll, &event, 1, 10000) != 1 ||
		    recv(first, message, sizeof(message), 0) != sizeof(message))
			r = err_set(e, ERR_CLOSED, "the row of processes broke");
	}
	snprintf(line, sizeof(line), "{\"ns\":%llu}",
	    (unsigned long long)(clock_now() - begin));
	close(first);
	close(epoll);
	if (r < 0)
		return r;
	order_answer(line);
	order_answer(NULL);
	return 0;
}

int
main(void)
{
	struct err e;
	int r = 1;

	order_answer(NULL);
	while (r > 0) {
		struct order order;

		r = order_read(&order, &e);
		if (r > 0 && (order.timeout_ms < 2 || order.timeout_ms > ROW_MAX))
			r = err_set(&e, ERR_INVALID, "a row of 2 to %d", ROW_MAX);
		if (r > 0 && obey(&order, &e) < 0)
			r = -1;
		order_done(&order);
	}
	if (r < 0)
		fprintf(stderr, "bench-hops: %s\n", e.text);
	return r < 0;
}
