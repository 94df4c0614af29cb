/* SPDX-License-Identifier: MIT */
#include "cmd/cost.h"

#include "cmd/client.h"
#include "mcp/catalogue.h"

#define BYTES_A_TOKEN 4 /* of English and code; each model counts otherwise */

static const char *const forms[CATALOGUE_FORMS] = {
	[CATALOGUE_DECLARED] = "js_run, the tools declared in it",
	[CATALOGUE_NAMED] = "js_run, the tools named in it",
};

struct cost {
	const struct cmd_line *line;
	struct buf out;
};

static void
add(struct cost *c, const char *what, size_t bytes)
{
	size_t tokens = (bytes + BYTES_A_TOKEN - 1) / BYTES_A_TOKEN;

	if (!c->line->set[CMD_json]) {
		buf_addf(&c->out, "%-40s %8zu %8zu\n", what, bytes, tokens);
		return;
	}
	json_open(&c->out, NULL, '{');
	json_put_str(&c->out, "what", str_of(what));
	json_put_u64(&c->out, "bytes", bytes);
	json_put_u64(&c->out, "tokens", tokens);
	json_close(&c->out, '}');
}

static void
add_all(struct cost *c, const struct yyjson_val *tools, const struct yyjson_val *config)
{
	auto_done(buf) struct buf text = buf_max(ANSWER_MAX);
	enum mcp_version newest = MCP_VERSIONS - 1;
	size_t js[CATALOGUE_FORMS], all;

	for (int form = 0; form < CATALOGUE_FORMS; form++) {
		buf_reset(&text);
		catalogue_write_js(tools, config, newest, (enum catalogue_form)form, &text);
		js[form] = text.n;
	}
	buf_reset(&text);
	catalogue_write(tools, config, newest, &text);
	all = text.n;
	for (int form = 0; form < CATALOGUE_FORMS; form++)
		add(c, forms[form], js[form]);
	add(c, "each tool by itself",
	    catalogue_has_js(config) ? all - js[catalogue_form(tools)] : all);
	add(c, "what an MCP client gets: all tools", all);
	buf_reset(&text);
	catalogue_instructions(config, &text);
	add(c, "and the instructions", text.n);
}

int
cost_print(const struct cmd_line *line, const struct yyjson_val *tools)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *config = NULL;
	struct cost c = { .line = line, .out = buf_max(KiB(16)) };
	struct err e;
	int status;

	if (!client_ask(line, ASK_CONFIG, "", "", &json, &status))
		return status;
	if (json_parse(buf_str(&json), ANSWER_MAX, &config, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	if (line->set[CMD_json])
		json_open(&c.out, NULL, '[');
	else
		buf_addf(&c.out, "%-40s %8s %8s\n", "", "bytes", "~tokens");
	add_all(&c, tools, json_root(config));
	if (line->set[CMD_json])
		buf_add(&c.out, STR("]\n"));
	else
		buf_addf(&c.out,
		    "Declared in js_run up to %zu bytes, named above. A token is taken for %d "
		    "bytes.\n",
		    CATALOGUE_DECLARED_MAX, BYTES_A_TOKEN);
	status =
	    line->set[CMD_json] ? cmd_print_json(buf_str(&c.out)) : cmd_print(buf_str(&c.out));
	buf_done(&c.out);
	return status;
}
