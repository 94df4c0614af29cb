/* SPDX-License-Identifier: MIT */
#include "forge/front.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "conf/home.h"
#include "forge/answers.h"
#include "forge/greet.h"
#include "ipc/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define RUNS_SHOWN     1000
#define LOG_SHOWN      1000
#define PRUNE_DAYS_MAX 36500
#define ANSWERED_LATER 1
#define DAY_MS         86400000ull
#define WAIT_NS        (5 * NS_PER_S)
#define WAIT_STEP_NS   (5 * NS_PER_MS)

/* One script that the client asked for. */
struct client_run {
	struct run run;
	struct front *front;
	uint64_t tag;
};

/* One call of a tool by the client itself. */
struct client_call {
	struct desk_call call;
	struct front *front;
	struct client_call *next;
	uint64_t tag;
	uint64_t asks; /* in which order, of those that wait for a person; 0: it does not */
};

void
front_say(struct front *f, enum msg_type type, const void *body)
{
	struct err e;

	if (!f->leaving && peer_send(&f->client, type, body, &e) < 0)
		peer_drop(&f->client, &e);
}

void
front_refuse(struct front *f, uint64_t tag, enum code code, const char *message,
    const char *hint)
{
	auto_done(buf) struct buf text = buf_max(KiB(8));
	struct msg_client_refused m = {
		.tag = tag,
		.code = str_of(code_specs[code].name),
		.hint = str_of(hint),
	};

	utf8_scrub(str_of(message), &text);
	m.message = buf_str(&text);
	front_say(f, MSG_client_refused, &m);
}

static void
refuse(struct front *f, uint64_t tag, enum code code, const char *message)
{
	front_refuse(f, tag, code, message, code_specs[code].hint);
}

/* The journal, not crisol, is at fault when it cannot be used. */
const char *
front_hint(enum code code)
{
	return code == CODE_INTERNAL ? "crisol doctor shows the journal and says what to do"
				     : code_specs[code].hint;
}

/* Questions to the journal are about runs; the others are answered or are none. */
static const char *
hint_about_runs(enum code code)
{
	return code == CODE_NOT_FOUND || code == CODE_INVALID_INPUT
		   ? "crisol runs list shows the ids; one that goes on is ended by crisol runs "
		     "cancel"
		   : front_hint(code);
}

static enum code
code_for(const struct err *e)
{
	return e->code == ERR_LIMIT      ? CODE_TOO_LARGE
	       : e->code == ERR_DENIED   ? CODE_TOOL_UNAVAILABLE
	       : e->code == ERR_NOTFOUND ? CODE_NOT_FOUND
	       : e->code == ERR_SYS      ? CODE_INTERNAL
					 : CODE_INVALID_INPUT;
}

/* The client has gone, and nothing it started goes on. */
static void
check_left(struct front *f)
{
	if (f->leaving && !f->session.runs && !f->calls)
		f->on_left(f);
}

/* ---- runs ---- */

static void
on_run_text(struct run *r, struct str text)
{
	struct client_run *c = container_of(r, struct client_run, run);
	struct msg_run_text m = { .tag = c->tag, .text = text };

	front_say(c->front, MSG_run_text, &m);
}

static void
on_run_event(struct run *r, struct str json)
{
	struct client_run *c = container_of(r, struct client_run, run);
	struct msg_run_event m = { .tag = c->tag, .json = json };

	front_say(c->front, MSG_run_event, &m);
}

static void
report_run(struct client_run *c)
{
	const struct run_result *r = &c->run.vm.result;
	auto_done(buf) struct buf envelope = buf_max(ENVELOPE_MAX);
	struct msg_run_done m;

	run_envelope(&c->run, &envelope);
	m = (struct msg_run_done){
		.tag = c->tag,
		.envelope = buf_str(&envelope),
		.value = buf_str(&r->value),
		.code = str_of(code_specs[r->code].name),
		.message = buf_str(&r->message),
		.hint = r->hint.n ? buf_str(&r->hint) : str_of(code_specs[r->code].hint),
		.stack = buf_str(&r->stack),
		.notes = buf_str(&r->notes),
		.has_value = r->has_value,
		.line = r->line,
		.column = r->column,
		.kept = r->kept,
		.total = r->total,
	};
	front_say(c->front, MSG_run_done, &m);
}

