/* SPDX-License-Identifier: MIT */
/*
 * What it costs to take a command line apart.
 *
 * A line of JSON: the bytes of the line, its parts, and the median nanoseconds.
 */
#include "base/clock.h"
#include "gate/line.h"

#include <stdio.h>

#define TURNS 2001
/* Two hundred bytes: a pipeline, a loop, a substitution, a wrapper, a redirection, quotes. */
#define COMPOUND                                                                              \
	"cd src && git log --oneline -20 | head -5; for f in $(git ls-files '*.c'); do "      \
	"wc -l \"$f\" | tee -a out.log; done && bash -lc 'make -j8 2>&1 | tail -3' || (echo " \
	"failed >&2; exit 1) # and that is all of this"

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int
main(void)
{
	static uint64_t ns[TURNS];
	size_t parts_n = 0;

	for (size_t i = 0; i < TURNS; i++) {
		auto_done(gate_parts) struct gate_parts parts = { 0 };
		uint64_t from = clock_now();

		gate_line_parse(STR(COMPOUND), &parts);
		ns[i] = clock_now() - from;
		parts_n = parts.n;
	}
	qsort(ns, TURNS, sizeof(ns[0]), by_size);
	printf("{\"bytes\":%zu,\"parts\":%zu,\"ns\":%llu}\n", sizeof(COMPOUND) - 1, parts_n,
	    (unsigned long long)ns[TURNS / 2]);
	return 0;
}
