// SPDX-License-Identifier: MIT
/* ECMAScript 2021. A check is a name and a function whose value must be true. */
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
	'replaceAll',
	() =>
		'aXaXa'.replaceAll('X', '$&$&') === 'aXXaXXa' &&
		'a.b'.replaceAll('.', '-') === 'a-b' &&
		'ab'.replaceAll('', '-') === '-a-b-' &&
		throws(TypeError, () => 'a'.replaceAll(/a/, 'b')),
);
check('replaceAll with a function', () => 'abab'.replaceAll('b', (m, at) => at) === 'a1a3');
check(
	'Promise.any gives the first success',
	async () => (await Promise.any([Promise.reject(1), new Promise(() => 0), 'now'])) === 'now',
);
check('Promise.any rejects with an AggregateError', async () => {
	const e = await Promise.any([Promise.reject(1), Promise.reject(2)]).catch((x) => x);
	return e instanceof AggregateError && e.errors.join() === '1,2';
});
check('AggregateError takes an iterable', () => {
	const e = new AggregateError(new Set([1, 2]), 'm');
	return e.errors.length === 2 && e.message === 'm' && e instanceof Error;
});
check('logical assignment', () => {
	let a = 0;
	let b = 1;
	let c = null;
	a ||= 5;
	b &&= 6;
	c ??= 7;
	return a === 5 && b === 6 && c === 7;
});
check('logical assignment stops early', () => {
	let n = 0;
	const o = {
		get x() {
			return 1;
		},
		set x(v) {
			n++;
		},
	};
	o.x ||= 2;
	o.x ??= 2;
	return n === 0;
});
check('logical assignment names functions', () => {
	let f;
	f ??= () => 1;
	return f.name === 'f';
});
check(
	'numeric separators',
	() =>
		1_000_000 === 1e6 &&
		0xff_ff === 65535 &&
		1_0n === 10n &&
		throws(SyntaxError, () => new Function('return 1__0')) &&
		Number.isNaN(Number('1_0')),
);
check('WeakRef gives its target', () => {
	const o = {};
	return new WeakRef(o).deref() === o && throws(TypeError, () => new WeakRef(1));
});
check('FinalizationRegistry registers and unregisters', () => {
	const r = new FinalizationRegistry(() => 0);
	const token = {};
	const target = {};
	r.register(target, 1, token);
	return (
		r.unregister(token) === true &&
		r.unregister(token) === false &&
		throws(TypeError, () => r.register(token, token))
	);
});

await Promise.all(waiting);
return { passed, failed };
