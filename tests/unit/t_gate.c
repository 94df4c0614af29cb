/* SPDX-License-Identifier: MIT */
/* The words of verdicts, and questions one after the other. What is decided: gate_oracle.py. */
#include "base/json.h"
#include "gate/explain.h"
#include "gate/rule.h"
#include "ipc/code.h"

#include "tap.h"

static const struct gate_root roots[] = {
	{ { "/ws", 3 }, GATE_WORKSPACE, false },
	{ { "/extra", 6 }, GATE_DECLARED, false },
	{ { "/tmp/s", 6 }, GATE_SCRATCH, false },
};
static const struct str protected[] = { STR("/home/u/.config/crisol"), STR("/state/crisol") };

static struct gate_policy
policy_of(enum gate_surface surface, unsigned flags)
{
	return (struct gate_policy){
		.surface = surface,
		.flags = flags,
		.roots = roots,
		.roots_n = COUNT(roots),
		.protected = protected,
		.protected_n = COUNT(protected),
	};
}

static struct gate_call
call_of(const char *name)
{
	return (struct gate_call){ .name = str_of(name), .tool = gate_builtin(str_of(name)) };
}

static struct gate_call
call_on(const char *name, struct gate_path *path)
{
	struct gate_call call = call_of(name);

	call.paths = path;
	call.paths_n = 1;
	return call;
}

static void
rules_of(struct rules *r, const char *text)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	struct rules_file file = { STR("/c/config.json"), RULES_USER, STR("/home/u") };
	struct err e = { 0 };

	if (json_parse(str_of(text), KiB(4), &doc, &e) < 0 ||
	    rules_add(r, json_root(doc), &file, &notices, &e) < 0)
		printf("# %s\n", e.text);
}

static void
says(const struct gate_policy *p, const struct gate_call *c, const char *source,
    const char *words)
{
	auto_done(buf) struct buf by = buf_max(EXPLAIN_MAX), out = buf_max(EXPLAIN_MAX);
	struct gate_verdict v;

	gate_decide(p, c, &v);
	explain_source(p, c, &v, &by);
	explain_verdict(p, c, &v, &out);
	is_str(buf_text(&by), source, "by");
	is_str(buf_text(&out), words, "in words");
}

/* ---- words ---- */

static void
words_of_allow(void)
{
	struct gate_policy p = policy_of(GATE_TERMINAL, GATE_ALLOW_WRITE);
	struct gate_path path = { .real = STR("/ws/a"), .folder = STR("/ws"), .write = true };
	struct gate_call c = call_on("write_file", &path);

	says(&p, &c, "flag --allow-write", "--allow-write permits write_file");
	p.mode = GATE_MODE_AUTO;
	says(&p, &c, "mode auto", "the mode auto permits write_file (write)");
	p.flags = 0;
	p.mode = GATE_MODE_ASK;
	p.grants.effects = 1u << GATE_WRITE;
	says(&p, &c, "grant write", "write_file (write) was allowed for this session");
	p.grants.effects = 0;
	c.once = GATE_ONCE_CALL;
	says(&p, &c, "once", "write_file (write) was allowed for this call");
	path.real = STR("/tmp/s/plan.js");
	path.folder = STR("/tmp/s");
	says(&p, &c, "scratch", "writes to the scratchpad need no question");
	c = call_of("git_status");
	says(&p, &c, "effect read", "git_status changes nothing, so it is always permitted");
	c = call_of("task");
	says(&p, &c, "effect internal",
	    "task changes only what is crisol's own, so it is always permitted");
	p.flags = GATE_ALLOW_PROCESS | GATE_ALLOW_ANALYSIS | GATE_ALLOW_MCP;
	c = call_of("python_run");
	says(&p, &c, "flag --allow-process or --allow-analysis",
	    "--allow-process or --allow-analysis permits python_run");
	c = call_of("mcp_connect");
	says(&p, &c, "flag --allow-mcp", "--allow-mcp permits mcp_connect");
	p.mode = GATE_MODE_CUSTOM;
	p.flags = GATE_ALLOW_WRITE | GATE_ALLOW_PROCESS | GATE_ALLOW_EXTERNAL;
	says(&p, &c, "mode full", "the mode full permits mcp_connect (external)");
}

