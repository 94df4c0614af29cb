/* SPDX-License-Identifier: MIT */
/*
 * Runs ripgrep: a clean environment, no configuration of anybody, arguments that cannot be taken
 * for options, output that is bounded while it streams.
 */
#ifndef TOOL_RG_H
#define TOOL_RG_H

#include "tool/hidden.h"
#include "tool/program.h"
#include "tool/rg_place.h"
#include "tool/run.h"

#define RG_GLOBS_MAX HIDDEN_GLOBS_MAX

/* Options that keep it out of what is protected below its folder; released by rg_globs_done. */
struct rg_globs {
	struct buf text[RG_GLOBS_MAX];
	size_t n;
};

void rg_globs(const struct tool_call *c, struct str folder, struct rg_globs *ret_globs);
void rg_globs_done(struct rg_globs *g);

/*
 * Runs it below the folder `dir` with these arguments (after its own and the globs, ends with
 * NULL); input is its standard input, -1 for none. It does not outlive this process. False, and the
 * call failed, when it is missing or could not run.
 */
bool rg_run(struct tool_call *c, int dir, int input, const struct rg_globs *globs,
    const char *const args[], struct program_output *ret_output);

#endif
