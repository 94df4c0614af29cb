// SPDX-License-Identifier: MIT
/* How a failed run is described: any value that can be thrown, places, hints. */
export default async function (t, image) {
	const error = async (source, options) => (await image.run(source, options)).error ?? {};

	/* ---- places ---- */
	{
		const e = await error(
			'const a = 1;\nfunction f() {\n\tnull.x;\n}\n[1].forEach(() => f());',
		);
		t.is(
			'name, message, line',
			[e.name, e.message, e.line],
			['TypeError', "cannot read property 'x' of null", 3],
		);
		t.ok(
			'the stack has user and native frames',
			/^f \(script\.js:3:\d+\)\n<anonymous> \(script\.js:5:\d+\)\nforEach \(native\)\n<eval> \(script\.js:5:\d+\)\n$/.test(
				e.stack,
			),
			e.stack,
		);
	}
	{
		const e = await error('const a = {};\nawait 0;\nreturn a.b.c');
		t.is(
			'the wrapper of a function body does not count',
			[e.line, e.stack.split('\n').length],
			[3, 2],
		);
	}
	{
		const e = await error('let a = 1;\nlet b = ;');
		t.is(
			'a syntax error has its place',
			[e.name, e.line, e.column > 0],
			['SyntaxError', 2, true],
		);
		const wrapped = await error('return 1;\nlet b = ;');
		t.is('also in a function body', [wrapped.name, wrapped.line], ['SyntaxError', 2]);
	}
	{
		const e = await error('new URL("nope")');
		t.ok(
			'frames of the prelude are dropped',
			/^<eval> \(script\.js:1:\d+\)\n$/.test(e.stack),
			e.stack,
		);
	}
	{
		const e = await error(
			'(async () => { await 0; throw new RangeError("late") })(); await new Promise((r) => setTimeout(r, 1)); await Promise.reject(new RangeError("x"))',
		);
		t.is('a rejection', [e.name, e.message], ['RangeError', 'x']);
		const timer = await error(
			'setTimeout(() => { throw new Error("tick") }, 1);\nawait new Promise(() => 0)',
		);
		t.is('an error in a timer ends the run', [timer.message, timer.line], ['tick', 1]);
	}

	/* ---- anything can be thrown ---- */
	for (const [source, message] of [
		['throw undefined', 'undefined'],
		['throw null', 'null'],
		['throw "text"', 'text'],
		['throw 5', '5'],
		['throw 5n', '5'],
		['throw Symbol("s")', 'Symbol(s)'],
		['throw {code: 5}', '{ code: 5 }'],
		['throw () => 1', '[Function (anonymous)]'],
		['throw [1]', '[ 1 ]'],
		['throw {message: "duck"}', 'duck'],
		[
			'throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 1 }})',
			'a Proxy was thrown',
		],
		['throw {get message() { throw 1 }}', '{ message: [Getter] }'],
		['throw Object.create(null)', '[Object: null prototype] {}'],
		[
			'const e = new Error("x"); Object.defineProperty(e, "message", {get() { throw 1 }}); throw e',
			'',
		],
		['const e = new Error(); e.message = {}; throw e', '[object]'],
		['const e = new Error("x"); e.name = {}; throw e', 'x'],
		[
			'const e = new Error("x"); Object.setPrototypeOf(e, new Proxy({}, {get() { throw 1 }})); throw e',
			'x',
		],
		['const e = new Error("x"); e.stack = "garbage"; throw e', 'x'],
		[
			'const e = new Error("x"); Object.defineProperty(e, "stack", {get() { for (;;); }}); throw e',
			'x',
		],
		['throw new DOMException("m", "AbortError")', 'm'],
		['throw Object.assign(new Error("self"), {cause: 0})', 'self'],
	]) {
		t.is(source, (await error(source)).message, message);
	}
	{
		const e = await error('throw new Error("x".repeat(1e6), {cause: "y".repeat(1e6)})');
		t.is(
			'messages are cut',
			[[...e.message].length, [...e.cause.message].length],
			[4000, 4000],
		);
		const deep = await error(
			'let e = new Error("0"); for (let i = 1; i < 9; i++) e = new Error(i, {cause: e}); throw e',
		);
		t.is(
			'causes end',
			[deep.cause.cause.cause.message, deep.cause.cause.cause.cause],
			['5', undefined],
		);
		const circle = await error(
			'const e = new Error("x"); e.cause = {cause: e, message: "y"}; throw e',
		);
		t.is('causes in a circle end', circle.cause.cause.cause.message, 'y');
		const long = await error(
			'Error.stackTraceLimit = 60; (function f(n) { if (n) f(n - 1); else null.x })(50)',
		);
		t.is('at most twenty frames', long.stack.trim().split('\n').length, 20);
		const evil = await error(
			'const e = new Error("x"); Object.defineProperty(e, "stack", {value: "    at f (script.js:1:1)\\n".repeat(1e5)}); throw e',
		);
		t.is('also of a stack that was made up', evil.stack.trim().split('\n').length, 20);
		const any = await error(
			'await Promise.any([Promise.reject(new TypeError("a")), Promise.reject("b")])',
		);
		t.is('AggregateError', any.message, 'All promises were rejected\n- TypeError: a\n- b');
	}

	/* ---- hints ---- */
	for (const [source, hint] of [
		['require("fs")', /no modules/],
		['module.exports = 1', /no modules/],
		['process.env.X', /There is no process/],
		['fetch("http://x")', /no network/],
		['new XMLHttpRequest()', /no network/],
		['Buffer.from("x")', /Uint8Array/],
		['window.x', /globalThis/],
		['global.x', /globalThis/],
		['document.title', /no page/],
		['__dirname', /no files/],
		['Deno.args', /neither/],
		['import fs from "fs"', /no modules/],
		['  import { a } from "b"', /no modules/],
		['export const a = 1', /no module/],
		['await import("x")', /no modules/],
		['JSON.parse("{a}")', /no JSON/],
		['JSON.parse({})', /parsed already/],
		['JSON.parse(undefined)', /got undefined/],
		['Promise.resolve([]).map((x) => x)', /await/],
		['for (const x of Promise.resolve()) ;', /await/],
		['const tools = {x: async () => ({a: []})}; tools.x().a.length', /await/],
		['(function f() { f() })()', /too deep/],
		['"x".repeat(2 ** 31)', /can not grow/],
		['1n + 1', /do not mix/],
		['JSON.stringify(1n)', /String\(x\)/],
		['const a = 1; a = 2', /let/],
		['x; let x', /before the line/],
		['[].reduce((a) => a)', /start value/],
		['throw 1', /no Error/],
	]) {
		const e = await error(source);
		t.ok('hint: ' + source, hint.test(e.hint ?? ''), JSON.stringify(e));
	}
	t.is(
		'typeof of what is missing stays undefined',
		(
			await image.run(
				'[typeof fetch, typeof require, typeof process, typeof Buffer, typeof window].join()',
			)
		).value,
		'undefined,undefined,undefined,undefined,undefined',
	);
	t.ok(
		'"not a function" quotes the place',
		/^not a function: .*list\.mapp\(/.test(
			(await error('const list = [];\nlist.mapp((x) => x)')).message,
		),
	);

	/* ---- what scripts see ---- */
	{
		const { value } = await image.run(`class MyError extends Error {
			constructor(m) { super(m); this.name = 'MyError'; Error.captureStackTrace(this, MyError) } }
			const e = new MyError('boo'); const d = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
			[e.stack.split('\\n')[0], e.stack.includes('script.js'), d.get.name, new Error('a').stack.split('\\n')[0],
			Error.prototype.stack === undefined]`);
		t.is('stack begins with name and message', value, [
			'MyError: boo',
			true,
			'get stack',
			'Error: a',
			true,
		]);
	}

	/* ---- notes about rejections and timers ---- */
	t.is(
		'unhandled rejections',
		(await image.run('Promise.reject(new Error("lost")); Promise.reject(1); 5')).notes,
		['unhandled rejection: Error: lost', 'unhandled rejection: Error: 1'],
	);
	t.is(
		'handled in time',
		(await image.run('const p = Promise.reject(1); p.catch(() => 0); await 0; 5')).notes,
		[],
	);
	t.is(
		'pending timers',
		(await image.run('setTimeout(() => 0, 1e6); setInterval(() => 0, 1e6); 5')).notes,
		['2 timers were still pending and were dropped'],
	);
	t.is(
		'many rejections',
		(await image.run('for (let i = 0; i < 30; i++) Promise.reject(i); 1')).notes.at(-1),
		'... and 20 more',
	);
}
