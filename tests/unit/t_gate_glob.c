/* SPDX-License-Identifier: MIT */
#include "gate/glob.h"

#include "tap.h"

static struct err e;

/* "yes", "no", or why the pattern is refused. */
static const char *
answer(const char *pattern, const char *path)
{
	auto_done(buf) struct buf normal = buf_max(GLOB_MAX);

	if (glob_normal(str_of(pattern), STR("/home/u[1]"), &normal, &e) < 0)
		return e.text;
	return glob_match(buf_str(&normal), str_of(path)) ? "yes" : "no";
}

static void
matches(void)
{
	static const char *const table[][3] = {
		{ "a", "a", "yes" },
		{ "a", "A", "no" },
		{ "a", "a/b", "no" },
		{ "*", "a", "yes" },
		{ "*", ".a", "yes" },
		{ "*", "", "no" },
		{ "*", "a/b", "no" },
		{ "*.c", "x.c", "yes" },
		{ "*.c", ".c", "yes" },
		{ "a*b*c", "aXbYbZc", "yes" },
		{ "a*b*c", "aXbYbZ", "no" },
		{ "?", "\xc3\xa9", "yes" },
		{ "?", "\xff", "yes" },
		{ "??", "\xff\xfe", "yes" },
		{ "?", "", "no" },
		{ "a?c", "a/c", "no" },
		{ "[abc]", "b", "yes" },
		{ "[a-c]", "b", "yes" },
		{ "[!a-c]", "b", "no" },
		{ "[^a-c]", "d", "yes" },
		{ "[]]", "]", "yes" },
		{ "[!]]", "]", "no" },
		{ "[a-]", "-", "yes" },
		{ "[*]", "*", "yes" },
		{ "[*]", "x", "no" },
		{ "[\\]", "\\", "yes" },
		{ "[{]a[}]", "{a}", "yes" },
		{ "[\xc3\xa0-\xc3\xa9]", "\xc3\xa5", "yes" },
		{ "[\xc3\xa0-\xc3\xa9]", "\xa5", "no" },
		{ "**", "", "yes" },
		{ "**", "a/b/c", "yes" },
		{ "src/**", "src", "yes" },
		{ "src/**", "src/a/b", "yes" },
		{ "src/**", "srcs/a", "no" },
		{ "src/", "src/a/b", "yes" },
		{ "src/", "src", "yes" },
		{ "./src//./a", "src/a", "yes" },
		{ "**/a", "a", "yes" },
		{ "**/a", "x/y/a", "yes" },
		{ "a/**/b", "a/b", "yes" },
		{ "a/**/b", "a/x/y/b", "yes" },
		{ "a/**/b", "a/x/y/c", "no" },
		{ "**/a/**/b", "a/a/x/b/b", "yes" },
		{ ".", "", "yes" },
		{ ".", "a", "no" },
		{ "/", "/", "yes" },
		{ "/etc/*", "/etc/hosts", "yes" },
		{ "/etc/*", "etc/hosts", "no" },
		{ "etc/*", "/etc/hosts", "no" },
		{ "/*", "xa", "no" },
		{ "*/a", "/a", "no" },
		{ "**", "/a", "no" },
		{ "//etc/./", "/etc/a/b", "yes" },
		{ "~/.ssh/", "/home/u[1]/.ssh/id", "yes" },
		{ "~/.ssh/", "/home/u1/.ssh/id", "no" },
		{ "[~]/a", "~/a", "yes" },
		{ "a~", "a~", "yes" },
	};

	for (size_t i = 0; i < COUNT(table); i++)
		ok(strcmp(answer(table[i][0], table[i][1]), table[i][2]) == 0, "%s on '%s': %s",
		    table[i][0], table[i][1], table[i][2]);
}

static void
refuses(void)
{
	static const char *const table[][2] = {
		{ "", "it is empty" },
		{ "a\\*", "a backslash" },
		{ "{a,b}", "braces" },
		{ "a}", "braces" },
		{ "!a", "a '!' in front" },
		{ "a**", "'**' stands alone" },
		{ "a/**b", "'**' stands alone" },
		{ "a/***/b", "'**' stands alone" },
		{ "../a", "'..'" },
		{ "/a/../b", "'..'" },
		{ "[ab", "'[' has no ']'" },
		{ "[a/b]", "'[' has no ']'" },
		{ "[]", "'[' has no ']'" },
		{ "[!]", "'[' has no ']'" },
		{ "[[:alpha:]]", "[:classes:]" },
		{ "[z-a]", "a range" },
		{ "~root/a", "'~' is known" },
		{ "~", "'~' is known" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		const char *got = answer(table[i][0], "a");

		ok(strncmp(got, table[i][1], strlen(table[i][1])) == 0, "'%s' is refused: %s",
		    table[i][0], got);
	}
}

/* Repeats `with` to fill room but for the last byte, which is `last`. */
static struct str
many(struct buf *room, const char *with, size_t n, char last)
{
	buf_reset(room);
	while (room->n + strlen(with) < n)
		buf_add(room, str_of(with));
	buf_addc(room, last);
	return buf_str(room);
}

static void
edges(void)
{
	auto_done(buf) struct buf out = buf_max(GLOB_MAX);
	auto_done(buf) struct buf room = buf_max(KiB(2));
	struct str long_one = many(&room, "a", GLOB_MAX, 'a');

	ok(glob_normal(STR("~/a"), (struct str){ NULL, 0 }, &out, &e) == -ERR_INVALID,
	    "without a home '~/' is refused");
	ok(glob_normal((struct str){ "a\0b", 3 }, STR("/h"), &out, &e) == -ERR_INVALID, "NUL");
	ok(glob_normal(long_one, STR("/h"), &out, &e) == 0 && out.n == GLOB_MAX,
	    "as long as may be");
	buf_addc(&room, 'a');
	ok(glob_normal(buf_str(&room), STR("/h"), &out, &e) == -ERR_LIMIT, "too long");
	buf_reset(&room);
	buf_addf(&room, "~/%.*s", GLOB_MAX - 2, buf_text(&out));
	buf_reset(&out);
	ok(glob_normal(buf_str(&room), STR("/home"), &out, &e) == -ERR_LIMIT && !out.n,
	    "too long with the home in front");
	ok(glob_check_name(STR("mcp_*_[a-z]?"), &e) == 0, "a pattern for names");
	ok(glob_check_name(STR("a/b"), &e) == -ERR_INVALID, "a name has no slash");
	ok(glob_check_name(STR("**"), &e) == -ERR_INVALID, "nor two stars");
	ok(glob_match_above(STR("a/*"), STR("a/b/c")), "a folder above matches");
	ok(!glob_match_above(STR("a/*"), STR("a")), "what is above the pattern does not");
	ok(glob_match_above(STR("/"), STR("/a/b")) && glob_match_above(STR(""), STR("a/b")),
	    "the root, the workspace itself");
	ok(!glob_match_above(STR("a"), STR("ab/c")), "whole names only");
}

/* A matcher that goes back to every star does not come to an end here. */
static void
bounded(void)
{
	auto_done(buf) struct buf a = buf_max(KiB(8)), b = buf_max(KiB(8));

	ok(!glob_match(many(&a, "*a", GLOB_MAX, 'a'), many(&b, "a", 4096, 'b')),
	    "many stars in a name");
	ok(!glob_match_above(many(&a, "**/a/", GLOB_MAX, 'c'), many(&b, "a/", 4096, 'b')),
	    "many stars between slashes");
}

int
main(void)
{
	matches();
	refuses();
	edges();
	bounded();
	return tap_done();
}
