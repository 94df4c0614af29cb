/* SPDX-License-Identifier: MIT */
/* crisol tools --cost: what each way to show the tools to a model takes of its context. */
#ifndef CMD_COST_H
#define CMD_COST_H

#include "base/json.h"
#include "cmd/cmd.h"

/* tools: the answer to ASK_TOOLS. The exit status. */
int cost_print(const struct cmd_line *line, const struct yyjson_val *tools);

#endif
