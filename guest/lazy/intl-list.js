// SPDX-License-Identifier: MIT
/* Intl.PluralRules, ListFormat and RelativeTimeFormat for English. */
const { RangeError, TypeError, abs, endsWith, list, objectIs, stringSlice } = p;
const { add, check, dress, integer, objects, option, partsNew, read, refuse, resolved, text } =
	p.lazy('intl-locale');
const number = p.lazy('intl-number');

/* The state that each kind of object keeps, out of reach of user code. */
function keeper(name) {
	const states = new p.WeakMap();
	return {
		__proto__: null,
		set(object, state) {
			p.weakMapSet(states, object, state);
		},
		get(object) {
			const state =
				typeof object === 'object' && object !== null
					? p.weakMapGet(states, object)
					: undefined;
			if (state === undefined) {
				throw new TypeError('This is no Intl.' + name);
			}
			return state;
		},
	};
}

/* -------------------------------------------------------------------------------------------- */

const plurals = keeper('PluralRules');

function PluralRules(locales, given) {
	if (new.target === undefined) {
		throw new TypeError('Intl.PluralRules needs new');
	}
	const options = read(given);
	check(locales);
	const set = number.settings(locales, {
		__proto__: null,
		minimumIntegerDigits: options.minimumIntegerDigits,
		minimumFractionDigits: options.minimumFractionDigits,
		maximumFractionDigits: options.maximumFractionDigits,
		minimumSignificantDigits: options.minimumSignificantDigits,
		maximumSignificantDigits: options.maximumSignificantDigits,
	});
	set.type = option(options, 'type', ['cardinal', 'ordinal'], 'cardinal');
	plurals.set(this, set);
	return undefined;
}

/* The rule looks at the digits as they would be written: 1 is one, 1.0 is other. */
function pluralOf(set, value) {
	if (value - value !== 0) {
		return 'other';
	}
	const rounded = number.roundFor(set, number.decimalOf(abs(value)), value < 0);
	const { whole, part } = number.written(set, rounded);
	if (set.type === 'cardinal') {
		return whole === '1' && part === '' ? 'one' : 'other';
	}
	if (
		part !== '' ||
		endsWith(whole, '11') ||
		endsWith(whole, '12') ||
		endsWith(whole, '13')
	) {
		return 'other';
	}
	return endsWith(whole, '1')
		? 'one'
		: endsWith(whole, '2')
			? 'two'
			: endsWith(whole, '3')
				? 'few'
				: 'other';
}

dress(PluralRules, 'PluralRules', {
	select(value) {
		return pluralOf(plurals.get(this), +value);
	},
	resolvedOptions() {
		const set = plurals.get(this);
		return resolved({
			__proto__: null,
			locale: set.locale,
			type: set.type,
			minimumIntegerDigits: set.minimumIntegerDigits,
			minimumFractionDigits: set.minimumFractionDigits,
			maximumFractionDigits: set.maximumFractionDigits,
			pluralCategories:
				set.type === 'cardinal' ? ['one', 'other'] : ['few', 'one', 'two', 'other'],
		});
	},
});

/* -------------------------------------------------------------------------------------------- */

const lists = keeper('ListFormat');

