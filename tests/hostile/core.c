/* SPDX-License-Identifier: MIT */
/*
 * crisol-core for the tests of a hostile host: the real one, but it accepts that host's hash,
 * and hands its own environment on, so that the launcher's test knobs can be turned.
 */
#include <unistd.h>

#include "loop/child.h"

int __real_child_start(const char *name, char *const env[], int *ret_channel, pid_t *ret_pid,
    struct err *e);
int __wrap_child_start(const char *name, char *const env[], int *ret_channel, pid_t *ret_pid,
    struct err *e);

int
__wrap_child_start(const char *name, char *const env[], int *ret_channel, pid_t *ret_pid,
    struct err *e)
{
	(void)env;
	return __real_child_start(name, environ, ret_channel, ret_pid, e);
}