static void
words_of_absent(void)
{
	struct gate_policy p = policy_of(GATE_HEADLESS, 0);
	struct gate_call c = call_of("raed_file");

	says(&p, &c, "name",
	    "there is no tool named 'raed_file': crisol tools lists those there are");
	c = call_of("execute");
	c.off = STR("forge.javascript.enabled is true");
	says(&p, &c, "off", "execute is switched off here: forge.javascript.enabled is true");
	c = call_of("ask_user_question");
	c.from = GATE_FROM_JS;
	says(&p, &c, "script",
	    "ask_user_question cannot be called from a script: call it directly");
	c = call_of("exit_plan");
	says(&p, &c, "agent build", "exit_plan is for the plan agent alone");
	c = call_of("python_run");
	says(&p, &c, "headless",
	    "python_run (process) is not there without --allow-process or --allow-analysis, as "
	    "there "
	    "is nobody to ask; a rule in permissions.rules of your own configuration can allow "
	    "some "
	    "of its calls");
	c = call_of("mcp_resource");
	says(&p, &c, "headless",
	    "mcp_resource (external) is not there without --allow-mcp (or mcp.allow in your "
	    "own "
	    "configuration), as there is nobody to ask; a rule in permissions.rules of your "
	    "own "
	    "configuration can allow some of its calls");
	p.read_only = true;
	says(&p, &c, "flag --read-only",
	    "--read-only removes mcp_resource (external): start crisol without --read-only");
	p.read_only = false;
	p.agent = GATE_PLAN;
	says(&p, &c, "agent plan",
	    "the plan agent has no mcp_resource (external) in any mode: switch to the build "
	    "agent");
}

static void
words_of_places(void)
{
	struct gate_policy p = policy_of(GATE_HEADLESS, GATE_ALLOW_WRITE);
	struct gate_path path = { .real = STR("/srv/my \"it's\"/a"),
		.folder = STR("/srv/my \"it's\"") };
	struct gate_call c = call_on("read_file", &path);

	says(&p, &c, "outside",
	    "/srv/my \"it's\"/a is outside the workspace and the declared directories: start "
	    "crisol "
	    "with --add-dir '/srv/my \"it'\\''s\"', or add \"/srv/my \\\"it's\\\"\" to "
	    "additionalDirectories in your configuration");
	path = (struct gate_path){ .real = STR("/extra/a"), .folder = STR("/extra") };
	p.read_only = true;
	says(&p, &c, "outside",
	    "/extra/a is outside the workspace, and --read-only lets nothing outside in: start "
	    "crisol without it and with --add-dir /extra");
	p = policy_of(GATE_TERMINAL, GATE_ALLOW_WRITE);
	path = (struct gate_path){ .real = STR("/etc/hosts"), .folder = STR("/etc") };
	says(&p, &c, "outside",
	    "/etc/hosts is outside the workspace and the declared directories: allow /etc, or "
	    "start "
	    "crisol with --add-dir /etc");
	c.from = GATE_FROM_JS;
	says(&p, &c, "outside",
	    "/etc/hosts is outside the workspace and the declared directories, and a script "
	    "cannot ask: call read_file directly, or start crisol with --add-dir /etc");
	path = (struct gate_path){ .real = STR("/state/crisol/x"),
		.folder = STR("/state/crisol") };
	says(&p, &c, "protected",
	    "/state/crisol/x is in a folder of crisol's own, which no tool reads or writes");
	path = (struct gate_path){
		.real = STR("/ws/a"),
		.given = STR("/ws/link"),
		.folder = STR("/ws"),
		.write = true,
		.linked = true,
	};
	c = call_on("edit_file", &path);
	says(&p, &c, "link",
	    "/ws/link leads through a symbolic link, and nothing is written through one: name "
	    "/ws/a "
	    "itself");
	path = (struct gate_path){ .real = STR("/ws/.git/x"),
		.folder = STR("/ws/.git"),
		.write = true };
	says(&p, &c, "guarded",
	    "/ws/.git/x is in .git or .crisol, where every write asks: allow it once");
	p.surface = GATE_HEADLESS;
	says(&p, &c, "guarded",
	    "/ws/.git/x is in .git or .crisol, where every write asks, and there is nobody to "
	    "ask "
	    "here: use crisol in a terminal");
}

