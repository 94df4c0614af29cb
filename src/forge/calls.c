/* SPDX-License-Identifier: MIT */
#include "forge/calls.h"

#include "base/clock.h"
#include "base/json.h"

enum nested_state { NESTED_WAITING, NESTED_RUNNING, NESTED_ENDED };

struct nested {
	struct desk_call call;
	struct calls *calls;
	struct nested *next;
	enum nested_state state;
	bool beside;
};

#define INPUTS_MAX MiB(64) /* of a run's calls that have not ended */

/* Which number of running calls it counts in. */
static uint64_t *
slot_of(struct nested *n)
{
	return n->beside ? &n->calls->beside : &n->calls->serial;
}

static void
free_nested(struct nested *n)
{
	desk_call_done(&n->call);
	free(n);
}

static const char *
status_of(const struct nested *n)
{
	if (n->state != NESTED_ENDED)
		return n->state == NESTED_RUNNING ? "running" : "waiting";
	return desk_call_status(&n->call);
}

static uint64_t
duration(const struct nested *n)
{
	return n->call.ended > n->call.began ? n->call.ended - n->call.began : 0;
}

static void
put_call(const struct nested *n, struct buf *out)
{
	json_put_u64(out, "n", n->call.number);
	json_put_str(out, "tool", buf_str(&n->call.name));
	json_put_str(out, "status", str_of(status_of(n)));
	json_put_ms(out, "ms", duration(n));
	if (n->state == NESTED_ENDED && n->call.code)
		json_put_str(out, "code", str_of(code_specs[n->call.code].name));
}

static void
tell(const struct nested *n)
{
	struct calls *c = n->calls;
	auto_done(buf) struct buf json = buf_max(KiB(8));

	if (!c->events->on_event)
		return;
	json_open(&json, NULL, '{');
	json_put_str(&json, "event", STR("call"));
	put_call(n, &json);
	json_put_u64(&json, "finished", c->finished);
	json_put_u64(&json, "started", c->count);
	json_close(&json, '}');
	c->events->on_event(c, buf_str(&json));
}

/* ---- answers ---- */

static void
answer(const struct nested *n)
{
	const struct desk_call *call = &n->call;
	auto_done(buf) struct buf json = buf_max(CALL_OUTPUT_MAX);
	const struct code_spec *spec = &code_specs[call->code];

	if (call->code == CODE_NONE) {
		host_answer(n->calls->run, call->number, true, buf_str(&call->text));
		return;
	}
	n->calls->run->codes |= 1ull << call->code;
	json_open(&json, NULL, '{');
	json_put_str(&json, "code", str_of(spec->name));
	json_put_str(&json, "message", buf_str(&call->text));
	json_put_str(&json, "hint", call->hint.n ? buf_str(&call->hint) : str_of(spec->hint));
	json_put_str(&json, "tool", buf_str(&call->name));
	json_close(&json, '}');
	host_answer(n->calls->run, call->number, false, buf_str(&json));
}

static void start_waiting(struct calls *c);

static void
end_nested(struct nested *n)
{
	struct calls *c = n->calls;

	if (n->state == NESTED_RUNNING)
		*slot_of(n) -= 1;
	n->state = NESTED_ENDED;
	c->finished++;
	c->input_bytes -= n->call.input.n;
	answer(n);
	/* Its status and times are kept for the envelope, its texts are not. */
	buf_done(&n->call.text);
	buf_done(&n->call.input);
	tell(n);
}

static void
on_call_done(struct desk_call *call)
{
	struct nested *n = container_of(call, struct nested, call);
	struct calls *c = n->calls;
	bool ran = n->state == NESTED_RUNNING;

	end_nested(n);
	if (!c->cancelled)
		start_waiting(c);
	else if (ran && c->beside + c->serial == 0)
		c->events->on_idle(c);
}

static const struct desk_call_events call_events = { on_call_done };

/* ---- queueing ---- */

static void
start_nested(struct nested *n)
{
	n->state = NESTED_RUNNING;
	*slot_of(n) += 1;
	tell(n);
	desk_call(n->calls->desk, &n->call);
}

/* One that ends at once comes back here, where the loop goes on as it is. */
static void
start_waiting(struct calls *c)
{
	bool serial_waits = false;

	if (c->starting)
		return;
	c->starting = true;
	for (struct nested *n = c->waiting; n; n = n->next) {
		if (n == c->waiting && n->state != NESTED_WAITING)
			c->waiting = n->next;
		if (n->state != NESTED_WAITING)
			continue;
		if (n->beside && c->beside < c->run->limits.max_concurrency)
			start_nested(n);
		else if (!n->beside && !serial_waits && c->serial == 0)
			start_nested(n);
		else if (!n->beside)
			serial_waits = true;
	}
	c->starting = false;
}

