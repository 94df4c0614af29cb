// SPDX-License-Identifier: MIT
/* ECMAScript 5 and before. A check is a name and a function whose value must be true. */
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

check('var is hoisted with undefined', () => {
	const before = typeof hoisted;
	var hoisted = 1;
	return before === 'undefined' && hoisted === 1;
});
check(
	'function declarations are hoisted whole',
	() =>
		early() === 5 &&
		(function () {
			return inner();
			function inner() {
				return true;
			}
		})(),
);
function early() {
	return 5;
}
check('a named function expression sees its own name, which is not writable', () => {
	const f = function self() {
		try {
			self = 1;
		} catch (error) {
			return error instanceof TypeError || typeof self === 'function';
		}
		return typeof self === 'function';
	};
	return f() && typeof self === 'undefined';
});
check('labelled continue and break', () => {
	let seen = '';
	outer: for (let i = 0; i < 3; i++) {
		for (let j = 0; j < 3; j++) {
			if (j === 1) {
				continue outer;
			}
			if (i === 2) {
				break outer;
			}
			seen += i + '' + j + ' ';
		}
	}
	return seen === '00 10 ';
});
check('switch compares strictly and falls through', () => {
	let seen = '';
	switch (1) {
		case '1':
			seen += 'string';
		case 1:
			seen += 'number';
		case 2:
			seen += 'next';
			break;
		default:
			seen += 'default';
	}
	return seen === 'numbernext';
});
check('default in the middle of a switch', () => {
	const f = (x) => {
		switch (x) {
			case 1:
				return 'one';
			default:
				return 'other';
			case 2:
				return 'two';
		}
	};
	return f(1) + f(2) + f(3) === 'onetwoother';
});
check('finally overrides the return value', () => {
	const f = () => {
		try {
			return 1;
		} finally {
			return 2;
		}
	};
	return f() === 2;
});
check('finally runs after break', () => {
	let seen = '';
	for (;;) {
		try {
			break;
		} finally {
			seen += 'f';
		}
	}
	return seen === 'f';
});
check('comma operator', () => (1, 2, 3) === 3);
check('void yields undefined', () => void 0 === undefined && void 'x' === undefined);
check('typeof of an undeclared name', () => typeof noSuchName === 'undefined');
check('reading an undeclared name throws ReferenceError', () =>
	throws(ReferenceError, () => noSuchName),
);
check('delete of a property', () => {
	const o = { a: 1, b: 2 };
	return delete o.a && !('a' in o) && Object.keys(o).join() === 'b';
});
check(
	'in and instanceof',
	() => 'x' in { x: 1 } && [] instanceof Array && [] instanceof Object,
);
check('getters and setters in literals', () => {
	const o = {
		_v: 1,
		get v() {
			return this._v * 10;
		},
		set v(x) {
			this._v = x;
		},
	};
	o.v = 7;
	return o.v === 70 && Object.getOwnPropertyDescriptor(o, 'v').get.name === 'get v';
});
check('for-in lists integer keys first, then strings in order', () => {
	const seen = [];
	for (const k in { b: 1, 2: 1, a: 1, 1: 1 }) {
		seen.push(k);
	}
	return seen.join() === '1,2,b,a';
});
check('for-in walks the prototype chain, shadowed names once', () => {
	const seen = [];
	for (const k in Object.create({ a: 1, b: 1 }, { a: { value: 1, enumerable: true } })) {
		seen.push(k);
	}
	return seen.join() === 'a,b';
});
check('for-in skips names that a non-enumerable one shadows', () => {
	const seen = [];
	for (const k in Object.create({ a: 1 }, { a: { value: 1, enumerable: false } })) {
		seen.push(k);
	}
	return seen.length === 0;
});
check('arguments follow parameters in sloppy functions', () => {
	const f = new Function('a', 'arguments[0] = 9; return a');
	return f(1) === 9;
});
check('arguments do not follow parameters in strict functions', () => {
	const f = new Function('a', '"use strict"; arguments[0] = 9; return a');
	return f(1) === 1;
});
check(
	'this is undefined in strict calls and the global object in sloppy ones',
	() =>
		new Function('"use strict"; return this')() === undefined &&
		new Function('return this')() === globalThis,
);
check(
	'with statement in sloppy code',
	() => new Function('with ({ x: 5 }) { return x }')() === 5,
);
check('strict mode forbids with', () =>
	throws(SyntaxError, () => new Function('"use strict"; with ({}) {}')),
);
check('strict mode forbids octal literals', () =>
	throws(SyntaxError, () => new Function('"use strict"; return 010')),
);
check('strict mode: writing a read-only property throws', () =>
	throws(TypeError, () => {
		'use strict';
		Object.freeze({ a: 1 }).a = 2;
	}),
);
check(
	'sloppy mode: writing a read-only property does nothing',
	() => new Function('var o = Object.freeze({ a: 1 }); o.a = 2; return o.a')() === 1,
);
check(
	'trailing commas in literals',
	() => eval('[1, 2, ]').length === 2 && eval('[1, , ]').length === 2,
);
check('array holes are absent', () => !(1 in [1, , 3]) && [1, , 3].length === 3);
check('reserved words as property names', () => ({ class: 1, if: 2 }).class === 1);
check(
	'multiline strings with a backslash',
	() =>
		'a\
b' === 'ab',
);
check(
	'Unicode escapes in identifiers',
	() => new Function('var \\u0061bc = 1; return abc')() === 1,
);
check('semicolons are inserted after return', () => new Function('return\n1')() === undefined);
check(
	'bitwise operators work on 32 bits',
	() => ((2 ** 32 + 5) | 0) === 5 && -1 >>> 0 === 4294967295 && 1 << 33 === 2 && ~5 === -6,
);
check(
	'remainder keeps the sign of the dividend',
	() => -5 % 3 === -2 && 5 % -3 === 2 && Object.is(-4 % 2, -0),
);
check(
	'abstract equality',
	() =>
		null == undefined &&
		'1' == 1 &&
		![0].valueOf()[0] &&
		[1] == 1 &&
		!(null == 0) &&
		!(NaN == NaN),
);
check(
	'addition with objects uses valueOf, then toString',
	() =>
		1 + { valueOf: () => 2 } === 3 &&
		'a' + { toString: () => 'b' } === 'ab' &&
		`${{ valueOf: () => 1, toString: () => 't' }}` === 't',
);

