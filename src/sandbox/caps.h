/* SPDX-License-Identifier: MIT */
/*
 * Ids and capabilities: what is left of root. A capability set is a mask of CAP_* numbers.
 *
 * A process that closes itself keeps CAPS_CLOSING across its exec as ambient capabilities (they
 * are all it needs to leave the file tree and to drop the rest), and drops everything with
 * caps_enter(0, ...) before it reads a message.
 */
#ifndef SANDBOX_CAPS_H
#define SANDBOX_CAPS_H

#include <sys/types.h>

#include "sandbox/report.h"

#define CAPS_BIT(cap) (1ULL << (cap))
/* CAP_SYS_ADMIN: mounts. CAP_SETPCAP: the bounding set and the secure bits. */
#define CAPS_CLOSING (CAPS_BIT(21) | CAPS_BIT(8))

/*
 * Beside what is kept: a change of ids takes capabilities as everywhere, and uid 0 gets what is in the
 * bounding set. For programs that expect to be root.
 */
#define CAPS_PLAIN (1ULL << 63)

/* The effective capabilities of this process; 0 when they cannot be read. */
uint64_t caps_effective(void);

/*
 * Becomes uid and gid for good, without supplementary groups where the process may leave them.
 * Permitted capabilities stay until caps_enter. Fails when an id is not taken.
 */
int caps_become(uid_t uid, gid_t gid, struct err *e) must_use;

/*
 * Keeps only `keep` (as far as it is permitted now) in every set and across the next exec; keep
 * 0 drops all. Locks the secure bits. A bounding set that an ordinary user cannot empty does
 * not matter under no_new_privs.
 */
int caps_enter(uint64_t keep, struct sandbox_report *r, struct err *e) must_use;
int caps_no_new_privs(struct sandbox_report *r, struct err *e) must_use;
int caps_not_dumpable(struct sandbox_report *r, struct err *e) must_use;
/* Tries what the dropped capabilities allowed; for caps, nnp and, where held, dumpable. */
void caps_prove(uint64_t keep, struct sandbox_report *r);
/* ids holds when they are `own` (no other process and no person has them) and not root's. */
void caps_look_ids(bool own, struct sandbox_report *r);

#endif
