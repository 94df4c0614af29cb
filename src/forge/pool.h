/* SPDX-License-Identifier: MIT */
/*
 * Workers that do allowed calls of one effect and one set of folders. A worker does one call at a
 * time and may block in it; up to `most` of them work side by side, more calls wait in order. They
 * are started when needed and kept. One that is killed, for a deadline or a cancel, takes only its
 * own call with it.
 *
 *	pool_init(&pool, loop, &launcher, PROFILE_reader, arguments);
 *	pool_submit(&pool, &call->work);
 *
 * on_done comes exactly once for each work, never from inside pool_submit.
 */
#ifndef FORGE_POOL_H
#define FORGE_POOL_H

#include "forge/launcher.h"
#include "ipc/code.h"
#include "tool/spec.h"

#define POOL_MAX      16
#define POOL_START_NS (10 * NS_PER_S)

struct work;
struct worker;

struct work_result {
	enum code code;  /* CODE_NONE: done */
	struct str text; /* the result as JSON, or the message */
	bool lost;       /* its worker went while it had the call */
};

struct work {
	enum tool_id tool;
	struct str input, real; /* the owner's; needed until on_done */
	void (*on_done)(struct work *w, const struct work_result *result);

	/* private */
	struct pool *pool;
	struct worker *worker; /* NULL while it waits */
	struct work *next;
	bool cancelled;
};

struct pool {
	struct loop *loop;
	struct launcher *launcher;
	unsigned profile;
	struct buf arguments, protected, rules;
	struct buf environment, tmp; /* of commands */
	bool commands;
	struct worker *workers;
	struct work *waiting;
	struct timer timer; /* hands on results that need no worker */
	struct work *ended;
	unsigned most;
	bool
	    starved; /* the last one could not be started: no other while there is one that works */
	uint64_t next_ticket;
};

/* arguments: what its program gets, each with its NUL. most: 1 to POOL_MAX. */
void pool_init(struct pool *p, struct loop *loop, struct launcher *launcher, unsigned profile,
    struct str arguments, unsigned most);
/* At least so many workers from now on, up to POOL_MAX. */
void pool_widen(struct pool *p, unsigned most);
/* What its workers leave out of what they show: as hidden_init takes it (tool/hidden.h). */
void pool_hide(struct pool *p, struct str protected, struct str rules);
/*
 * Its workers run commands: with this environment (NAME=VALUE, each with its NUL) and a private folder
 * in `tmp` each. A cancelled one is asked first, so that it can end what it started.
 */
void pool_commands(struct pool *p, struct str environment, struct str tmp);
/* Ends all workers; works that are left end as cancelled. */
void pool_done(struct pool *p);
void pool_submit(struct pool *p, struct work *w);
/* on_done follows when nothing of it goes on. */
void pool_cancel(struct work *w);

#endif