/* ---- Object ---- */

check('Object.create with descriptors', () => {
	const o = Object.create(null, { x: { value: 1, enumerable: true } });
	return Object.getPrototypeOf(o) === null && o.x === 1 && Object.keys(o).join() === 'x';
});
check('Object.defineProperty defaults to false', () => {
	const d = Object.getOwnPropertyDescriptor(
		Object.defineProperty({}, 'x', { value: 1 }),
		'x',
	);
	return d.writable === false && d.enumerable === false && d.configurable === false;
});
check('redefining a non-configurable property throws', () =>
	throws(TypeError, () => {
		const o = Object.defineProperty({}, 'x', { value: 1 });
		Object.defineProperty(o, 'x', { value: 2 });
	}),
);
check('Object.freeze, seal, preventExtensions', () => {
	const f = Object.freeze({ a: 1 });
	const s = Object.seal({ a: 1 });
	const p = Object.preventExtensions({ a: 1 });
	return (
		Object.isFrozen(f) &&
		Object.isSealed(s) &&
		!Object.isFrozen(s) &&
		!Object.isExtensible(p) &&
		!Object.isSealed(p)
	);
});
check('Object.keys skips what is not enumerable or inherited', () => {
	const o = Object.create({ no: 1 }, { hidden: { value: 1 } });
	o.yes = 1;
	return (
		Object.keys(o).join() === 'yes' && Object.getOwnPropertyNames(o).join() === 'hidden,yes'
	);
});
check('toString tags', () => {
	const tag = (x) => Object.prototype.toString.call(x);
	return (
		tag(null) === '[object Null]' &&
		tag([]) === '[object Array]' &&
		tag(/x/) === '[object RegExp]' &&
		tag(new Date()) === '[object Date]' &&
		(function () {
			return tag(arguments);
		})() === '[object Arguments]'
	);
});
check('a primitive gets a temporary wrapper', () => {
	'use strict';
	return throws(TypeError, () => {
		'abc'.x = 1;
	});
});

/* ---- Function ---- */

check(
	'call and apply',
	() =>
		Math.max.apply(null, [1, 5, 3]) === 5 &&
		Array.prototype.slice.call({ 0: 'a', 1: 'b', length: 2 }).join() === 'a,b',
);
check('bind fixes this and arguments', () => {
	function f(a, b) {
		return [this.x, a, b].join();
	}
	const g = f.bind({ x: 1 }, 2);
	return g(3) === '1,2,3' && g.length === 1 && g.name === 'bound f';
});
check('new on a bound function makes the target', () => {
	function F(a) {
		this.a = a;
	}
	const G = F.bind(null, 7);
	const o = new G();
	return o.a === 7 && o instanceof F && o instanceof G;
});
check(
	'length and name',
	() => function (a, b) {}.length === 2 && function foo() {}.name === 'foo',
);
check('a constructor that returns an object', () => {
	function F() {
		return { x: 1 };
	}
	return new F().x === 1 && !(new F() instanceof F);
});

