/* SPDX-License-Identifier: MIT */
/*
 * A project's list of rules, and the calls that they judge: whatever it says, it permits nothing
 * that was not permitted without it.
 */
#include "base/json.h"
#include "fuzz.h"
#include "gate/explain.h"
#include "gate/rule.h"

static const struct gate_root roots[] = { { STR("/ws"), GATE_WORKSPACE, false } };
static const struct gate_path paths[] = {
	{ STR("/ws/src/a.c"), STR("/ws/src/a.c"), STR("/ws/src"), false, false, false },
	{ STR("/ws/out"), STR("/ws/link/out"), STR("/ws"), true, false, false },
	{ STR("/etc/passwd"), { NULL, 0 }, STR("/etc"), false, false, false },
};
static const struct str words[] = { STR("git"), STR("log"), STR("-1"), { NULL, 0 } };
static const struct gate_command commands[] = {
	{ words, 3, 0 },
	{ words, 4, COMMAND_SUBSTITUTION },
	{ words + 3, 1, COMMAND_UNCLEAR },
};
static const struct str hosts[] = { STR("a.example.com"), STR("127.0.0.1"), STR("::1") };

/* A call of each kind, out of the tables above. */
static struct gate_call
call_of(unsigned kind)
{
	static const char *const names[] = { "read_file", "write_file", "shell", "run_process",
		"webfetch", "js_run" };
	struct gate_call call = {
		.name = str_of(names[kind % COUNT(names)]),
		.from = kind / COUNT(names) % 2 ? GATE_FROM_JS : GATE_DIRECT,
		.paths = paths,
		.paths_n = kind % (COUNT(paths) + 1),
		.commands = commands,
		.commands_n = kind % (COUNT(commands) + 1),
		.hosts = hosts,
		.hosts_n = kind % (COUNT(hosts) + 1),
	};

	call.tool = gate_builtin(call.name);
	return call;
}

static void
check_call(const struct rules *rules, unsigned kind)
{
	struct gate_policy policy = {
		.surface = kind % 3 ? GATE_TERMINAL : GATE_HEADLESS,
		.mode = (enum gate_mode)(kind % GATE_MODE_COUNT),
		.flags =
		    kind % 2 ? GATE_ALLOW_WRITE | GATE_ALLOW_PROCESS | GATE_ALLOW_EXTERNAL : 0,
		.roots = roots,
		.roots_n = COUNT(roots),
	};
	struct gate_call call = call_of(kind);
	struct gate_verdict without, with;

	gate_decide(&policy, &call, &without);
	policy.rules = rules;
	gate_decide(&policy, &call, &with);
	must(with.answer <= without.answer);
	must(with.answer < GATE_ANSWER_COUNT && with.reason < GATE_REASON_COUNT);
	gate_offer(&policy, &call, &with);
	must(with.answer < GATE_ANSWER_COUNT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct rules_file file = { STR("file"), RULES_PROJECT, STR("/home/u") };
	auto_done(rules) struct rules rules = { 0 };
	auto_done(buf) struct buf notices = buf_max(KiB(64));
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int r;

	if (json_parse((struct str){ (const char *)bytes, n }, KiB(64), &doc, &e) < 0)
		return 0;
	r = rules_add(&rules, json_root(doc), &file, &notices, &e);
	must(r == 0 || r == -ERR_INVALID || r == -ERR_LIMIT);
	must(r == 0 || (rules.n == 0 && e.text[0]));
	must(rules.n <= RULES_MAX);
	for (size_t i = 0; i < rules.n; i++) {
		must(rules.list[i].decision != RULE_ALLOW &&
		     rules.list[i].command_n <= RULE_COMMAND_MAX);
		rules_resolve(&rules.list[i], STR("/real/folder"));
	}
	for (unsigned kind = 0; kind < 48; kind++)
		check_call(&rules, kind);
	return 0;
}
