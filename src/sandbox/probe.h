/* SPDX-License-Identifier: MIT */
/*
 * Harmless attacks that a closed process runs on itself when a person asks whether the walls
 * stand. Each attempt uses descriptors, pointers and numbers that could do nothing even if it
 * got through; what counts is how far the kernel let it come.
 *
 *	size_t count;
 *	const struct sandbox_attempt *list = sandbox_probe_list(&count);
 *
 *	for (size_t i = 0; i < count; i++) {
 *		struct sandbox_result result = sandbox_probe(&list[i]);
 *		...				result.reached: no wall stood in its way
 *	}
 *
 * For processes whose profile allows nothing of this (js); a profile that allows, say, opening
 * files reaches those rows by right.
 */
#ifndef SANDBOX_PROBE_H
#define SANDBOX_PROBE_H

#include "base/base.h"

struct sandbox_attempt {
	const char *name;
	const char *text; /* what an attacker would gain */
	long (*run)(void);
	int reached; /* the errno of a call that came through and failed by its bad arguments */
};

struct sandbox_result {
	bool reached;
	int sys; /* errno; 0 when the call succeeded */
};

const struct sandbox_attempt *sandbox_probe_list(size_t *ret_count);
struct sandbox_result sandbox_probe(const struct sandbox_attempt *attempt);

#endif
