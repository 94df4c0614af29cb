/* SPDX-License-Identifier: MIT */
/* Calls of tools: js_run is a run of the broker, every other name a direct call of it. */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include "mcp/server.h"

/* The broker did not begin it. */
void call_refused(struct request *r, const struct msg_client_refused *m);

#endif
