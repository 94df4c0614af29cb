/* SPDX-License-Identifier: MIT */
#include "ipc/code.h"

#include "tap.h"

static bool
is_name(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && n < 64 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == n &&
	       name[0] != '_';
}

static void
table_walk(void)
{
	static const int exits[] = { 1, 2, 3, 4, 5, 130 };

	for (int c = CODE_NONE + 1; c < CODE_COUNT; c++) {
		const struct code_spec *spec = &code_specs[c];
		size_t hint = spec->hint ? strlen(spec->hint) : 0;
		bool unique = true, known = false;

		for (int other = CODE_NONE + 1; other < c; other++)
			unique = unique && strcmp(code_specs[other].name, spec->name) != 0;
		for (size_t i = 0; i < COUNT(exits); i++)
			known = known || spec->exit_status == exits[i];
		ok(is_name(spec->name) && unique, "%s: a name of its own", spec->name);
		ok(known, "%s: an exit status that is documented", spec->name);
		ok(hint > 10 && hint < KiB(2) && !strchr(spec->hint, '\n') &&
			spec->hint[hint - 1] != '.',
		    "%s: a hint of one sentence without a full stop", spec->name);
		is_int(code_named(str_of(spec->name)), c, "its name leads back to it");
	}
}

static void
names(void)
{
	static const enum code_retry retries[] = { RETRY_NEVER, RETRY_AFTER_CHANGE, RETRY_LATER,
		RETRY_SAFE };

	is_int(code_specs[CODE_NONE].exit_status, 0, "success is 0");
	is_str(code_specs[CODE_NONE].name, "", "without a name");
	is_int(code_named(STR("")), CODE_NONE, "no name is no code");
	is_int(code_named(STR("NOTHING_LIKE_IT")), CODE_NONE, "an unknown one neither");
	is_int(code_named(STR("timeout")), CODE_NONE, "nor one in small letters");
	is_int(code_named(STR("TIMEOUT ")), CODE_NONE, "nor with a blank behind it");
	is_int(code_named((struct str){ "TIMEOUTS", 7 }), CODE_TIMEOUT,
	    "only the bytes given count");
	is_int(code_named((struct str){ NULL, 0 }), CODE_NONE, "none at all");
	for (size_t i = 0; i < COUNT(retries); i++) {
		for (size_t k = 0; k < i; k++)
			ok(strcmp(code_retry_name(retries[i]), code_retry_name(retries[k])) !=
				0,
			    "%s is not %s", code_retry_name(retries[i]),
			    code_retry_name(retries[k]));
	}
}

int
main(void)
{
	table_walk();
	names();
	return tap_done();
}
