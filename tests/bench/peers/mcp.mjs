// SPDX-License-Identifier: MIT
// A server of the protocol's own package with one tool, which takes a script's place: node mcp.mjs PACKAGES
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Server } = await load('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = await load('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');

const server = new Server({ name: 'peer', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: '1' }], structuredContent: { value: 1 } }));
await server.connect(new StdioServerTransport());
