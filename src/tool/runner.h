/* SPDX-License-Identifier: MIT */
/*
 * What a worker that runs commands has for all of them: the environment they get, their folder for
 * temporary files, the walls around them and what those are called in results.
 *
 *	run_process, shell: runner_run(c, argv, timeout);
 */
#ifndef TOOL_RUNNER_H
#define TOOL_RUNNER_H

#include "sandbox/enter.h"
#include "loop/process.h"
#include "tool/run.h"

#define RUNNER_ENV_MAX 64

struct runner {
	const struct sandbox_profile *profile;
	struct sandbox_report report;
	const char *const *protected; /* crisol's own folders, real paths */
	size_t protected_n;
	const char *const
	    *writable; /* folders and files, real paths; the temporary one is among them */
	size_t writable_n;
	const char *tmp; /* NULL: there is none */
	struct buf tmp_path;
	struct buf env_text; /* NAME=VALUE, each with its NUL */
	char *env[RUNNER_ENV_MAX + 1];
	int ruleset; /* of commands; -1: none yet, or no Landlock */
	uint64_t ruleset_stamp;
	int channel;  /* readable while a command runs: it is to end */
	bool covered; /* mounts keep the protected folders away, not Landlock */
	bool spoiled; /* something of a command is still there: no other may run here */
};

/* environment: NAME=VALUE, each with its NUL. ERR_LIMIT, ERR_SYS. */
int runner_init(struct runner *r, struct str environment, struct err *e) must_use;
void runner_done(struct runner *r);
/* Does it in the folder of the field `cwd` and writes the whole result, or the call has failed. */
bool runner_run(struct tool_call *c, char *const argv[], uint64_t timeout_ns);

#endif
