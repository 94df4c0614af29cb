/* SPDX-License-Identifier: MIT */
/*
 * crisol-core: the broker. It decides; it opens no workspace file, no socket of the network,
 * and runs no code of a guest or a tool. One client speaks on descriptor 3.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/json.h"
#include "base/sha.h"
#include "forge/host.h"
#include "forge/registry.h"
#include "forge/status.h"
#include "js-hash.h"
#include "loop/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define CLIENT_RUNS_MAX 512
#define RUNS_SHOWN      1024
#define ASKED_NS        (5 * NS_PER_S)
#define ASKED_STEP_NS   (5 * NS_PER_MS)

struct core;

/* One script that a client asked for. */
struct client_run {
	struct host_run run;
	struct core *core;
	struct client_run *next;
	uint64_t tag;
	char id[ID_SIZE];
	struct buf source, args;
};

/* A client waits for the end of another broker's run. */
struct asked {
	struct timer timer;
	char id[ID_SIZE];
	uint64_t until;
};

struct core {
	struct loop loop;
	struct peer client;
	struct launcher launcher;
	struct host host;
	struct conf conf;
	struct buf notices;
	struct client_run *runs;
	size_t runs_n;
	struct status status;
	struct registry registry;
	struct source signals;
	struct asked asked;
	bool checked; /* crisol-js is the one we were built with, or distrusted */
	bool leaving; /* the client is gone: end what runs, then end */
};

static void
say(struct core *core, enum msg_type type, const void *body)
{
	struct err e;

	if (!core->leaving && peer_send(&core->client, type, body, &e) < 0)
		peer_drop(&core->client, &e);
}

static void
refuse(struct core *core, uint64_t tag, enum code code, const char *message)
{
	struct msg_client_refused m = {
		.tag = tag,
		.code = str_of(code_specs[code].name),
		.message = str_of(message),
		.hint = str_of(code_specs[code].hint),
	};

	say(core, MSG_client_refused, &m);
}

/* ---- the engine ---- */

/*
 * The engine's module is inside crisol-js, so its hash speaks for it. Done while the process
 * starts: nothing is run before it is answered.
 */
static void
check_engine(struct core *core)
{
	char hex[SHA_HEX_SIZE];
	char why[ERR_TEXT_MAX + 64];
	auto_fd int fd = -1;
	struct err e;
	int r = child_open("crisol-js", &fd, &e);

	if (r >= 0)
		r = sha_file(fd, hex, &e);
	if (r >= 0 && strcmp(hex, CRISOL_JS_SHA256) == 0)
		return;
	if (r < 0)
		snprintf(why, sizeof(why), "crisol-js could not be verified: %s", e.text);
	else
		snprintf(why, sizeof(why),
		    "crisol-js is not the one this crisol was built with: sha256 %.16s..., not "
		    "%.16s...",
		    hex, CRISOL_JS_SHA256);
	host_distrust(&core->host, why);
}

/* The process is on its way, and verified once. */
static void
need_engine(struct core *core)
{
	host_start(&core->host);
	if (!core->checked)
		check_engine(core);
	core->checked = true;
}

/* ---- runs ---- */

static void
on_text(struct host_run *run, struct str text)
{
	struct client_run *c = container_of(run, struct client_run, run);
	struct msg_run_text m = { .tag = c->tag, .text = text };

	say(c->core, MSG_run_text, &m);
}

static void
report_end(struct client_run *c)
{
	struct run_result *r = &c->run.result;
	auto_done(buf) struct buf envelope = buf_max(ENVELOPE_MAX);
	struct msg_run_done m;

	result_envelope(r, c->id, &c->core->host.facts, &c->run.limits, &envelope);
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
	say(c->core, MSG_run_done, &m);
}

static void
free_run(struct client_run *c)
{
	struct core *core = c->core;
	struct client_run **at = &core->runs;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	core->runs_n--;
	result_done(&c->run.result);
	buf_done(&c->source);
	buf_done(&c->args);
	free(c);
}

static void
on_ended(struct host_run *run)
{
	struct client_run *c = container_of(run, struct client_run, run);
	struct core *core = c->core;

	registry_remove(&core->registry, c->id);
	report_end(c);
	free_run(c);
	if (core->leaving && !core->runs)
		loop_stop(&core->loop);
}

static const struct host_run_events run_events = { on_text, on_ended };

/* 0 takes the configuration's value; a flag may go up to the most there is. */
static bool
take_limit(struct core *core, enum option o, uint64_t wanted, uint64_t *ret_value)
{
	*ret_value = wanted ? wanted : core->conf.value[o];
	return *ret_value >= option_specs[o].least && *ret_value <= option_specs[o].most;
}

static int
take_limits(struct core *core, const struct msg_run_start *m, struct run_limits *ret_limits,
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

		if (!take_limit(core, rows[i].option, rows[i].wanted, rows[i].ret_value))
			return err_set(e, ERR_INVALID, "%s takes %llu to %llu, not %llu",
			    spec->key, (unsigned long long)spec->least,
			    (unsigned long long)spec->most, (unsigned long long)rows[i].wanted);
	}
	return 0;
}

