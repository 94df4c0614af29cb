/* SPDX-License-Identifier: MIT */
/*
 * System calls that fail, come back early or take one byte at a time, in a program linked with
 * --wrap for each of them (meson.build has the list, fault.c the wrappers).
 *
 *	for (long n = 1; ; n++) {
 *		fault = (struct fault){ .fail_at = n };
 *		fault.armed = true;
 *		... what is tested ...
 *		fault.armed = false;
 *		if (!fault.hit)
 *			break;
 *	}
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>

struct fault {
	bool armed;         /* calls count */
	long fail_at;       /* this one fails, from 1; 0: none */
	bool on;            /* and all behind it */
	bool one_byte;      /* reads and writes move one byte */
	long interrupted;   /* about one in so many calls that may be is interrupted; 0: none */
	const char *spared; /* never fails and does not count; NULL: each may */
	const char *only;   /* nothing else counts; NULL: all do */
	long calls;
	const char *hit; /* the call that failed */
};

extern struct fault fault;

#endif
