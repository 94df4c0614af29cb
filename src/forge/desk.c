/* SPDX-License-Identifier: MIT */
#include "forge/desk.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/utf8.h"
#include "forge/commands.h"
#include "gate/explain.h"
#include "gate/line.h"
#include "ipc/limits.h"
#include "tool/args.h"

/* ---- ends ---- */

void
desk_call_init(struct desk_call *c, const struct desk_call_events *events)
{
	*c = (struct desk_call){
		.events = events,
		.run = "",
		.name = buf_max(CALL_NAME_MAX),
		.input = buf_max(CALL_INPUT_MAX),
		.text = buf_max(CALL_OUTPUT_MAX),
		.hint = buf_max(KiB(2)),
		.folders_once = buf_max(KiB(64)),
	};
}

void
desk_call_done(struct desk_call *c)
{
	assert(!c->running);
	buf_done(&c->name);
	buf_done(&c->input);
	buf_done(&c->text);
	buf_done(&c->hint);
	buf_done(&c->folders_once);
	resolved_done(&c->path);
}

const char *
desk_call_status(const struct desk_call *c)
{
	if (c->unknown)
		return "unknown";
	if (c->code == CODE_NONE)
		return "ok";
	switch (code_specs[c->code].exit_status) {
	case 4:
		return "refused";
	case 130:
		return "cancelled";
	default:
		return "failed";
	}
}

static void
begin(struct desk *d, struct desk_call *c)
{
	c->desk = d;
	c->running = true;
	c->began = clock_now();
	journal_call_init(&c->row, c->run, c->number, buf_str(&c->name), buf_str(&c->input));
}

static void
end(struct desk_call *c, enum code code, struct str text)
{
	struct journal *j = &c->desk->journal;

	c->code = code;
	buf_reset(&c->text);
	if (code) /* a message: what it names may be any bytes, and may have been cut */
		utf8_scrub(text, &c->text);
	else
		buf_add(&c->text, text);
	if (!buf_ok(&c->text)) {
		buf_reset(&c->text);
		buf_add(&c->text, STR("its result is too large"));
		c->code = CODE_TOO_LARGE;
	}
	c->ended = clock_now();
	c->running = false;
	journal_end(j, &c->row, buf_str(&c->input), desk_call_status(c), c->code,
	    buf_str(&c->text), c->ended - c->began);
	c->events->on_done(c);
}

void
desk_fail(struct desk *d, struct desk_call *c, enum code code, const char *text)
{
	begin(d, c);
	end(c, code, str_of(text));
}

/* ---- the gate's question ---- */

#define BAD_PATH       "its path is none that could be opened"

#define QUESTION_PATHS 33 /* its own path, and files that a line opens */

/* Everything the gate is told of one call; lives as long as the question. */
struct question {
	struct gate_call call;
	struct gate_verdict verdict;
	struct gate_parts parts;
	struct gate_path paths[QUESTION_PATHS];
	struct resolved opened[QUESTION_PATHS - 1];
	size_t opened_n;
};

static void
question_done(struct question *q)
{
	for (size_t i = 0; i < q->opened_n; i++)
		resolved_done(&q->opened[i]);
	gate_parts_done(&q->parts);
}

/* Tools of the gate's table that this version does not have are switched off, by that reason. */
static void
ask_about(struct question *q, struct str name, enum gate_from from)
{
	const struct gate_tool *tool = gate_builtin(name);
	bool never = tool && from != GATE_DIRECT && (tool->traits & GATE_NO_SCRIPT);

	*q = (struct question){ .call = { .name = name, .tool = tool, .from = from } };
	if (tool && !never && tool_named(name) == TOOL_COUNT)
		q->call.off = STR("this version of crisol does not have it yet");
}

/* Every verdict is written down before anything follows from it, with the answer it came from. */
static void
note_verdict(struct desk_call *c, const struct question *q)
{
	auto_done(buf) struct buf source = buf_max(EXPLAIN_MAX), words = buf_max(EXPLAIN_MAX);
	bool asked = c->reply != GATE_REPLY_NONE || q->verdict.reason == GATE_BY_SILENCE;

	explain_source(&c->desk->policy, &q->call, &q->verdict, &source);
	explain_verdict(&c->desk->policy, &q->call, &q->verdict, &words);
	journal_decide(&c->desk->journal, &c->row, &q->verdict, buf_str(&source),
	    buf_str(&words), asked ? gate_reply_name(c->reply) : "");
	c->reply = GATE_REPLY_NONE;
}

static enum code
code_of(enum gate_code code)
{
	enum code found = code_named(str_of(gate_code_name(code)));

	return found ? found : CODE_DENIED;
}

static void
refuse(struct desk_call *c, const struct question *q)
{
	auto_done(buf) struct buf words = buf_max(EXPLAIN_MAX);
	const char *near = q->call.tool ? NULL : tool_nearest(q->call.name);

	note_verdict(c, q);
	explain_verdict(&c->desk->policy, &q->call, &q->verdict, &words);
	if (near)
		buf_addf(&c->hint, "did you mean %s?", near);
	end(c, code_of(q->verdict.code), buf_str(&words));
}