static void
on_run_ended(struct run *r)
{
	struct client_run *c = container_of(r, struct client_run, run);
	struct front *f = c->front;

	report_run(c);
	run_done(r);
	free(c);
	check_left(f);
}

static const struct run_events run_events = { on_run_text, on_run_event, on_run_ended };

static struct client_run *
find_run(struct front *f, uint64_t tag)
{
	for (struct run *r = f->session.runs; r; r = r->next) {
		struct client_run *c = container_of(r, struct client_run, run);

		if (c->tag == tag)
			return c;
	}
	return NULL;
}

static int
core_on_run_start(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_start *m = body;
	struct front *f = container_of(p, struct front, client);
	struct run_request request = {
		.source = m->source,
		.args = m->args,
		.input = m->input,
		.code_path = m->code_path,
		.has_input = m->has_input != 0,
		.watched = m->watched != 0,
		.language = (enum language)MIN(m->language, LANGUAGES),
		.limits = {
			.timeout_ms = m->timeout_ms,
			.cpu_ms = m->cpu_ms,
			.memory_bytes = m->memory_bytes,
			.stack_bytes = m->stack_bytes,
			.max_tool_calls = m->max_tool_calls,
			.max_concurrency = m->max_concurrency,
			.max_output_chars = m->max_output_chars,
		},
	};
	struct client_run *c;
	struct err bad;

	if (find_run(f, m->tag))
		return err_set(e, ERR_PROTO, "two runs with one tag");
	if (f->refused)
		return 0;
	c = xcalloc(1, sizeof(*c));
	c->front = f;
	c->tag = m->tag;
	if (front_session(f, STR(""), &bad) < 0 ||
	    run_start(&c->run, &f->session, &request, &run_events, &bad) < 0) {
		free(c);
		refuse(f, m->tag, code_for(&bad), bad.text);
		return 0;
	}
	struct msg_run_started started = { .tag = c->tag, .run = str_of(c->run.id) };

	front_say(f, MSG_run_started, &started);
	return 0;
}

/* ---- direct calls ---- */

static struct client_call *
longest_asking(struct front *f)
{
	struct client_call *first = NULL;

	for (struct client_call *c = f->calls; c; c = c->next) {
		if (c->asks && (!first || c->asks < first->asks))
			first = c;
	}
	return first;
}

/* One question at a time; what was said to it may have answered the next. */
static void
ask_next(struct front *f)
{
	auto_done(buf) struct buf json = buf_max(QUESTION_MAX);
	struct client_call *c = f->asked || f->leaving || f->asking ? NULL : longest_asking(f);
	struct msg_client_question m = { 0 };

	f->asking = true;
	for (; c && !f->asked; c = longest_asking(f)) {
		c->asks = 0;
		buf_reset(&json);
		if (!desk_question(&c->call, &json))
			continue;
		if (!buf_ok(&json)) { /* nobody allows what cannot be shown whole */
			desk_answer(&c->call, GATE_REPLY_NONE);
			continue;
		}
		f->asked = c;
		m = (struct msg_client_question){
			.tag = c->tag,
			.number = ++f->questions,
			.json = buf_str(&json),
			.input = buf_str(&c->call.input),
		};
		front_say(f, MSG_client_question, &m);
	}
	f->asking = false;
}

static int
core_on_client_reply(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_reply *m = body;
	struct front *f = container_of(p, struct front, client);
	struct client_call *c = f->asked;

	if (m->number == 0 || m->number > f->questions || m->answer >= GATE_REPLY_COUNT)
		return err_set(e, ERR_PROTO, "an answer to a question that was not asked");
	if (m->number != f->questions)
		return 0; /* its call has ended meanwhile */
	if (f->greeting)
		return greet_answer(f, (enum gate_reply)m->answer, e);
	if (!c)
		return 0;
	if (!desk_takes(&c->call, (enum gate_reply)m->answer))
		return err_set(e, ERR_PROTO, "an answer that the question does not take");
	f->asked = NULL;
	desk_answer(&c->call, (enum gate_reply)m->answer);
	ask_next(f);
	return 0;
}

