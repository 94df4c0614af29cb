/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "tap.h"

#define WORDS_MAX 20

static struct err e;

/* A command line out of one text, words separated by '|', so that they may hold blanks. */
struct given {
	char text[KiB(2)];
	char *argv[WORDS_MAX + 2];
	int argc;
};

static int
parse(const char *text, struct given *g, struct cmd_line *ret_line)
{
	static char self[] = "crisol";
	char *at = g->text;

	snprintf(g->text, sizeof(g->text), "%s", text);
	g->argv[0] = self;
	g->argc = 1;
	while (at && *text && g->argc <= WORDS_MAX) {
		g->argv[g->argc++] = at;
		at = strchr(at, '|');
		if (at)
			*at++ = '\0';
	}
	g->argv[g->argc] = NULL;
	return cmd_parse(g->argc, g->argv, ret_line, &e);
}

static bool
takes(const struct cmd_spec *c, int o)
{
	return c->options & (1ull << o);
}

/* ---- the tables ---- */

static void
options_walk(void)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const struct cmd_option_spec *spec = &cmd_options[o];
		bool unique = true, used = o == CMD_version || o == CMD_licenses;

		for (int other = 0; other < o; other++)
			unique = unique && strcmp(cmd_options[other].name, spec->name) != 0 &&
				 !(spec->letter && cmd_options[other].letter == spec->letter);
		for (size_t i = 0; i < cmd_specs_n; i++)
			used = used || takes(&cmd_specs[i], o);
		ok(unique && strlen(spec->name) > 1 &&
			strspn(spec->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(spec->name),
		    "--%s: a name and a letter of its own", spec->name);
		ok(used, "--%s: some command takes it", spec->name);
		ok(spec->kind == CMD_FLAG ? !*spec->value : *spec->value != '\0',
		    "--%s: its value has a name", spec->name);
		ok(spec->kind == CMD_NUMBER ? spec->least <= spec->most && spec->most > 0
					    : spec->most == 0,
		    "--%s: numbers have a range", spec->name);
		ok(strlen(spec->text) > 5 && spec->text[strlen(spec->text) - 1] != '.',
		    "--%s: %s", spec->name, spec->text);
	}
	ok(CMD_OPTION_COUNT <= 64, "all fit the bits of a set");
}

static void
commands_walk(void)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		const struct cmd_spec *c = &cmd_specs[i];
		bool unique = true;

		for (size_t k = 0; k < cmd_specs_n; k++) {
			size_t n = strlen(cmd_specs[k].words);

			/* A command that is the beginning of another would hide it. */
			unique = unique &&
				 (k == i || strncmp(c->words, cmd_specs[k].words, n) != 0 ||
				     (c->words[n] != ' ' && c->words[n] != '\0'));
		}
		ok(unique && c->run, "%s: a command of its own", c->words);
		ok((c->most_arguments > 0) == (*c->arguments != '\0') &&
			c->most_arguments <= CMD_ARGUMENTS_MAX,
		    "%s: its arguments have names", c->words);
		ok((c->options & CMD_GLOBAL_OPTIONS) == CMD_GLOBAL_OPTIONS,
		    "%s: takes what all take", c->words);
		ok(strlen(c->text) > 5 && c->text[strlen(c->text) - 1] != '.' &&
			strlen(c->more) > 20,
		    "%s: %s", c->words, c->text);
	}
}

/* ---- every command with every option ---- */

static void
add_words(const char *words, struct buf *text)
{
	for (; *words; words++)
		buf_addc(text, *words == ' ' ? '|' : *words);
}

static bool
option_works(const struct cmd_spec *c, int o, char between, const char *value)
{
	auto_done(buf) struct buf text = buf_max(KiB(1));
	struct given g;
	struct cmd_line line;
	int r;

	add_words(c->words, &text);
	buf_addf(&text, "|--%s", cmd_options[o].name);
	if (cmd_options[o].kind != CMD_FLAG)
		buf_addf(&text, "%c%s", between, value);
	r = parse(buf_text(&text), &g, &line);
	if (!takes(c, o))
		return r == -ERR_INVALID && strstr(e.text, c->words) &&
		       strstr(e.text, cmd_options[o].name);
	return r == 0 && line.command == c && line.set[o] &&
	       (cmd_options[o].kind == CMD_FLAG || strcmp(line.text[o], value) == 0);
}

static void
every_option(void)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		const struct cmd_spec *c = &cmd_specs[i];
		bool good = true;

		for (int o = 0; o < CMD_OPTION_COUNT; o++) {
			char value[24];

			snprintf(value, sizeof(value), "%llu",
			    (unsigned long long)cmd_options[o].most);
			if (cmd_options[o].kind == CMD_FLAG) {
				good = good && option_works(c, o, ' ', "");
			} else {
				good = good && option_works(c, o, '|', value);
				good = good && option_works(c, o, '=', value);
			}
		}
		ok(good, "%s: each option is taken, or refused by name", c->words);
	}
}

