// SPDX-License-Identifier: MIT
/*
 * Evaluated in a clone: find(roots) looks at everything that can be reached from `roots` by
 * properties, accessors, prototypes and the items of collections, and returns the paths at which
 * there is an object that the test host has marked. `poisoned` code is the reason for the captures.
 */
globalThis.find = (() => {
	const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, apply, defineProperty } =
		Reflect;
	const { Map, Set, Array } = globalThis;
	const call = Function.prototype.call.bind(Function.prototype.call);
	const { add, has } = Set.prototype;
	const hasOwn = Object.prototype.hasOwnProperty;
	const setPrototypeOf = Object.setPrototypeOf;
	return (roots) => {
		const seen = new Set();
		const work = setPrototypeOf([], null);
		const found = setPrototypeOf([], null);
		const look = (value, path) => {
			if (
				((typeof value === 'object' && value !== null) ||
					typeof value === 'function') &&
				!call(has, seen, value)
			) {
				call(add, seen, value);
				work[work.length] = { __proto__: null, value, path };
			}
		};
		look(roots, '');
		for (let i = 0; i < work.length && i < 50000; i++) {
			const { value, path } = work[i];
			if (call(hasOwn, value, 'hostMark')) {
				found[found.length] = path;
			}
			look(getPrototypeOf(value), path + '.__proto__');
			const keys = ownKeys(value);
			for (let k = 0; k < keys.length; k++) {
				const name = path + '.' + (typeof keys[k] === 'symbol' ? 'symbol' : keys[k]);
				const field = getOwnPropertyDescriptor(value, keys[k]);
				if (call(hasOwn, field, 'value')) {
					look(field.value, name);
				} else {
					look(field.get, name + '(get)');
					look(field.set, name + '(set)');
					try {
						look(apply(field.get, value, []), name);
					} catch {
						/* no value to look at */
					}
				}
			}
		}
		let out = work.length + ' objects';
		for (let i = 0; i < found.length; i++) {
			out += ', ' + found[i];
		}
		return out;
	};
})();
