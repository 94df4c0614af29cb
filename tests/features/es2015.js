// SPDX-License-Identifier: MIT
/* ECMAScript 2015. A check is a name and a function whose value must be true. */
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

/* ---- scope ---- */

check('let has a temporal dead zone', () =>
	throws(ReferenceError, () => {
		x;
		let x = 1;
	}),
);
check('typeof in the dead zone throws', () =>
	throws(ReferenceError, () => {
		typeof y;
		const y = 1;
	}),
);
check('const can not be assigned', () =>
	throws(TypeError, () => {
		const c = 1;
		c = 2;
	}),
);
check('each turn of a loop has its own let', () => {
	const list = [];
	for (let i = 0; i < 3; i++) {
		list.push(() => i);
	}
	return list.map((f) => f()).join() === '0,1,2';
});
check('closures of a loop see changes of their own turn', () => {
	const list = [];
	for (let i = 0; i < 2; i++) {
		list.push(() => i);
		i += 10;
	}
	return list[0]() === 10;
});
check('functions in blocks are block scoped', () => {
	'use strict';
	{
		function inside() {
			return 1;
		}
	}
	return typeof inside === 'undefined';
});
check('shadowing in a switch needs no braces around it', () => {
	let x = 'outer';
	switch (1) {
		case 1:
			let x = 'inner';
			if (x !== 'inner') {
				return false;
			}
	}
	return x === 'outer';
});

/* ---- functions ---- */

check('arrow functions take this and arguments from outside', () => {
	function f() {
		return (() => this.x + arguments[0])();
	}
	return f.call({ x: 1 }, 2) === 3;
});
check('arrow functions have no prototype and can not be constructed', () => {
	const f = () => 1;
	return !('prototype' in f) && throws(TypeError, () => new f());
});
check('default parameters are evaluated at each call, left to right', () => {
	let n = 0;
	const f = (a = ++n, b = a + 1) => [a, b].join();
	return f() === '1,2' && f() === '2,3' && f(undefined, 9) === '3,9' && f(null) === ',1';
});
check('a default may not use a later parameter', () =>
	throws(ReferenceError, () => ((a = b, b = 1) => a)()),
);
check('defaults have a scope of their own', () => {
	const x = 'outer';
	const f = (a = () => x) => {
		const x = 'inner';
		return a() + x;
	};
	return f() === 'outerinner';
});
check(
	'length stops at the first default',
	() => ((a, b = 1, c) => 0).length === 1 && ((...rest) => 0).length === 0,
);
check('rest parameters are an array', () => {
	const f = (a, ...rest) => Array.isArray(rest) && rest.length;
	return f(1) === 0 && f(1, 2, 3) === 2;
});
check(
	'spread in calls and arrays',
	() => Math.max(...[1, 2], ...new Set([5])) === 5 && [...'ab', ...[1]].join() === 'a,b,1',
);
check('new.target', () => {
	function F() {
		return new.target === F;
	}
	return F() === false && new F() instanceof F;
});
check('names are inferred', () => {
	const a = () => 1;
	const o = {
		b() {},
		['c' + 1]: () => 1,
		get d() {
			return 1;
		},
	};
	return (
		a.name === 'a' && o.b.name === 'b' && o.c1.name === 'c1' && function () {}.name === ''
	);
});

/* ---- destructuring ---- */

check('array patterns with defaults, holes and rest', () => {
	const [a, , b = 5, ...rest] = [1, 2, undefined, 4, 6];
	return a === 1 && b === 5 && rest.join() === '4,6';
});
check('object patterns with renames, defaults and nesting', () => {
	const { a: { b: c = 3 } = {}, ['x' + 1]: d } = { x1: 4 };
	return c === 3 && d === 4;
});
check('swapping by destructuring', () => {
	let a = 1;
	let b = 2;
	[a, b] = [b, a];
	return a === 2 && b === 1;
});
check('destructuring assigns to members', () => {
	const o = {};
	[o.a, o['b']] = [1, 2];
	({ x: o.c } = { x: 3 });
	return o.a + o.b + o.c === 6;
});
check('destructuring null throws', () =>
	throws(TypeError, () => {
		const {} = null;
	}),
);
check('array patterns close the iterator', () => {
	let closed = 0;
	const it = {
		[Symbol.iterator]: () => ({
			next: () => ({ value: 1, done: false }),
			return: () => (closed++, {}),
		}),
	};
	const [a] = it;
	return a === 1 && closed === 1;
});
check(
	'parameters can be patterns',
	() => (({ a, b = a }, [c]) => a + b + c)({ a: 1 }, [3]) === 5,
);

