/* SPDX-License-Identifier: MIT */
/*
 * The command line: one table of options, one of commands, one parser.
 *
 *	r = cmd_parse(argc, argv, &line, &e);
 *	status = line.command->run(&line);
 *
 * A command returns the exit status: that of the error code it reports (ipc/codes.def), 0 for
 * success.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/buf.h"
#include "base/err.h"
#include "ipc/code.h"

enum cmd_option {
#define OPTION(id, letter, name, kind, value, least, most, text) CMD_##id,
#include "cmd/option.def"
#undef OPTION
	CMD_OPTION_COUNT
};

enum cmd_kind { CMD_FLAG, CMD_TEXT, CMD_NUMBER, CMD_LIST };

struct cmd_option_spec {
	char letter; /* 0: none */
	const char *name;
	enum cmd_kind kind;
	const char *value; /* what its value is called */
	uint64_t least, most;
	const char *text;
};

struct cmd_line;
typedef int cmd_fn(const struct cmd_line *line);

struct cmd_spec {
	const char *words; /* one or two, a blank between */
	const char *arguments;
	int most_arguments;
	uint64_t options; /* bits of enum cmd_option, the global ones included */
	const char *text, *more;
	cmd_fn *run;
};

/* Options that every command takes. */
#define CMD_GLOBAL_OPTIONS ((1ull << CMD_help) | (1ull << CMD_cwd) | (1ull << CMD_config))

#define CMD_ARGUMENTS_MAX  16
#define CMD_MANY_MAX       64

struct cmd_line {
	const struct cmd_spec *command; /* NULL: none was named */
	bool set[CMD_OPTION_COUNT];
	const char *text[CMD_OPTION_COUNT];
	uint64_t number[CMD_OPTION_COUNT];
	const char *arguments[CMD_ARGUMENTS_MAX];
	int arguments_n;
	/* The values of the LIST options, in the order given. */
	struct cmd_many {
		enum cmd_option option;
		const char *value;
	} many[CMD_MANY_MAX];
	int many_n;
};

extern const struct cmd_option_spec cmd_options[CMD_OPTION_COUNT];
extern const struct cmd_spec cmd_specs[];
extern const size_t cmd_specs_n;

/* ERR_INVALID says what was wrong and what comes nearest. */
int cmd_parse(int argc, char **argv, struct cmd_line *ret_line, struct err *e) must_use;
/* The help of one command, or of all (NULL). */
void cmd_help(const struct cmd_spec *command, struct buf *out);
/* The man page, as roff. */
void cmd_man(struct buf *out);

/*
 * Says an error on standard error the way every command does; returns the code's exit status.
 */
int cmd_fail(enum code code, struct str message, struct str hint);
/* One line on standard error that is no failure. */
void cmd_note(struct str note);
/* crisol --licenses: prints the notices that are installed or built beside this program. */
int cmd_licenses(void);
/* Writes to standard output; 0, or the exit status when that failed (and says so). */
int cmd_print(struct str text);
/* The same for JSON, which stays JSON on a terminal, too. */
int cmd_print_json(struct str json);

#define COMMAND(id, words, arguments, most, options, text, more) cmd_fn cmd_##id;
#include "cmd/command.def"
#undef COMMAND

#endif