function ListFormat(locales, given) {
	if (new.target === undefined) {
		throw new TypeError('Intl.ListFormat needs new');
	}
	const locale = check(locales);
	const options = read(given);
	option(options, 'localeMatcher', ['lookup', 'best fit'], '');
	lists.set(this, {
		__proto__: null,
		locale,
		type: option(options, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction'),
		style: option(options, 'style', ['long', 'short', 'narrow'], 'long'),
	});
	return undefined;
}

/* What stands between two items alone, inside a list, and before its last. */
function listJoints({ type, style }) {
	if (type === 'unit') {
		return style === 'narrow' ? [' ', ' ', ' '] : [', ', ', ', ', '];
	}
	const word =
		type === 'disjunction' ? 'or' : style === 'long' ? 'and' : style === 'short' ? '&' : '';
	return word === '' ? [', ', ', ', ', '] : [' ' + word + ' ', ', ', ', ' + word + ' '];
}

function listParts(set, iterable) {
	const items = list();
	for (const item of iterable) {
		if (typeof item !== 'string') {
			throw new TypeError('A list to format has strings only');
		}
		items[items.length] = item;
	}
	const [pair, inner, last] = listJoints(set);
	const parts = partsNew();
	for (let i = 0; i < items.length; i++) {
		if (i > 0) {
			add(
				parts,
				'literal',
				items.length === 2 ? pair : i === items.length - 1 ? last : inner,
			);
		}
		parts[parts.length] = { __proto__: null, type: 'element', value: items[i] };
	}
	return parts;
}

dress(ListFormat, 'ListFormat', {
	format(iterable) {
		return text(listParts(lists.get(this), iterable));
	},
	formatToParts(iterable) {
		return objects(listParts(lists.get(this), iterable));
	},
	resolvedOptions() {
		return resolved(lists.get(this));
	},
});

/* -------------------------------------------------------------------------------------------- */

const relatives = keeper('RelativeTimeFormat');

/* Unit: abbreviation of one, of many; then what -1, 0 and 1 are called. */
const relativeUnits = {
	__proto__: null,
	second: ['sec.', 'sec.', 's', '', 'now', ''],
	minute: ['min.', 'min.', 'min', '', 'this minute', ''],
	hour: ['hr.', 'hr.', 'h', '', 'this hour', ''],
	day: ['day', 'days', 'd', 'yesterday', 'today', 'tomorrow'],
	week: ['wk.', 'wk.', 'w', 'last week', 'this week', 'next week'],
	month: ['mo.', 'mo.', 'mo', 'last month', 'this month', 'next month'],
	quarter: ['qtr.', 'qtrs.', 'q', 'last quarter', 'this quarter', 'next quarter'],
	year: ['yr.', 'yr.', 'y', 'last year', 'this year', 'next year'],
};

function RelativeTimeFormat(locales, given) {
	if (new.target === undefined) {
		throw new TypeError('Intl.RelativeTimeFormat needs new');
	}
	const locale = check(locales);
	const options = read(given);
	option(options, 'localeMatcher', ['lookup', 'best fit'], '');
	option(options, 'numberingSystem', ['latn'], 'latn');
	relatives.set(this, {
		__proto__: null,
		locale,
		style: option(options, 'style', ['long', 'short', 'narrow'], 'long'),
		numeric: option(options, 'numeric', ['always', 'auto'], 'always'),
		numberingSystem: 'latn',
	});
	return undefined;
}

function relativeUnit(unit) {
	const given = `${unit}`;
	const name = endsWith(given, 's') ? stringSlice(given, 0, -1) : given;
	if (relativeUnits[name] === undefined) {
		throw new RangeError('"' + given + '" is no unit of time that can be formatted');
	}
	return name;
}

function relativeText(set, value, unit) {
	const name = relativeUnit(unit);
	if (value - value !== 0) {
		throw new RangeError('A relative time must be a finite number');
	}
	const row = relativeUnits[name];
	if (set.numeric === 'auto' && (value === 0 || value === 1 || value === -1)) {
		const special = row[4 + value];
		if (special !== '') {
			return set.style === 'long' || name === 'day' || name === 'second'
				? special
				: relativeShort(special, name, row, set.style);
		}
	}
	const count = abs(value);
	const figure = number.format(count, undefined, undefined);
	const words =
		set.style === 'long'
			? ' ' + name + (figure === '1' ? '' : 's')
			: set.style === 'short'
				? ' ' + (figure === '1' ? row[0] : row[1])
				: row[2];
	return value < 0 || objectIs(value, -0) ? figure + words + ' ago' : 'in ' + figure + words;
}

/* "last month" with the abbreviation: "last mo." */
function relativeShort(special, name, row, style) {
	if (name === 'minute' || name === 'hour') {
		return special;
	}
	return stringSlice(special, 0, special.length - name.length) + row[0];
}

dress(RelativeTimeFormat, 'RelativeTimeFormat', {
	format(value, unit) {
		return relativeText(relatives.get(this), +value, unit);
	},
	resolvedOptions() {
		return resolved(relatives.get(this));
	},
});

return { __proto__: null, PluralRules, ListFormat, RelativeTimeFormat };