/* ---- the steps ---- */

static void unanswered(struct desk_call *c, enum code code, const char *text);

/* Workers for one call alone, with the folders that were allowed for it. */
struct own_pool {
	struct pool pool;
	struct timer timer;
	struct desk *desk;
	struct own_pool *next;
};

static void
on_work_done(struct work *w, const struct work_result *result)
{
	struct desk_call *c = container_of(w, struct desk_call, work);

	c->unknown = result->lost && journal_acts(c->row.effect);
	if (c->own) /* we are called by it */
		loop_timer(c->desk->loop, &c->own->timer, clock_now());
	c->own = NULL;
	if (result->code == CODE_INVALID_INPUT)
		buf_addf(&c->hint, "crisol tools %s shows what it takes",
		    tool_specs[c->tool].name);
	else if (result->code == CODE_NOT_FOUND)
		buf_add(&c->hint,
		    STR("list_files shows what is there, without what .gitignore names"));
	end(c, result->code, result->text);
}

static const struct param_spec *
path_param(const struct tool_spec *spec)
{
	for (size_t i = 0; i < tool_params_count(spec); i++) {
		if (spec->params[i].kind == PARAM_PATH)
			return &spec->params[i];
	}
	return NULL;
}

/* The commands of an input, taken apart. */
static void
take_apart(struct question *q, const struct args *in)
{
	struct str argv[RUN_ARGS_MAX + 1];
	size_t n;

	if (in->spec == &tool_specs[TOOL_shell]) {
		gate_line_parse(args_text(in, "command"), &q->parts);
	} else if (in->spec == &tool_specs[TOOL_run_process]) {
		n = MIN(args_list_size(in, "args"), (size_t)RUN_ARGS_MAX);
		argv[0] = args_text(in, "command");
		for (size_t i = 0; i < n; i++)
			argv[i + 1] = args_list_text(in, "args", i);
		gate_argv_parse(argv, n + 1, &q->parts);
	}
	q->call.commands = q->parts.list;
	q->call.commands_n = q->parts.n;
}

static bool
in_a_root(const struct desk *d, struct str path)
{
	for (size_t i = 0; i < d->policy.roots_n; i++) {
		if (path_below(path, d->roots[i].path))
			return true;
	}
	return false;
}

/* Whether a folder was allowed for this call alone. */
static bool
allowed_once(const struct desk_call *c, struct str folder)
{
	struct str rest = buf_str(&c->folders_once);

	while (rest.n) {
		if (str_eq(str_split(&rest, '\0'), folder))
			return true;
	}
	return false;
}

/* A place that commands may write besides the folders (permissions.process.writable). */
static bool
is_writable(const struct desk *d, struct str path)
{
	struct str rest = buf_str(&d->options);

	while (rest.n) {
		struct str one = str_split(&rest, '\0');

		if (str_starts(one, STR(COMMANDS_WRITABLE)) &&
		    path_below(path, str_from(one, strlen(COMMANDS_WRITABLE))))
			return true;
	}
	return false;
}

/*
 * A file that the shell opens for a command is a path of the call; one that cannot be told is unclear.
 * One that is read elsewhere is not: commands may read there, whoever opens it (doc/processes.md).
 */
static void
add_opened(const struct desk *d, struct question *q, struct gate_command *command,
    const struct gate_redirect *file, struct str from)
{
	struct resolved *r = &q->opened[q->opened_n];

	if (!file->target.p)
		return; /* the part says SUBSTITUTION */
	if (q->opened_n == COUNT(q->opened)) {
		command->flags |= COMMAND_UNCLEAR;
		return;
	}
	q->opened_n++;
	if (!resolve_path(from, file->target, r))
		command->flags |= COMMAND_UNCLEAR;
	else if (file->write ? !is_writable(d, buf_str(&r->real))
			     : in_a_root(d, buf_str(&r->real)))
		q->paths[q->call.paths_n++] = resolved_for_gate(r, file->write);
}

/*
 * Where an input leads: its own path, resolved into ret_path unless it was before (what was asked
 * about is judged), and the commands it would run. False when the path is none.
 */
static bool
look_at(const struct desk *d, struct question *q, const struct args *in,
    struct resolved *ret_path)
{
	const struct param_spec *p = path_param(in->spec);

	q->call.paths = q->paths;
	if (p) {
		if (!ret_path->real.n &&
		    !resolve_path(buf_str(&d->cwd), args_text(in, p->name), ret_path))
			return false;
		q->paths[q->call.paths_n++] =
		    resolved_for_gate(ret_path, in->spec->effect == EFFECT_WRITE);
	}
	take_apart(q, in);
	for (size_t i = 0; i < q->parts.n; i++) {
		struct gate_command *command = &q->parts.list[i];

		for (size_t k = 0; k < command->redirects_n; k++)
			add_opened(d, q, command, &command->redirects[k],
			    p ? buf_str(&ret_path->real) : buf_str(&d->cwd));
	}
	return true;
}