/* The script's args: the JSON given, with stdin's text as its member `stdin`. */
static int
take_args(const struct msg_run_start *m, struct buf *ret_args, struct err *e)
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

static struct client_run *
find_run(struct core *core, uint64_t tag)
{
	struct client_run *c = core->runs;

	while (c && c->tag != tag)
		c = c->next;
	return c;
}

static struct client_run *
new_run(struct core *core, const struct msg_run_start *m)
{
	struct client_run *c = xcalloc(1, sizeof(*c));

	c->core = core;
	c->tag = m->tag;
	c->source = buf_max(SOURCE_MAX);
	c->args = buf_max(ARGS_MAX + STDIN_MAX);
	c->run.events = &run_events;
	result_init(&c->run.result);
	id_new(c->id);
	c->next = core->runs;
	core->runs = c;
	core->runs_n++;
	return c;
}

static int
core_on_run_start(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_start *m = body;
	struct core *core = container_of(p, struct core, client);
	struct msg_run_started started = { .tag = m->tag };
	struct client_run *c;
	struct err bad;

	if (find_run(core, m->tag))
		return err_set(e, ERR_PROTO, "two runs with one tag");
	if (!core->conf.value[OPT_js_enabled]) {
		refuse(core, m->tag, CODE_TOOL_UNAVAILABLE,
		    "js_run is switched off: forge.javascript.enabled is false");
		return 0;
	}
	if (core->runs_n >= CLIENT_RUNS_MAX) {
		refuse(core, m->tag, CODE_INVALID_INPUT,
		    "too many runs at once on one channel");
		return 0;
	}
	c = new_run(core, m);
	if (take_limits(core, m, &c->run.limits, &bad) < 0 ||
	    take_args(m, &c->args, &bad) < 0) {
		free_run(c);
		refuse(core, m->tag,
		    bad.code == ERR_LIMIT ? CODE_TOO_LARGE : CODE_INVALID_INPUT, bad.text);
		return 0;
	}
	buf_add(&c->source, m->source);
	c->run.source = buf_str(&c->source);
	c->run.args = buf_str(&c->args);
	started.run = str_of(c->id);
	registry_add(&core->registry, c->id);
	say(core, MSG_run_started, &started);
	need_engine(core);
	host_run(&core->host, &c->run);
	return 0;
}

static int
core_on_run_cancel(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_cancel *m = body;
	struct client_run *c = find_run(container_of(p, struct core, client), m->tag);

	(void)e;
	if (c) /* else it has just ended by itself */
		host_cancel(&c->run);
	return 0;
}

/* ---- runs of other brokers ---- */

static void
send_runs(struct core *core, const char *cancelled)
{
	auto_free struct registry_entry *entries = xcalloc(RUNS_SHOWN, sizeof(*entries));
	size_t n = registry_list(&core->registry, entries, RUNS_SHOWN);
	auto_done(buf) struct buf json = buf_max(KiB(512));
	struct msg_runs m;

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&json, NULL, '{');
		json_put_str(&json, "run", str_of(entries[i].id));
		json_put_str(&json, "status",
		    entries[i].cancelling ? STR("cancelling") : STR("running"));
		json_put_u64(&json, "owner", (uint64_t)entries[i].owner);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	m = (struct msg_runs){ .json = buf_str(&json), .cancelled = str_of(cancelled) };
	say(core, MSG_runs, &m);
}

/* The owner confirms by taking the run's file away. */
static void
on_asked(struct timer *t)
{
	struct asked *a = container_of(t, struct asked, timer);
	struct core *core = container_of(a, struct core, asked);
	uint64_t now = clock_now();

	if (!registry_has(&core->registry, a->id))
		send_runs(core, a->id);
	else if (now >= a->until)
		refuse(core, 0, CODE_INTERNAL,
		    "the owner of the run was asked and has not ended it after 5 seconds");
	else
		loop_timer(&core->loop, t, now + ASKED_STEP_NS);
}

static int
core_on_runs_ask(struct peer *p, const void *body, struct err *e)
{
	const struct msg_runs_ask *m = body;
	struct core *core = container_of(p, struct core, client);
	struct asked *a = &core->asked;
	struct err bad;

	if (a->timer.loop)
		return err_set(e, ERR_PROTO, "a second question before the first was answered");
	if (!m->cancel.n) {
		send_runs(core, "");
	} else if (registry_cancel(&core->registry, m->cancel, a->id, &bad) < 0) {
		refuse(core, 0, bad.code == ERR_NOTFOUND ? CODE_NOT_FOUND : CODE_INVALID_INPUT,
		    bad.text);
	} else {
		a->timer.on_due = on_asked;
		a->until = clock_now() + ASKED_NS;
		loop_timer(&core->loop, &a->timer, clock_now() + ASKED_STEP_NS);
	}
	return 0;
}

/* All runs, or those whose end another process asked for. */
static void
cancel_runs(struct core *core, bool only_asked)
{
	struct client_run *next;

	for (struct client_run *c = core->runs; c; c = next) {
		next = c->next;
		if (!only_asked || registry_is_cancelled(&core->registry, c->id))
			host_cancel(&c->run);
	}
}

