/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

const struct cmd_option_spec cmd_options[CMD_OPTION_COUNT] = {
#define OPTION(id, letter, name, kind, value, least, most, text) \
	[CMD_##id] = { letter, name, CMD_##kind, value, least, most, text },
#include "cmd/option.def"
#undef OPTION
};

#define B(id) (1ull << CMD_##id)

const struct cmd_spec cmd_specs[] = {
#define COMMAND(id, words, arguments, most, options, text, more) \
	{ words, arguments, most, (options) | CMD_GLOBAL_OPTIONS, text, more, cmd_##id },
#include "cmd/command.def"
#undef COMMAND
};

const size_t cmd_specs_n = COUNT(cmd_specs);
