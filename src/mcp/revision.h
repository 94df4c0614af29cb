/* SPDX-License-Identifier: MIT */
/* The versions of the Model Context Protocol that are spoken, and in what they differ (doc/mcp.md). */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include "base/str.h"

enum mcp_version {
	MCP_2025_03_26,
	MCP_2025_06_18,
	MCP_2025_11_25,
	MCP_2026_07_28,
	MCP_VERSIONS
};

#define MCP_NEWEST_GREETED MCP_2025_11_25 /* of those that begin with initialize */

struct mcp_version_spec {
	const char *name;
	bool
	    greeted; /* a connection begins with initialize; else each request says its version */
	bool batches;     /* several messages in one array */
	bool structured;  /* structured results, output schemas, titles */
	bool described;   /* a description of the server itself */
	bool bare_errors; /* an error that answers no known request is a message of its own */
};

extern const struct mcp_version_spec mcp_versions[MCP_VERSIONS];

/* MCP_VERSIONS for a name that is none of ours. */
enum mcp_version mcp_version_named(struct str name);

#endif