/* ---- literals and strings ---- */

check('shorthand, methods and computed keys', () => {
	const x = 1;
	const o = {
		x,
		f() {
			return 2;
		},
		['k' + x]: 3,
	};
	return o.x + o.f() + o.k1 === 6;
});
check(
	'__proto__ in a literal sets the prototype, once',
	() =>
		Object.getPrototypeOf({ __proto__: Array.prototype }) === Array.prototype &&
		Object.keys({ ['__proto__']: 1 }).join() === '__proto__' &&
		throws(SyntaxError, () => new Function('({ __proto__: null, __proto__: null })')),
);
check('super in object methods', () => {
	const base = {
		f() {
			return 'base' + this.x;
		},
	};
	const o = {
		__proto__: base,
		x: 1,
		f() {
			return super.f() + '!';
		},
	};
	return o.f() === 'base1!';
});
check('template literals evaluate in order', () => {
	let n = 0;
	return (
		`${++n}-${++n}` === '1-2' &&
		`a
b` === 'a\nb'
	);
});
check('tags get cooked and raw strings, the same object each time', () => {
	const tag = (s) => s;
	const f = () => tag`a\n${1}b`;
	return (
		f() === f() &&
		f()[0] === 'a\n' &&
		f().raw[0] === 'a\\n' &&
		Object.isFrozen(f()) &&
		String.raw`\n${1}` === '\\n1'
	);
});
check('binary and octal literals', () => 0b101 === 5 && 0o17 === 15);
check('code point escapes', () => '\u{1F600}' === '😀' && '\u{1F600}'.length === 2);

/* ---- classes ---- */

check(
	'classes are strict, hoisted into the dead zone, not callable',
	() =>
		throws(ReferenceError, () => new Early()) &&
		throws(TypeError, () => {
			class A {}
			A();
		}),
);
class Early {}
check('methods are not enumerable', () => {
	class A {
		m() {}
		static s() {}
	}
	return Object.keys(A.prototype).length === 0 && Object.keys(A).length === 0;
});
check('extends and super', () => {
	class A {
		constructor(x) {
			this.x = x;
		}
		hi() {
			return 'A' + this.x;
		}
		static make() {
			return new this(7);
		}
	}
	class B extends A {
		hi() {
			return super.hi() + 'B';
		}
	}
	return B.make().hi() === 'A7B' && Object.getPrototypeOf(B) === A;
});
check('this before super() throws', () =>
	throws(ReferenceError, () => {
		class A extends Object {
			constructor() {
				this.x = 1;
			}
		}
		new A();
	}),
);
check('subclasses of built-ins', () => {
	class Stack extends Array {
		top() {
			return this[this.length - 1];
		}
	}
	const s = Stack.of(1, 2);
	return s.top() === 2 && s.map((x) => x) instanceof Stack && s.length === 2;
});
check('subclass of Error', () => {
	class MyError extends Error {}
	const e = new MyError('m');
	return (
		e instanceof MyError &&
		e instanceof Error &&
		e.name === 'Error' &&
		Object.prototype.toString.call(e) === '[object Error]'
	);
});
check('extends null', () => {
	class A extends null {
		static f() {
			return 1;
		}
	}
	return A.f() === 1 && Object.getPrototypeOf(A.prototype) === null;
});
check('accessors and static accessors', () => {
	class A {
		get x() {
			return 1;
		}
		static get y() {
			return 2;
		}
	}
	return new A().x + A.y === 3;
});
check('class bodies see the class name as a constant', () =>
	throws(TypeError, () => {
		class A {
			static f() {
				A = 1;
			}
		}
		A.f();
	}),
);

