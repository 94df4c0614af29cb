/* SPDX-License-Identifier: MIT */
/*
 * TypeScript declarations of tools, as a script sees them, from the broker's list of tools (name,
 * description, effect, state, inputSchema, and returns: a type).
 */
#ifndef MCP_DTS_H
#define MCP_DTS_H

#include "base/json.h"

/* "declare const tools: {...};" of those that are offered; cut where the buffer is full. */
void dts_write(const struct yyjson_val *tools, struct buf *out);
/* Whether the policy offers it. */
bool dts_offered(const struct yyjson_val *tool);

#endif
