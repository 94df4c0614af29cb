/* SPDX-License-Identifier: MIT */
/* Prompts: texts that a person picks in the client. */
#include "mcp/guide.h"
#include "mcp/method.h"

#include "base/utf8.h"

#define TASK_MAX KiB(64)
#define PROMPT   "write_script"
#define ABOUT    "Do a task with one script for js_run instead of many calls."

void
method_prompts(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(16));
	bool titles = mcp_versions[r->version].structured;

	if (!method_whole(r, params))
		return;
	request_open_kept(r, 300000, &out);
	json_open(&out, "prompts", '[');
	json_open(&out, NULL, '{');
	json_put_str(&out, "name", STR(PROMPT));
	if (titles)
		json_put_str(&out, "title", STR("Write a script for js_run"));
	json_put_str(&out, "description", STR(ABOUT));
	json_open(&out, "arguments", '[');
	json_open(&out, NULL, '{');
	json_put_str(&out, "name", STR("task"));
	if (titles)
		json_put_str(&out, "title", STR("Task"));
	json_put_str(&out, "description", STR("What is to be done, in plain words."));
	json_put_bool(&out, "required", true);
	json_close(&out, '}');
	json_close(&out, ']');
	json_close(&out, '}');
	json_close(&out, ']');
	request_answer(r, &out);
}

void
method_prompt(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(MiB(1)), text = buf_max(KiB(256)),
				  clean = buf_max(KiB(2));
	struct str name, task;

	if (!method_text(r, params, "name", 200, &name))
		return;
	if (!str_eq(name, STR(PROMPT))) {
		buf_add(&clean, STR("Unknown prompt: "));
		utf8_scrub(name, &clean);
		request_fail(r, RPC_PARAMS, buf_str(&clean), (struct str){ NULL, 0 });
		return;
	}
	if (!method_text(r, json_at(params, "arguments"), "task", TASK_MAX, &task))
		return;
	buf_add(&text,
	    STR("Write one script, run it with the tool js_run, and answer from what it "
		"returns. Correct and run it again when it fails; do not repeat a call "
		"that the policy refused.\n\nThe task: "));
	buf_add(&text, task);
	buf_add(&text, STR("\n\n"));
	guide_write(r->server, &text);
	request_open(r, &out);
	json_put_str(&out, "description", STR(ABOUT));
	json_open(&out, "messages", '[');
	json_open(&out, NULL, '{');
	json_put_str(&out, "role", STR("user"));
	json_open(&out, "content", '{');
	json_put_str(&out, "type", STR("text"));
	json_put_str(&out, "text", buf_str(&text));
	json_close(&out, '}');
	json_close(&out, '}');
	json_close(&out, ']');
	request_answer(r, &out);
}
