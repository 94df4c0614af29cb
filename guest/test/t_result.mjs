// SPDX-License-Identifier: MIT
/* What becomes of the value of a script. */
export default async function (t, image) {
	const json = async (name, source, text, notes = []) => {
		const run = await image.run(source);
		t.is(name, [run.json, run.notes], [text, notes]);
	};
	const fails = async (name, source, message, hint) => {
		const { error } = await image.run(source);
		t.ok(
			name,
			error?.message === message && (hint === undefined || hint.test(error.hint)),
			JSON.stringify(error),
		);
	};

	/* ---- plain data ---- */
	await json('a number', '6 * 7', '42');
	await json('undefined is no value', 'undefined', undefined);
	await json(
		'a returned value',
		'return {a: [1, "x", null, true]}',
		'{"a":[1,"x",null,true]}',
	);
	await json('the value of the last statement', 'let a = 1; if (a) a + 1', '2');
	await json('nothing', '', undefined);
	await json('minus zero', '[-0, {a: -0}]', '[0,{"a":0}]');
	await json('lone surrogates', '"\\ud800x\\u2028"', '"\\ud800x\u2028"');
	await json('keys in order', '({b: 1, 2: 2, a: 3, 1: 4})', '{"1":4,"2":2,"b":1,"a":3}');
	await json('a promise is awaited', 'Promise.resolve([1])', '[1]');
	await json('a thenable is awaited', '({then(f) { f(5) }})', '5');
	await json('a thenable that is returned is awaited', 'return {then(f) { f(5) }}', '5');
	await json(
		'top-level await',
		'await new Promise((r) => setTimeout(r, 1, "late"))',
		'"late"',
	);
	await json(
		'toJSON',
		'({a: {toJSON: (k) => k + "!"}, d: new Date(0)})',
		'{"a":"a!","d":"1970-01-01T00:00:00.000Z"}',
	);
	await json(
		'wrapped primitives',
		'[Object(1), Object("x"), Object(false)]',
		'[1,"x",false]',
	);
	await json(
		'raw JSON',
		'({n: JSON.rawJSON("12345678901234567890")})',
		'{"n":12345678901234567890}',
	);
	await json('class instances', 'class A { x = 1; #y = 2 } [new A()]', '[{"x":1}]');
	await json('a null prototype', 'Object.assign(Object.create(null), {a: 1})', '{"a":1}');
	await json(
		'a Proxy answers for itself',
		'new Proxy([1, 2], {get: (o, k) => k === "0" ? 9 : o[k]})',
		'[9,2]',
	);
	await json('URL', '[new URL("http://a.b")]', '["http://a.b/"]');

	/* ---- with notes ---- */
	await json(
		'NaN and infinities',
		'({rows: [{}, {price: NaN}], x: -Infinity})',
		'{"rows":[{},{"price":null}],"x":null}',
		['$.rows[1].price: NaN became null', '$.x: -Infinity became null'],
	);
	await json('BigInt', '({big: 12345678901234567890n})', '{"big":"12345678901234567890"}', [
		'$.big: BigInt became a string',
	]);
	await json('a BigInt alone', '10n', '"10"', ['$: BigInt became a string']);
	await json('Map and Set', '[new Map([["a", new Set([1])]])]', '[[["a",[1]]]]', [
		'$[0]: Map became an array of [key, value]',
		'$[0][0][1]: Set became an array',
	]);
	await json(
		'Error',
		'({e: new RangeError("no")})',
		'{"e":{"name":"RangeError","message":"no"}}',
		['$.e: an Error became {name, message}'],
	);
	await json(
		'typed arrays and buffers',
		'[new Uint8Array([1, 2]), new Uint8Array([3]).buffer, ' + 'new BigInt64Array([5n])]',
		'[[1,2],[3],["5"]]',
		[
			'$[0]: Uint8Array became an array of numbers',
			'$[1]: ArrayBuffer became an array of numbers',
			'$[2]: BigInt64Array became an array of numbers',
			'$[2][0]: BigInt became a string',
		],
	);
	await json('an invalid Date', '({d: new Date(NaN), n: null})', '{"d":null,"n":null}', [
		'$.d: an invalid Date became null',
	]);
	await json(
		'functions and symbols',
		'({f() {}, s: Symbol(), a: [() => 1, Symbol()]})',
		'{"a":[null,null]}',
		[
			'$.f: a function was left out',
			'$.s: a symbol was left out',
			'$.a[0]: a function became null',
			'$.a[1]: a symbol became null',
		],
	);
	await json(
		'undefined',
		'({a: undefined, b: {c: undefined}, d: [undefined, 1]})',
		'{"b":{},"d":[null,1]}',
		['$.d[0]: undefined became null', '$.a: undefined was left out (and 1 more)'],
	);
	await json('a promise inside', '({p: Promise.resolve(1)})', '{"p":{}}', [
		'$.p: a promise became {}: await it first',
	]);
	await json(
		'an iterator inside',
		'({it: new Map().keys(), g: (function* () {})()})',
		'{"it":{},"g":{}}',
		[
			'$.it: Map Iterator became {}: spread it into an array, [...it]',
			'$.g: Generator became {}: spread it into an array, [...it]',
		],
	);
	await json(
		'objects without properties of their own',
		'[/x/, new URLSearchParams("a")]',
		'[{},{}]',
		[
			'$[0]: RegExp became {}: it has no enumerable properties of its own',
			'$[1]: URLSearchParams became {}: it has no enumerable properties of its own',
		],
	);
	await json('odd names in paths', '({"a b": {"c\\n": NaN}})', '{"a b":{"c\\n":null}}', [
		'$["a b"]["c\\n"]: NaN became null',
	]);
	{
		const { notes } = await image.run('Array(15).fill(NaN)');
		t.is(
			'at most ten notes, then a count',
			[notes.length, notes[9], notes[10]],
			[11, '$[9]: NaN became null', '... and 5 more'],
		);
	}

	/* ---- no result ---- */
	await fails('a function', '() => 1', 'the script returned a function', /^Call it/);
	await fails('a symbol', 'Symbol.iterator', 'the script returned a symbol');
	await fails(
		'a cycle',
		'const o = {a: {b: [1, {}]}}; o.a.b[1].c = o.a; o',
		'the result contains itself: $.a.b[1].c is $.a',
		/plain data/,
	);
	await fails(
		'a cycle through a Map',
		'const m = new Map(); m.set("k", {m}); ({x: m})',
		'the result contains itself: $.x[0][1].m is $.x',
	);
	await fails(
		'too deep',
		'let a = 1; for (let i = 0; i < 1002; i++) a = {a}; a',
		'the result is nested over 1000 deep at $' + '.a'.repeat(50) + '….a',
		/flatter/,
	);
	await json(
		'deep enough',
		'let a = 1; for (let i = 0; i < 1000; i++) a = [a]; a',
		'['.repeat(1000) + '1' + ']'.repeat(1000),
	);
	await fails('a getter that throws', '({get x() { throw new Error("mine") }})', 'mine');
	await fails(
		'toJSON that throws',
		'({toJSON() { throw new TypeError("circular reference") }})',
		'circular reference',
	);

	/* ---- user code runs as often as JSON.stringify would run it ---- */
	for (const [name, tail] of [
		['small', ''],
		['large', ', rest: Array(300).fill({z: 1})'],
	]) {
		const { value } = await image.run(`globalThis.n = 0; const log = [];
			const o = {get a() { n++; return 1 }, p: new Proxy({x: 1}, {get(t, k) { log.push(String(k));
			return t[k] }}), t: {toJSON() { n++; return 2 }} ${tail}}; text(o); ({n, log})`);
		t.is(`getters, traps and toJSON of a ${name} value run once`, value, {
			n: 2,
			log: ['toJSON', 'x'],
		});
	}

	/* ---- the same text as JSON.stringify for whatever JSON can hold ---- */
	{
		let seed = 12345;
		const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
		const leaf = () =>
			[null, true, false, 0, -1.5, 1e21, 5e-324, '', 'é😀', '"\\\n', '\u0007'][
				random(11)
			];
		const value = (depth) =>
			depth === 0 || random(3) === 0
				? leaf()
				: random(2) === 0
					? Array.from({ length: random(6) }, () => value(depth - 1))
					: Object.fromEntries(
							Array.from({ length: random(6) }, (_, i) => [
								'k' + random(9) + i,
								value(depth - 1),
							]),
						);
		let same = true;
		for (let i = 0; i < 60 && same; i++) {
			const args = { v: value(6) };
			const run = await image.run('args.v', { args });
			same = run.json === JSON.stringify(args.v) && run.notes.length === 0;
		}
		t.ok('sixty random values come out as they went in', same);
	}

	/* ---- text() ---- */
	{
		const { text } = await image.run(
			'text("a\\nb", 1, {x: [1n]}); text(); text(undefined, null, NaN); text("\\ud800")',
		);
		t.is('text() writes strings as they are, the rest as JSON', text, [
			'a\nb 1 {"x":["1"]}',
			'',
			'undefined null null',
			'\ufffd',
		]);
		t.is(
			'text() of a function throws',
			(await image.run('try { text(() => 1) } catch (e) { e.name }')).value,
			'TypeError',
		);
	}
}