/* ---- iteration ---- */

check('for-of over strings goes by code point', () => {
	let n = 0;
	for (const c of 'a😀b') {
		n++;
	}
	return n === 3;
});
check('break closes the iterator, exhaustion does not', () => {
	let closed = 0;
	const make = (n) => ({
		[Symbol.iterator]() {
			return this;
		},
		next: () => ({ value: n, done: n-- <= 0 }),
		return: () => (closed++, {}),
	});
	for (const x of make(3)) {
		break;
	}
	for (const x of make(2));
	return closed === 1;
});
check('generators yield, receive and return', () => {
	function* g() {
		const got = yield 1;
		yield got * 2;
		return 'end';
	}
	const it = g();
	return (
		it.next('ignored').value === 1 &&
		it.next(21).value === 42 &&
		JSON.stringify(it.next()) === '{"value":"end","done":true}' &&
		it.next().done
	);
});
check('generator throw and return', () => {
	let cleaned = 0;
	function* g() {
		try {
			yield 1;
		} catch (e) {
			yield 'caught ' + e;
		} finally {
			cleaned++;
		}
	}
	const a = g();
	a.next();
	const caught = a.throw('x').value === 'caught x';
	const b = g();
	b.next();
	return caught && b.return(5).value === 5 && cleaned === 1 && b.next().done;
});
check('yield* passes values through and gives the inner return', () => {
	function* inner() {
		const x = yield 'a';
		return x;
	}
	function* outer() {
		const got = yield* inner();
		yield got;
		yield* [1, 2];
	}
	const it = outer();
	it.next();
	return it.next('mine').value === 'mine' && [...it].join() === '1,2';
});
check('generators are lazy and iterate themselves', () => {
	let n = 0;
	function* g() {
		n++;
		yield 1;
	}
	const it = g();
	return n === 0 && it[Symbol.iterator]() === it && it.next().value === 1 && n === 1;
});
check('generator functions can not be constructed', () =>
	throws(TypeError, () => {
		function* g() {}
		new g();
	}),
);
check('a running generator can not be entered again', () =>
	throws(TypeError, () => {
		const it = (function* () {
			it.next();
		})();
		it.next();
	}),
);
check('array iterators are live', () => {
	const a = [1];
	const seen = [];
	for (const x of a) {
		seen.push(x);
		if (a.length < 3) {
			a.push(x + 1);
		}
	}
	return seen.join() === '1,2,3';
});

/* ---- Symbol ---- */

check(
	'symbols are unique and not converted',
	() =>
		Symbol('a') !== Symbol('a') &&
		Symbol.for('k') === Symbol.for('k') &&
		Symbol.keyFor(Symbol.for('k')) === 'k' &&
		throws(TypeError, () => Symbol() + '') &&
		throws(TypeError, () => new Symbol()),
);
check('symbol keys are left out of keys and JSON', () => {
	const o = { [Symbol('s')]: 1, a: 2 };
	return (
		Object.keys(o).join() === 'a' &&
		JSON.stringify(o) === '{"a":2}' &&
		Object.getOwnPropertySymbols(o).length === 1
	);
});
check('Symbol.toPrimitive', () => {
	const o = { [Symbol.toPrimitive]: (hint) => hint };
	return `${o}` === 'string' && o + '' === 'default' && Number.isNaN(+o);
});
check('Symbol.hasInstance and toStringTag', () => {
	class Even {
		static [Symbol.hasInstance](n) {
			return n % 2 === 0;
		}
		get [Symbol.toStringTag]() {
			return 'Even';
		}
	}
	return 2 instanceof Even && !(1 instanceof Even) && String(new Even()) === '[object Even]';
});
check('Symbol.species', () => {
	class A extends Array {
		static get [Symbol.species]() {
			return Array;
		}
	}
	return !(new A(1, 2).map((x) => x) instanceof A);
});
check(
	'Symbol.isConcatSpreadable',
	() =>
		[].concat({ length: 2, 0: 'a', 1: 'b', [Symbol.isConcatSpreadable]: true }).join() ===
		'a,b',
);
check(
	'Symbol.unscopables keeps new array methods out of with',
	() => Array.prototype[Symbol.unscopables].values === true,
);

