// SPDX-License-Identifier: MIT
// One client of an SDK against one server: what it was told, as one JSON object on standard output.
//	node peer.mjs PACKAGES KIND COMMAND ARGUMENTS...	KIND: v1, v2, auto, pin
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packages, kind, command, ...args] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${packages}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const first = kind === 'v1';
const { Client } = await load(first ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await load(first ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const options = { v1: {}, v2: {}, auto: { versionNegotiation: { mode: 'auto' } }, pin: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }[kind];

const client = new Client({ name: 'peer', version: '1' }, options);
const told = { errors: [], progress: [] };
client.onerror = (e) => told.errors.push(e.message);
const call = (name, input, extra = {}) =>
	first ? client.callTool({ name, arguments: input }, undefined, extra) : client.callTool({ name, arguments: input }, extra);
const failure = async (promise) => promise.then((v) => ({ value: v }), (e) => ({ code: e.code, message: e.message }));

await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }));
told.server = client.getServerVersion();
told.version = client.getNegotiatedProtocolVersion?.() ?? null;
told.instructions = client.getInstructions();
told.tools = (await client.listTools()).tools;
told.resources = (await client.listResources()).resources;
told.templates = (await client.listResourceTemplates()).resourceTemplates;
told.prompts = (await client.listPrompts()).prompts;
told.prompt = await client.getPrompt({ name: 'write_script', arguments: { task: 'count the files' } });
told.guide = await client.readResource({ uri: 'crisol://guide' });
told.value = await call('js_run', { code: 'const { files } = await tools.list_files({}); progress({ completed: 1, total: 2, note: "half" }); for (const t = Date.now(); Date.now() - t < 500;); return { files }' },
	{ onprogress: (p) => told.progress.push(p) });
told.thrown = await call('js_run', { code: 'throw new Error("on purpose")' });
told.read = await call('read_file', { path: 'a.txt' });
told.outside = await call('read_file', { path: '/etc/hostname' });
told.unknown = await failure(call('no_such_tool', {}));
const stop = new AbortController();
const endless = call('js_run', { code: 'progress({ note: "begun" }); for (;;);', timeoutMs: 300000 }, { signal: stop.signal, onprogress: () => stop.abort() });
told.aborted = await failure(endless);
told.after = await call('js_run', { code: 'return 1' });
told.runs = (await client.listResources()).resources.filter((r) => r.uri.startsWith('crisol://runs/'));
told.run = JSON.parse((await client.readResource({ uri: told.runs.at(-1).uri })).contents[0].text);
await client.close();
console.log(JSON.stringify(told));
