// SPDX-License-Identifier: MIT
/* ECMAScript 2024. A check is a name and a function whose value must be true. */
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

check('Object.groupBy makes an object without a prototype', () => {
	const g = Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'));
	return (
		g.odd.join() === '1,3' &&
		g.even.join() === '2' &&
		Object.getPrototypeOf(g) === null &&
		Object.keys(g).join() === 'odd,even'
	);
});
check('Map.groupBy keeps keys of any kind', () => {
	const key = {};
	const g = Map.groupBy([1, 2, 3], (x) => (x > 1 ? key : -0));
	return g.get(key).join() === '2,3' && Object.is([...g.keys()][0], 0);
});
check('groupBy passes the index', () => Object.groupBy('abc', (c, i) => i)[2][0] === 'c');
check('Promise.withResolvers', async () => {
	const { promise, resolve } = Promise.withResolvers();
	resolve(4);
	return (await promise) === 4;
});
check(
	'isWellFormed and toWellFormed',
	() =>
		!'\ud800a'.isWellFormed() &&
		'😀'.isWellFormed() &&
		'\ud800a'.toWellFormed() === '\ufffda',
);
check(
	'the v flag: set operations',
	() =>
		/^[\p{L}--[a-z]]$/v.test('A') &&
		!/^[\p{L}--[a-z]]$/v.test('a') &&
		/^[\p{ASCII}&&\p{Nd}]$/v.test('5') === true,
);
check(
	'the v flag: nested classes and strings',
	() =>
		/^[[a-c][x-z]]$/v.test('y') &&
		/^[\q{abc|d}]$/v.test('abc') &&
		/^\p{RGI_Emoji}$/v.test('👨‍👩‍👧') &&
		/x/v.unicodeSets,
);
check('the v flag does not go with u', () => throws(SyntaxError, () => new RegExp('a', 'uv')));
check('the v flag reserves double punctuators', () =>
	throws(SyntaxError, () => new RegExp('[a&&&b]', 'v')),
);
check('resizable buffers', () => {
	const b = new ArrayBuffer(4, { maxByteLength: 8 });
	const all = new Uint8Array(b);
	const part = new Uint8Array(b, 0, 4);
	b.resize(8);
	const grown = all.length === 8 && part.length === 4;
	b.resize(2);
	return (
		grown &&
		all.length === 2 &&
		part.length === 0 &&
		b.resizable &&
		b.maxByteLength === 8 &&
		throws(RangeError, () => b.resize(9))
	);
});
check('transfer moves the bytes and detaches', () => {
	const a = Uint8Array.of(1, 2).buffer;
	const b = a.transfer(4);
	return (
		a.detached &&
		a.byteLength === 0 &&
		b.byteLength === 4 &&
		new Uint8Array(b)[1] === 2 &&
		throws(TypeError, () => a.slice(0))
	);
});
check('transferToFixedLength', () => {
	const b = new ArrayBuffer(1, { maxByteLength: 2 }).transferToFixedLength();
	return !b.resizable && b.byteLength === 1;
});

await Promise.all(waiting);
return { passed, failed };
