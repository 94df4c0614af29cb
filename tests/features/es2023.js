// SPDX-License-Identifier: MIT
/* ECMAScript 2023. A check is a name and a function whose value must be true. */
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

check('toSorted, toReversed, toSpliced, with leave the array alone', () => {
	const a = [3, 1, 2];
	return (
		a.toSorted().join() === '1,2,3' &&
		a.toReversed().join() === '2,1,3' &&
		a.toSpliced(0, 1, 'x', 'y').join() === 'x,y,1,2' &&
		a.with(-1, 9).join() === '3,1,9' &&
		a.join() === '3,1,2'
	);
});
check(
	'the copies fill holes',
	() => 0 in [, 1].toReversed() && 0 in [, 1].toSorted() === true && 1 in [1, , 3].with(0, 0),
);
check('with out of range throws', () => throws(RangeError, () => [1].with(1, 0)));
check('toSorted checks its comparator first', () => throws(TypeError, () => [1].toSorted('x')));
check(
	'findLast and findLastIndex',
	() =>
		[1, 2, 3].findLast((x) => x < 3) === 2 && [1, 2, 3].findLastIndex((x) => x > 5) === -1,
);
check(
	'typed arrays have them too',
	() =>
		new Uint8Array([3, 1]).toSorted().join() === '1,3' &&
		new Uint8Array([1]).with(0, 5)[0] === 5 &&
		new Uint8Array([1, 2]).findLast((x) => x === 1) === 1 &&
		new Uint8Array([1, 2]).toReversed() instanceof Uint8Array,
);
check('toSorted makes a plain array, whatever the species', () => {
	class A extends Array {}
	return !(A.of(2, 1).toSorted() instanceof A);
});
check('symbols as weak keys', () => {
	const s = Symbol('s');
	return (
		new WeakMap([[s, 1]]).get(s) === 1 &&
		new WeakSet([s]).has(s) &&
		new WeakRef(s).deref() === s &&
		throws(TypeError, () => new WeakSet([Symbol.for('registered')]))
	);
});
check('hashbang comments', () => eval('#!/usr/bin/env node\n5') === 5);

await Promise.all(waiting);
return { passed, failed };