static void
on_call_done(struct desk_call *call)
{
	struct client_call *c = container_of(call, struct client_call, call);
	struct front *f = c->front;
	struct client_call **at = &f->calls;
	const struct code_spec *spec = &code_specs[call->code];
	struct msg_call_done m = { .tag = c->tag, .code = str_of(spec->name) };
	const char *note;

	if (call->code == CODE_NONE) {
		m.result = buf_str(&call->text);
	} else {
		m.message = buf_str(&call->text);
		m.hint = call->hint.n ? buf_str(&call->hint) : str_of(spec->hint);
	}
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (f->asked == c)
		f->asked = NULL;
	/* The last one in flight has its rows written: others go in its group. */
	note = f->calls ? NULL : journal_note(&f->session.desk.journal);
	m.note = str_of(note ? note : "");
	front_say(f, MSG_call_done, &m);
	desk_call_done(call);
	free(c);
	check_left(f);
	ask_next(f);
}

static void
on_call_ask(struct desk_call *call)
{
	struct client_call *c = container_of(call, struct client_call, call);

	c->asks = ++c->front->asks;
	if (c->front->asked == c)
		c->front->asked = NULL;
	ask_next(c->front);
}

static const struct desk_call_events call_events = { on_call_done, on_call_ask };

static int
core_on_call_start(struct peer *p, const void *body, struct err *e)
{
	const struct msg_call_start *m = body;
	struct front *f = container_of(p, struct front, client);
	struct client_call *c;
	struct err bad;

	(void)e;
	if (f->refused)
		return 0;
	if (front_session(f, STR(""), &bad) < 0) {
		refuse(f, m->tag, code_for(&bad), bad.text);
		return 0;
	}
	c = xcalloc(1, sizeof(*c));
	c->front = f;
	c->tag = m->tag;
	c->next = f->calls;
	f->calls = c;
	desk_call_init(&c->call, &call_events);
	c->call.from = GATE_DIRECT;
	buf_add(&c->call.name, m->tool);
	buf_add(&c->call.input, m->input);
	desk_call(&f->session.desk, &c->call);
	return 0;
}

/* One that is asked about ends at once; the next is asked about when all of them have. */
static void
cancel_calls(struct front *f, uint64_t tag, bool all)
{
	f->asking = true;
	for (struct client_call *c = f->calls, *next; c; c = next) {
		next = c->next;
		if (all || c->tag == tag)
			desk_cancel(&c->call);
	}
	f->asking = false;
	ask_next(f);
}

static int
core_on_run_cancel(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_cancel *m = body;
	struct front *f = container_of(p, struct front, client);
	struct client_run *c = find_run(f, m->tag);

	(void)e;
	if (c) /* else it has just ended by itself, or it is a call */
		run_cancel(&c->run);
	else
		cancel_calls(f, m->tag, false);
	return 0;
}

/* ---- questions ---- */

static void
answer(struct front *f, const struct buf *json)
{
	struct msg_answer m = { .json = buf_str(json) };

	if (!buf_ok(json))
		refuse(f, 0, CODE_TOO_LARGE, "the answer is too large");
	else
		front_say(f, MSG_answer, &m);
}

/* The owner confirms by what it writes down. */
static void
on_wait(struct timer *t)
{
	struct front_wait *w = container_of(t, struct front_wait, timer);
	struct front *f = container_of(w, struct front, wait);
	auto_done(buf) struct buf status = buf_max(64);
	uint64_t now = clock_now();
	struct err e;

	if (store_run_status(f->store, w->id, &status, &e) < 0) {
		refuse(f, 0, CODE_INTERNAL, e.text);
	} else if (!str_eq(buf_str(&status), STR("cancelling"))) {
		auto_done(buf) struct buf json = buf_max(KiB(1));

		json_open(&json, NULL, '{');
		json_put_str(&json, "cancelled", str_of(w->id));
		json_close(&json, '}');
		answer(f, &json);
	} else if (now >= w->until) {
		refuse(f, 0, CODE_INTERNAL,
		    "the owner of the run was asked and has not ended it after 5 seconds");
	} else {
		loop_timer(f->loop, t, now + WAIT_STEP_NS);
	}
}

/* The pid may have become another process's: only a pidfd that was checked is signalled. */
static void
wake(struct store *s, const char *id, pid_t owner)
{
	auto_fd int pidfd = owner > 0 ? pidfd_open(owner, 0) : -1;

	if (pidfd >= 0 && store_is_owner(s, id, owner))
		pidfd_send_signal(pidfd, FRONT_SIGNAL, NULL, 0);
}

