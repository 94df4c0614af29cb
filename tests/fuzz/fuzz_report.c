/* SPDX-License-Identifier: MIT */
/* What a closed process says of its walls. */
#include "base/utf8.h"
#include "fuzz.h"
#include "sandbox/report.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_done(buf) struct buf text = buf_max(SANDBOX_REPORT_MAX),
				  again = buf_max(SANDBOX_REPORT_MAX);
	struct sandbox_report report, copy;
	struct err e;
	int r = sandbox_report_read((struct str){ (const char *)bytes, n }, &report, &e);

	must(r == 0 || (r == -ERR_PROTO && e.code == ERR_PROTO));
	if (r < 0)
		return 0;
	must((report.want & ~LAYERS_ALL) == 0 && (report.held & ~LAYERS_ALL) == 0);
	must((report.proved & ~report.held) == 0 && report.mode < SANDBOX_MODE_COUNT);
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		must(memchr(report.why[i].text, 0, SANDBOX_WHY_MAX) != NULL);
	/* What was read can be written, and read to the same. */
	sandbox_report_write(&report, &text);
	must(buf_ok(&text) && utf8_valid(buf_str(&text)));
	must(sandbox_report_read(buf_str(&text), &copy, &e) == 0);
	sandbox_report_write(&copy, &again);
	must(str_eq(buf_str(&text), buf_str(&again)));
	return 0;
}
