// SPDX-License-Identifier: MIT
/*
 * What all of Intl shares: the locale, which is en-US, and the reading of options. What is not
 * built in is refused with a RangeError that says so.
 */
const { RangeError, TypeError, isArray, list, ownKeys, regExpExec, toLowerCase } = p;

const tag = /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/;

/* The locale that one tag stands for here. "default" is not in the standard, but often written. */
function one(value) {
	if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
		throw new TypeError('A locale is a string such as "en-US"');
	}
	const text = `${value}`;
	const name = toLowerCase(text);
	if (regExpExec(tag, name) === null) {
		throw new RangeError('"' + text + '" is no language tag');
	}
	if (name === 'en' || name === 'en-us' || name === 'default') {
		return name === 'en' ? 'en' : 'en-US';
	}
	throw new RangeError(
		'The locale "' +
			text +
			'" is not built in here, only en-US is; ' +
			'leave it out, or format the value yourself',
	);
}

/* Checks the `locales` argument of any method; the locale it asks for. */
function check(locales) {
	if (locales === undefined) {
		return 'en-US';
	}
	if (!isArray(locales)) {
		return one(locales);
	}
	let first = 'en-US';
	for (let i = 0; i < locales.length; i++) {
		const locale = one(locales[i]);
		first = i === 0 ? locale : first;
	}
	return first;
}

/* The tags of `locales` that check() takes, as supportedLocalesOf wants them. */
function supported(locales) {
	const out = [];
	const given = locales === undefined ? [] : isArray(locales) ? locales : [locales];
	for (let i = 0; i < given.length; i++) {
		try {
			p.defineShown(out, out.length, one(given[i]));
		} catch (error) {
			if (
				error instanceof TypeError ||
				regExpExec(tag, toLowerCase(`${given[i]}`)) === null
			) {
				throw error;
			}
		}
	}
	return out;
}

/*
 * Options one by one: option(o, name, allowed, usual). `allowed` is a list of strings, or 'boolean',
 * or undefined for any string.
 */
function option(options, name, allowed, usual) {
	const value = options[name];
	if (value === undefined) {
		return usual;
	}
	if (allowed === 'boolean') {
		return !!value;
	}
	const text = `${value}`;
	if (allowed === undefined) {
		return text;
	}
	let names = '';
	for (let i = 0; i < allowed.length; i++) {
		if (allowed[i] === text) {
			return text;
		}
		names += (i > 0 ? ', ' : '') + allowed[i];
	}
	throw new RangeError(
		'The option ' + name + ' can be ' + names + ' here, not "' + text + '"',
	);
}

function integer(options, name, least, most, usual) {
	let value = options[name];
	if (value === undefined) {
		return usual;
	}
	value = +value;
	if (!(value >= least && value <= most)) {
		throw new RangeError('The option ' + name + ' must be from ' + least + ' to ' + most);
	}
	return p.floor(value);
}

/* The options object itself; primitives have no options. */
function read(options) {
	if (options === undefined) {
		return { __proto__: null };
	}
	if (options === null) {
		throw new TypeError('The options must not be null');
	}
	return p.Object(options);
}

/* Refuses options that are in the standard but not here. */
function refuse(options, names) {
	for (let i = 0; i < names.length; i++) {
		if (options[names[i]] !== undefined) {
			throw new RangeError('The option ' + names[i] + ' is not built in here');
		}
	}
}

/* The parts of a text as plain objects {type, value}, or joined. */
function partsNew() {
	return list();
}

function add(parts, type, value) {
	const last = parts.length - 1;
	if (type === 'literal' && last >= 0 && parts[last].type === 'literal') {
		parts[last].value += value;
	} else if (value !== '') {
		parts[last + 1] = { __proto__: null, type, value };
	}
}

function text(parts) {
	let out = '';
	for (let i = 0; i < parts.length; i++) {
		out += parts[i].value;
	}
	return out;
}

function objects(parts) {
	const out = [];
	for (let i = 0; i < parts.length; i++) {
		p.defineShown(out, i, { type: parts[i].type, value: parts[i].value });
	}
	return out;
}

/* A plain object of the defined values, for resolvedOptions. */
function resolved(values) {
	const out = {};
	const names = ownKeys(values);
	for (let i = 0; i < names.length; i++) {
		if (values[names[i]] !== undefined) {
			p.defineShown(out, names[i], values[names[i]]);
		}
	}
	return out;
}

/*
 * Dresses `constructor`, a function that may be called without new where `callable`, as an Intl
 * constructor: methods hidden, tag, supportedLocalesOf.
 */
function dress(constructor, name, methods) {
	const { supportedLocalesOf } = {
		supportedLocalesOf(locales, options = undefined) {
			if (options !== undefined) {
				option(read(options), 'localeMatcher', ['lookup', 'best fit'], '');
			}
			return supported(locales);
		},
	};
	p.defineHidden(constructor, 'supportedLocalesOf', supportedLocalesOf);
	const { prototype } = constructor;
	const keys = ownKeys(methods);
	for (let i = 0; i < keys.length; i++) {
		/* the descriptor would read Object.prototype too, without this */
		const found = p.setPrototypeOf(p.getDescriptor(methods, keys[i]), null);
		found.enumerable = false;
		p.define(prototype, keys[i], found);
	}
	p.define(prototype, p.SymbolToStringTag, {
		__proto__: null,
		value: 'Intl.' + name,
		configurable: true,
	});
	p.define(constructor, 'prototype', { __proto__: null, writable: false });
	p.define(constructor, 'length', { __proto__: null, value: 0 });
}

return {
	__proto__: null,
	check,
	supported,
	option,
	integer,
	read,
	refuse,
	partsNew,
	add,
	text,
	objects,
	resolved,
	dress,
};
