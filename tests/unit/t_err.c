/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include "tap.h"

#include <errno.h>

static void
sets_code_and_text(void)
{
	struct err e = { .sys = 7 };

	is_int(err_set(&e, ERR_LIMIT, "%d too many", 3), -ERR_LIMIT,
	    "err_set returns the code");
	is_int(e.code, ERR_LIMIT, "and keeps it");
	is_int(e.sys, 0, "and clears errno");
	is_str(e.text, "3 too many", "and the sentence");
}

static void
names_errno(void)
{
	struct err e;

	errno = ENOENT;
	is_int(err_sys(&e, "open '%s'", "x"), -ERR_SYS, "err_sys returns ERR_SYS");
	is_int(e.sys, ENOENT, "errno is kept in the object");
	is_int(errno, ENOENT, "and in errno");
	is_str(e.text, "open 'x': No such file or directory (ENOENT)", "both name and meaning");

	errno = 4095;
	ok(err_sys(&e, "x") < 0, "an unknown errno is an error too");
	is_int(e.sys, 4095, "with its number");
	ok(strlen(e.text) > 0 && strstr(e.text, "(null)") == NULL, "and no null text: %s",
	    e.text);
}

static void
wraps_from_outside_in(void)
{
	struct err e;
	int r = err_set(&e, ERR_INVALID, "bad number");

	r = err_wrap(&e, r, "line %d", 4);
	r = err_wrap(&e, r, "file '%s'", "a");
	is_int(r, -ERR_INVALID, "wrapping keeps the code");
	is_str(e.text, "file 'a': line 4: bad number", "the outermost context comes first");
}

static void
cuts_long_text(void)
{
	char longer[3 * ERR_TEXT_MAX];
	struct err e;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_DENIED, "%s", longer);
	is_int(strlen(e.text), ERR_TEXT_MAX - 1, "a long sentence is cut");
	err_wrap(&e, -ERR_DENIED, "%s", longer);
	is_int(strlen(e.text), ERR_TEXT_MAX - 1, "also when wrapped");
	errno = EACCES;
	err_sys(&e, "%s", longer);
	is_int(strlen(e.text), ERR_TEXT_MAX - 1, "also with errno");
}

static void
names_codes(void)
{
	for (int code = ERR_NONE; code <= ERR_CLOSED; code++)
		ok(strcmp(err_name((enum err_code)code), "unknown") != 0, "code %d has a name",
		    code);
	is_str(err_name((enum err_code)999), "unknown", "others do not");
}

int
main(void)
{
	sets_code_and_text();
	names_errno();
	wraps_from_outside_in();
	cuts_long_text();
	names_codes();
	return tap_done();
}
