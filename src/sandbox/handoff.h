/* SPDX-License-Identifier: MIT */
/*
 * What the launcher tells a child that closes itself: the report so far, and the identity of
 * the namespaces outside, so that the child can see for itself that it is in others. It travels
 * as one environment variable of the exec; the child takes it out of its environment.
 */
#ifndef SANDBOX_HANDOFF_H
#define SANDBOX_HANDOFF_H

#include "sandbox/report.h"
#include "sandbox/userns.h"

#define HANDOFF_NAME "CRISOL_SANDBOX"
#define HANDOFF_MAX  (SANDBOX_REPORT_MAX + KiB(1))

struct handoff {
	bool own_id;   /* the child's id is nobody else's */
	uint32_t need; /* layers that the job insists on */
	struct userns_set outside;
	struct sandbox_report report;
};

/* "CRISOL_SANDBOX=..." */
void handoff_write(const struct handoff *h, struct buf *out);
/* Reads and removes the variable; ERR_NOTFOUND without one. */
int handoff_take(struct handoff *ret_handoff, struct err *e) must_use;

#endif
