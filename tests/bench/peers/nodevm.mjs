// SPDX-License-Identifier: MIT
/* node:vm: a context of V8 in this process. It is no wall, its speed is the mark. */
import vm from 'node:vm';

import { cpuSince, envelope, serve } from './order.mjs';

function wrap(source) {
	return /\bawait\b/.test(source) ? `(async () => {${source}\n})()` : `(() => {${source}\n})()`;
}

async function run(order, answer) {
	for (let i = 0; i < order.count; i++) {
		const started = process.hrtime.bigint();
		const cpu = process.cpuUsage();
		const context = vm.createContext({});
		const value = vm.runInContext(wrap(order.source), context);

		answer(envelope(started, cpuSince(cpu), value));
	}
}

/* A script that waits, in a process of its own: what the process weighs. */
async function idle(order, answer) {
	const context = vm.createContext({ setTimeout });

	vm.runInContext(wrap(order.source), context).catch(() => {});
	await new Promise((done) => setTimeout(done, 200));
	answer({ bytes: process.memoryUsage.rss() });
}

await serve({ run, create: run, idle });
