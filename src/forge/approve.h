/* SPDX-License-Identifier: MIT */
/*
 * What people allowed for the session. It is written into the journal, where other processes list and
 * revoke it, and read back from there before a call is judged by it, so that what was revoked counts no
 * more. Without a journal it is kept in memory alone.
 *
 *	approvals_load(&a, &journal, &policy.grants);
 *	gate_decide(&policy, &call, &verdict);
 *	r = approvals_add(&a, &journal, &verdict, &policy.grants, &e);
 */
#ifndef FORGE_APPROVE_H
#define FORGE_APPROVE_H

#include "forge/journal.h"

#define APPROVALS_FOLDERS_MAX 16

struct approvals {
	char *folders[APPROVALS_FOLDERS_MAX];
	struct str views[APPROVALS_FOLDERS_MAX]; /* what gate_grants.folders points to */
	size_t folders_n;
	unsigned effects;
	bool analysis_run;
	bool changed; /* the folders, without a journal, since the last load */
};

/*
 * Fills ret_grants with what counts now. True when the folders are others than the time before. What
 * cannot be read does not count.
 */
bool approvals_load(struct approvals *a, struct journal *j, struct gate_grants *ret_grants);
/*
 * Notes what SESSION allows by this verdict. ERR_LIMIT for too many folders, ERR_SYS where it cannot be
 * written: then nothing was noted.
 */
int approvals_add(struct approvals *a, struct journal *j, const struct gate_verdict *v,
    struct gate_grants *ret_grants, struct err *e) must_use;
void approvals_done(struct approvals *a);

#endif
