/* SPDX-License-Identifier: MIT */
/* crisol forge status: the engines as they are on this machine. */
#include "cmd/client.h"
#include "cmd/status.h"

#define STATUS_MAX MiB(1)

int
cmd_forge_status(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(STATUS_MAX);
	auto_done(buf) struct buf out = buf_max(2 * STATUS_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!client_ask(line, line->set[CMD_probe] ? ASK_PROBE : ASK_STATUS, "", "", &json,
		&status))
		return status;
	if (json_parse(buf_str(&json), STATUS_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	if (line->set[CMD_json]) {
		buf_add(&out, buf_str(&json));
		buf_addc(&out, '\n');
	} else {
		status_text(json_root(doc), &out);
	}
	status = line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
	return status ? status : status_exit(json_root(doc));
}
