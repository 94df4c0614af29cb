/* SPDX-License-Identifier: MIT */
#include "forge/status.h"

#include "base/clock.h"
#include "base/json.h"
#include "qjs-info.h"
#include "tool/git_place.h"
#include "tool/rg_place.h"
#include "version.h"

#define PROBE_SCRIPT "const parts = await Promise.all([6, 7]);\nreturn parts[0] * parts[1]"
#define PROBE_VALUE  "42"

/* ---- asking ---- */

static void
finish(struct status *s)
{
	s->busy = false;
	s->host->watch = NULL;
	s->on_done(s);
}

static void
on_probed(struct host_watch *w, struct str results)
{
	struct status *s = container_of(w, struct status, watch);

	buf_add(&s->attacks, results);
	s->attacked = true;
	finish(s);
}

static void
on_script_text(struct host_run *run, struct str text)
{
	(void)run;
	(void)text;
}

static void
on_script_ended(struct host_run *run)
{
	struct status *s = container_of(run, struct status, script);
	struct run_result *r = &run->result;
	struct err e;

	s->script_ran = true;
	s->script_ok = r->has_value && str_eq(buf_str(&r->value), STR(PROBE_VALUE));
	s->script_ns = r->wall_ns;
	buf_add(&s->script_said, r->has_value ? buf_str(&r->value) : buf_str(&r->message));
	result_done(r);
	if (host_probe(s->host, &e) < 0)
		finish(s);
}

/* The probe's script calls nothing: a call that comes is no call of it, and is not answered. */
static void
on_script_call(struct host_run *run, uint64_t number, struct str name, struct str input)
{
	(void)run;
	(void)number;
	(void)name;
	(void)input;
}

static const struct host_run_events script_events = {
	.on_text = on_script_text,
	.on_call = on_script_call,
	.on_progress = on_script_text,
	.on_ended = on_script_ended,
};

static void
run_script(struct status *s)
{
	const struct conf *conf = s->host->conf;

	s->script = (struct host_run){
		.events = &script_events,
		.source = STR(PROBE_SCRIPT),
		.args = STR("{}"),
		.limits = {
			.timeout_ms = conf->value[OPT_js_timeout_ms],
			.cpu_ms = conf->value[OPT_js_cpu_ms],
			.memory_bytes = conf->value[OPT_js_memory_bytes],
			.stack_bytes = conf->value[OPT_js_stack_bytes],
			.max_output_chars = conf->value[OPT_js_output_chars],
		},
	};
	result_init(&s->script.result);
	host_run(s->host, &s->script);
}

static void
on_ready(struct host_watch *w)
{
	struct status *s = container_of(w, struct status, watch);

	if (s->probe && s->host->state == HOST_READY && !s->host->refused && !s->script_ran)
		run_script(s);
	else if (!s->script_ran && s->host->state == HOST_NONE && !s->host->refused)
		host_start(s->host); /* it was on its way out */
	else if (!s->script_ran || s->host->state != HOST_READY)
		finish(s);
}

int
status_start(struct status *s, struct host *host, bool probe, status_fn *on_done, struct err *e)
{
	if (s->busy)
		return err_set(e, ERR_INVALID, "a status is already being made");
	buf_done(&s->script_said);
	buf_done(&s->attacks);
	*s = (struct status){
		.on_done = on_done,
		.host = host,
		.watch = { on_ready, on_probed },
		.busy = true,
		.probe = probe,
		.script_said = buf_max(KiB(32)),
		.attacks = buf_max(KiB(32)),
	};
	host->watch = &s->watch;
	if (!host->conf->value[OPT_js_enabled])
		finish(s);
	else if (host->state == HOST_READY)
		on_ready(&s->watch);
	else
		host_start(host);
	return 0;
}

/* ---- saying ---- */

static const char *
state_of(const struct host *h)
{
	if (!h->conf->value[OPT_js_enabled])
		return "off";
	return h->state == HOST_READY && !h->refused ? "ready" : "not ready";
}

static void
put_layer(const struct sandbox_report *r, enum sandbox_layer layer, struct buf *out)
{
	uint32_t bit = 1u << layer;

	json_open(out, NULL, '{');
	json_put_str(out, "name", str_of(sandbox_layer_name(layer)));
	json_put_bool(out, "wanted", (r->want & bit) != 0);
	json_put_bool(out, "held", (r->held & bit) != 0);
	json_put_bool(out, "proved", (r->proved & bit) != 0);
	json_put_str(out, "what", str_of(sandbox_layer_text(layer)));
	json_put_str(out, "why", str_of(r->why[layer].text));
	json_close(out, '}');
}