static void
words_of_ask(void)
{
	struct gate_policy p = policy_of(GATE_TERMINAL, 0);
	struct gate_call c = call_of("shell");

	says(&p, &c, "effect process",
	    "shell (process) asks first: allow it once or for this session, or start crisol "
	    "with "
	    "--allow-process");
	c.from = GATE_FROM_JS;
	says(&p, &c, "effect process",
	    "shell (process) asks first, and a script cannot ask: call shell directly, or "
	    "start crisol "
	    "with --allow-process");
	c = call_of("python_run");
	c.from = GATE_FROM_EXECUTE;
	says(&p, &c, "execute",
	    "python_run runs from execute only by a flag, and a script cannot ask: call "
	    "python_run "
	    "directly, or start crisol with --allow-process or --allow-analysis");
	p.surface = GATE_SERVE;
	p.mode = GATE_MODE_FULL;
	c = call_of("shell");
	says(&p, &c, "ceiling",
	    "crisol serve was started without the flag for it, so shell (process) asks in "
	    "every "
	    "mode: allow it once or for this session, or start crisol with --allow-process");
	p = policy_of(GATE_TERMINAL, GATE_ALLOW_PROCESS);
	c = call_of("python_run");
	c.extras = STR("science");
	says(&p, &c, "install",
	    "installing the Python packages of 'science' asks every time: allow it once, or "
	    "run "
	    "crisol analysis setup --extras science");
	p.surface = GATE_HEADLESS;
	says(&p, &c, "install",
	    "installing the Python packages of 'science' asks every time, and there is nobody "
	    "to ask "
	    "here: use crisol in a terminal, or run crisol analysis setup --extras science");
}

static void
words_of_rules(void)
{
	auto_done(rules) struct rules r = { 0 };
	struct gate_policy p = policy_of(GATE_HEADLESS, GATE_ALLOW_PROCESS);
	struct str words[] = { STR("git"), STR("push") };
	struct gate_command command = { words, 2, 0 };
	struct gate_call c = call_of("shell");

	rules_of(&r,
	    "[{\"decision\":\"deny\",\"command\":[\"rm\"],\"reason\":\"use the trash\"},"
	    "{\"decision\":\"ask\",\"command\":[\"git\",\"push\"]},"
	    "{\"decision\":\"allow\",\"tool\":\"bg_run\",\"command\":[\"make\"]}]");
	p.rules = &r;
	c.commands = &command;
	c.commands_n = 1;
	says(&p, &c, "permissions.rules[1] of /c/config.json",
	    "permissions.rules[1] of /c/config.json asks about this call, and there is nobody "
	    "to ask "
	    "here: use crisol in a terminal");
	p.surface = GATE_TERMINAL;
	says(&p, &c, "permissions.rules[1] of /c/config.json",
	    "permissions.rules[1] of /c/config.json asks about this call: allow it once");
	words[0] = STR("/bin/rm");
	says(&p, &c, "permissions.rules[0] of /c/config.json",
	    "permissions.rules[0] of /c/config.json denies this call (use the trash)");
	command = (struct gate_command){ .flags = COMMAND_UNCLEAR };
	says(&p, &c, "permissions.rules[0] of /c/config.json",
	    "what the command would run is not certain, and it may be what "
	    "permissions.rules[0] of "
	    "/c/config.json denies (use the trash): allow it once");
	p = policy_of(GATE_HEADLESS, 0);
	p.rules = &r;
	c.name = STR("bg_run");
	c.tool = gate_builtin(c.name);
	says(&p, &c, "permissions.rules[2] of /c/config.json",
	    "bg_run (process) is there only for what rules allow, and they do not allow this "
	    "call: "
	    "see permissions.rules[2] of /c/config.json, or start crisol with --allow-process");
	words[0] = STR("make");
	command = (struct gate_command){ words, 2, 0 };
	says(&p, &c, "permissions.rules[2] of /c/config.json",
	    "permissions.rules[2] of /c/config.json allows bg_run");
}

