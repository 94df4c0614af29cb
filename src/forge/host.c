/* SPDX-License-Identifier: MIT */
#include "forge/host.h"

#include "base/clock.h"
#include "ipc/outcome.h"
#include "sandbox/profile.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define FACT_MAX 512

/* ---- ends of runs ---- */

static void
unlist(struct host_run *run)
{
	struct host_run **at = &run->host->runs;

	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	loop_timer_cancel(&run->timer);
	run->state = RUN_ENDED;
}

/* The result holds code and value; text and clock are added, and the owner hears of it. */
static void
end_run(struct host_run *run)
{
	if (run->result.wall_ns == 0 && run->started)
		run->result.wall_ns = clock_now() - run->started;
	unlist(run);
	buf_done(&run->text);
	run->events->on_ended(run);
}

static void
add_output(struct host_run *run, struct str value, uint64_t value_points, uint64_t text_points)
{
	result_value(&run->result, value, buf_str(&run->text), run->limits.max_output_chars,
	    value_points, MAX(text_points, run->text_points));
}

static void
say_stopped(struct host_run *run, enum code why)
{
	const struct run_limits *l = &run->limits;

	if (why == CODE_TIMEOUT)
		result_fail(&run->result, why, "the script ran longer than %llu ms",
		    (unsigned long long)l->timeout_ms);
	else if (why == CODE_CPU_LIMIT)
		result_fail(&run->result, why,
		    "the script used more than %llu ms of processor time",
		    (unsigned long long)l->cpu_ms);
	else if (why == CODE_MEMORY_LIMIT)
		result_fail(&run->result, why,
		    "the script needed more than %llu bytes of memory",
		    (unsigned long long)l->memory_bytes);
	else if (why == CODE_STACK_LIMIT)
		result_fail(&run->result, why,
		    "the script's calls were nested deeper than %llu bytes of stack",
		    (unsigned long long)l->stack_bytes);
	else
		result_fail(&run->result, CODE_CANCELLED,
		    "the run was cancelled, and its script has stopped");
}

/* ---- what the process says ---- */

static struct host_run *
find_run(struct host *h, uint64_t number)
{
	struct host_run *run = h->runs;

	while (run && run->number != number)
		run = run->next;
	return run;
}

static int
core_on_vm_text(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_text *m = body;
	struct host_run *run = find_run(container_of(p, struct host, peer), m->run);

	if (!run || run->state == RUN_WAITING)
		return err_set(e, ERR_PROTO, "text of a run that is not there");
	if (run->text.n + m->text.n > run->text.max)
		return err_set(e, ERR_PROTO, "more text than the run may have");
	buf_add(&run->text, m->text);
	run->events->on_text(run, m->text);
	return 0;
}

static int
core_on_vm_call(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_call *m = body;
	struct host_run *run = find_run(container_of(p, struct host, peer), m->run);

	if (!run || run->state == RUN_WAITING)
		return err_set(e, ERR_PROTO, "a call of a run that is not there");
	if (m->number <= run->last_call)
		return err_set(e, ERR_PROTO, "a call whose number was used");
	run->last_call = m->number;
	if (run->state == RUN_RUNNING)
		run->events->on_call(run, m->number, m->name, m->input);
	return 0;
}

static int
core_on_vm_progress(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_progress *m = body;
	struct host_run *run = find_run(container_of(p, struct host, peer), m->run);

	if (!run || run->state == RUN_WAITING)
		return err_set(e, ERR_PROTO, "progress of a run that is not there");
	if (run->state == RUN_RUNNING)
		run->events->on_progress(run, m->json);
	return 0;
}

/* Codes that the guest's own side gives. */
#define GUEST_CODES \
	((1ull << CODE_UNAWAITED_CALL) | (1ull << CODE_STATE_LIMIT) | (1ull << CODE_TOO_LARGE))

