/* SPDX-License-Identifier: MIT */
/*
 * The runs of all brokers of one person, so that another process can list and cancel them: a
 * folder <state home>/runs with one small file a live run, named by its id, holding its owner's
 * pid and start time. A request to cancel is a file <id>.cancel and a signal to the owner; the
 * owner takes both files away when the run has ended.
 *
 * A file whose owner is gone is swept by whoever sees it. Without a writable state home runs
 * work and cannot be seen from outside: registry_open says so once.
 */
#ifndef FORGE_REGISTRY_H
#define FORGE_REGISTRY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"

#include <sys/types.h>

#define REGISTRY_SIGNAL SIGUSR1

struct registry {
	int dir; /* -1: none */
};

struct registry_entry {
	char id[ID_SIZE];
	pid_t owner;
	bool cancelling;
};

/* Opens or makes the folder, 0700. On failure there is none, and e says why. */
int registry_open(struct registry *r, struct err *e) must_use;
void registry_done(struct registry *r);

/* For the owner. */
void registry_add(struct registry *r, const char *id);
void registry_remove(struct registry *r, const char *id);
/* Whether somebody asked for its end. */
bool registry_is_cancelled(const struct registry *r, const char *id);

/* For others: the live runs, at most `max`, in order of their ids. */
size_t registry_list(struct registry *r, struct registry_entry *ret_entries, size_t max);
/*
 * Asks for the end of the run whose id starts with `prefix`; ERR_NOTFOUND, or ERR_INVALID for
 * several.
 */
int registry_cancel(struct registry *r, struct str prefix, char ret_id[static ID_SIZE],
    struct err *e) must_use;
/* Whether the run is still there. */
bool registry_has(const struct registry *r, const char *id);

#endif
