/* SPDX-License-Identifier: MIT */
#include "forge/run.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/sha.h"
#include "forge/cut.h"
#include "loop/child.h"

#include <stdio.h>

#define PROGRESS_STEP_NS (100 * NS_PER_MS) /* at most ten reports a second */

/* ---- the session ---- */

void
session_init(struct session *s, struct loop *loop, struct launcher *launcher,
    const struct conf *conf, const char *host_sha256)
{
	*s = (struct session){
		.loop = loop,
		.conf = conf,
		.host_sha256 = host_sha256,
		.scratch.fd = -1,
	};
	host_init(&s->host, loop, launcher, conf);
}

void
session_done(struct session *s)
{
	host_stop(&s->host);
	desk_done(&s->desk); /* runs whose calls end only now tell of the host */
	host_done(&s->host);
	scratch_done(&s->scratch);
}

/*
 * The engine's module is inside crisol-js, so its hash speaks for it. Done while the process
 * starts: nothing is run before it is answered. False when it could not be read this time.
 */
static bool
check_host(struct session *s)
{
	char hex[SHA_HEX_SIZE];
	char why[ERR_TEXT_MAX + 64];
	auto_fd int fd = -1;
	struct err e;
	int r = child_open("crisol-js", &fd, &e);

	if (r >= 0)
		r = sha_file(fd, hex, &e);
	if (r >= 0 && strcmp(hex, s->host_sha256) == 0)
		return true;
	if (r < 0)
		snprintf(why, sizeof(why), "crisol-js could not be verified: %s", e.text);
	else
		snprintf(why, sizeof(why),
		    "crisol-js is not the one this crisol was built with: sha256 %.16s..., not "
		    "%.16s...",
		    hex, s->host_sha256);
	host_distrust(&s->host, why);
	return r >= 0;
}

void
session_need_host(struct session *s)
{
	if (!s->checked)
		s->host.distrusted = false;
	host_start(&s->host);
	if (!s->checked)
		s->checked = check_host(s);
}

void
session_cancel(struct session *s)
{
	struct run *next;

	for (struct run *r = s->runs; r; r = next) {
		next = r->next;
		run_cancel(r);
	}
}

static void
cancel_one(const char *id, void *session)
{
	struct session *s = session;
	struct run *r = s->runs;

	while (r && strcmp(r->id, id) != 0)
		r = r->next;
	if (r)
		run_cancel(r);
}

void
session_cancel_asked(struct session *s)
{
	if (s->desk.journal.store)
		store_asked(s->desk.journal.store, cancel_one, s);
}

static void
report_progress(struct run *r)
{
	loop_timer_cancel(&r->timer); /* it may be due in this very moment */
	r->progress_at = clock_now();
	r->events->on_event(r, buf_str(&r->progress));
	buf_reset(&r->progress);
}

/* ---- state ---- */

static bool
has_state(const struct session *s)
{
	return s->desk.journal.store && s->conf->value[OPT_state_enabled];
}

static void
load_state(struct run *r)
{
	struct session *s = r->session;
	struct err e;

	if (!has_state(s) || store_state_get(s->desk.journal.store, s->desk.journal.session,
				 &r->state, &r->state_version, &e) < 0)
		return;
	if (!r->state.n)
		buf_add(&r->state, STR("{}"));
	r->vm.state_in = buf_str(&r->state);
	r->vm.has_state = true;
}

/* The host that sent it may be anybody's by then, and the next run begins with it. */
static bool
is_object(struct str state)
{
	auto_done(buf) struct buf same = buf_max(STATE_MAX);

	return state.n && state.p[0] == '{' && cut_json(state, STATE_MAX, &same) == CUT_WHOLE;
}

