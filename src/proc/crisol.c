/* SPDX-License-Identifier: MIT */
/* crisol: the command a person or a script types. It shows; it decides nothing. */
#include "cmd/cmd.h"
#include "version.h"

#include <unistd.h>

static int
help(const struct cmd_line *line)
{
	auto_done(buf) struct buf out = buf_max(KiB(64));

	cmd_help(line->command, &out);
	return cmd_print(buf_str(&out));
}

static int
bad_line(const struct cmd_line *line, const struct err *e)
{
	auto_done(buf) struct buf hint = buf_max(KiB(1));

	if (line->command)
		buf_addf(&hint, "crisol %s --help shows what it takes", line->command->words);
	else
		buf_add(&hint, STR("crisol --help lists the commands"));
	return cmd_fail(CODE_INVALID_INPUT, str_of(e->text), buf_str(&hint));
}

int
main(int argc, char **argv)
{
	struct cmd_line line;
	struct err e;

	if (cmd_parse(argc, argv, &line, &e) < 0)
		return bad_line(&line, &e);
	if (line.set[CMD_help])
		return help(&line);
	if (line.set[CMD_version])
		return cmd_print(STR("crisol " CRISOL_VERSION "\n"));
	if (line.set[CMD_licenses])
		return cmd_licenses();
	if (!line.command) {
		help(&line);
		return code_specs[CODE_INVALID_INPUT].exit_status;
	}
	if (line.set[CMD_cwd] && chdir(line.text[CMD_cwd]) < 0) {
		err_sys(&e, "--cwd '%s'", line.text[CMD_cwd]);
		return cmd_fail(CODE_INVALID_INPUT, str_of(e.text), (struct str){ NULL, 0 });
	}
	return line.command->run(&line);
}