/* All that the gate is told of the call. */
static bool
frame(struct desk_call *c, const struct args *in, struct question *q)
{
	ask_about(q, buf_str(&c->name), c->from);
	q->call.once = c->once;
	if (!look_at(c->desk, q, in, &c->path))
		return false;
	for (size_t i = 0; i < q->call.paths_n; i++)
		q->paths[i].once = allowed_once(c, q->paths[i].folder);
	return true;
}

static void
no_workspace(struct desk_call *c, struct question *q)
{
	q->verdict.answer = GATE_DENY;
	q->verdict.code = GATE_OUTSIDE_ROOTS;
	note_verdict(c, q);
	buf_add(&c->hint, STR("change into a project's folder, or say --cwd DIR to mean it"));
	end(c, CODE_OUTSIDE_ROOTS,
	    STR("there is no workspace: the whole machine or the whole home folder is none "
		"unless --cwd says so"));
}

/* The input is right: where does it lead, and may it go there. False when it does not go on now. */
static bool
judge_question(struct desk_call *c, const struct args *in, struct question *q)
{
	struct desk *d = c->desk;

	if (!frame(c, in, q)) {
		end(c, CODE_INVALID_INPUT, STR(BAD_PATH));
		return false;
	}
	gate_decide(&d->policy, &q->call, &q->verdict);
	if (!d->policy.roots_n &&
	    (q->verdict.code == GATE_OUTSIDE_ROOTS || q->verdict.reason == GATE_BY_OUTSIDE)) {
		no_workspace(c, q);
		return false;
	}
	if (q->verdict.answer == GATE_ASK && c->events->on_ask) {
		note_verdict(c, q);
		c->asking = true;
		c->question = q->verdict.question;
		c->events->on_ask(c);
		return false;
	}
	if (q->verdict.answer != GATE_ALLOW) {
		refuse(c, q);
		return false;
	}
	note_verdict(c, q);
	return true;
}

static bool
judge(struct desk_call *c, const struct args *in)
{
	struct question q;
	bool allowed;

	allowed = judge_question(c, in, &q);
	question_done(&q);
	return allowed;
}

/* What the message of a wrong input cannot say. */
static void
wrong_input(struct desk_call *c, const struct err *e)
{
	buf_addf(&c->hint, "crisol tools %s shows what it takes", tool_specs[c->tool].name);
	end(c, e->code == ERR_LIMIT ? CODE_TOO_LARGE : CODE_INVALID_INPUT, str_of(e->text));
}

/* Who works for each effect; one that changes something goes alone. */
static const struct desk_workers {
	bool any;
	enum sandbox_profile_id profile;
	bool beside;
} workers[EFFECT_COUNT] = {
	[EFFECT_READ] = { true, PROFILE_reader, true },
	[EFFECT_WRITE] = { true, PROFILE_writer, false },
	[EFFECT_PROCESS] = { true, PROFILE_runner, false }, /* or what commands_profile says */
};

static enum sandbox_profile_id
profile_of(const struct desk *d, enum tool_effect effect)
{
	return effect == EFFECT_PROCESS ? commands_profile(d->conf, d->policy.flags)
					: workers[effect].profile;
}

static void
drop_own(struct own_pool *own)
{
	struct own_pool **at = &own->desk->own;

	while (*at != own)
		at = &(*at)->next;
	*at = own->next;
	pool_done(&own->pool);
	loop_timer_cancel(&own->timer); /* the end of its call may have set it */
	free(own);
}

static void
on_own_timer(struct timer *t)
{
	drop_own(container_of(t, struct own_pool, timer));
}

/* What a worker is started with: profile, working folder, folders, those of the call last. */
static bool worker_arguments(const struct desk *d, enum sandbox_profile_id profile,
    struct str once, struct buf *ret_arguments);
static void open_pool(struct desk *d, struct pool *p, enum tool_effect effect,
    struct str arguments);

static struct pool *
own_pool(struct desk_call *c)
{
	auto_done(buf) struct buf arguments = buf_max(KiB(128));
	enum tool_effect effect = tool_specs[c->tool].effect;
	struct own_pool *own;

	if (!worker_arguments(c->desk, profile_of(c->desk, effect), buf_str(&c->folders_once),
		&arguments))
		return NULL;
	own = xcalloc(1, sizeof(*own));
	own->desk = c->desk;
	own->timer.on_due = on_own_timer;
	own->next = c->desk->own;
	c->desk->own = own;
	c->own = own;
	open_pool(c->desk, &own->pool, effect, buf_str(&arguments));
	return &own->pool;
}

