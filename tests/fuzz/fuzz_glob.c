/* SPDX-License-Identifier: MIT */
/* A pattern, and behind a NUL the path that it is held against. */
#include "fuzz.h"
#include "gate/glob.h"

/* With its signs standing for themselves a path matches itself, and nothing longer. */
static void
check_plain(struct str path)
{
	auto_done(buf) struct buf plain = buf_max(KiB(32)), longer = buf_max(KiB(8));

	if (!path.n || path.n > KiB(4) || memchr(path.p, '/', path.n))
		return;
	glob_add_plain(&plain, path);
	buf_add(&longer, path);
	buf_addc(&longer, 'x');
	must(glob_match(buf_str(&plain), path));
	must(!glob_match(buf_str(&plain), buf_str(&longer)));
}

/* No empty parts, none that lead to where they are or up. */
static void
check_normal(struct str normal)
{
	struct str rest = str_starts(normal, STR("/")) ? str_from(normal, 1) : normal;

	while (rest.n) {
		struct str part = str_split(&rest, '/');

		must(part.n && !str_eq(part, STR(".")) && !str_eq(part, STR("..")));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str rest = { (const char *)bytes, n };
	struct str pattern = str_split(&rest, '\0'), path = rest;
	auto_done(buf) struct buf normal = buf_max(KiB(8));
	struct err e;
	int r = glob_normal(pattern, STR("/home/u"), &normal, &e);

	must(r == 0 || r == -ERR_INVALID || r == -ERR_LIMIT);
	check_plain(path);
	/* Any bytes may be held against each other. */
	glob_match(pattern, path);
	glob_match_above(pattern, path);
	if (glob_check_name(pattern, &e) == 0)
		must(!memchr(pattern.p, '/', pattern.n));
	if (r < 0)
		return 0;
	must(buf_ok(&normal));
	must(!glob_match(buf_str(&normal), path) || glob_match_above(buf_str(&normal), path));
	check_normal(buf_str(&normal));
	return 0;
}