/* ---- Map, Set, WeakMap, WeakSet ---- */

check('Map keeps insertion order and compares NaN and -0', () => {
	const m = new Map([
		[NaN, 1],
		[0, 2],
		['a', 3],
	]);
	m.set('a', 4).delete(0);
	m.set(0, 5);
	return (
		m.get(NaN) === 1 && Object.is([...m.keys()][2], 0) && m.get(-0) === 5 && m.size === 3
	);
});
check('Map iteration sees what is added meanwhile', () => {
	const m = new Map([[1, 1]]);
	let n = 0;
	m.forEach((v, k) => {
		n++;
		if (k < 3) {
			m.set(k + 1, 1);
		}
	});
	return n === 3;
});
check(
	'Set drops duplicates and keeps order',
	() => [...new Set([3, 1, 3, 2, 1])].join() === '3,1,2',
);
check('Set entries are pairs', () => [...new Set(['a']).entries()][0].join() === 'a,a');
check('WeakMap takes objects only', () => {
	const k = {};
	const w = new WeakMap([[k, 1]]);
	return w.get(k) === 1 && !w.has({}) && throws(TypeError, () => w.set('x', 1));
});
check('WeakSet', () => {
	const k = {};
	return new WeakSet([k]).has(k) && !new WeakSet().has(k);
});
check(
	'collections need new',
	() => throws(TypeError, () => Map()) && throws(TypeError, () => Set()),
);

/* ---- Proxy and Reflect ---- */

check('get, set, has and deleteProperty traps', () => {
	const log = [];
	const p = new Proxy(
		{},
		{
			get: (t, k) => (log.push('get ' + k), 1),
			set: (t, k, v) => (log.push('set ' + k + v), true),
			has: (t, k) => (log.push('has ' + k), true),
			deleteProperty: (t, k) => (log.push('delete ' + k), true),
		},
	);
	p.a;
	p.b = 2;
	'c' in p;
	delete p.d;
	return log.join() === 'get a,set b2,has c,delete d';
});
check('ownKeys and getOwnPropertyDescriptor traps serve Object.keys', () => {
	const p = new Proxy(
		{},
		{
			ownKeys: () => ['a', 'b'],
			getOwnPropertyDescriptor: (t, k) => ({
				value: 1,
				enumerable: k === 'a',
				configurable: true,
			}),
		},
	);
	return Object.keys(p).join() === 'a' && Reflect.ownKeys(p).join() === 'a,b';
});
check('apply and construct traps', () => {
	const P = new Proxy(function () {}, {
		apply: (t, self, args) => 'applied ' + args,
		construct: (t, args) => ({ made: args[0] }),
	});
	return P(1, 2) === 'applied 1,2' && new P(3).made === 3;
});
check('traps must keep the invariants', () =>
	throws(TypeError, () => {
		const target = Object.defineProperty({}, 'x', { value: 1 });
		new Proxy(target, { get: () => 2 }).x;
	}),
);
check('a revoked proxy throws', () => {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	return throws(TypeError, () => proxy.x) && throws(TypeError, () => Array.isArray(proxy));
});
check('Array.isArray sees through a proxy', () => Array.isArray(new Proxy([], {})));
check('a false set trap throws in strict code', () =>
	throws(TypeError, () => {
		'use strict';
		new Proxy({}, { set: () => false }).x = 1;
	}),
);
check('Reflect mirrors the internal methods', () => {
	const o = Object.freeze({ a: 1 });
	return (
		Reflect.set(o, 'a', 2) === false &&
		Reflect.has(o, 'a') &&
		Reflect.ownKeys({ b: 1, [Symbol.iterator]: 1, 1: 1 })
			.map(String)
			.join() === '1,b,Symbol(Symbol.iterator)' &&
		Reflect.apply(Math.max, null, [1, 2]) === 2
	);
});
check('Reflect.construct with another new.target', () => {
	class A {
		constructor() {
			this.t = new.target;
		}
	}
	class B {}
	const o = Reflect.construct(A, [], B);
	return o.t === B && o instanceof B && !(o instanceof A);
});
check(
	'Reflect.get with a receiver',
	() =>
		Reflect.get(
			{
				get x() {
					return this.y;
				},
			},
			'x',
			{ y: 5 },
		) === 5,
);

