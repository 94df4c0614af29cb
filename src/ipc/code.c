/* SPDX-License-Identifier: MIT */
#include "ipc/code.h"

const struct code_spec code_specs[CODE_COUNT] = {
	[CODE_NONE] = { "", 0, RETRY_NEVER, "" },
#define CODE(name, exit, retry, hint) [CODE_##name] = { #name, exit, RETRY_##retry, hint },
#include "ipc/codes.def"
#undef CODE
};

const char *
code_retry_name(enum code_retry retry)
{
	static const char *const names[] = {
		[RETRY_NEVER] = "never",
		[RETRY_AFTER_CHANGE] = "after_change",
		[RETRY_LATER] = "later",
		[RETRY_SAFE] = "safe",
	};

	return names[retry];
}

enum code
code_named(struct str name)
{
	for (int c = CODE_NONE + 1; c < CODE_COUNT; c++) {
		if (str_eq(name, str_of(code_specs[c].name)))
			return (enum code)c;
	}
	return CODE_NONE;
}
