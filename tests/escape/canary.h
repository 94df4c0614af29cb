/* SPDX-License-Identifier: MIT */
/*
 * What the attempts are made against: a process, files, sockets, a queue and shared memory of
 * the test's own. The driver makes them; the closed process is told by its arguments.
 */
#ifndef TESTS_ESCAPE_CANARY_H
#define TESTS_ESCAPE_CANARY_H

#include "base/base.h"

#define CANARY_PATH_MAX 64

struct canary {
	int pid;                      /* a process of the driver's user that only sleeps */
	int tcp, udp;                 /* ports on 127.0.0.1 */
	unsigned shm;                 /* System V key */
	char folder[CANARY_PATH_MAX]; /* with secret, own, junk, sock, and drop/ open to all */
	char name[CANARY_PATH_MAX];   /* abstract socket and POSIX queue are called so */
	char host[CANARY_PATH_MAX];   /* the machine's host name */
};

/* attempts.c */
struct attempt {
	const char *name;
	int (*run)(const struct canary *c);
};
extern const struct attempt attempts[];
extern const size_t attempt_count;

/* For a descriptor that attempts about open files use; made before the process closes. */
void attempts_prepare(void);

#endif
