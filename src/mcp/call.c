/* SPDX-License-Identifier: MIT */
#include "mcp/call.h"

#include "base/utf8.h"
#include "ipc/code.h"
#include "mcp/catalogue.h"
#include "mcp/method.h"

#include <stdio.h>

#define FRACTION_MAX 1e9 /* of what a script says it has done: above, steps would not show */

/* ---- results ---- */

static void
put_block(struct buf *out, struct str text)
{
	json_open(out, NULL, '{');
	json_put_str(out, "type", STR("text"));
	json_put_str(out, "text", text);
	json_close(out, '}');
}

/* "CODE: message", and what to do. */
static void
put_failure(struct buf *text, struct str code, struct str message, struct str hint)
{
	buf_addf(text, "%.*s: ", STR_ARG(code));
	utf8_scrub(message, text);
	if (hint.n)
		buf_addf(text, "\nhint: %.*s", STR_ARG(hint));
}

/* A call that failed before or without a run. */
static void
answer_failed(struct request *r, struct str code, struct str message, struct str hint)
{
	auto_done(buf) struct buf out = buf_max(MiB(1)), text = buf_max(KiB(80)),
				  clean = buf_max(KiB(80));

	put_failure(&text, code, message, hint);
	request_open(r, &out);
	json_open(&out, "content", '[');
	put_block(&out, buf_str(&text));
	json_close(&out, ']');
	if (mcp_versions[r->version].structured) {
		utf8_scrub(message, &clean);
		json_open(&out, "structuredContent", '{');
		json_put_str(&out, "status", STR("failed"));
		json_open(&out, "error", '{');
		json_put_str(&out, "code", code);
		json_put_str(&out, "message", buf_str(&clean));
		json_put_str(&out, "hint", hint);
		json_close(&out, '}');
		json_close(&out, '}');
	}
	json_put_bool(&out, "isError", true);
	request_answer(r, &out);
}

void
call_refused(struct request *r, const struct msg_client_refused *m)
{
	answer_failed(r, m->code, m->message, m->hint);
}

/* ---- runs ---- */

static void
put_notes(const struct yyjson_val *envelope, struct str run, struct buf *text)
{
	const struct yyjson_val *notes = json_at(envelope, "notes"),
				*cut = json_at(envelope, "truncated");
	uint64_t kept, total;
	struct str name;

	for (size_t i = 0; i < json_size(notes); i++)
		buf_addf(text, "%snote: %.*s", text->n ? "\n" : "",
		    STR_ARG(json_str(json_nth(notes, i, &name))));
	if (!json_u64(json_at(cut, "kept"), UINT64_MAX, &kept) ||
	    !json_u64(json_at(cut, "total"), UINT64_MAX, &total))
		return;
	buf_addf(text, "%snote: cut to %llu of %llu characters", text->n ? "\n" : "",
	    (unsigned long long)kept, (unsigned long long)total);
	if (json_is_string(json_at(cut, "handle")))
		buf_addf(text, "; crisol://runs/%.*s/value has it whole", STR_ARG(run));
}

/* What the model reads: what was printed, the value or the error, and what to know of them. */
static void
put_content(const struct yyjson_val *envelope, const struct msg_run_done *m, struct str run,
    struct buf *out)
{
	auto_done(buf) struct buf text = buf_max(KiB(128));
	const struct yyjson_val *value = json_at(envelope, "value");

	json_open(out, "content", '[');
	if (json_str(json_at(envelope, "text")).n)
		put_block(out, json_str(json_at(envelope, "text")));
	if (m->has_value)
		put_block(out, json_is_string(value) ? json_str(value) : m->value);
	if (m->code.n) {
		put_failure(&text, m->code, m->message, m->hint);
		if (m->line)
			buf_addf(&text, "\nat line %llu, column %llu",
			    (unsigned long long)m->line, (unsigned long long)m->column);
	}
	put_notes(envelope, run, &text);
	if (text.n)
		put_block(out, buf_str(&text));
	json_close(out, ']');
}

/* Of the envelope what a model can use; the whole one is a resource. */
static void
put_structured(const struct yyjson_val *envelope, struct buf *out)
{
	static const char *const members[] = { "run", "status", "value", "text", "error",
		"calls", "effects", "usage", "truncated", "notes" };

	json_open(out, "structuredContent", '{');
	for (size_t i = 0; i < COUNT(members); i++) {
		if (json_at(envelope, members[i]))
			json_put_value(out, members[i], json_at(envelope, members[i]));
	}
	json_close(out, '}');
}

void
server_on_run_started(struct server *s, const struct msg_run_started *m)
{
	struct request *r = server_find(s, REQUEST_RUN, m->tag);

	if (!r || m->run.n >= ID_SIZE)
		return;
	memcpy(r->run, m->run.p, m->run.n);
	memcpy(s->runs[s->runs_n++ % SERVER_RUNS_KEPT], r->run, ID_SIZE);
}

void
server_on_run_text(struct server *s, const struct msg_run_text *m)
{
	struct request *r = server_find(s, REQUEST_RUN, m->tag);

	if (r && !r->cancelled)
		server_log(s, r, LOG_INFO, "js_run", m->text);
}

