/* SPDX-License-Identifier: MIT */
#include "sandbox/report.h"
#include "sandbox/test.h"

static uint32_t
layers_of(struct str names)
{
	uint32_t set = 0;

	while (names.n) {
		struct str name = str_split(&names, ',');

		for (unsigned i = 0; i < LAYER_COUNT; i++)
			if (str_eq(name, str_of(sandbox_layer_name((enum sandbox_layer)i))))
				set |= 1U << i;
	}
	return set;
}

/* Read again at each call: a test changes its own environment between two spawns. */
const struct sandbox_test *
sandbox_test(void)
{
	static struct sandbox_test test;
	uint64_t abi;

	test = (struct sandbox_test){ 0 };
	test.has_abi = str_u64(str_of(getenv("CRISOL_TEST_ABI")), 255, &abi);
	test.landlock_abi = test.has_abi ? (unsigned)abi : 0;
	test.no_userns = getenv("CRISOL_TEST_NO_USERNS") != NULL;
	test.no_namespaces = getenv("CRISOL_TEST_NO_NAMESPACES") != NULL;
	test.no_clone3 = getenv("CRISOL_TEST_NO_CLONE3") != NULL;
	test.leave_out = layers_of(str_of(getenv("CRISOL_TEST_LEAVE_OUT")));
	return &test;
}
