// SPDX-License-Identifier: MIT
/*
 * The other globals, each backed by a lazy unit, and the locale-sensitive methods of the built-ins.
 *
 * The engine has no Intl; its own toLocaleString ignores its arguments. Ours knows the locale
 * en-US and the time zone UTC and refuses all else, so that no text is silently wrong.
 */
const globalUnits = {
	__proto__: null,
	URL: 'url',
	URLSearchParams: 'url',
	TextEncoder: 'encoding',
	TextDecoder: 'encoding',
	Event: 'events',
	EventTarget: 'events',
	CustomEvent: 'events',
	AbortController: 'events',
	AbortSignal: 'events',
	Crypto: 'crypto',
	crypto: 'crypto',
	Intl: 'intl',
};
for (const name of Reflect.ownKeys(globalUnits)) {
	defineLazy(globalThis, name, globalUnits[name]);
}

{
	const { structuredClone } = {
		structuredClone(value, options = undefined) {
			if (arguments.length === 0) {
				throw new p.TypeError('structuredClone needs an argument');
			}
			return lazy('clone').structuredClone(value, options);
		},
	};
	defineShown(globalThis, 'structuredClone', structuredClone);
	for (const name of ['queueMicrotask', 'atob', 'btoa']) {
		defineShown(globalThis, name, globalThis[name]);
	}
}

let localeCollate;

function localeMethods(prototype, methods) {
	for (const name of Reflect.ownKeys(methods)) {
		defineHidden(prototype, name, methods[name]);
	}
}

localeMethods(Number.prototype, {
	toLocaleString(locales = undefined, options = undefined) {
		return lazy('intl-number').format(p.numberValueOf(this), locales, options);
	},
});
localeMethods(BigInt.prototype, {
	toLocaleString(locales = undefined, options = undefined) {
		return lazy('intl-number').format(p.bigintValueOf(this), locales, options);
	},
});
localeMethods(Date.prototype, {
	toLocaleString(locales = undefined, options = undefined) {
		return lazy('intl-date').format(dateGetTime(this), locales, options, 'any', 'all');
	},
	toLocaleDateString(locales = undefined, options = undefined) {
		return lazy('intl-date').format(dateGetTime(this), locales, options, 'date', 'date');
	},
	toLocaleTimeString(locales = undefined, options = undefined) {
		return lazy('intl-date').format(dateGetTime(this), locales, options, 'time', 'time');
	},
});
localeMethods(String.prototype, {
	localeCompare(that, locales = undefined, options = undefined) {
		const string = typeof this === 'string' ? this : localeString(this, 'localeCompare');
		localeCollate ??= lazy('intl-collate').compare;
		return localeCollate(string, `${that}`, locales, options);
	},
	toLocaleUpperCase(locales = undefined) {
		const string = localeString(this, 'toLocaleUpperCase');
		if (locales !== undefined) {
			lazy('intl-locale').check(locales);
		}
		return p.toUpperCase(string);
	},
	toLocaleLowerCase(locales = undefined) {
		const string = localeString(this, 'toLocaleLowerCase');
		if (locales !== undefined) {
			lazy('intl-locale').check(locales);
		}
		return p.toLowerCase(string);
	},
});

function localeString(value, method) {
	if (value === undefined || value === null) {
		throw new p.TypeError('String.prototype.' + method + ' called on ' + value);
	}
	return `${value}`;
}

/* Passes locales and options on to the elements, which the engine's own method does not. */
function localeJoin(array, count, locales, options) {
	let out = '';
	for (let i = 0; i < count; i++) {
		const value = array[i];
		out += i > 0 ? ',' : '';
		if (value !== undefined && value !== null) {
			out += value.toLocaleString(locales, options);
		}
	}
	return out;
}

{
	const open = list();
	localeMethods(Array.prototype, {
		toLocaleString(locales = undefined, options = undefined) {
			const array = p.Object(this);
			for (let i = 0; i < open.length; i++) {
				if (open[i] === array) {
					return '';
				}
			}
			open[open.length] = array;
			try {
				return localeJoin(
					array,
					p.min(floor(+array.length) || 0, 0x1fffffffffffff),
					locales,
					options,
				);
			} finally {
				open.length--;
			}
		},
	});
	localeMethods(TypedArray.prototype, {
		toLocaleString(locales = undefined, options = undefined) {
			return localeJoin(this, typedLength(this), locales, options);
		},
	});
}
