/* SPDX-License-Identifier: MIT */
/*
 * Tests that speak TAP. A test program is one main that ends in `return tap_done();`.
 *
 *	ok(buf_ok(&b), "it fits");
 *	is_int(b.n, 3, "three bytes");
 *	is_str(buf_text(&b), "abc", "these bytes");
 *	skip("no userns: unshare says EPERM");
 *
 * A skip starts with what the machine lacks; tools/tally checks that with tools/has.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_n, tap_bad;

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, n) \
	tap_is_int((intmax_t)(got), (intmax_t)(want), __FILE__, __LINE__, n)
#define is_str(got, want, n) tap_is_str((got), (want), __FILE__, __LINE__, n)
#define skip(reason)         printf("ok %u # SKIP %s\n", ++tap_n, reason)

__attribute__((format(printf, 4, 5))) static inline bool
tap_ok(bool good, const char *file, int line, const char *format, ...)
{
	__builtin_va_list ap;
	char name[1024];

	__builtin_va_start(ap, format);
	vsnprintf(name, sizeof(name), format, ap);
	__builtin_va_end(ap);
	for (char *at = name; (at = strchr(at, '\n')) != NULL;)
		*at = '|'; /* a name is one line */
	printf("%sok %u - %s", good ? "" : "not ", ++tap_n, name);
	printf(good ? "\n" : "\n# at %s:%d\n", file, line);
	fflush(stdout);
	tap_bad += !good;
	return good;
}

static inline bool
tap_is_int(intmax_t got, intmax_t want, const char *file, int line, const char *name)
{
	if (tap_ok(got == want, file, line, "%s", name))
		return true;
	printf("# got %jd, want %jd\n", got, want);
	return false;
}

static inline bool
tap_is_str(const char *got, const char *want, const char *file, int line, const char *name)
{
	if (tap_ok(got && strcmp(got, want) == 0, file, line, "%s", name))
		return true;
	printf("# got \"%s\", want \"%s\"\n", got ? got : "(null)", want);
	return false;
}

/* Prints the plan; the exit status of the program. */
static inline int
tap_done(void)
{
	printf("1..%u\n", tap_n);
	return tap_bad != 0;
}

#endif
