// SPDX-License-Identifier: MIT
/* ECMAScript 2019. A check is a name and a function whose value must be true. */
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

check('catch without a binding', () => {
	try {
		throw 1;
	} catch {
		return true;
	}
});
check(
	'flat goes to a depth and drops holes',
	() =>
		[1, [2, [3, [4]]]].flat().length === 3 &&
		[1, [2, [3]]].flat(Infinity).join() === '1,2,3' &&
		[1, , 2].flat().length === 2,
);
check(
	'flatMap flattens one level',
	() =>
		[1, 2].flatMap((x) => [x, [x]]).length === 4 &&
		[1, 2].flatMap((x) => x * 2).join() === '2,4',
);
check(
	'Object.fromEntries is the inverse of entries',
	() =>
		JSON.stringify(
			Object.fromEntries(
				new Map([
					['a', 1],
					['b', 2],
				]),
			),
		) === '{"a":1,"b":2}',
);
check(
	'trimStart and trimEnd, with their old names',
	() =>
		' a '.trimStart() === 'a ' &&
		' a '.trimEnd() === ' a' &&
		String.prototype.trimLeft === String.prototype.trimStart &&
		String.prototype.trimLeft.name === 'trimStart',
);
check(
	'Symbol.prototype.description',
	() =>
		Symbol('d').description === 'd' &&
		Symbol().description === undefined &&
		Symbol('').description === '',
);
check(
	'JSON.stringify escapes lone surrogates',
	() => JSON.stringify('\ud800') === '"\\ud800"' && JSON.stringify('😀') === '"😀"',
);
check('JSON is a subset of the language', () => eval('"\u2028"') === '\u2028');
check('sort is stable', () => {
	const a = Array.from({ length: 1000 }, (_, i) => ({ k: i % 3, i }));
	a.sort((x, y) => x.k - y.k);
	return a.every((x, n) => n === 0 || a[n - 1].k < x.k || a[n - 1].i < x.i);
});
check('Function.prototype.toString gives the source text', () => {
	const source = 'function /* a */ f (x) { return x }';
	return eval('(' + source + ')').toString() === source && /\[native code\]/.test(Math.max);
});
check('class and getter source text', () => {
	const o = eval('({ get  x() { return 1 } })');
	return (
		eval('(class A { m() {} })').toString() === 'class A { m() {} }' &&
		Object.getOwnPropertyDescriptor(o, 'x').get.toString() === 'get  x() { return 1 }'
	);
});

await Promise.all(waiting);
return { passed, failed };
