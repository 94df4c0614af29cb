/* SPDX-License-Identifier: MIT */
/*
 * From a checked input to a result: what a worker calls for each tool. A tool appends its result,
 * one JSON object, and returns true; or sets the failure and returns false.
 */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "ipc/code.h"
#include "tool/args.h"

struct hidden;
struct roots;
struct runner;

struct tool_failure {
	enum code code;
	char text[512]; /* one sentence, names what it was about */
};

struct tool_call {
	const struct args *in;
	struct str cwd;  /* normal; relative paths start here */
	struct str real; /* its path, links resolved, as it was judged; empty for none */
	const struct roots *roots;
	const struct hidden *hidden;
	struct runner *runner; /* of a worker that runs commands */
	struct buf *out;       /* limited to the tool's output_max */
	struct tool_failure failed;
};

typedef bool tool_fn(struct tool_call *c);

/* Linked into crisol-tool alone. */
extern tool_fn *const tool_runs[TOOL_COUNT];

#define TOOL(name) tool_fn tool_##name;
#include "tool/tools.def"
#undef TOOL

/* Sets the failure; returns false. */
bool tool_fail(struct tool_call *c, enum code code, const char *format, ...) like_printf(3, 4);
/* The path to open: the one that was judged, or the field's, made normal. False when it cannot be. */
bool tool_path(struct tool_call *c, const char *field, struct buf *ret_path);
/* The field's path as it was given, made normal, for showing. */
bool tool_given(struct tool_call *c, const char *field, struct buf *ret_path);
/* Whether it is a folder of files that somebody wrote; else the call has failed. */
bool tool_folder(struct tool_call *c, int fd, struct str shown);
/* Whether it is a regular file on a disk; else the call has failed, naming what it is. */
bool tool_file(struct tool_call *c, int fd, struct str shown);
/* How a path is shown: relative to the working folder where it is below it. */
struct str tool_shown(const struct tool_call *c, struct str path);

#endif