/* A run that went well leaves its state, or says why not: then the old one stays. */
static void
keep_state(struct run *r)
{
	struct session *s = r->session;
	struct run_result *result = &r->vm.result;
	uint64_t most = s->conf->value[OPT_state_bytes];
	struct err e;
	int kept;

	if (!result->has_state || str_eq(buf_str(&result->state), buf_str(&r->state)))
		return;
	/* Nothing at all is what more than STATE_MAX comes as. */
	if (!result->state.n || result->state.n > most) {
		result_fail(result, CODE_STATE_LIMIT,
		    "the state is %s%zu bytes as JSON, at most %llu are kept; it is as it was "
		    "before",
		    result->state.n ? "" : "over ",
		    result->state.n ? result->state.n : STATE_MAX, (unsigned long long)most);
		return;
	}
	if (!is_object(buf_str(&result->state))) {
		result_fail(result, CODE_HOST_CRASH,
		    "the state that came is no JSON object; it is as it was before");
		return;
	}
	kept = store_state_set(s->desk.journal.store, s->desk.journal.session,
	    buf_str(&result->state), r->state_version, &e);
	if (kept < 0 && e.code == ERR_CLOSED) {
		result_fail(result, CODE_SCRIPT_ERROR,
		    "another run changed the session's state meanwhile; it is as that one left "
		    "it");
		buf_add(&result->hint,
		    STR("run it again, and no two runs of one session at once"));
	} else if (kept < 0)
		result_fail(result, CODE_INTERNAL, "the state could not be kept: %s", e.text);
}

/* ---- the journal ---- */

static void
note_begin(struct run *r)
{
	struct journal *j = &r->session->desk.journal;
	auto_done(buf) struct buf limits = buf_max(KiB(1));
	struct store_run row = {
		.id = r->id,
		.session = j->session,
		.source = buf_str(&r->source),
		.args = buf_str(&r->args),
		.at = clock_wall() / NS_PER_MS,
	};

	if (!j->store)
		return;
	result_limits(&r->vm.limits, &limits);
	row.limits = buf_str(&limits);
	store_run_begin(j->store, &row);
}

static void
note_end(struct run *r)
{
	struct journal *j = &r->session->desk.journal;
	const struct run_result *result = &r->vm.result;
	auto_done(buf) struct buf envelope = buf_max(ENVELOPE_MAX), usage = buf_max(KiB(1));
	struct store_run_end row = {
		.id = r->id,
		.status = str_of(result_status(result)),
		.code = str_of(code_specs[result->code].name),
		.message = buf_str(&result->message),
		.verdict = str_of(calls_verdict(&r->calls)),
		.whole = buf_str(&result->whole),
		.at = clock_wall() / NS_PER_MS,
	};

	if (!j->store)
		return;
	run_envelope(r, &envelope);
	row.envelope = buf_str(&envelope);
	result_usage(result, r->calls.count, NULL, &usage);
	row.usage = buf_str(&usage);
	store_run_end(j->store, &row);
}

/* Who asked for the run hears what of it is not in the journal. */
static void
note_trouble(struct run *r)
{
	const char *note = journal_note(&r->session->desk.journal);

	if (note)
		result_note(&r->vm.result, str_of(note));
}

/* ---- the end ---- */

static void
end_run(struct run *r)
{
	struct session *s = r->session;
	struct run **at = &s->runs;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	s->runs_n--;
	loop_timer_cancel(&r->timer);
	if (r->progress.n)
		report_progress(r);
	keep_state(r);
	note_end(r);
	note_trouble(r);
	r->events->on_ended(r);
}

static void
on_calls_idle(struct calls *c)
{
	struct run *r = container_of(c, struct run, calls);

	if (r->vm_ended)
		end_run(r);
}

static void
on_vm_ended(struct host_run *vm)
{
	struct run *r = container_of(vm, struct run, vm);

	r->vm_ended = true;
	if (calls_cancel(&r->calls))
		end_run(r);
}

/* ---- what the script does ---- */

static void
on_vm_text(struct host_run *vm, struct str text)
{
	struct run *r = container_of(vm, struct run, vm);

	r->events->on_text(r, text);
}

static void
on_vm_call(struct host_run *vm, uint64_t number, struct str name, struct str input)
{
	calls_add(&container_of(vm, struct run, vm)->calls, number, name, input);
}

static void
on_calls_event(struct calls *c, struct str json)
{
	struct run *r = container_of(c, struct run, calls);

	r->events->on_event(r, json);
}

