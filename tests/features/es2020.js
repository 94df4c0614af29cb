// SPDX-License-Identifier: MIT
/* ECMAScript 2020. A check is a name and a function whose value must be true. */
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

/* ---- syntax ---- */

check(
	'optional chaining stops at null and undefined',
	() =>
		null?.x === undefined &&
		undefined?.[0] === undefined &&
		null?.() === undefined &&
		''?.length === 0,
);
check('optional chaining skips the whole rest', () => {
	let n = 0;
	return null?.a.b.c[n++] === undefined && n === 0;
});
check(
	'optional calls keep this',
	() =>
		({
			x: 1,
			f() {
				return this.x;
			},
		}).f?.() === 1 && {}.g?.() === undefined,
);
check('delete of an optional chain', () => delete null?.x === true);
check('an optional chain is no target of assignment', () =>
	throws(SyntaxError, () => new Function('a?.b = 1')),
);
check(
	'?? takes null and undefined only',
	() => (0 ?? 1) === 0 && ('' ?? 1) === '' && (null ?? 1) === 1 && (undefined ?? 1) === 1,
);
check(
	'?? does not mix with || without parentheses',
	() =>
		throws(SyntaxError, () => new Function('return a || b ?? c')) &&
		((null || undefined) ?? 3) === 3,
);
check(
	'globalThis',
	() =>
		globalThis === new Function('return this')() &&
		!Object.getOwnPropertyDescriptor(globalThis, 'globalThis').enumerable,
);
check('for-in order is that of own keys', () => {
	const seen = [];
	for (const k in { z: 1, 1: 1, a: 1 }) {
		seen.push(k);
	}
	return seen.join() === '1,z,a';
});

/* ---- BigInt ---- */

check(
	'BigInt arithmetic is exact',
	() =>
		2n ** 64n === 18446744073709551616n &&
		7n / 2n === 3n &&
		-7n / 2n === -3n &&
		-7n % 2n === -1n &&
		2n ** 200n - 1n > 0n,
);
check(
	'BigInt and Number do not mix in arithmetic',
	() =>
		throws(TypeError, () => 1n + 1) &&
		throws(TypeError, () => +1n) &&
		throws(TypeError, () => Math.max(1n)),
);
check(
	'BigInt and Number compare',
	() =>
		1n == 1 &&
		1n !== 1 &&
		2n > 1 &&
		1n < 1.5 &&
		!(1n == 1.5) &&
		9007199254740993n > 9007199254740992,
);
check(
	'BigInt of numbers and strings',
	() =>
		BigInt(10) === 10n &&
		BigInt('0xff') === 255n &&
		BigInt('') === 0n &&
		throws(RangeError, () => BigInt(1.5)) &&
		throws(SyntaxError, () => BigInt('1n')),
);
check(
	"BigInt bit operations see two's complement",
	() =>
		(-1n & 255n) === 255n &&
		~0n === -1n &&
		(1n << 70n) >> 69n === 2n &&
		-5n >> 1n === -3n &&
		throws(TypeError, () => 1n >>> 0n),
);
check(
	'asIntN and asUintN',
	() =>
		BigInt.asUintN(8, -1n) === 255n &&
		BigInt.asIntN(8, 255n) === -1n &&
		BigInt.asIntN(64, 2n ** 63n) === -(2n ** 63n),
);
check(
	'BigInt to text',
	() => 255n.toString(16) === 'ff' && `${10n}` === '10' && typeof 1n === 'bigint',
);
check('division by zero throws', () => throws(RangeError, () => 1n / 0n));
check('BigInt is falsy only as 0n', () => !0n && !!1n && (0n || 'x') === 'x');
check(
	'BigInt typed arrays',
	() =>
		new BigInt64Array([2n ** 63n])[0] === -(2n ** 63n) &&
		new BigUint64Array([-1n])[0] === 2n ** 64n - 1n &&
		throws(TypeError, () => new BigInt64Array([1])),
);
check('JSON has no BigInt', () => throws(TypeError, () => JSON.stringify({ a: 1n })));
check('BigInt keys', () => ({ [1n]: 'a' })['1'] === 'a');
check('large factorials', () => {
	let f = 1n;
	for (let i = 1n; i <= 50n; i++) {
		f *= i;
	}
	return String(f) === '30414093201713378043612608166064768844377641568960512000000000000';
});

/* ---- built-ins ---- */

check(
	'Promise.allSettled',
	async () =>
		JSON.stringify(await Promise.allSettled([1, Promise.reject(2)])) ===
		'[{"status":"fulfilled","value":1},{"status":"rejected","reason":2}]',
);
check(
	'matchAll gives all matches with groups',
	() =>
		[...'a1b2'.matchAll(/([a-z])(\d)/g)].map((m) => m[2] + m[1] + m.index).join() ===
			'1a0,2b2' && throws(TypeError, () => 'a'.matchAll(/a/)),
);
check('matchAll leaves the expression alone', () => {
	const r = /a/g;
	[...'aa'.matchAll(r)];
	return r.lastIndex === 0;
});
check(
	'dynamic import is a promise that rejects here',
	async () =>
		(await import('no-such-module').then(
			() => false,
			(e) => e instanceof Error,
		)) === true,
);
check('import() is an expression, not a function', () =>
	throws(SyntaxError, () => new Function('return import')),
);

await Promise.all(waiting);
return { passed, failed };
