/* SPDX-License-Identifier: MIT */
/* Clocks in nanoseconds. Monotonic times are only compared within one boot. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

/* Monotonic time, for deadlines and durations. */
uint64_t clock_now(void);
/* Time since the epoch. */
uint64_t clock_wall(void);
/* CPU time that this thread has used. */
uint64_t clock_cpu(void);

#endif
