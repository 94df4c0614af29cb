/* SPDX-License-Identifier: MIT */
/* crisol config list, get, path. */
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"
#include "conf/home.h"

static int
fetch(const struct cmd_line *line, struct buf *json, struct json **ret_doc)
{
	struct err e;
	int status;

	if (!client_ask(line, ASK_CONFIG, "", "", json, &status))
		return status;
	if (json_parse(buf_str(json), ANSWER_MAX, ret_doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	return 0;
}

static void
list_text(const struct yyjson_val *keys, struct buf *out)
{
	struct str unused;

	for (size_t i = 0; i < json_size(keys); i++) {
		const struct yyjson_val *key = json_nth(keys, i, &unused);
		auto_done(buf) struct buf value = buf_max(ANSWER_MAX);
		struct str name = json_str(json_at(key, "key")),
			   words = json_str(json_at(key, "words"));
		uint64_t least, most;

		json_put_value(&value, NULL, json_at(key, "value"));
		buf_addf(out, "%c %-35.*s ", json_bool(json_at(key, "set")) ? '*' : ' ',
		    STR_ARG(name));
		utf8_show(buf_str(&value), out);
		if (words.n)
			buf_addf(out, "  (%.*s)", STR_ARG(words));
		if (json_u64(json_at(key, "least"), UINT64_MAX, &least) &&
		    json_u64(json_at(key, "most"), UINT64_MAX, &most) && least != most)
			buf_addf(out, "  (%llu to %llu)", (unsigned long long)least,
			    (unsigned long long)most);
		buf_addc(out, '\n');
	}
}

int
cmd_config_list(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX), out = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	int status = fetch(line, &json, &doc);

	if (status)
		return status;
	if (line->set[CMD_json])
		buf_addf(&out, "%s\n", buf_text(&json));
	else
		list_text(json_root(doc), &out);
	return line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
}

int
cmd_config_get(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX), out = buf_max(ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	const char *wanted = line->arguments_n ? line->arguments[0] : "";
	struct str unused;
	int status;

	if (!*wanted)
		return cmd_fail(CODE_INVALID_INPUT, STR("config get takes the name of a key"),
		    STR("crisol config list shows them all"));
	status = fetch(line, &json, &doc);
	for (size_t i = 0; !status && i < json_size(json_root(doc)); i++) {
		const struct yyjson_val *key = json_nth(json_root(doc), i, &unused);

		if (!str_eq(json_str(json_at(key, "key")), str_of(wanted)))
			continue;
		json_put_value(&out, NULL, json_at(key, "value"));
		buf_addc(&out, '\n');
		return cmd_print_json(buf_str(&out));
	}
	return status
		   ? status
		   : cmd_fail(CODE_NOT_FOUND, STR("there is no configuration key of that name"),
			 STR("crisol config list shows them all"));
}

int
cmd_config_path(const struct cmd_line *line)
{
	auto_done(buf) struct buf path = buf_max(KiB(8));
	struct err e;

	(void)line;
	if (home_path(HOME_CONFIG, &path, &e) < 0)
		return cmd_fail(CODE_CONFIG_ERROR, str_of(e.text), (struct str){ NULL, 0 });
	buf_add(&path, STR("/config.json\n"));
	return cmd_print(buf_str(&path));
}
