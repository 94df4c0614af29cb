// SPDX-License-Identifier: MIT
/* ECMAScript 2017. A check is a name and a function whose value must be true. */
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

/* ---- async functions ---- */

check('an async function returns a promise, always a new one', () => {
	const p = Promise.resolve(1);
	const f = async () => p;
	return f() instanceof Promise && f() !== p;
});
check('await gives values and throws reasons', async () => {
	try {
		return (
			(await 1) + (await Promise.resolve(2)) === 3 &&
			(await Promise.reject(new Error('x')))
		);
	} catch (e) {
		return e.message === 'x';
	}
});
check('code up to the first await runs at once', () => {
	let n = 0;
	(async () => {
		n++;
		await 0;
		n++;
	})();
	return n === 1;
});
check('await takes one turn of the job queue', async () => {
	const log = [];
	const a = (async () => {
		await null;
		log.push('a');
	})();
	const b = Promise.resolve()
		.then(() => log.push('b'))
		.then(() => log.push('c'));
	await a;
	await b;
	return log.join() === 'a,b,c';
});
check('finally waits in async functions', async () => {
	const log = [];
	try {
		await (async () => {
			try {
				throw 1;
			} finally {
				await 0;
				log.push('f');
			}
		})();
	} catch {
		log.push('c');
	}
	return log.join() === 'f,c';
});
check('async arrows, methods and defaults', async () => {
	const o = {
		async m(x = 2) {
			return x;
		},
	};
	return (await o.m()) === 2 && (await (async (x) => x)(3)) === 3;
});
check('errors in parameters reject', async () => {
	const f = async (
		x = (() => {
			throw 1;
		})(),
	) => x;
	return (await f().catch((e) => e)) === 1;
});
check('async functions have no prototype and their own kind', () => {
	const f = async () => 1;
	return (
		!('prototype' in f) && Object.prototype.toString.call(f) === '[object AsyncFunction]'
	);
});
check('await in a loop is sequential', async () => {
	let s = '';
	for (const ms of [3, 1, 2]) {
		await new Promise((r) => setTimeout(r, ms));
		s += ms;
	}
	return s === '312';
});

/* ---- the rest ---- */

check(
	'Object.values and entries follow property order',
	() =>
		Object.values({ b: 1, 2: 2, a: 3 }).join() === '2,1,3' &&
		Object.entries('ab').join('|') === '0,a|1,b',
);
check('Object.entries sees getters and skips hidden ones', () => {
	const o = Object.defineProperty(
		{
			get x() {
				return 1;
			},
		},
		'h',
		{ value: 2 },
	);
	return JSON.stringify(Object.entries(o)) === '[["x",1]]';
});
check('Object.getOwnPropertyDescriptors copies accessors', () => {
	const from = {
		get x() {
			return 7;
		},
		[Symbol.iterator]: 1,
	};
	const to = Object.defineProperties({}, Object.getOwnPropertyDescriptors(from));
	return (
		to.x === 7 &&
		to[Symbol.iterator] === 1 &&
		Object.getOwnPropertyDescriptor(to, 'x').get !== undefined
	);
});
check(
	'padStart and padEnd',
	() =>
		'5'.padStart(3, '0') === '005' &&
		'a'.padEnd(5, 'xy') === 'axyxy' &&
		'abc'.padStart(2) === 'abc' &&
		'a'.padStart(3, '') === 'a',
);
check('trailing commas in parameters and calls', () => eval('((a, b,) => a + b)(1, 2,)') === 3);
check('a rest parameter takes no trailing comma', () =>
	throws(SyntaxError, () => new Function('...a,', '')),
);
check('SharedArrayBuffer is shared by its views', () => {
	const b = new SharedArrayBuffer(8);
	new Int32Array(b)[1] = 7;
	return (
		new Int32Array(b)[1] === 7 &&
		b.slice(4).byteLength === 4 &&
		String(b) === '[object SharedArrayBuffer]'
	);
});

await Promise.all(waiting);
return { passed, failed };