/* ---- Array ---- */

check('isArray', () => Array.isArray([]) && !Array.isArray({ length: 0 }));
check('setting length truncates', () => {
	const a = [1, 2, 3];
	a.length = 1;
	return a.join() === '1' && a[1] === undefined;
});
check('an index past the end sets length', () => {
	const a = [];
	a[5] = 1;
	return a.length === 6 && a.indexOf(undefined) === -1;
});
check('forEach, map and filter skip holes', () => {
	let n = 0;
	[, 1, , 2].forEach(() => n++);
	return n === 2 && 0 in [, 1].map(String) === false && [, 1].filter(() => true).length === 1;
});
check(
	'reduce and reduceRight',
	() =>
		[1, 2, 3].reduce((a, b) => a + b) === 6 &&
		['a', 'b', 'c'].reduceRight((a, b) => a + b) === 'cba',
);
check('reduce of nothing without a start throws', () =>
	throws(TypeError, () => [].reduce((a) => a)),
);
check(
	'some and every',
	() => [1, 2].some((x) => x > 1) && [].every(() => false) && ![].some(() => true),
);
check(
	'indexOf and lastIndexOf',
	() =>
		[1, 2, 1].lastIndexOf(1) === 2 &&
		[NaN].indexOf(NaN) === -1 &&
		[1, 2, 3].indexOf(3, -1) === 2,
);
check('splice returns what it removed', () => {
	const a = [1, 2, 3, 4];
	const gone = a.splice(1, 2, 'x', 'y', 'z');
	return gone.join() === '2,3' && a.join() === '1,x,y,z,4';
});
check('slice with negative ends', () => [1, 2, 3, 4].slice(-3, -1).join() === '2,3');
check('sort puts undefined last, then holes', () => {
	const a = [3, undefined, 1, , 2].sort();
	return a.slice(0, 3).join() === '1,2,3' && 3 in a && !(4 in a);
});
check('sort compares as strings', () => [10, 9, 1].sort().join() === '1,10,9');
check('concat spreads arrays only', () => [1].concat([2, [3]], 4).length === 4);
check(
	'join writes null and undefined as nothing',
	() => [null, undefined, 1].join('-') === '--1',
);
check('toString of nested arrays', () => String([1, [2, [3]]]) === '1,2,3');
check(
	'array methods work on array-likes',
	() => Array.prototype.map.call('abc', (c) => c + c).join() === 'aa,bb,cc',
);

/* ---- String, Number, Math, Date, JSON, RegExp ---- */

