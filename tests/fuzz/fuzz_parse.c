/* SPDX-License-Identifier: MIT */
/* A command line, its words between NULs. */
#include "cmd/cmd.h"
#include "fuzz.h"

#define WORDS_MAX 64

static void
check(const struct cmd_line *line, int argc, char **argv)
{
	must(line->arguments_n >= 0 && line->arguments_n <= CMD_ARGUMENTS_MAX);
	must(!line->arguments_n || line->command);
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		const struct cmd_option_spec *spec = &cmd_options[o];

		if (!line->set[o])
			continue;
		must(!line->command || (line->command->options & (1ull << o)));
		must((spec->kind == CMD_FLAG) == !line->text[o]);
		if (spec->kind == CMD_NUMBER)
			must(line->number[o] >= spec->least && line->number[o] <= spec->most);
	}
	for (int i = 0; i < line->arguments_n; i++) {
		bool given = false;

		for (int k = 1; k < argc; k++)
			given = given || line->arguments[i] == argv[k];
		must(given);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static char self[] = "crisol";
	auto_free char *copy = xmalloc(n + 1);
	char *argv[WORDS_MAX + 2] = { self };
	struct cmd_line line;
	struct err e;
	int argc = 1, r;

	if (n)
		memcpy(copy, bytes, n);
	copy[n] = '\0';
	for (size_t at = 0; at < n && argc <= WORDS_MAX; at += strlen(copy + at) + 1)
		argv[argc++] = copy + at;
	r = cmd_parse(argc, argv, &line, &e);
	must(r == 0 || (r == -ERR_INVALID && e.text[0]));
	if (r == 0)
		check(&line, argc, argv);
	return 0;
}
