/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include "tap.h"

#define PATHS 20000

static void
makes_normal(void)
{
	static const struct {
		const char *from, *path, *want; /* want NULL: refused */
	} rows[] = {
		{ "/a/b", "c", "/a/b/c" },
		{ "/a/b", "c/d/", "/a/b/c/d" },
		{ "/a/b", "/c", "/c" },
		{ "/a/b", "", "/a/b" },
		{ "/a/b", ".", "/a/b" },
		{ "/a/b", "./c", "/a/b/c" },
		{ "/a/b", "..", "/a" },
		{ "/a/b", "../..", "/" },
		{ "/a/b", "../../..", "/" },
		{ "/a/b", "../../../c", "/c" },
		{ "/a/b", "../b/../../x", "/x" },
		{ "/a/b", "c//d///e", "/a/b/c/d/e" },
		{ "/a/b", "c/./d/.", "/a/b/c/d" },
		{ "/a/b", "...", "/a/b/..." },
		{ "/a/b", "..c", "/a/b/..c" },
		{ "/a/b", ".c", "/a/b/.c" },
		{ "/", "c", "/c" },
		{ "//", "c", "/c" },
		{ "/a/./b/../c/", "d", "/a/c/d" },
		{ "/", "..", "/" },
		{ "/a", "/", "/" },
		{ "/a", "///", "/" },
		{ "/a", "/../b", "/b" },
		{ "", "/a/../b", "/b" },
		{ "", "a", NULL },
		{ "a", "b", NULL },
		{ "./a", "b", NULL },
		{ "/a", "b c\t\xc3\xa9", "/a/b c\t\xc3\xa9" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));
		bool good = path_normal(str_of(rows[i].from), str_of(rows[i].path), &out);

		is_int(good, rows[i].want != NULL, rows[i].path);
		if (rows[i].want)
			is_str(buf_text(&out), rows[i].want, "is this path");
	}
}

static void
keeps_to_limits(void)
{
	for (size_t max = 0; max < 8; max++) {
		auto_done(buf) struct buf out = buf_max(max);
		bool good = path_normal(STR("/abc"), STR("../x/../d/e"), &out);

		is_int(good, max >= 4, "a path of four bytes where so many fit");
	}
	{
		auto_done(buf) struct buf out = buf_max(KiB(1));

		ok(!path_normal(STR("/a"), STR("b\0c"), &out) && out.n == 0, "no NUL");
		ok(!path_normal(STR("/a"), STR("/\0"), &out), "anywhere");
		buf_add(&out, STR("at "));
		ok(path_normal(STR("/a"), STR("b"), &out) &&
			strcmp(buf_text(&out), "at /a/b") == 0,
		    "appended to what is there");
	}
}

static void
below(void)
{
	static const struct {
		const char *path, *folder, *rest; /* rest NULL: not below */
	} rows[] = {
		{ "/a/b", "/a", "b" },
		{ "/a/b/c", "/a", "b/c" },
		{ "/a", "/a", "." },
		{ "/ab", "/a", NULL },
		{ "/", "/a", NULL },
		{ "/b/a", "/a", NULL },
		{ "/a", "/a/b", NULL },
		{ "/a/b", "/", "a/b" },
		{ "/", "/", "." },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str path = str_of(rows[i].path), folder = str_of(rows[i].folder);

		ok(path_below(path, folder) == (rows[i].rest != NULL), "%s is%s below %s",
		    rows[i].path, rows[i].rest ? "" : " not", rows[i].folder);
		if (rows[i].rest)
			ok(str_eq(path_rest(path, folder), str_of(rows[i].rest)), "%s is left",
			    rows[i].rest);
	}
}

static uint64_t seed = 88172645463325252ull;

static unsigned
chance(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static bool
is_normal(struct str path)
{
	struct str rest = str_from(path, 1);

	if (!path.n || path.p[0] != '/' || (path.n > 1 && path.p[path.n - 1] == '/'))
		return false;
	while (rest.n) {
		struct str name = str_split(&rest, '/');

		if (!name.n || str_eq(name, STR(".")) || str_eq(name, STR("..")))
			return false;
	}
	return true;
}

static void
by_chance(void)
{
	static const char *const parts[] = { "/", "/", ".", "..", "a", "bb", "...", ".c",
		"/../", "/./", "//" };
	unsigned bad = 0;

	for (unsigned i = 0; i < PATHS; i++) {
		auto_done(buf) struct buf text = buf_max(KiB(1)), out = buf_max(KiB(1)),
					  again = buf_max(KiB(1));

		for (unsigned n = chance(12); n > 0; n--)
			buf_add(&text, str_of(parts[chance(COUNT(parts))]));
		bad += !path_normal(STR("/from/here"), buf_str(&text), &out) ||
		       !is_normal(buf_str(&out));
		bad += !path_normal(STR("/"), buf_str(&out), &again) ||
		       !str_eq(buf_str(&out), buf_str(&again));
		bad += !path_below(buf_str(&out), STR("/"));
	}
	is_int(bad, 0, "twenty thousand paths made by chance are normal, and stay it");
}

int
main(void)
{
	makes_normal();
	keeps_to_limits();
	below();
	by_chance();
	return tap_done();
}