/* ---- Promise ---- */

check('reactions run after the code that made them, in order', async () => {
	const log = [];
	Promise.resolve()
		.then(() => log.push(1))
		.then(() => log.push(3));
	Promise.resolve().then(() => log.push(2));
	log.push(0);
	await new Promise((r) => setTimeout(r, 1));
	return log.join() === '0,1,2,3';
});
check(
	'the first settlement counts',
	async () =>
		(await new Promise((resolve, reject) => {
			resolve(1);
			reject(2);
			resolve(3);
		})) === 1,
);
check(
	'a promise resolves to what a thenable gives',
	async () => (await Promise.resolve({ then: (f) => f(7) })) === 7,
);
check('a promise can not resolve to itself', async () => {
	let resolve;
	const p = new Promise((r) => (resolve = r));
	resolve(p);
	return p.then(
		() => false,
		(e) => e instanceof TypeError,
	);
});
check(
	'all keeps order, rejects with the first',
	async () =>
		(await Promise.all([new Promise((r) => setTimeout(r, 2, 'a')), 'b'])).join() ===
			'a,b' &&
		(await Promise.all([Promise.reject('x'), Promise.reject('y')]).catch((e) => e)) === 'x',
);
check(
	'race',
	async () => (await Promise.race([new Promise(() => 0), Promise.resolve(1)])) === 1,
);
check(
	'catch returns to the good path',
	async () =>
		(await Promise.reject(1)
			.catch((e) => e + 1)
			.then((x) => x * 10)) === 20,
);
check(
	'an executor that throws rejects',
	async () =>
		(await new Promise(() => {
			throw 5;
		}).catch((e) => e)) === 5,
);

/* ---- typed arrays ---- */

check('element types wrap, clamp and round', () => {
	const u8 = new Uint8Array([256, -1, 1.9]);
	const c8 = new Uint8ClampedArray([256, -1, 1.5, 2.5]);
	return (
		u8.join() === '0,255,1' &&
		c8.join() === '255,0,2,2' &&
		new Int16Array([40000])[0] === -25536 &&
		new Float32Array([0.1])[0] !== 0.1
	);
});
check('views share a buffer', () => {
	const b = new ArrayBuffer(8);
	new Uint32Array(b, 4)[0] = 0x01020304;
	return new Uint8Array(b).join() === '0,0,0,0,4,3,2,1';
});
check('DataView reads either byte order', () => {
	const v = new DataView(new ArrayBuffer(8));
	v.setInt16(0, 258);
	v.setFloat64(0, Math.PI, true);
	return v.getFloat64(0, true) === Math.PI && v.getInt16(6, true) === 0x4009;
});
check('out of range elements are ignored', () => {
	const t = new Uint8Array(2);
	t[5] = 1;
	t['-0'] = 1;
	return t[5] === undefined && !(5 in t) && Object.keys(t).join() === '0,1';
});
check('set, subarray, slice, fill, from, of', () => {
	const t = Uint8Array.of(1, 2, 3, 4);
	const sub = t.subarray(1, 3);
	sub[0] = 9;
	t.set([7, 8], 2);
	return (
		t.join() === '1,9,7,8' &&
		t.slice(1).buffer !== t.buffer &&
		Uint8Array.from('123', (x) => x * 2).join() === '2,4,6' &&
		new Int8Array(3).fill(5, 1).join() === '0,5,5'
	);
});
check(
	'typed arrays sort by number',
	() => new Float64Array([10, 9, -0, 0, NaN]).sort().join() === '0,0,9,10,NaN',
);
check('unaligned views throw', () =>
	throws(RangeError, () => new Uint32Array(new ArrayBuffer(8), 1)),
);

