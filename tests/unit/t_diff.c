/* SPDX-License-Identifier: MIT */
/* Diffs are judged by putting them to use: what they say of one text makes the other. */
#include "tool/diff.h"

#include "tap.h"

#define ROUNDS 3000

/* ---- a patch, taken strictly ---- */

static struct str
next_line(struct str *rest)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	struct str line = { rest->p, end ? (size_t)(end + 1 - rest->p) : rest->n };

	*rest = str_from(*rest, line.n);
	return line;
}

/* Applies the hunks to `before`; false where one does not fit. */
static bool
apply(struct str before, struct str diff, struct buf *ret_after)
{
	size_t line = 1;

	next_line(&diff);
	next_line(&diff);
	while (diff.n) {
		struct str head = next_line(&diff);
		size_t at = 0;

		if (sscanf(head.p, "@@ -%zu", &at) != 1)
			return false;
		/* "-N,0" stands behind line N. */
		at += memmem(head.p, head.n, ",0 +", 4) && memmem(head.p, head.n, ",0 +", 4) <
							       memmem(head.p, head.n, " +", 2)
			  ? 1
			  : 0;
		while (line < at && before.n) {
			buf_add(ret_after, next_line(&before));
			line++;
		}
		while (diff.n && diff.p[0] != '@') {
			struct str one = next_line(&diff), text = str_from(one, 1), had;

			if (diff.n && diff.p[0] == '\\') {
				next_line(&diff);
				text.n--;
			}
			if (one.p[0] != '+') {
				had = next_line(&before);
				line++;
				if (!str_eq(had, text))
					return false;
			}
			if (one.p[0] != '-')
				buf_add(ret_after, text);
		}
	}
	buf_add(ret_after, before);
	return true;
}

static bool
holds(struct str before, struct str after)
{
	auto_done(buf) struct buf diff = buf_max(MiB(1)), made = buf_max(MiB(1));

	diff_unified(before, after, STR("f"), false, &diff);
	return apply(before, buf_str(&diff), &made) && str_eq(buf_str(&made), after);
}

static uint64_t seed = 1;

static unsigned
chance(unsigned below)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(seed >> 33) % below;
}

static void
some_text(struct buf *out, unsigned lines, unsigned kinds)
{
	for (unsigned i = 0; i < lines; i++)
		buf_addf(out, "%c\n", 'a' + chance(kinds));
	if (out->n && chance(3) == 0)
		out->n--;
}

static void
makes_the_other(void)
{
	unsigned bad = 0;

	for (unsigned n = 0; n < ROUNDS; n++) {
		auto_done(buf) struct buf a = buf_max(KiB(4)), b = buf_max(KiB(4));

		some_text(&a, chance(60), 1 + chance(20));
		some_text(&b, chance(60), 1 + chance(20));
		if (!str_eq(buf_str(&a), buf_str(&b)))
			bad += !holds(buf_str(&a), buf_str(&b));
	}
	is_int(bad, 0, "what a diff says of one text makes the other");
	bad = 0;
	for (unsigned n = 0; n < ROUNDS; n++) {
		auto_done(buf) struct buf a = buf_max(KiB(4)), b = buf_max(KiB(4));
		size_t from, to;

		some_text(&a, 1 + chance(60), 1 + chance(3));
		from = chance((unsigned)a.n + 1);
		to = from + chance((unsigned)(a.n - from) + 1);
		buf_add(&b, (struct str){ a.p, from });
		some_text(&b, chance(4), 1 + chance(3));
		buf_add(&b, str_from(buf_str(&a), to));
		if (!str_eq(buf_str(&a), buf_str(&b)))
			bad += !holds(buf_str(&a), buf_str(&b));
	}
	is_int(bad, 0, "also where one place differs, anywhere in lines that are alike");
}

static void
is_this(const char *before, const char *after, bool created, const char *name, const char *want)
{
	auto_done(buf) struct buf diff = buf_max(KiB(4));

	diff_unified(str_of(before), str_of(after), str_of(name), created, &diff);
	is_str(buf_text(&diff), want, want);
}

static void
looks_as_others(void)
{
	is_this("a\n", "a\n", false, "f", "");
	is_this("a\nb\n", "a\nc\n", false, "f",
	    "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
	is_this("", "x\n", true, "f", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
	is_this("", "", true, "f", "--- /dev/null\n+++ b/f\n");
	is_this("x\n", "", false, "f", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-x\n");
	is_this("x", "x\n", false, "f",
	    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
	is_this("a\r\n", "a\n", false, "f", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n");
	is_this("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", false, "f",
	    "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
	is_this("0\n1\n2\n3\n4\n5\n6\n7\n8\n", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", false, "f",
	    "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-0\n+a\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n "
	    "7\n-8\n+b\n");
	is_this("0\n1\n2\n3\n4\n5\n6\n7\n", "a\n1\n2\n3\n4\n5\n6\nb\n", false, "f",
	    "--- a/f\n+++ b/f\n@@ -1,8 +1,8 @@\n-0\n+a\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n+b\n");
	is_this("a\n", "b\n", false, "x\ny\"z",
	    "--- \"a/x\\ny\\\"z\"\n+++ \"b/x\\ny\\\"z\"\n@@ -1 +1 @@\n-a\n+b\n");
}

static void
is_bounded(void)
{
	auto_done(buf) struct buf a = buf_max(MiB(2)), b = buf_max(MiB(2)),
				  out = buf_max(MiB(1));
	struct str nul = { "a\0b\n", 4 };

	for (unsigned i = 0; a.n < MiB(1) - 2; i++) {
		buf_addf(&a, "%c\n", 'a' + chance(3));
		buf_addf(&b, "%c\n", 'a' + chance(3));
	}
	diff_unified(buf_str(&a), buf_str(&b), STR("f"), false, &out);
	ok(buf_ok(&out) && out.n <= DIFF_MAX + 200 &&
		strstr(buf_text(&out), "[the diff is cut here: ") && out.p[out.n - 2] == ']',
	    "half a million lines with little in common: cut at a line, and said (%zu)", out.n);
	buf_reset(&out);
	diff_unified(STR("a\n"), nul, STR("f"), false, &out);
	is_str(buf_text(&out), "--- a/f\n+++ b/f\nBinary files differ\n",
	    "bytes that are no text");
}

static void
knows_languages(void)
{
	is_str(diff_language(STR("src/a.c")), "c", "C");
	is_str(diff_language(STR("x.tar.py")), "python", "Python");
	is_str(diff_language(STR("Makefile")), "makefile", "a name without an ending");
	is_str(diff_language(STR("x.unheard")), "", "none");
}

int
main(void)
{
	makes_the_other();
	looks_as_others();
	is_bounded();
	knows_languages();
	return tap_done();
}
