/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include "tap.h"

int
main(void)
{
	uint64_t before = clock_now();
	uint64_t cpu = clock_cpu();
	uint64_t year_2020 = 1577836800 * NS_PER_S;

	while (clock_cpu() < cpu + NS_PER_MS)
		;
	ok(clock_now() - before >= NS_PER_MS / 2,
	    "a millisecond of work takes a million nanoseconds");
	ok(clock_wall() > year_2020, "the wall clock counts from the epoch");
	return tap_done();
}
