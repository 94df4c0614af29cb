/* SPDX-License-Identifier: MIT */
/*
 * What a command line comes to: a list of simple commands, one for each part that would run. The
 * gate does not take lines apart; whoever does (a grammar of the shell, or nothing more than an
 * argument array) hands the parts over in this shape.
 *
 * Every part counts: those of a pipeline, of `&&`, `;` and `&`, on the next line, in a
 * substitution, in a subshell, in the branches of if and case, and what a wrapper runs (the words
 * behind `env`, the line behind `bash -c`). What is not certain is flagged, never guessed: a
 * flagged part is not covered by a rule that allows, and one that hides what runs may be what a
 * rule refuses, so it is asked about.
 *
 *	`git log | head >out` comes to two:
 *	{ .argv = { "git", "log" } }, { .argv = { "head" }, .flags = COMMAND_REDIRECTION }
 *
 * A tool that runs a line and comes with no part at all counts as one that was not understood.
 */
#ifndef GATE_COMMAND_H
#define GATE_COMMAND_H

#include "base/str.h"

enum gate_command_flag {
	COMMAND_SUBSTITUTION =
	    1 << 0, /* words come from a variable, a substitution or a pattern */
	COMMAND_REDIRECTION = 1 << 1, /* a file, or another command, is opened for it */
	COMMAND_ASSIGNMENT = 1 << 2,  /* variables are set for it or for what follows */
	COMMAND_WRAPPER = 1 << 3,     /* it runs words that are not in the list as a part */
	COMMAND_UNCLEAR = 1 << 4,     /* the parser did not understand it */
};

/* Those that hide which program runs with which words. */
#define COMMAND_HIDES (COMMAND_SUBSTITUTION | COMMAND_WRAPPER | COMMAND_UNCLEAR)

struct gate_command {
	const struct str
	    *argv; /* words as the program gets them; p == NULL: unknown, any number */
	size_t argv_n;
	unsigned flags;
};

#endif
