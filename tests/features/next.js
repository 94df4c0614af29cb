// SPDX-License-Identifier: MIT
/*
 * After ECMAScript 2025, as far as the engine has it. A check is a name and a function whose value
 * must be true.
 */
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

/* ---- using ---- */

check('using disposes in reverse order, after the value is made', () => {
	const log = [];
	const make = (n) => ({ [Symbol.dispose]: () => log.push(n) });
	const f = () => {
		using a = make('a');
		using b = make('b');
		log.push('body');
		return log.join();
	};
	return f() === 'body' && log.join() === 'body,b,a';
});
check('using disposes when the block throws, and joins the errors', () => {
	try {
		using a = {
			[Symbol.dispose]() {
				throw 2;
			},
		};
		throw 1;
	} catch (e) {
		return e instanceof SuppressedError && e.error === 2 && e.suppressed === 1;
	}
});
check('using takes null and refuses what has no dispose method', () => {
	using nothing = null;
	return throws(TypeError, () => {
		using x = {};
	});
});
check('await using waits', async () => {
	const log = [];
	{
		await using a = {
			async [Symbol.asyncDispose]() {
				await 0;
				log.push('disposed');
			},
		};
		log.push('body');
	}
	log.push('after');
	return log.join() === 'body,disposed,after';
});
check('using in a loop disposes at each turn', () => {
	let n = 0;
	for (using x of [1, 2].map(() => ({ [Symbol.dispose]: () => n++ })));
	return n === 2;
});
check('DisposableStack', () => {
	const log = [];
	const s = new DisposableStack();
	s.defer(() => log.push('deferred'));
	s.adopt('v', (v) => log.push(v));
	const t = s.move();
	s.dispose();
	t.dispose();
	return (
		log.join() === 'v,deferred' &&
		s.disposed &&
		t.disposed &&
		throws(ReferenceError, () => t.defer(() => 0))
	);
});
check('AsyncDisposableStack', async () => {
	const log = [];
	const s = new AsyncDisposableStack();
	s.defer(async () => log.push(1));
	s.defer(() => log.push(2));
	await s.disposeAsync();
	return log.join() === '2,1';
});
check('iterators are disposable', () => {
	let closed = false;
	{
		using it = (function* () {
			try {
				yield 1;
			} finally {
				closed = true;
			}
		})();
		it.next();
	}
	return closed;
});

/* ---- built-ins ---- */

check('Array.fromAsync takes async, sync and array-like sources', async () => {
	const g = async function* () {
		yield 1;
		yield 2;
	};
	return (
		(await Array.fromAsync(g(), (x) => x * 2)).join() === '2,4' &&
		(await Array.fromAsync([Promise.resolve(3)])).join() === '3' &&
		(await Array.fromAsync({ length: 1, 0: Promise.resolve(4) })).join() === '4'
	);
});
check('Array.fromAsync waits for one after the other', async () => {
	const log = [];
	await Array.fromAsync([1, 2], async (x) => {
		log.push('in' + x);
		await 0;
		log.push('out' + x);
	});
	return log.join() === 'in1,out1,in2,out2';
});
check(
	'Error.isError',
	() =>
		Error.isError(new TypeError()) &&
		!Error.isError({ message: 'x' }) &&
		!Error.isError(Object.create(Error.prototype)),
);
check(
	'Math.sumPrecise',
	() =>
		Math.sumPrecise([1e20, 0.1, -1e20]) === 0.1 &&
		Object.is(Math.sumPrecise([]), -0) &&
		throws(TypeError, () => Math.sumPrecise(['1'])),
);
check('Uint8Array to and from base64', () => {
	const b = Uint8Array.fromBase64('AP/+');
	return (
		b.join() === '0,255,254' &&
		b.toBase64() === 'AP/+' &&
		b.toBase64({ alphabet: 'base64url' }) === 'AP_-' &&
		throws(SyntaxError, () => Uint8Array.fromBase64('*'))
	);
});
check(
	'Uint8Array to and from hex',
	() =>
		Uint8Array.fromHex('00ff').join() === '0,255' &&
		Uint8Array.of(1, 171).toHex() === '01ab' &&
		throws(SyntaxError, () => Uint8Array.fromHex('abc')),
);
check('setFromBase64 writes whole groups only and says how far it came', () => {
	const small = new Uint8Array(2);
	const none = small.setFromBase64('AQID');
	const large = new Uint8Array(4);
	const all = large.setFromBase64('AQID');
	return (
		none.read === 0 &&
		none.written === 0 &&
		all.read === 4 &&
		all.written === 3 &&
		large.join() === '1,2,3,0'
	);
});
check(
	'JSON.rawJSON writes digits that a number would lose',
	() =>
		JSON.stringify({ n: JSON.rawJSON('12345678901234567890') }) ===
			'{"n":12345678901234567890}' &&
		JSON.isRawJSON(JSON.rawJSON('1')) &&
		throws(SyntaxError, () => JSON.rawJSON('{}')),
);
check('a JSON reviver sees the source text', () => {
	let source;
	JSON.parse('[1.0]', (k, v, context) => {
		if (k === '0') {
			source = context.source;
		}
		return v;
	});
	return source === '1.0';
});
check(
	'Iterator.concat',
	() =>
		Iterator.concat([1], new Set([2]))
			.toArray()
			.join() === '1,2',
);
check(
	'Iterator chunks and windows',
	() =>
		[1, 2, 3].values().chunks(2).toArray().join('|') === '1,2|3' &&
		[1, 2, 3].values().windows(2).toArray().join('|') === '1,2|2,3' &&
		throws(RangeError, () => [1].values().chunks(0)),
);
check(
	'Iterator join and includes',
	() => [1, 2].values().join('-') === '1-2' && [1, NaN].values().includes(NaN),
);
check('immutable buffers can be read, not written', () => {
	const b = Uint8Array.of(1, 2).buffer.transferToImmutable();
	return (
		b.immutable &&
		new Uint8Array(b)[1] === 2 &&
		throws(TypeError, () => new DataView(b).setInt8(0, 5)) &&
		throws(TypeError, () => b.transfer())
	);
});
check('Map.prototype.getOrInsert and getOrInsertComputed', () => {
	const m = new Map([['a', 1]]);
	return (
		m.getOrInsert('a', 9) === 1 &&
		m.getOrInsert('b', 2) === 2 &&
		m.getOrInsertComputed('c', (k) => k + k) === 'cc' &&
		m.size === 3
	);
});
check(
	'Iterator.zip',
	() =>
		Iterator.zip([
			[1, 2],
			['a', 'b'],
		])
			.toArray()
			.join('|') === '1,a|2,b' &&
		Iterator.zipKeyed({ x: [1], y: [2] }).toArray()[0].y === 2,
);

await Promise.all(waiting);
return { passed, failed };
