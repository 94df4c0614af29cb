/* SPDX-License-Identifier: MIT */
/* A text to look for, and behind a NUL the file. */
#include "fuzz.h"
#include "tool/match.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str rest = { (const char *)bytes, n };
	struct str wanted = str_split(&rest, '\0'), file = rest;
	auto_done(buf) struct buf words = buf_max(KiB(4));
	struct match_found found;

	if (!wanted.n)
		return 0;
	match_find(file, wanted, &found);
	must(found.count <= MATCH_COUNT_MAX);
	must((found.count > 0) ==
	     (file.n && memmem(file.p, file.n, wanted.p, wanted.n) != NULL));
	if (found.count) {
		must(found.at + wanted.n <= file.n &&
		     memcmp(file.p + found.at, wanted.p, wanted.n) == 0);
		must(found.lines[0] >= 1 && found.lines[0] <= file.n + 1);
		for (size_t i = 1; i < MIN(found.count, (size_t)MATCH_LINES_MAX); i++)
			must(found.lines[i] >= found.lines[i - 1]);
		return 0;
	}
	match_explain(file, wanted, &words);
	must(buf_ok(&words) && words.n > 0 && words.n < 400);
	return 0;
}
