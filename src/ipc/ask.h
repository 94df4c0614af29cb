/* SPDX-License-Identifier: MIT */
/* What a client may ask the broker; each is answered by one JSON text, or refused. */
#ifndef IPC_ASK_H
#define IPC_ASK_H

enum ask {
	ASK_STATUS,  /* the engines: forge/status.h */
	ASK_PROBE,   /* the same after attacking them */
	ASK_TOOLS,   /* every tool with effect and state */
	ASK_EXPLAIN, /* name, input: what a call would come to, and by what */
	ASK_CONFIG,  /* every key with its value and where that is from */
	ASK_CANCEL,  /* name: the start of a run's id; answered when it has stopped */
	/* the journal; name: the start of an id */
	ASK_RUNS,   /* all runs, newest first */
	ASK_LIVE,   /* those that are going on */
	ASK_SHOW,   /* one run whole */
	ASK_WHOLE,  /* a value before it was cut */
	ASK_REMOVE, /* forgets a run */
	ASK_PRUNE,  /* name: a number of days; forgets what is older */
	ASK_LOG,    /* decisions; of a run or session when name says so */
	ASK_SIZES,  /* how large it all is */
	/* what people allowed; name: a session's of this workspace, empty for all */
	ASK_PERMISSIONS, /* {policy, permissions} */
	ASK_REVOKE,      /* input: a number, a kind, a folder, or "all" */
	ASK_TRUST,       /* the files of folders that were trusted or refused */
	ASK_DISTRUST,    /* input: a folder; forgets what was said of its file */
	ASK_REPLAY, /* input: [{tool, input, from, surface}]; what each would come to now */
	ASK_COUNT
};

#endif