static struct nested *
new_nested(struct calls *c, uint64_t number, struct str name, struct str input)
{
	struct nested *n = xcalloc(1, sizeof(*n));

	n->calls = c;
	desk_call_init(&n->call, &call_events);
	n->call.run = c->id;
	n->call.number = number;
	n->call.from = GATE_FROM_JS;
	buf_add(&n->call.name, name);
	buf_add(&n->call.input, input);
	n->beside = desk_runs_beside(name);
	c->input_bytes += input.n;
	c->count++;
	return n;
}

static void
say_too_many(const struct calls *c, struct buf *out)
{
	buf_addf(out, "the script has made as many calls as it may: %llu",
	    (unsigned long long)c->run->limits.max_tool_calls);
}

/*
 * The first beyond the limit is on the list, told and written down; the others are only counted and
 * answered, so that a script that goes on and on fills nothing.
 */
static void
pass_over(struct nested *n)
{
	n->call.code = CODE_CALL_LIMIT;
	say_too_many(n->calls, &n->call.text);
	n->calls->finished++;
	n->calls->input_bytes -= n->call.input.n;
	answer(n);
	free_nested(n);
}

static void
refuse_too_many(struct calls *c, struct nested *n)
{
	auto_done(buf) struct buf text = buf_max(KiB(1));

	say_too_many(c, &text);
	desk_fail(c->desk, &n->call, CODE_CALL_LIMIT, buf_text(&text));
}

void
calls_add(struct calls *c, uint64_t number, struct str name, struct str input)
{
	struct nested *n = new_nested(c, number, name, input);
	uint64_t most = c->run->limits.max_tool_calls;

	if (c->count > most + 1) {
		pass_over(n);
		return;
	}
	*c->end = n;
	c->end = &n->next;
	if (!c->waiting)
		c->waiting = n;
	if (c->cancelled)
		desk_fail(c->desk, &n->call, CODE_CANCELLED, "the run is being stopped");
	else if (c->count > most)
		refuse_too_many(c, n);
	else if (c->input_bytes > INPUTS_MAX)
		desk_fail(c->desk, &n->call, CODE_TOO_LARGE,
		    "the inputs of the calls that wait are too large together");
	else
		start_waiting(c);
}

bool
calls_cancel(struct calls *c)
{
	c->cancelled = true;
	for (struct nested *n = c->first; n; n = n->next) {
		if (n->state == NESTED_WAITING)
			desk_fail(c->desk, &n->call, CODE_CANCELLED,
			    "the call was cancelled before it began");
		else if (n->state == NESTED_RUNNING)
			desk_cancel(&n->call);
	}
	return c->beside + c->serial == 0;
}

static bool
acted(const struct nested *n)
{
	return journal_acts(n->call.row.effect) && n->call.handed;
}

const char *
calls_verdict(const struct calls *c)
{
	const char *verdict = "none";

	for (const struct nested *n = c->first; n; n = n->next) {
		if (!acted(n))
			continue;
		if (n->call.unknown)
			return "unknown";
		if (n->call.code == CODE_NONE)
			verdict = "applied";
	}
	return verdict;
}

void
calls_write(const struct calls *c, struct buf *ret_json)
{
	json_open(ret_json, "calls", '[');
	for (const struct nested *n = c->first; n; n = n->next) {
		json_open(ret_json, NULL, '{');
		put_call(n, ret_json);
		json_close(ret_json, '}');
	}
	json_close(ret_json, ']');
	json_open(ret_json, "effects", '{');
	json_put_str(ret_json, "verdict", str_of(calls_verdict(c)));
	json_open(ret_json, "list", '[');
	for (const struct nested *n = c->first; n; n = n->next) {
		if (!acted(n))
			continue;
		json_open(ret_json, NULL, '{');
		put_call(n, ret_json);
		json_close(ret_json, '}');
	}
	json_close(ret_json, ']');
	json_close(ret_json, '}');
}

void
calls_init(struct calls *c, const struct calls_events *events, struct desk *desk,
    struct host_run *run, const char *id)
{
	*c = (struct calls){ .events = events, .desk = desk, .run = run, .id = id };
	c->end = &c->first;
	desk_widen(desk, run->limits.max_concurrency);
}

void
calls_done(struct calls *c)
{
	while (c->first) {
		struct nested *n = c->first;

		c->first = n->next;
		free_nested(n);
	}
	c->end = &c->first;
}
