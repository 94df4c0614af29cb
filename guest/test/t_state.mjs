// SPDX-License-Identifier: MIT
/* state, which the runs of a session share, and progress. */

/* Half a surrogate pair does not survive being UTF-8. */
const isWellFormed = (text) => Buffer.from(text).toString() === text;

export default async function (t, image) {
	const state = async (name, source, kept, wanted) => {
		const run = await image.run(source, { kept });
		t.is(name, [run.ok, run.state], [true, wanted]);
	};
	const fails = async (name, source, message, hint = /./) => {
		const { error, state } = await image.run(source, { kept: { a: 1 } });
		t.ok(
			name,
			error?.name === 'TypeError' &&
				error.message === message &&
				hint.test(error.hint) &&
				state === undefined,
			JSON.stringify(error),
		);
	};

	/* ---- state ---- */
	await state('not used', 'const state = 5; 1', { a: 1 }, undefined);
	await state('read', 'state.a', { a: 1 }, '{"a":1}');
	await state(
		'changed',
		'state.n ??= 0; state.n++; state.list = [{}]',
		{ a: 1 },
		'{"a":1,"n":1,"list":[{}]}',
	);
	await state(
		'assigned',
		'state = {b: [1, null, "x", true, -0.5, {}]}',
		{ a: 1 },
		'{"b":[1,null,"x",true,-0.5,{}]}',
	);
	await state('emptied', 'state = {}', { a: 1 }, '{}');
	await state(
		'assigned after it was read',
		'state.a = 5; state = {b: state.a}',
		{ a: 1 },
		'{"b":5}',
	);
	await state('assigned and then changed', 'state = {}; state.c = 1', { a: 1 }, '{"c":1}');
	await state(
		'in a function',
		'const f = () => { state.x = 1 }; f(); return 5',
		{},
		'{"x":1}',
	);
	await state('changed by name of the global', 'globalThis.state.x = 1', {}, '{"x":1}');
	await state(
		'defined anew',
		'Object.defineProperty(globalThis, "state", {get: () => ({q: 1})}); 1',
		{},
		'{"q":1}',
	);
	await state(
		'written by the result',
		'return {toJSON() { state.x = 1; return 1 }}',
		{},
		'{"x":1}',
	);
	await state(
		'undefined fields are no fields',
		'state.a = undefined; state.b = 1',
		{ a: 1 },
		'{"b":1}',
	);
	await state(
		'toJSON is heard',
		'state.d = new Date(0)',
		{},
		'{"d":"1970-01-01T00:00:00.000Z"}',
	);
	await state(
		'odd keys',
		'state["__proto__"] = 1; state.constructor = 2; 0',
		JSON.parse('{"__proto__":{"x":1}}'),
		'{"__proto__":1,"constructor":2}',
	);
	await state(
		'half a pair',
		'state.s = "a\\ud800"; state.t = [["\\udc00"], undefined ?? 1]',
		{},
		'{"s":"a\ufffd","t":[["\ufffd"],1]}',
	);
	await state(
		'without a prototype',
		'state = Object.assign(Object.create(null), {a: {b: 1}})',
		{},
		'{"a":{"b":1}}',
	);
	{
		const many = { list: Array.from({ length: 500 }, (_, i) => ({ i, s: 'x' + i })) };
		await state('a larger one', 'state.list.length', many, JSON.stringify(many));
	}
	t.is(
		'a session without state has none',
		await Promise.all([
			image.run('typeof state').then((run) => [run.value, run.state]),
			image.run('state = {a: 1}; state.a++; state').then((run) => [run.value, run.state]),
			image.run('state = () => 1; 5').then((run) => [run.value, run.state]),
			image.run('"state" in globalThis').then((run) => run.value),
			image.run('try { state.a = 1 } catch (e) { e.message }').then((run) => run.value),
		]),
		[
			['undefined', null],
			[{ a: 2 }, null],
			[5, null],
			true,
			"cannot set property 'a' of undefined",
		],
	);
	t.is(
		'a run that failed does not change it',
		(await image.run('state.a = 2; throw 1', { kept: { a: 1 } })).state,
		undefined,
	);
	t.is(
		'nor one that did not await a call',
		(await image.run('state.a = 2; tools.x(); 1', { kept: { a: 1 } })).state,
		undefined,
	);
	t.is(
		'the getter by itself',
		(
			await image.run(
				'const { get } = Object.getOwnPropertyDescriptor(globalThis, "state"); const a = get(); [a.a, get() === undefined, state === a]',
				{ kept: { a: 1 } },
			)
		).value,
		[1, true, true],
	);
	for (const [source, message, hint] of [
		['state.m = new Map()', 'state.m is a Map, which is not JSON', /fromEntries/],
		['state.m = {s: [new Set()]}', 'state.m.s[0] is a Set, which is not JSON'],
		['state.n = [1, NaN]', 'state.n[1] is NaN, which is not JSON'],
		['state.b = 5n', 'state.b is a BigInt, which is not JSON'],
		['state.f = () => 1; 0', 'state.f is a function, which is not JSON'],
		['state.l = [undefined]; 0', 'state.l[0] is undefined, which is not JSON'],
		['state.l = [1, , 2]; 0', 'state.l[1] is undefined, which is not JSON'],
		['state.d = {x: new Date(NaN)}; 0', 'state.d.x is an invalid Date, which is not JSON'],
		['state.b = new Uint8Array(2); 0', 'state.b is an Uint8Array, which is not JSON'],
		['state.p = Promise.resolve(1); 0', 'state.p is a Promise, which is not JSON', /await/],
		[
			'class P { x = 1 } state.p = new P(); 0',
			'state.p is an object of the class P, which is not JSON',
			/\{\.\.\.object\}/,
		],
		['state.me = state; 0', 'state contains itself: state.me is state'],
		[
			'state.a = {b: {}}; state.a.b.c = state.a; 0',
			'state contains itself: state.a.b.c is state.a',
		],
		['state = 5', 'state must be an object, but is a number', /const/],
		['state = [1]', 'state must be an object, but is an array'],
		['state = null; 0', 'state must be an object, but is null'],
		['state = undefined', 'state must be an object, but is undefined'],
		['var state = "CA"', 'state must be an object, but is a string'],
		['function state() {}', 'state must be an object, but is a function'],
		['delete globalThis.state', 'state must be an object, but is undefined'],
		[
			'state = {toJSON: () => [1]}; 0',
			'state must be an object, but is no object once toJSON is through with it',
		],
	]) {
		await fails('state: ' + source, source, message, hint);
	}
	{
		const { error } = await image.run(
			'state.x = {get y() { throw new RangeError("mine") }}; 0',
			{
				kept: {},
			},
		);
		t.is('what a getter throws', [error?.name, error?.message], ['RangeError', 'mine']);
	}

	/* ---- progress ---- */
	const progress = async (source) => {
		const run = await image.run(`${source}; 0`);
		return run.error ?? run.progress.map((json) => JSON.parse(json));
	};
	t.is(
		'progress',
		await progress(
			'progress({completed: 1, total: 4, note: "a"}); progress({completed: 0.5}); progress({total: 3, more: 1}); progress("only a note"); progress({note: "n"}); ' +
				'progress({completed: 1e21, total: -0, note: undefined})',
		),
		[
			{ completed: 1, total: 4, note: 'a' },
			{ completed: 0.5 },
			{ total: 3 },
			{ note: 'only a note' },
			{ note: 'n' },
			{ completed: 1e21, total: 0 },
		],
	);
	t.is(
		'notes are cut at two hundred code points',
		(
			await progress(
				'for (const s of ["x", "\\u{1f600}"]) for (const n of [200, 201, 1e5]) progress(s.repeat(n)); progress("a\\ud800\\n")',
			)
		).map(({ note }) => [[...note].length, [...note].at(-1), isWellFormed(note)]),
		[
			...['x', '\u{1f600}'].flatMap((last) => [
				[200, last, true],
				[200, '…', true],
				[200, '…', true],
			]),
			[3, '\n', true],
		],
	);
	for (const [argument, message] of [
		['', 'give {completed, total, note} or a note, got undefined'],
		['5', 'give {completed, total, note} or a note, got 5'],
		['null', 'give {completed, total, note} or a note, got null'],
		['() => 1', 'give {completed, total, note} or a note, got function'],
		['{}', 'completed, total or note is missing, got object'],
		['{current: 5}', 'completed, total or note is missing, got object'],
		['{completed: "5"}', 'completed must be a finite number of at least 0, got string'],
		['{completed: NaN}', 'completed must be a finite number of at least 0, got NaN'],
		[
			'{completed: 1, total: Infinity}',
			'total must be a finite number of at least 0, got Infinity',
		],
		['{total: -1}', 'total must be a finite number of at least 0, got -1'],
		['{total: null}', 'total must be a finite number of at least 0, got null'],
		['{completed: 1n}', 'completed must be a finite number of at least 0, got bigint'],
		['{note: 5}', 'note must be a string, got 5'],
	]) {
		t.is(
			`progress(${argument})`,
			(await image.run(`try { progress(${argument}) } catch (e) { [e.name, e.message] }`))
				.value,
			['TypeError', 'progress: ' + message],
		);
	}
	t.is(
		'progress in the innermost loop',
		(
			await image.run(
				'for (let i = 0; i < 20000; i++) progress({completed: i, total: 20000}); 1',
			)
		).progress.length,
		20000,
	);
}
