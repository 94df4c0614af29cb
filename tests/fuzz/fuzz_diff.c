/* SPDX-License-Identifier: MIT */
/* A file's name, its text before and after, each behind the other's NUL. */
#include "fuzz.h"
#include "tool/diff.h"

/* The lines that stay or go are those of before, in order; those that stay or come are those of after. */
static void
check_lines(struct str diff, struct str before, struct str after)
{
	size_t hunks = 0;

	str_split(&diff, '\n');
	str_split(&diff, '\n');
	while (diff.n) {
		struct str line = str_split(&diff, '\n'), text = str_from(line, 1);

		if (!line.n || line.p[0] == '@' || line.p[0] == '\\' || line.p[0] == '[') {
			hunks += line.n && line.p[0] == '@';
			continue;
		}
		must(line.p[0] == ' ' || line.p[0] == '-' || line.p[0] == '+');
		if (text.n && line.p[0] != '+')
			must(memmem(before.p, before.n, text.p, text.n) != NULL);
		if (text.n && line.p[0] != '-')
			must(memmem(after.p, after.n, text.p, text.n) != NULL);
	}
	must(hunks > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str rest = { (const char *)bytes, n };
	struct str name = str_split(&rest, '\0'), before = str_split(&rest, '\0'), after = rest;
	auto_done(buf) struct buf diff = buf_max(DIFF_MAX + KiB(64));
	bool binary = after.n && memchr(after.p, '\0', after.n);

	if (name.n > KiB(4))
		return 0;
	diff_unified(before, after, name, false, &diff);
	must(buf_ok(&diff));
	must((diff.n == 0) == str_eq(before, after));
	if (diff.n && !binary)
		check_lines(buf_str(&diff), before, after);
	diff_language(name);
	return 0;
}
