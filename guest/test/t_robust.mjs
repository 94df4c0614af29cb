// SPDX-License-Identifier: MIT
/* Scripts that break the built-ins: the prelude goes on, and nothing of the host gets out. */
import { readFileSync } from 'node:fs';

const file = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

export default async function (t, image) {
	const poison = file('poison.js');
	const crawl = file('crawl.js');
	const tools = {
		echo: (input) => input,
		fail: () => {
			throw { code: 'NOT_FOUND', message: 'no file', hint: 'Look.' };
		},
	};
	const broken = (source, spare = []) =>
		image.run(source, {
			tools,
			kept: { a: [1] },
			before: `globalThis.SPARE = ${JSON.stringify(spare)};\n${poison}`,
		});

	/* ---- each part with everything broken; the script itself uses syntax only ---- */
	for (const [name, source, wanted, spare] of [
		['a number', '1', { json: '1' }],
		['a string', '"x"', { json: '"x"' }],
		['await', 'const v = await 7; v', { json: '7' }],
		['a thrown primitive', 'throw 5', { error: '5' }],
		['an error', 'null.foo', { error: "cannot read property 'foo' of null" }],
		['console.log of text', 'console.log("a", 1); 0', { text: ['a 1'] }],
		[
			'console.log of objects',
			'console.log({a: 1, b: [1, "x"], m: 1n}, /x/gi, "q", [1, , 3]); 0',
			{ text: ["{ a: 1, b: [ 1, 'x' ], m: 1n } /x/gi q [ 1, <1 empty item>, 3 ]"] },
		],
		[
			'console formats and tables',
			'console.log("%s %d %j", "a", 1, 2); console.table([{a: 1}]); console.dir({a: 1}); 0',
			{
				text: [
					'a 1 2',
					'┌─────────┬───┐\n│ (index) │ a │\n├─────────┼───┤\n│ 0       │ 1 │\n└─────────┴───┘',
					'{ a: 1 }',
				],
			},
		],
		[
			'console.group, count, time',
			'console.group("g"); console.count(); console.groupEnd(); console.assert(false, "x"); 0',
			{ text: ['g', '  default: 1', 'Assertion failed: x'] },
		],
		['text()', 'text("x", 2); 0', { text: ['x 2'] }],
		[
			'timers',
			'setTimeout((x) => text(x), 1, "t"); let i = 0; const id = setInterval(() => { if (i++ > 2) clearTimeout(id) }, 1); await 0; 0',
			{ json: '0' },
		],
		[
			'tools',
			'const r = await tools.echo({a: [1, {b: "x"}], n: null}); text(r.a[1].b); const p = tools.call("echo", {c: 5}); text((await p).c); text(tools + ""); 0',
			{ text: ['x', '5', '[object tools]'] },
			['toJSON', 'index'],
		],
		[
			'tools that fail',
			'const codes = []; try { await tools.fail({a: 1}) } catch (e) { text(e.code); text(e.tool); text(e.stack) } ' +
				'try { await tools.echo({a: {b: [1n]}}) } catch (e) { text(e.message) } try { await tools.echo(5) } catch (e) { text(e.code) } ' +
				'try { const o = {}; o.o = {o}; await tools.echo(o) } catch (e) { text(e.code) } 0',
			{
				text: [
					'NOT_FOUND',
					'fail',
					'ToolError: no file\n    at <eval> (script.js:1:36)',
					'input.a.b[0] is a BigInt, which is not JSON',
					'INVALID_INPUT',
					'INVALID_INPUT',
				],
			},
			['stack', 'toJSON', 'index'],
		],
		[
			'calls that are not awaited',
			'tools.echo({}); tools.fail(); 0',
			{
				error: '2 tool calls were not awaited: echo (call 1), fail (call 2, failed: NOT_FOUND: no file)',
			},
			['toJSON', 'index'],
		],
		['a tool error that nothing catches', 'await tools.fail()', { error: 'fail: no file' }],
		[
			'state and progress',
			'state.b = {c: "x", d: [state.a[0], null]}; progress({completed: 1, total: 2}); progress("n"); text(state.b.d[0]); 0',
			{ text: ['1'] },
			['toJSON', 'index'],
		],
		[
			'state that is none',
			'state.b = {c: [1n]}; 0',
			{ error: 'state.b.c[0] is a BigInt, which is not JSON' },
			['toJSON', 'index'],
		],
		['random and time', 'text(performance.now() >= 0); 0', { text: ['true'] }],
		[
			'TextEncoder',
			'const b = new TextEncoder().encode("aé"); text(b[1]); 0',
			{ text: ['195'] },
		],
		[
			'TextDecoder',
			'const b = new TextEncoder().encode("aé"); text(new TextDecoder().decode(b)); text(new TextDecoder("latin1").decode(b)); ' +
				'text(new TextDecoder("utf-16").decode(b)); 0',
			{ text: ['aé', 'aÃ©', '썡\ufffd'] },
		],
		[
			'structuredClone',
			'const c = structuredClone({a: 1, b: 2, c: {d: 3}}); text(c.c.d); 0',
			{ text: ['3'] },
		],
		[
			'numbers',
			'text((1234.5).toLocaleString()); text((5).toLocaleString("en-US", {__proto__: null, style: "percent"})); 0',
			{ text: ['1,234.5', '500%'] },
			['toLocaleString'],
		],
		[
			'dates',
			'text(new Date(0).toLocaleString()); 0',
			{ text: ['1/1/1970, 12:00:00 AM'] },
			['toLocaleString'],
		],
		['collation', 'text("a".localeCompare("B")); 0', { text: ['-1'] }, ['localeCompare']],
		[
			'events',
			'const c = new AbortController(); c.signal.addEventListener("abort", () => text("ab")); c.abort(); text(c.signal.aborted); 0',
			{ text: ['ab', 'true'] },
		],
		[
			'error.stack',
			'let e; try { null.x } catch (x) { e = x } text(e.stack); 0',
			{
				text: [
					"TypeError: cannot read property 'x' of null\n    at <eval> (script.js:1:13)",
				],
			},
			['stack'],
		],
	]) {
		const run = await broken(source + '; if (HITS.length > 0) text(HITS[0].where)', spare);
		const plain = await broken(source, spare);
		t.is(
			`poisoned: ${name}`,
			[run.text, plain.ok ? plain.json : null, plain.error?.message],
			[wanted.text ?? [], wanted.text ? '0' : (wanted.json ?? null), wanted.error],
		);
	}
	{
		const run = await broken(
			'crypto.randomUUID(); text(crypto.randomUUID() !== crypto.randomUUID()); if (HITS.length > 0) text(HITS[0].where); 0',
		);
		t.is('poisoned: crypto', run.text, ['true']);
		const rejected = await broken(
			'(async () => { throw 1 })(); setTimeout(() => 0, 1e6); 5',
		);
		t.is('poisoned: notes', rejected.notes, [
			'1 timer was still pending and was dropped',
			'unhandled rejection: Error: 1',
		]);
		const promise = await image.run(
			'Promise.prototype.then = () => 0; Promise.resolve = null; Object.defineProperty(Promise, Symbol.species, {value: class { constructor() { throw 1 } }}); await 0; ({a: 1})',
		);
		t.is('a broken Promise', promise.json, '{"a":1}');
		for (const [name, what] of [
			['then', 'Promise.prototype.then = () => 0'],
			[
				'constructor',
				'Promise.prototype.constructor = class { constructor() { throw 1 } }',
			],
			[
				'constructor that throws',
				'Object.defineProperty(Promise.prototype, "constructor", {get() { throw 1 }})',
			],
			[
				'species',
				'Object.defineProperty(Promise, Symbol.species, {value: class { constructor() { throw 1 } }})',
			],
			['Promise', 'globalThis.Promise = class { constructor() { throw 1 } }'],
			[
				'everything of Promise',
				'for (const k of Reflect.ownKeys(Promise.prototype)) delete Promise.prototype[k]',
			],
			['toJSON', 'Object.prototype.toJSON = Array.prototype.toJSON = undefined'],
			['JSON', 'JSON.stringify = JSON.parse = () => { throw 1 }'],
			[
				'a field of descriptors',
				'for (const k of ["get", "set", "value"]) Object.defineProperty(Object.prototype, k, {get() { return () => 1 }, set() {}, configurable: true})',
			],
		]) {
			const run = await image.run(
				`${what}; const a = await tools.echo({a: [{b: null}]}); let code; try { await tools.fail() } catch (e) { code = e.code } return [a, code]`,
				{ tools },
			);
			t.is(
				`tools with a broken ${name}`,
				run.error ?? run.json,
				'[{"a":[{"b":null}]},"NOT_FOUND"]',
			);
			const lost = await image.run(`${what}; tools.echo(); return 1`, { tools });
			t.is(`and calls are missed`, lost.error?.code ?? lost, 'UNAWAITED_CALL');
		}
		const frozen = await image.run(
			'const p = tools.echo({a: 1}); const made = Object.getPrototypeOf(p); const tried = []; for (const f of [() => { made.then = 1 }, () => { delete made.constructor }, ' +
				'() => Object.defineProperty(made, "then", {value: 1}), () => Object.setPrototypeOf(made, {}), () => { made.x = 1 }]) try { (() => { "use strict"; f() })() } catch (e) { tried.push(e.name) } ' +
				'[Object.isFrozen(made), tried.length, Object.getOwnPropertyDescriptor(made, "constructor").get.call(5) === Promise, Reflect.ownKeys(p), await p]',
			{ tools },
		);
		t.is('the prototype of its promises can not be changed', frozen.error ?? frozen.value, [
			true,
			2,
			true,
			[],
			{ a: 1 },
		]);
		const urls = await image.run(
			'for (const k of Reflect.ownKeys(globalThis)) if (!["URL", "URLSearchParams", "globalThis", "Reflect", "text"].includes(k)) delete globalThis[k]; ' +
				'text(new URL("http://münchen.de/a b?q#f").href); text(new URLSearchParams("a=ü").toString()); 0',
		);
		t.is('URL without globals', urls.error ?? urls.text, [
			'http://xn--mnchen-3ya.de/a%20b?q#f',
			'a=%C3%BC',
		]);
	}

	/* ---- nothing of the host is within reach ---- */
	const everything = `
		const made = [];
		const keep = (...values) => made.push(...values);
		const tryout = (f) => { try { keep(f()) } catch (e) { keep(e) } };
		Error.prepareStackTrace = (e, sites) => { keep(sites); return sites };
		keep(console, text, args, URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, crypto, Intl, AbortController,
			AbortSignal, EventTarget, Event, CustomEvent, setTimeout, performance);
		for (const name of Object.getOwnPropertyNames(Intl)) { keep(Intl[name]); if (/^[A-Z]/.test(name)) tryout(() => new Intl[name]('en')); }
		tryout(() => new URL('nope')); tryout(() => new URL('http://münchen.de')); tryout(() => new URLSearchParams([[1]]));
		tryout(() => new URL('http://a/?b').searchParams.entries()); tryout(() => new TextDecoder('x')); tryout(() => structuredClone(() => 1));
		tryout(() => structuredClone(new Map([[{}, new Error('x')]]))); tryout(() => new AbortController().signal); tryout(() => AbortSignal.any([AbortSignal.timeout(1)]));
		tryout(() => (1).toLocaleString('xx')); tryout(() => new Date().toLocaleString('en', {timeZone: 'x'})); tryout(() => 'a'.localeCompare('b'));
		tryout(() => setTimeout(null)); tryout(() => crypto.getRandomValues(1)); tryout(() => text({get x() { throw new Error('in getter') }}));
		tryout(() => text({toJSON() { keep(this, ...arguments); return 1 }})); tryout(() => console.log({get x() { keep(this) }}, new Proxy({}, new Proxy({}, {get(t, k) { keep(t, k) }}))));
		tryout(() => new Intl.NumberFormat().formatToParts(1)); tryout(() => new TextEncoder().encode('x')); tryout(() => { const e = {}; Error.captureStackTrace(e); return e });
		const target = new EventTarget(); target.addEventListener('x', function (e) { keep(this, e, ...arguments) }); tryout(() => target.dispatchEvent(new Event('x')));
		function sloppy() { keep(this); try { keep(sloppy.caller, sloppy.arguments, arguments.callee, arguments.callee.caller) } catch (e) { keep(e) } }
		setTimeout(sloppy, 0, 1); setTimeout(() => { try { keep(setTimeout.caller) } catch (e) { keep(e) } }, 0); await new Promise((r) => setTimeout(r, 2));
		queueMicrotask(sloppy); [1].forEach(sloppy); tryout(() => JSON.stringify({a: 1}, sloppy)); await { then(...functions) { keep(...functions, this); functions[0]() } };
		keep(tools, tools.call, tools.x, tools[Symbol.toPrimitive], progress, state, Object.getOwnPropertyDescriptor(tools, 'x')); tryout(() => progress(5)); tryout(() => tools[Symbol.toPrimitive]('number'));
		tryout(() => progress({get note() { keep(this); return 'x' }})); state.x = {get y() { keep(this); return 1 }};
		for (const f of [() => tools.echo({a: {toJSON() { keep(this, ...arguments); return {b: 1} }}}), () => tools.fail(), () => tools.echo(5), () => tools.echo({a: [1n]}), () => tools.call(5),
			() => tools.echo({get x() { throw new Error('in getter') }}), () => tools.echo(new Proxy({}, {get(t, k, r) { keep(t, k, r) }, ownKeys(t) { keep(t, this); return [] }}))]) {
			const p = f(); keep(p, Object.getPrototypeOf(p)); try { keep(await p) } catch (e) { keep(e, e.constructor) } }
		tools.echo({}).then(function (x) { keep(this, ...arguments, sloppy.caller) }); await tools.echo({});
		try { await import('x') } catch (e) { keep(e) }
		try { (function f() { f(); keep(1) })() } catch (e) { keep(e) }
		`;
	const found = async (source) => {
		const run = await image.run(source, { before: crawl, tools, kept: { a: 1 } });
		return run.value ?? JSON.stringify(run);
	};
	{
		const all = await found(everything + 'find({globalThis, made})');
		t.ok(
			'the crawl covers the globals and all that was made',
			parseInt(all) > 700 && /^\d+ objects$/.test(all),
			all,
		);
		const { vm, state } = await image.clone();
		vm.evalCode(crawl, 'crawl.js').dispose();
		vm.setProp(
			vm.global,
			'leak',
			vm.newFunction('leaked', () => vm.undefined),
		);
		vm.evalCode('leak.hostMark = true; Map.prototype.x = {y: [leak]}').dispose();
		const leak = vm.evalCode('find(globalThis)').toString();
		t.ok(
			'a leak would be found',
			/, \.leak/.test(leak) && state.result === undefined,
			leak,
		);
	}
	{
		/* with everything broken, look at what the broken functions were given */
		const source = `
			const tries = [() => console.log({a: [1, new Map([[1, 2]]), new Error('x')]}, /x/g), () => console.table([{a: 1}]), () => text({a: 1n}), () => new URL('http://ü.de/x?y'),
				() => new URLSearchParams({a: 1}), () => structuredClone({a: [1], m: new Map([[1, 2]])}), () => new TextDecoder().decode(new Uint8Array([255])),
				() => (1.5).toLocaleString('en', {style: 'currency', currency: 'EUR'}), () => new Date(0).toLocaleString('en', {month: 'long'}), () => 'a'.localeCompare('b', 'en', {numeric: true}),
				() => new Intl.ListFormat('en').format(['a', 'b']), () => new AbortController().abort(), () => AbortSignal.any([AbortSignal.abort()]), () => crypto.randomUUID(),
				() => new Intl.PluralRules('en').select(1), () => { throw new Error('x') },
				() => tools.echo({a: [1, {b: {}}]}), () => tools.fail(), () => tools.echo({a: [1n]}), () => tools.echo(5), () => progress({completed: 1, note: 'x'}), () => { state.b = {c: [1]} }];
			const thrown = [];
			for (let i = 0; i < tries.length; i++) { try { thrown[i] = tries[i](); if (i > 15) await thrown[i] } catch (e) { thrown[i] = e } }
			const result = find({HITS, thrown}); text(result); 0`;
		/* keep constructors alive as locals: their globals are gone */
		const before = `${crawl}\nglobalThis.SPARE = ["index"];\nconst { Map, Error, Uint8Array, Proxy } = globalThis;\n${poison}`;
		const { text, error } = await image.run(source, { before, tools, kept: {} });
		t.ok(
			'broken functions were called, none with a thing of the host',
			/^\d+ objects$/.test(text.at(-1) ?? '') && parseInt(text.at(-1)) > 100,
			JSON.stringify([text, error]),
		);
	}
	t.is(
		'the prelude shows no source',
		(
			await image.run(
				'[console.log, setTimeout, URL, structuredClone, tools.call, tools.x, progress, tools[Symbol.toPrimitive], Object.getOwnPropertyDescriptor(globalThis, "state").get, Number.prototype.toLocaleString, new Intl.NumberFormat().format]' +
					'.every((f) => /^(function|class|get)?[^{]*\\{\\s*\\[native code\\]\\s*\\}$/.test(Function.prototype.toString.call(f)))',
			)
		).value,
		true,
	);
	t.is(
		'functions of the prelude have no prototype',
		(
			await image.run(
				'[setTimeout, text, tools.call, tools.x, progress, console.log, structuredClone, Math.random, "".localeCompare, URL.parse]' +
					'.every((f) => !("prototype" in f) && (() => { try { new f() } catch (e) { return e instanceof TypeError } })())',
			)
		).value,
		true,
	);
	t.is(
		'names and lengths',
		(
			await image.run(
				'[setTimeout, setInterval, clearTimeout, structuredClone, queueMicrotask, text, progress, console.log, Number.prototype.toLocaleString, String.prototype.localeCompare, ' +
					'URL, TextDecoder, AbortSignal.timeout, crypto.getRandomValues].map((f) => f.name + f.length).join()',
			)
		).value,
		'setTimeout1,setInterval1,clearTimeout0,structuredClone1,queueMicrotask1,text0,progress1,log0,toLocaleString0,localeCompare1,URL1,TextDecoder0,timeout1,getRandomValues1',
	);
}