/* ---- new methods ---- */

check('Object.assign copies own enumerable properties and calls setters', () => {
	let got;
	Object.assign(
		{
			set x(v) {
				got = v;
			},
		},
		{ x: 5 },
		null,
		'ab',
	);
	return got === 5 && Object.assign({}, 'ab')[1] === 'b';
});
check(
	'Object.is and setPrototypeOf',
	() =>
		Object.is(NaN, NaN) &&
		!Object.is(0, -0) &&
		throws(TypeError, () => {
			const a = {};
			Object.setPrototypeOf(a, Object.create(a));
		}),
);
check(
	'Array.from and of',
	() =>
		Array.from({ length: 2 }, (v, i) => i).join() === '0,1' &&
		Array.from(new Map([[1, 2]]))[0].join() === '1,2' &&
		Array.of(3).length === 1,
);
check(
	'find, findIndex, fill, copyWithin',
	() =>
		[1, 2, 3].find((x) => x > 1) === 2 &&
		[1].findIndex((x) => x > 1) === -1 &&
		[1, 2, 3].fill(0, -1).join() === '1,2,0' &&
		[1, 2, 3, 4].copyWithin(0, 2).join() === '3,4,3,4',
);
check(
	'find visits holes',
	() =>
		[, 1].find((x) => true) === undefined && [, 1].findIndex((x) => x === undefined) === 0,
);
check(
	'keys, values, entries',
	() =>
		[...['a', 'b'].entries()].join('|') === '0,a|1,b' && [...[, 1].keys()].join() === '0,1',
);
check(
	'startsWith, endsWith, includes refuse regular expressions',
	() =>
		'abc'.startsWith('b', 1) &&
		'abc'.endsWith('b', 2) &&
		'abc'.includes('') &&
		throws(TypeError, () => 'a'.includes(/a/)),
);
check(
	'repeat, codePointAt, fromCodePoint, normalize',
	() =>
		'ab'.repeat(2) === 'abab' &&
		'😀'.codePointAt(0) === 0x1f600 &&
		String.fromCodePoint(0x1f600) === '😀' &&
		'e\u0301'.normalize() === '\xe9' &&
		throws(RangeError, () => 'a'.repeat(-1)),
);
check(
	'Number predicates and limits',
	() =>
		Number.isInteger(5.0) &&
		!Number.isInteger('5') &&
		Number.isSafeInteger(2 ** 53 - 1) &&
		!Number.isSafeInteger(2 ** 53) &&
		Number.EPSILON === 2 ** -52,
);
check(
	'Math additions',
	() =>
		Math.trunc(-1.5) === -1 &&
		Math.sign(-3) === -1 &&
		Math.hypot(3, 4) === 5 &&
		Math.clz32(1) === 31 &&
		Math.imul(0xffffffff, 5) === -5 &&
		Math.cbrt(27) === 3 &&
		Math.log2(8) === 3 &&
		Math.fround(5.5) === 5.5,
);
check(
	'the u flag matches code points',
	() =>
		/^.$/u.test('😀') &&
		!/^.$/.test('😀') &&
		/\u{61}/u.test('a') &&
		throws(SyntaxError, () => new RegExp('\\-', 'u')),
);
check('the y flag matches at lastIndex only', () => {
	const r = /a/y;
	return !r.test('ba') && ((r.lastIndex = 1), r.test('ba')) && r.lastIndex === 2;
});
check(
	'flags and source',
	() => /a\/b/gimuy.flags === 'gimuy' && new RegExp('/').source === '\\/',
);
check(
	'a constructor copies a RegExp with other flags',
	() => new RegExp(/x/g, 'i').flags === 'i',
);
check(
	'property order of an object',
	() => Reflect.ownKeys({ b: 1, 10: 1, a: 1, 9: 1, '-1': 1 }).join() === '9,10,b,a,-1',
);

await Promise.all(waiting);
return { passed, failed };
