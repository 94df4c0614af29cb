// SPDX-License-Identifier: MIT
/* ECMAScript 2016. A check is a name and a function whose value must be true. */
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

check(
	'** is right associative and binds tighter than *',
	() => eval('2 ** 3 ** 2') === 512 && eval('2 * 3 ** 2') === 18,
);
check(
	'a unary minus before ** is a syntax error',
	() => throws(SyntaxError, () => new Function('return -2 ** 2')) && (-2) ** 2 === 4,
);
check('**= assigns', () => {
	let x = 3;
	x **= 2;
	return x === 9;
});
check(
	'Math.pow and ** agree on the odd cases',
	() =>
		Number.isNaN(1 ** Infinity) &&
		NaN ** 0 === 1 &&
		Object.is((-0) ** 3, -0) &&
		(-8) ** (1 / 3) !== -2,
);
check(
	'includes finds NaN and counts from the end',
	() => [NaN].includes(NaN) && [1, 2, 3].includes(3, -1) && ![1, 2, 3].includes(1, -1),
);
check(
	'includes treats holes as undefined',
	() => [, 1].includes(undefined) && [, 1].indexOf(undefined) === -1,
);
check('typed arrays have includes', () => new Float32Array([NaN]).includes(NaN));
check('generator methods have no [[Construct]]', () =>
	throws(TypeError, () => new { *g() {} }.g()),
);
check('a proxy has no enumerate trap any more', () => {
	let called = false;
	for (const k in new Proxy({ a: 1 }, { enumerate: () => (called = true) })) {
		if (k !== 'a') {
			return false;
		}
	}
	return !called;
});
check('"use strict" is refused with non-simple parameters', () =>
	throws(SyntaxError, () => new Function('a = 1', '"use strict"')),
);

await Promise.all(waiting);
return { passed, failed };
