/* SPDX-License-Identifier: MIT */
/*
 * A client whose broker lives on: it runs a script, or makes a direct call, again and again in one
 * session and takes the time from the question to the answer.
 *
 *	bench-warm FOLDER	the workspace
 *
 * The order `run` has a script; `call` has a tool, a new line, its input.
 *
 * It stands beside crisol-core (see run), as every program that starts one. The first answer
 * says who the broker is: {"core":PID}.
 */
#include "order.h"

#include "base/clock.h"
#include "gate/gate.h"
#include "ipc/peer.h"
#include "loop/child.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL_CALLS 500

struct warm {
	struct loop loop;
	struct peer core;
	pid_t pid;
	bool busy; /* a run is on its way */
	uint64_t took;
	struct buf envelope;
	struct err broken; /* code says whether */
};

static void
finish(struct warm *w)
{
	w->busy = false;
	loop_stop(&w->loop);
}

static int
client_on_run_done(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_done *m = body;
	struct warm *w = container_of(p, struct warm, core);
	uint64_t now = clock_now();

	(void)e;
	w->took = now - w->took;
	buf_reset(&w->envelope);
	buf_add(&w->envelope, m->envelope);
	finish(w);
	return 0;
}

static int
client_on_call_done(struct peer *p, const void *body, struct err *e)
{
	const struct msg_call_done *m = body;
	struct warm *w = container_of(p, struct warm, core);
	uint64_t now = clock_now();

	w->took = now - w->took;
	if (m->code.n)
		return err_set(e, ERR_INVALID, "%.*s: %.*s", STR_ARG(m->code),
		    STR_ARG(m->message));
	finish(w);
	return 0;
}

static int
client_on_client_refused(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_refused *m = body;

	(void)p;
	return err_set(e, ERR_DENIED, "%.*s: %.*s", STR_ARG(m->code), STR_ARG(m->message));
}

static int
client_on_nothing(struct peer *p, const void *body, struct err *e)
{
	(void)p;
	(void)body;
	(void)e;
	return 0;
}

static void
on_closed(struct peer *p, const struct err *why)
{
	struct warm *w = container_of(p, struct warm, core);

	w->broken = *why;
	finish(w);
}

static const struct peer_fn_table on_core = { {
    [MSG_client_refused] = client_on_client_refused,
    [MSG_call_done] = client_on_call_done,
    [MSG_run_started] = client_on_nothing,
    [MSG_run_text] = client_on_nothing,
    [MSG_run_event] = client_on_nothing,
    [MSG_run_done] = client_on_run_done,
} };

static int
ask(struct warm *w, const struct order *o, struct err *e)
{
	if (str_eq(o->verb, STR("call"))) {
		struct str input = buf_str(&o->source);
		struct msg_call_start m = { .tool = str_split(&input, '\n'), .input = input };

		return peer_send(&w->core, MSG_call_start, &m, e);
	}
	struct msg_run_start m = {
		.source = buf_str(&o->source),
		.timeout_ms = o->timeout_ms,
		.memory_bytes = o->memory_bytes,
		.max_tool_calls = TOOL_CALLS,
	};

	return peer_send(&w->core, MSG_run_start, &m, e);
}

static int
once(struct warm *w, const struct order *o, struct err *e)
{
	int r;

	w->busy = true;
	w->took = clock_now();
	r = ask(w, o, e);
	while (r >= 0 && w->busy) {
		w->loop.stopping = false;
		r = loop_run(&w->loop, e);
	}
	if (r >= 0 && w->broken.code) {
		*e = w->broken;
		r = -(int)e->code;
	}
	return r;
}

static int
obey(struct warm *w, const struct order *o, struct err *e)
{
	auto_done(buf) struct buf line = buf_max(ENVELOPE_MAX + KiB(1));

	for (uint64_t i = 0; i < o->count; i++) {
		int r;

		buf_reset(&w->envelope);
		r = once(w, o, e);
		if (r < 0)
			return r;
		buf_reset(&line);
		buf_addf(&line, "{\"ns\":%llu,\"envelope\":", (unsigned long long)w->took);
		buf_add(&line, w->envelope.n ? buf_str(&w->envelope) : STR("null"));
		buf_addc(&line, '}');
		order_answer(buf_text(&line));
	}
	order_answer(NULL);
	return 0;
}

/* The broker gets our whole environment: who measures says what it is to have. */
static int
open_session(struct warm *w, const char *folder, struct err *e)
{
	struct msg_client_hello hello = { .version = STR("bench"),
		.cwd = str_of(folder),
		.flags = GATE_ALLOW_PROCESS };
	int channel;
	int r = loop_init(&w->loop, e);

	if (r >= 0)
		r = child_start("crisol-core", environ, &channel, &w->pid, e);
	if (r >= 0)
		r = peer_init(&w->core, &w->loop, channel, ROLE_CLIENT, ROLE_CORE, &on_core,
		    on_closed, e);
	if (r < 0)
		return r;
	w->core.state = ST_READY;
	printf("{\"core\":%d}\n", (int)w->pid);
	order_answer(NULL);
	return peer_send(&w->core, MSG_client_hello, &hello, e);
}

static int
serve(struct warm *w, const char *folder, struct err *e)
{
	int r = open_session(w, folder, e);

	while (r >= 0) {
		struct order order;

		r = order_read(&order, e);
		if (r == 0)
			break;
		if (r > 0)
			r = obey(w, &order, e);
		order_done(&order);
	}
	peer_done(&w->core);
	if (w->pid > 0)
		waitpid(w->pid, NULL, 0);
	return r;
}

int
main(int argc, char *argv[])
{
	static struct warm w;
	struct err e;

	if (argc != 2) {
		fprintf(stderr, "usage: bench-warm FOLDER\n");
		return 2;
	}
	w.envelope = buf_max(ENVELOPE_MAX);
	if (serve(&w, argv[1], &e) < 0) {
		fprintf(stderr, "bench-warm: %s\n", e.text);
		return 1;
	}
	return 0;
}
