/* SPDX-License-Identifier: MIT */
/*
 * A foreign program that a closed process starts for itself, behind the same walls: it gets a folder,
 * an input, two pipes and nothing else of ours, and ends with us. Needs clone, execve, PR_SET_SECCOMP
 * and, as kill would reach others too, pidfd_send_signal.
 *
 *	struct helper h;
 *	r = helper_start(&order, &h, &e);
 *	... read h.out and h.err to their ends ...
 *	status = helper_done(&h);
 */
#ifndef LOOP_HELPER_H
#define LOOP_HELPER_H

#include "base/err.h"

#include <sys/types.h>

#define HELPER_WITHOUT_MAX 16
#define HELPER_RULES_MAX   8
#define HELPER_NOT_STARTED 127 /* the exit status; h.err says why */

/* One system call that gives `gives` (an errno; 0: as if it had worked) and does nothing. */
struct helper_rule {
	unsigned call;
	unsigned arg;         /* only where the low half of this argument, */
	uint32_t mask, value; /* masked, is that; with mask and value 0 always */
	int gives;
};

struct helper_order {
	const char *path;
	char *const *argv, *const *env; /* end with NULL */
	int dir;                        /* where it starts */
	int input;                      /* its standard input; -1: what ours is */
	const unsigned *without;        /* system calls that do not exist for it, ends with 0 */
	const struct helper_rule *rules; /* beside them; at most HELPER_RULES_MAX */
	size_t rules_n;
};

struct helper {
	pid_t pid;
	int pidfd, out, err; /* ends of its standard output and error, for reading */
};

int helper_start(const struct helper_order *order, struct helper *ret_helper,
    struct err *e) must_use;
/* Ends it now; helper_done is still due. */
void helper_kill(const struct helper *h);
/* Waits for its end and closes the pipes: its exit status, 128 and more for a signal. */
int helper_done(struct helper *h);

#endif
