/* SPDX-License-Identifier: MIT */
/*
 * Runs a program of others that a tool is made of, and listens to it: what it says is bounded while
 * it streams. It does not outlive this process.
 */
#ifndef TOOL_PROGRAM_H
#define TOOL_PROGRAM_H

#include "loop/helper.h"
#include "tool/run.h"

struct program_output {
	struct buf out;  /* give its maximum; what comes after is dropped */
	struct buf err;  /* the same */
	bool cut;        /* there was more on standard output; the program was ended then */
	int exit_status; /* its own; 128 and more for a signal */
	bool unread;     /* for the caller: it did not fail, but something could not be read */
};

/* False, and the call failed naming `what`, when it could not be started. */
bool program_run(struct tool_call *c, const char *what, const struct helper_order *order,
    struct program_output *ret_output);
/* What it said on standard error, at most so many bytes, without line feeds at the end. */
struct str program_said(const struct program_output *o, size_t most);
void program_output_done(struct program_output *o);

#endif
