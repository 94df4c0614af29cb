/* SPDX-License-Identifier: MIT */
/*
 * Answers for gate_oracle.py: reads lines from standard input, writes one line for each that asks.
 * Columns are separated by one tab; "-" is an empty one.
 *
 *	protected PATH
 *	root SET KIND CARVED PATH
 *	rules SET LAYER JSON                    adds to the set; answers "ok" or the error
 *	names                                   every built-in tool, with blanks between
 *	glob PATTERN PATH                       "yes", "no" or the error
 *	case ROOTS RULES SURFACE FROM AGENT MODE FLAGS SWITCHES ONCE TOOL SERVER GRANTS FOLDERS
 *	     PATHS COMMANDS HOSTS EXTRAS
 */
#include "base/json.h"
#include "base/path.h"
#include "gate/explain.h"
#include "gate/glob.h"
#include "gate/rule.h"

#include <stdio.h>

#define SETS  64
#define ROOTS 8
#define MANY  16

static struct rules rule_sets[SETS];
static struct gate_root roots[SETS][ROOTS];
static size_t roots_n[SETS];
static struct str protected[ROOTS];
static size_t protected_n;

static void
bad_line(struct str what)
{
	fprintf(stderr, "a line with '%.*s' is not understood\n", STR_ARG(what));
	exit(2);
}

static struct str
column(struct str *ret_rest)
{
	struct str text = str_split(ret_rest, '\t');

	return str_eq(text, STR("-")) ? (struct str){ NULL, 0 } : text;
}

static size_t
number(struct str text)
{
	uint64_t n;

	if (!str_u64(text, SETS - 1, &n))
		bad_line(text);
	return (size_t)n;
}

/* Its place in a list of words. */
static int
word(struct str text, const char *words)
{
	struct str rest = str_of(words);

	for (int i = 0; rest.n; i++) {
		if (str_eq(str_split(&rest, ' '), text))
			return i;
	}
	bad_line(text);
	return 0;
}

static struct str
keep(struct str text)
{
	char *copy = xmalloc(text.n + 1);

	memcpy(copy, text.p, text.n);
	return (struct str){ copy, text.n };
}

static void
add_root(struct str line)
{
	size_t set = number(column(&line));
	struct gate_root *root = &roots[set][roots_n[set]++];

	root->kind = (enum gate_root_kind)word(column(&line), "workspace declared scratch");
	root->carved = number(column(&line)) == 1;
	root->path = keep(column(&line));
}

static void
add_rules(struct str line)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf notices = buf_max(KiB(4));
	size_t set = number(column(&line));
	struct rules_file file = { STR("config.json"), RULES_USER, STR("/home/u") };
	struct err e = { 0 };
	int r;

	file.layer = word(column(&line), "user project") ? RULES_PROJECT : RULES_USER;
	r = json_parse(line, KiB(64), &doc, &e);
	if (r == 0)
		r = rules_add(&rule_sets[set], json_root(doc), &file, &notices, &e);
	printf("%s\n", r < 0 ? e.text : "ok");
}

static void
print_names(void)
{
#define TOOL(name, effect, flags, traits) printf("%s ", #name);
#include "gate/builtin.def"
#undef TOOL
	printf("\n");
}

static void
answer_glob(struct str line)
{
	auto_done(buf) struct buf normal = buf_max(GLOB_MAX);
	struct str pattern = column(&line), path = column(&line);
	struct err e;

	if (glob_normal(pattern, STR("/home/u"), &normal, &e) < 0)
		printf("error\n");
	else
		printf("%s %s\n", glob_match(buf_str(&normal), path) ? "yes" : "no",
		    glob_match_above(buf_str(&normal), path) ? "yes" : "no");
}

/* ---- one case ---- */

struct lists {
	struct gate_path paths[MANY];
	struct gate_command commands[MANY];
	struct str words[MANY * MANY], folders[MANY], hosts[MANY];
	size_t words_n;
	struct gate_tool tool;
};

static bool
in(struct str letters, char c)
{
	return letters.n && memchr(letters.p, c, letters.n);
}

/* letters:real:folder:given, separated by commas */
static size_t
read_paths(struct str text, struct lists *l)
{
	size_t n = 0;

	while (text.n) {
		struct str item = str_split(&text, ',');
		struct str letters = str_split(&item, ':');
		struct gate_path *path = &l->paths[n++];

		*path = (struct gate_path){
			.write = in(letters, 'w'),
			.linked = in(letters, 'l'),
			.once = in(letters, 'o'),
		};
		path->real = str_split(&item, ':');
		path->folder = str_split(&item, ':');
		path->given = item;
	}
	return n;
}

