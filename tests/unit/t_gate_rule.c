/* SPDX-License-Identifier: MIT */
#include "gate/rule.h"

#include "base/json.h"

#include "tap.h"

static struct err e;
static struct buf notices = { .max = KiB(4) };

static int
add_from(struct rules *r, const char *text, enum rules_layer layer, struct str home)
{
	auto_obj(json) struct json *doc = NULL;
	struct rules_file file = { STR("/c/config.json"), layer, home };

	buf_reset(&notices);
	if (json_parse(str_of(text), MiB(1), &doc, &e) < 0)
		return -1;
	return rules_add(r, json_root(doc), &file, &notices, &e);
}

static int
add(struct rules *r, const char *text)
{
	return add_from(r, text, RULES_USER, STR("/home/u"));
}

static void
reads(void)
{
	auto_done(rules) struct rules r = { 0 };
	const struct rule *rule;

	ok(add(&r, "[]") == 0 && r.n == 0, "an empty list");
	ok(rules_add(&r, NULL, NULL, &notices, &e) == 0, "none");
	ok(add(&r,
	       "[{\"decision\":\"deny\",\"tool\":\"shell\",\"effect\":\"process\",\"path\":\"~/"
	       "x/\","
	       "\"command\":[\"rm\",\"\",\"**\"],\"host\":\"*.Example.com.\",\"server\":\"s*\","
	       "\"reason\":\"not here\"}]") == 0,
	    "every field");
	rule = &r.list[0];
	ok(r.n == 1 && rule->decision == RULE_DENY && rule->effect == GATE_PROCESS,
	    "its decision");
	ok(str_eq(rule->tool, STR("shell")) && str_eq(rule->path, STR("/home/u/x/**")),
	    "its path");
	ok(rule->command_n == 3 && rule->command[1].n == 0,
	    "its words, an empty one among them");
	ok(str_eq(rule->host, STR("*.Example.com")) && str_eq(rule->server, STR("s*")),
	    "its host");
	ok(str_eq(rule->reason, STR("not here")) && str_eq(rule->file, STR("/c/config.json")),
	    "its reason and file");
	ok(add(&r, "[{\"decision\":\"ask\",\"host\":\"0:0::0001\"},{\"decision\":\"ask\","
		   "\"path\":\".\"}]") == 0 &&
		r.n == 3,
	    "more of them");
	ok(str_eq(r.list[1].host, STR("::1")), "an address in its usual form");
	ok(r.list[2].has_path && !r.list[2].path.n && r.list[2].index == 1,
	    "the workspace itself");
}