check('trim takes all white space', () => '\u00a0\ufeff\t x \n\u2029'.trim() === 'x');
check(
	'split with a limit and with captures',
	() =>
		'a,b,c'.split(',', 2).join() === 'a,b' &&
		'a1b2c'.split(/(\d)/).join('|') === 'a|1|b|2|c' &&
		''.split('').length === 0,
);
check('replace with $ patterns', () => 'abc'.replace(/(b)/, "[$1$&$`$'$$]") === 'a[bbac$]c');
check(
	'replace with a function',
	() => 'x1y2'.replace(/(\w)(\d)/g, (m, a, b, at) => b + a + at) === '1x02y2',
);
check(
	'substring swaps, substr counts, slice does neither',
	() =>
		'abcdef'.substring(4, 1) === 'bcd' &&
		'abcdef'.substr(-3, 2) === 'de' &&
		'abcdef'.slice(4, 1) === '',
);
check(
	'charAt and charCodeAt out of range',
	() => 'a'.charAt(5) === '' && Number.isNaN('a'.charCodeAt(5)),
);
check(
	'number to string',
	() =>
		(255).toString(16) === 'ff' &&
		(0.1).toString() === '0.1' &&
		String(1e21) === '1e+21' &&
		String(1e-7) === '1e-7' &&
		String(123456789012345680000) === '123456789012345680000',
);
check(
	'toFixed, toPrecision, toExponential',
	() =>
		(1.45).toFixed(1) === '1.4' &&
		(1234.5678).toPrecision(6) === '1234.57' &&
		(12345).toExponential(2) === '1.23e+4' &&
		(0.000001).toFixed(7) === '0.0000010',
);
check(
	'parseInt and parseFloat',
	() =>
		parseInt('0x1f') === 31 &&
		parseInt('12px') === 12 &&
		parseInt('101', 2) === 5 &&
		parseFloat('3.14abc') === 3.14 &&
		Number.isNaN(parseInt('')),
);
check(
	'Number of strings',
	() =>
		Number('') === 0 &&
		Number(' 12 ') === 12 &&
		Number.isNaN(Number('12px')) &&
		Number('0b101') === 5,
);
check(
	'Math of nothing and of zeros',
	() =>
		Math.max() === -Infinity &&
		Math.min() === Infinity &&
		Object.is(Math.max(-0, 0), 0) &&
		Object.is(Math.round(-0.5), -0) &&
		Math.round(2.5) === 3,
);
check(
	'Date.UTC and ISO text',
	() =>
		new Date(Date.UTC(2020, 1, 29, 12, 30, 15, 7)).toISOString() ===
		'2020-02-29T12:30:15.007Z',
);
check(
	'Date parses dates as UTC and date-times as local',
	() =>
		Date.parse('2020-01-01') === 1577836800000 &&
		new Date('2020-01-01T00:00').getHours() === 0,
);
check(
	'Date fields carry over',
	() =>
		new Date(2020, 12, 1).getFullYear() === 2021 && new Date(2021, 1, 31).getMonth() === 2,
);
check(
	'an invalid Date',
	() =>
		Number.isNaN(new Date('nope').getTime()) &&
		String(new Date(NaN)) === 'Invalid Date' &&
		throws(RangeError, () => new Date(NaN).toISOString()) === true,
);
check(
	'Date.prototype.toJSON',
	() =>
		JSON.stringify(new Date(0)) === '"1970-01-01T00:00:00.000Z"' &&
		JSON.stringify(new Date(NaN)) === 'null',
);
check(
	'JSON.parse with a reviver',
	() =>
		JSON.stringify(
			JSON.parse('{"a":[1,2,3],"b":2}', (k, v) =>
				typeof v === 'number' ? v * 2 : k === 'b' ? undefined : v,
			),
		) === '{"a":[2,4,6],"b":4}',
);
check(
	'JSON.stringify with a replacer list and indentation',
	() =>
		JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ['a', 'b'], 1) ===
		'{\n "a": 1,\n "b": {\n  "a": 2\n }\n}',
);
check(
	'JSON.stringify leaves out functions and undefined',
	() =>
		JSON.stringify({ a: undefined, b() {}, c: [undefined, () => 1] }) ===
		'{"c":[null,null]}',
);
check(
	'JSON.stringify calls toJSON with the key',
	() => JSON.stringify({ k: { toJSON: (key) => 'key ' + key } }) === '{"k":"key k"}',
);
check(
	'JSON.parse refuses what is not JSON',
	() =>
		throws(SyntaxError, () => JSON.parse('{a:1}')) &&
		throws(SyntaxError, () => JSON.parse('[1,]')) &&
		throws(SyntaxError, () => JSON.parse('01')),
);
check(
	'JSON keeps "__proto__" as an own property',
	() => Object.getPrototypeOf(JSON.parse('{"__proto__":null}')) === Object.prototype,
);
check('regular expressions keep lastIndex when global', () => {
	const r = /a/g;
	r.test('aa');
	return r.lastIndex === 1 && r.test('aa') && !r.test('aa') && r.lastIndex === 0;
});
check(
	'lookahead, backreferences, lazy quantifiers',
	() =>
		/^(?=.*\d)\w+$/.test('ab1') &&
		/(a+)b\1/.test('aabaa') &&
		/a+?/.exec('aaa')[0] === 'a' &&
		/^(?!x)/.test('y'),
);
check('unmatched groups are undefined', () => /(a)|(b)/.exec('b')[1] === undefined);
check(
	'encodeURIComponent and its inverse',
	() =>
		encodeURIComponent("a b&c/é'") === "a%20b%26c%2F%C3%A9'" &&
		decodeURIComponent('%F0%9F%98%80') === '😀' &&
		encodeURI('a b?c=d') === 'a%20b?c=d',
);
check('a lone surrogate can not be encoded', () =>
	throws(URIError, () => encodeURIComponent('\ud800')),
);
check('eval sees the scope it is in', () => {
	const secret = 41;
	return eval('secret + 1') === 42 && (0, eval)('typeof secret') === 'undefined';
});
check('errors have name, message and a prototype chain', () => {
	const e = new RangeError('m');
	return (
		e.name === 'RangeError' &&
		e.message === 'm' &&
		e instanceof Error &&
		String(e) === 'RangeError: m' &&
		!Object.prototype.propertyIsEnumerable.call(e, 'message')
	);
});

await Promise.all(waiting);
return { passed, failed };
