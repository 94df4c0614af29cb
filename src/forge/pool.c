/* SPDX-License-Identifier: MIT */
#include "forge/pool.h"

#include "base/clock.h"
#include "base/json.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define CANCEL_NS (10 * NS_PER_S) /* for a worker that was asked to end its command */

struct worker {
	struct launched child;
	struct peer peer;
	struct pool *pool;
	struct worker *next;
	struct work *work; /* what it does now */
	struct timer deadline;
	uint64_t ticket, started;
	bool ready, dying;
	enum code killed; /* why we killed it */
	char why[256];    /* why it could not start */
};

/* ---- ends of works ---- */

static void
finish(struct work *w, enum code code, struct str text, bool lost)
{
	struct work_result result = { code, text, lost };

	w->worker = NULL;
	w->pool = NULL;
	w->on_done(w, &result);
}

static void give_out(struct pool *p);

static void
take_from(struct work **list, struct work *w)
{
	while (*list != w)
		list = &(*list)->next;
	*list = w->next;
	w->next = NULL;
}

static void
add_to(struct work **list, struct work *w)
{
	while (*list)
		list = &(*list)->next;
	w->next = NULL;
	*list = w;
}

/* Cancelled before a worker had it: the owner hears of it in the loop's next turn. */
static void
on_timer(struct timer *t)
{
	struct pool *p = container_of(t, struct pool, timer);

	while (p->ended) {
		struct work *w = p->ended;

		take_from(&p->ended, w);
		finish(w, CODE_CANCELLED, STR("the call was cancelled before it began"), false);
	}
}

/* ---- what a worker says ---- */

/* A worker may have been taken over by what it read: its result is hostile JSON. */
static bool
is_result(struct str text)
{
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	return json_parse(text, CALL_OUTPUT_MAX, &doc, &e) >= 0 &&
	       json_is_object(json_root(doc));
}

static int
core_on_tool_done(struct peer *peer, const void *body, struct err *e)
{
	const struct msg_tool_done *m = body;
	struct worker *k = container_of(peer, struct worker, peer);
	struct work *w = k->work;
	enum code code = code_named(m->code);

	if (!w || m->ticket != k->ticket || (m->code.n && !code))
		return err_set(e, ERR_PROTO, "the end of a call that is not there");
	if (!code && !is_result(m->result))
		return err_set(e, ERR_PROTO, "a result that is no JSON object");
	k->work = NULL;
	loop_timer_cancel(&k->deadline);
	if (w->cancelled)
		finish(w, CODE_CANCELLED, code ? m->message : STR("the call was cancelled"),
		    false);
	else
		finish(w, code, code ? m->message : m->result, false);
	give_out(k->pool);
	return 0;
}

static int
core_on_tool_hello(struct peer *peer, const void *body, struct err *e)
{
	struct worker *k = container_of(peer, struct worker, peer);
	struct msg_tool_policy policy = {
		.protected = buf_str(&k->pool->protected),
		.rules = buf_str(&k->pool->rules),
		.environment = buf_str(&k->pool->environment),
	};

	(void)body;
	peer->state = ST_READY;
	if (peer_send(peer, MSG_tool_policy, &policy, e) < 0)
		return -1;
	k->ready = true;
	k->pool->starved = false;
	loop_timer_cancel(&k->deadline);
	give_out(k->pool);
	return 0;
}

static int
core_on_tool_failed(struct peer *peer, const void *body, struct err *e)
{
	const struct msg_tool_failed *m = body;
	struct worker *k = container_of(peer, struct worker, peer);

	(void)e;
	snprintf(k->why, sizeof(k->why), "%.*s", STR_ARG(m->why));
	return 0;
}

static const struct peer_fn_table on_tool = { {
    [MSG_tool_hello] = core_on_tool_hello,
    [MSG_tool_failed] = core_on_tool_failed,
    [MSG_tool_done] = core_on_tool_done,
} };

/* ---- a worker's life ---- */

