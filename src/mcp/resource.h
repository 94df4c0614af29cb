/* SPDX-License-Identifier: MIT */
/*
 * What can be read by a URI: the guide, the declarations, and the runs of this connection.
 * Others' runs are not there, though the broker knows them.
 */
#ifndef MCP_RESOURCE_H
#define MCP_RESOURCE_H

#include "mcp/server.h"

/* The broker has no answer. */
void resource_refused(struct request *r, const struct msg_client_refused *m);

#endif
