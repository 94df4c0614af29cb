/* SPDX-License-Identifier: MIT */
/* crisol-launch for the tests of a hostile host: hands its environment, the test knobs, on. */
#include <unistd.h>

#include "sandbox/spawn.h"

int __real_sandbox_spawn(struct sandbox_host *host, const struct sandbox_job *job,
    struct sandbox_child *ret_child, struct err *e);
int __wrap_sandbox_spawn(struct sandbox_host *host, const struct sandbox_job *job,
    struct sandbox_child *ret_child, struct err *e);

int
__wrap_sandbox_spawn(struct sandbox_host *host, const struct sandbox_job *job,
    struct sandbox_child *ret_child, struct err *e)
{
	struct sandbox_job knobs = *job;

	knobs.env = (const char *const *)environ;
	return __real_sandbox_spawn(host, &knobs, ret_child, e);
}