static void
refuses(void)
{
	static const char *const table[][2] = {
		{ "{}", "permissions.rules: a list was expected" },
		{ "[1]", "permissions.rules[0]: an object was expected" },
		{ "[{}]", "[0]: decision is missing" },
		{ "[{\"tool\":\"x\"}]", "[0]: decision is missing" },
		{ "[{\"decision\":\"allow\"}]", "[0]: it names nothing" },
		{ "[{\"decision\":\"deny\",\"reason\":\"x\"}]", "[0]: it names nothing" },
		{ "[{\"decision\":\"maybe\",\"tool\":\"x\"}]", "[0]: decision: takes one of" },
		{ "[{\"decision\":true,\"tool\":\"x\"}]", "[0]: decision: takes one of" },
		{ "[{\"decision\":\"ask\",\"tools\":\"x\"}]",
		    "[0]: there is no field 'tools'" },
		{ "[{\"decision\":\"ask\",\"tool\":\"x\"},{\"decision\":\"ask\",\"tool\":7}]",
		    "[1]: tool: a string was expected, not" },
		{ "[{\"decision\":\"ask\",\"tool\":\"\"}]", "[0]: tool: it is empty" },
		{ "[{\"decision\":\"ask\",\"tool\":\"a/b\"}]",
		    "[0]: tool: a name has no slash" },
		{ "[{\"decision\":\"ask\",\"tool\":\"a\\u0000\"}]",
		    "[0]: tool: it holds a NUL" },
		{ "[{\"decision\":\"ask\",\"server\":\"{a,b}\"}]", "[0]: server: braces" },
		{ "[{\"decision\":\"ask\",\"effect\":\"none\"}]", "[0]: effect: takes one of" },
		{ "[{\"decision\":\"ask\",\"effect\":\"Read\"}]", "[0]: effect: takes one of" },
		{ "[{\"decision\":\"ask\",\"path\":\"../x\"}]", "[0]: path: '..'" },
		{ "[{\"decision\":\"ask\",\"path\":null}]",
		    "[0]: path: a string was expected" },
		{ "[{\"decision\":\"ask\",\"command\":\"git log\"}]",
		    "[0]: command: a list of words" },
		{ "[{\"decision\":\"ask\",\"command\":[]}]", "[0]: command: it is empty" },
		{ "[{\"decision\":\"ask\",\"command\":[\"git\",1]}]",
		    "[0]: command: word 1: a string was expected" },
		{ "[{\"decision\":\"ask\",\"host\":\"https://a.b\"}]",
		    "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"a.b:80\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"a.b/c\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\".a.b\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"a..b\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"*\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"*.\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"a.*.b\"}]", "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"b\xc3\xbc.de\"}]",
		    "[0]: host: takes a name" },
		{ "[{\"decision\":\"ask\",\"host\":\"\"}]", "[0]: host: takes a name" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		auto_done(rules) struct rules r = { 0 };

		ok(add(&r, "[{\"decision\":\"deny\",\"tool\":\"kept\"}]") == 0 &&
			add(&r, table[i][0]) == -ERR_INVALID &&
			str_starts(str_of(e.text), STR("/c/config.json: ")) &&
			strstr(e.text, table[i][1]) && r.n == 1,
		    "%s: %s", table[i][0], e.text);
	}
}

static void
limits(void)
{
	auto_done(rules) struct rules r = { 0 };
	auto_done(buf) struct buf text = buf_max(MiB(1));

	buf_add(&text, STR("[{\"decision\":\"ask\",\"reason\":\""));
	for (int i = 0; i < RULE_TEXT_MAX + 1; i++)
		buf_addc(&text, 'a');
	buf_add(&text, STR("\",\"tool\":\"x\"}]"));
	ok(add(&r, buf_text(&text)) == -ERR_LIMIT, "a long text: %s", e.text);
	buf_reset(&text);
	buf_add(&text, STR("[{\"decision\":\"ask\",\"command\":[\"a\""));
	for (int i = 0; i < RULE_COMMAND_MAX; i++)
		buf_add(&text, STR(",\"a\""));
	buf_add(&text, STR("]}]"));
	ok(add(&r, buf_text(&text)) == -ERR_LIMIT, "many words: %s", e.text);
	buf_reset(&text);
	buf_add(&text, STR("[{\"decision\":\"ask\",\"tool\":\"x\"}"));
	for (int i = 1; i < RULES_MAX; i++)
		buf_add(&text, STR(",{\"decision\":\"ask\",\"tool\":\"x\"}"));
	buf_addc(&text, ']');
	ok(add(&r, buf_text(&text)) == 0 && r.n == RULES_MAX, "as many rules as may be");
	ok(add(&r, "[{\"decision\":\"ask\",\"tool\":\"x\"}]") == -ERR_LIMIT && r.n == RULES_MAX,
	    "one more: %s", e.text);
	ok(add_from(&r, "[]", RULES_PROJECT, (struct str){ NULL, 0 }) == 0, "none more");
}

static void
layers(void)
{
	auto_done(rules) struct rules r = { 0 };

	ok(add_from(&r,
	       "[{\"decision\":\"ask\",\"tool\":\"a\"},{\"decision\":\"allow\",\"tool\":\"b\"},"
	       "{\"decision\":\"deny\",\"tool\":\"c\"}]",
	       RULES_PROJECT, STR("/home/u")) == 0,
	    "a project's rules");
	ok(r.n == 2 && r.list[1].decision == RULE_DENY && r.list[1].index == 2,
	    "those that allow are left out");
	is_str(buf_text(&notices),
	    "/c/config.json: permissions.rules[1] is left out: only your own configuration may "
	    "allow\n",
	    "and said");
	ok(add_from(&r, "[{\"decision\":\"allow\",\"path\":\"\\\\\"}]", RULES_PROJECT,
	       STR("/home/u")) < 0,
	    "a wrong one is an error also there");
	ok(add_from(&r, "[{\"decision\":\"ask\",\"path\":\"~/a\"}]", RULES_USER,
	       (struct str){ NULL, 0 }) < 0,
	    "without a home '~/' is refused: %s", e.text);
}

/* ---- matching, beside what gate_oracle.py compares ---- */

static const struct gate_root roots[] = {
	{ { "/ws", 3 }, GATE_WORKSPACE, false },
};
static const struct gate_policy policy = { .roots = roots, .roots_n = 1 };

struct found {
	bool deny, allow;
};

static struct found
find(const char *rules, struct gate_call *call, enum gate_effect effect)
{
	auto_done(rules) struct rules r = { 0 };
	struct rules_found found = { 0 };

	if (add(&r, rules) < 0)
		printf("# %s\n", e.text);
	else
		rules_find(&r, &policy, call, effect, &found);
	return (struct found){ found.deny != NULL, found.allow != NULL };
}

static void
fields(void)
{
	struct gate_tool tool = { .name = STR("mcp_git_hub_list"), .home = GATE_MCP_SERVER };
	struct gate_call call = {
		.name = tool.name,
		.tool = &tool,
		.server = STR("git_hub"),
		.remote = STR("list"),
	};
	struct str hosts[] = { STR("A.Example.COM."), STR("other.org") };

	ok(find("[{\"decision\":\"deny\",\"server\":\"git_hub\",\"tool\":\"list\"}]", &call,
	       GATE_EXTERNAL)
		.deny,
	    "a tool's own name with its server");
	ok(!find("[{\"decision\":\"deny\",\"tool\":\"list\"}]", &call, GATE_EXTERNAL).deny,
	    "but not alone");
	ok(!find("[{\"decision\":\"deny\",\"server\":\"git\"}]", &call, GATE_EXTERNAL).deny,
	    "another server whose name starts it");
	ok(find("[{\"decision\":\"deny\",\"tool\":\"mcp_git_*\"}]", &call, GATE_EXTERNAL).deny,
	    "a pattern on the offered name");
	call.hosts = hosts;
	call.hosts_n = 1;
	ok(find("[{\"decision\":\"allow\",\"host\":\"*.example.com\"}]", &call, GATE_EXTERNAL)
		.allow,
	    "hosts know no case and no dot at the end");
	ok(!find("[{\"decision\":\"allow\",\"host\":\"example.com\"}]", &call, GATE_EXTERNAL)
		.allow,
	    "a name is not those below it");
	call.hosts_n = 2;
	ok(!find("[{\"decision\":\"allow\",\"host\":\"*.example.com\"}]", &call, GATE_EXTERNAL)
		.allow,
	    "every host must be allowed");
	ok(find("[{\"decision\":\"allow\",\"host\":\"*.example.com\"},"
		"{\"decision\":\"allow\",\"host\":\"other.org\"}]",
	       &call, GATE_EXTERNAL)
		.allow,
	    "by one rule or another");
	ok(find("[{\"decision\":\"deny\",\"host\":\"other.org\"}]", &call, GATE_EXTERNAL).deny,
	    "and any may be denied");
}

static void
many_cases(void)
{
	static struct str words[] = { STR("ls") };
	static struct gate_command commands[5000];
	struct gate_call call = { .name = STR("shell"), .tool = gate_builtin(STR("shell")) };

	for (size_t i = 0; i < COUNT(commands); i++)
		commands[i] = (struct gate_command){ words, 1, 0 };
	call.commands = commands;
	call.commands_n = 4096;
	ok(find("[{\"decision\":\"allow\",\"command\":[\"ls\"]}]", &call, GATE_PROCESS).allow,
	    "thousands of parts are looked through");
	commands[4095].flags = COMMAND_REDIRECTION;
	ok(!find("[{\"decision\":\"allow\",\"command\":[\"ls\"]}]", &call, GATE_PROCESS).allow,
	    "to the last");
	commands[4095].flags = 0;
	call.commands_n = 4097;
	ok(!find("[{\"decision\":\"allow\",\"command\":[\"ls\"]}]", &call, GATE_PROCESS).allow,
	    "more are not allowed");
	words[0] = STR("rm");
	ok(find("[{\"decision\":\"deny\",\"command\":[\"rm\"]}]", &call, GATE_PROCESS).deny,
	    "but denied");
}

static void
resolves(void)
{
	static const char *const table[][4] = {
		{ "~/.aws/**", "/home/u/.aws", "/secret/a[w]s", "/secret/a[w]s/key" },
		{ "/tmp/x*", "/tmp", "/private/tmp", "/private/tmp/x1" },
		{ "/*", "/", "/", "/x" },
		{ "/a/b", "/a/b", "/", "/" },
		{ "/a/b/c*", "/a/b", "/", "/cc" },
		{ "src/*", "", "", "/ws/src/a" },
		{ "**", "", "", "/ws/a" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		auto_done(rules) struct rules r = { 0 };
		auto_done(buf) struct buf text = buf_max(KiB(1));
		struct gate_path path = { .real = str_of(table[i][3]), .folder = STR("/") };
		struct gate_call call = { .name = STR("read_file"),
			.tool = gate_builtin(STR("read_file")) };

		buf_addf(&text, "[{\"decision\":\"deny\",\"path\":\"%s\"}]", table[i][0]);
		if (add(&r, buf_text(&text)) < 0)
			printf("# %s\n", e.text);
		ok(str_eq(rules_folder(&r.list[0]), str_of(table[i][1])), "%s begins in '%s'",
		    table[i][0], table[i][1]);
		rules_resolve(&r.list[0], str_of(table[i][2]));
		ok(rules_keep_from(&r, &policy, &call, &path), "and holds for %s", table[i][3]);
	}
}

/* Whatever is in the file, it is an error or rules that can be used. */
static void
garbled(void)
{
	static const char good[] =
	    "[{\"decision\":\"deny\",\"tool\":\"s*\",\"path\":\"a/**/"
	    "[!b]c\",\"command\":[\"g\",\"**\"],"
	    "\"host\":\"*.a.b\",\"reason\":\"r\"},{\"decision\":\"ask\",\"effect\":\"read\"}]";
	struct gate_path path = { .real = STR("/ws/a/x/ac"), .folder = STR("/ws") };
	struct str words[] = { STR("g"), { NULL, 0 } }, host = STR("x.a.b");
	struct gate_command command = { words, 2, 0 };
	struct gate_call call = {
		.name = STR("shell"),
		.tool = gate_builtin(STR("shell")),
		.paths = &path,
		.paths_n = 1,
		.commands = &command,
		.commands_n = 1,
		.hosts = &host,
		.hosts_n = 1,
	};
	static const char signs[] = "[]{}\",:*!~/\\a\xc3\x01 ";
	unsigned read = 0;

	for (size_t at = 0; at < sizeof(good) - 1; at++) {
		for (size_t s = 0; s < sizeof(signs) - 1; s++) {
			auto_done(rules) struct rules r = { 0 };
			struct rules_found found;
			char text[sizeof(good)];

			memcpy(text, good, sizeof(good));
			text[at] = signs[s];
			if (add(&r, text) < 0)
				continue;
			read++;
			rules_find(&r, &policy, &call, GATE_PROCESS, &found);
		}
	}
	ok(read > 100, "%u garbled lists were still rules", read);
}

int
main(void)
{
	reads();
	refuses();
	limits();
	layers();
	fields();
	many_cases();
	resolves();
	garbled();
	buf_done(&notices);
	return tap_done();
}
