/* SPDX-License-Identifier: MIT */
/*
 * Runs git to look at a repository: which one a path belongs to, what git is told, and what it
 * cannot do. The repository is hostile: it is found here and named to git, so that nothing in it
 * says where its files are; git gets an environment and settings of ours above its own, and may
 * start no process, so that no name of a program that it holds is ever run.
 *
 *	struct git_repo repo;
 *	if (!git_open(c, &repo))
 *		return false;
 *	ok = git_run(c, &repo, args, &output);
 *	git_close(&repo);
 */
#ifndef TOOL_GIT_H
#define TOOL_GIT_H

#include "tool/program.h"

struct git_repo {
	int fd;         /* of the folder that its names are below; git starts there */
	struct buf top; /* that folder */
	struct buf dir; /* its .git, or what that file names */
	struct buf
	    common;       /* what its worktrees share; the same as `dir` where there are none */
	struct buf path;  /* what the call is about, and the same below `top` */
	struct str below; /* "." for all of it */
};

/* The repository of the call's path. False, and the call failed, when it cannot be read. */
bool git_open(struct tool_call *c, struct git_repo *ret_repo);
void git_close(struct git_repo *r);

/*
 * Runs git with these arguments (ends with NULL) and these texts after "--" (NULL: none), which are
 * names below its top and nothing else. False, and the call failed, when it is missing, could not
 * be started, or failed.
 */
bool git_run(struct tool_call *c, const struct git_repo *r, const char *const args[],
    const struct str *names, size_t names_n, struct program_output *ret_output);
/* The same for a question that may have no answer: a failure is *ret_output's exit status. */
bool git_try(struct tool_call *c, const struct git_repo *r, const char *const args[],
    struct program_output *ret_output);

/* The call failed, with what git said unless that may tell what is hidden; returns false. */
bool git_failed(struct tool_call *c, const struct git_repo *r, const struct program_output *o);

/* Whether a name of this repository, as git gives it, must not be shown. */
bool git_hides(const struct tool_call *c, const struct git_repo *r, struct str name);
/* Whether anything in the repository may be hidden: then what git says on the side is kept back. */
bool git_may_hide(const struct tool_call *c, const struct git_repo *r);
/* The result: repository, stdout, stderr, exitCode, hidden where it is not 0, truncated. */
void git_result(struct tool_call *c, const struct git_repo *r, struct str text, struct str said,
    size_t hidden, bool cut);

#endif
