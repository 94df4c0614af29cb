/* SPDX-License-Identifier: MIT */
/* Two bytes of limit, then a text that is to be shortened. */
#include "../unit/cut_check.h"
#include "fuzz.h"

#include <stdio.h>

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t limit, kept;
	const char *bad;

	if (n < 2)
		return 0;
	limit = bytes[0] | (size_t)bytes[1] << 8;
	bad = cut_check((struct str){ (const char *)bytes + 2, n - 2 }, limit, &kept);
	if (bad)
		fprintf(stderr, "limit %zu, kept %zu: %s\n", limit, kept, bad);
	must(!bad);
	return 0;
}
