/* SPDX-License-Identifier: MIT */
/*
 * Limits of one process, soft and hard alike, so that it cannot raise them.
 *
 * A row names a resource and a value; of two rows for one resource the later wins (the job's
 * rows come after the profile's). A limit already lower stays as it is. RLIMIT_AS is left
 * alone: address space is no resource, and a VM reserves gigabytes of it.
 */
#ifndef SANDBOX_RLIMIT_H
#define SANDBOX_RLIMIT_H

#include <sys/resource.h>

#include "sandbox/report.h"

struct rlimit_row {
	int resource; /* RLIMIT_* */
	uint64_t most;
};

int rlimit_enter(const struct rlimit_row *rows, size_t count, struct err *e) must_use;
/* Reads every limit back and tries to raise the first: marks rlimits held and proved, or not.
 */
void rlimit_prove(const struct rlimit_row *rows, size_t count, struct sandbox_report *r);

#endif