static void
judge_outcome(struct host_run *run, const struct msg_vm_done *m)
{
	struct run_result *r = &run->result;

	switch ((enum vm_outcome)m->outcome) {
	case VM_OK:
		r->has_value = m->has_value != 0;
		break;
	case VM_ERROR:
		result_error(r, m->error, run->codes | GUEST_CODES);
		break;
	case VM_TIMEOUT:
		say_stopped(run, CODE_TIMEOUT);
		break;
	case VM_CPU:
		say_stopped(run, CODE_CPU_LIMIT);
		break;
	case VM_MEMORY:
		say_stopped(run, CODE_MEMORY_LIMIT);
		break;
	case VM_STACK:
		say_stopped(run, CODE_STACK_LIMIT);
		break;
	case VM_STALLED:
		result_fail(r, CODE_SCRIPT_ERROR,
		    "the script waits for a promise that nothing can settle");
		buf_add(&r->hint, STR("no timer and no call is pending: find the promise that "
				      "is awaited and never "
				      "resolved"));
		break;
	case VM_NO_ROOM:
		result_fail(r, CODE_ENGINE_UNAVAILABLE, "%.*s", STR_ARG(m->why));
		break;
	case VM_CANCELLED: /* never the process's to decide */
	case VM_CRASHED:
	case VM_OUTCOMES:
		result_fail(r, CODE_HOST_CRASH,
		    "the engine failed inside its virtual machine; nothing outside was "
		    "touched");
		break;
	}
}

static int
core_on_vm_done(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_done *m = body;
	struct host *h = container_of(p, struct host, peer);
	struct host_run *run = find_run(h, m->run);

	if (!run || run->state == RUN_WAITING || m->outcome >= VM_OUTCOMES)
		return err_set(e, ERR_PROTO, "the end of a run that is not there");
	if (run->stopping)
		say_stopped(run, run->stopping);
	else
		judge_outcome(run, m);
	run->result.wall_ns = m->wall_ns;
	run->result.cpu_ns = m->cpu_ns;
	run->result.heap_peak = m->heap_peak;
	add_output(run, run->result.has_value ? m->value : (struct str){ NULL, 0 },
	    run->result.has_value ? m->value_chars : 0, m->text_chars);
	result_notes(&run->result, m->notes);
	if (m->has_state && run->result.code == CODE_NONE) {
		run->result.has_state = true;
		buf_add(&run->result.state, m->state);
	}
	end_run(run);
	return 0;
}

static int
core_on_probe_reply(struct peer *p, const void *body, struct err *e)
{
	const struct msg_probe_reply *m = body;
	struct host *h = container_of(p, struct host, peer);

	(void)e;
	if (h->watch)
		h->watch->on_probed(h->watch, m->results);
	return 0;
}

/* ---- getting ready ---- */

static void
describe_isolation(struct host *h)
{
	const struct sandbox_report *r = &h->report;
	struct str policy = conf_word(OPT_js_isolation, h->conf->value[OPT_js_isolation]);
	struct str wanted = conf_word(OPT_js_host, h->conf->value[OPT_js_host]);
	uint32_t missing = sandbox_report_missing(r);

	buf_reset(&h->isolation);
	buf_reset(&h->reason);
	buf_add(&h->isolation, STR("vm"));
	if (r->held & r->proved) {
		buf_addc(&h->isolation, ' ');
		sandbox_layers_write(r->held & r->proved, &h->isolation);
	}
	buf_addf(&h->reason,
	    "forge.javascript.host=%.*s, forge.javascript.isolation=%.*s: a closed process, %s",
	    STR_ARG(wanted), STR_ARG(policy), sandbox_mode_name(r->mode));
	if (str_eq(wanted, STR("worker")))
		buf_add(&h->reason, STR(" (there is no worker host here, it runs as process)"));
	if (missing) {
		buf_add(&h->reason, STR("; without "));
		sandbox_layers_write(missing, &h->reason);
	}
}

/* What the policy insists on beyond what is held and proved. */
static void
check_isolation(struct host *h)
{
	static const uint32_t insists[] = { 0, LAYERS_REQUIRED, LAYERS_STRICT };
	uint64_t policy = h->conf->value[OPT_js_isolation];
	uint32_t missing = insists[policy] & ~(h->report.held & h->report.proved);

	if (!missing)
		return;
	h->refused = CODE_ISOLATION_UNAVAILABLE;
	buf_addf(&h->refusal,
	    "forge.javascript.isolation=%.*s wants layers that do not hold here: ",
	    STR_ARG(conf_word(OPT_js_isolation, policy)));
	sandbox_layers_write(missing, &h->refusal);
}

