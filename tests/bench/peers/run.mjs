// SPDX-License-Identifier: MIT
/* npm run: a worker thread for each run, with its own pool and its own deadline. */
import { run as runScript, setMaxWorkers } from 'run';

import { cpuSince, envelope, serve } from './order.mjs';

async function once(order, hostFunctions) {
	const started = process.hrtime.bigint();
	const cpu = process.cpuUsage();
	let value;
	let error;

	try {
		({ value } = await runScript({
			source: order.source,
			hostFunctions,
			limits: { timeoutMs: order.timeoutMs, memoryLimitBytes: order.memoryBytes },
		}));
	} catch (thrown) {
		error = thrown.code ?? thrown.message;
	}
	return envelope(started, cpuSince(cpu), value, error);
}

async function run(order, answer) {
	for (let i = 0; i < order.count; i++) {
		answer(await once(order));
	}
}

/* Scripts that call a host function which answers at once. */
async function calls(order, answer) {
	for (let i = 0; i < order.count; i++) {
		answer(await once(order, { host: { read: async () => ({ content: 'hello' }) } }));
	}
}

async function fan(order, answer) {
	const started = process.hrtime.bigint();
	const all = await Promise.all(Array.from({ length: order.count }, () => once(order)));
	const failed = all.filter((one) => one.envelope.error !== null);

	answer({
		ns: Number(process.hrtime.bigint() - started),
		succeeded: all.length - failed.length,
		code: failed.length > 0 ? failed[0].envelope.error.code : '',
	});
}

/* `count` runs that wait for a host function which does not answer. */
async function idle(order, answer) {
	const before = process.memoryUsage.rss();
	const running = Array.from({ length: order.count }, () => runScript({
		source: 'return await host.wait()',
		hostFunctions: { host: { wait: () => new Promise(() => {}) } },
		limits: { timeoutMs: order.timeoutMs, memoryLimitBytes: order.memoryBytes },
	}));

	for (const one of running) {
		one.catch(() => {});
	}
	await new Promise((done) => setTimeout(done, 3000));
	answer({ bytes: (process.memoryUsage.rss() - before) / order.count });
}

setMaxWorkers(256);
await serve({ run, calls, fan, idle });
