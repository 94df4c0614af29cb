/* SPDX-License-Identifier: MIT */
/* crisol tools: what there is, and whether it may be used. */
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"
#include "cmd/cost.h"
#include "mcp/dts.h"

static void
add_value(const char *before, const struct yyjson_val *v, struct buf *out)
{
	auto_done(buf) struct buf value = buf_max(KiB(8));

	json_put_value(&value, NULL, v);
	buf_addf(out, "%s%s", before, buf_text(&value));
}

static void
add_param(struct str name, const struct yyjson_val *spec, bool required, struct buf *out)
{
	struct str type = json_str(json_at(spec, "type"));
	const struct yyjson_val *least = json_at(spec, "minimum"),
				*most = json_at(spec, "maximum");

	buf_addf(out, "  %-12.*s %-8.*s", STR_ARG(name), STR_ARG(type));
	utf8_show(json_str(json_at(spec, "description")), out);
	if (required)
		buf_add(out, STR(" Required."));
	if (least && most) {
		add_value(" From ", least, out);
		add_value(" to ", most, out);
		buf_addc(out, '.');
	}
	if (json_at(spec, "default")) {
		add_value(" Default ", json_at(spec, "default"), out);
		buf_addc(out, '.');
	}
	buf_addc(out, '\n');
}

/* One tool with all it takes. */
static void
describe(const struct yyjson_val *tool, struct buf *out)
{
	const struct yyjson_val *schema = json_at(tool, "inputSchema");
	const struct yyjson_val *params = json_at(schema, "properties");

	utf8_show(json_str(json_at(tool, "description")), out);
	buf_add(out, STR("\n\n"));
	for (size_t i = 0; i < json_size(params); i++) {
		struct str name;
		const struct yyjson_val *spec = json_nth(params, i, &name);

		add_param(name, spec, json_has_text(json_at(schema, "required"), name), out);
	}
}

static bool
list(const struct yyjson_val *tools, const char *wanted, struct buf *out)
{
	bool found = !wanted;
	struct str unused;

	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &unused);
		struct str name = json_str(json_at(tool, "name")),
			   effect = json_str(json_at(tool, "effect")),
			   state = json_str(json_at(tool, "state"));

		if (wanted && !str_eq(name, str_of(wanted)))
			continue;
		found = true;
		buf_addf(out, "%-14.*s %-9.*s %.*s\n", STR_ARG(name), STR_ARG(effect),
		    STR_ARG(state));
		if (wanted)
			describe(tool, out);
	}
	return found;
}

/* The list, or the one that was asked for. */
static void
write_json(const struct yyjson_val *tools, const char *wanted, struct buf *out)
{
	struct str unused;

	buf_reset(out);
	if (!wanted)
		json_put_value(out, NULL, tools);
	for (size_t i = 0; wanted && i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &unused);

		if (str_eq(json_str(json_at(tool, "name")), str_of(wanted)))
			json_put_value(out, NULL, tool);
	}
	buf_addc(out, '\n');
}

int
cmd_tools(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX), out = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!client_ask(line, ASK_TOOLS, "", "", &json, &status))
		return status;
	if (json_parse(buf_str(&json), ANSWER_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	if (line->set[CMD_cost])
		return cost_print(line, json_root(doc));
	if (line->set[CMD_dts]) {
		dts_write(json_root(doc), &out);
		return cmd_print(buf_str(&out));
	}
	if (!list(json_root(doc), line->arguments_n ? line->arguments[0] : NULL, &out))
		return cmd_fail(CODE_NOT_FOUND, STR("there is no tool of that name"),
		    STR("crisol tools shows them all"));
	if (line->set[CMD_json])
		write_json(json_root(doc), line->arguments_n ? line->arguments[0] : NULL, &out);
	return line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
}
