/* SPDX-License-Identifier: MIT */
/*
 * crisol-js: the JavaScript host of one session. It holds the VMs and reaches nothing but its
 * channel. main() below is the list of what it gives up, then the loop.
 */
#include "base/utf8.h"
#include "ipc/peer.h"
#include "js/source.h"
#include "js/vm.h"
#include "sandbox/enter.h"
#include "sandbox/probe.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHANNEL    3
#define RUNS_MAX   1100
#define TEXT_FLUSH KiB(16)
#define REST_TURNS 128 /* milliseconds over which VMs that wait come to rest */
#define DATA_MAX   GiB(16)

struct run {
	struct vm vm;
	struct timer timer;
	struct js *js;
	struct run *next;
	uint64_t number;
	struct buf text, progress;      /* not yet sent */
	struct vm *compiler;            /* of TypeScript, while the script's VM waits for it */
	bool wants_code;                /* it shall be started */
	uint64_t text_left, text_chars; /* code points that may still be sent; all there were */
};

struct js {
	struct loop loop;
	struct engine engine;
	struct peer core;
	struct run *runs;
	size_t runs_n;
};

static struct run *
find_run(struct js *js, uint64_t number)
{
	struct run *run = js->runs;

	while (run && run->number != number)
		run = run->next;
	return run;
}

/*
 * Nothing can be done about a broker that does not take what we say: peer_drop ends the loop.
 */
static void
say(struct js *js, enum msg_type type, const void *body)
{
	struct err e;

	if (peer_send(&js->core, type, body, &e) < 0)
		peer_drop(&js->core, &e);
}

static void
flush_text(struct run *run)
{
	struct msg_vm_text m = { .run = run->number, .text = buf_str(&run->text) };

	if (!run->text.n)
		return;
	say(run->js, MSG_vm_text, &m);
	buf_reset(&run->text);
}

/* Keeps what the output limit lets through and counts the rest. */
static void
on_text(struct vm *vm, struct str piece)
{
	struct run *run = container_of(vm, struct run, vm);
	auto_done(buf) struct buf clean = buf_max(TEXT_LINE_MAX);
	struct str head;
	size_t points;

	utf8_scrub(piece, &clean);
	points = utf8_count(buf_str(&clean));
	run->text_chars += points;
	head = utf8_head(buf_str(&clean), run->text_left);
	run->text_left -= MIN(points, run->text_left);
	buf_add(&run->text, head);
	if (run->text.n >= TEXT_FLUSH)
		flush_text(run);
}

static void
on_call(struct vm *vm, uint64_t number, struct str name, struct str input)
{
	struct run *run = container_of(vm, struct run, vm);
	struct msg_vm_call m = {
		.run = run->number,
		.number = number,
		.name = name,
		.input = input,
	};

	say(run->js, MSG_vm_call, &m);
}

/* The last one of a slice is enough. */
static void
on_progress(struct vm *vm, struct str json)
{
	struct run *run = container_of(vm, struct run, vm);

	buf_reset(&run->progress);
	buf_add(&run->progress, json);
}

static void
flush_progress(struct run *run)
{
	struct msg_vm_progress m = { .run = run->number, .json = buf_str(&run->progress) };

	if (!run->progress.n)
		return;
	say(run->js, MSG_vm_progress, &m);
	buf_reset(&run->progress);
}

static void
on_strip(struct vm *vm)
{
	container_of(vm, struct run, vm)->wants_code = true;
}

static const struct vm_events vm_events = { on_text, on_call, on_progress, on_strip };
static const struct vm_events no_events; /* the compiler can call for nothing */

static void
end_compiler(struct run *run)
{
	if (run->compiler)
		vm_done(run->compiler);
	free(run->compiler);
	run->compiler = NULL;
}

static void
end_run(struct run *run)
{
	struct js *js = run->js;
	struct vm *vm = &run->vm;
	struct run **at = &js->runs;
	struct msg_vm_done m = {
		.run = run->number,
		.outcome = vm->outcome,
		.value = buf_str(&vm->value),
		.error = buf_str(&vm->error),
		.notes = buf_str(&vm->notes),
		.has_value = vm->has_value,
		.value_chars = vm->value_chars,
		.text_chars = run->text_chars,
		.wall_ns = clock_now() - vm->started,
		.cpu_ns = vm->cpu_ns,
		.heap_peak = vm->heap_peak,
		.state = buf_str(&vm->state_out),
		.has_state = vm->has_state_out,
	};

	flush_text(run);
	flush_progress(run);
	say(js, MSG_vm_done, &m);
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	js->runs_n--;
	loop_timer_cancel(&run->timer);
	end_compiler(run);
	vm_done(vm);
	buf_done(&run->text);
	buf_done(&run->progress);
	free(run);
}

static void
on_timer(struct timer *t)
{
	struct run *run = container_of(t, struct run, timer);

	uint64_t now = clock_now();

	if (now >= run->vm.deadline) {
		vm_stop(&run->vm, VM_TIMEOUT);
		end_run(run);
	} else if (now >= run->vm.wake) {
		vm_tick(&run->vm);
	} else {
		vm_rest(&run->vm);
		loop_timer(&run->js->loop, t, MIN(run->vm.wake, run->vm.deadline));
	}
}

