/* SPDX-License-Identifier: MIT */
#include "tool/git.h"

#include "base/json.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/git_place.h"
#include "tool/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#define ARGS_MAX     24
#define VARS_MAX     KiB(256) /* bytes of its environment */
#define DRIVERS_MAX  KiB(16)  /* bytes of names of filters */
#define SETTINGS_MAX 2048

/* ---- what it is told ---- */

/* Nothing of the person's or the machine's, no lock, no question, nothing fetched. */
static const char *const variables[] = {
	"LANG=C.UTF-8",
	"HOME=/dev/null",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=/dev/null",
	"GIT_LITERAL_PATHSPECS=1",
	"GIT_WORK_TREE=.",
	"GIT_PAGER=cat",
};

/* Above what the repository has. What cannot be run anyway is not tried either. */
static const struct {
	const char *key, *value;
} settings[] = {
	{ "core.fsmonitor", "false" },
	{ "core.hooksPath", "/dev/null" },
	{ "core.attributesFile", "/dev/null" },
	{ "core.excludesFile", "/dev/null" },
	{ "core.untrackedCache", "false" },
	/* Owners look different in a user namespace: by them each file would be read again. */
	{ "core.checkStat", "minimal" },
	{ "core.quotePath", "false" },
	{ "core.warnAmbiguousRefs", "false" },
	{ "core.sshCommand", "false" },
	{ "core.gitProxy", "false" },
	{ "core.askPass", "false" },
	{ "core.pager", "cat" },
	{ "core.editor", "false" },
	{ "credential.helper", "" },
	{ "gpg.program", "false" },
	{ "advice.graftFileDeprecated", "false" },
	{ "gc.auto", "0" },
	{ "maintenance.auto", "false" },
	{ "protocol.allow", "never" },
	{ "diff.external", "" },
	{ "diff.orderFile", "/dev/null" },
	{ "diff.autoRefreshIndex", "true" },
	{ "diff.suppressBlankEmpty", "false" },
	{ "diff.interHunkContext", "0" },
	{ "diff.colorMoved", "no" },
	{ "diff.wsErrorHighlight", "none" },
	{ "status.submoduleSummary", "false" },
	{ "submodule.recurse", "false" },
	{ "column.ui", "never" },
	{ "color.ui", "never" },
};

/*
 * What its worker may and it need not: flags that no filter sees, signals, messages, and processes
 * of its own, threads excepted. It begins by opening /dev/null for reading and writing, to have three
 * descriptors, and gives up when that fails; nothing may be opened so here, and it has the three:
 * it is given the number of its standard input.
 */
static const unsigned without[] = { SYS_openat2, SYS_pidfd_send_signal, SYS_sendmsg,
	SYS_recvmsg, SYS_sendto, SYS_recvfrom, 0 };
static const struct helper_rule rules[] = {
	{ .call = SYS_clone, .arg = 0, .mask = CLONE_THREAD, .value = 0, .gives = EPERM },
	{ .call = SYS_openat, .arg = 2, .mask = ~0U, .value = O_RDWR, .gives = 0 },
};

/* ---- its words ---- */

struct words {
	struct buf text; /* each with its NUL */
	size_t n;
};

static void
add_word(struct words *w, struct str word)
{
	buf_add(&w->text, word);
	buf_addc(&w->text, '\0');
	w->n++;
}

static void
add_setting(struct words *w, size_t at, struct str key, struct str value)
{
	buf_addf(&w->text, "GIT_CONFIG_KEY_%zu=%.*s", at, STR_ARG(key));
	buf_addc(&w->text, '\0');
	buf_addf(&w->text, "GIT_CONFIG_VALUE_%zu=%.*s", at, STR_ARG(value));
	buf_addc(&w->text, '\0');
	w->n += 2;
}

