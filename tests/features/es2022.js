// SPDX-License-Identifier: MIT
/* ECMAScript 2022. A check is a name and a function whose value must be true. */
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

/* ---- classes ---- */

check('public fields are own, defined in order, with this', () => {
	class A {
		a = 1;
		b = this.a + 1;
		['c' + 1] = 3;
		d;
	}
	return JSON.stringify(new A()) === '{"a":1,"b":2,"c1":3}' && 'd' in new A();
});
check('fields are defined, not assigned', () => {
	let called = false;
	class A {
		set x(v) {
			called = true;
		}
	}
	class B extends A {
		x = 1;
	}
	return new B().x === 1 && !called;
});
check('fields of a subclass come after super()', () => {
	class A {
		constructor() {
			this.seen = this.x;
		}
	}
	class B extends A {
		x = 1;
	}
	return new B().seen === undefined;
});
check('computed field names are evaluated once', () => {
	let n = 0;
	class A {
		['k' + ++n] = n;
	}
	new A();
	return n === 1 && Object.keys(new A()).join() === 'k1';
});
check('private fields, methods and accessors', () => {
	class A {
		#x = 1;
		#m() {
			return this.#x;
		}
		get #g() {
			return this.#m() + 1;
		}
		set #g(v) {
			this.#x = v;
		}
		run() {
			this.#g = 10;
			return this.#g;
		}
	}
	return new A().run() === 11 && Object.keys(new A()).length === 0;
});
check('private names are checked', () => {
	class A {
		#x = 1;
		static read(o) {
			return o.#x;
		}
		static has(o) {
			return #x in o;
		}
	}
	return (
		throws(TypeError, () => A.read({})) &&
		A.has(new A()) &&
		!A.has({}) &&
		throws(SyntaxError, () => new Function('class B { f() { this.#nope } }'))
	);
});
check('private methods can not be written', () =>
	throws(TypeError, () => {
		class A {
			#m() {}
			f() {
				this.#m = 1;
			}
		}
		new A().f();
	}),
);
check('private names do not pass through a proxy', () =>
	throws(TypeError, () => {
		class A {
			#x = 1;
			get x() {
				return this.#x;
			}
		}
		new Proxy(new A(), {}).x;
	}),
);
check('static fields, static private, static blocks', () => {
	class A {
		static n = 1;
		static #p = 2;
		static {
			this.sum = this.n + A.#p;
		}
		static m() {
			return A.#p;
		}
	}
	return A.sum === 3 && A.m() === 2;
});
check('fields see their class through arrow functions', () => {
	class A {
		f = () => this;
	}
	const a = new A();
	return a.f.call(null) === a && a.f.name === 'f';
});
check('super in field initialisers', () => {
	class A {
		hi() {
			return 'A';
		}
	}
	class B extends A {
		x = super.hi();
	}
	return new B().x === 'A';
});

/* ---- the rest ---- */

check(
	'at counts from the end',
	() =>
		[1, 2, 3].at(-1) === 3 &&
		'abc'.at(-2) === 'b' &&
		[].at(0) === undefined &&
		new Uint8Array([5]).at(-1) === 5,
);
check(
	'Object.hasOwn',
	() =>
		Object.hasOwn({ a: 1 }, 'a') &&
		!Object.hasOwn({}, 'toString') &&
		Object.hasOwn(Object.create(null, { x: { value: 1 } }), 'x'),
);
check('error causes', () => {
	const e = new Error('m', { cause: 0 });
	return (
		e.cause === 0 &&
		!('cause' in new Error('m', {})) &&
		!Object.prototype.propertyIsEnumerable.call(e, 'cause')
	);
});
check('the d flag gives the places of groups', () => {
	const m = /a(?<x>b+)(c)?/d.exec('xabb');
	return (
		m.indices[0].join() === '1,4' &&
		m.indices.groups.x.join() === '2,4' &&
		m.indices[2] === undefined &&
		/x/d.hasIndices
	);
});
const awaited = await Promise.resolve(5);
check('await at the top level of a script', () => awaited === 5);
check('class static blocks have their own var and await', () => {
	class A {
		static {
			var inside = 1;
		}
	}
	return typeof inside === 'undefined';
});
check(
	'at converts its argument to an integer',
	() =>
		[1].at('0') === 1 &&
		[1, 2].at(-3) === undefined &&
		[7].at(NaN) === 7 &&
		[1, 2].at(1.9) === 2,
);

await Promise.all(waiting);
return { passed, failed };