static void
gone(struct worker *k, const char *how)
{
	struct pool *p = k->pool;
	struct worker **at = &p->workers;
	struct work *w = k->work;
	char text[400];

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	loop_timer_cancel(&k->deadline);
	peer_done(&k->peer);
	if (w) {
		enum code code = w->cancelled ? CODE_CANCELLED
				 : k->killed  ? k->killed
					      : CODE_TOOL_FAILED;

		snprintf(text, sizeof(text), "%s",
		    w->cancelled ? "the call was cancelled" : how);
		finish(w, code, str_of(text), true);
	}
	p->starved = p->starved || !k->ready;
	if (!k->ready && p->waiting && !p->workers) {
		struct work *first = p->waiting;

		/* Nobody could be started: say why instead of trying for ever. */
		snprintf(text, sizeof(text),
		    "the process for the tool could not be started: %s",
		    *k->why ? k->why : how);
		take_from(&p->waiting, first);
		finish(first, p->commands ? CODE_ISOLATION_UNAVAILABLE : CODE_TOOL_FAILED,
		    str_of(text), false);
	}
	free(k);
	give_out(p);
}

static void
on_spawned(struct launched *child, struct str report)
{
	(void)child;
	(void)report;
}

static void
on_failed(struct launched *child, struct str why)
{
	struct worker *k = container_of(child, struct worker, child);

	snprintf(k->why, sizeof(k->why), "%.*s", STR_ARG(why));
	gone(k, "it was not started");
}

static void
on_exited(struct launched *child, int signal, int status)
{
	struct worker *k = container_of(child, struct worker, child);
	char how[128];

	if (k->killed == CODE_TIMEOUT)
		snprintf(how, sizeof(how), "the call took longer than %u seconds",
		    k->work ? tool_specs[k->work->tool].timeout_s : 0);
	else if (signal)
		snprintf(how, sizeof(how), "its worker was ended by signal %d (%s)", signal,
		    sigdescr_np(signal));
	else
		snprintf(how, sizeof(how), "its worker ended by itself with status %d", status);
	gone(k, how);
}

static const struct launched_events child_events = { on_spawned, on_failed, on_exited };

static void
on_peer_closed(struct peer *peer, const struct err *why)
{
	struct worker *k = container_of(peer, struct worker, peer);

	(void)why;
	k->dying = true;
	launched_kill(&k->child);
}

/* A call's time is up, or a worker does not get ready. */
static void
on_deadline(struct timer *t)
{
	struct worker *k = container_of(t, struct worker, deadline);

	k->dying = true;
	if (k->child.pidfd < 0) { /* it was never there */
		launched_forget(&k->child);
		gone(k, "the launcher did not answer");
		return;
	}
	k->killed = k->work ? CODE_TIMEOUT : CODE_NONE;
	launched_kill(&k->child);
}

static void
start_worker(struct pool *p)
{
	struct worker *k = xcalloc(1, sizeof(*k));
	struct err e;
	int r;

	k->pool = p;
	k->child =
	    (struct launched){ .events = &child_events, .pidfd = -1, .tmp = buf_str(&p->tmp) };
	k->deadline.on_due = on_deadline;
	k->next = p->workers;
	p->workers = k;
	r = launcher_spawn(p->launcher, &k->child, p->profile, buf_str(&p->arguments), &k->peer,
	    ROLE_TOOL, &on_tool, on_peer_closed, &e);
	if (r < 0)
		snprintf(k->why, sizeof(k->why), "%s", e.text);
	/* Also where it failed: its end must not come from inside pool_submit. */
	loop_timer(p->loop, &k->deadline, clock_now() + (r < 0 ? 0 : POOL_START_NS));
}

/* ---- giving out ---- */