/* It may begin: written down first, then a worker has it. */
static void
hand_on(struct desk_call *c)
{
	struct desk *d = c->desk;
	struct pool *pool = &d->pools[tool_specs[c->tool].effect];
	struct err e;

	if (c->folders_once.n)
		pool = own_pool(c);
	if (!pool) {
		end(c, CODE_TOO_LARGE, STR("the paths of its folders are too long together"));
		return;
	}
	if (journal_begin(&d->journal, &c->row, buf_str(&c->input), &e) < 0) {
		buf_addf(&c->hint, "crisol doctor says why the journal cannot be written");
		err_wrap(&e, ERR_DENIED,
		    "it is not begun, as its beginning cannot be written down");
		end(c, CODE_INTERNAL, str_of(e.text));
		return;
	}
	c->work = (struct work){
		.tool = c->tool,
		.input = buf_str(&c->input),
		.real = buf_str(&c->path.real),
		.on_done = on_work_done,
	};
	c->handed = true;
	pool_submit(pool, &c->work);
}

static void move_pools(struct desk *d);

/* What was revoked since the last call counts no more. Nothing of it counts for scripts. */
static void
load_approvals(struct desk *d, enum gate_from from)
{
	if (from == GATE_FROM_JS || (d->policy.surface != GATE_TERMINAL && !d->policy.resumed))
		return;
	if (approvals_load(&d->approvals, &d->journal, &d->policy.grants))
		move_pools(d);
}

static void
go_on(struct desk_call *c)
{
	auto_done(args) struct args in = { 0 };
	struct err e;

	if (args_read(&in, &tool_specs[c->tool], buf_str(&c->input), &e) < 0)
		wrong_input(c, &e);
	else if (judge(c, &in))
		hand_on(c);
}

void
desk_call(struct desk *d, struct desk_call *c)
{
	struct question q;

	begin(d, c);
	load_approvals(d, c->from);
	ask_about(&q, buf_str(&c->name), c->from);
	gate_offer(&d->policy, &q.call, &q.verdict);
	c->row.effect = q.verdict.effect;
	if (q.verdict.answer == GATE_ABSENT) {
		refuse(c, &q);
		return;
	}
	c->tool = tool_named(buf_str(&c->name));
	go_on(c);
}

/* ---- questions ---- */

/* The call as it is asked about, judged as things are now. The input was read once before. */
static void
judge_again(struct desk_call *c, struct args *in, struct question *q)
{
	struct err e;
	bool read = args_read(in, &tool_specs[c->tool], buf_str(&c->input), &e) >= 0;

	bool framed = frame(c, in, q);

	assert(c->asking && read && framed);
	gate_decide(&c->desk->policy, &q->call, &q->verdict);
}

