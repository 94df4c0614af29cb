/* SPDX-License-Identifier: MIT */
/*
 * Knobs that make walls weaker, for tests alone. Which file answers is chosen when linking:
 * test_none.c (every product binary) has no knob, test_env.c reads CRISOL_TEST_* variables.
 */
#ifndef SANDBOX_TEST_H
#define SANDBOX_TEST_H

#include "base/base.h"

struct sandbox_test {
	unsigned
	    landlock_abi; /* pretend that the kernel knows no more than this, see has_abi */
	bool has_abi;
	bool no_userns;     /* as where a user may not make user namespaces */
	bool no_namespaces; /* as where nobody may make any */
	bool no_clone3;     /* as below a filter that answers ENOSYS */
	uint32_t leave_out; /* layers not to put up, and not to claim */
};

const struct sandbox_test *sandbox_test(void);

#endif