static void
hand(struct worker *k, struct work *w)
{
	const struct tool_spec *spec = &tool_specs[w->tool];
	struct msg_tool_run m = {
		.ticket = ++k->ticket,
		.tool = str_of(spec->name),
		.input = w->input,
		.real = w->real,
	};
	struct err e;

	k->work = w;
	k->started = clock_now();
	w->worker = k;
	loop_timer(k->pool->loop, &k->deadline, k->started + spec->timeout_s * NS_PER_S);
	if (peer_send(&k->peer, MSG_tool_run, &m, &e) < 0)
		peer_drop(&k->peer, &e);
}

/* Waiting works to idle workers; another worker where all are busy and there may be more. */
static void
give_out(struct pool *p)
{
	unsigned workers = 0, coming = 0, waiting = 0;

	for (struct worker *k = p->workers; k; k = k->next) {
		struct work *w = p->waiting;

		if (k->ready && !k->dying && !k->work && w) {
			take_from(&p->waiting, w);
			hand(k, w);
		}
		workers++;
		coming += !k->ready;
	}
	for (struct work *w = p->waiting; w; w = w->next)
		waiting++;
	if (waiting > coming && workers < p->most && !(p->starved && workers))
		start_worker(p);
}

void
pool_submit(struct pool *p, struct work *w)
{
	w->pool = p;
	w->worker = NULL;
	w->cancelled = false;
	add_to(&p->waiting, w);
	give_out(p);
}

/* Its command gets TERM before KILL, and what it had started is ended with it. */
static void
ask_to_end(struct worker *k)
{
	struct msg_tool_cancel m = { .ticket = k->ticket };
	struct err e;

	loop_timer(k->pool->loop, &k->deadline, clock_now() + CANCEL_NS);
	if (peer_send(&k->peer, MSG_tool_cancel, &m, &e) < 0)
		peer_drop(&k->peer, &e);
}

void
pool_cancel(struct work *w)
{
	struct pool *p = w->pool;

	if (!p || w->cancelled)
		return;
	w->cancelled = true;
	if (w->worker && p->commands && !w->worker->dying) {
		ask_to_end(w->worker);
		return;
	}
	if (w->worker) { /* it may be in the middle of a system call: the process goes */
		w->worker->dying = true;
		launched_kill(&w->worker->child);
		return;
	}
	take_from(&p->waiting, w);
	add_to(&p->ended, w);
	loop_timer(p->loop, &p->timer, clock_now());
}

void
pool_init(struct pool *p, struct loop *loop, struct launcher *launcher, unsigned profile,
    struct str arguments, unsigned most)
{
	*p = (struct pool){
		.loop = loop,
		.launcher = launcher,
		.profile = profile,
		.arguments = buf_max(KiB(128)),
		.protected = buf_max(KiB(16)),
		.rules = buf_max(MiB(1)),
		.environment = buf_max(KiB(64)),
		.tmp = buf_max(NAME_MAX_BYTES),
		.timer = { .on_due = on_timer },
		.most = MIN(most, (unsigned)POOL_MAX),
	};
	buf_add(&p->arguments, arguments);
}

void
pool_widen(struct pool *p, unsigned most)
{
	p->most = MAX(p->most, MIN(most, (unsigned)POOL_MAX));
}

void
pool_hide(struct pool *p, struct str protected, struct str rules)
{
	buf_add(&p->protected, protected);
	buf_add(&p->rules, rules);
}

void
pool_commands(struct pool *p, struct str environment, struct str tmp)
{
	p->commands = true;
	buf_add(&p->environment, environment);
	buf_add(&p->tmp, tmp);
}

void
pool_done(struct pool *p)
{
	p->most = 0;
	while (p->waiting)
		pool_cancel(p->waiting);
	while (p->workers) {
		struct worker *k = p->workers;

		launched_forget(&k->child);
		if (k->work)
			k->work->cancelled = true;
		gone(k, "the session ended");
	}
	loop_timer_cancel(&p->timer);
	on_timer(&p->timer);
	buf_done(&p->arguments);
	buf_done(&p->protected);
	buf_done(&p->rules);
	buf_done(&p->environment);
	buf_done(&p->tmp);
}