/* A list as execve wants it; NULL when not all words fitted. */
static char **
list_of(const struct words *w)
{
	char **list;
	size_t at = 0;

	if (!buf_ok(&w->text))
		return NULL;
	list = xcalloc(w->n + 1, sizeof(*list));
	for (size_t i = 0; i < w->n; i++) {
		list[i] = w->text.p + at;
		at += strlen(list[i]) + 1;
	}
	return list;
}

/* Filters would be programs: each becomes none, so that a needed one is no failure. */
static size_t
add_drivers(struct words *w, size_t at, struct str names)
{
	static const struct {
		const char *key, *value;
	} none[] = { { "clean", "" }, { "smudge", "" }, { "process", "" },
		{ "required", "false" } };

	while (names.n && at + COUNT(none) < SETTINGS_MAX) {
		struct str name = str_split(&names, '\0');

		for (size_t i = 0; i < COUNT(none); i++) {
			auto_done(buf) struct buf key = buf_max(DRIVERS_MAX + 32);

			buf_addf(&key, "%.*s.%s", STR_ARG(name), none[i].key);
			add_setting(w, at++, buf_str(&key), str_of(none[i].value));
		}
	}
	return at;
}

static void
build_variables(const struct git_repo *r, struct str drivers, struct words *ret_words)
{
	struct words *w = ret_words;
	auto_done(buf) struct buf line = buf_max(KiB(16));
	size_t at = 0;

	*w = (struct words){ .text = buf_max(VARS_MAX) };
	for (size_t i = 0; i < COUNT(variables); i++)
		add_word(w, str_of(variables[i]));
	buf_addf(&line, "GIT_DIR=%s", r->dir.p);
	add_word(w, buf_str(&line));
	buf_reset(&line);
	buf_addf(&line, "GIT_COMMON_DIR=%s", r->common.p);
	add_word(w, buf_str(&line));
	for (size_t i = 0; i < COUNT(settings); i++)
		add_setting(w, at++, str_of(settings[i].key), str_of(settings[i].value));
	at = add_drivers(w, at, drivers);
	buf_reset(&line);
	buf_addf(&line, "GIT_CONFIG_COUNT=%zu", at);
	add_word(w, buf_str(&line));
}

static bool
run_once(struct tool_call *c, const struct git_repo *r, const char *const args[],
    const struct str *names, size_t names_n, struct str drivers,
    struct program_output *ret_output)
{
	struct words env = { 0 }, words = { .text = buf_max(MiB(1)) };
	auto_free char **argv = NULL, **envp = NULL;
	struct helper_order order = { .path = git_find(),
		.dir = r->fd,
		.input = -1,
		.without = without,
		.rules = rules,
		.rules_n = COUNT(rules) };
	bool ok;

	add_word(&words, STR("git"));
	for (size_t i = 0; args[i]; i++)
		add_word(&words, str_of(args[i]));
	if (names)
		add_word(&words, STR("--"));
	for (size_t i = 0; i < names_n; i++)
		add_word(&words, names[i]);
	build_variables(r, drivers, &env);
	order.argv = argv = list_of(&words);
	order.env = envp = list_of(&env);
	if (!order.path)
		ok = tool_fail(c, CODE_TOOL_FAILED, "git is not installed: %s", git_advice);
	else if (!argv || !envp)
		ok = tool_fail(c, CODE_TOOL_FAILED, "git would need too many arguments");
	else
		ok = program_run(c, "git", &order, ret_output);
	buf_done(&words.text);
	buf_done(&env.text);
	return ok;
}

/* ---- running it ---- */

