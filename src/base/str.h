/* SPDX-License-Identifier: MIT */
/*
 * A borrowed view of bytes: never freed, never NUL-terminated by promise, passed by value.
 *
 *	if (str_eq(name, STR("js")))
 *		log("%.*s", STR_ARG(name));
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/base.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
/* For "%.*s"; s is evaluated twice. */
#define STR_ARG(s) (int)(s).n, (s).p

static inline struct str
str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/* The part from byte `at` on; empty past the end. */
static inline struct str
str_from(struct str s, size_t at)
{
	return at < s.n ? (struct str){ s.p + at, s.n - at } : (struct str){ NULL, 0 };
}

/* Cuts the view at the first `sep`: returns the part before it, moves *ret_rest behind it. */
struct str str_split(struct str *ret_rest, char sep);
/* Without ASCII blanks (space, tab, CR, LF) at both ends. */
struct str str_trim(struct str s);
/* Decimal digits only, no sign, no blanks; false on anything else or a value above max. */
bool str_u64(struct str s, uint64_t max, uint64_t *ret_value);
/* Levenshtein distance, for "did you mean"; strings over 64 bytes count as infinitely far. */
unsigned str_distance(struct str a, struct str b);

#endif
