/* SPDX-License-Identifier: MIT */
/*
 * System call filters: allow lists written as text in filter/<name>.def, compiled to BPF while
 * building (tools/mkfilter.c), loaded here with one system call. No library at run time.
 *
 * What no row allows answers EPERM, a call newer than 424 ENOSYS (libc falls back on that), and
 * a call of another architecture or of x32 kills the process. The filter goes up last: it
 * refuses the calls that put up the other walls.
 */
#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H

#include <linux/filter.h>

#include "sandbox/report.h"

struct seccomp_filter {
	const char *name;
	unsigned short count;
	const struct sock_filter *code;
};

/* Loads the filter and marks the layer. A kernel without filters is no error but a lack. */
int seccomp_enter(const struct seccomp_filter *filter, struct sandbox_report *r,
    struct err *e) must_use;
/* keyctl with a command that does not exist: the kernel says EOPNOTSUPP, every filter EPERM. */
int seccomp_aim(void);
/* The errno that seccomp_aim gave before, to tell a filter's answer from the kernel's. */
void seccomp_prove(int before, struct sandbox_report *r);

#endif
