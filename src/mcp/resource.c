/* SPDX-License-Identifier: MIT */
#include "mcp/resource.h"

#include "base/utf8.h"
#include "ipc/code.h"
#include "mcp/catalogue.h"
#include "mcp/dts.h"
#include "mcp/guide.h"
#include "mcp/method.h"

#define RUNS    "crisol://runs/"
#define VALUE   "/value"
#define KEPT_MS 300000 /* of what does not change */
#define URI_MAX KiB(4)

static const struct fixed {
	const char *uri, *name, *title, *text, *type;
	void (*write)(const struct server *s, struct buf *out);
} fixed[] = {
	{ "crisol://guide", "guide", "How to write scripts",
	    "What scripts can do, what they may call, how they fail.", "text/markdown",
	    guide_write },
	{ "crisol://tools", "tools", "Declarations of the tools",
	    "What a script may call, as TypeScript declarations.", "application/typescript",
	    guide_tools },
};

static void
put_resource(const struct request *r, const struct fixed *f, struct buf *out)
{
	json_open(out, NULL, '{');
	json_put_str(out, "uri", str_of(f->uri));
	json_put_str(out, "name", str_of(f->name));
	if (mcp_versions[r->version].structured)
		json_put_str(out, "title", str_of(f->title));
	json_put_str(out, "description", str_of(f->text));
	json_put_str(out, "mimeType", str_of(f->type));
	json_close(out, '}');
}

void
method_resources(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(MiB(1));
	struct server *s = r->server;
	size_t kept = MIN(s->runs_n, (size_t)SERVER_RUNS_KEPT);

	if (!method_whole(r, params))
		return;
	request_open_kept(r, 0, &out);
	json_open(&out, "resources", '[');
	for (size_t i = 0; i < COUNT(fixed); i++)
		put_resource(r, &fixed[i], &out);
	for (size_t i = 0; i < kept; i++) {
		const char *id = s->runs[(s->runs_n - 1 - i) % SERVER_RUNS_KEPT];
		auto_done(buf) struct buf uri = buf_max(URI_MAX), name = buf_max(URI_MAX);
		struct fixed run = {
			.text = "A run of this connection: its script, calls and decisions.",
			.type = "application/json",
		};

		buf_addf(&uri, RUNS "%s", id);
		buf_addf(&name, "run %s", id);
		run.uri = buf_text(&uri);
		run.name = run.title = buf_text(&name);
		put_resource(r, &run, &out);
	}
	json_close(&out, ']');
	request_answer(r, &out);
}

void
method_templates(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(16));

	if (!method_whole(r, params))
		return;
	request_open_kept(r, KEPT_MS, &out);
	json_open(&out, "resourceTemplates", '[');
	for (int value = 0; value < 2; value++) {
		json_open(&out, NULL, '{');
		json_put_str(&out, "uriTemplate",
		    value ? STR(RUNS "{run}" VALUE) : STR(RUNS "{run}"));
		json_put_str(&out, "name", value ? STR("value") : STR("run"));
		if (mcp_versions[r->version].structured)
			json_put_str(&out, "title",
			    value ? STR("The value of a run") : STR("A run"));
		json_put_str(&out, "description",
		    value ? STR("A value that was cut, whole.")
			  : STR("Script, calls and decisions of a run of this connection."));
		json_put_str(&out, "mimeType", STR("application/json"));
		json_close(&out, '}');
	}
	json_close(&out, ']');
	request_answer(r, &out);
}

/* ---- reading ---- */

static void
answer_text(struct request *r, uint64_t ttl_ms, struct str uri, const char *type,
    struct str text)
{
	auto_done(buf) struct buf out = buf_max(RESULT_MAX);

	request_open_kept(r, ttl_ms, &out);
	json_open(&out, "contents", '[');
	json_open(&out, NULL, '{');
	json_put_str(&out, "uri", uri);
	json_put_str(&out, "mimeType", str_of(type));
	json_put_str(&out, "text", text);
	json_close(&out, '}');
	json_close(&out, ']');
	request_answer(r, &out);
}

static void
no_resource(struct request *r, struct str uri)
{
	auto_done(buf) struct buf text = buf_max(KiB(8)), data = buf_max(KiB(32));

	buf_add(&text, STR("Resource not found: "));
	utf8_scrub(uri, &text);
	json_open(&data, NULL, '{');
	json_put_str(&data, "uri", uri);
	json_close(&data, '}');
	request_fail(r, mcp_versions[r->version].greeted ? RPC_NO_RESOURCE : RPC_PARAMS,
	    buf_str(&text), buf_str(&data));
}

static void
on_run(struct request *r, struct str json)
{
	answer_text(r, 0, buf_str(&r->subject), "application/json", json);
}

void
resource_refused(struct request *r, const struct msg_client_refused *m)
{
	if (code_named(m->code) == CODE_NOT_FOUND)
		no_resource(r, buf_str(&r->subject));
	else
		request_fail(r, RPC_INTERNAL, m->message, (struct str){ NULL, 0 });
}

static bool
is_ours(const struct server *s, struct str id)
{
	size_t kept = MIN(s->runs_n, (size_t)SERVER_RUNS_KEPT);

	for (size_t i = 0; i < kept; i++) {
		if (str_eq(id, str_of(s->runs[i])))
			return true;
	}
	return false;
}

void
method_read(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf text = buf_max(KiB(256));
	struct str uri, id;
	bool value;

	if (!method_room(r) || !method_text(r, params, "uri", URI_MAX, &uri))
		return;
	for (size_t i = 0; i < COUNT(fixed); i++) {
		if (!str_eq(uri, str_of(fixed[i].uri)))
			continue;
		fixed[i].write(r->server, &text);
		answer_text(r, KEPT_MS, uri, fixed[i].type, buf_str(&text));
		return;
	}
	id = str_starts(uri, STR(RUNS)) ? str_from(uri, sizeof(RUNS) - 1) : STR("");
	value = id.n == ID_SIZE - 1 + sizeof(VALUE) - 1 &&
		str_eq(str_from(id, ID_SIZE - 1), STR(VALUE));
	if (value)
		id.n = ID_SIZE - 1;
	if (!is_ours(r->server, id)) {
		no_resource(r, uri);
		return;
	}
	buf_add(&r->subject, uri);
	server_ask(r, value ? ASK_WHOLE : ASK_SHOW, id, on_run);
}
