/* SPDX-License-Identifier: MIT */
/*
 * crisol-tool: does what the broker has allowed, for one effect and one set of folders.
 *
 *	crisol-tool PROFILE CWD FOLDER...
 *
 * It closes itself to those folders first; a call that names another path finds nothing to open.
 */
#include "base/utf8.h"
#include "ipc/peer.h"
#include "loop/child.h"
#include "sandbox/enter.h"
#include "tool/hidden.h"
#include "tool/rg.h"
#include "tool/roots.h"

#include <unistd.h>

struct tool {
	struct loop loop;
	struct peer core;
	struct roots roots;
	struct hidden hidden;
	struct str cwd;
	bool told; /* what to leave out: before that nothing is done */
};

static void
say(struct tool *t, enum msg_type type, const void *body)
{
	struct err e;

	if (peer_send(&t->core, type, body, &e) < 0)
		peer_drop(&t->core, &e);
}

/* ---- calls ---- */

static void
run_call(struct tool *t, enum tool_id id, const struct msg_tool_run *m,
    struct msg_tool_done *done)
{
	auto_done(args) struct args in = { 0 };
	auto_done(buf) struct buf out = buf_max(tool_specs[id].output_max);
	struct tool_call call = { .in = &in,
		.cwd = t->cwd,
		.real = m->real,
		.roots = &t->roots,
		.hidden = &t->hidden,
		.out = &out };
	auto_done(buf) struct buf message = buf_max(KiB(2));
	struct err e;

	if (args_read(&in, &tool_specs[id], m->input, &e) < 0)
		tool_fail(&call, CODE_INVALID_INPUT, "%s", e.text);
	else if (tool_runs[id](&call) && !buf_ok(&out))
		tool_fail(&call, CODE_TOO_LARGE, "the result is larger than %zu bytes",
		    out.max);
	if (call.failed.code) {
		done->code = str_of(code_specs[call.failed.code].name);
		/* Names may be any bytes, and may have been cut. */
		utf8_scrub(str_of(call.failed.text), &message);
		done->message = buf_str(&message);
	} else {
		done->result = buf_str(&out);
	}
	say(t, MSG_tool_done, done);
}

static int
tool_on_policy(struct peer *p, const void *body, struct err *e)
{
	const struct msg_tool_policy *m = body;
	struct tool *t = container_of(p, struct tool, core);
	struct gate_root roots[ROOTS_MAX];

	if (t->told)
		return err_set(e, ERR_PROTO, "a second policy");
	for (size_t i = 0; i < t->roots.n; i++)
		roots[i] = (struct gate_root){ str_of(t->roots.list[i].path),
			i == 0 ? GATE_WORKSPACE : GATE_DECLARED, false };
	t->told = true;
	return hidden_init(&t->hidden, roots, t->roots.n, m->protected, m->rules, e);
}

static int
tool_on_run(struct peer *p, const void *body, struct err *e)
{
	const struct msg_tool_run *m = body;
	struct tool *t = container_of(p, struct tool, core);
	struct msg_tool_done done = { .ticket = m->ticket };
	enum tool_id id = tool_named(m->tool);

	if (!t->told)
		return err_set(e, ERR_PROTO, "a call before the policy");
	if (id == TOOL_COUNT)
		return err_set(e, ERR_PROTO, "no tool has the name %.*s", STR_ARG(m->tool));
	run_call(t, id, m, &done);
	return 0;
}

static const struct peer_fn_table on_core = { {
    [MSG_tool_policy] = tool_on_policy,
    [MSG_tool_run] = tool_on_run,
} };

static void
on_core_closed(struct peer *p, const struct err *why)
{
	(void)why;
	loop_stop(&container_of(p, struct tool, core)->loop);
}

/* ---- life ---- */

static const struct sandbox_profile *
profile_named(const char *name)
{
	for (int i = 0; i < PROFILE_COUNT; i++) {
		if (strcmp(sandbox_profiles[i].name, name) == 0)
			return &sandbox_profiles[i];
	}
	return NULL;
}

/* Its folders, for what its profile does there, and ripgrep's executable where that is its tool. */
static int
close_to(const struct sandbox_profile *profile, char **folders, int n,
    struct sandbox_report *ret_report, struct err *e)
{
	struct landlock_rule rules[ROOTS_MAX + 1];
	struct sandbox_enter_opts opts = { .rules = rules };
	const char *rg = profile->ripgrep ? rg_find() : NULL;

	if (n > ROOTS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d folders", ROOTS_MAX);
	for (int i = 0; i < n; i++)
		rules[opts.rule_count++] = (struct landlock_rule){ .path = folders[i],
			.access = profile->folder_access };
	if (rg)
		rules[opts.rule_count++] = (struct landlock_rule){ .path = rg,
			.access = LANDLOCK_READ | LANDLOCK_EXEC };
	return sandbox_enter(profile, &opts, ret_report, e);
}

static int
become_ready(struct tool *t, int argc, char **argv, struct sandbox_report *ret_report,
    struct err *e)
{
	const struct sandbox_profile *profile = argc >= 4 ? profile_named(argv[1]) : NULL;
	int r;

	if (!profile)
		return err_set(e, ERR_INVALID,
		    "started without a profile, a working folder and folders");
	t->cwd = str_of(argv[2]);
	r = close_to(profile, argv + 3, argc - 3, ret_report, e);
	for (int i = 3; i < argc && r >= 0; i++)
		r = roots_add(&t->roots, argv[i], e);
	return r;
}

static int
run(struct tool *t, int argc, char **argv, struct err *e)
{
	auto_done(buf) struct buf text = buf_max(REPORT_MAX);
	struct sandbox_report report;
	int r = loop_init(&t->loop, e);

	if (r >= 0)
		r = peer_init(&t->core, &t->loop, CHILD_CHANNEL, ROLE_TOOL, ROLE_CORE, &on_core,
		    on_core_closed, e);
	if (r < 0)
		return r;
	t->core.pieces = true;
	r = become_ready(t, argc, argv, &report, e);
	if (r < 0) {
		struct msg_tool_failed m = { .why = str_of(e->text) };

		say(t, MSG_tool_failed, &m);
		return r;
	}
	sandbox_report_write(&report, &text);
	struct msg_tool_hello hello = { .report = buf_str(&text) };

	say(t, MSG_tool_hello, &hello);
	t->core.state = ST_READY;
	return loop_run(&t->loop, e);
}

int
main(int argc, char **argv)
{
	static struct tool t;
	struct err e;

	_exit(run(&t, argc, argv, &e) < 0 ? 1 : 0);
}
