/* SPDX-License-Identifier: MIT */
#include "mcp/guide.h"

#include "mcp/catalogue.h"
#include "mcp/dts.h"

static const char rules[] =
    "# Scripts for js_run\n"
    "\n"
    "A script is JavaScript (ES2025) or TypeScript without imports. `return` gives its value "
    "as JSON; "
    "`await` works everywhere; without a `return` the last expression counts. It has no files, "
    "no "
    "network, no processes: it calls tools.\n"
    "\n"
    "- `await tools.NAME(input)` or `await tools.call(\"NAME\", input)`. Await every call.\n"
    "- Calls that read run side by side, so fan out with `Promise.all`; calls that change "
    "something run "
    "one by one, in order.\n"
    "- A failed call throws an Error with `code`, `message`, `hint`, `tool`. Catch it to go "
    "on.\n"
    "- `args` is what was passed as args. `state` is an object shared by the scripts of this "
    "session; a "
    "script that succeeds leaves it behind.\n"
    "- `console.log(...)` and `text(...)` are text beside the value. `progress({completed, "
    "total, note})` "
    "reports on the way.\n"
    "- Return only what is needed: filter, count and cut in the script. What is over the limit "
    "is cut and "
    "says so.\n"
    "\n"
    "## Errors\n"
    "\n"
    "`SYNTAX_ERROR`, `SCRIPT_ERROR`: correct the script at the place given. `UNAWAITED_CALL`: "
    "a call "
    "was not awaited. `TIMEOUT`, `CPU_LIMIT`, `MEMORY_LIMIT`, `CALL_LIMIT`: do less in one "
    "script. "
    "`DENIED`, `OUTSIDE_ROOTS`, `TOOL_UNAVAILABLE`, `APPROVAL_REQUIRED`: the policy refuses "
    "it, and "
    "repeating it changes nothing; the message names what the person would allow it with. "
    "`INVALID_INPUT`: the message names the field, what was expected and what came.\n";

static void
put_limits(const struct server *s, struct buf *out)
{
	static const struct {
		const char *key, *words;
	} rows[] = {
		{ "forge.javascript.timeoutMs", "milliseconds" },
		{ "forge.javascript.memoryBytes", "bytes of memory" },
		{ "forge.javascript.maxToolCalls", "calls of tools" },
		{ "forge.javascript.maxConcurrency", "calls side by side" },
		{ "forge.javascript.maxOutputChars", "characters of value and text" },
	};

	buf_add(out, STR("\n## Limits of one script\n\n"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct yyjson_val *row = catalogue_key(json_root(s->config), rows[i].key);
		auto_done(buf) struct buf value = buf_max(KiB(1));

		json_put_value(&value, NULL, json_at(row, "value"));
		buf_addf(out, "- %s %s\n", buf_text(&value), rows[i].words);
	}
}

void
guide_tools(const struct server *s, struct buf *out)
{
	dts_write(json_root(s->tools), out);
}

void
guide_write(const struct server *s, struct buf *out)
{
	buf_add(out, str_of(rules));
	put_limits(s, out);
	buf_add(out, STR("\n## Tools\n\n```ts\n"));
	guide_tools(s, out);
	buf_add(out, STR("```\n"));
}
