/* SPDX-License-Identifier: MIT */
#include "mcp/server.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/method.h"
#include "mcp/resource.h"

#include <stdio.h>
#include <unistd.h>

#define BEAT_NS (10 * NS_PER_S) /* a client may give up after a minute of silence */
/*
 * Progress is told so often, and not of what ends at once: some clients take a notification that arrives
 * together with the answer for one about a request they do not know.
 */
#define TELL_NS        (100 * NS_PER_MS)
#define SETTLE_NS      (20 * NS_PER_MS)
#define LINGER_NS      (2 * NS_PER_S)
#define COMPLAINTS_MAX 20 /* that are shown */
#define META_VERSION   "io.modelcontextprotocol/protocolVersion"
#define META_ABLE      "io.modelcontextprotocol/clientCapabilities"
#define META_LOG       "io.modelcontextprotocol/logLevel"

enum when { FIRST, GREETED, SAID, ANY };

static const struct method {
	const char *name;
	method_fn *fn;
	enum when when;
} methods[] = {
#define METHOD(name, fn, when) { name, method_##fn, when },
#include "mcp/method.def"
#undef METHOD
};

/* ---- out ---- */

/* One line on standard error. Nobody is left to tell when that is gone. */
static void
tell_person(struct str text)
{
	auto_done(buf) struct buf line = buf_max(KiB(32));
	struct err e;

	buf_add(&line, STR("crisol mcp: "));
	utf8_show_message(text, &line);
	buf_addc(&line, '\n');
	if (fd_write_all(STDERR_FILENO, buf_str(&line), &e) < 0)
		return;
}

static void
finish(struct server *s)
{
	if (s->done)
		return;
	s->done = true;
	s->on_done(s);
}

/* A leaving one ends when nothing is in flight and all is read, or nobody reads. */
void
server_check(struct server *s)
{
	if (s->leaving && (s->out.broken || (!s->requests && !lines_pending(&s->out))))
		finish(s);
}

void
server_say(struct server *s, const struct buf *message)
{
	if (!buf_ok(message)) {
		tell_person(STR("a message was too large to be sent"));
		return;
	}
	lines_put(&s->out, buf_str(message));
	if (!s->leaving && lines_pending(&s->out) > SERVER_QUEUE_HIGH)
		lines_pause(&s->in);
}

size_t
server_pending(const struct server *s)
{
	return lines_pending(&s->out);
}

bool
server_send(struct server *s, enum msg_type type, const void *body)
{
	struct err e;

	if (peer_send(s->core, type, body, &e) >= 0)
		return true;
	peer_drop(s->core, &e);
	return false;
}

/* ---- logging ---- */

static const char *const levels[] = { "debug", "info", "notice", "warning", "error", "critical",
	"alert", "emergency" };

enum log_level
server_log_level(struct str name)
{
	for (size_t i = 0; i < COUNT(levels); i++) {
		if (str_eq(name, str_of(levels[i])))
			return (enum log_level)i;
	}
	return LOG_NOTHING;
}

void
server_log(struct server *s, const struct request *about, enum log_level level,
    const char *logger, struct str text)
{
	auto_done(buf) struct buf out = buf_max(text.n * 6 + KiB(1)),
				  clean = buf_max(text.n * 3 + 1);
	int least =
	    about && !mcp_versions[about->version].greeted ? about->log_level : s->log_level;

	if ((int)level < least || least == LOG_NOTHING)
		return;
	utf8_scrub(text, &clean);
	json_open(&out, NULL, '{');
	json_put_str(&out, "jsonrpc", STR("2.0"));
	json_put_str(&out, "method", STR("notifications/message"));
	json_open(&out, "params", '{');
	json_put_str(&out, "level", str_of(levels[level]));
	json_put_str(&out, "logger", str_of(logger));
	json_put_str(&out, "data", buf_str(&clean));
	json_close(&out, '}');
	json_close(&out, '}');
	server_say(s, &out);
}

