/* SPDX-License-Identifier: MIT */
#include "mcp/revision.h"

const struct mcp_version_spec mcp_versions[MCP_VERSIONS] = {
	[MCP_2025_03_26] = {
		.name = "2025-03-26",
		.greeted = true,
		.batches = true,
	},
	[MCP_2025_06_18] = {
		.name = "2025-06-18",
		.greeted = true,
		.structured = true,
	},
	[MCP_2025_11_25] = {
		.name = "2025-11-25",
		.greeted = true,
		.structured = true,
		.described = true,
		.bare_errors = true,
	},
	[MCP_2026_07_28] = {
		.name = "2026-07-28",
		.structured = true,
		.described = true,
		.bare_errors = true,
	},
};

enum mcp_version
mcp_version_named(struct str name)
{
	for (int v = 0; v < MCP_VERSIONS; v++) {
		if (str_eq(name, str_of(mcp_versions[v].name)))
			return (enum mcp_version)v;
	}
	return MCP_VERSIONS;
}