static void
every_command(void)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		const struct cmd_spec *c = &cmd_specs[i];
		auto_done(buf) struct buf text = buf_max(KiB(1));
		struct given g;
		struct cmd_line line;

		add_words(c->words, &text);
		for (int a = 0; a < c->most_arguments; a++)
			buf_addf(&text, "|argument%d", a);
		ok(parse(buf_text(&text), &g, &line) == 0 && line.command == c &&
			line.arguments_n == c->most_arguments,
		    "%s: with as many arguments as it takes", c->words);
		buf_add(&text, STR("|more"));
		ok(parse(buf_text(&text), &g, &line) == -ERR_INVALID &&
			strstr(e.text, "'more'") && strstr(e.text, c->words),
		    "%s: with one more: %s", c->words, e.text);
	}
}

/* A command that takes the option, its words as argv would have them. */
static void
command_with(enum cmd_option o, char ret_words[static 64])
{
	const char *words = "";

	for (size_t i = 0; i < cmd_specs_n; i++) {
		if (cmd_specs[i].options & (1ull << o))
			words = cmd_specs[i].words;
	}
	snprintf(ret_words, 64, "%s", words);
	for (char *blank = strchr(ret_words, ' '); blank; blank = strchr(blank, ' '))
		*blank = '|';
}

static void
number_edges(void)
{
	static const char *const no_numbers[] = { "", " ", "-1", "+1", "1.5", "1e3", "0x10",
		"1 ", " 1", "1k", "abc", "18446744073709551616", "99999999999999999999999" };

	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const struct cmd_option_spec *spec = &cmd_options[o];
		struct given g;
		struct cmd_line line;
		char text[200], words[64];
		bool good = true;

		if (spec->kind != CMD_NUMBER)
			continue;
		command_with((enum cmd_option)o, words);
		for (uint64_t n = spec->least - (spec->least > 0); n <= spec->least + 1; n++) {
			snprintf(text, sizeof(text), "%s|--%s|%llu", words, spec->name,
			    (unsigned long long)n);
			good = good && (parse(text, &g, &line) == 0) == (n >= spec->least) &&
			       (n < spec->least || line.number[o] == n);
		}
		for (uint64_t n = spec->most - 1; n <= spec->most + 1; n++) {
			snprintf(text, sizeof(text), "%s|--%s=%llu", words, spec->name,
			    (unsigned long long)n);
			good = good && (parse(text, &g, &line) == 0) == (n <= spec->most) &&
			       (n > spec->most || line.number[o] == n);
		}
		for (size_t i = 0; i < COUNT(no_numbers); i++) {
			snprintf(text, sizeof(text), "%s|--%s=%s", words, spec->name,
			    no_numbers[i]);
			good = good && parse(text, &g, &line) == -ERR_INVALID &&
			       strstr(e.text, spec->name);
		}
		ok(good, "--%s: its range and no step further: %s", spec->name, e.text);
	}
}

/* ---- forms ---- */

