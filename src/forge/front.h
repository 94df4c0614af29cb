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

struct greeting;

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
	struct client_call *asked; /* a person is asked about it now */
	uint64_t asks, questions;  /* that came up; that were put to the client */
	struct greeting *greeting; /* while a person is asked about the project's file */
	struct timer warm;         /* the host is started before it is asked for */
	void (*on_left)(struct front *f);
	bool asking;
	bool greeted;
	bool refused; /* its configuration or folders: only ASK_STATUS is answered */
	bool leaving; /* the client is gone: end what it started, then on_left */
};

int front_init(struct front *f, struct loop *loop, struct launcher *launcher, int channel,
    const struct part *parts, void (*on_left)(struct front *f), struct err *e) must_use;
void front_done(struct front *f);

/* For greet.c: messages to the client, and the session that its work belongs to. */
void front_say(struct front *f, enum msg_type type, const void *body);
void front_refuse(struct front *f, uint64_t tag, enum code code, const char *message,
    const char *hint);
const char *front_hint(enum code code);
/* Another process asks for the end of a run. */
void front_cancel_asked(struct front *f);

#endif
