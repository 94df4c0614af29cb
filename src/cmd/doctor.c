/* SPDX-License-Identifier: MIT */
/* crisol doctor: what this machine lacks, and the mend. */
#include "cmd/status.h"

#define STATUS_MAX MiB(1)

int
cmd_doctor(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(STATUS_MAX);
	auto_done(buf) struct buf out = buf_max(2 * STATUS_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!status_fetch(line, false, &json, &status))
		return status;
	if (json_parse(buf_str(&json), STATUS_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	status_text(json_root(doc), &out);
	status = cmd_print(buf_str(&out));
	return status ? status : status_exit(json_root(doc));
}
