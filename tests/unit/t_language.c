/* SPDX-License-Identifier: MIT */
#include "ipc/language.h"

#include "tap.h"

static void
words(void)
{
	is_int(language_named(STR("auto")), LANGUAGE_AUTO, "auto");
	is_int(language_named(STR("js")), LANGUAGE_JS, "js");
	is_int(language_named(STR("ts")), LANGUAGE_TS, "ts");
	is_int(language_named(STR("TS")), LANGUAGES, "a word is written small");
	is_int(language_named(STR("")), LANGUAGES, "no word");
	is_int(language_named((struct str){ NULL, 0 }), LANGUAGES, "nothing");
}

static void
paths(void)
{
	static const char *const ts[] = { "a.ts", "/x/a.mts", "a.b.cts", "A.TS", "a.tsx",
		"x/a.typescript" };
	static const char *const others[] = { "", "ts", ".ts", "x/.ts", "a.ts/b", "a.js",
		"a.ts.js", "a.", "ats", "x.ts/", "a.its" };

	for (size_t i = 0; i < COUNT(ts); i++)
		ok(language_of_path(str_of(ts[i])) == LANGUAGE_TS, "%s is TypeScript", ts[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		ok(language_of_path(str_of(others[i])) == LANGUAGE_AUTO, "'%s' says nothing",
		    others[i]);
}

static void
fences(void)
{
	is_int(language_of_fence(STR("ts")), LANGUAGE_TS, "ts");
	is_int(language_of_fence(STR("TypeScript")), LANGUAGE_TS, "TypeScript");
	is_int(language_of_fence(STR("js")), LANGUAGE_AUTO, "js says nothing");
	is_int(language_of_fence(STR("")), LANGUAGE_AUTO, "nor does no word");
}

int
main(void)
{
	words();
	paths();
	fences();
	return tap_done();
}
