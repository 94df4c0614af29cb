/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "tap.h"

static void
builds_text(void)
{
	auto_done(buf) struct buf b = buf_max(64);

	is_str(buf_text(&b), "", "an empty buffer is empty text");
	buf_add(&b, STR("ab"));
	buf_addc(&b, 'c');
	buf_addf(&b, "-%d", 42);
	is_str(buf_text(&b), "abc-42", "pieces follow each other");
	is_int(buf_str(&b).n, 6, "the view has the length");
	buf_drop(&b, 4);
	is_str(buf_text(&b), "42", "dropped from the front");
	buf_drop(&b, 2);
	is_str(buf_text(&b), "", "dropped all");
	buf_drop(&b, 0);
	buf_add(&b, STR(""));
	ok(buf_ok(&b), "dropping and adding nothing is fine");
}

static void
stops_at_the_maximum(void)
{
	auto_done(buf) struct buf b = buf_max(4);

	buf_add(&b, STR("abcd"));
	ok(buf_ok(&b), "exactly the maximum fits");
	buf_addc(&b, 'e');
	ok(!buf_ok(&b), "one more does not");
	is_str(buf_text(&b), "abcd", "what was there stays");
	buf_drop(&b, 4);
	buf_add(&b, STR("x"));
	ok(!buf_ok(&b) && b.n == 0, "overflow is sticky");
	ok(buf_space(&b, 0) == NULL, "also for space");
	buf_addf(&b, "%s", "y");
	is_int(b.n, 0, "also for formatted text");
	buf_reset(&b);
	buf_add(&b, STR("xyz"));
	ok(buf_ok(&b), "reset makes it usable again");
	is_str(buf_text(&b), "xyz", "from the start");
}

static void
never_takes_a_part(void)
{
	auto_done(buf) struct buf b = buf_max(5);

	buf_add(&b, STR("abc"));
	buf_add(&b, STR("def"));
	is_str(buf_text(&b), "abc", "a piece that does not fit is left out whole");
	buf_reset(&b);
	buf_addf(&b, "%s", "toolong");
	is_int(b.n, 0, "also formatted");
	buf_reset(&b);
	ok(buf_space(&b, SIZE_MAX) == NULL, "a size that would wrap is refused");
}

static void
grows(void)
{
	auto_done(buf) struct buf b = buf_max(MiB(1));
	char *space;

	for (size_t i = 0; i < 100000; i++)
		buf_addc(&b, (char)('a' + i % 26));
	ok(buf_ok(&b) && b.n == 100000, "a hundred thousand bytes");
	is_int(b.p[99999], 'a' + 99999 % 26, "the last one");
	is_int(b.p[100000], '\0', "and a NUL");
	space = buf_space(&b, MiB(1) - 100000);
	ok(space == b.p + 100000 && b.n == MiB(1), "space up to the maximum");
	buf_done(&b);
	ok(b.n == 0 && b.p == NULL && b.max == MiB(1), "done keeps the maximum alone");
	buf_add(&b, STR("again"));
	is_str(buf_text(&b), "again", "and the buffer works again");
}

static void
takes_none(void)
{
	auto_done(buf) struct buf b = buf_max(0);

	buf_add(&b, STR(""));
	ok(buf_ok(&b), "nothing fits into a maximum of zero");
	buf_addc(&b, 'x');
	ok(!buf_ok(&b), "something does not");
	is_str(buf_text(&b), "", "and it is empty text");
}

int
main(void)
{
	builds_text();
	stops_at_the_maximum();
	never_takes_a_part();
	grows();
	takes_none();
	return tap_done();
}
