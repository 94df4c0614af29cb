// SPDX-License-Identifier: MIT
/* The image: nothing of the build in it, clones apart from each other, and small. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { build } from '../build.mjs';

/* Budgets, with room for a little growth: what a run copies when it collects garbage. */
const SOURCE_MAX = 600000;
const OBJECTS_MAX = 1300;
const PAGES_MAX = 48;

/* The engine's list of what its collector visits, found in the runtime's memory by its shape. */
function collected(vm) {
	const memory = new Uint32Array(vm.exports.memory.buffer);
	const runtime = vm.exports.qjs_get_runtime_ptr();
	let best = [];
	for (let head = runtime; head < runtime + 900; head += 4) {
		const first = memory[(head >> 2) + 1];
		const last = memory[head >> 2];
		if (
			first % 4 ||
			last % 4 ||
			!memory[first >> 2] ||
			memory[first >> 2] !== head ||
			memory[(last >> 2) + 1] !== head
		) {
			continue;
		}
		const nodes = [];
		for (let at = first; at !== head && nodes.length < 1e5; at = memory[(at >> 2) + 1]) {
			nodes.push(at);
		}
		best = nodes.length > best.length ? nodes : best;
	}
	return { objects: best.length, pages: new Set(best.map((at) => at >> 12)).size };
}

export default async function (t, image, modules) {
	const prelude = await build(modules);
	t.ok(
		'the build is deterministic',
		prelude === image.prelude && prelude === (await build(modules)),
	);
	t.ok(
		'the source has no path of this machine',
		!/node_modules|file:\/\/\//.test(prelude) &&
			!prelude.includes(resolve(modules)) &&
			!prelude.includes(homedir() + '/'),
	);
	t.ok('the source is within its budget', prelude.length < SOURCE_MAX, prelude.length);
	{
		const { vm } = await image.clone();
		const { objects, pages } = collected(vm);
		t.ok(
			`objects the collector visits: ${objects} in ${pages} pages`,
			objects > 500 && objects < OBJECTS_MAX && pages < PAGES_MAX,
		);
	}

	const twice = async (source) => [
		(await image.run(source)).value,
		(await image.run(source)).value,
	];
	for (const source of [
		'Math.random()',
		'crypto.randomUUID()',
		'crypto.getRandomValues(new Uint32Array(4)).join()',
	]) {
		const [a, b] = await twice(source);
		t.ok(`two clones differ in ${source}`, a !== b && a !== undefined, `${a} ${b}`);
	}
	t.is(
		'what one clone does, another does not see',
		[
			(
				await image.run(
					'Array.prototype.x = 1; globalThis.y = 2; setTimeout(() => 0, 1e6); console.group(); console.count(); 1',
				)
			).value,
			(
				await image.run(
					'console.count(); [typeof y, [].x === undefined, setTimeout(() => 0, 1e6)]',
				)
			).text,
		],
		[1, ['default: 1']],
	);
	{
		const { value } = await image.run(
			'[performance.now() < 5000, Math.abs(performance.timeOrigin - Date.now()) < 5000]',
		);
		t.is('time starts with the run', value, [true, true]);
	}
	t.is(
		'args',
		(await image.run('[args.a, Object.isFrozen(args), args = 5, args]', { args: { a: 1 } }))
			.value,
		[1, false, 5, 5],
	);
	t.is(
		'args may be shadowed',
		(
			await image.run(
				'const args = 1; let console = 2; function text() { return 3 } args + console + text()',
			)
		).value,
		6,
	);
	t.is(
		'numbers from Math.random are spread evenly',
		(
			await image.run(`const n = Array(10).fill(0); for (let i = 0; i < 20000; i++) n[Math.floor(Math.random() * 10)]++;
		n.every((x) => x > 1700 && x < 2300)`)
		).value,
		true,
	);
	{
		const before =
			'Object.defineProperty(globalThis, "hasOwn", { value: Object.prototype.hasOwnProperty })';
		const run = await image.run(
			`[typeof TextDecoder, hasOwn.call(Object.getOwnPropertyDescriptor(globalThis, "TextDecoder"), "value"),
			hasOwn.call(Object.getOwnPropertyDescriptor(globalThis, "URL"), "get")]`,
			{ before },
		);
		t.is('lazy globals are accessors until they are used', run.value, [
			'function',
			true,
			true,
		]);
	}
}
