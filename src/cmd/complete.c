/* SPDX-License-Identifier: MIT */
/* crisol completion: scripts for bash, zsh and fish, made from the tables. */
#include "cmd/cmd.h"

/* The first or second word of a command; empty when there is none. */
static struct str
word_of(const struct cmd_spec *c, int which)
{
	struct str rest = str_of(c->words);
	struct str word = str_split(&rest, ' ');

	return which ? rest : word;
}

/* Whether an earlier command has the same first word. */
static bool
seen(size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (str_eq(word_of(&cmd_specs[i], 0), word_of(&cmd_specs[at], 0)))
			return true;
	}
	return false;
}

static void
add_options(uint64_t options, struct buf *out)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (options & (1ull << o))
			buf_addf(out, " --%s", cmd_options[o].name);
	}
}

/* ---- bash ---- */

static void
add_second_words(size_t at, struct buf *out)
{
	for (size_t i = at; i < cmd_specs_n; i++) {
		struct str second = word_of(&cmd_specs[i], 1);

		if (second.n && str_eq(word_of(&cmd_specs[i], 0), word_of(&cmd_specs[at], 0)))
			buf_addf(out, " %.*s", STR_ARG(second));
	}
}

static void
bash_cases(struct buf *out)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		const struct cmd_spec *c = &cmd_specs[i];

		buf_addf(out, "\t\t'%s') options='", c->words);
		add_options(c->options, out);
		buf_add(out, STR("' ;;\n"));
	}
	for (size_t i = 0; i < cmd_specs_n; i++) {
		struct str first = word_of(&cmd_specs[i], 0);

		if (seen(i) || !word_of(&cmd_specs[i], 1).n)
			continue;
		buf_addf(out, "\t\t'%.*s') words='", STR_ARG(first));
		add_second_words(i, out);
		buf_add(out, STR("' ;;\n"));
	}
}

static void
bash(struct buf *out)
{
	buf_add(out, STR("_crisol() {\n"
			 "\tlocal current=${COMP_WORDS[COMP_CWORD]} words='' options=''\n"
			 "\tlocal command=${COMP_WORDS[1]} second=${COMP_WORDS[2]}\n"
			 "\tCOMPREPLY=()\n"
			 "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\twords='"));
	for (size_t i = 0; i < cmd_specs_n; i++) {
		struct str first = word_of(&cmd_specs[i], 0);

		if (!seen(i))
			buf_addf(out, " %.*s", STR_ARG(first));
	}
	buf_add(out, STR("'\n\t\toptions='--help --version --licenses'\n\telse\n\t\tcase "
			 "$command in\n"));
	bash_cases(out);
	buf_add(out, STR("\t\tesac\n\t\tcase \"$command $second\" in\n"));
	bash_cases(out);
	buf_add(out,
	    STR("\t\tesac\n"
		"\t\t[ \"$COMP_CWORD\" = 2 ] || words=\n"
		"\tfi\n"
		"\tcase $current in\n"
		"\t-*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\") ;;\n"
		"\t*) if [ \"$words\" ]; then\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
		"\telse\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
		"\tfi ;;\n"
		"\tesac\n"
		"}\n"
		"complete -o filenames -F _crisol crisol\n"));
}

/* ---- zsh ---- */

/* Text between single quotes that zsh takes apart at colons. */
static void
add_quoted(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_add(out, STR("'\\''"));
		else if (*text == ':' || *text == '[' || *text == ']')
			buf_addf(out, "\\%c", *text);
		else
			buf_addc(out, *text);
	}
}

static void
zsh_options(const struct cmd_spec *c, struct buf *out)
{
	buf_addf(out, "\t'%s') _arguments", c->words);
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const struct cmd_option_spec *spec = &cmd_options[o];

		if (!(c->options & (1ull << o)))
			continue;
		buf_addf(out, " '%s--%s[", spec->kind == CMD_LIST ? "*" : "", spec->name);
		add_quoted(spec->text, out);
		buf_add(out, STR("]"));
		if (spec->kind != CMD_FLAG)
			buf_addf(out, ":%s:_files", spec->value);
		buf_add(out, STR("'"));
	}
	buf_add(out, STR(" '*:file:_files' ;;\n"));
}

static void
zsh_list(const char *first, struct buf *out)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		struct str word = word_of(&cmd_specs[i], first ? 1 : 0);

		if (first ? !str_eq(word_of(&cmd_specs[i], 0), str_of(first)) : seen(i))
			continue;
		buf_addf(out, " '%.*s:", STR_ARG(word));
		add_quoted(cmd_specs[i].text, out);
		buf_addc(out, '\'');
	}
}