/* What answers no request that we know: a message of its own where there is one for it. */
static void
complain(struct server *s, struct batch *batch, enum rpc_error code, const char *text)
{
	bool bare = s->version == MCP_VERSIONS || mcp_versions[s->version].bare_errors;
	auto_done(buf) struct buf out = buf_max(KiB(4));

	if (s->complaints++ < COMPLAINTS_MAX)
		tell_person(str_of(text));
	else if (s->complaints == COMPLAINTS_MAX + 1)
		tell_person(STR("more of that is not shown"));
	if (!bare || batch) {
		server_log(s, NULL, LOG_ERROR, "protocol", str_of(text));
		return;
	}
	json_open(&out, NULL, '{');
	json_put_str(&out, "jsonrpc", STR("2.0"));
	json_open(&out, "error", '{');
	json_put_raw(&out, "code", (struct str){ NULL, 0 });
	buf_addf(&out, "%d", code);
	json_put_str(&out, "message", str_of(text));
	json_close(&out, '}');
	json_close(&out, '}');
	server_say(s, &out);
}

/* ---- requests ---- */

void
server_forget(struct request *r)
{
	struct server *s = r->server;
	struct request **at = &s->requests;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	if (s->requests_end == &r->next)
		s->requests_end = at;
	s->requests_n--;
}

struct request *
server_find(struct server *s, enum request_kind kind, uint64_t tag)
{
	struct request *r = s->requests;

	while (r && (r->kind != kind || r->tag != tag))
		r = r->next;
	return r;
}

static struct request *
find_id(struct server *s, struct str id)
{
	struct request *r = s->requests;

	while (r && !str_eq(buf_str(&r->id), id))
		r = r->next;
	return r;
}

static void
on_beat(struct timer *t)
{
	struct server *s = container_of(t, struct server, beat);
	uint64_t now = clock_now();
	bool any = false;

	for (struct request *r = s->requests; r; r = r->next) {
		any |= r->token.n && r->kind != REQUEST_SHORT;
		if (r->kind != REQUEST_SHORT &&
		    now - MAX(r->told_at, r->started) >= BEAT_NS / 2)
			request_progress(r);
	}
	if (any)
		loop_timer(s->loop, t, now + BEAT_NS);
}

static uint64_t
tell_due(const struct request *r)
{
	return MAX(r->told_at + TELL_NS, r->changed_at + SETTLE_NS);
}

static void
on_tell(struct timer *t)
{
	struct server *s = container_of(t, struct server, tell);
	uint64_t now = clock_now(), next = UINT64_MAX;

	for (struct request *r = s->requests; r; r = r->next) {
		if (r->untold && tell_due(r) <= now)
			request_progress(r);
		if (r->untold)
			next = MIN(next, tell_due(r));
	}
	if (next != UINT64_MAX)
		loop_timer(s->loop, t, next);
}

void
server_tell(struct request *r)
{
	struct server *s = r->server;

	if (!r->untold)
		r->changed_at = clock_now();
	r->untold = true;
	if (!s->tell.loop || s->tell.due > tell_due(r))
		loop_timer(s->loop, &s->tell, tell_due(r));
}

static struct request *
new_request(struct server *s, struct batch *batch, struct str id)
{
	struct request *r = xcalloc(1, sizeof(*r));

	*r = (struct request){
		.server = s,
		.batch = batch,
		.id = buf_max(REQUEST_ID_MAX),
		.token = buf_max(REQUEST_ID_MAX),
		.subject = buf_max(KiB(8)),
		.note = buf_max(KiB(4)),
		.version = s->version == MCP_VERSIONS ? MCP_NEWEST_GREETED : s->version,
		.log_level = LOG_NOTHING,
		.started = clock_now(),
	};
	buf_add(&r->id, id);
	if (batch)
		batch->left++;
	*s->requests_end = r;
	s->requests_end = &r->next;
	s->requests_n++;
	return r;
}

static void
fail_version(struct request *r, struct str wanted)
{
	auto_done(buf) struct buf data = buf_max(KiB(2)), clean = buf_max(KiB(1));

	utf8_scrub(utf8_head(wanted, 100), &clean);
	json_open(&data, NULL, '{');
	json_open(&data, "supported", '[');
	for (int v = MCP_VERSIONS - 1; v >= 0; v--) {
		if (!mcp_versions[v].greeted)
			json_put_str(&data, NULL, str_of(mcp_versions[v].name));
	}
	json_close(&data, ']');
	json_put_str(&data, "requested", buf_str(&clean));
	json_close(&data, '}');
	request_fail(r, RPC_VERSION, STR("Unsupported protocol version"), buf_str(&data));
}