static void
put_commands(const struct gate_call *call, struct buf *out)
{
	json_open(out, "commands", '[');
	for (size_t i = 0; i < call->commands_n; i++) {
		const struct gate_command *command = &call->commands[i];

		json_open(out, NULL, '{');
		json_open(out, "words", '[');
		for (size_t w = 0; w < command->argv_n; w++) {
			auto_done(buf) struct buf clean = buf_max(CALL_INPUT_MAX);

			utf8_scrub(command->argv[w], &clean);
			if (command->argv[w].p)
				json_put_str(out, NULL, buf_str(&clean));
			else
				json_put_null(out, NULL);
		}
		json_close(out, ']');
		json_put_u64(out, "flags", command->flags);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void
put_clean(struct buf *out, const char *name, struct str text)
{
	auto_done(buf) struct buf clean = buf_max(EXPLAIN_MAX);

	utf8_scrub(text, &clean);
	json_put_str(out, name, buf_str(&clean));
}

static void
put_answers(enum gate_question question, struct buf *out)
{
	json_open(out, "answers", '[');
	for (int reply = GATE_REPLY_ONCE; reply < GATE_REPLY_COUNT; reply++) {
		const char *label = gate_label(question, (enum gate_reply)reply);

		if (!label)
			continue;
		json_open(out, NULL, '{');
		json_put_u64(out, "answer", (uint64_t)reply);
		json_put_str(out, "label", str_of(label));
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void
put_question(const struct desk_call *c, const struct question *q, struct buf *out)
{
	static const char *const names[GATE_QUESTION_COUNT] = { "none", "folder", "call",
		"effect", "analysis", "install" };
	auto_done(buf) struct buf words = buf_max(EXPLAIN_MAX), source = buf_max(EXPLAIN_MAX);

	explain_verdict(&c->desk->policy, &q->call, &q->verdict, &words);
	explain_source(&c->desk->policy, &q->call, &q->verdict, &source);
	json_open(out, NULL, '{');
	put_clean(out, "tool", buf_str(&c->name));
	json_put_str(out, "effect", str_of(gate_effect_name(q->verdict.effect)));
	json_put_str(out, "question", str_of(names[q->verdict.question]));
	put_clean(out, "words", buf_str(&words));
	put_clean(out, "by", buf_str(&source));
	if (q->call.paths_n) {
		const struct gate_path *path = q->verdict.path ? q->verdict.path : &q->paths[0];

		put_clean(out, "path", path->real);
		put_clean(out, "given", path->given);
		put_clean(out, "folder", path->folder);
	}
	put_commands(&q->call, out);
	put_answers(q->verdict.question, out);
	json_close(out, '}');
}

bool
desk_question(struct desk_call *c, struct buf *ret_json)
{
	auto_done(args) struct args in = { 0 };
	struct question q;
	bool still;

	load_approvals(c->desk, c->from);
	judge_again(c, &in, &q);
	still = q.verdict.answer == GATE_ASK && q.verdict.question == c->question;
	if (still)
		put_question(c, &q, ret_json);
	question_done(&q);
	if (still)
		return true;
	c->asking = false;
	go_on(c);
	return false;
}

bool
desk_takes(const struct desk_call *c, enum gate_reply reply)
{
	return reply == GATE_REPLY_NONE || gate_label(c->question, reply);
}

/* It ends without anything allowed, and that is written down. */
static void
end_asked(struct desk_call *c, enum gate_reason reason, enum gate_code gate, enum code code,
    const char *text)
{
	auto_done(args) struct args in = { 0 };
	auto_done(buf) struct buf words = buf_max(EXPLAIN_MAX);
	struct question q;

	judge_again(c, &in, &q);
	c->asking = false;
	q.verdict.answer = GATE_DENY;
	q.verdict.code = gate;
	q.verdict.reason = reason;
	note_verdict(c, &q);
	explain_verdict(&c->desk->policy, &q.call, &q.verdict, &words);
	question_done(&q);
	end(c, code, text ? str_of(text) : buf_str(&words));
}

static void
unanswered(struct desk_call *c, enum code code, const char *text)
{
	c->reply = GATE_REPLY_NONE;
	end_asked(c, GATE_BY_SILENCE, GATE_APPROVAL_REQUIRED, code, text);
}

/* Where the session cannot keep it, it counts for this call. */
static void
apply(struct desk_call *c, enum gate_reply reply)
{
	auto_done(args) struct args in = { 0 };
	struct question q;
	struct err e;

	judge_again(c, &in, &q);
	if (reply != GATE_REPLY_SESSION || approvals_add(&c->desk->approvals, &c->desk->journal,
					       &q.verdict, &c->desk->policy.grants, &e) < 0) {
		c->once |= gate_once_of(q.verdict.question);
		if (q.verdict.question == GATE_ASK_FOLDER) {
			buf_add(&c->folders_once, q.verdict.path->folder);
			buf_addc(&c->folders_once, '\0');
		}
	}
	question_done(&q);
}

void
desk_answer(struct desk_call *c, enum gate_reply reply)
{
	assert(c->asking && desk_takes(c, reply));
	if (reply == GATE_REPLY_NONE) {
		unanswered(c, CODE_APPROVAL_REQUIRED, NULL);
		return;
	}
	c->reply = reply;
	if (reply == GATE_REPLY_DENY) {
		buf_add(&c->hint, STR("do something else, or ask the person first"));
		end_asked(c, GATE_BY_PERSON, GATE_DENIED, CODE_DENIED, NULL);
		return;
	}
	apply(c, reply);
	c->asking = false;
	load_approvals(c->desk, c->from);
	go_on(c);
}

void
desk_widen(struct desk *d, uint64_t most)
{
	pool_widen(&d->pools[EFFECT_READ], (unsigned)MIN(most, (uint64_t)POOL_MAX));
}

void
desk_cancel(struct desk_call *c)
{
	if (c->asking)
		unanswered(c, CODE_CANCELLED,
		    "the call was cancelled while it was asked about");
	else if (c->running)
		pool_cancel(&c->work);
}

bool
desk_runs_beside(struct str name)
{
	const struct gate_tool *tool = gate_builtin(name);
	enum gate_effect effect = tool ? tool->effect : GATE_EXTERNAL;

	return effect != GATE_WRITE && effect != GATE_PROCESS;
}

/* ---- for people ---- */

void
desk_explain(const struct desk *d, const struct desk_case *what, struct buf *ret_json)
{
	struct gate_policy policy = d->policy;
	auto_done(args) struct args in = { 0 };
	auto_done(buf) struct buf words = buf_max(EXPLAIN_MAX), source = buf_max(EXPLAIN_MAX);
	struct resolved path = { 0 };
	enum tool_id id = tool_named(what->name);
	const struct tool_spec *spec = id != TOOL_COUNT ? &tool_specs[id] : NULL;
	struct question q;
	struct err e;
	const char *problem = NULL;

	policy.surface = what->surface;
	ask_about(&q, what->name, what->from);
	if (spec && args_read(&in, spec, what->input, &e) < 0)
		problem = e.text;
	else if (spec && !look_at(d, &q, &in, &path))
		problem = BAD_PATH;
	gate_decide(&policy, &q.call, &q.verdict);
	explain_verdict(&policy, &q.call, &q.verdict, &words);
	explain_source(&policy, &q.call, &q.verdict, &source);
	json_open(ret_json, NULL, '{');
	json_put_str(ret_json, "tool", what->name);
	json_put_str(ret_json, "decision", str_of(gate_answer_name(q.verdict.answer)));
	json_put_str(ret_json, "code", str_of(gate_code_name(q.verdict.code)));
	json_put_str(ret_json, "reason", str_of(gate_reason_name(q.verdict.reason)));
	json_put_str(ret_json, "by", buf_str(&source));
	json_put_str(ret_json, "words", buf_str(&words));
	json_put_str(ret_json, "input", str_of(problem ? problem : ""));
	json_close(ret_json, '}');
	question_done(&q);
	resolved_done(&path);
}

void
desk_tools(const struct desk *d, struct buf *ret_json)
{
	json_open(ret_json, NULL, '[');
	for (int t = 0; t < TOOL_COUNT; t++) {
		const struct tool_spec *spec = &tool_specs[t];
		auto_done(buf) struct buf schema = buf_max(KiB(16));
		struct question q;

		ask_about(&q, str_of(spec->name), GATE_DIRECT);
		gate_offer(&d->policy, &q.call, &q.verdict);
		tool_schema(spec, &schema);
		json_open(ret_json, NULL, '{');
		json_put_str(ret_json, "name", str_of(spec->name));
		json_put_str(ret_json, "effect", str_of(tool_effect_name(spec->effect)));
		json_put_str(ret_json, "state", str_of(gate_state_name(q.verdict.answer)));
		json_put_str(ret_json, "description", str_of(spec->text));
		json_put_raw(ret_json, "inputSchema", buf_str(&schema));
		if (spec->returns)
			json_put_str(ret_json, "returns", str_of(spec->returns));
		json_close(ret_json, '}');
	}
	json_close(ret_json, ']');
}

/* ---- the policy ---- */

static struct str
keep(struct desk *d, const struct buf *path)
{
	char *text = xstrdup(buf_text(path));

	assert(d->texts_n < COUNT(d->texts));
	d->texts[d->texts_n++] = text;
	return str_of(text);
}

/* A folder that calls may touch, by its real path. */
static int
add_root(struct desk *d, struct str from, struct str path, enum gate_root_kind kind,
    struct err *e)
{
	struct resolved folder;
	bool found = resolve_path(from, path, &folder) &&
		     str_eq(buf_str(&folder.folder), buf_str(&folder.real));
	int r = 0;

	if (!found)
		r = err_set(e, ERR_NOTFOUND, "%.*s is no folder that is there",
		    (int)MIN(path.n, 300), path.p);
	else if (d->policy.roots_n == DESK_FOLDERS_MAX)
		r = err_set(e, ERR_LIMIT, "more than %d folders", DESK_FOLDERS_MAX);
	else
		d->roots[d->policy.roots_n++] =
		    (struct gate_root){ keep(d, &folder.real), kind, false };
	resolved_done(&folder);
	return r;
}

/* Those of additionalDirectories: relative to the file that has them. One that is gone is no error. */
static int
add_configured(struct desk *d, const struct conf_list *list, struct buf *ret_notices,
    struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	struct str file = buf_str(&list->file), name;
	int r = json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, e);

	while (file.n && file.p[file.n - 1] != '/')
		file.n--;
	if (!file.n)
		file = buf_str(&d->cwd);
	for (size_t i = 0; r >= 0 && i < json_size(json_root(doc)); i++) {
		const struct yyjson_val *v = json_nth(json_root(doc), i, &name);

		if (!json_is_string(v))
			return err_set(e, ERR_INVALID,
			    "%s: additionalDirectories[%zu] takes a path, not %s",
			    buf_text(&list->file), i, json_kind(v));
		r = add_root(d, file, json_str(v), GATE_DECLARED, e);
		if (r < 0 && e->code == ERR_NOTFOUND) {
			buf_addf(ret_notices, "%s: additionalDirectories: %s\n",
			    buf_text(&list->file), e->text);
			r = 0;
		}
	}
	return r;
}

static int
add_rules(struct desk *d, const struct conf_list *list, struct buf *ret_notices, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	const char *home = getenv("HOME");
	struct rules_file file = {
		.name = buf_str(&list->file),
		.layer = list->layer == CONF_USER ? RULES_USER : RULES_PROJECT,
		.home = str_of(home && *home == '/' ? home : ""),
	};
	int r = json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, e);

	return r < 0 ? r : rules_add(&d->rules, json_root(doc), &file, ret_notices, e);
}

/* What the folder of a rule's path really is; nothing for a rule without one. */
static void
real_folder(const struct rule *rule, struct buf *ret_path)
{
	struct str folder = rules_folder(rule);
	struct resolved real;

	if (!folder.n)
		return;
	if (resolve_path(STR("/"), folder, &real))
		buf_add(ret_path, buf_str(&real.real));
	resolved_done(&real);
}

/* A rule about a path holds under the name that its folder really has, too. */
static void
resolve_rules(struct desk *d)
{
	for (size_t i = 0; i < d->rules.n; i++) {
		auto_done(buf) struct buf real = buf_max(KiB(5));

		real_folder(&d->rules.list[i], &real);
		if (real.n)
			rules_resolve(&d->rules.list[i], buf_str(&real));
	}
}

static void
add_protected(struct desk *d)
{
	for (int h = 0; h < HOME_COUNT; h++) {
		auto_done(buf) struct buf path = buf_max(KiB(5));
		struct resolved real;
		struct err e;

		if (home_path((enum home)h, &path, &e) < 0)
			continue;
		if (resolve_path(STR("/"), buf_str(&path), &real))
			d->protected[d->policy.protected_n++] = keep(d, &real.real);
		resolved_done(&real);
	}
	d->policy.protected = d->protected;
}

static int
make_policy(struct desk *d, const struct desk_request *request, struct buf *ret_notices,
    struct err *e)
{
	struct str rest = request->folders;
	int r = 0;

	add_protected(d);
	if (request->cwd.n)
		r = add_root(d, STR("/"), request->cwd, GATE_WORKSPACE, e);
	if (r < 0)
		return r;
	buf_add(&d->cwd, d->policy.roots_n ? d->roots[0].path : STR("/"));
	while (r >= 0 && rest.n) {
		struct str folder = str_split(&rest, '\n');

		if (folder.n)
			r = add_root(d, buf_str(&d->cwd), folder, GATE_DECLARED, e);
	}
	for (const struct conf_list *list = d->conf->lists; list && r >= 0; list = list->next) {
		if (list->option == OPT_rules)
			r = add_rules(d, list, ret_notices, e);
		else if (list->option == OPT_directories)
			r = add_configured(d, list, ret_notices, e);
	}
	resolve_rules(d);
	d->policy.roots = d->roots;
	d->policy.rules = &d->rules;
	return r;
}

/* The policy in force in words, for the audit: "headless, ask, --allow-write, --read-only". */
static void
write_policy(struct desk *d)
{
	static const char *const surfaces[GATE_SURFACE_COUNT] = { [GATE_HEADLESS] = "headless",
		[GATE_MCP] = "mcp",
		[GATE_TERMINAL] = "terminal",
		[GATE_SERVE] = "serve" };
	struct buf *out = &d->journal.policy;

	*out = buf_max(KiB(1));
	buf_addf(out, "%s, %s", surfaces[d->policy.surface],
	    gate_modes[gate_first_mode(d->policy.flags)].name);
	for (unsigned flag = 1; flag <= GATE_ALLOW_AGENTS; flag <<= 1) {
		if (d->policy.flags & flag)
			buf_addf(out, ", %s", gate_flag_name((enum gate_flag)flag));
	}
	if (d->policy.read_only)
		buf_add(out, STR(", --read-only"));
	if (d->policy.flags & GATE_ALLOW_PROCESS)
		buf_addf(out, ", fence %.*s",
		    STR_ARG(conf_word(OPT_process_fence, d->conf->value[OPT_process_fence])));
	if (d->rules.n)
		buf_addf(out, ", %zu rules", d->rules.n);
}

/* ---- life ---- */

/* --read-only takes the declared folders away. */
static bool
worker_arguments(const struct desk *d, enum sandbox_profile_id profile, struct str once,
    struct buf *ret_arguments)
{
	buf_add(ret_arguments, str_of(sandbox_profiles[profile].name));
	buf_addc(ret_arguments, '\0');
	if (sandbox_profiles[profile].commands)
		buf_add(ret_arguments, buf_str(&d->options));
	buf_add(ret_arguments, buf_str(&d->cwd));
	buf_addc(ret_arguments, '\0');
	for (size_t i = 0; i < d->policy.roots_n; i++) {
		if (d->policy.read_only && d->roots[i].kind == GATE_DECLARED)
			continue;
		buf_add(ret_arguments, d->roots[i].path);
		buf_addc(ret_arguments, '\0');
	}
	for (size_t i = 0; i < d->policy.grants.folders_n; i++) {
		buf_add(ret_arguments, d->policy.grants.folders[i]);
		buf_addc(ret_arguments, '\0');
	}
	buf_add(ret_arguments, once);
	return buf_ok(ret_arguments);
}

int
desk_init(struct desk *d, const struct conf *conf, const struct desk_request *request,
    struct buf *ret_notices, struct err *e)
{
	int r;

	*d = (struct desk){
		.conf = conf,
		.cwd = buf_max(KiB(5)),
		.options = buf_max(KiB(100)),
		.environment = buf_max(KiB(60)),
		.policy = {
			.surface = request->mcp        ? GATE_MCP
				   : request->attended ? GATE_TERMINAL
						       : GATE_HEADLESS,
			.resumed = request->resumed,
			.flags = request->flags,
			.read_only = request->read_only,
		},
	};
	r = make_policy(d, request, ret_notices, e);
	if (r >= 0)
		r = commands_options(conf, &d->policy, buf_str(&d->cwd), &d->options,
		    ret_notices, e);
	if (r >= 0)
		r = commands_environment(conf, &d->environment, e);
	if (r < 0) {
		desk_done(d);
		return r;
	}
	write_policy(d);
	return 0;
}

/* The same rules for what lies in folders, as tool/hidden.h takes them. */
static void
hidden(const struct desk *d, struct buf *ret_protected, struct buf *ret_rules)
{
	const char *home = getenv("HOME");

	for (size_t i = 0; i < d->policy.protected_n; i++)
		buf_addf(ret_protected, "%.*s\n", STR_ARG(d->policy.protected[i]));
	json_open(ret_rules, NULL, '{');
	json_open(ret_rules, "files", '[');
	for (const struct conf_list *list = d->conf->lists; list; list = list->next) {
		if (list->option != OPT_rules)
			continue;
		json_open(ret_rules, NULL, '{');
		json_put_str(ret_rules, "file", buf_str(&list->file));
		json_put_bool(ret_rules, "project", list->layer != CONF_USER);
		json_put_str(ret_rules, "home", str_of(home && *home == '/' ? home : ""));
		json_put_raw(ret_rules, "rules", buf_str(&list->json));
		json_close(ret_rules, '}');
	}
	json_close(ret_rules, ']');
	json_open(ret_rules, "real", '[');
	for (size_t i = 0; i < d->rules.n; i++) {
		auto_done(buf) struct buf real = buf_max(KiB(5));

		real_folder(&d->rules.list[i], &real);
		json_put_str(ret_rules, NULL, buf_str(&real));
	}
	json_close(ret_rules, ']');
	for (size_t i = 0; i < d->policy.roots_n; i++) {
		if (d->roots[i].carved)
			json_put_str(ret_rules, "carved", d->roots[i].path);
	}
	json_close(ret_rules, '}');
}

static void
open_pool(struct desk *d, struct pool *p, enum tool_effect effect, struct str arguments)
{
	auto_done(buf) struct buf protected = buf_max(KiB(16)), rules = buf_max(MiB(1)),
				  tmp = buf_max(KiB(4));

	pool_init(p, d->loop, d->launcher, profile_of(d, effect), arguments,
	    workers[effect].beside ? (unsigned)d->conf->value[OPT_js_concurrency] : 1);
	hidden(d, &protected, &rules);
	pool_hide(p, buf_str(&protected), buf_str(&rules));
	if (effect != EFFECT_PROCESS)
		return;
	commands_tmp(&tmp);
	pool_commands(p, buf_str(&d->environment), buf_str(&tmp));
}

/* The folders that are allowed for the session are others now. */
static void
move_pools(struct desk *d)
{
	for (int effect = 0; d->ready && effect < EFFECT_COUNT; effect++) {
		auto_done(buf) struct buf arguments = buf_max(KiB(128));

		if (workers[effect].any &&
		    worker_arguments(d, profile_of(d, (enum tool_effect)effect), STR(""),
			&arguments))
			pool_move(&d->pools[effect], buf_str(&arguments));
	}
}

int
desk_ready(struct desk *d, struct loop *loop, struct launcher *launcher, struct str scratch,
    struct err *e)
{
	int r = scratch.n ? add_root(d, STR("/"), scratch, GATE_SCRATCH, e) : 0;

	if (r < 0)
		return r;
	d->loop = loop;
	d->launcher = launcher;
	/* It may be in a folder that is protected otherwise. */
	if (scratch.n)
		d->roots[d->policy.roots_n - 1].carved = true;
	for (int effect = 0; effect < EFFECT_COUNT; effect++) {
		auto_done(buf) struct buf arguments = buf_max(KiB(128));

		if (!workers[effect].any)
			continue;
		if (!worker_arguments(d, profile_of(d, (enum tool_effect)effect), STR(""),
			&arguments))
			return err_set(e, ERR_LIMIT,
			    "the paths of the folders are too long together");
		open_pool(d, &d->pools[effect], (enum tool_effect)effect, buf_str(&arguments));
	}
	d->ready = true;
	return 0;
}

void
desk_done(struct desk *d)
{
	for (int effect = 0; d->ready && effect < EFFECT_COUNT; effect++) {
		if (workers[effect].any)
			pool_done(&d->pools[effect]);
	}
	while (d->own)
		drop_own(d->own);
	d->ready = false;
	approvals_done(&d->approvals);
	rules_done(&d->rules);
	while (d->texts_n)
		free(d->texts[--d->texts_n]);
	buf_done(&d->cwd);
	buf_done(&d->options);
	buf_done(&d->environment);
	buf_done(&d->journal.policy);
}
