/* SPDX-License-Identifier: MIT */
/* Commands that run commands. */
#include "gate/parts.h"

static bool
is_any(struct str name, const char *names)
{
	struct str rest = str_of(names);

	while (rest.n) {
		if (str_eq(str_split(&rest, ' '), name))
			return true;
	}
	return false;
}

bool
wrapper_variable(struct str name)
{
	return is_any(name, "PATH IFS ENV BASH_ENV LD_PRELOAD LD_LIBRARY_PATH PAGER EDITOR");
}

void
wrapper_add(struct reading *all, const struct gate_command *command)
{
	struct gate_command c = *command;

	if (c.argv_n && c.argv[0].p &&
	    is_any(c.argv[0], "sh bash dash zsh ksh env xargs sudo doas su eval find nice "
			      "nohup timeout command "
			      "builtin exec source . alias trap"))
		c.flags |= COMMAND_WRAPPER;
	parts_add(all, &c);
}