static void
zsh(struct buf *out)
{
	buf_add(out, STR("#compdef crisol\n"
			 "_crisol() {\n"
			 "\tlocal -a list\n"
			 "\tif (( CURRENT == 2 )); then\n\t\tlist=("));
	zsh_list(NULL, out);
	buf_add(out, STR(")\n\t\t_describe command list\n\t\treturn\n\tfi\n"));
	buf_add(out, STR("\tif (( CURRENT == 3 )); then\n\t\tcase ${words[2]} in\n"));
	for (size_t i = 0; i < cmd_specs_n; i++) {
		auto_done(buf) struct buf first = buf_max(64);

		if (seen(i) || !word_of(&cmd_specs[i], 1).n)
			continue;
		buf_add(&first, word_of(&cmd_specs[i], 0));
		buf_addf(out, "\t\t'%s') list=(", buf_text(&first));
		zsh_list(buf_text(&first), out);
		buf_add(out, STR(")\n\t\t\t_describe command list\n\t\t\treturn ;;\n"));
	}
	buf_add(out, STR("\t\tesac\n\tfi\n\tcase ${words[2]} in\n"));
	for (size_t i = 0; i < cmd_specs_n; i++) {
		if (!word_of(&cmd_specs[i], 1).n)
			zsh_options(&cmd_specs[i], out);
	}
	buf_add(out, STR("\tesac\n\tcase \"${words[2]} ${words[3]}\" in\n"));
	for (size_t i = 0; i < cmd_specs_n; i++) {
		if (word_of(&cmd_specs[i], 1).n)
			zsh_options(&cmd_specs[i], out);
	}
	buf_add(out, STR("\tesac\n}\n[ \"$funcstack[1]\" = _crisol ] && _crisol \"$@\" || "
			 "compdef _crisol crisol\n"));
}

/* ---- fish ---- */

/* Text between single quotes for fish. */
static void
fish_quoted(const char *text, struct buf *out)
{
	buf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

static void
fish_command(size_t at, struct buf *out)
{
	const struct cmd_spec *c = &cmd_specs[at];
	struct str first = word_of(c, 0), second = word_of(c, 1);

	if (!second.n || !seen(at)) {
		buf_addf(out, "complete -c crisol -n __fish_use_subcommand -a %.*s",
		    STR_ARG(first));
		if (!second.n) {
			buf_add(out, STR(" -d "));
			fish_quoted(c->text, out);
		}
		buf_addc(out, '\n');
	}
	if (second.n) {
		buf_addf(out,
		    "complete -c crisol -n '__fish_seen_subcommand_from %.*s' -f -a %.*s -d ",
		    STR_ARG(first), STR_ARG(second));
		fish_quoted(c->text, out);
		buf_addc(out, '\n');
	}
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const struct cmd_option_spec *spec = &cmd_options[o];

		if (!(c->options & (1ull << o)))
			continue;
		buf_addf(out, "complete -c crisol -n '__fish_seen_subcommand_from %.*s",
		    STR_ARG(first));
		if (second.n)
			buf_addf(out, "; and __fish_seen_subcommand_from %.*s",
			    STR_ARG(second));
		buf_addf(out, "' -l %s", spec->name);
		if (spec->letter)
			buf_addf(out, " -s %c", spec->letter);
		buf_add(out, spec->kind == CMD_FLAG ? STR(" -d ") : STR(" -r -d "));
		fish_quoted(spec->text, out);
		buf_addc(out, '\n');
	}
}

int
cmd_completion(const struct cmd_line *line)
{
	struct str shell = str_of(line->arguments_n ? line->arguments[0] : "");
	auto_done(buf) struct buf out = buf_max(KiB(256));

	if (str_eq(shell, STR("bash"))) {
		bash(&out);
	} else if (str_eq(shell, STR("zsh"))) {
		zsh(&out);
	} else if (str_eq(shell, STR("fish"))) {
		for (size_t i = 0; i < cmd_specs_n; i++)
			fish_command(i, &out);
	} else {
		return cmd_fail(CODE_INVALID_INPUT, STR("completion takes bash, zsh or fish"),
		    STR("for bash: eval \"$(crisol completion bash)\""));
	}
	return cmd_print(buf_str(&out));
}
