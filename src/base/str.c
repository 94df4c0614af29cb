/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <limits.h>

struct str
str_split(struct str *ret_rest, char sep)
{
	struct str whole = *ret_rest;
	const char *at = whole.n ? memchr(whole.p, sep, whole.n) : NULL;
	size_t n;

	if (!at) {
		*ret_rest = (struct str){ NULL, 0 };
		return whole;
	}
	n = (size_t)(at - whole.p);
	*ret_rest = (struct str){ at + 1, whole.n - n - 1 };
	return (struct str){ whole.p, n };
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str
str_trim(struct str s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool
str_u64(struct str s, uint64_t max, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}

#define DISTANCE_MAX 64

unsigned
str_distance(struct str a, struct str b)
{
	unsigned row[DISTANCE_MAX + 1];

	if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b.n; j++) {
			unsigned replace = diagonal + (a.p[i - 1] != b.p[j - 1]);
			unsigned insert = row[j - 1] + 1;
			unsigned drop = row[j] + 1;

			diagonal = row[j];
			row[j] = MIN(replace, MIN(insert, drop));
		}
	}
	return row[b.n];
}