/* What _meta says of this one request. False when the request has failed. */
static bool
take_meta(struct request *r, const struct yyjson_val *meta)
{
	const struct yyjson_val *token = json_at(meta, "progressToken"),
				*said = json_at(meta, META_VERSION);

	if (token && (json_is_string(token) || json_is_number(token)))
		json_put_value(&r->token, NULL, token);
	if (!buf_ok(&r->token)) {
		request_failf(r, RPC_PARAMS, "a progressToken of at most %d bytes was expected",
		    REQUEST_ID_MAX);
		return false;
	}
	if (!said)
		return true;
	r->version = mcp_version_named(json_str(said));
	if (r->version == MCP_VERSIONS || mcp_versions[r->version].greeted) {
		r->version = MCP_2026_07_28;
		fail_version(r, json_str(said));
		return false;
	}
	if (!json_is_object(json_at(meta, META_ABLE))) {
		request_failf(r, RPC_PARAMS, "_meta has no %s", META_ABLE);
		return false;
	}
	r->log_level = (int)server_log_level(json_str(json_at(meta, META_LOG)));
	return true;
}

static const struct method *
find_method(struct str name)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		if (str_eq(name, str_of(methods[i].name)))
			return &methods[i];
	}
	return NULL;
}

/* Whether the method is one of this request's version, now; else the request has failed. */
static bool
in_order(struct request *r, const struct method *m, struct str name, bool said)
{
	auto_done(buf) struct buf text = buf_max(KiB(4));

	if (!m || (m->when == SAID && !said) ||
	    ((m->when == GREETED || m->when == FIRST) && said)) {
		buf_add(&text, STR("Method not found: "));
		utf8_scrub(utf8_head(name, 200), &text);
		request_fail(r, RPC_METHOD, buf_str(&text), (struct str){ NULL, 0 });
		return false;
	}
	if (!said && m->when != FIRST && r->server->version == MCP_VERSIONS) {
		request_failf(r, RPC_REQUEST,
		    "%s comes after initialize, or with a protocol version in its _meta",
		    m->name);
		return false;
	}
	return true;
}

/* It is one of ours, and now is its time. */
static void
begin_method(struct request *r, const struct method *m, const struct yyjson_val *params)
{
	struct server *s = r->server;

	assert(m);
	if (r->token.n && !s->beat.loop)
		loop_timer(s->loop, &s->beat, r->started + BEAT_NS);
	if (s->trouble.n)
		request_fail(r, RPC_INTERNAL, buf_str(&s->trouble_text), buf_str(&s->trouble));
	else
		m->fn(r, params);
}

static void
on_request(struct server *s, struct batch *batch, struct str id, struct str name,
    const struct yyjson_val *message)
{
	const struct yyjson_val *params = json_at(message, "params"),
				*meta = json_at(params, "_meta");
	const struct method *m = find_method(name);
	struct request *twin = find_id(s, id), *r = new_request(s, batch, id);

	if (params && !json_is_object(params))
		request_failf(r, RPC_PARAMS, "params: an object was expected, not %s",
		    json_kind(params));
	else if (twin)
		request_failf(r, RPC_REQUEST, "a request with this id is in flight");
	else if (batch && m && m->fn == method_initialize)
		request_failf(r, RPC_REQUEST, "initialize comes alone, not in an array");
	else if (take_meta(r, meta) &&
		 in_order(r, m, name, json_at(meta, META_VERSION) != NULL))
		begin_method(r, m, params);
}

/* ---- cancelling ---- */

/* The answer that still comes of the broker is for nobody then. */
static void
cancel(struct request *r)
{
	struct msg_run_cancel m = { .tag = r->tag };

	if (r->cancelled)
		return;
	r->cancelled = true;
	if (r->kind == REQUEST_RUN || r->kind == REQUEST_CALL)
		server_send(r->server, MSG_run_cancel, &m);
	else if (r->kind == REQUEST_LISTEN)
		request_drop(r);
}

static void
on_cancelled(struct server *s, const struct yyjson_val *params)
{
	auto_done(buf) struct buf id = buf_max(REQUEST_ID_MAX);
	const struct yyjson_val *given = json_at(params, "requestId");
	struct request *r;

	if (!json_is_string(given) && !json_is_number(given))
		return;
	json_put_value(&id, NULL, given);
	r = find_id(s, buf_str(&id));
	if (r) /* else it has been answered meanwhile, or never was */
		cancel(r);
}

