/* SPDX-License-Identifier: MIT */
/* crisol gate explain: what would come of a call. */
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"

static void
write_text(const struct yyjson_val *answer, struct buf *out)
{
	struct str decision = json_str(json_at(answer, "decision")),
		   code = json_str(json_at(answer, "code"));

	buf_addf(out, "%.*s", STR_ARG(decision));
	if (code.n)
		buf_addf(out, " (%.*s)", STR_ARG(code));
	buf_add(out, STR(": "));
	utf8_show_message(json_str(json_at(answer, "words")), out);
	buf_add(out, STR("\n  by: "));
	utf8_show_message(json_str(json_at(answer, "by")), out);
	buf_addc(out, '\n');
	if (json_str(json_at(answer, "input")).n) {
		buf_add(out, STR("  the input is wrong, so the call would fail before that: "));
		utf8_show_message(json_str(json_at(answer, "input")), out);
		buf_addc(out, '\n');
	}
}

int
cmd_gate_explain(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX), out = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!line->arguments_n)
		return cmd_fail(CODE_INVALID_INPUT,
		    STR("gate explain takes the name of a tool"),
		    STR("crisol tools shows them"));
	if (!client_ask(line, ASK_EXPLAIN, line->arguments[0],
		line->arguments_n > 1 ? line->arguments[1] : "{}", &json, &status))
		return status;
	if (json_parse(buf_str(&json), ANSWER_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	if (line->set[CMD_json])
		buf_addf(&out, "%s\n", buf_text(&json));
	else
		write_text(json_root(doc), &out);
	status = line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
	if (status || str_eq(json_str(json_at(json_root(doc), "decision")), STR("allow")))
		return status;
	return code_specs[CODE_DENIED].exit_status;
}
