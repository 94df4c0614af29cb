/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

struct parser {
	int argc, at;
	char **argv;
	struct cmd_line *line;
	struct err *e;
};

/* ---- which option ---- */

static enum cmd_option
option_named(struct str name)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (str_eq(name, str_of(cmd_options[o].name)))
			return (enum cmd_option)o;
	}
	return CMD_OPTION_COUNT;
}

static enum cmd_option
option_lettered(char letter)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (letter && cmd_options[o].letter == letter)
			return (enum cmd_option)o;
	}
	return CMD_OPTION_COUNT;
}

static int
unknown_option(struct parser *p, const char *given, struct str name)
{
	const char *nearest = NULL;
	unsigned best = (unsigned)MIN(4, name.n / 2 + 1);

	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		unsigned d = str_distance(name, str_of(cmd_options[o].name));

		if (d < best) {
			best = d;
			nearest = cmd_options[o].name;
		}
	}
	return err_set(p->e, ERR_INVALID, "there is no option %.60s%s%s", given,
	    nearest ? "; did you mean --" : "", nearest ? nearest : "");
}

/* ---- its value ---- */

static int
take_value(struct parser *p, enum cmd_option o, const char *value)
{
	const struct cmd_option_spec *spec = &cmd_options[o];
	struct cmd_line *line = p->line;

	if (line->set[o] && spec->kind != CMD_LIST)
		return err_set(p->e, ERR_INVALID, "--%s is given twice", spec->name);
	line->set[o] = true;
	if (spec->kind == CMD_FLAG)
		return value ? err_set(p->e, ERR_INVALID, "--%s takes no value", spec->name)
			     : 0;
	if (!value && p->at + 1 < p->argc)
		value = p->argv[++p->at];
	if (!value)
		return err_set(p->e, ERR_INVALID, "--%s needs a value: %s", spec->name,
		    spec->value);
	line->text[o] = value;
	if (spec->kind == CMD_LIST) {
		if (line->many_n == CMD_MANY_MAX)
			return err_set(p->e, ERR_INVALID, "--%s is given more than %d times",
			    spec->name, CMD_MANY_MAX);
		line->many[line->many_n++] = (struct cmd_many){ o, value };
		return 0;
	}
	if (spec->kind == CMD_TEXT)
		return 0;
	if (!str_u64(str_of(value), spec->most, &line->number[o]) ||
	    line->number[o] < spec->least)
		return err_set(p->e, ERR_INVALID,
		    "--%s takes a whole number from %llu to %llu, not '%.40s'", spec->name,
		    (unsigned long long)spec->least, (unsigned long long)spec->most, value);
	return 0;
}

static int
take_option(struct parser *p)
{
	const char *given = p->argv[p->at];
	struct str name, value;
	enum cmd_option o;

	if (given[1] != '-') {
		o = option_lettered(given[1]);
		if (o == CMD_OPTION_COUNT)
			return unknown_option(p, given, str_of(given + 1));
		return take_value(p, o, given[2] ? given + 2 : NULL);
	}
	value = str_of(given + 2);
	name = str_split(&value, '=');
	o = option_named(name);
	if (o == CMD_OPTION_COUNT)
		return unknown_option(p, given, name);
	return take_value(p, o, given[2 + name.n] == '=' ? given + 3 + name.n : NULL);
}

/* ---- which command ---- */

/* How many of the words at argv[at] name the command: all of its words, or 0. */
static int
match(const struct parser *p, int at, const struct cmd_spec *spec)
{
	struct str words = str_of(spec->words);
	int n = 0;

	while (words.n) {
		if (at + n >= p->argc ||
		    !str_eq(str_split(&words, ' '), str_of(p->argv[at + n])))
			return 0;
		n++;
	}
	return n;
}

/* A first word alone: every second one that there is. */
static int
half_command(struct parser *p)
{
	struct str given = str_of(p->argv[p->at]);
	auto_done(buf) struct buf list = buf_max(KiB(1));

	for (size_t i = 0; i < cmd_specs_n; i++) {
		struct str words = str_of(cmd_specs[i].words);

		if (str_eq(str_split(&words, ' '), given))
			buf_addf(&list, "%s%.*s", list.n ? ", " : "", STR_ARG(words));
	}
	return list.n ? err_set(p->e, ERR_INVALID,
			    "crisol %.60s is half of a command; the other half is one of: %s",
			    p->argv[p->at], buf_text(&list))
		      : 0;
}

static int
unknown_command(struct parser *p)
{
	const char *given = p->argv[p->at];
	const char *nearest = NULL;
	unsigned best = 3;

	for (size_t i = 0; i < cmd_specs_n; i++) {
		struct str words = str_of(cmd_specs[i].words);
		unsigned d = str_distance(str_of(given), str_split(&words, ' '));

		if (d < best) {
			best = d;
			nearest = cmd_specs[i].words;
		}
	}
	return err_set(p->e, ERR_INVALID, "there is no command '%.60s'%s%s", given,
	    nearest ? "; did you mean: crisol " : "", nearest ? nearest : "");
}

static int
take_command(struct parser *p)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		int n = match(p, p->at, &cmd_specs[i]);

		if (n) {
			p->line->command = &cmd_specs[i];
			p->at += n - 1;
			return 0;
		}
	}
	return half_command(p) < 0 ? -ERR_INVALID : unknown_command(p);
}

static int
take_argument(struct parser *p)
{
	struct cmd_line *line = p->line;
	int most = MIN(line->command->most_arguments, CMD_ARGUMENTS_MAX);

	if (line->arguments_n >= most)
		return err_set(p->e, ERR_INVALID,
		    "'%.60s' is one argument too many: crisol %s %s", p->argv[p->at],
		    line->command->words, line->command->arguments);
	line->arguments[line->arguments_n++] = p->argv[p->at];
	return 0;
}

/* Every option that was set must be one of the command's. */
static int
check_options(struct parser *p)
{
	const struct cmd_spec *c = p->line->command;
	uint64_t allowed = c ? c->options : UINT64_MAX;

	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (p->line->set[o] && !(allowed & (1ull << o)))
			return err_set(p->e, ERR_INVALID, "crisol %s takes no --%s", c->words,
			    cmd_options[o].name);
	}
	return 0;
}

int
cmd_parse(int argc, char **argv, struct cmd_line *ret_line, struct err *e)
{
	struct parser p = { .argc = argc, .at = 1, .argv = argv, .line = ret_line, .e = e };
	bool only_arguments = false;
	int r = 0;

	*ret_line = (struct cmd_line){ 0 };
	for (; p.at < argc && r >= 0; p.at++) {
		const char *word = argv[p.at];

		if (!only_arguments && strcmp(word, "--") == 0)
			only_arguments = true;
		else if (!only_arguments && word[0] == '-' && word[1])
			r = take_option(&p);
		else if (!ret_line->command)
			r = take_command(&p);
		else
			r = take_argument(&p);
	}
	return r < 0 ? r : check_options(&p);
}