/* Asks for the end of another broker's run, and waits for it. */
static int
cancel_elsewhere(struct front *f, struct str prefix, struct err *e)
{
	struct front_wait *w = &f->wait;
	pid_t owner = 0;
	int r = store_cancel(f->store, prefix, w->id, &owner, e);

	if (r < 0)
		return r;
	wake(f->store, w->id, owner);
	w->timer.on_due = on_wait;
	w->until = clock_now() + WAIT_NS;
	loop_timer(f->loop, &w->timer, clock_now() + WAIT_STEP_NS);
	return 0;
}

static int
ask_cancel(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)ret_json;
	return cancel_elsewhere(f, m->name, e) < 0 ? -1 : ANSWERED_LATER;
}

static int
ask_runs(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	return store_list(f->store, m->what == ASK_LIVE, RUNS_SHOWN, ret_json, e);
}

static int
ask_show(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	return store_show(f->store, m->name, ret_json, e);
}

static int
ask_whole(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	return store_whole(f->store, m->name, ret_json, e);
}

static int
ask_remove(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	char id[ID_SIZE];
	int r = store_remove(f->store, m->name, id, e);

	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_str(ret_json, "removed", str_of(id));
	json_close(ret_json, '}');
	return 0;
}

/* What is older than so many days goes. */
static int
ask_prune(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	uint64_t now = clock_wall() / NS_PER_MS, days;

	if (!str_u64(m->name, PRUNE_DAYS_MAX, &days))
		return err_set(e, ERR_INVALID, "a number of days from 0 to %d was expected",
		    PRUNE_DAYS_MAX);
	/* So many days ago may be before time began. */
	return store_prune(f->store, now - MIN(now, days * DAY_MS), ret_json, e);
}

static int
ask_log(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	return store_log(f->store, m->name, LOG_SHOWN, ret_json, e);
}

static int
ask_sizes(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)m;
	return store_sizes(f->store, ret_json, e);
}

static int
ask_tools(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)m;
	(void)e;
	desk_tools(&f->session.desk, ret_json);
	return 0;
}

static int
ask_explain(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	const struct desk *d = &f->session.desk;
	const struct desk_case what = { m->name, m->input, GATE_DIRECT, d->policy.surface };

	(void)e;
	desk_explain(d, &what, ret_json);
	return 0;
}

static int
ask_config(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)m;
	(void)e;
	conf_write(&f->conf, ret_json);
	return 0;
}

/* {path, there, why, sizes}: why it cannot be used, or not be written, and what it holds if it can. */
static void
put_journal(struct front *f, struct buf *ret_json)
{
	auto_done(buf) struct buf path = buf_max(KiB(5)), sizes = buf_max(KiB(32)),
				  text = buf_max(KiB(16));
	const char *why = f->store ? NULL : f->session.desk.journal.why;
	struct err e;

	if (f->store && store_sizes(f->store, &sizes, &e) < 0)
		why = e.text;
	if (f->store && !why)
		why = store_trouble(f->store);
	json_open(ret_json, NULL, '{');
	if (home_path(HOME_STATE, &path, &e) >= 0)
		buf_add(&path, STR(JOURNAL_FILE));
	utf8_scrub(buf_str(&path), &text);
	json_put_str(ret_json, "path", buf_str(&text));
	json_put_bool(ret_json, "there", path.n && access(buf_text(&path), F_OK) == 0);
	buf_reset(&text);
	utf8_scrub(str_of(why ? why : ""), &text);
	json_put_str(ret_json, "why", buf_str(&text));
	json_put_raw(ret_json, "sizes", f->store && !why ? buf_str(&sizes) : STR("null"));
	json_close(ret_json, '}');
}

static void
on_status(struct status *s)
{
	struct front *f = container_of(s, struct front, status);
	auto_done(buf) struct buf json = buf_max(KiB(512)), journal = buf_max(KiB(64)),
				  notices = buf_max(KiB(256)), parts = buf_max(KiB(64));

	put_journal(f, &journal);
	utf8_scrub(buf_str(&f->notices), &notices);
	parts_write(f->parts, &parts);
	status_write(s, buf_str(&journal), buf_str(&parts), buf_str(&notices), &json);
	answer(f, &json);
}

static int
ask_status(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)ret_json;
	if (f->conf.value[OPT_js_enabled])
		session_need_host(&f->session);
	return status_start(&f->status, &f->session.host, m->what == ASK_PROBE, on_status, e) <
		       0
		   ? -1
		   : ANSWERED_LATER;
}

