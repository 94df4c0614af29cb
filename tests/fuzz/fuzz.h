/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target is one file fuzz_<parser>.c with this function: whatever the bytes are, it must
 * neither crash nor hang, and must() hold to what is true of every input.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define must(good) fuzz_must((good), #good, __FILE__, __LINE__)

static inline void
fuzz_must(int good, const char *what, const char *file, int line)
{
	if (good)
		return;
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#endif
