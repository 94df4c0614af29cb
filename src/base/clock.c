/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <assert.h>
#include <time.h>

static uint64_t
read_clock(clockid_t id)
{
	struct timespec t;
	int r = clock_gettime(id, &t);

	assert(r == 0);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t
clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t
clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t
clock_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
