/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include "tap.h"

#include <limits.h>

static void
is_view(struct str got, const char *want, const char *name)
{
	ok(str_eq(got, str_of(want)), "%s: '%.*s'", name, STR_ARG(got));
}

static void
compares(void)
{
	ok(str_eq(STR(""), str_of(NULL)), "NULL is the empty view");
	ok(str_eq(STR("ab"), str_of("ab")), "equal");
	ok(!str_eq(STR("ab"), STR("abc")), "a prefix is not equal");
	ok(!str_eq(STR("a\0b"), STR("a\0c")), "bytes after a NUL count");
	ok(str_starts(STR("abc"), STR("ab")) && str_starts(STR("abc"), STR("")), "starts with");
	ok(!str_starts(STR("ab"), STR("abc")), "shorter than the prefix");
}

static void
cuts(void)
{
	struct str rest = STR("a,,b");

	is_view(str_from(STR("abc"), 1), "bc", "from inside");
	is_view(str_from(STR("abc"), 3), "", "from the end");
	is_view(str_from(STR("abc"), SIZE_MAX), "", "from past the end");
	is_view(str_split(&rest, ','), "a", "first part");
	is_view(str_split(&rest, ','), "", "an empty part");
	is_view(str_split(&rest, ','), "b", "last part");
	is_int(rest.n, 0, "nothing is left");
	is_view(str_split(&rest, ','), "", "splitting nothing gives nothing");
	rest = STR("a,");
	str_split(&rest, ',');
	is_int(rest.n, 0, "nothing behind a last separator");
	is_view(str_trim(STR(" \t\r\na b\n ")), "a b", "trimmed");
	is_view(str_trim(STR(" \t ")), "", "only blanks");
	is_view(str_trim(STR("")), "", "trimming nothing");
}

static void
numbers(void)
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		" 1",
		"1 ",
		"0x10",
		"1e3",
		"1_000",
		"18446744073709551616",
		"18446744073709551620",
		"99999999999999999999999",
	};
	uint64_t value = 77;

	for (size_t i = 0; i < COUNT(bad); i++)
		ok(!str_u64(str_of(bad[i]), UINT64_MAX, &value), "no number: '%s'", bad[i]);
	ok(!str_u64(STR("1\0"), 9, &value), "no number: a NUL behind");
	is_int(value, 77, "a refused number leaves the result alone");
	ok(str_u64(STR("18446744073709551615"), UINT64_MAX, &value) && value == UINT64_MAX,
	    "the largest");
	ok(str_u64(STR("0"), 0, &value) && value == 0, "zero, with a maximum of zero");
	ok(str_u64(STR("0007"), 7, &value) && value == 7, "leading zeros");
	ok(str_u64(STR("10"), 10, &value) && value == 10, "the maximum itself");
	ok(!str_u64(STR("11"), 10, &value), "above the maximum");
}

static void
distances(void)
{
	char a[65];

	memset(a, 'a', sizeof(a));
	is_int(str_distance(STR("kitten"), STR("sitting")), 3, "three edits");
	is_int(str_distance(STR(""), STR("abc")), 3, "from nothing");
	is_int(str_distance(STR("abc"), STR("")), 3, "to nothing");
	is_int(str_distance(STR("same"), STR("same")), 0, "no edit");
	is_int(str_distance((struct str){ a, 64 }, (struct str){ a, 64 }), 0,
	    "64 bytes are measured");
	ok(str_distance((struct str){ a, 65 }, STR("a")) == UINT_MAX, "65 are not");
	ok(str_distance(STR("a"), (struct str){ a, 65 }) == UINT_MAX, "on either side");
}

int
main(void)
{
	compares();
	cuts();
	numbers();
	distances();
	return tap_done();
}
