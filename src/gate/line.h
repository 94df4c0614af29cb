/* SPDX-License-Identifier: MIT */
/*
 * A command line, as `sh -c` gets it, or an argument array, taken apart into the simple commands
 * that would run (command.h). Nothing is run, expanded or looked up.
 *
 *	auto_done(gate_parts) struct gate_parts parts = { 0 };
 *	gate_line_parse(STR("git log | head"), &parts);
 *	call.commands = parts.list;
 *	call.commands_n = parts.n;
 *
 * The shell may be dash or bash; where they differ in what runs, the part says UNCLEAR. There is
 * always at least one part, also for an empty line. What passes a limit ends in a part that is
 * UNCLEAR. Parts own their words: the line may go. doc/commands.md has the tables and the reasons.
 */
#ifndef GATE_LINE_H
#define GATE_LINE_H

#include "gate/command.h"

#define GATE_LINE_MAX  65536  /* bytes of a line, or of all words of an array */
#define GATE_PARTS_MAX 512    /* parts */
#define GATE_DEPTH_MAX 24     /* constructs and wrappers inside each other */
#define GATE_WORK_MAX  262144 /* bytes read in all, those inside wrappers once more */

struct gate_block;

struct gate_parts {
	struct gate_command *list;
	size_t n;
	size_t room;
	struct gate_block *store;
};

/* ret_parts is set anew: done before, or zero. */
void gate_line_parse(struct str line, struct gate_parts *ret_parts);
void gate_argv_parse(const struct str *argv, size_t n, struct gate_parts *ret_parts);
void gate_parts_done(struct gate_parts *parts);

#endif
