// SPDX-License-Identifier: MIT
/*
 * The peers' half of the benchmark's conversation; order.h describes it. A peer hands `serve` what
 * it can do: { verb: async (order, answer) => ... }.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export async function serve(verbs) {
	const lines = createInterface({ input: process.stdin, terminal: false });
	const answer = (value) => process.stdout.write(JSON.stringify(value) + '\n');

	console.log('.');
	for await (const line of lines) {
		const [verb, count, timeoutMs, memoryBytes, ...path] = line.split(' ');
		const order = {
			count: Number(count),
			timeoutMs: Number(timeoutMs),
			memoryBytes: Number(memoryBytes),
			source: readFileSync(path.join(' '), 'utf8'),
		};

		await verbs[verb](order, answer);
		console.log('.');
	}
	process.exit(0);
}

/* What one run took, in the form that crisol's own envelope has. */
export function envelope(started, cpu, value, error) {
	return {
		ns: Number(process.hrtime.bigint() - started),
		envelope: {
			status: error === undefined ? 'succeeded' : 'failed',
			value,
			error: error === undefined ? null : { code: String(error) },
			usage: { cpu_ms: cpu },
		},
	};
}

/* Processor time of this process since `since`, in milliseconds. */
export function cpuSince(since) {
	const used = process.cpuUsage(since);

	return (used.user + used.system) / 1000;
}