static void
forms_of_eval(void)
{
	static const struct {
		const char *text, *code;
	} rows[] = {
		{ "js|-e|return 1", "return 1" },
		{ "js|-ereturn 1", "return 1" },
		{ "js|--eval|return 1", "return 1" },
		{ "js|--eval=return 1", "return 1" },
		{ "js|--eval=a=b", "a=b" },
		{ "js|--eval=", "" },
		{ "js|-e|", "" },
		{ "js|-e|-1", "-1" },
		{ "js|-e|--raw", "--raw" },
		{ "js|-e|--", "--" },
		{ "js|-e=1", "=1" },
		{ "js|-e-1", "-1" },
		{ "-e|1|js", "1" },
		{ "--eval=1|js", "1" },
		{ "js|--raw|-e|1", "1" },
		{ "js|-e|1|--raw", "1" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct given g;
		struct cmd_line line;

		ok(parse(rows[i].text, &g, &line) == 0 && line.set[CMD_eval] &&
			line.arguments_n == 0,
		    "%s", rows[i].text);
		is_str(line.text[CMD_eval], rows[i].code, "is this code");
	}
}

static void
arguments(void)
{
	static const struct {
		const char *text, *argument;
	} rows[] = {
		{ "js|file.js", "file.js" },
		{ "js|-", "-" },
		{ "js|", "" },
		{ "js|--|file.js", "file.js" },
		{ "js|--|--raw", "--raw" },
		{ "js|--|-e", "-e" },
		{ "js|--|--", "--" },
		{ "js|--raw|file.js", "file.js" },
		{ "js|file.js|--raw", "file.js" },
		{ "js|js", "js" },
		{ "--raw|js|file.js", "file.js" },
		{ "--|js|--help", "--help" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct given g;
		struct cmd_line line;

		ok(parse(rows[i].text, &g, &line) == 0 && line.command &&
			line.arguments_n == 1 && !line.set[CMD_help],
		    "%s", rows[i].text);
		is_str(line.arguments[0], rows[i].argument, "is this argument");
	}
}

static void
no_command(void)
{
	struct given g;
	struct cmd_line line;

	ok(parse("", &g, &line) == 0 && !line.command, "nothing at all");
	ok(parse("--help", &g, &line) == 0 && !line.command && line.set[CMD_help],
	    "--help alone");
	ok(parse("-h", &g, &line) == 0 && line.set[CMD_help], "-h");
	ok(parse("-V", &g, &line) == 0 && line.set[CMD_version], "-V");
	ok(parse("--version", &g, &line) == 0 && line.set[CMD_version], "--version");
	ok(parse("--licenses", &g, &line) == 0 && line.set[CMD_licenses], "--licenses");
	ok(parse("js|--help", &g, &line) == 0 && line.command && line.set[CMD_help],
	    "js --help");
	ok(parse("--help|js", &g, &line) == 0 && line.command && line.set[CMD_help],
	    "--help js");
	ok(parse("--", &g, &line) == 0 && !line.command, "-- alone");
	ok(cmd_parse(0, (char *[]){ NULL }, &line, &e) == 0 && !line.command,
	    "not even a name");
}

/* ---- mistakes ---- */

static const struct {
	const char *text, *named, *suggested; /* in the error; NULL: no suggestion */
} mistakes[] = {
	{ "jss", "'jss'", "crisol js" },
	{ "sj", "'sj'", "crisol js" },
	{ "forg", "'forg'", "crisol forge status" },
	{ "forge", "is one of: status", NULL },
	{ "forge|statu", "is one of: status", NULL },
	{ "forge|status|x", "'x'", NULL },
	{ "docter", "'docter'", "crisol doctor" },
	{ "run", "'run'", "crisol runs list" },
	{ "runs", "is one of: list, show, value, cancel, rm, prune", NULL },
	{ "quite-different", "'quite-different'", NULL },
	{ "-", "'-'", NULL },
	{ "js|--timeoutms|5", "--timeoutms", "--timeout-ms" },
	{ "js|--timeout-m|5", "--timeout-m", "--timeout-ms" },
	{ "js|--jsn", "--jsn", "--json" },
	{ "js|--JSON", "--JSON", NULL },
	{ "js|--quite-different", "--quite-different", NULL },
	{ "js|-x", "-x", NULL },
	{ "js|-json", "-json", "--json" },
	{ "js|-raw", "-raw", "--raw" },
	{ "js|--raw=1", "--raw takes no value", NULL },
	{ "js|-hx", "--help takes no value", NULL },
	{ "js|--raw|--raw", "--raw is given twice", NULL },
	{ "js|-e|1|--eval=2", "--eval is given twice", NULL },
	{ "js|-e", "--eval needs a value", NULL },
	{ "js|--args", "--args needs a value", NULL },
	{ "js|--timeout-ms", "--timeout-ms needs a value", NULL },
	{ "js|--timeout-ms|--raw", "'--raw'", NULL },
	{ "js|--version", "takes no --version", NULL },
	{ "doctor|-e|1", "takes no --eval", NULL },
	{ "doctor|--timeout-ms|1", "takes no --timeout-ms", NULL },
	{ "js|a|b", "'b'", NULL },
	{ "js|--|a|b", "'b'", NULL },
	{ "js|--=x", "--=x", NULL },
	{ "js|--args|{}|--probe", "takes no --probe", NULL },
};

static void
told_about(void)
{
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		struct given g;
		struct cmd_line line;

		ok(parse(mistakes[i].text, &g, &line) == -ERR_INVALID &&
			strstr(e.text, mistakes[i].named),
		    "%s: %s", mistakes[i].text, e.text);
		if (mistakes[i].suggested)
			ok(strstr(e.text, "did you mean") &&
				strstr(e.text, mistakes[i].suggested),
			    "suggests %s", mistakes[i].suggested);
	}
}

/* Every name with a letter changed, left out or twice leads back to itself. */
static void
near_misses(void)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const char *name = cmd_options[o].name;
		size_t n = strlen(name);
		char text[100];
		struct given g;
		struct cmd_line line;

		snprintf(text, sizeof(text), "js|--%.*s%s", (int)n - 1, name, "q");
		ok(parse(text, &g, &line) == -ERR_INVALID && strstr(e.text, name), "%s",
		    e.text);
		snprintf(text, sizeof(text), "js|--%s%s", name, "q");
		ok(parse(text, &g, &line) == -ERR_INVALID && strstr(e.text, name), "%s",
		    e.text);
	}
}

static void
long_words(void)
{
	struct given g;
	struct cmd_line line;
	char text[1000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	is_int(parse(text, &g, &line), -ERR_INVALID, "a command of a thousand letters");
	memcpy(text, "js|--", 5);
	is_int(parse(text, &g, &line), -ERR_INVALID, "an option of a thousand letters");
	memcpy(text, "js|--timeout-ms=", 16);
	is_int(parse(text, &g, &line), -ERR_INVALID, "a number of a thousand letters");
	memcpy(text, "js|a|", 5);
	is_int(parse(text, &g, &line), -ERR_INVALID,
	    "an argument too many of a thousand letters");
	ok(strlen(e.text) < ERR_TEXT_MAX, "are cut in the message");
}

int
main(void)
{
	options_walk();
	commands_walk();
	every_command();
	every_option();
	number_edges();
	forms_of_eval();
	arguments();
	no_command();
	told_about();
	near_misses();
	long_words();
	return tap_done();
}