void
server_on_run_event(struct server *s, const struct msg_run_event *m)
{
	struct request *r = server_find(s, REQUEST_RUN, m->tag);
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root;
	struct err e;

	if (!r || json_parse(m->json, EVENT_MAX, &doc, &e) < 0)
		return;
	root = json_root(doc);
	if (str_eq(json_str(json_at(root, "event")), STR("call"))) {
		json_u64(json_at(root, "finished"), UINT64_MAX, &r->finished);
		json_u64(json_at(root, "started"), UINT64_MAX, &r->begun);
	} else {
		r->completed = json_double(json_at(root, "completed"));
		r->total = json_double(json_at(root, "total"));
		if (MAX(r->completed, r->total) > FRACTION_MAX)
			r->completed = r->total = 0;
		buf_reset(&r->note);
		buf_add(&r->note, utf8_head(json_str(json_at(root, "note")), NOTE_MAX));
	}
	server_tell(r);
}

void
server_on_run_done(struct server *s, const struct msg_run_done *m)
{
	struct request *r = server_find(s, REQUEST_RUN, m->tag);
	auto_done(buf) struct buf out = buf_max(RESULT_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	if (!r)
		return;
	if (json_parse(m->envelope, ENVELOPE_MAX, &doc, &e) < 0) {
		request_fail(r, RPC_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
		server_check(s);
		return;
	}
	request_open(r, &out);
	put_content(json_root(doc), m, str_of(r->run), &out);
	if (mcp_versions[r->version].structured)
		put_structured(json_root(doc), &out);
	json_put_bool(&out, "isError", m->code.n != 0);
	request_answer(r, &out);
	server_check(s);
}

static void
start_run(struct request *r, const struct yyjson_val *arguments)
{
	auto_done(buf) struct buf args = buf_max(ARGS_MAX);
	struct msg_run_start m = { .tag = ++r->server->tags, .watched = r->token.n != 0 };
	struct err e;

	if (catalogue_js_arguments(r->server, arguments, &m, &args, &e) < 0) {
		answer_failed(r,
		    str_of(code_specs[e.code == ERR_LIMIT ? CODE_TOO_LARGE : CODE_INVALID_INPUT]
			    .name),
		    str_of(e.text), STR("the tool's inputSchema says what is accepted"));
		return;
	}
	r->kind = REQUEST_RUN;
	r->tag = m.tag;
	server_send(r->server, MSG_run_start, &m);
}

/* ---- direct calls ---- */

void
server_on_call_done(struct server *s, const struct msg_call_done *m)
{
	struct request *r = server_find(s, REQUEST_CALL, m->tag);
	auto_done(buf) struct buf out = buf_max(RESULT_MAX);

	if (m->note.n)
		server_log(s, r, LOG_WARNING, "journal", m->note);
	if (r && m->code.n) {
		answer_failed(r, m->code, m->message, m->hint);
	} else if (r) {
		request_open(r, &out);
		json_open(&out, "content", '[');
		put_block(&out, m->result);
		json_close(&out, ']');
		if (mcp_versions[r->version].structured && m->result.n && m->result.p[0] == '{')
			json_put_raw(&out, "structuredContent", m->result);
		json_put_bool(&out, "isError", false);
		request_answer(r, &out);
	}
	server_check(s);
}

static void
start_call(struct request *r, struct str name, const struct yyjson_val *arguments)
{
	auto_done(buf) struct buf input = buf_max(CALL_INPUT_MAX);
	struct msg_call_start m = { .tag = ++r->server->tags, .tool = name };

	if (arguments)
		json_put_value(&input, NULL, arguments);
	else
		buf_add(&input, STR("{}"));
	if (!buf_ok(&input)) {
		answer_failed(r, STR("TOO_LARGE"), STR("the input is larger than 4 MiB"),
		    str_of(code_specs[CODE_TOO_LARGE].hint));
		return;
	}
	m.input = buf_str(&input);
	r->kind = REQUEST_CALL;
	r->tag = m.tag;
	server_send(r->server, MSG_call_start, &m);
}

void
method_call(struct request *r, const struct yyjson_val *params)
{
	const struct yyjson_val *arguments = json_at(params, "arguments");
	auto_done(buf) struct buf text = buf_max(KiB(4));
	struct str name;

	if (!method_room(r) || !method_text(r, params, "name", CALL_NAME_MAX, &name))
		return;
	if (arguments && !json_is_object(arguments)) {
		request_failf(r, RPC_PARAMS, "arguments: an object was expected, not %s",
		    json_kind(arguments));
	} else if (catalogue_has_js(json_root(r->server->config)) &&
		   str_eq(name, STR(CATALOGUE_JS_RUN))) {
		start_run(r, arguments);
	} else if (catalogue_tool(r->server, name)) {
		start_call(r, name, arguments);
	} else {
		buf_add(&text, STR("Unknown tool: "));
		utf8_scrub(utf8_head(name, 100), &text);
		catalogue_put_nearest(r->server, name, &text);
		request_fail(r, RPC_PARAMS, buf_str(&text), (struct str){ NULL, 0 });
	}
}