/* Every reason has words of its own, whatever the answer; what is unknown is no reason to die. */
static void
words_of_hostile(void)
{
	struct gate_policy p = policy_of(GATE_HEADLESS, 0);
	struct gate_call c = { 0 };
	char name[300];
	auto_done(buf) struct buf out = buf_max(EXPLAIN_MAX);
	struct gate_verdict v;

	memset(name, 'x', sizeof(name));
	name[1] = '\xff';
	c.name = (struct str){ name, sizeof(name) };
	gate_decide(&p, &c, &v);
	explain_verdict(&p, &c, &v, &out);
	ok(out.n < 200 && strstr(buf_text(&out), "x\xef\xbf\xbdx"),
	    "a long name of odd bytes is cut");
}

/* ---- questions ---- */

static struct gate_verdict
decided(const struct gate_policy *p, const struct gate_call *c)
{
	struct gate_verdict v;

	gate_decide(p, c, &v);
	return v;
}

static void
one_question_after_another(void)
{
	auto_done(rules) struct rules r = { 0 };
	struct gate_policy p = policy_of(GATE_TERMINAL, 0);
	struct gate_path path = { .real = STR("/srv/a"), .folder = STR("/srv"), .write = true };
	struct gate_call c = call_on("write_file", &path);
	struct gate_verdict v = decided(&p, &c);

	ok(v.answer == GATE_ASK && v.question == GATE_ASK_FOLDER && v.path == &path,
	    "the folder");
	ok(v.code == GATE_APPROVAL_REQUIRED && gate_session_label(v.question),
	    "may be for good");
	path.once = true;
	v = decided(&p, &c);
	ok(v.answer == GATE_ASK && v.question == GATE_ASK_EFFECT, "then the effect");
	p.grants.effects = 1u << GATE_WRITE;
	ok(decided(&p, &c).answer == GATE_ALLOW, "then it may");
	path.once = false;
	p.grants.folders = &path.folder;
	p.grants.folders_n = 1;
	ok(decided(&p, &c).answer == GATE_ALLOW, "also with a folder allowed for good");
	rules_of(&r, "[{\"decision\":\"ask\",\"tool\":\"write_file\"}]");
	p.rules = &r;
	v = decided(&p, &c);
	ok(v.question == GATE_ASK_CALL && !gate_session_label(v.question),
	    "what a rule asks is asked each time");
	c.once = GATE_ONCE_CALL;
	ok(decided(&p, &c).answer == GATE_ALLOW, "and allowed once");
	rules_of(&r, "[{\"decision\":\"deny\",\"path\":\"/srv/**\"}]");
	p.grants = (struct gate_grants){ 0 };
	c.once = 0;
	v = decided(&p, &c);
	ok(v.answer == GATE_DENY && v.code == GATE_DENIED,
	    "nobody is asked about what is denied");
	p.surface = GATE_HEADLESS;
	p.flags = GATE_ALLOW_WRITE;
	ok(decided(&p, &c).code == GATE_OUTSIDE_ROOTS,
	    "the folder comes first in what it is called");
}

static void
install_comes_last(void)
{
	struct gate_policy p = policy_of(GATE_TERMINAL, 0);
	struct gate_call c = call_of("python_run");

	c.extras = STR("analysis");
	ok(decided(&p, &c).question == GATE_ASK_ANALYSIS, "first whether Python may run");
	c.once = GATE_ONCE_CALL;
	ok(decided(&p, &c).question == GATE_ASK_INSTALL, "then whether to install");
	ok(!gate_session_label(GATE_ASK_INSTALL), "never for good");
	c.once |= GATE_ONCE_INSTALL;
	ok(decided(&p, &c).answer == GATE_ALLOW, "then it may");
}

static void
kept_for_later(void)
{
	struct gate_policy p = policy_of(GATE_TERMINAL, 0);
	struct gate_call c = call_of("shell");

	c.from = GATE_FROM_JS;
	c.once = GATE_ONCE_CALL;
	p.grants.effects = 1u << GATE_PROCESS;
	ok(decided(&p, &c).answer == GATE_DENY, "from a script no answer counts");
	p.pending = true;
	ok(decided(&p, &c).answer == GATE_ALLOW,
	    "but where the host keeps questions, its answer");
	c.once = 0;
	ok(decided(&p, &c).answer == GATE_ASK,
	    "and without one it is asked, whatever was granted");
}

