// SPDX-License-Identifier: MIT
// Messages of a server against the schemas of the protocol's own package.
//	node judge.mjs PACKAGES <lines	each line {method, message}: the answer to a request of that method
//					(null: of any method), or what the server sent unasked
// Prints one JSON array of what is wrong: {line, method, why}.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const s = await import(pathToFileURL(require.resolve('@modelcontextprotocol/core')).href);
const results = {
	'initialize': s.InitializeResultSchema,
	'ping': s.EmptyResultSchema,
	'logging/setLevel': s.EmptyResultSchema,
	'server/discover': s.DiscoverResultSchema,
	'tools/list': s.ListToolsResultSchema,
	'tools/call': s.CallToolResultSchema,
	'resources/list': s.ListResourcesResultSchema,
	'resources/templates/list': s.ListResourceTemplatesResultSchema,
	'resources/read': s.ReadResourceResultSchema,
	'prompts/list': s.ListPromptsResultSchema,
	'prompts/get': s.GetPromptResultSchema,
};
const unasked = {
	'notifications/progress': s.ProgressNotificationSchema,
	'notifications/message': s.LoggingMessageNotificationSchema,
	'notifications/subscriptions/acknowledged': s.SubscriptionsAcknowledgedNotificationSchema,
};
const wrong = [];
const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean);
lines.forEach((line, i) => {
	const { method, message } = JSON.parse(line);
	const check = (schema, value, what) => {
		const got = schema ? schema.safeParse(value) : { success: false, error: { message: `there is no ${what}` } };
		if (!got.success) wrong.push({ line: i, method: what, why: got.error.message });
	};
	check(s.JSONRPCMessageSchema, message, 'message');
	if ('result' in message) check(method ? results[method] : s.ResultSchema, message.result, method);
	else if ('method' in message) check(unasked[message.method], message, message.method);
	else check(s.JSONRPCErrorResponseSchema, message, 'error');
});
console.log(JSON.stringify({ checked: lines.length, wrong }));
