/* SPDX-License-Identifier: MIT */
/*
 * Many runs of one session at once. A client's channel carries one run at a time, so this
 * stands in the broker's place: it holds a crisol-js as crisol-core does (forge/host.h), with
 * all its walls, and gives it `count` runs together.
 *
 * The answer: {"ns":from the first question to the last answer,"succeeded":N}.
 */
#include "order.h"

#include "base/clock.h"
#include "forge/host.h"

#include <stdio.h>

struct fan;

struct fan_run {
	struct host_run run;
	struct fan *fan;
};

struct fan {
	struct loop loop;
	struct launcher launcher;
	struct host host;
	struct conf conf;
	size_t left, succeeded;
	enum code code; /* of one that failed */
};

static void
on_text(struct host_run *run, struct str text)
{
	(void)run;
	(void)text;
}

static void
on_ended(struct host_run *run)
{
	struct fan *f = container_of(run, struct fan_run, run)->fan;

	if (run->result.code == CODE_NONE)
		f->succeeded++;
	else
		f->code = run->result.code;
	result_done(&run->result);
	if (--f->left == 0)
		loop_stop(&f->loop);
}

/* No script here calls a tool. */
static void
on_call(struct host_run *run, uint64_t number, struct str name, struct str input)
{
	(void)run;
	(void)number;
	(void)name;
	(void)input;
}

static const struct host_run_events events = { on_text, on_call, on_text, on_ended };

static void
on_launcher_closed(struct peer *p, const struct err *why)
{
	struct fan *f = container_of(p, struct fan, launcher.peer);

	fprintf(stderr, "bench-fan: the launcher ended: %s\n", why->text);
	loop_stop(&f->loop);
}

static int
obey(struct fan *f, const struct order *o, struct err *e)
{
	auto_free struct fan_run *runs = xcalloc(o->count, sizeof(*runs));
	char line[160];
	uint64_t start = clock_now();
	int r;

	f->left = o->count;
	f->succeeded = 0;
	f->code = CODE_NONE;
	f->loop.stopping = false;
	for (uint64_t i = 0; i < o->count; i++) {
		struct host_run *run = &runs[i].run;

		runs[i].fan = f;
		run->events = &events;
		run->source = buf_str(&o->source);
		run->args = STR("{}");
		run->limits = (struct run_limits){
			.timeout_ms = o->timeout_ms,
			.cpu_ms = f->conf.value[OPT_js_cpu_ms],
			.memory_bytes = o->memory_bytes,
			.stack_bytes = f->conf.value[OPT_js_stack_bytes],
			.max_output_chars = f->conf.value[OPT_js_output_chars],
		};
		result_init(&run->result);
		host_run(&f->host, run);
	}
	r = loop_run(&f->loop, e);
	if (r < 0 || f->left)
		return r < 0 ? r : err_set(e, ERR_CLOSED, "%zu runs did not end", f->left);
	snprintf(line, sizeof(line), "{\"ns\":%llu,\"succeeded\":%zu,\"code\":\"%s\"}",
	    (unsigned long long)(clock_now() - start), f->succeeded, code_specs[f->code].name);
	order_answer(line);
	order_answer(NULL);
	return 0;
}

static int
serve(struct fan *f, struct err *e)
{
	int r = loop_init(&f->loop, e);

	if (r >= 0)
		r = launcher_init(&f->launcher, &f->loop, on_launcher_closed, e);
	if (r < 0)
		return r;
	conf_defaults(&f->conf);
	host_init(&f->host, &f->loop, &f->launcher, &f->conf);
	order_answer(NULL);
	while (r >= 0) {
		struct order order;

		r = order_read(&order, e);
		if (r == 0)
			break;
		if (r > 0)
			r = obey(f, &order, e);
		order_done(&order);
	}
	host_done(&f->host);
	launcher_done(&f->launcher);
	return r;
}

int
main(void)
{
	static struct fan f;
	struct err e;

	if (serve(&f, &e) < 0) {
		fprintf(stderr, "bench-fan: %s\n", e.text);
		return 1;
	}
	return 0;
}
