// SPDX-License-Identifier: MIT
/* ECMAScript 2018. A check is a name and a function whose value must be true. */
const failed = [];
const waiting = [];
let passed = 0;
function check(name, run) {
	waiting.push(
		(async () => {
			try {
				const got = await run();
				got === true ? passed++ : failed.push({ name, got: String(got) });
			} catch (error) {
				failed.push({ name, got: String(error) });
			}
		})(),
	);
}
const throws = (type, run) => {
	try {
		run();
	} catch (error) {
		return error instanceof type;
	}
	return 'nothing was thrown';
};

/* ---- objects ---- */

check('rest properties take what is left, own and enumerable', () => {
	const { a, ...rest } = Object.create(
		{ inherited: 1 },
		{
			a: { value: 1, enumerable: true },
			b: { value: 2, enumerable: true },
			c: { value: 3 },
		},
	);
	return a === 1 && JSON.stringify(rest) === '{"b":2}';
});
check('rest with computed keys', () => {
	const k = 'x';
	const { [k]: _, ...rest } = { x: 1, y: 2 };
	return Object.keys(rest).join() === 'y';
});
check('spread copies values of getters and symbols', () => {
	let n = 0;
	const s = Symbol();
	const o = {
		...{
			get x() {
				return ++n;
			},
			[s]: 2,
		},
	};
	return o.x === 1 && o.x === 1 && o[s] === 2;
});
check(
	'spread of null and undefined is nothing',
	() => Object.keys({ ...null, ...undefined }).length === 0,
);
check('later properties win, setters are not called', () => {
	let called = false;
	const o = {
		set x(v) {
			called = true;
		},
		...{ x: 1 },
	};
	return o.x === 1 && !called;
});

/* ---- async iteration ---- */

check('for await over promises and plain values', async () => {
	const seen = [];
	for await (const x of [Promise.resolve(1), 2]) {
		seen.push(x);
	}
	return seen.join() === '1,2';
});
check('async generators', async () => {
	async function* g() {
		const got = yield 1;
		yield await Promise.resolve(got + 1);
	}
	const it = g();
	await it.next();
	return (await it.next(4)).value === 5 && (await it.next()).done;
});
check('async generators queue their requests', async () => {
	async function* g() {
		yield 1;
		yield 2;
	}
	const it = g();
	const all = await Promise.all([it.next(), it.next(), it.next()]);
	return all.map((r) => r.value).join() === '1,2,' && all[2].done;
});
check('yield in an async generator awaits', async () => {
	async function* g() {
		yield Promise.resolve('v');
	}
	return (await g().next()).value === 'v';
});
check('for await closes the iterator on break', async () => {
	let closed = false;
	async function* g() {
		try {
			yield 1;
			yield 2;
		} finally {
			closed = true;
		}
	}
	for await (const x of g()) {
		break;
	}
	return closed;
});
check('yield* delegates to async and sync iterables', async () => {
	async function* g() {
		yield* [1, 2];
		yield* (async function* () {
			yield 3;
		})();
	}
	const seen = [];
	for await (const x of g()) {
		seen.push(x);
	}
	return seen.join() === '1,2,3';
});
check('Symbol.asyncIterator is asked first', async () => {
	const o = {
		[Symbol.iterator]: () => ['sync'].values(),
		[Symbol.asyncIterator]: async function* () {
			yield 'async';
		},
	};
	for await (const x of o) {
		return x === 'async';
	}
});
check('an async generator rejects after a throw and is done', async () => {
	async function* g() {
		throw 1;
	}
	const it = g();
	return (await it.next().catch((e) => e)) === 1 && (await it.next()).done;
});

/* ---- Promise, RegExp, templates ---- */

check('finally passes the value on and waits', async () => {
	let waited = false;
	const v = await Promise.resolve(1).finally(async () => {
		await 0;
		waited = true;
		return 2;
	});
	return v === 1 && waited;
});
check(
	'finally replaces a value with its own error',
	async () =>
		(await Promise.resolve(1)
			.finally(() => {
				throw 9;
			})
			.catch((e) => e)) === 9,
);
check('named groups', () => {
	const m = /(?<y>\d{4})-(?<m>\d\d)/.exec('on 2020-05');
	return (
		m.groups.y === '2020' &&
		m.groups.m === '05' &&
		Object.getPrototypeOf(m.groups) === null &&
		'2020-05'.replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>/$<y>') === '05/2020'
	);
});
check('named backreferences', () => /(?<q>['"]).*?\k<q>/.exec(`a "b'c" d`)[0] === `"b'c"`);
check(
	'a replacer gets the groups last',
	() => 'ab'.replace(/(?<x>a)/, (...args) => args.at(-1).x + args.length) === 'a5b',
);
check(
	'lookbehind',
	() => '€5 $6'.match(/(?<=\$)\d/)[0] === '6' && /(?<!\$)\b\d/.exec('$1 2')[0] === '2',
);
check(
	'lookbehind matches backwards',
	() => /(?<=(\d+)(\d+))$/.exec('1053').slice(1).join() === '1,053',
);
check('the s flag', () => /a.b/s.test('a\nb') && !/a.b/.test('a\nb') && /x/s.dotAll);
check(
	'Unicode properties',
	() =>
		/^\p{Lu}\p{Script=Greek}$/u.test('Aα') &&
		/\P{L}/u.test('1') &&
		/^\p{Emoji}$/u.test('😀'),
);
check('tagged templates may have broken escapes', () => {
	const tag = (s) => s[0] === undefined && s.raw[0] === '\\unicode';
	return tag`\unicode`;
});

await Promise.all(waiting);
return { passed, failed };