static void
start_run(struct host_run *run)
{
	struct host *h = run->host;
	const struct run_limits *l = &run->limits;
	struct msg_vm_start m = {
		.run = run->number,
		.source = run->source,
		.args = run->args,
		.timeout_ns = l->timeout_ms * NS_PER_MS,
		.cpu_ns = l->cpu_ms * NS_PER_MS,
		.memory_bytes = l->memory_bytes,
		.stack_bytes = l->stack_bytes,
		.max_output_chars = l->max_output_chars,
		.state = run->state_in,
		.has_state = run->has_state,
		.language = run->language,
	};
	struct err e;

	run->state = RUN_RUNNING;
	run->last_call = 0;
	run->started = clock_now();
	loop_timer(h->loop, &run->timer, run->started + m.timeout_ns + HOST_KILL_NS);
	if (peer_send(&h->peer, MSG_vm_start, &m, &e) < 0)
		peer_drop(&h->peer, &e);
}

/* Ready, or known not to become it: every waiting run goes on or ends. */
static void
release_waiting(struct host *h)
{
	struct host_run *next;

	for (struct host_run *run = h->runs; run; run = next) {
		next = run->next;
		if (run->state != RUN_WAITING)
			continue;
		if (!h->refused) {
			start_run(run);
			continue;
		}
		result_fail(&run->result, h->refused, "%s", buf_text(&h->refusal));
		end_run(run);
	}
}

static void
settle(struct host *h)
{
	loop_timer_cancel(&h->timer);
	if (h->watch)
		h->watch->on_ready(h->watch);
	release_waiting(h);
}

static void
dismiss(struct host *h)
{
	h->state = HOST_DYING;
	launched_kill(&h->child);
}

/* Both the launcher's and the process's word are needed; either may come first. */
static void
maybe_ready(struct host *h)
{
	if (h->state != HOST_STARTING || h->child.pidfd < 0 || h->peer.state != ST_READY)
		return;
	h->state = HOST_READY;
	settle(h);
	if (h->distrusted)
		dismiss(h);
}

static void
refuse(struct host *h, enum code code, const char *what, struct str why)
{
	if (h->refused)
		return;
	h->refused = code;
	buf_reset(&h->refusal);
	buf_add(&h->refusal, str_of(what));
	if (why.n)
		buf_add(&h->refusal, STR(": "));
	buf_add(&h->refusal, why);
}

static int
core_on_js_hello(struct peer *p, const void *body, struct err *e)
{
	const struct msg_js_hello *m = body;
	struct host *h = container_of(p, struct host, peer);
	int r = sandbox_report_read(m->report, &h->report, e);

	if (r < 0)
		return r;
	buf_reset(&h->name);
	buf_reset(&h->version);
	buf_reset(&h->sha256);
	buf_add(&h->name, m->engine);
	buf_add(&h->version, m->version);
	buf_add(&h->sha256, m->sha256);
	describe_isolation(h);
	h->facts = (struct engine_facts){
		.name = buf_str(&h->name),
		.version = buf_str(&h->version),
		.sha256 = buf_str(&h->sha256),
		.host = STR("process"),
		.isolation = buf_str(&h->isolation),
		.reason = buf_str(&h->reason),
	};
	check_isolation(h);
	p->state = ST_READY;
	maybe_ready(h);
	return 0;
}

/* Its last word: it could not become ready. */
static int
core_on_js_failed(struct peer *p, const void *body, struct err *e)
{
	const struct msg_js_failed *m = body;
	struct host *h = container_of(p, struct host, peer);

	(void)e;
	refuse(h, CODE_ENGINE_UNAVAILABLE, "the JavaScript process did not start", m->why);
	return 0;
}