/* "filter.NAME" of every filter there is, each once, with its NUL. */
static void
find_drivers(struct tool_call *c, const struct git_repo *r, struct buf *ret_names)
{
	static const char *const args[] = { "config", "--name-only", "-z", "--get-regexp",
		"^filter\\.", NULL };
	struct program_output o = { .out = buf_max(DRIVERS_MAX), .err = buf_max(KiB(1)) };
	struct str rest;

	*ret_names = buf_max(DRIVERS_MAX);
	if (run_once(c, r, args, NULL, 0, (struct str){ 0 }, &o) && o.exit_status == 0) {
		rest = buf_str(&o.out);
		while (rest.n) {
			struct str key = str_split(&rest, '\0'), known = buf_str(ret_names);
			bool twice = false;

			while (key.n && key.p[key.n - 1] != '.')
				key.n--;
			if (key.n <= sizeof("filter"))
				continue;
			key.n--;
			while (known.n && !twice)
				twice = str_eq(str_split(&known, '\0'), key);
			if (twice)
				continue;
			buf_add(ret_names, key);
			buf_addc(ret_names, '\0');
		}
	}
	program_output_done(&o);
}

bool
git_try(struct tool_call *c, const struct git_repo *r, const char *const args[],
    struct program_output *ret_output)
{
	return run_once(c, r, args, NULL, 0, (struct str){ 0 }, ret_output);
}

bool
git_run(struct tool_call *c, const struct git_repo *r, const char *const args[],
    const struct str *names, size_t names_n, struct program_output *ret_output)
{
	auto_done(buf) struct buf drivers = { 0 };

	if (!run_once(c, r, args, names, names_n, (struct str){ 0 }, ret_output))
		return false;
	if (ret_output->exit_status != 0 && !ret_output->cut) {
		/* It may have wanted a filter: it is told that there is none. */
		find_drivers(c, r, &drivers);
		if (drivers.n) {
			buf_reset(&ret_output->out);
			buf_reset(&ret_output->err);
			if (!run_once(c, r, args, names, names_n, buf_str(&drivers),
				ret_output))
				return false;
		}
	}
	return ret_output->exit_status == 0 || ret_output->cut || git_failed(c, r, ret_output);
}

bool
git_failed(struct tool_call *c, const struct git_repo *r, const struct program_output *o)
{
	if (git_may_hide(c, r))
		return tool_fail(c, CODE_TOOL_FAILED,
		    "git failed with status %d; what it said may tell what is in files that "
		    "are hidden, and is kept back",
		    o->exit_status);
	return tool_fail(c, CODE_TOOL_FAILED, "git failed: %.*s",
	    STR_ARG(program_said(o, 400)));
}

/* ---- results ---- */

bool
git_hides(const struct tool_call *c, const struct git_repo *r, struct str name)
{
	auto_done(buf) struct buf path = buf_max(KiB(16));

	/* A folder that is new as a whole ends in a slash. */
	if (name.n && name.p[name.n - 1] == '/')
		name.n--;
	buf_addf(&path, "%.*s/%.*s", STR_ARG(buf_str(&r->top)), STR_ARG(name));
	return !buf_ok(&path) || hidden_is(c->hidden, c->in->spec->name, buf_str(&path));
}

bool
git_may_hide(const struct tool_call *c, const struct git_repo *r)
{
	const struct gate_policy *p = &c->hidden->policy;
	bool may = hidden_by_rules(c->hidden);

	for (size_t i = 0; i < p->protected_n && !may; i++)
		may = path_below(p->protected[i], buf_str(&r->top));
	return may;
}

static void
put_clean(struct buf *out, const char *name, struct str text)
{
	auto_done(buf) struct buf clean = buf_max(text.n * 3 + 1);

	utf8_scrub(text, &clean);
	json_put_str(out, name, buf_str(&clean));
}

void
git_result(struct tool_call *c, const struct git_repo *r, struct str text, struct str said,
    size_t hidden, bool cut)
{
	struct str none = { NULL, 0 };

	json_open(c->out, NULL, '{');
	put_clean(c->out, "repository", tool_shown(c, buf_str(&r->top)));
	put_clean(c->out, "stdout", text);
	put_clean(c->out, "stderr", git_may_hide(c, r) ? none : said);
	json_put_u64(c->out, "exitCode", 0);
	if (hidden)
		json_put_u64(c->out, "hidden", hidden);
	json_put_bool(c->out, "truncated", cut);
	json_close(c->out, '}');
}
