// SPDX-License-Identifier: MIT
/*
 * Small things every other file uses: lazy units, definitions of globals, text output.
 *
 * A lazy unit is a function that nearly no run needs. Its byte code is in the image as one
 * ArrayBuffer, not as function objects: the garbage collector writes to the header of each object
 * it visits, so every function object would cost a run that collects a copy of its page. LAZY is
 * the table of their sources that the build puts before this file.
 */
const lazyCode = { __proto__: null };
const lazyUnits = { __proto__: null };
for (const name of Reflect.ownKeys(LAZY)) {
	lazyCode[name] = host.compile(LAZY[name], name);
}

/* What the unit exports; made at its first use in this run. */
function lazy(name) {
	let unit = lazyUnits[name];
	if (unit === undefined) {
		unit = lazyUnits[name] = apply(host.load(lazyCode[name]), undefined, [p]);
	}
	return unit;
}
p.lazy = lazy;

function defineHidden(object, key, value) {
	define(object, key, {
		__proto__: null,
		value,
		writable: true,
		enumerable: false,
		configurable: true,
	});
}

function defineShown(object, key, value) {
	define(object, key, {
		__proto__: null,
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}

/*
 * A global that comes from a lazy unit: an accessor until it is first read or written, a plain
 * data property afterwards, as the real one is.
 */
function defineLazy(object, key, unit) {
	const { get, set } = {
		get() {
			const value = lazy(unit)[key];
			defineHidden(object, key, value);
			return value;
		},
		set(value) {
			defineHidden(object, key, value);
		},
	};
	define(object, key, { __proto__: null, get, set, enumerable: false, configurable: true });
}
p.defineHidden = defineHidden;
p.defineShown = defineShown;
p.defineLazy = defineLazy;

/* What Web IDL wants of a class that class syntax does not do: members enumerable, a tag. */
p.webInterface = function (constructor, name) {
	const prototype = constructor.prototype;
	const keys = p.ownKeys(prototype);
	for (let i = 0; i < keys.length; i++) {
		if (typeof keys[i] === 'string' && keys[i] !== 'constructor') {
			define(prototype, keys[i], { __proto__: null, enumerable: true });
		}
	}
	define(prototype, SymbolToStringTag, { __proto__: null, value: name, configurable: true });
};

/* At most `most` UTF-16 units of `string`, never half a pair, well formed. */
function clip(string, most) {
	if (string.length > most) {
		const last = charCodeAt(string, most - 2);
		string =
			stringSlice(string, 0, last >= 0xd800 && last < 0xdc00 ? most - 2 : most - 1) + '…';
	}
	return toWellFormed(string);
}

/* A string or number as JSON. JSON.stringify looks up nothing for a primitive. */
const quote = (primitive) => jsonStringify(primitive);

/* The list `lines` as a JSON array; that there were `count` of them is said when some are missing. */
function jsonLines(lines, count) {
	let out = '[';
	for (let i = 0; i < lines.length; i++) {
		out += (i > 0 ? ',' : '') + quote(lines[i]);
	}
	if (count > lines.length) {
		out += ',' + quote('... and ' + (count - lines.length) + ' more');
	}
	return out + ']';
}

function emit(string) {
	host.text(toWellFormed(string));
}
p.clip = clip;