/* flags:word,word separated by bars; the word "?" is not known */
static size_t
read_commands(struct str text, struct lists *l)
{
	static const char letters[] = "srawun";
	size_t n = 0;

	l->words_n = 0;
	while (text.n) {
		struct str item = str_split(&text, '|');
		struct str flags = str_split(&item, ':');
		struct gate_command *c = &l->commands[n++];

		*c = (struct gate_command){ .argv = &l->words[l->words_n] };
		for (unsigned i = 0; letters[i]; i++)
			c->flags |= in(flags, letters[i]) ? 1u << i : 0;
		while (item.n) {
			struct str w = str_split(&item, ',');

			if (str_eq(w, STR("?")))
				w.p = NULL;
			l->words[l->words_n++] = w;
			c->argv_n++;
		}
	}
	return n;
}

static size_t
read_list(struct str text, struct str list[MANY])
{
	size_t n = 0;

	while (text.n)
		list[n++] = str_split(&text, ',');
	return n;
}

/* builtin:NAME, view:NAME, plugin:NAME, mcp:NAME, none:NAME */
static void
read_tool(struct str text, struct lists *l, struct gate_call *c)
{
	int home = word(str_split(&text, ':'), "builtin plugin mcp none view");
	const struct gate_tool *row = gate_builtin(text);

	c->name = text;
	l->tool = row ? *row : (struct gate_tool){ .name = text };
	/* What tools of outside say of themselves must not matter. */
	if (home == 1 || home == 2)
		l->tool = (struct gate_tool){ text, home == 1 ? GATE_PLUGIN : GATE_MCP_SERVER,
			GATE_INTERNAL, ~0u, ~0u };
	if (home == 4)
		l->tool.effect = GATE_INTERNAL;
	c->tool = home == 3 ? NULL : &l->tool;
	c->remote = home == 2 ? str_from(text, 6) : (struct str){ NULL, 0 };
}

/* Letters of effects, and A for analysis.run. */
static void
read_grants(struct str text, struct gate_policy *p)
{
	static const char letters[] = "nrwpei";

	p->grants.analysis_run = in(text, 'A');
	for (unsigned i = 0; letters[i]; i++)
		p->grants.effects |= in(text, letters[i]) ? 1u << i : 0;
}

static unsigned
read_flags(struct str text)
{
	unsigned flags = 0;

	while (text.n)
		flags |= 1u << word(str_split(&text, ','),
			     "write process analysis external mcp agents");
	return flags;
}

static void
read_policy(struct str *line, struct gate_policy *p)
{
	size_t set = number(column(line));

	*p = (struct gate_policy){ .roots = roots[set], .roots_n = roots_n[set] };
	p->protected = protected;
	p->protected_n = protected_n;
	p->rules = &rule_sets[number(column(line))];
	p->surface = (enum gate_surface)word(column(line), "headless mcp terminal serve");
}

static void
answer_case(struct str line)
{
	static struct lists l;
	struct gate_policy p;
	struct gate_call c = { .paths = l.paths, .commands = l.commands, .hosts = l.hosts };
	struct gate_verdict v, offer;
	struct str switches;

	read_policy(&line, &p);
	c.from = (enum gate_from)word(column(&line), "direct js execute");
	p.agent = (enum gate_agent)word(column(&line), "build plan");
	p.mode = (enum gate_mode)word(column(&line), "custom ask auto full");
	p.flags = read_flags(column(&line));
	switches = column(&line);
	p.read_only = in(switches, 'r');
	p.resumed = in(switches, 's');
	p.pending = in(switches, 'p');
	c.off = in(switches, 'o') ? STR("a key is false") : (struct str){ NULL, 0 };
	switches = column(&line);
	c.once = (in(switches, 'c') ? GATE_ONCE_CALL : 0) |
		 (in(switches, 'i') ? GATE_ONCE_INSTALL : 0);
	read_tool(column(&line), &l, &c);
	c.server = column(&line);
	read_grants(column(&line), &p);
	p.grants.folders = l.folders;
	p.grants.folders_n = read_list(column(&line), l.folders);
	c.paths_n = read_paths(column(&line), &l);
	c.commands_n = read_commands(column(&line), &l);
	c.hosts_n = read_list(column(&line), l.hosts);
	c.extras = column(&line);
	gate_decide(&p, &c, &v);
	gate_offer(&p, &c, &offer);
	printf("%s %s %s %d %s\n", gate_answer_name(v.answer), gate_code_name(v.code),
	    gate_reason_name(v.reason), v.question, gate_answer_name(offer.answer));
}

int
main(void)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&text, &room, stdin)) > 0) {
		struct str line = { text, (size_t)n - (text[n - 1] == '\n') };

		switch (word(column(&line), "protected root rules names glob case")) {
		case 0:
			protected[protected_n++] = keep(column(&line));
			break;
		case 1:
			add_root(line);
			break;
		case 2:
			add_rules(line);
			break;
		case 3:
			print_names();
			break;
		case 4:
			answer_glob(line);
			break;
		default:
			answer_case(line);
		}
	}
	free(text);
	return 0;
}