/* For its wake or its deadline; not all of them come to rest in the same turn. */
static void
wait_on(struct run *run)
{
	uint64_t rest = clock_now() + VM_REST_NS + run->number % REST_TURNS * NS_PER_MS;

	loop_timer(&run->js->loop, &run->timer, MIN(MIN(run->vm.wake, run->vm.deadline), rest));
}

/* Its own limits, but never more processor time than the run has left. */
static void
start_compiler(struct run *run)
{
	const struct vm *vm = &run->vm;
	uint64_t left = vm->cpu_limit - MIN(vm->cpu_ns, vm->cpu_limit);
	struct vm_job job = {
		.run = vm->trap.run,
		.source = buf_str(&vm->source),
		.strip = true,
		.careful = vm->careful,
		.timeout_ns = vm->deadline - MIN(clock_now(), vm->deadline - 1),
		.cpu_ns = vm->cpu_limit ? MAX(MIN(left, STRIP_CPU_NS), 1) : STRIP_CPU_NS,
		.memory_bytes = STRIP_MEMORY_BYTES,
		.stack_bytes = STRIP_STACK_BYTES,
	};
	struct err e;

	run->wants_code = false;
	run->compiler = xcalloc(1, sizeof(*run->compiler));
	if (vm_init(run->compiler, &run->js->engine, &job, &no_events, &e) < 0) {
		free(run->compiler);
		run->compiler = NULL;
		vm_not_stripped(&run->vm, "there is no room to read the source as TypeScript");
	}
}

static void
slice_compiler(struct run *run)
{
	vm_slice(run->compiler);
	if (run->compiler->state != VM_DONE)
		return;
	/* A deadline is the script's, whose timer says so. */
	if (run->compiler->outcome != VM_TIMEOUT) {
		vm_stripped(&run->vm, run->compiler);
		loop_timer_cancel(&run->timer);
	}
	end_compiler(run);
}

static void
slice(struct run *run)
{
	vm_slice(&run->vm);
	if (run->vm.state == VM_DONE) {
		end_run(run);
		return;
	}
	flush_text(run);
	flush_progress(run);
	if (run->vm.state == VM_WAITING)
		wait_on(run);
	if (run->wants_code)
		start_compiler(run);
}

static bool
is_busy(const struct run *run)
{
	return run->vm.state == VM_READY || run->compiler;
}

/* ---- what the broker says ---- */

static const char not_a_script[] = "{\"name\":\"SyntaxError\",\"message\":\"this is a shell "
				   "command, not JavaScript\",\"line\":1,"
				   "\"column\":1,\"stack\":\"\",\"hint\":\"write a JavaScript "
				   "script; a command is run with a tool that "
				   "runs processes, not with js_run\"}";
static const char nothing_there[] = "{\"name\":\"SyntaxError\",\"message\":\"the source is "
				    "empty\",\"line\":1,\"column\":1,\"stack\":\"\","
				    "\"hint\":\"give a script, for example: return 6 * 7\"}";

static void
refuse(struct js *js, uint64_t number, enum vm_outcome outcome, const char *why,
    const char *error)
{
	struct msg_vm_done m = {
		.run = number,
		.outcome = outcome,
		.why = str_of(why),
		.error = str_of(error),
	};

	say(js, MSG_vm_done, &m);
}

static int
js_on_vm_start(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_start *m = body;
	struct js *js = container_of(p, struct js, core);
	auto_done(buf) struct buf source = buf_max(SOURCE_MAX);
	struct vm_job job = {
		.run = m->run,
		.args = m->args,
		.state = m->state,
		.has_state = m->has_state != 0,
		.language = m->language < LANGUAGES ? (enum language)m->language : LANGUAGE_JS,
		.timeout_ns = m->timeout_ns,
		.cpu_ns = m->cpu_ns,
		.memory_bytes = (uint32_t)m->memory_bytes,
		.stack_bytes = (uint32_t)m->stack_bytes,
	};
	enum source_kind kind;
	struct err refused;
	struct run *run;

	if (js->runs_n >= RUNS_MAX || find_run(js, m->run))
		return err_set(e, ERR_PROTO, "run %llu cannot start here",
		    (unsigned long long)m->run);
	kind = source_prepare(m->source, &source);
	if (kind != SOURCE_SCRIPT) {
		refuse(js, m->run, VM_ERROR, "",
		    kind == SOURCE_SHELL ? not_a_script : nothing_there);
		return 0;
	}
	job.source = buf_str(&source);
	if (job.language == LANGUAGE_AUTO)
		job.language = source_language(m->source);
	run = xcalloc(1, sizeof(*run));
	if (vm_init(&run->vm, &js->engine, &job, &vm_events, &refused) < 0) {
		free(run);
		refuse(js, m->run, VM_NO_ROOM, refused.text, "");
		return 0;
	}
	run->js = js;
	run->number = m->run;
	run->text = buf_max(TEXT_LINE_MAX);
	run->progress = buf_max(PROGRESS_MAX);
	run->text_left = m->max_output_chars;
	run->timer.on_due = on_timer;
	run->next = js->runs;
	js->runs = run;
	js->runs_n++;
	return 0;
}

