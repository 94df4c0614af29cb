/* SPDX-License-Identifier: MIT */
/* A script as it comes. */
#include "fuzz.h"
#include "js/source.h"

static size_t
lines(struct str s)
{
	size_t count = 0;

	for (size_t i = 0; i < s.n; i++)
		count += s.p[i] == '\n';
	return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str in = { (const char *)bytes, n };
	auto_done(buf) struct buf out = buf_max(n);
	enum source_kind kind = source_prepare(in, &out);
	struct str got = buf_str(&out);

	must(source_language(in) == LANGUAGE_AUTO || got.n < n);
	must(buf_ok(&out) && got.n <= n && lines(got) <= lines(in));
	must((kind == SOURCE_EMPTY) == (str_trim(got).n == 0));
	if (str_starts(in, STR("\xef\xbb\xbf")))
		in = str_from(in, 3);
	/* Without a fence all is as it was, but an interpreter line. */
	if (got.n == in.n) {
		for (size_t i = 0; i < got.n; i++)
			must(got.p[i] == in.p[i] ||
			     (got.p[i] == '/' && (in.p[i] == '#' || in.p[i] == '!')));
	}
	return 0;
}
