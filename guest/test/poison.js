// SPDX-License-Identifier: MIT
/*
 * Evaluated in a clone before the script, after `globalThis.SPARE = [names]`: breaks every method
 * and accessor of every built-in prototype and constructor, puts accessors on Object.prototype and
 * Array.prototype, and takes away most globals. What the broken functions are called with is kept
 * in HITS, {where, self, args}, for the test to look at.
 */
(() => {
	const { Error: BadError } = globalThis;
	const { ownKeys, getOwnPropertyDescriptor: descriptor, defineProperty: define } = Reflect;
	const call = Function.prototype.call.bind(Function.prototype.call);
	const has = Object.prototype.hasOwnProperty;
	const proto = Object.getPrototypeOf;
	const named = (names) => {
		const table = Object.create(null);
		for (const name of names) {
			table[name] = true;
		}
		return table;
	};
	const spare = named(SPARE);
	const kept = named([
		'HITS',
		'SPARE',
		'find',
		'globalThis',
		'undefined',
		'NaN',
		'Infinity',
		'eval',
		'args',
		'console',
		'text',
		'tools',
		'progress',
		'state',
		'URL',
		'URLSearchParams',
		'TextEncoder',
		'TextDecoder',
		'structuredClone',
		'crypto',
		'Intl',
		'AbortController',
		'AbortSignal',
		'EventTarget',
		'Event',
		'setTimeout',
		'setInterval',
		'clearTimeout',
		'setImmediate',
		'performance',
		'Math',
		'Number',
		'Date',
	]);
	const hits = [];
	let count = 0;
	define(globalThis, 'HITS', { value: hits });

	const bad = (where) =>
		function () {
			define(hits, count++, {
				__proto__: null,
				value: { __proto__: null, where, self: this, args: arguments },
			});
			throw new BadError('poison ' + where);
		};
	const spoil = (object, key, name) => {
		const found = descriptor(object, key);
		if (!found.configurable || (typeof key === 'string' && spare[key])) {
			return;
		}
		if (!call(has, found, 'value')) {
			define(object, key, {
				__proto__: null,
				get: bad('get ' + name),
				set: bad('set ' + name),
				configurable: true,
			});
		} else if (typeof found.value === 'function') {
			define(object, key, {
				__proto__: null,
				value: bad(name),
				writable: true,
				configurable: true,
			});
		}
	};

	const objects = [
		Object,
		Function,
		Array,
		String,
		Number,
		Boolean,
		Symbol,
		BigInt,
		RegExp,
		Date,
		Map,
		Set,
		WeakMap,
		WeakSet,
		WeakRef,
		Promise,
		Error,
		TypeError,
		RangeError,
		DOMException,
		ArrayBuffer,
		DataView,
		Uint8Array,
		Uint32Array,
		proto(Uint8Array),
		Iterator,
	].flatMap((x) => [x, x.prototype]);
	objects.push(
		Reflect,
		JSON,
		Math,
		proto([].values()),
		proto(new Map().entries()),
		proto(new Set().values()),
		proto(''[Symbol.iterator]()),
		proto(function* () {}).prototype,
	);
	const work = objects.flatMap((object) =>
		ownKeys(object).map((key) => ({
			object,
			key,
			name: String(object.constructor?.name) + '.' + String(key),
		})),
	);
	const fields = [
		'get',
		'set',
		'writable',
		'enumerable',
		'configurable',
		'done',
		'next',
		'length',
		'0',
		'1',
		'2',
		'message',
		'name',
		'stack',
		'cause',
		'signal',
		'stream',
		'fatal',
		'toJSON',
		'capture',
	];
	const globals = ownKeys(globalThis);

	for (let i = 0; i < work.length; i++) {
		const { object, key, name } = work[i];
		if (key !== 'prototype' && (key !== 'constructor' || object === Promise.prototype)) {
			spoil(object, key, name);
		}
	}
	for (let i = 0; i < fields.length; i++) {
		const key = fields[i];
		if (descriptor(Object.prototype, key) === undefined && !spare[key]) {
			define(Object.prototype, key, {
				__proto__: null,
				get: bad('Object.prototype get ' + key),
				set: bad('Object.prototype set ' + key),
				configurable: true,
			});
		}
	}
	for (let i = 0; i < 6 && !spare.index; i++) {
		define(Array.prototype, i, {
			__proto__: null,
			get: bad('Array.prototype get ' + i),
			set: bad('Array.prototype set ' + i),
			configurable: true,
		});
	}
	for (let i = 0; i < globals.length; i++) {
		if (typeof globals[i] !== 'string' || !kept[globals[i]]) {
			delete globalThis[globals[i]];
		}
	}
})();