/* Questions are answered at once: who closed only what we read still gets that. */
static void
cancel_all(struct server *s)
{
	struct request *next;

	for (struct request *r = s->requests; r; r = next) {
		next = r->next;
		if (r->kind != REQUEST_ASK)
			cancel(r);
	}
}

/* ---- in ---- */

static void
on_message(struct server *s, struct batch *batch, const struct yyjson_val *v)
{
	auto_done(buf) struct buf id = buf_max(REQUEST_ID_MAX);
	const struct yyjson_val *given = json_at(v, "id"), *method = json_at(v, "method");

	if (!json_is_object(v) || !str_eq(json_str(json_at(v, "jsonrpc")), STR("2.0"))) {
		complain(s, batch, RPC_REQUEST, "a JSON-RPC 2.0 message was expected");
		return;
	}
	if (!method && (json_at(v, "result") || json_at(v, "error")))
		return; /* an answer: nothing was asked */
	if (!json_is_string(method)) {
		complain(s, batch, RPC_REQUEST, "method: a string was expected");
		return;
	}
	if (!given) {
		if (str_eq(json_str(method), STR("notifications/cancelled")))
			on_cancelled(s, json_at(v, "params"));
		return; /* the others tell us nothing that we go by */
	}
	if (json_is_string(given) || json_is_number(given))
		json_put_value(&id, NULL, given);
	if (!id.n || !buf_ok(&id)) {
		complain(s, batch, RPC_REQUEST,
		    "id: a number or a string of at most 1000 bytes was expected");
		return;
	}
	on_request(s, batch, buf_str(&id), json_str(method), v);
}

static void
on_batch(struct server *s, const struct yyjson_val *array)
{
	size_t n = json_size(array);
	struct batch *b;
	struct str name;

	if (s->version == MCP_VERSIONS || !mcp_versions[s->version].batches) {
		complain(s, NULL, RPC_REQUEST,
		    "this protocol version has no arrays of messages");
		return;
	}
	if (n == 0 || n > SERVER_BATCH_MAX) {
		complain(s, NULL, RPC_REQUEST, "an array of 1 to 256 messages was expected");
		return;
	}
	b = xcalloc(1, sizeof(*b));
	*b = (struct batch){ .answers = buf_max(RESULT_MAX), .left = 1 };
	json_open(&b->answers, NULL, '[');
	for (size_t i = 0; i < n; i++)
		on_message(s, b, json_nth(array, i, &name));
	batch_release(b, s);
}

static void
on_line(struct lines_in *in, struct str line)
{
	struct server *s = container_of(in, struct server, in);
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	if (s->leaving)
		return;
	if (json_parse(line, SERVER_LINE_MAX, &doc, &e) < 0) {
		char text[ERR_TEXT_MAX + 32];

		snprintf(text, sizeof(text), "Parse error: %s", e.text);
		complain(s, NULL, RPC_PARSE, text);
		return;
	}
	if (json_is_array(json_root(doc)))
		on_batch(s, json_root(doc));
	else
		on_message(s, NULL, json_root(doc));
}

static void
on_long(struct lines_in *in)
{
	char text[80];

	snprintf(text, sizeof(text), "Parse error: a line is longer than %zu bytes",
	    SERVER_LINE_MAX);
	complain(container_of(in, struct server, in), NULL, RPC_PARSE, text);
}

/* ---- leaving ---- */

static void
on_linger(struct timer *t)
{
	finish(container_of(t, struct server, linger));
}

static void
leave(struct server *s)
{
	if (s->leaving)
		return;
	s->leaving = true;
	cancel_all(s);
	loop_timer(s->loop, &s->linger, clock_now() + LINGER_NS);
	server_check(s);
}

static void
on_end(struct lines_in *in)
{
	leave(container_of(in, struct server, in));
}

static void
on_broken(struct lines_out *out)
{
	struct server *s = container_of(out, struct server, out);

	leave(s);
	server_check(s);
}

static void
on_drained(struct lines_out *out)
{
	struct server *s = container_of(out, struct server, out);

	lines_resume(&s->in);
	server_check(s);
}

/* ---- the broker ---- */

static void
begin(struct server *s)
{
	s->opened = true;
	lines_resume(&s->in);
}

