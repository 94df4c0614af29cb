/* SPDX-License-Identifier: MIT */
/* What every command says in the same way. */
#include "base/fd.h"
#include "base/utf8.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <unistd.h>

int
cmd_fail(enum code code, struct str message, struct str hint)
{
	const struct code_spec *spec = &code_specs[code];
	auto_done(buf) struct buf text = buf_max(KiB(64));
	struct err e;

	buf_addf(&text, "crisol: %s: ", spec->name);
	utf8_show_message(message, &text);
	buf_addc(&text, '\n');
	if (!hint.n)
		hint = str_of(spec->hint);
	if (hint.n) {
		buf_add(&text, STR("  hint: "));
		utf8_show_message(hint, &text);
		buf_addc(&text, '\n');
	}
	/* Nobody is left to tell when standard error is gone. */
	if (fd_write_all(STDERR_FILENO, buf_str(&text), &e) < 0)
		return spec->exit_status;
	return spec->exit_status;
}

static int
write_out(struct str text)
{
	struct err e;

	if (fd_write_all(STDOUT_FILENO, text, &e) >= 0)
		return 0;
	/* A reader that had enough (`| head`) is no error to talk about. */
	if (e.code == ERR_CLOSED)
		return code_specs[CODE_INTERNAL].exit_status;
	return cmd_fail(CODE_INTERNAL, STR("standard output does not take the result"),
	    str_of(e.text));
}

int
cmd_print(struct str text)
{
	auto_done(buf) struct buf shown = buf_max(text.n * 8 + 1);

	if (!isatty(STDOUT_FILENO))
		return write_out(text);
	utf8_show(text, &shown);
	return write_out(buf_str(&shown));
}

int
cmd_print_json(struct str json)
{
	auto_done(buf) struct buf shown = buf_max(json.n * 3 + 1);

	utf8_show_json(json, &shown);
	return write_out(buf_str(&shown));
}
