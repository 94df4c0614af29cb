/* SPDX-License-Identifier: MIT */
/*
 * crisol-tool: does what the broker has allowed, for one effect and one set of folders.
 *
 *	crisol-tool PROFILE [--protected=FOLDER] [--writable=PATH]... CWD FOLDER...
 *
 * It closes itself to those folders first; a call that names another path finds nothing to open.
 */
#include "base/utf8.h"
#include "ipc/peer.h"
#include "loop/child.h"
#include "sandbox/enter.h"
#include "tool/git_place.h"
#include "tool/hidden.h"
#include "tool/rg.h"
#include "tool/roots.h"
#include "tool/runner.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

struct tool {
	struct loop loop;
	struct peer core;
	struct roots roots;
	struct hidden hidden;
	struct str cwd;
	struct runner runner; /* of a worker that runs commands */
	const char *protected[TREE_PATHS_MAX], *writable[TREE_PATHS_MAX];
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
		.runner = &t->runner,
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
	if (t->runner.spoiled)
		loop_stop(&t->loop);
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
	if (t->runner.profile && runner_init(&t->runner, m->environment, e) < 0)
		return -1;
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

/* It came too late: a command that runs has seen it before this. */
static int
tool_on_cancel(struct peer *p, const void *body, struct err *e)
{
	(void)p;
	(void)body;
	(void)e;
	return 0;
}

static const struct peer_fn_table on_core = { {
    [MSG_tool_policy] = tool_on_policy,
    [MSG_tool_run] = tool_on_run,
    [MSG_tool_cancel] = tool_on_cancel,
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

#define TASKS_MORE \
	512 /* of all commands, beside what the user has already: thousands stop a machine */

/* What the walls are made from: room for names of the root folder, and everything that is given. */
struct opening {
	struct landlock_rule rules[ROOTS_MAX + 2 * TREE_PATHS_MAX];
	struct sandbox_enter_opts opts;
	struct tree_plan tree;
	struct rlimit_row tasks;
};

static void
open_up(struct opening *o, const char *path, unsigned access)
{
	if (o->opts.rule_count < COUNT(o->rules))
		o->rules[o->opts.rule_count++] =
		    (struct landlock_rule){ .path = path, .access = access };
}

/*
 * A command reads and executes what the person does: everything but devices, each name of the root
 * folder by itself. What is crisol's is covered by a mount, or taken from each command.
 */
static void
open_machine(struct opening *o)
{
	DIR *d = opendir("/");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		auto_done(buf) struct buf path = buf_max(NAME_MAX_BYTES);

		buf_addf(&path, "/%s", entry->d_name);
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "dev") != 0 &&
		    entry->d_type != DT_LNK)
			open_up(o, xstrdup(buf_text(&path)),
			    LANDLOCK_READ | LANDLOCK_EXEC | LANDLOCK_OPTIONAL);
	}
	if (d)
		closedir(d);
}

/* Places that commands may write besides the folders; a folder that is not there yet is made. */
static void
open_writable(struct tool *t, const struct sandbox_profile *profile, struct opening *o)
{
	struct runner *r = &t->runner;

	for (size_t i = 0; i < r->writable_n; i++) {
		mkdir(r->writable[i], 0700);
		open_up(o, r->writable[i], profile->folder_access | LANDLOCK_REAL);
	}
	o->tree = (struct tree_plan){ r->writable, r->writable_n, r->protected, r->protected_n,
		true };
	o->opts.tree = &o->tree;
}

/* The tasks of this user now; processes that cannot be looked at are somebody else's. */
static uint64_t
tasks_of_user(void)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;
	uint64_t n = 0;

	while (d && (entry = readdir(d))) {
		auto_done(buf) struct buf path = buf_max(64);
		struct stat st;

		buf_addf(&path, "/proc/%.20s/task", entry->d_name);
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
		    stat(buf_text(&path), &st) == 0 && st.st_uid == getuid() && st.st_nlink > 2)
			n += st.st_nlink - 2;
	}
	if (d)
		closedir(d);
	return n;
}

/* Of an ordinary user the kernel counts all processes together, so the bound is above what there is. */
static void
bound_tasks(struct opening *o)
{
	o->tasks = (struct rlimit_row){ RLIMIT_NPROC, tasks_of_user() + TASKS_MORE };
	o->opts.limits = &o->tasks;
	o->opts.limit_count = 1;
}

static void
open_commands(struct tool *t, const struct sandbox_profile *profile, char **folders, int n,
    struct opening *o)
{
	struct runner *r = &t->runner;

	r->profile = profile;
	r->channel = CHILD_CHANNEL;
	r->tmp = getenv("TMPDIR");
	for (int i = 0; i < n && r->writable_n < TREE_PATHS_MAX; i++)
		t->writable[r->writable_n++] = folders[i];
	if (r->tmp && r->writable_n < TREE_PATHS_MAX)
		t->writable[r->writable_n++] = r->tmp;
	bound_tasks(o);
	if (!profile->filter)
		return;
	open_machine(o);
	open_writable(t, profile, o);
}

/*
 * Its folders, for what its profile does there, and ripgrep and git where those are its tools: one
 * executable each, none of the programs and scripts that come with them.
 */
static int
close_to(struct tool *t, const struct sandbox_profile *profile, char **folders, int n,
    struct sandbox_report *ret_report, struct err *e)
{
	static struct opening o;
	const char *programs[] = { rg_find(), git_find() };
	int r;

	o.opts.rules = o.rules;
	if (n > ROOTS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d folders", ROOTS_MAX);
	if (profile->commands)
		open_commands(t, profile, folders, n, &o);
	else
		for (int i = 0; i < n; i++)
			open_up(&o, folders[i], profile->folder_access | LANDLOCK_REAL);
	for (size_t i = 0; i < COUNT(programs) && profile->programs; i++)
		if (programs[i])
			open_up(&o, programs[i], LANDLOCK_READ | LANDLOCK_EXEC);
	r = sandbox_enter(profile, &o.opts, ret_report, e);
	t->runner.report = *ret_report;
	t->runner.covered = o.opts.tree && (ret_report->held & LAYER_BIT(mntns));
	return r;
}

/* Options before the folders; the number of arguments that they are. */
static int
read_options(struct tool *t, int argc, char **argv)
{
	static const struct str protected = STR("--protected="), writable = STR("--writable=");
	struct runner *r = &t->runner;
	int i = 0;

	r->protected = t->protected;
	r->writable = t->writable;
	for (; i < argc; i++) {
		struct str one = str_of(argv[i]);

		if (str_starts(one, protected) && r->protected_n < TREE_PATHS_MAX)
			t->protected[r->protected_n++] = argv[i] + protected.n;
		else if (str_starts(one, writable) && r->writable_n < TREE_PATHS_MAX)
			t->writable[r->writable_n++] = argv[i] + writable.n;
		else
			break;
	}
	return i;
}

static int
become_ready(struct tool *t, int argc, char **argv, struct sandbox_report *ret_report,
    struct err *e)
{
	const struct sandbox_profile *profile = argc >= 4 ? profile_named(argv[1]) : NULL;
	int first = argc >= 4 ? 2 + read_options(t, argc - 2, argv + 2) : 0;
	int r;

	if (!profile || argc - first < 2)
		return err_set(e, ERR_INVALID,
		    "started without a profile, a working folder and folders");
	t->cwd = str_of(argv[first]);
	r = close_to(t, profile, argv + first + 1, argc - first - 1, ret_report, e);
	for (int i = first + 1; i < argc && r >= 0; i++)
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