static void
on_progress_timer(struct timer *t)
{
	report_progress(container_of(t, struct run, timer));
}

/* The latest is kept until a report is due. What it says is the guest's: checked, not trusted. */
static void
on_vm_progress(struct host_run *vm, struct str json)
{
	struct run *r = container_of(vm, struct run, vm);
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root;
	uint64_t due = r->progress_at + PROGRESS_STEP_NS;
	struct err e;

	if (!r->watched)
		return;
	if (json_parse(json, PROGRESS_MAX, &doc, &e) < 0 || !json_is_object(json_root(doc)))
		return;
	root = json_root(doc);
	buf_reset(&r->progress);
	json_open(&r->progress, NULL, '{');
	json_put_str(&r->progress, "event", STR("progress"));
	if (json_is_number(json_at(root, "completed")) &&
	    json_is_number(json_at(root, "total"))) {
		json_put_value(&r->progress, "completed", json_at(root, "completed"));
		json_put_value(&r->progress, "total", json_at(root, "total"));
	}
	if (json_is_string(json_at(root, "note")))
		json_put_str(&r->progress, "note", json_str(json_at(root, "note")));
	json_close(&r->progress, '}');
	if (clock_now() >= due)
		report_progress(r);
	else if (!r->timer.loop)
		loop_timer(r->session->loop, &r->timer, due);
}

static const struct host_run_events vm_events = {
	.on_text = on_vm_text,
	.on_call = on_vm_call,
	.on_progress = on_vm_progress,
	.on_ended = on_vm_ended,
};
static const struct calls_events calls_events = { NULL, on_calls_idle };
static const struct calls_events watched_events = { on_calls_event, on_calls_idle };

/* ---- the beginning ---- */

/* 0 takes the configuration's value; a flag may go up to the most there is. */
static bool
take_limit(const struct conf *conf, enum option o, uint64_t wanted, uint64_t *ret_value)
{
	*ret_value = wanted ? wanted : conf->value[o];
	return *ret_value >= option_specs[o].least && *ret_value <= option_specs[o].most;
}

static int
take_limits(const struct conf *conf, const struct run_limits *m, struct run_limits *ret_limits,
    struct err *e)
{
	const struct {
		enum option option;
		uint64_t wanted;
		uint64_t *ret_value;
	} rows[] = {
		{ OPT_js_timeout_ms, m->timeout_ms, &ret_limits->timeout_ms },
		{ OPT_js_cpu_ms, m->cpu_ms, &ret_limits->cpu_ms },
		{ OPT_js_memory_bytes, m->memory_bytes, &ret_limits->memory_bytes },
		{ OPT_js_stack_bytes, m->stack_bytes, &ret_limits->stack_bytes },
		{ OPT_js_tool_calls, m->max_tool_calls, &ret_limits->max_tool_calls },
		{ OPT_js_concurrency, m->max_concurrency, &ret_limits->max_concurrency },
		{ OPT_js_output_chars, m->max_output_chars, &ret_limits->max_output_chars },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct option_spec *spec = &option_specs[rows[i].option];

		if (!take_limit(conf, rows[i].option, rows[i].wanted, rows[i].ret_value))
			return err_set(e, ERR_INVALID, "%s takes %llu to %llu, not %llu",
			    spec->key, (unsigned long long)spec->least,
			    (unsigned long long)spec->most, (unsigned long long)rows[i].wanted);
	}
	return 0;
}

static int
take_source(const struct session *s, const struct run_request *m, struct buf *ret_source,
    struct err *e)
{
	int r;

	if (!m->code_path.n) {
		buf_add(ret_source, m->source);
		return 0;
	}
	if (m->source.n)
		return err_set(e, ERR_INVALID, "code or codePath was expected, not both");
	if (!s->scratch.path.n)
		return err_set(e, ERR_INVALID,
		    "codePath: there is no scratchpad here; a session with a name (--session) "
		    "has one");
	r = scratch_read(&s->scratch, m->code_path, ret_source, e);
	if (r < 0 && e->code != ERR_LIMIT)
		e->code = ERR_INVALID;
	return r;
}

