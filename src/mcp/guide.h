/* SPDX-License-Identifier: MIT */
/* What a model reads to write scripts, made from the live state: limits and tools in force. */
#ifndef MCP_GUIDE_H
#define MCP_GUIDE_H

#include "mcp/server.h"

void guide_write(const struct server *s, struct buf *out);
/* The declarations alone. */
void guide_tools(const struct server *s, struct buf *out);

#endif
