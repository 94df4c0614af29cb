/* SPDX-License-Identifier: MIT */
/*
 * One client of the broker on its channel, and its session: greets, starts runs and calls, answers
 * questions. When the client goes, all that it started is ended first.
 *
 *	r = front_init(&front, loop, &launcher, CHILD_CHANNEL, parts, on_left, &e);
 */
#ifndef FORGE_FRONT_H
#define FORGE_FRONT_H

#include "forge/parts.h"
#include "forge/run.h"
#include "forge/status.h"

#include <signal.h>

#define FRONT_SIGNAL SIGUSR1 /* another broker's client asks for the end of one of our runs */

struct front;
struct client_call;

/* A client waits for the end of another broker's run. */
struct front_wait {
	struct timer timer;
	char id[ID_SIZE];
	uint64_t until;
};

struct front {
	struct loop *loop;
	struct launcher *launcher;
	struct peer client;
	struct session session;
	struct store
	    *store; /* NULL: there is none; why is at the desk's journal, and a notice */
	struct conf conf;
	const struct part *parts;
	struct buf notices;
	struct status status;
	struct front_wait wait;
	struct client_call *calls;
	struct timer warm; /* the host is started before it is asked for */
	void (*on_left)(struct front *f);
	bool refused; /* its configuration or folders: only ASK_STATUS is answered */
	bool leaving; /* the client is gone: end what it started, then on_left */
};

int front_init(struct front *f, struct loop *loop, struct launcher *launcher, int channel,
    const struct part *parts, void (*on_left)(struct front *f), struct err *e) must_use;
void front_done(struct front *f);
/* Another process asks for the end of a run. */
void front_cancel_asked(struct front *f);

#endif