static const struct peer_fn_table on_js = { {
    [MSG_js_failed] = core_on_js_failed,
    [MSG_js_hello] = core_on_js_hello,
    [MSG_vm_text] = core_on_vm_text,
    [MSG_vm_call] = core_on_vm_call,
    [MSG_vm_progress] = core_on_vm_progress,
    [MSG_vm_done] = core_on_vm_done,
    [MSG_probe_reply] = core_on_probe_reply,
} };

/* ---- the process's life ---- */

/* It is gone: what it held is gone with it. */
static void
gone(struct host *h, struct str how)
{
	bool was_ready = h->state == HOST_READY || h->state == HOST_DYING;
	struct host_run *next;

	peer_done(&h->peer);
	h->state = HOST_NONE;
	for (struct host_run *run = h->runs; run; run = next) {
		next = run->next;
		if (run->state == RUN_WAITING)
			continue;
		if (run->stopping) {
			say_stopped(run, run->stopping);
		} else {
			result_fail(&run->result, CODE_HOST_CRASH,
			    "crisol-js, the process that ran the script, %.*s", STR_ARG(how));
			run->result.lost = true;
		}
		add_output(run, (struct str){ NULL, 0 }, 0, 0);
		end_run(run);
	}
	if (!was_ready) {
		refuse(h, CODE_ENGINE_UNAVAILABLE, "the JavaScript process did not start", how);
		settle(h);
		return;
	}
	if (h->watch)
		h->watch->on_ready(h->watch);
	if (h->runs)
		host_start(h); /* for runs that came while it was dying */
}

static void
on_spawned(struct launched *child, struct str report)
{
	struct host *h = container_of(child, struct host, child);

	(void)report; /* the process's own report carries it on */
	maybe_ready(h);
}

static void
on_failed(struct launched *child, struct str why)
{
	gone(container_of(child, struct host, child), why);
}

static void
on_exited(struct launched *child, int signal, int status)
{
	char how[80];
	int n = signal ? snprintf(how, sizeof(how), "was ended by signal %d (%s)", signal,
			     sigdescr_np(signal))
		       : snprintf(how, sizeof(how), "ended by itself with status %d", status);

	gone(container_of(child, struct host, child), (struct str){ how, (size_t)n });
}

static const struct launched_events child_events = { on_spawned, on_failed, on_exited };

/* The channel broke: the process is of no use any more, its end is awaited. */
static void
on_peer_closed(struct peer *p, const struct err *why)
{
	struct host *h = container_of(p, struct host, peer);

	(void)why;
	if (h->state == HOST_READY)
		h->state = HOST_DYING;
	launched_kill(&h->child);
}

/* It is not ready in time; or it is known already that nothing may run, and who waits hears of it. */
static void
on_timer(struct timer *t)
{
	struct host *h = container_of(t, struct host, timer);

	if (h->state != HOST_STARTING) {
		settle(h);
		return;
	}
	refuse(h, CODE_ENGINE_UNAVAILABLE,
	    "the JavaScript process was not ready after 10 seconds", (struct str){ NULL, 0 });
	if (h->child.pidfd >= 0) {
		launched_kill(&h->child);
	} else { /* the launcher itself does not answer */
		launched_forget(&h->child);
		gone(h, STR("the launcher did not answer"));
	}
}

void
host_start(struct host *h)
{
	struct err e;
	int r;

	if ((h->state == HOST_READY && h->refused) ||
	    (h->state == HOST_NONE && h->distrusted)) {
		loop_timer(h->loop, &h->timer, 0);
		return;
	}
	if (h->state != HOST_NONE)
		return;
	h->refused = CODE_NONE;
	buf_reset(&h->refusal);
	h->state = HOST_STARTING;
	h->starts++;
	r = launcher_spawn(h->launcher, &h->child, PROFILE_js, (struct str){ NULL, 0 },
	    &h->peer, ROLE_JS, &on_js, on_peer_closed, &e);
	if (r >= 0) {
		loop_timer(h->loop, &h->timer, clock_now() + HOST_START_NS);
		return;
	}
	peer_done(&h->peer);
	h->state = HOST_NONE;
	refuse(h, CODE_ENGINE_UNAVAILABLE, "the JavaScript process did not start",
	    str_of(e.text));
	loop_timer(h->loop, &h->timer, 0); /* no run ends from inside host_run */
}

