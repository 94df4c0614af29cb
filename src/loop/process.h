/* SPDX-License-Identifier: MIT */
/*
 * One command from its start to the end of everything it started. It has a session of its own, no
 * terminal, /dev/null as input, two pipes and nothing else of ours. It is over when it ends itself,
 * whoever still holds its pipes; what it leaves behind is ended then, by TERM and, a moment later, KILL.
 *
 * What it starts is found wherever it hides: this process is a subreaper, so that an orphan becomes
 * its child, and nothing is left when it has no children. In a pid namespace of its own one signal
 * reaches all of them at once; elsewhere they are stopped until there is no other, then killed, each by
 * a descriptor of it, so that a number that was given anew hits nobody.
 */
#ifndef LOOP_PROCESS_H
#define LOOP_PROCESS_H

#include "loop/kept.h"

#include "base/err.h"

#include <sys/types.h>

enum process_step { PROCESS_RAN, PROCESS_SESSION, PROCESS_FENCE, PROCESS_FOLDER, PROCESS_EXEC };
enum process_why { PROCESS_ENDED, PROCESS_TIMEOUT, PROCESS_CANCELLED };

struct process_order {
	char *const *argv, *const *env; /* end with NULL */
	struct str path; /* folders to look for argv[0] in, when it has no slash */
	int dir;
	int cancel;       /* a descriptor: something to read, or its end, ends the command */
	uint64_t timeout; /* ns */
	bool alone;       /* in a pid namespace of its own */
	/* In the child, before the exec: the walls that it gets. Negative: it does not run. */
	int (*fence)(const struct process_order *order, struct err *e);
};

struct process_end {
	enum process_step step; /* other than RAN: it did not start, and sys says why */
	int sys;
	char why[ERR_TEXT_MAX]; /* of FENCE */
	enum process_why how;
	int status;    /* as waitpid gives it */
	uint64_t took; /* ns, until it ended itself */
	unsigned left; /* processes that it left and that were ended */
	bool killed;   /* TERM was not enough */
	bool
	    stuck; /* something of it is still there: this process is no clean place any more */
	struct kept out, err;
};

/* Makes this process the one to which orphans below it come. */
int process_init(struct err *e) must_use;
/* False when no process could be made; else all is in *ret_end. */
bool process_run(const struct process_order *order, struct process_end *ret_end, struct err *e);

#endif
