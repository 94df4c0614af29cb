/* SPDX-License-Identifier: MIT */
/* crisol runs list, crisol runs cancel. */
#include "base/id.h"
#include "base/json.h"
#include "cmd/client.h"

static void
list_text(const struct yyjson_val *runs, struct buf *out)
{
	struct str name;

	for (size_t i = 0; i < json_size(runs); i++) {
		const struct yyjson_val *run = json_nth(runs, i, &name);
		struct str id = json_str(json_at(run, "run")),
			   status = json_str(json_at(run, "status"));
		uint64_t owner = 0;

		json_u64(json_at(run, "owner"), UINT64_MAX, &owner);
		buf_addf(out, "%.*s  %-10.*s  process %llu\n", STR_ARG(id), STR_ARG(status),
		    (unsigned long long)owner);
	}
}

/* Prints the answer, in words by `text` unless --json wants it as it is. */
static int
show(const struct cmd_line *line, enum ask what, const char *id,
    void (*text)(const struct yyjson_val *answer, struct buf *out))
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX), out = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!client_ask(line, what, id, "", &json, &status))
		return status;
	if (line->set[CMD_json])
		buf_addf(&out, "%s\n", buf_text(&json));
	else if (json_parse(buf_str(&json), ANSWER_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	else
		text(json_root(doc), &out);
	return cmd_print(buf_str(&out));
}

int
cmd_runs_list(const struct cmd_line *line)
{
	return show(line, ASK_RUNS, "", list_text);
}

static void
cancelled_text(const struct yyjson_val *answer, struct buf *out)
{
	struct str id = json_str(json_at(answer, "cancelled"));

	buf_addf(out, "%.*s has stopped\n", STR_ARG(id));
}

int
cmd_runs_cancel(const struct cmd_line *line)
{
	const char *id = line->arguments_n ? line->arguments[0] : "";

	if (!*id || strlen(id) >= ID_SIZE)
		return cmd_fail(CODE_INVALID_INPUT, STR("runs cancel takes the id of a run"),
		    STR("crisol runs list shows them"));
	return show(line, ASK_CANCEL, id, cancelled_text);
}
