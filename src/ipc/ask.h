/* SPDX-License-Identifier: MIT */
/* What a client may ask the broker; each is answered by one JSON text, or refused. */
#ifndef IPC_ASK_H
#define IPC_ASK_H

enum ask {
	ASK_STATUS,  /* the engines: forge/status.h */
	ASK_PROBE,   /* the same after attacking them */
	ASK_RUNS,    /* runs that are going on */
	ASK_CANCEL,  /* name: the start of a run's id; answered when it has stopped */
	ASK_TOOLS,   /* every tool with effect and state */
	ASK_EXPLAIN, /* name, input: what a call would come to, and by what */
	ASK_CONFIG,  /* every key with its value and where that is from */
	ASK_COUNT
};

#endif
