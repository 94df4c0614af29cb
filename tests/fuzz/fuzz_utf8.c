/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str s = { (const char *)bytes, n };
	auto_done(buf) struct buf out = buf_max(MiB(1));
	bool valid = utf8_valid(s);
	size_t good = 0;

	while (good < n && utf8_next(str_from(s, good), NULL))
		good += utf8_next(str_from(s, good), NULL);
	must(valid == (good == n));
	utf8_scrub(s, &out);
	must(utf8_valid(buf_str(&out)));
	must(!valid || str_eq(buf_str(&out), s));
	if (valid)
		must(utf8_valid(utf8_head(s, 3)) && utf8_count(utf8_head(s, 3)) <= 3);
	buf_reset(&out);
	utf8_show(s, &out);
	must(!buf_ok(&out) || utf8_valid(buf_str(&out)));
	must(!memchr(out.n ? out.p : "", '\x1b', out.n));
	return 0;
}
