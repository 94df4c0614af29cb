/* SPDX-License-Identifier: MIT */
/*
 * The broker's side of the launcher: asks for closed processes and hears of their ends.
 *
 *	struct host {
 *		struct launched child;
 *	};
 *	launcher_spawn(&l, &host->child, PROFILE_js, arguments, &host->peer, ROLE_JS, &on_js,
 *	    on_peer_closed, &e);
 *
 * Exactly one of on_spawned and on_failed follows, then, after on_spawned, one on_exited. The
 * embedded struct must live until on_failed or on_exited, or until launched_forget.
 */
#ifndef FORGE_LAUNCHER_H
#define FORGE_LAUNCHER_H

#include "ipc/peer.h"

#include <sys/types.h>

struct launched;

struct launched_events {
	/* report: the launcher's half, as text. The pidfd is closed after on_exited. */
	void (*on_spawned)(struct launched *child, struct str report);
	void (*on_failed)(struct launched *child, struct str why);
	/* signal 0: it ended by itself with `status`. */
	void (*on_exited)(struct launched *child, int signal, int status);
};

struct launched {
	const struct launched_events *events;
	struct launcher *launcher; /* NULL while not asked for */
	struct launched *next;
	uint64_t ticket;
	struct str
	    tmp; /* where it gets a private folder as TMPDIR; empty: none. For the start alone */
	int pidfd; /* -1 before on_spawned */
	pid_t pid;
	bool unwanted; /* killed before it was known by a pidfd */
};

struct launcher {
	struct loop *loop;
	struct peer peer;
	struct launched *children;
	uint64_t next_ticket;
	pid_t pid;
	bool answered;              /* it has started something, or said why not */
	char missing[ERR_TEXT_MAX]; /* why there is none, "" while there is */
	peer_closed_fn *on_closed;
};

/* Starts crisol-launch. */
int launcher_init(struct launcher *l, struct loop *loop, peer_closed_fn *on_closed,
    struct err *e) must_use;
/* There is none, and why: whatever is to be started fails with that. */
void launcher_missing(struct launcher *l, const char *why);
void launcher_done(struct launcher *l);
/*
 * The child gets the other end of a channel as its descriptor 3; `peer` (zeroed) is this end of it
 * and speaks to `role`, in pieces: a closed process may not look at sealed memory. arguments lie
 * one behind the other, each with its NUL. After an error peer_done is still the caller's.
 */
int launcher_spawn(struct launcher *l, struct launched *child, unsigned profile,
    struct str arguments, struct peer *peer, enum msg_role role, const struct peer_fn_table *on,
    peer_closed_fn *on_closed, struct err *e) must_use;
/* SIGKILL, or a signal with a value; nothing when it is not there (any more). */
void launched_kill(struct launched *child);
void launched_signal(const struct launched *child, int number, uint64_t value);
/* No more events; the process is killed if it is there. */
void launched_forget(struct launched *child);

#endif