static int
js_on_vm_answer(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_answer *m = body;
	struct run *run = find_run(container_of(p, struct js, core), m->run);

	(void)e;
	if (run) { /* else it has ended meanwhile */
		vm_answer(&run->vm, m->number, m->ok != 0, m->text);
		if (run->vm.state == VM_READY)
			loop_timer_cancel(&run->timer);
	}
	return 0;
}

static int
js_on_vm_cancel(struct peer *p, const void *body, struct err *e)
{
	const struct msg_vm_cancel *m = body;
	struct js *js = container_of(p, struct js, core);
	struct run *run = find_run(js, m->run);

	(void)e;
	if (run) { /* else it has just ended by itself */
		vm_stop(&run->vm, VM_CANCELLED);
		end_run(run);
	}
	return 0;
}

static int
js_on_probe_ask(struct peer *p, const void *body, struct err *e)
{
	struct js *js = container_of(p, struct js, core);
	auto_done(buf) struct buf results = buf_max(KiB(32));
	struct msg_probe_reply m;
	size_t n;
	const struct sandbox_attempt *attempts = sandbox_probe_list(&n);

	(void)body;
	(void)e;
	for (size_t i = 0; i < n; i++) {
		struct sandbox_result result = sandbox_probe(&attempts[i]);
		const char *name = result.sys ? strerrorname_np(result.sys) : "succeeded";

		buf_addf(&results, "%s\t%s\t%s (%s)\n", attempts[i].name,
		    result.reached ? "reached" : "blocked", attempts[i].text,
		    name ? name : "unknown errno");
	}
	m.results = buf_str(&results);
	say(js, MSG_probe_reply, &m);
	return 0;
}

static void
on_core_closed(struct peer *p, const struct err *why)
{
	struct js *js = container_of(p, struct js, core);

	(void)why;
	loop_stop(&js->loop);
}

static const struct peer_fn_table on_core = { {
    [MSG_vm_start] = js_on_vm_start,
    [MSG_vm_answer] = js_on_vm_answer,
    [MSG_vm_cancel] = js_on_vm_cancel,
    [MSG_probe_ask] = js_on_probe_ask,
} };

/* ---- life ---- */

/* Every VM that wants the processor gets a slice, then the channel is looked at. */
static int
serve(struct js *js, struct err *e)
{
	int r = 0;

	while (!js->loop.stopping && r >= 0) {
		bool busy = false;
		struct run *next;

		for (struct run *run = js->runs; run; run = run->next)
			busy = busy || is_busy(run);
		r = loop_turn(&js->loop, busy ? 0 : UINT64_MAX, e);
		/* What all of them say in a turn goes out in one write. */
		peer_hold(&js->core);
		for (struct run *run = js->runs; run; run = next) {
			next = run->next;
			if (run->compiler)
				slice_compiler(run);
			if (run->vm.state == VM_READY)
				slice(run);
		}
		if (r >= 0)
			r = peer_release(&js->core, e);
	}
	return r;
}

static void
greet(struct js *js, const struct sandbox_report *report)
{
	auto_done(buf) struct buf text = buf_max(REPORT_MAX);
	struct msg_js_hello m = {
		.engine = str_of(engine_name),
		.version = str_of(engine_version),
		.sha256 = str_of(engine_sha256),
	};

	sandbox_report_write(report, &text);
	m.report = buf_str(&text);
	say(js, MSG_js_hello, &m);
	js->core.state = ST_READY;
}

/* Everything it needs for life is made here; then it closes itself. */
static int
become_ready(struct js *js, struct sandbox_report *ret_report, struct err *e)
{
	/* Private memory of all VMs together: the images, what they grew, their stacks. */
	static const struct rlimit_row limits[] = { { RLIMIT_DATA, DATA_MAX } };
	static const struct sandbox_enter_opts opts = { .limits = limits,
		.limit_count = COUNT(limits) };
	int r = trap_setup(e);

	if (r >= 0)
		r = engine_open(&js->engine, e);
	if (r >= 0)
		r = sandbox_enter(&sandbox_profiles[PROFILE_js], &opts, ret_report, e);
	return r;
}

static int
run_host(struct js *js, struct err *e)
{
	struct sandbox_report report;
	int r = loop_init(&js->loop, e);

	if (r >= 0)
		r = peer_init(&js->core, &js->loop, CHANNEL, ROLE_JS, ROLE_CORE, &on_core,
		    on_core_closed, e);
	if (r < 0)
		return r;
	js->core.pieces = true; /* it may not make memory files */
	r = become_ready(js, &report, e);
	if (r < 0) {
		struct msg_js_failed m = { .why = str_of(e->text) };

		say(js, MSG_js_failed, &m);
		return r;
	}
	greet(js, &report);
	return serve(js, e);
}

int
main(void)
{
	static struct js js;
	struct err e;

	_exit(run_host(&js, &e) < 0 ? 1 : 0);
}