void
host_distrust(struct host *h, const char *why)
{
	h->distrusted = true;
	h->refused = CODE_NONE;
	refuse(h, CODE_ENGINE_UNAVAILABLE, why, (struct str){ NULL, 0 });
	if (h->state == HOST_READY)
		dismiss(h);
}

/* ---- runs ---- */

static void
on_run_timer(struct timer *t)
{
	struct host_run *run = container_of(t, struct host_run, timer);
	struct host *h = run->host;

	if (run->state == RUN_STOPPING && !run->nudged) {
		run->nudged = true;
		launched_signal(&h->child, SIGUSR1, run->number);
		loop_timer(h->loop, &run->timer, clock_now() + HOST_KILL_NS - HOST_NUDGE_NS);
		return;
	}
	if (!run->stopping)
		run->stopping = CODE_TIMEOUT;
	dismiss(h);
}

void
host_run(struct host *h, struct host_run *run)
{
	run->host = h;
	run->state = RUN_WAITING;
	run->number = h->next_number++;
	run->timer.on_due = on_run_timer;
	run->text = buf_max(TEXT_MAX);
	run->next = h->runs;
	h->runs = run;
	if (h->state == HOST_READY && !h->refused)
		start_run(run);
	else
		host_start(h);
}

void
host_answer(struct host_run *run, uint64_t number, bool ok, struct str text)
{
	struct msg_vm_answer m = {
		.run = run->number,
		.number = number,
		.ok = ok,
		.text = text,
	};
	struct err e;

	if (run->state == RUN_RUNNING && peer_send(&run->host->peer, MSG_vm_answer, &m, &e) < 0)
		peer_drop(&run->host->peer, &e);
}

void
host_cancel(struct host_run *run)
{
	struct msg_vm_cancel m = { .run = run->number };
	struct host *h = run->host;
	struct err e;

	if (run->state == RUN_WAITING) {
		say_stopped(run, CODE_CANCELLED);
		end_run(run);
		return;
	}
	if (run->state != RUN_RUNNING)
		return;
	run->state = RUN_STOPPING;
	run->stopping = CODE_CANCELLED;
	loop_timer(h->loop, &run->timer, clock_now() + HOST_NUDGE_NS);
	if (peer_send(&h->peer, MSG_vm_cancel, &m, &e) < 0)
		peer_drop(&h->peer, &e);
}

int
host_probe(struct host *h, struct err *e)
{
	struct msg_probe_ask m = { 0 };

	if (h->state != HOST_READY)
		return err_set(e, ERR_INVALID, "the JavaScript process is not there");
	return peer_send(&h->peer, MSG_probe_ask, &m, e);
}

void
host_init(struct host *h, struct loop *loop, struct launcher *launcher, const struct conf *conf)
{
	*h = (struct host){
		.loop = loop,
		.launcher = launcher,
		.conf = conf,
		.child = { .events = &child_events, .pidfd = -1 },
		.timer = { .on_due = on_timer },
		.next_number = 1,
		.name = buf_max(FACT_MAX),
		.version = buf_max(FACT_MAX),
		.sha256 = buf_max(FACT_MAX),
		.isolation = buf_max(FACT_MAX),
		.reason = buf_max(KiB(2)),
		.refusal = buf_max(KiB(2)),
	};
}

void
host_stop(struct host *h)
{
	loop_timer_cancel(&h->timer);
	launched_forget(&h->child);
	peer_done(&h->peer);
	while (h->runs) {
		say_stopped(h->runs, CODE_CANCELLED);
		end_run(h->runs);
	}
}

void
host_done(struct host *h)
{
	host_stop(h);
	buf_done(&h->name);
	buf_done(&h->version);
	buf_done(&h->sha256);
	buf_done(&h->isolation);
	buf_done(&h->reason);
	buf_done(&h->refusal);
}
