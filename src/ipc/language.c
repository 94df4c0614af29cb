/* SPDX-License-Identifier: MIT */
#include "ipc/language.h"

#include <strings.h>

/* Both the ends of file names and the words behind a code fence. */
static const char *const ts_names[] = { "ts", "mts", "cts", "tsx", "typescript" };

static bool
is_ts(struct str word)
{
	for (size_t i = 0; i < COUNT(ts_names); i++) {
		struct str name = str_of(ts_names[i]);

		if (word.n && word.n == name.n && strncasecmp(word.p, name.p, name.n) == 0)
			return true;
	}
	return false;
}

enum language
language_named(struct str name)
{
	static const char *const names[LANGUAGES] = {
		[LANGUAGE_AUTO] = "auto",
		[LANGUAGE_JS] = "js",
		[LANGUAGE_TS] = "ts",
	};
	int l = 0;

	while (l < LANGUAGES && !str_eq(name, str_of(names[l])))
		l++;
	return (enum language)l;
}

enum language
language_of_path(struct str path)
{
	size_t start = path.n;

	while (start && path.p[start - 1] != '.' && path.p[start - 1] != '/')
		start--;
	/* The word alone, or a name without a dot, is no ending. */
	if (start < 2 || path.p[start - 1] != '.' || path.p[start - 2] == '/')
		return LANGUAGE_AUTO;
	return is_ts(str_from(path, start)) ? LANGUAGE_TS : LANGUAGE_AUTO;
}

enum language
language_of_fence(struct str word)
{
	return is_ts(word) ? LANGUAGE_TS : LANGUAGE_AUTO;
}
