/* SPDX-License-Identifier: MIT */
/*
 * The child's side of a spawn: what happens between the clone and the exec, as a table of steps
 * in stage.c that reads top to bottom. Used by spawn.c alone.
 *
 * Child and launcher share one socket. The launcher sends one byte when the child may go on;
 * the child sends notes, one a packet. The socket closing by the exec means that the program
 * runs, except below a keeper, which says so itself and later tells how the payload ended.
 */
#ifndef SANDBOX_STAGE_H
#define SANDBOX_STAGE_H

#include "sandbox/handoff.h"
#include "sandbox/mount.h"
#include "sandbox/spawn.h"

#define STAGE_FDS_MAX    32 /* numbers a child can be given */
#define STAGE_GO         "g"
#define STAGE_GO_GROUPED "G" /* and the launcher saw the child in its control group */

enum stage_kind {
	STAGE_FAILED,  /* code, sys, weaker, text */
	STAGE_REPORT,  /* text is the report */
	STAGE_MOUNT,   /* a descriptor comes along */
	STAGE_STARTED, /* keeper: the payload was executed */
	STAGE_ENDED,   /* keeper: status */
	STAGE_KIND_COUNT
};

struct stage_note {
	uint32_t kind;
	int32_t code;    /* enum err_code */
	int32_t sys;     /* errno */
	int32_t status;  /* as waitpid gives it */
	uint32_t weaker; /* a mode with fewer namespaces may work */
	uint32_t n;      /* bytes of text */
	char text[SANDBOX_REPORT_MAX];
};

#define STAGE_HEAD offsetof(struct stage_note, text)

struct stage {
	const struct sandbox_job *job;
	struct mount_view *view;
	struct handoff handoff; /* with the report so far */
	uint32_t layers;        /* namespaces this process is in */
	uint32_t need;
	bool become;     /* change ids to `id` */
	bool privileged; /* the launcher is root */
	uid_t id;
	int talk; /* our end of the socket */
	int exe;
	int null;
	int high[SANDBOX_FDS_MAX];
	struct landlock_aim aim;
	struct buf text; /* room taken before the filter, used after it */
};

/* Runs all steps, then the program. */
void stage_run(struct stage *s) no_return;
/* One packet without descriptors; a reader that is gone is no error here. */
void stage_send(int talk, const struct stage_note *note);

/*
 * Stays above the payload: passes its notes on, reaps what it leaves, tells its end. Outside a
 * pid namespace it also ends the whole tree when the launcher is gone or the payload is done.
 */
void keeper_run(int talk, int payload_talk, pid_t payload, bool in_pidns) no_return;
/* Kills children of the caller until there is none that `spare` does not list. */
void keeper_kill_tree(const pid_t *spare, size_t count);

#endif
