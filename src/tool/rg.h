/* SPDX-License-Identifier: MIT */
/*
 * Runs ripgrep: a clean environment, no configuration of anybody, arguments that cannot be taken
 * for options, output that is bounded while it streams.
 */
#ifndef TOOL_RG_H
#define TOOL_RG_H

#include "tool/run.h"

/* Where ripgrep is looked for; the first one there is used. */
extern const char *const rg_places[];
/* Its path, NULL when it is not installed. */
const char *rg_find(void);

struct rg_output {
	struct buf out;	 /* give its maximum; what comes after is dropped */
	struct buf err;	 /* the same */
	bool cut;	 /* there was more on standard output; ripgrep was ended then */
	int exit_status; /* 0 found, 1 nothing found, 2 and above failed */
};

/*
 * Runs it below the folder `dir` with these arguments (after its own, ends with NULL). False, and
 * the call failed, when it is missing or could not run.
 */
bool rg_run(struct tool_call *c, int dir, const char *const args[], struct rg_output *ret_output);

#endif