static void
put_isolation(const struct host *h, struct buf *out)
{
	const struct sandbox_report *r = &h->report;
	auto_done(buf) struct buf text = buf_max(SANDBOX_REPORT_MAX);

	sandbox_report_write(r, &text);
	json_open(out, "isolation", '{');
	json_put_str(out, "policy",
	    conf_word(OPT_js_isolation, h->conf->value[OPT_js_isolation]));
	json_put_str(out, "mode", str_of(sandbox_mode_name(r->mode)));
	json_put_u64(out, "landlock_abi", r->landlock_abi);
	json_put_u64(out, "filter_instructions", r->filter_len);
	json_open(out, "layers", '[');
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		put_layer(r, (enum sandbox_layer)layer, out);
	json_close(out, ']');
	json_put_str(out, "report", buf_str(&text));
	json_close(out, '}');
}

static void
put_limits(const struct conf *conf, struct buf *out)
{
	static const enum option shown[] = { OPT_js_timeout_ms, OPT_js_cpu_ms,
		OPT_js_memory_bytes, OPT_js_stack_bytes, OPT_js_tool_calls, OPT_js_concurrency,
		OPT_js_output_chars };

	json_open(out, "limits", '[');
	for (size_t i = 0; i < COUNT(shown); i++) {
		const struct option_spec *spec = &option_specs[shown[i]];

		json_open(out, NULL, '{');
		json_put_str(out, "key", str_of(spec->key));
		json_put_u64(out, "value", conf->value[shown[i]]);
		json_put_u64(out, "most", spec->most);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void
put_attacks(struct str lines, struct buf *out)
{
	json_open(out, "attacks", '[');
	while (lines.n) {
		struct str line = str_split(&lines, '\n');

		json_open(out, NULL, '{');
		json_put_str(out, "name", str_split(&line, '\t'));
		json_put_str(out, "verdict", str_split(&line, '\t'));
		json_put_str(out, "detail", line);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void
put_probe(const struct status *s, struct buf *out)
{
	if (!s->probe) {
		json_put_null(out, "probe");
		return;
	}
	json_open(out, "probe", '{');
	json_open(out, "script", '{');
	json_put_bool(out, "ran", s->script_ran);
	json_put_bool(out, "ok", s->script_ok);
	json_put_str(out, "said", buf_str(&s->script_said));
	json_put_ms(out, "ms", s->script_ns);
	json_close(out, '}');
	put_attacks(buf_str(&s->attacks), out);
	json_close(out, '}');
}

static void
put_engine(const struct engine_facts *f, struct buf *out)
{
	json_open(out, "engine", '{');
	json_put_str(out, "name", f->name);
	json_put_str(out, "version", f->version);
	json_put_str(out, "sha256", f->sha256);
	json_put_str(out, "expected_sha256", STR(QJS_SHA256));
	json_put_bool(out, "verified", str_eq(f->sha256, STR(QJS_SHA256)));
	json_close(out, '}');
}

/* One that is not ours: where it is, or how to get it. */
static void
put_program(const char *name, const char *path, const char *advice, struct buf *out)
{
	json_open(out, name, '{');
	json_put_str(out, "path", str_of(path ? path : ""));
	json_put_str(out, "mend", str_of(path ? "" : advice));
	json_close(out, '}');
}

void
status_write(const struct status *s, struct str journal, struct str parts, struct str notices,
    struct buf *ret_json)
{
	const struct host *h = s->host;
	struct buf *out = ret_json;

	json_open(out, NULL, '{');
	json_put_str(out, "version", STR(CRISOL_VERSION));
	json_open(out, "javascript", '{');
	json_put_str(out, "state", str_of(state_of(h)));
	json_put_str(out, "code", h->refused ? str_of(code_specs[h->refused].name) : STR(""));
	json_put_str(out, "why", buf_str(&h->refusal));
	put_engine(&h->facts, out);
	json_put_str(out, "host", h->facts.host);
	json_put_str(out, "reason", h->facts.reason);
	put_isolation(h, out);
	put_limits(h->conf, out);
	put_probe(s, out);
	json_close(out, '}');
	json_put_raw(out, "journal", journal);
	json_put_raw(out, "parts", parts);
	put_program("ripgrep", rg_find(), rg_advice, out);
	put_program("git", git_find(), git_advice, out);
	json_open(out, "notices", '[');
	while (notices.n)
		json_put_str(out, NULL, str_split(&notices, '\n'));
	json_close(out, ']');
	json_close(out, '}');
}