/* Negative: refused by e. ANSWERED_LATER, or 0 with the answer in ret_json. */

static const struct {
	answer_fn *fn;
	bool journal; /* it wants one */
} asks[ASK_COUNT] = {
	[ASK_STATUS] = { ask_status, false },
	[ASK_PROBE] = { ask_status, false },
	[ASK_TOOLS] = { ask_tools, false },
	[ASK_EXPLAIN] = { ask_explain, false },
	[ASK_CONFIG] = { ask_config, false },
	[ASK_CANCEL] = { ask_cancel, true },
	[ASK_RUNS] = { ask_runs, true },
	[ASK_LIVE] = { ask_runs, true },
	[ASK_SHOW] = { ask_show, true },
	[ASK_WHOLE] = { ask_whole, true },
	[ASK_REMOVE] = { ask_remove, true },
	[ASK_PRUNE] = { ask_prune, true },
	[ASK_LOG] = { ask_log, true },
	[ASK_SIZES] = { ask_sizes, true },
	[ASK_PERMISSIONS] = { answer_permissions, true },
	[ASK_REVOKE] = { answer_revoke, true },
	[ASK_TRUST] = { answer_trust, true },
	[ASK_DISTRUST] = { answer_distrust, true },
	[ASK_REPLAY] = { answer_replay, false },
};

static int
core_on_ask(struct peer *p, const void *body, struct err *e)
{
	const struct msg_ask *m = body;
	struct front *f = container_of(p, struct front, client);
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX);
	struct err bad;
	int r;

	if (f->wait.timer.loop || m->what >= ASK_COUNT)
		return err_set(e, ERR_PROTO, "a question that cannot be answered now");
	if (f->refused && m->what != ASK_STATUS)
		return 0;
	if (f->refused && !f->store && !*f->session.desk.journal.why)
		greet_store(f);
	if (asks[m->what].journal && !f->store)
		r = err_set(&bad, ERR_SYS, "there is no journal: %s",
		    f->session.desk.journal.why);
	else
		r = asks[m->what].fn(f, m, &json, &bad);
	if (r < 0)
		front_refuse(f, 0, code_for(&bad), bad.text,
		    m->what < ASK_PERMISSIONS && asks[m->what].journal
			? hint_about_runs(code_for(&bad))
			: code_specs[code_for(&bad)].hint);
	else if (r != ANSWERED_LATER)
		answer(f, &json);
	return 0;
}

static const struct peer_fn_table on_client = { {
    [MSG_client_hello] = core_on_client_hello,
    [MSG_client_reply] = core_on_client_reply,
    [MSG_run_start] = core_on_run_start,
    [MSG_run_cancel] = core_on_run_cancel,
    [MSG_call_start] = core_on_call_start,
    [MSG_ask] = core_on_ask,
} };

/* ---- life ---- */

static void
on_client_closed(struct peer *p, const struct err *why)
{
	struct front *f = container_of(p, struct front, client);

	(void)why;
	f->leaving = true;
	loop_timer_cancel(&f->warm);
	session_cancel(&f->session);
	cancel_calls(f, 0, true);
	check_left(f);
}

void
front_cancel_asked(struct front *f)
{
	session_cancel_asked(&f->session);
}

/* A program that drives us greets first and calls later: the host can be there by then. */
static void
on_warm(struct timer *t)
{
	session_need_host(&container_of(t, struct front, warm)->session);
}

int
front_init(struct front *f, struct loop *loop, struct launcher *launcher, int channel,
    const struct part *parts, void (*on_left)(struct front *f), struct err *e)
{
	int r;

	*f = (struct front){
		.loop = loop,
		.launcher = launcher,
		.parts = parts,
		.notices = buf_max(KiB(64)),
		.on_left = on_left,
		.warm.on_due = on_warm,
	};
	r = peer_init(&f->client, loop, channel, ROLE_CORE, ROLE_CLIENT, &on_client,
	    on_client_closed, e);
	if (r < 0)
		return r;
	conf_defaults(&f->conf);
	session_init(&f->session, loop, launcher, &f->conf, parts[PART_js].sha256);
	return 0;
}

void
front_done(struct front *f)
{
	f->leaving = true;
	loop_timer_cancel(&f->warm);
	session_done(&f->session);
	store_close(f->store);
	greet_done(f);
	peer_done(&f->client);
	conf_done(&f->conf);
	buf_done(&f->notices);
}
