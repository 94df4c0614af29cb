/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

static void
add_option(const struct cmd_option_spec *o, struct buf *out)
{
	auto_done(buf) struct buf left = buf_max(80);

	if (o->letter)
		buf_addf(&left, "-%c, ", o->letter);
	buf_addf(&left, "--%s", o->name);
	if (o->kind != CMD_FLAG)
		buf_addf(&left, " %s", o->value);
	buf_addf(out, "  %-26s %s", buf_text(&left), o->text);
	if (o->kind == CMD_NUMBER)
		buf_addf(out, " (%llu to %llu)", (unsigned long long)o->least,
		    (unsigned long long)o->most);
	buf_addc(out, '\n');
}

static void
add_options(uint64_t options, struct buf *out)
{
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (options & (1ull << o))
			add_option(&cmd_options[o], out);
	}
}

static void
help_for_all(struct buf *out)
{
	uint64_t global = CMD_GLOBAL_OPTIONS | (1ull << CMD_version) | (1ull << CMD_licenses);

	buf_add(out, STR("crisol runs the code a language model writes, safely and "
			 "fast.\n\nCommands:\n"));
	for (size_t i = 0; i < cmd_specs_n; i++)
		buf_addf(out, "  crisol %-19s %s\n", cmd_specs[i].words, cmd_specs[i].text);
	buf_add(out, STR("\nOptions of every command:\n"));
	add_options(global, out);
	buf_add(out,
	    STR("\ncrisol COMMAND --help says more. Example:\n"
		"  crisol js -e 'return 6 * 7'\n\n"
		"Exit status: 0 done, 1 the script failed, 2 usage or configuration, 3 a "
		"limit,\n"
		"4 refused by policy, 5 engine or isolation not there, 130 cancelled.\n"));
}

void
cmd_help(const struct cmd_spec *command, struct buf *out)
{
	if (!command) {
		help_for_all(out);
		return;
	}
	buf_addf(out, "Usage: crisol %s [options]%s%s\n\n%s.\n\n%s\n\nOptions:\n",
	    command->words, *command->arguments ? " " : "", command->arguments, command->text,
	    command->more);
	add_options(command->options, out);
}

/* ---- the man page ---- */

/* Text for roff: hyphens that are hyphens, no accidental requests. */
static void
add_roff(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '-')
			buf_add(out, STR("\\-"));
		else if (*text == '\\')
			buf_add(out, STR("\\e"));
		else
			buf_addc(out, *text);
	}
}

static void
man_option(const struct cmd_option_spec *o, struct buf *out)
{
	buf_add(out, STR(".TP\n.B "));
	if (o->letter)
		buf_addf(out, "\\-%c, ", o->letter);
	buf_add(out, STR("\\-\\-"));
	add_roff(o->name, out);
	if (o->kind != CMD_FLAG)
		buf_addf(out, " \\fI%s\\fR", o->value);
	buf_addc(out, '\n');
	add_roff(o->text, out);
	if (o->kind == CMD_NUMBER)
		buf_addf(out, " (%llu to %llu)", (unsigned long long)o->least,
		    (unsigned long long)o->most);
	buf_add(out, STR(".\n"));
}

static void
man_command(const struct cmd_spec *c, struct buf *out)
{
	buf_addf(out, ".SS crisol %s ", c->words);
	add_roff(c->arguments, out);
	buf_addc(out, '\n');
	add_roff(c->more, out);
	buf_addc(out, '\n');
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (c->options & ~CMD_GLOBAL_OPTIONS & (1ull << o))
			man_option(&cmd_options[o], out);
	}
}

void
cmd_man(struct buf *out)
{
	uint64_t global = CMD_GLOBAL_OPTIONS | (1ull << CMD_version) | (1ull << CMD_licenses);

	buf_add(out,
	    STR(".TH CRISOL 1\n.SH NAME\ncrisol \\- run the code a language model writes, "
		"safely and fast\n"
		".SH SYNOPSIS\n.B crisol\n.I command\n[options] [arguments]\n.SH COMMANDS\n"));
	for (size_t i = 0; i < cmd_specs_n; i++)
		man_command(&cmd_specs[i], out);
	buf_add(out, STR(".SH OPTIONS OF EVERY COMMAND\n"));
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		if (global & (1ull << o))
			man_option(&cmd_options[o], out);
	}
	buf_add(out,
	    STR(".SH EXIT STATUS\n0 done; 1 the script failed; 2 usage or configuration; 3 a "
		"limit; "
		"4 refused by policy; 5 engine or isolation not there; 130 cancelled.\n"
		".SH ERROR CODES\n"));
	for (int c = CODE_NONE + 1; c < CODE_COUNT; c++) {
		buf_addf(out, ".TP\n.B %s\nExit status %d. ", code_specs[c].name,
		    code_specs[c].exit_status);
		add_roff(code_specs[c].hint, out);
		buf_add(out, STR(".\n"));
	}
}