/* The script's args: the JSON given, with stdin's text as its member `stdin`. */
static int
take_args(const struct run_request *m, struct buf *ret_args, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	struct str given = str_trim(m->args);
	int r;

	if (given.n == 0)
		given = STR("{}");
	r = json_parse(given, ARGS_MAX, &doc, e);
	if (r < 0)
		return err_wrap(e, r, "args");
	if (!m->has_input) {
		buf_add(ret_args, given);
		return 0;
	}
	if (!json_is_object(json_root(doc)))
		return err_set(e, ERR_INVALID,
		    "args: a JSON object is expected when there is standard input, not %s",
		    json_kind(json_root(doc)));
	if (json_at(json_root(doc), "stdin"))
		return err_set(e, ERR_INVALID,
		    "args: 'stdin' is standard input's place, and there is some");
	given.n--; /* the closing brace */
	buf_add(ret_args, given);
	if (json_size(json_root(doc)))
		buf_addc(ret_args, ',');
	buf_add(ret_args, STR("\"stdin\":"));
	json_quote(ret_args, m->input);
	buf_addc(ret_args, '}');
	if (!buf_ok(ret_args))
		return err_set(e, ERR_LIMIT,
		    "standard input and args together are larger than %zu bytes",
		    ret_args->max);
	return 0;
}

int
run_start(struct run *r, struct session *s, const struct run_request *request,
    const struct run_events *events, struct err *e)
{
	int result;

	if (!s->conf->value[OPT_js_enabled])
		return err_set(e, ERR_DENIED,
		    "scripts are switched off: forge.javascript.enabled is false in your "
		    "configuration (crisol config path names the file)");
	if (s->runs_n >= SESSION_RUNS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d runs at once in one session",
		    SESSION_RUNS_MAX);
	*r = (struct run){
		.events = events,
		.session = s,
		.source = buf_max(SOURCE_MAX),
		.args = buf_max(ARGS_MAX + STDIN_MAX),
		.state = buf_max(STATE_MAX),
		.progress = buf_max(PROGRESS_MAX + KiB(1)),
		.timer.on_due = on_progress_timer,
	};
	result = take_limits(s->conf, &request->limits, &r->vm.limits, e);
	if (result >= 0 && request->language >= LANGUAGES)
		result = err_set(e, ERR_INVALID, "language takes ts, js or auto");
	if (result >= 0)
		result = take_source(s, request, &r->source, e);
	if (result >= 0)
		result = take_args(request, &r->args, e);
	if (result < 0) {
		buf_done(&r->source);
		buf_done(&r->args);
		return result;
	}
	r->vm.language = request->language;
	if (r->vm.language == LANGUAGE_AUTO)
		r->vm.language = language_of_path(request->code_path);
	r->vm.source = buf_str(&r->source);
	r->vm.args = buf_str(&r->args);
	r->vm.events = &vm_events;
	r->watched = request->watched;
	result_init(&r->vm.result);
	id_new(r->id);
	calls_init(&r->calls, r->watched ? &watched_events : &calls_events, &s->desk, &r->vm,
	    r->id);
	r->next = s->runs;
	s->runs = r;
	s->runs_n++;
	note_begin(r);
	load_state(r);
	session_need_host(s);
	host_run(&s->host, &r->vm);
	return 0;
}

void
run_cancel(struct run *r)
{
	calls_cancel(&r->calls);
	if (!r->vm_ended)
		host_cancel(&r->vm);
}

void
run_envelope(const struct run *r, struct buf *ret_json)
{
	auto_done(buf) struct buf calls = buf_max(KiB(512));

	calls_write(&r->calls, &calls);
	result_envelope(&r->vm.result, r->id, &r->session->host.facts, &r->vm.limits,
	    r->calls.count, buf_str(&calls), ret_json);
}

void
run_done(struct run *r)
{
	calls_done(&r->calls);
	result_done(&r->vm.result);
	buf_done(&r->source);
	buf_done(&r->args);
	buf_done(&r->state);
	buf_done(&r->progress);
}
