/* SPDX-License-Identifier: MIT */
/*
 * What a command line comes to: a list of simple commands, one for each part that would run. The
 * gate does not take lines apart; whoever does (a grammar of the shell, or nothing more than an
 * argument array) hands the parts over in this shape.
 *
 * Every part counts: those of a pipeline, of `&&`, `;` and `&`, on the next line, in a
 * substitution, in a subshell, in the branches of if and case, and what a wrapper runs (the words
 * behind `env`, the line behind `bash -c`). What is not certain is flagged, never guessed: a
 * flagged part is not covered by a rule that allows, unless nothing but words behind the rule's
 * own are unknown; one that hides what runs may be what a rule refuses, so it is asked about.
 *
 *	`git log | head >out` comes to two:
 *	{ .argv = { "git", "log" } }, { .argv = { "head" }, .flags = COMMAND_REDIRECTION }
 *
 * A tool that runs a line and comes with no part at all counts as one that was not understood.
 * Lines and argument arrays are taken apart by line.h.
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
	COMMAND_SEEN = 1 << 5, /* it only runs others that are in the list, too: what allows
				* those need not name it, what denies or asks may */
};

/* Those that hide which program runs with which words. */
#define COMMAND_HIDES (COMMAND_SUBSTITUTION | COMMAND_WRAPPER | COMMAND_UNCLEAR)

/* A file that the shell opens for a command; words that name files are not looked at. */
struct gate_redirect {
	struct str target; /* as given, relative to where the line starts; p == NULL: unknown */
	bool write;        /* else it is read */
};

struct gate_command {
	const struct str
	    *argv; /* words as the program gets them; p == NULL: unknown, any number */
	size_t argv_n;
	unsigned flags;
	/*
	 * With REDIRECTION, for whoever judges them as paths as well; the gate goes by the flag.
	 * Those that touch no file (/dev/null, other descriptors, here-documents) are not here.
	 */
	const struct gate_redirect *redirects;
	size_t redirects_n;
};

#endif