/* Whether a first answer of the broker: what there is, then what is configured. */
static void
on_first(struct server *s, struct str json)
{
	struct buf *text = s->tools ? &s->config_json : &s->tools_json;
	struct json **doc = s->tools ? &s->config : &s->tools;
	struct err e;

	buf_add(text, json);
	if (json_parse(buf_str(text), ANSWER_MAX, doc, &e) < 0)
		peer_drop(s->core, &e);
	else if (s->config)
		begin(s);
}

/* Of those that ask the one that did so first. */
static struct request *
first_asking(struct server *s)
{
	struct request *first = NULL;

	for (struct request *r = s->requests; r; r = r->next) {
		if (r->kind == REQUEST_ASK && (!first || r->tag < first->tag))
			first = r;
	}
	return first;
}

void
server_ask(struct request *r, enum ask what, struct str name,
    void (*on_answer)(struct request *r, struct str json))
{
	struct msg_ask m = { .what = what, .name = name };

	r->kind = REQUEST_ASK;
	r->tag = ++r->server->tags;
	r->on_answer = on_answer;
	server_send(r->server, MSG_ask, &m);
}

void
server_on_answer(struct server *s, const struct msg_answer *m)
{
	struct request *r = first_asking(s);

	if (!s->opened)
		on_first(s, m->json);
	else if (r)
		r->on_answer(r, m->json);
	server_check(s);
}

void
server_on_refused(struct server *s, const struct msg_client_refused *m)
{
	auto_done(buf) struct buf said = buf_max(KiB(8));
	struct request *r = server_find(s, REQUEST_RUN, m->tag);

	if (!r)
		r = server_find(s, REQUEST_CALL, m->tag);
	if (m->tag && r) {
		call_refused(r, m);
	} else if (s->opened) {
		r = first_asking(s);
		if (r)
			resource_refused(r, m);
	} else {
		/* The greeting: every request is told so, and the person. */
		json_open(&s->trouble, NULL, '{');
		json_put_str(&s->trouble, "code", m->code);
		json_put_str(&s->trouble, "hint", m->hint);
		json_close(&s->trouble, '}');
		buf_add(&s->trouble_text, m->message);
		buf_addf(&said, "%.*s: %.*s", STR_ARG(m->code), STR_ARG(m->message));
		tell_person(buf_str(&said));
		begin(s);
	}
	server_check(s);
}

/* ---- life ---- */

void
server_init(struct server *s, struct loop *loop, struct peer *core,
    void (*on_done)(struct server *s))
{
	*s = (struct server){
		.loop = loop,
		.core = core,
		.on_done = on_done,
		.version = MCP_VERSIONS,
		.log_level = LOG_NOTHING,
		.tools_json = buf_max(ANSWER_MAX),
		.config_json = buf_max(ANSWER_MAX),
		.trouble = buf_max(KiB(16)),
		.trouble_text = buf_max(KiB(8)),
		.tell.on_due = on_tell,
		.beat.on_due = on_beat,
		.linger.on_due = on_linger,
	};
	s->requests_end = &s->requests;
}

int
server_open(struct server *s, int in, int out, struct err *e)
{
	static const struct lines_in_events in_events = { on_line, on_long, on_end };
	static const struct lines_out_events out_events = { on_broken, on_drained };
	struct msg_ask tools = { .what = ASK_TOOLS }, config = { .what = ASK_CONFIG };
	int r = lines_in_open(&s->in, s->loop, in, SERVER_LINE_MAX, &in_events, e);

	if (r >= 0)
		lines_pause(&s->in);
	if (r >= 0)
		r = lines_out_open(&s->out, s->loop, out, SERVER_QUEUE_MAX, &out_events, e);
	if (r >= 0)
		r = peer_send(s->core, MSG_ask, &tools, e);
	if (r >= 0)
		r = peer_send(s->core, MSG_ask, &config, e);
	return r;
}

void
server_done(struct server *s)
{
	while (s->requests) {
		s->requests->cancelled = true;
		request_drop(s->requests);
	}
	loop_timer_cancel(&s->tell);
	loop_timer_cancel(&s->beat);
	loop_timer_cancel(&s->linger);
	lines_in_close(&s->in);
	lines_out_close(&s->out);
	json_free(s->tools);
	json_free(s->config);
	buf_done(&s->tools_json);
	buf_done(&s->config_json);
	buf_done(&s->trouble);
	buf_done(&s->trouble_text);
}