/* Another process asks for the end of a run of ours. */
static void
on_registry_signal(struct source *s, uint32_t events)
{
	struct core *core = container_of(s, struct core, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		cancel_runs(core, true);
	}
}

/* ---- status ---- */

static void
send_status(struct core *core)
{
	auto_done(buf) struct buf json = buf_max(KiB(512));
	struct msg_status m;

	status_write(&core->status, buf_str(&core->notices), &json);
	m.json = buf_str(&json);
	say(core, MSG_status, &m);
}

static void
on_status(struct status *s)
{
	send_status(container_of(s, struct core, status));
}

static int
core_on_status_ask(struct peer *p, const void *body, struct err *e)
{
	const struct msg_status_ask *m = body;
	struct core *core = container_of(p, struct core, client);

	if (core->conf.value[OPT_js_enabled])
		need_engine(core);
	return status_start(&core->status, &core->host, m->probe != 0, on_status, e);
}

/* ---- configuration ---- */

/* <config home>/config.json; a missing file is no error. */
static int
read_user_file(struct core *core, struct err *e)
{
	auto_done(buf) struct buf path = buf_max(4096);
	auto_done(buf) struct buf text = buf_max(CONFIG_MAX);
	const char *own = getenv("CRISOL_CONFIG_HOME");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int r;

	if (own && *own)
		buf_addf(&path, "%s/config.json", own);
	else if (xdg && *xdg == '/')
		buf_addf(&path, "%s/crisol/config.json", xdg);
	else if (home && *home == '/')
		buf_addf(&path, "%s/.config/crisol/config.json", home);
	else
		return 0;
	r = fd_slurp_at(AT_FDCWD, buf_text(&path), &text, e);
	if (r < 0)
		return e->code == ERR_SYS && e->sys == ENOENT ? 0 : r;
	return conf_apply(&core->conf, buf_str(&text), buf_text(&path), CONF_USER,
	    &core->notices, e);
}

static int
core_on_client_hello(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_hello *m = body;
	struct core *core = container_of(p, struct core, client);
	auto_done(buf) struct buf name = buf_max(NAME_MAX_BYTES + 1);
	struct err bad;
	int r;

	(void)e;
	p->state = ST_READY;
	conf_defaults(&core->conf);
	buf_add(&name, m->config_path);
	r = read_user_file(core, &bad);
	if (r >= 0 && name.n)
		r = conf_apply(&core->conf, m->config, buf_text(&name), CONF_PROJECT,
		    &core->notices, &bad);
	if (r < 0) {
		refuse(core, 0, CODE_CONFIG_ERROR, bad.text);
		return 0;
	}
	return 0;
}

static const struct peer_fn_table on_client = { {
    [MSG_client_hello] = core_on_client_hello,
    [MSG_run_start] = core_on_run_start,
    [MSG_run_cancel] = core_on_run_cancel,
    [MSG_status_ask] = core_on_status_ask,
    [MSG_runs_ask] = core_on_runs_ask,
} };

/* ---- life ---- */

static void
on_client_closed(struct peer *p, const struct err *why)
{
	struct core *core = container_of(p, struct core, client);

	(void)why;
	core->leaving = true;
	cancel_runs(core, false);
	if (!core->runs)
		loop_stop(&core->loop);
}

static void
on_launcher_closed(struct peer *p, const struct err *why)
{
	struct core *core = container_of(p, struct core, launcher.peer);

	(void)why;
	loop_stop(&core->loop);
}

static int
run(struct core *core, struct err *e)
{
	static const int signals[] = { REGISTRY_SIGNAL };
	struct err unseen;
	int signal_fd = -1;
	int r = loop_init(&core->loop, e);

	core->signals.on_ready = on_registry_signal;
	if (r >= 0)
		r = loop_signals(signals, COUNT(signals), &signal_fd, e);
	if (r >= 0)
		r = loop_add(&core->loop, &core->signals, signal_fd, EPOLLIN, e);
	if (r >= 0)
		r = launcher_init(&core->launcher, &core->loop, on_launcher_closed, e);
	if (r >= 0)
		r = peer_init(&core->client, &core->loop, CHILD_CHANNEL, ROLE_CORE, ROLE_CLIENT,
		    &on_client, on_client_closed, e);
	if (r < 0)
		return r;
	core->notices = buf_max(KiB(64));
	conf_defaults(&core->conf);
	if (registry_open(&core->registry, &unseen) < 0)
		buf_addf(&core->notices,
		    "runs cannot be listed or cancelled from another process: %s\n",
		    unseen.text);
	host_init(&core->host, &core->loop, &core->launcher, &core->conf);
	r = loop_run(&core->loop, e);
	core->leaving = true;
	host_done(&core->host);
	launcher_done(&core->launcher);
	peer_done(&core->client);
	return r;
}

int
main(void)
{
	static struct core core;
	struct err e;

	prctl(PR_SET_DUMPABLE, 0);
	if (run(&core, &e) < 0) {
		fprintf(stderr, "crisol-core: %s\n", e.text);
		return 1;
	}
	return 0;
}
