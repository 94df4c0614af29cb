// SPDX-License-Identifier: MIT
/* What console writes. */
export default async function (t, image) {
	const shows = async (source, ...lines) => {
		const { text, error } = await image.run(`console.log(${source}); 0`);
		t.is(source.slice(0, 70), error ?? text.join('\n'), lines.join('\n'));
	};
	const writes = async (name, source, ...lines) => {
		const { text, error } = await image.run(source);
		t.is(name, error ?? text, lines);
	};

	/* ---- primitives and formats ---- */
	await shows(
		'"a", 1, true, null, undefined, -0, 10n, Symbol("s")',
		'a 1 true null undefined -0 10n Symbol(s)',
	);
	await shows('', '');
	await shows(
		'"%s is %d and %i, %f %j %o %O %c%%", "a", "42.5", 42.9, "1.5x", {a: 1}, [1], {b: 2}, "css"',
		'a is 42.5 and 42, 1.5 {"a":1} [ 1 ] { b: 2 } %',
	);
	await shows('"%s", {toString() { return "no" }}', '{ toString: [Function: toString] }');
	await shows('"100%", 5, "%d"', '100% 5 %d');
	await shows('"%d %s"', '%d %s');
	await shows('"%x %s", "a", "b"', '%x a b');

	/* ---- objects ---- */
	await shows(
		'{a: 1, "b-c": "it\'s", [Symbol("k")]: [1, "x"]}',
		"{ a: 1, 'b-c': \"it's\", [Symbol(k)]: [ 1, 'x' ] }",
	);
	await shows('[]', '[]');
	await shows('{}, [{}], [[]]', '{} [ {} ] [ [] ]');
	await shows('[1, , , 4, undefined]', '[ 1, <2 empty items>, 4, undefined ]');
	await shows('Object.assign([1], {x: 2})', '[ 1, x: 2 ]');
	await shows(
		'new Map([[{a: 1}, "b"]]), new Set([1, [2]])',
		"Map(1) { { a: 1 } => 'b' } Set(2) { 1, [ 2 ] }",
	);
	await shows(
		'new Date(0), new Date(NaN), /a\\/b/gi',
		'1970-01-01T00:00:00.000Z Invalid Date /a\\/b/gi',
	);
	await shows(
		'new Uint8Array(3), new Float64Array([1.5]), new Uint8Array([255, 1]).buffer',
		'Uint8Array(3) [ 0, 0, 0 ] Float64Array(1) [ 1.5 ] ArrayBuffer { [Uint8Contents]: <ff 01>, byteLength: 2 }',
	);
	await shows(
		'Object(1), Object("s"), Object(false), Object(1n)',
		"[Number: 1] [String: 's'] [Boolean: false] [BigInt: 1n]",
	);
	await shows(
		'() => 1, function f() {}, async () => 1, function* g() {}, class A {}, class extends Map {}',
		'[Function (anonymous)] [Function: f] [AsyncFunction (anonymous)] [GeneratorFunction: g] [class A] [class (anonymous) extends Map]',
	);
	await shows('Object.assign(() => 1, {x: 1})', '[Function (anonymous)] { x: 1 }');
	await shows('new (class Foo { a = 1; #b = 2; get c() { return 3 } })', 'Foo { a: 1 }');
	await shows('Object.create(null), Object.create({})', '[Object: null prototype] {} {}');
	await shows(
		'{get a() { throw 1 }, set b(v) {}, get c() { return 1 }, set c(v) {}}',
		'{ a: [Getter], b: [Setter], c: [Getter/Setter] }',
	);
	await shows(
		'{[Symbol.toStringTag]: "T"}',
		"Object [T] { [Symbol(Symbol.toStringTag)]: 'T' }",
	);
	await shows(
		'new Map().keys(), (function* () {})(), Promise.resolve(1), new WeakMap()',
		'Object [Map Iterator] {} Object [Generator] {} Promise { <await it to see its value> } WeakMap { <items unknown> }',
	);
	await shows('(function () { return arguments })(1, 2)', '[Arguments] [ 1, 2 ]');
	await shows('new Proxy({a: 1}, {get() { throw 1 }, ownKeys() { throw 1 }})', '{ a: 1 }');
	await shows(
		'(() => { const r = Proxy.revocable([1], {}); r.revoke(); return r.proxy })()',
		'<Revoked Proxy>',
	);
	await shows(
		'(() => { const a = {n: 1}; a.self = a; a.list = [a]; return a })()',
		'<ref *1> { n: 1, self: [Circular *1], list: [ [Circular *1] ] }',
	);
	await shows(
		'"\\n\\t\\u0007", ["\\n\\t\\u0007\\ud800"]',
		"\n\t\u0007 [ '\\n\\t\\x07\\ud800' ]",
	);
	await shows(
		'{a: {b: {c: {d: {e: {f: 1}}}}}}',
		'{',
		'  a: {',
		'    b: { c: { d: { e: [Object] } } }',
		'  }',
		'}',
	);
	await shows(
		'Array.from({length: 12}, (_, i) => "name" + i)',
		'[',
		"  'name0',  'name1',  'name2',  'name3',  'name4',  'name5',  'name6',",
		"  'name7',  'name8',  'name9',  'name10', 'name11'",
		']',
	);
	await shows(
		'Array.from({length: 101}, (_, i) => i * 11).slice(80)',
		'[',
		'   880,  891,  902,  913,  924,  935,  946,  957,  968,  979,  990, 1001,',
		'  1012, 1023, 1034, 1045, 1056, 1067, 1078, 1089, 1100',
		']',
	);
	await shows(
		'{long: "x".repeat(70), b: 1}',
		'{',
		`  long: '${'x'.repeat(70)}',`,
		'  b: 1',
		'}',
	);

	/* ---- errors ---- */
	{
		const { text } = await image.run(
			'const e = new TypeError("boo", {cause: new Error("why")}); e.code = 5; console.log(e); console.log({e: new Error("in")})',
		);
		t.ok(
			'an error has stack, cause and properties',
			/^TypeError: boo\n {4}at <eval> \(script\.js:1:\d+\) \{\n {2}\[cause\]: Error: why\n {6}at <eval> .*,\n {2}code: 5\n\}$/.test(
				text[0],
			),
			text[0],
		);
		t.ok(
			'an error inside is indented',
			/^\{\n {2}e: Error: in\n {6}at /.test(text[1]),
			text[1],
		);
	}

	/* ---- bounds ---- */
	{
		const { text } =
			await image.run(`console.log(Array.from({length: 1e5}, (_, i) => ({i, s: 'x'.repeat(5000)})));
			console.log(Object.fromEntries(Array.from({length: 5000}, (_, i) => ['k' + i, i]))); console.log({s: 'y'.repeat(20000)});
			const a = []; a.length = 4294967295; console.log(a); let d = []; for (let i = 0; i < 1e4; i++) d = [d]; console.log(d)`);
		t.ok(
			'output is bounded',
			text[0].length < 120000 && text[1].length < 10000 && text[2].length < 11000,
		);
		t.is(
			'and what is left out is said',
			[
				/\.\.\. \d+ more items/.test(text[0]),
				/more properties/.test(text[1]),
				/10000 more characters/.test(text[2]),
				text[3],
			],
			[true, true, true, '[ <4294967295 empty items> ]'],
		);
		t.ok('deep nesting ends', text[4].length < 100, text[4]);
	}

	/* ---- the other methods ---- */
	await writes(
		'group, indentation',
		'console.group("G"); console.log("a\\nb"); console.group(); console.warn({x: 1}); ' +
			'console.groupEnd(); console.groupEnd(); console.groupEnd(); console.info("end")',
		'G',
		'  a\n  b',
		'    { x: 1 }',
		'end',
	);
	await writes(
		'count',
		'console.count(); console.count("x"); console.count(); console.countReset(); console.count()',
		'default: 1',
		'x: 1',
		'default: 2',
		'default: 1',
	);
	await writes(
		'assert',
		'console.assert(true, "no"); console.assert(false); console.assert(0, "a", {b: 1})',
		'Assertion failed',
		'Assertion failed: a { b: 1 }',
	);
	await writes(
		'dir with depth',
		'console.dir({a: {b: {c: 1}}}, {depth: 0}); console.dir({a: {b: 1}}, {depth: null})',
		'{ a: [Object] }',
		'{ a: { b: 1 } }',
	);
	await writes(
		'table of rows',
		'console.table([{a: 1, b: "x"}, {a: 2, c: [1]}]); 0',
		'┌─────────┬───┬─────┬───────┐\n│ (index) │ a │ b   │ c     │\n├─────────┼───┼─────┼───────┤\n' +
			"│ 0       │ 1 │ 'x' │       │\n│ 1       │ 2 │     │ [ 1 ] │\n└─────────┴───┴─────┴───────┘",
	);
	await writes(
		'table of values, with columns, of no table',
		'console.table([1, "a"]); console.table([{a: 1, b: 2}], ["b"]); console.table(5)',
		"┌─────────┬────────┐\n│ (index) │ Values │\n├─────────┼────────┤\n│ 0       │ 1      │\n│ 1       │ 'a'    │\n└─────────┴────────┘",
		'┌─────────┬───┐\n│ (index) │ b │\n├─────────┼───┤\n│ 0       │ 2 │\n└─────────┴───┘',
		'5',
	);
	{
		const { text } = await image.run(
			'console.time(); console.timeLog(undefined, 1); console.timeEnd(); console.timeEnd(); console.time("a"); console.timeEnd("a"); (function f() { console.trace("here %d", 5) })()',
		);
		t.ok(
			'time',
			/^default: \d+\.\d{3}ms 1$/.test(text[0]) &&
				/^default: \d+\.\d{3}ms$/.test(text[1]) &&
				/^a: /.test(text[2]),
			text.join('|'),
		);
		t.ok(
			'trace',
			/^Trace: here 5\n {4}at f \(script\.js:1:\d+\)\n {4}at <eval>/.test(text[3]),
			text[3],
		);
	}
	t.is(
		'a getter is not called',
		(
			await image.run(
				'let n = 0; console.log({get x() { n++ }}, new Proxy({}, new Proxy({}, {get() { n++ }}))); n',
			)
		).value,
		0,
	);
	{
		const { text, error } = await image.run(
			`let a = Array(900000).fill(7); console.log(a); console.table(a); console.log(structuredClone(a).length);
			a = Array(20000).fill(7); delete a[1]; delete a[2]; console.log(a); console.log(new Uint8Array(3e6)); const s = []; s[30000] = 1; s[4e9] = 2; console.log(s)`,
			{ memoryLimit: 33554432 },
		);
		t.is(
			'large arrays in little memory',
			error ?? [
				text[0].endsWith('... 899900 more items\n]'),
				text[2],
				text[3].includes('<2 empty items>'),
				text[4].startsWith('Uint8Array(3000000)'),
				text[5],
			],
			[
				true,
				'900000',
				true,
				true,
				'[ <30000 empty items>, 1, <3999969999 empty items>, 2 ]',
			],
		);
	}
}
