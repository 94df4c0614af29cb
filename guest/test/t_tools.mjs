// SPDX-License-Identifier: MIT
/* tools: calls, their answers in any order, what they reject with, calls that nothing waits for. */
const tools = {
	echo: (input) => input,
	one: () => 1,
	nothing: () => null,
	fail: () => {
		throw { code: 'NOT_FOUND', message: 'no file', hint: 'List the folder.' };
	},
};

export default async function (t, image) {
	const run = (source, options) => image.run(source, { tools, ...options });
	const value = async (name, source, wanted, options) => {
		const got = await run(source, options);
		t.is(name, got.error ?? [got.value, got.notes], [wanted, []]);
	};
	const fails = async (name, source, wanted, options) => {
		const { error } = await run(source, options);
		const got = error && Object.keys(wanted).map((key) => error[key]);
		t.is(name, got ?? null, Object.values(wanted));
	};
	/* the code and message a call rejects with, and how many calls were made */
	const refused = async (source, message, hint = /./) => {
		const { value, calls, error } = await run(
			`try { await ${source} } catch (e) { [e.code, e.message, e.hint, e.name] }`,
		);
		t.ok(
			source,
			value?.[0] === 'INVALID_INPUT' &&
				value[1] === message &&
				hint.test(value[2]) &&
				value[3] === 'ToolError' &&
				calls.length === 0,
			JSON.stringify(value ?? error),
		);
	};

	/* ---- what is asked for and what comes back ---- */
	{
		const { value, calls } = await run(
			'const a = await tools.echo({b: [1, "x", null]}); const c = await tools.call("one"); return [a, c, await tools.nothing({})]',
		);
		t.is('values come back', value, [{ b: [1, 'x', null] }, 1, null]);
		t.is(
			'calls are numbered in order; no input is an empty one',
			calls.map(({ n, name, json }) => [n, name, json]),
			[
				[1, 'echo', '{"b":[1,"x",null]}'],
				[2, 'one', '{}'],
				[3, 'nothing', '{}'],
			],
		);
	}
	await value('a promise as the last value', 'tools.echo({a: 1})', { a: 1 });
	await value('a promise that is returned', 'return tools.one()', 1);
	await value(
		'a promise',
		'const p = tools.one(); [p instanceof Promise, p.constructor === Promise, String(p), p.then(x => x).constructor === Promise, ' +
			'Object.getPrototypeOf(p.catch(x => x)) === Promise.prototype, await p.finally(() => 0)]',
		[true, true, '[object Promise]', true, true, 1],
	);
	await value(
		'toJSON and getters run once, as in JSON.stringify',
		'let log = []; const r = await tools.echo({get a() { log.push("a"); return 1 }, b: {toJSON(k) { log.push(k); return {c: [new Date(0)]} }}, u: undefined, ' +
			'p: new Proxy({x: 1}, {get(o, k) { log.push(k); return o[k] }})}); [r, log]',
		[
			{ a: 1, b: { c: ['1970-01-01T00:00:00.000Z'] }, p: { x: 1 } },
			['a', 'b', 'toJSON', 'x'],
		],
	);
	await value(
		'a class is written as its fields',
		'class A { x = 1; #y = 2 } await tools.echo({a: new A(), n: Object.assign(Object.create(null), {b: 1}), d: [[{}]]})',
		{ a: { x: 1 }, n: { b: 1 }, d: [[{}]] },
	);
	await value(
		'a value that is there twice',
		'const a = {b: [1]}; await tools.echo({a, c: a, d: [a, a]})',
		{ a: { b: [1] }, c: { b: [1] }, d: [{ b: [1] }, { b: [1] }] },
	);
	await value(
		'half a pair becomes U+FFFD',
		'await tools.echo({"k\\udc00": "a\\ud83d", b: "\\\\ud800 \\ud83d\\ude00"})',
		{ 'k\ufffd': 'a\ufffd', b: '\\ud800 \u{1f600}' },
	);
	await value(
		'a toJSON may call a tool',
		'let inner; const r = await tools.echo({a: [{toJSON() { inner = tools.echo({b: [{c: 1}]}); return 5 }}, {d: [2]}]}); [r, await inner]',
		[{ a: [5, { d: [2] }] }, { b: [{ c: 1 }] }],
	);
	{
		const deep = await run(
			'let a = {}; for (let i = 0; i < 900; i++) a = {a}; await tools.echo(a); 1',
		);
		t.is('nested inputs', deep.value, 1);
	}

	/* ---- inputs that are refused ---- */
	for (const [input, what] of [
		['5', 'a number'],
		['"path"', 'a string'],
		['null', 'null'],
		['[1]', 'an array'],
		['() => 1', 'a function'],
		['5n', 'a bigint'],
		['Symbol()', 'a symbol'],
		['new Date(0)', 'what its toJSON made of it'],
		['{toJSON() {}}', 'what its toJSON made of it'],
	]) {
		await refused(
			`tools.echo(${input})`,
			'input must be an object, not ' + what,
			/tools\.echo\(\{name: value\}\)/,
		);
	}
	for (const [input, message, hint] of [
		['{a: [1, {"b c": 2n}]}', 'input.a[1]["b c"] is a BigInt, which is not JSON', /String/],
		['{a: {b: NaN}, c: 1}', 'input.a.b is NaN, which is not JSON', /null/],
		['{a: {}, n: -Infinity}', 'input.n is -Infinity, which is not JSON'],
		['{f() {}}', 'input.f is a function, which is not JSON', /Call/],
		['{s: Symbol.iterator}', 'input.s is a symbol, which is not JSON'],
		['{a: [undefined]}', 'input.a[0] is undefined, which is not JSON'],
		['{a: [1, , 2]}', 'input.a[1] is undefined, which is not JSON'],
		['{m: new Map([[1, 2]])}', 'input.m is a Map, which is not JSON', /fromEntries/],
		['{m: {s: new Set()}}', 'input.m.s is a Set, which is not JSON', /\[\.\.\.set\]/],
		['{e: new RangeError("x")}', 'input.e is an Error, which is not JSON'],
		['{r: /x/}', 'input.r is a RegExp, which is not JSON'],
		['{b: new Uint8Array(2)}', 'input.b is an Uint8Array, which is not JSON', /toBase64/],
		['{b: new ArrayBuffer(2)}', 'input.b is an ArrayBuffer, which is not JSON'],
		['{i: [1].values()}', 'input.i is an Array Iterator, which is not JSON', /\.\.\.it/],
		['{d: new Date(NaN)}', 'input.d is an invalid Date, which is not JSON'],
		['{b: Object(1n)}', 'input.b is a BigInt, which is not JSON'],
		['{p: Promise.resolve(1)}', 'input.p is a Promise, which is not JSON', /await/],
		['Promise.resolve({})', 'input is a Promise, which is not JSON', /await/],
		['new Map()', 'input is a Map, which is not JSON'],
		[
			'new URLSearchParams("a=1")',
			'input is an object of the class URLSearchParams without fields, which is not JSON',
		],
		[
			'(() => { const o = {}; o.o = o; return o })()',
			'input contains itself: input.o is input',
		],
		[
			'(() => { const o = {a: {b: [{}]}}; o.a.b[0].c = o.a; return o })()',
			'input contains itself: input.a.b[0].c is input.a',
		],
		[
			'(() => { let a = {}; for (let i = 0; i < 1100; i++) a = {a}; return a })()',
			'input is nested over 1000 deep at input' + '.a'.repeat(48) + '….a',
		],
	]) {
		await refused(`tools.echo(${input})`, message, hint);
	}
	await fails(
		'what a getter throws comes as it is',
		'await tools.echo({get x() { throw new RangeError("mine") }})',
		{ name: 'RangeError', message: 'mine', code: undefined },
	);
	await fails(
		'also when it looks like the error of a cycle',
		'await tools.echo({a: {toJSON() { throw new TypeError("circular reference") }}})',
		{ name: 'TypeError', message: 'circular reference', code: undefined },
	);
	await refused('tools.call()', 'the name of a tool must be a string, not undefined');
	await refused('tools.call({}, {})', 'the name of a tool must be a string, not an object');
	await value(
		'names may have two hundred characters',
		'const names = ["x".repeat(200), "y".repeat(201)]; [await tools.call(names[0]).catch(e => e.code), await tools[names[0]]().catch(e => e.code), ' +
			'await tools.call(names[1]).catch(e => e.code), await tools[names[1]]().catch(e => e.message)]',
		[
			'TOOL_UNAVAILABLE',
			'TOOL_UNAVAILABLE',
			'INVALID_INPUT',
			'the name of a tool has at most 200 characters, not 201',
		],
	);
	await value(
		'nothing throws at once',
		'const { proxy: gone, revoke } = Proxy.revocable({}, {}); revoke(); const all = []; for (const f of [() => tools.call(), () => tools.x(1), () => tools.x({a: 1n}), () => tools.x({get a() { throw 1 }}), ' +
			'() => tools.x(new Proxy({}, {ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }})), () => tools.x(gone)]) all.push(f()); ' +
			'(await Promise.allSettled(all)).map((x) => x.reason?.code ?? x.reason.name ?? x.reason)',
		['INVALID_INPUT', 'INVALID_INPUT', 'INVALID_INPUT', 1, 3, 'TypeError'],
	);

	/* ---- the object ---- */
	await value(
		'tools has functions only',
		'[typeof tools, typeof tools.anything, typeof tools.constructor, typeof tools.toString, typeof tools.__proto__, typeof tools[""], typeof tools[5], typeof tools.call]',
		['object', ...Array(7).fill('function')],
	);
	await value(
		'a function has the name of the tool and stays the same',
		'[tools.a_b.name, tools["x.y/z"].name, tools.__proto__.name, tools.a_b === tools.a_b, tools.a_b.length, tools.call.name, tools.call.length, "prototype" in tools.a_b, tools.call === tools.call]',
		['a_b', 'x.y/z', '__proto__', true, 1, 'call', 2, false, true],
	);
	await value(
		'what is no tool',
		'[tools.then, tools.toJSON, tools.search, tools.describe, tools[Symbol.iterator], tools[Symbol.toStringTag], tools[Symbol("x")]].every((x) => x === undefined)',
		true,
	);
	await value(
		'reserved names by tools.call',
		'(await Promise.all(["search", "describe", "then", "toJSON", "call"].map((name) => tools.call(name, {name})))).map((x) => x.name).join()',
		'search,describe,then,toJSON,call',
		{
			tools: Object.fromEntries(
				['search', 'describe', 'then', 'toJSON', 'call'].map((n) => [n, (i) => i]),
			),
		},
	);
	await value(
		'names of the language are tools',
		'[await tools.constructor({a: 1}), await tools.__proto__({a: 2}), await tools.toString({a: 3}), await tools.hasOwnProperty({a: 4})].map((x) => x.a)',
		[1, 2, 3, 4],
		{
			tools: {
				constructor: (i) => i,
				['__proto__']: (i) => i,
				toString: (i) => i,
				hasOwnProperty: (i) => i,
			},
		},
	);
	{
		const { value, calls } = await run(
			'const a = await tools; [a === tools, String(tools), `${tools}`, tools + "", +tools, JSON.stringify(tools), Object.keys(tools), Object.getPrototypeOf(tools), ' +
				'Object.isFrozen(tools), {...tools}, Reflect.ownKeys(tools), Object.getOwnPropertyDescriptor(tools, "x")]',
		);
		t.is(
			'it can be looked at without harm',
			[value, calls],
			[
				[
					true,
					...Array(3).fill('[object tools]'),
					null,
					'{}',
					[],
					null,
					true,
					{},
					[],
					null,
				],
				[],
			],
		);
	}
	await value(
		'in says what there is',
		'["x" in tools, "search" in tools, "then" in tools, Symbol.iterator in tools]',
		[true, false, false, false],
	);
	await value(
		'it can not be changed',
		'tools.x = 1; delete tools.x; const tried = []; for (const f of [() => { "use strict"; tools.x = 1 }, () => { "use strict"; delete tools.x }, ' +
			'() => Object.defineProperty(tools, "x", {value: 1}), () => Object.setPrototypeOf(tools, {}), () => { "use strict"; tools.__proto__ = {} }]) ' +
			'try { f(); tried.push("done") } catch (e) { tried.push(e.name) } [tried, Reflect.set(tools, "x", 1), Reflect.deleteProperty(tools, "x"), ' +
			'Reflect.defineProperty(tools, "x", {value: 1}), Reflect.setPrototypeOf(tools, {}), tools.x === tools.x && typeof tools.x]',
		[Array(5).fill('TypeError'), false, false, false, false, 'function'],
	);
	await value(
		'it may be shadowed and replaced',
		'const mine = tools; globalThis.tools = {echo: () => 7}; [await mine.echo({a: 1}), tools.echo()]',
		[{ a: 1 }, 7],
	);

	/* ---- errors ---- */
	{
		const { value, error } = await run(
			'const start = 1;\nasync function look() {\n\treturn await tools.fail({a: 1});\n}\n' +
				'try { await look() } catch (e) {\n' +
				'const C = e.constructor;\n' +
				'[e.name, e.message, e.code, e.hint, e.tool, e instanceof Error, Error.isError(e), C.name, C.prototype instanceof Error, typeof ToolError,\n' +
				'Object.keys(e), String(e), e.stack, new C("x") instanceof C, new C("x").code] }',
		);
		t.is('a ToolError', (error ?? value)?.slice(0, -3), [
			'ToolError',
			'no file',
			'NOT_FOUND',
			'List the folder.',
			'fail',
			true,
			true,
			'ToolError',
			true,
			'undefined',
			['code', 'tool', 'hint'],
			'ToolError: no file',
		]);
		t.ok(
			'its stack leads to the call',
			/^ToolError: no file\n {4}at look \(script\.js:3:\d+\)\n {4}at <eval> \(script\.js:5:\d+\)$/.test(
				value?.at(-3),
			),
			value?.at(-3),
		);
	}
	await fails('uncaught', 'const x = 1;\nconst y = await tools.fail();\nreturn y', {
		name: 'ToolError',
		message: 'fail: no file',
		code: 'NOT_FOUND',
		tool: 'fail',
		line: 2,
		hint: 'List the folder.',
	});
	await fails('uncaught, refused by the prelude', 'await tools.echo(5)', {
		code: 'INVALID_INPUT',
		message: 'echo: input must be an object, not a number',
		tool: 'echo',
	});
	await fails(
		'the code is what the host said, whatever a script makes of the error',
		'try { await tools.fail() } catch (e) { e.code = "OK"; e.message = "changed"; delete e.hint; throw e }',
		{ message: 'fail: changed', code: 'NOT_FOUND', hint: 'List the folder.' },
	);
	await fails(
		'an error of the script can not look like one of a tool',
		'throw Object.assign(new Error("x"), {code: "DENIED", tool: "y", name: "ToolError"})',
		{ message: 'x', code: undefined, tool: undefined },
	);
	await fails(
		'as a cause',
		'try { await tools.fail() } catch (cause) { throw new Error("wrapped", {cause}) }',
		{
			message: 'wrapped',
			code: undefined,
			cause: { name: 'ToolError', message: 'fail: no file' },
		},
	);
	await fails('in an AggregateError', 'await Promise.any([tools.fail(), tools.nope()])', {
		message:
			'All promises were rejected\n- ToolError: fail: no file\n- ToolError: nope: no such tool',
	});
	await fails(
		'without a hint there is none',
		'await tools.fail({})',
		{ hint: undefined },
		{
			tools: {
				fail: () => {
					throw { code: 'DENIED', message: 'no' };
				},
			},
		},
	);
	{
		const odd = (text) =>
			run('await tools.x()', {
				idle: ({ open }, answer) => answer(open[0], false, text),
			});
		t.is(
			'an answer without its fields',
			(await odd('{"code":5,"hint":{"a":1}}')).error?.code,
			'INTERNAL',
		);
		t.is('an answer that is no JSON', (await odd('nope')).ok, false);
		t.is(
			'a result that is no JSON',
			(
				await run('await tools.x()', {
					idle: ({ open }, answer) => answer(open[0], true, '{'),
				})
			).error?.name,
			'SyntaxError',
		);
	}

	/* ---- order ---- */
	{
		const backwards = ({ open }, answer) =>
			[...open].reverse().forEach((call) => answer(call, true, String(call.n)));
		const { value } = await run(
			'const log = []; await Promise.all([1, 2, 3].map(async () => log.push(await tools.one()))); log',
			{ idle: backwards },
		);
		t.is('answers in any order', value, [3, 2, 1]);
		const twice = ({ open }, answer) => {
			const [call] = open;
			answer({ n: 99 }, true, '1');
			answer({ n: 0 }, true, '1');
			answer(call, true, '"first"');
			answer(call, true, '"second"');
			answer(call, false, '{"code":"X"}');
		};
		t.is(
			'unknown and repeated numbers are ignored',
			(await run('[await tools.one(), await tools.one()]', { idle: twice })).value,
			['first', 'first'],
		);
		const chain = await run(
			'let n = 0; const next = async (i) => i === 0 ? n : (n += await tools.one(), next(i - 1)); ' +
				'await tools.one().then(() => tools.one().then(() => tools.echo({a: 1}))).then((x) => { n += x.a }); await next(50)',
		);
		t.is('calls in reactions to answers', [chain.value, chain.calls.length], [51, 53]);
		const all = await run(
			'const all = []; for (let i = 0; i < 1000; i++) all.push(tools.echo({i})); (await Promise.all(all)).every((x, i) => x.i === i)',
		);
		t.is(
			'a thousand calls at once',
			[all.value, all.calls.length, all.calls.every((call, i) => call.n === i + 1)],
			[true, 1000, true],
		);
		const limited = await run(
			'let i = 0; try { for (;; i++) await tools.one({i}) } catch (e) { [i, e.code, e.stack.includes("script.js:1")] }',
			{
				tools: {
					one: (input, { n }) => {
						if (n > 500) {
							throw { code: 'CALL_LIMIT', message: 'enough' };
						}
						return n;
					},
				},
			},
		);
		t.is(
			'a limit of the host',
			[limited.value, limited.calls.length],
			[[500, 'CALL_LIMIT', true], 501],
		);
	}
	{
		const { value } = await run(
			'[await Promise.race([tools.one(), new Promise((r) => setTimeout(r, 5, "late"))]), await Promise.race([tools.slow(), new Promise((r) => setTimeout(r, 5, "late"))])]',
			{
				now: 0,
				idle: ({ open }, answer) =>
					open.filter((c) => c.name === 'one').forEach((c) => answer(c, true, '1')),
			},
		);
		t.is('timers and calls', value, [1, 'late']);
	}

	/* ---- calls that nothing waits for ---- */
	const unawaited = async (name, source, message, options) => {
		const { error, ok, value } = await run(source, options);
		t.is(
			name,
			[ok, error?.code, error?.message ?? value],
			[false, 'UNAWAITED_CALL', message],
		);
	};
	await unawaited(
		'a call alone',
		'tools.one(); 5',
		'a tool call was not awaited: one (call 1)',
	);
	await fails('its description', 'const a = 5;\n\ttools.one();\nreturn a', {
		name: 'Error',
		line: 2,
		tool: undefined,
		hint: 'Write await before each call, or await Promise.all(promises): the script must not end before its calls, and only await sees their errors.',
	});
	await unawaited(
		'a call that was answered long ago',
		'tools.one(); for (let i = 0; i < 9; i++) await tools.echo(); 5',
		'a tool call was not awaited: one (call 1)',
	);
	await unawaited(
		'a call that failed',
		'await tools.one(); tools.fail(); tools.one(); 5',
		'2 tool calls were not awaited: fail (call 2, failed: NOT_FOUND: no file), one (call 3)',
	);
	await unawaited(
		'a call that was not made',
		'tools.echo("x"); tools.echo({get x() { throw new RangeError("mine") }}); 5',
		'2 tool calls were not awaited: echo (not made, failed: INVALID_INPUT: input must be an object, not a string), echo (not made, failed: RangeError: mine)',
	);
	await unawaited(
		'many',
		'for (let i = 0; i < 8; i++) tools.one({i})',
		'7 tool calls were not awaited: one (call 1), one (call 2), one (call 3), one (call 4), one (call 5) and 2 more',
	);
	await unawaited(
		'in forEach',
		'[1, 2].forEach((i) => tools.one({i})); 5',
		'2 tool calls were not awaited: one (call 1), one (call 2)',
	);
	await unawaited(
		'in an async callback',
		'await Promise.all([1, 2].map(async (i) => { tools.one({i}) })); 5',
		'2 tool calls were not awaited: one (call 1), one (call 2)',
	);
	await unawaited(
		'in what is returned',
		'return {a: tools.one(), b: [tools.one()]}',
		'2 tool calls were not awaited: one (call 1), one (call 2)',
	);
	await unawaited(
		'in a callback of a timer',
		'await new Promise((r) => setTimeout(() => { tools.one(); r() }, 1)); 5',
		'a tool call was not awaited: one (call 1)',
		{ now: 0 },
	);
	await unawaited(
		'made while the result is written',
		'return {toJSON() { tools.one(); return 5 }}',
		'a tool call was not awaited: one (call 1)',
	);
	await unawaited(
		'looking at a promise is no waiting',
		'const p = tools.one(); console.log(p, [p]); String(p); p instanceof Promise; JSON.stringify({p}); 5',
		'a tool call was not awaited: one (call 1)',
	);
	{
		/* the run ends with the last answer that is missed, and with no other */
		const seen = [];
		const { error } = await run(
			'tools.one(); tools.two(); const p = tools.three(); p.then(() => tools.four()); setTimeout(() => text("late"), 0); setInterval(() => tools.five(), 0); 5',
			{
				now: 0,
				idle: ({ open, result }, answer) => {
					seen.push(open.map((c) => c.name).join(), result === undefined);
					answer(
						open.find((c) => c.name !== 'three'),
						true,
						'1',
					);
				},
			},
		);
		t.is('it waits for those, and only those', seen, [
			'one,two,three',
			true,
			'two,three',
			true,
		]);
		t.is('and then fails', error?.code, 'UNAWAITED_CALL');
		const after = await run(
			'tools.one(); tools.two().then(() => tools.three()).catch((e) => text(e.code, e.message)); 5',
			{
				idle: ({ open }, answer) => answer(open.at(-1), true, '1'),
			},
		);
		t.is(
			'no calls are made after the end',
			[after.calls.length, after.text, after.error?.code],
			[2, ['CANCELLED the script is over, so the tool was not called'], 'UNAWAITED_CALL'],
		);
		const silent = await run('tools.one(); 5', { idle: () => 0 });
		t.is('an answer that never comes', [silent.ok, silent.open.length], [undefined, 1]);
	}
	await fails(
		'an error of the script goes before, at once',
		'tools.one(); throw new Error("mine")',
		{ message: 'mine', code: undefined },
		{ idle: () => 0 },
	);
	await fails(
		'so does a result that is none',
		'tools.one(); return () => 1',
		{ message: 'the script returned a function', code: undefined },
		{ idle: () => 0 },
	);
	await fails(
		'what is thrown while it waits changes nothing',
		'tools.one(); setTimeout(() => { throw new Error("mine") }, 0); tools.one().then(() => { const e = new EventTarget(); e.addEventListener("x", () => { throw 1 }); e.dispatchEvent(new Event("x")) }); 5',
		{ message: 'a tool call was not awaited: one (call 1)' },
		{ now: 0, idle: ({ open }, answer) => answer(open.at(-1), true, '1') },
	);

	/* ---- and calls that something waits for ---- */
	for (const source of [
		'await tools.one()',
		'tools.one().then(() => 0)',
		'tools.one().catch(() => 0)',
		'tools.one().finally(() => 0)',
		'Promise.all([tools.one()])',
		'Promise.race([tools.one()])',
		'Promise.any([tools.one()])',
		'Promise.allSettled([tools.one()])',
		'Promise.resolve(tools.one())',
		'new Promise((r) => r(tools.one()))',
		'Promise.try(() => tools.one())',
		'Promise.prototype.then.call(tools.one())',
		'Array.fromAsync([tools.one()])',
		'(async () => tools.one())()',
		'(async () => { await tools.one() })()',
		'(async () => { for await (const x of [tools.one()]); })()',
		'(async () => { for await (const x of (async function* () { yield tools.one() })()); })()',
		'(async () => { for await (const x of (function* () { yield tools.one() })()); })()',
		'[1].forEach(async () => { await tools.one() })',
		'[1].map(async () => tools.one())',
		'(async () => { await 0; return tools.one() })()',
		'(async () => { await 0; new Promise((r) => r(tools.one())) })()',
		'(async () => { await {then(f) { f(tools.one()) }} })()',
	]) {
		const { ok, value, calls, error } = await run(`${source}; 5`);
		t.is('waits: ' + source, error ?? [ok, value, calls.length], [true, 5, 1]);
	}
	{
		const { ok, value, notes, open } = await run(
			'await Promise.race([tools.slow(), tools.one(), tools.slow()])',
			{
				idle: ({ open }, answer) =>
					open.filter((c) => c.name === 'one').forEach((c) => answer(c, true, '1')),
			},
		);
		t.is(
			'losers of a race are not waited for, but named',
			[ok, value, notes, open.length],
			[
				true,
				1,
				[
					'2 tool calls were still running at the end and cancelled: slow (call 1), slow (call 3)',
				],
				2,
			],
		);
		const each = await run('[1].forEach(async (i) => { await tools.slow({i}) }); 5', {
			idle: () => 0,
		});
		t.is('nor are those of an async callback', each.notes, [
			'1 tool call was still running at the end and cancelled: slow (call 1)',
		]);
	}
	t.is(
		'a rejection that is looked at late is no loss',
		(await run('const p = tools.fail(); await tools.one(); await p.catch((e) => e.code)'))
			.notes,
		[],
	);
	t.is(
		'a rejection behind a reaction is told of',
		(await run('tools.fail().then(() => 0); await tools.one(); await tools.one(); 5'))
			.notes,
		['unhandled rejection: ToolError: fail: no file'],
	);

	/* ---- hints ---- */
	for (const [source, hint] of [
		['tools.echo({}).a.b', /await/],
		['tools.echo([]).map((x) => x)', /await/],
		['for (const x of tools.echo({})) ;', /await/],
		['JSON.parse(tools.echo({}))', /await/],
		['JSON.parse(await tools.echo({}))', /parsed already/],
		['(await tools.echo({})).a.b', /no such field/],
		['tools.search("x")', /no such helper/],
		['tools.fs.read({})', /tools\.fs is a tool itself/],
		['tools("echo", {})', /no function/],
		['new tools.echo({})', /without new/],
		['read_file({path: "x"})', /await tools\.read_file\(input\)/],
		['await callTool("x")', /by its name/],
		['input.x', /args/],
		['print("x")', /console\.log/],
		['await sleep(5)', /setTimeout/],
	]) {
		const { error } = await run(source);
		t.ok('hint: ' + source, hint.test(error?.hint), JSON.stringify(error));
	}
}
