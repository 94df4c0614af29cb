// SPDX-License-Identifier: MIT
/* ECMAScript 2025. A check is a name and a function whose value must be true. */
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

/* ---- iterator helpers ---- */

check('map, filter, take, drop chain lazily', () => {
	let n = 0;
	const it = [1, 2, 3, 4, 5]
		.values()
		.map((x) => (n++, x * 2))
		.filter((x) => x > 2)
		.drop(1)
		.take(2);
	return n === 0 && it.toArray().join() === '6,8' && n === 4;
});
check(
	'flatMap, reduce, forEach, some, every, find',
	() =>
		[1, 2]
			.values()
			.flatMap((x) => [x, x])
			.toArray()
			.join() === '1,1,2,2' &&
		[1, 2, 3].values().reduce((a, b) => a + b) === 6 &&
		[1].values().some((x) => x === 1) &&
		[].values().every(() => false) &&
		[1, 2].values().find((x) => x > 1) === 2,
);
check('flatMap does not flatten strings', () =>
	throws(TypeError, () =>
		['ab']
			.values()
			.flatMap((x) => x)
			.toArray(),
	),
);
check('take closes what is under it', () => {
	let closed = 0;
	function* g() {
		try {
			yield 1;
			yield 2;
		} finally {
			closed++;
		}
	}
	return g().take(1).toArray().join() === '1' && closed === 1;
});
check(
	'take and drop check their argument',
	() =>
		throws(RangeError, () => [].values().take(-1)) &&
		throws(RangeError, () => [].values().drop(NaN)),
);
check(
	'callbacks get a counter',
	() =>
		['a', 'b']
			.values()
			.map((x, i) => x + i)
			.toArray()
			.join() === 'a0,b1',
);
check('helpers of helpers keep the prototype', () => {
	const it = [1].values().map((x) => x);
	return (
		it instanceof Iterator &&
		it[Symbol.iterator]() === it &&
		it[Symbol.toStringTag] === 'Iterator Helper'
	);
});
check('Iterator.from wraps what has next', () => {
	let i = 0;
	const it = Iterator.from({ next: () => ({ value: ++i, done: i > 2 }) });
	return (
		it instanceof Iterator &&
		it.toArray().join() === '1,2' &&
		Iterator.from('ab').toArray().join() === 'a,b'
	);
});
check(
	'Iterator is abstract',
	() =>
		throws(TypeError, () => new Iterator()) &&
		new (class extends Iterator {})() instanceof Iterator,
);
check(
	'generators have the helpers',
	() =>
		(function* () {
			yield* [3, 4];
		})()
			.map((x) => x + 1)
			.toArray()
			.join() === '4,5',
);

/* ---- Set methods ---- */

check('union, intersection, difference, symmetricDifference', () => {
	const a = new Set([1, 2, 3]);
	const b = new Set([3, 4]);
	return (
		[...a.union(b)].join() === '1,2,3,4' &&
		[...a.intersection(b)].join() === '3' &&
		[...a.difference(b)].join() === '1,2' &&
		[...a.symmetricDifference(b)].join() === '1,2,4'
	);
});
check(
	'isSubsetOf, isSupersetOf, isDisjointFrom',
	() =>
		new Set([1]).isSubsetOf(new Set([1, 2])) &&
		new Set([1, 2]).isSupersetOf(new Set([1])) &&
		new Set([1]).isDisjointFrom(new Set([2])),
);
check(
	'intersection goes in the order of the smaller',
	() => [...new Set([1, 2, 3]).intersection(new Set([3, 2]))].join() === '3,2',
);
check(
	'any set-like will do, an array will not',
	() =>
		[...new Set([1, 2]).union(new Map([[3, 0]]))].join() === '1,2,3' &&
		throws(TypeError, () => new Set([1]).union([2])),
);

/* ---- RegExp ---- */

check(
	'modifiers switch flags inside',
	() =>
		/^a(?i:b)c$/.test('aBc') &&
		!/^a(?i:b)c$/.test('aBC') &&
		/(?-i:a)b/i.test('aB') &&
		!/(?-i:a)b/i.test('AB') &&
		/(?s:.)./.test('\na'),
);
check('duplicate named groups in alternatives', () => {
	const r = /(?<y>\d{4})-\d\d|\d\d\/(?<y>\d{4})/;
	return (
		r.exec('2020-05').groups.y === '2020' &&
		r.exec('05/2021').groups.y === '2021' &&
		throws(SyntaxError, () => new RegExp('(?<a>x)(?<a>y)'))
	);
});
check(
	'RegExp.escape',
	() =>
		new RegExp('^' + RegExp.escape('a.b*c[') + '$').test('a.b*c[') &&
		RegExp.escape('foo') === '\\x66oo' &&
		RegExp.escape('-') === '\\x2d' &&
		throws(TypeError, () => RegExp.escape(1)),
);

/* ---- the rest ---- */

check(
	'Promise.try catches what is thrown at once',
	async () =>
		(await Promise.try((a) => a + 1, 4)) === 5 &&
		(await Promise.try(() => {
			throw 6;
		}).catch((e) => e)) === 6,
);
check('Promise.try calls at once', () => {
	let n = 0;
	Promise.try(() => n++);
	return n === 1;
});
check(
	'Float16Array and Math.f16round',
	() =>
		new Float16Array([1.337])[0] === Math.f16round(1.337) &&
		Math.f16round(1.337) === 1.3369140625 &&
		Float16Array.BYTES_PER_ELEMENT === 2 &&
		new Float16Array([65520])[0] === Infinity,
);
check('DataView reads half floats', () => {
	const v = new DataView(new ArrayBuffer(2));
	v.setFloat16(0, 1.5);
	return v.getFloat16(0) === 1.5 && v.getUint16(0) === 0x3e00;
});
check(
	'import attributes parse in dynamic import',
	async () =>
		(await import('x', { with: { type: 'json' } }).catch(() => 'refused')) === 'refused',
);

await Promise.all(waiting);
return { passed, failed };
