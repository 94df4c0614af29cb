// SPDX-License-Identifier: MIT
/*
 * node test/run.mjs NODE_MODULES_DIR [NAME...]
 *
 * Runs the t_*.mjs files of this folder, or the named ones, and prints TAP. They run in a worker,
 * because the engine needs a larger stack under WebAssembly than node's main thread has.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const here = dirname(fileURLToPath(import.meta.url));

function testNames(wanted) {
	const all = readdirSync(here)
		.filter((name) => /^t_\w+\.mjs$/.test(name))
		.sort()
		.map((name) => name.slice(2, -4));
	return wanted.length > 0 ? all.filter((name) => wanted.includes(name)) : all;
}

/* What a test file gets: t.is(name, got, wanted) compares as JSON, t.ok(name, condition). */
function makeTap(prefix, totals) {
	const report = (name, good, detail) => {
		totals.count++;
		totals.failed += good ? 0 : 1;
		console.log(`${good ? 'ok' : 'not ok'} ${totals.count} - ${prefix}: ${name}`);
		if (!good) {
			console.log(detail.replace(/^/gm, '# '));
		}
	};
	return {
		ok: (name, condition, detail = '') => report(name, condition === true, String(detail)),
		is: (name, got, wanted) => {
			const [a, b] = [got, wanted].map((x) => JSON.stringify(x));
			report(name, a === b, `got    ${a}\nwanted ${b}`);
		},
	};
}

async function runAll(modules, wanted) {
	const { makeImage } = await import('./guest.mjs');
	const image = await makeImage(modules);
	const totals = { count: 0, failed: 0 };
	for (const name of testNames(wanted)) {
		const { default: test } = await import(pathToFileURL(join(here, `t_${name}.mjs`)).href);
		await test(makeTap(name, totals), image, modules);
	}
	console.log(`1..${totals.count}`);
	process.exitCode = totals.failed > 0 ? 1 : 0;
}

if (!isMainThread) {
	await runAll(workerData.modules, workerData.wanted);
} else if (process.argv.length < 3) {
	console.error('usage: node run.mjs NODE_MODULES_DIR [NAME...]');
	process.exitCode = 2;
} else {
	new Worker(fileURLToPath(import.meta.url), {
		workerData: { modules: process.argv[2], wanted: process.argv.slice(3) },
		resourceLimits: { stackSizeMb: 64 },
	}).on('exit', (code) => (process.exitCode = code));
}