static void
hidden(void)
{
	auto_done(rules) struct rules r = { 0 };
	struct gate_policy p = policy_of(GATE_TERMINAL, 0);
	struct gate_call c = call_of("search_text");
	static const struct {
		struct str path;
		bool hidden;
	} table[] = {
		{ STR("/ws/secret/key"), true },
		{ STR("/ws/secrets/key"), false },
		{ STR("/ws/a/notes.txt"), true },
		{ STR("/ws/a"), false },
		{ STR("/home/u/.config/crisol"), true },
		{ STR("/home/u/.config/crisolx"), false },
	};

	rules_of(&r, "[{\"decision\":\"deny\",\"path\":\"secret\"},"
		     "{\"decision\":\"ask\",\"effect\":\"read\",\"path\":\"**/notes*\"},"
		     "{\"decision\":\"deny\",\"effect\":\"write\",\"path\":\"**\"},"
		     "{\"decision\":\"deny\",\"host\":\"a.b\",\"path\":\"**\"},"
		     "{\"decision\":\"allow\",\"path\":\"**\"}]");
	p.rules = &r;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct gate_path path = { .real = table[i].path, .folder = STR("/") };

		ok(gate_hides(&p, &c, &path) == table[i].hidden, "%s is %s", table[i].path.p,
		    table[i].hidden ? "left out" : "shown");
	}
}

/* ---- tables ---- */

static void
builtin_rows(void)
{
	static const char *const names[] = {
#define TOOL(name, effect, flags, traits) #name,
#include "gate/builtin.def"
#undef TOOL
	};
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct gate_tool *t = gate_builtin(str_of(names[i]));
		bool harmless = t->effect == GATE_READ || t->effect == GATE_INTERNAL;

		wrong +=
		    !str_eq(t->name, str_of(names[i])); /* found by the first of that name */
		wrong += harmless != (t->flags == 0);
		wrong += (t->traits & GATE_PUBLISHES) && t->effect != GATE_INTERNAL;
		wrong +=
		    (t->traits & (GATE_COMMANDS | GATE_ANALYSIS)) && t->effect != GATE_PROCESS;
		for (size_t k = 0; k < i; k++)
			wrong += strcmp(names[i], names[k]) == 0;
	}
	is_int(wrong, 0, "the rows of built-in tools agree with themselves");
	ok(!gate_builtin(STR("")) && !gate_builtin(STR("read_fil")), "no other name is one");
}

static void
names(void)
{
	for (int c = GATE_OK + 1; c < GATE_CODE_COUNT; c++)
		ok(code_named(str_of(gate_code_name((enum gate_code)c))) != CODE_NONE,
		    "%s is an error code", gate_code_name((enum gate_code)c));
	for (int r = 0; r < GATE_REASON_COUNT; r++)
		ok(gate_reason_name((enum gate_reason)r)[0], "reason %d has a name", r);
	for (int x = 0; x < GATE_EFFECT_COUNT; x++)
		ok(gate_effect_name((enum gate_effect)x)[0], "effect %d has a name", x);
	for (int a = 0; a < GATE_ANSWER_COUNT; a++)
		ok(gate_answer_name((enum gate_answer)a)[0] &&
			gate_state_name((enum gate_answer)a)[0],
		    "answer %d has a name and a state", a);
	is_str(gate_modes[GATE_MODE_AUTO].preset, "workspace-write", "presets go with modes");
	is_str(gate_modes[gate_first_mode(0)].name, "ask", "no flag");
	is_str(gate_modes[gate_first_mode(GATE_ALLOW_WRITE | GATE_ALLOW_MCP)].name, "auto",
	    "write");
	is_str(gate_modes[gate_first_mode(GATE_ALLOW_PROCESS)].name, "custom", "process alone");
	is_str(gate_modes[gate_first_mode(63)].name, "full", "all");
	is_str(gate_session_label(GATE_ASK_FOLDER),
	    "Always allow this directory in this session", "the label for a folder");
}

int
main(void)
{
	words_of_allow();
	words_of_absent();
	words_of_places();
	words_of_ask();
	words_of_rules();
	words_of_hostile();
	one_question_after_another();
	install_comes_last();
	kept_for_later();
	hidden();
	builtin_rows();
	names();
	return tap_done();
}
