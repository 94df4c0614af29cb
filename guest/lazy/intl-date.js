// SPDX-License-Identifier: MIT
/* Intl.DateTimeFormat and Date.prototype.toLocale*String for en-US in UTC. */
const { RangeError, TypeError, dateGetTime, floor, host, padStart, stringSlice, toLowerCase } =
	p;
const { add, check, dress, integer, objects, option, partsNew, read, refuse, resolved, text } =
	p.lazy('intl-locale');

const MONTHS = [
	'January',
	'February',
	'March',
	'April',
	'May',
	'June',
	'July',
	'August',
	'September',
	'October',
	'November',
	'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NUMERIC = ['numeric', '2-digit'];
const NAMES = ['narrow', 'short', 'long'];
const STYLES = ['full', 'long', 'medium', 'short'];
const ZONES = {
	__proto__: null,
	utc: true,
	'etc/utc': true,
	gmt: true,
	'etc/gmt': true,
	'etc/uct': true,
	uct: true,
	zulu: true,
	'etc/zulu': true,
	'+00:00': true,
};

const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

/* The components that a style stands for. */
const dateStyles = {
	__proto__: null,
	full: { __proto__: null, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
	long: { __proto__: null, year: 'numeric', month: 'long', day: 'numeric' },
	medium: { __proto__: null, year: 'numeric', month: 'short', day: 'numeric' },
	short: { __proto__: null, year: '2-digit', month: 'numeric', day: 'numeric' },
};
const timeStyles = {
	__proto__: null,
	full: {
		__proto__: null,
		hour: 'numeric',
		minute: '2-digit',
		second: '2-digit',
		timeZoneName: 'long',
	},
	long: {
		__proto__: null,
		hour: 'numeric',
		minute: '2-digit',
		second: '2-digit',
		timeZoneName: 'short',
	},
	medium: { __proto__: null, hour: 'numeric', minute: '2-digit', second: '2-digit' },
	short: { __proto__: null, hour: 'numeric', minute: '2-digit' },
};

function zoneOf(options) {
	const zone = option(options, 'timeZone', undefined, 'UTC');
	if (!ZONES[toLowerCase(zone)]) {
		throw new RangeError('The time zone "' + zone + '" is not built in here, only UTC is');
	}
	return zone === '+00:00' ? zone : 'UTC';
}

function cycleOf(options) {
	const twelve = option(options, 'hour12', 'boolean', undefined);
	const cycle = option(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24'], 'h12');
	return twelve === undefined ? cycle : twelve ? 'h12' : 'h23';
}

/* Whether any of `names` is asked for. */
function has(set, names) {
	for (let i = 0; i < names.length; i++) {
		if (set[names[i]] !== undefined) {
			return true;
		}
	}
	return false;
}

function components(set, options) {
	set.weekday = option(options, 'weekday', NAMES, undefined);
	set.era = option(options, 'era', NAMES, undefined);
	set.year = option(options, 'year', NUMERIC, undefined);
	set.month = option(
		options,
		'month',
		['numeric', '2-digit', 'narrow', 'short', 'long'],
		undefined,
	);
	set.day = option(options, 'day', NUMERIC, undefined);
	refuse(options, ['dayPeriod']);
	set.hour = option(options, 'hour', NUMERIC, undefined);
	set.minute = option(options, 'minute', NUMERIC, undefined);
	set.second = option(options, 'second', NUMERIC, undefined);
	set.fractionalSecondDigits = integer(options, 'fractionalSecondDigits', 1, 3, undefined);
	set.timeZoneName = option(options, 'timeZoneName', ['short', 'long'], undefined);
}

/* Combinations that have no English pattern; ICU writes "2024 (day: 5)" for them. */
function checkFields(set) {
	const { weekday, era, year, month, day, hour, minute, second, fractionalSecondDigits } =
		set;
	const no = (text) => {
		throw new RangeError(text);
	};
	if (year !== undefined && day !== undefined && month === undefined) {
		no('The options year and day need month too');
	}
	if (
		weekday !== undefined &&
		(year !== undefined || month !== undefined) &&
		(month === undefined || day === undefined)
	) {
		no('The option weekday goes alone or with month and day');
	}
	if (era !== undefined && year === undefined) {
		no('The option era needs year');
	}
	if (hour !== undefined && second !== undefined && minute === undefined) {
		no('The options hour and second need minute too');
	}
	if (
		fractionalSecondDigits !== undefined &&
		second === undefined &&
		(hour !== undefined || minute !== undefined)
	) {
		no('The option fractionalSecondDigits needs second');
	}
}

/*
 * Everything a DateTimeFormat knows. `required` says which kind of field must be there (any, date,
 * time), `defaults` which are added when none is (all, date, time).
 */
function settings(locales, given, required, defaults) {
	const set = {
		__proto__: null,
		locale: check(locales),
		calendar: 'gregory',
		numberingSystem: 'latn',
	};
	const options = read(given);
	option(options, 'localeMatcher', ['lookup', 'best fit'], '');
	option(options, 'formatMatcher', ['basic', 'best fit'], '');
	option(options, 'calendar', ['gregory', 'gregorian'], 'gregory');
	option(options, 'numberingSystem', ['latn'], 'latn');
	set.timeZone = zoneOf(options);
	set.hourCycle = cycleOf(options);
	components(set, options);
	set.dateStyle = option(options, 'dateStyle', STYLES, undefined);
	set.timeStyle = option(options, 'timeStyle', STYLES, undefined);
	if (set.dateStyle !== undefined || set.timeStyle !== undefined) {
		styled(set, required);
		return set;
	}
	const dates = required !== 'time' && has(set, DATE_FIELDS);
	const times = required !== 'date' && has(set, TIME_FIELDS);
	if (!dates && !times) {
		if (defaults !== 'time') {
			set.year = set.month = set.day = 'numeric';
		}
		if (defaults !== 'date') {
			set.hour = set.minute = set.second = 'numeric';
		}
	}
	checkFields(set);
	return set;
}

function styled(set, required) {
	if (has(set, DATE_FIELDS) || has(set, TIME_FIELDS) || has(set, ['era', 'timeZoneName'])) {
		throw new TypeError('dateStyle and timeStyle do not go with options for single fields');
	}
	if (
		(required === 'date' && set.timeStyle !== undefined) ||
		(required === 'time' && set.dateStyle !== undefined)
	) {
		throw new TypeError(
			required === 'date'
				? 'timeStyle needs toLocaleString or a time method'
				: 'dateStyle needs toLocaleString or a date method',
		);
	}
	set.fields = merged(dateStyles[set.dateStyle], timeStyles[set.timeStyle]);
}

function merged(a, b) {
	const out = { __proto__: null, ...a, ...b };
	return out;
}

/* The fields of a time value in UTC, proleptic Gregorian. */
function fieldsOf(time) {
	const days = floor(time / 86400000);
	const ms = time - days * 86400000;
	/* days since 0000-03-01, in cycles of 400 years */
	const shifted = days + 719468;
	const cycle = floor(shifted / 146097);
	const ofCycle = shifted - cycle * 146097;
	const yearOfCycle = floor(
		(ofCycle - floor(ofCycle / 1460) + floor(ofCycle / 36524) - floor(ofCycle / 146096)) /
			365,
	);
	const ofYear =
		ofCycle - (365 * yearOfCycle + floor(yearOfCycle / 4) - floor(yearOfCycle / 100));
	const monthFromMarch = floor((5 * ofYear + 2) / 153);
	const month = (monthFromMarch + 2) % 12;
	return {
		__proto__: null,
		year: yearOfCycle + cycle * 400 + (month < 2 ? 1 : 0),
		month,
		day: ofYear - floor((153 * monthFromMarch + 2) / 5) + 1,
		weekday: (((days + 4) % 7) + 7) % 7,
		hour: floor(ms / 3600000),
		minute: floor(ms / 60000) % 60,
		second: floor(ms / 1000) % 60,
		ms: ms % 1000,
	};
}

const two = (number) => padStart('' + number, 2, '0');

function named(names, index, width) {
	const name = names[index];
	return width === 'long' ? name : width === 'short' ? stringSlice(name, 0, 3) : name[0];
}

function yearText(set, at) {
	const year = at.year > 0 ? at.year : 1 - at.year;
	return set.year === '2-digit' ? two(year % 100) : '' + year;
}

function addMonth(parts, set, at) {
	add(
		parts,
		'month',
		set.month === 'numeric'
			? '' + (at.month + 1)
			: set.month === '2-digit'
				? two(at.month + 1)
				: named(MONTHS, at.month, set.month),
	);
}

function addDay(parts, set, at) {
	add(parts, 'day', set.day === '2-digit' ? two(at.day) : '' + at.day);
}

/* Month, day and year: "3/5/2024", "March 5, 2024", or what there is of them. */
function addMonthDayYear(parts, set, at) {
	const named = set.month !== undefined && set.month !== 'numeric' && set.month !== '2-digit';
	if (set.month !== undefined) {
		addMonth(parts, set, at);
	}
	if (set.day !== undefined) {
		add(parts, 'literal', set.month === undefined ? '' : named ? ' ' : '/');
		addDay(parts, set, at);
	}
	if (set.year !== undefined) {
		add(
			parts,
			'literal',
			set.month === undefined ? '' : !named ? '/' : set.day !== undefined ? ', ' : ' ',
		);
		add(parts, 'year', yearText(set, at));
	}
	if (set.era !== undefined) {
		const before = at.year <= 0;
		add(parts, 'literal', parts.length > 0 ? ' ' : '');
		add(
			parts,
			'era',
			set.era === 'long'
				? before
					? 'Before Christ'
					: 'Anno Domini'
				: set.era === 'short'
					? before
						? 'BC'
						: 'AD'
					: before
						? 'B'
						: 'A',
		);
	}
}

function addDate(parts, set, at) {
	const rest =
		set.month !== undefined ||
		set.day !== undefined ||
		set.year !== undefined ||
		set.era !== undefined;
	const first = set.weekday !== undefined && set.month !== undefined && set.day !== undefined;
	if (first) {
		add(parts, 'weekday', named(DAYS, at.weekday, set.weekday));
		add(parts, 'literal', ', ');
	}
	addMonthDayYear(parts, set, at);
	if (set.weekday !== undefined && !first) {
		add(parts, 'literal', rest ? ' ' : '');
		add(parts, 'weekday', named(DAYS, at.weekday, set.weekday));
	}
}

function addHour(parts, set, at) {
	const { hourCycle } = set;
	const hour =
		hourCycle === 'h12'
			? at.hour % 12 || 12
			: hourCycle === 'h11'
				? at.hour % 12
				: hourCycle === 'h24'
					? at.hour || 24
					: at.hour;
	const padded = set.hour === '2-digit' || hourCycle === 'h23' || hourCycle === 'h24';
	add(parts, 'hour', padded ? two(hour) : '' + hour);
}

function addSecond(parts, set, at, alone) {
	if (set.second !== undefined) {
		add(parts, 'second', alone ? '' + at.second : two(at.second));
	}
	const count = set.fractionalSecondDigits;
	if (count !== undefined) {
		add(parts, 'literal', set.second !== undefined ? '.' : '');
		add(parts, 'fractionalSecond', stringSlice(padStart('' + at.ms, 3, '0'), 0, count));
	}
}

function addTime(parts, set, at) {
	const seconds = set.second !== undefined || set.fractionalSecondDigits !== undefined;
	if (set.hour !== undefined) {
		addHour(parts, set, at);
	}
	if (set.minute !== undefined) {
		add(parts, 'literal', set.hour !== undefined ? ':' : '');
		add(
			parts,
			'minute',
			set.hour !== undefined || seconds ? two(at.minute) : '' + at.minute,
		);
	}
	if (seconds) {
		add(parts, 'literal', set.minute !== undefined ? ':' : '');
		addSecond(parts, set, at, set.minute === undefined);
	}
	if (set.hour !== undefined && (set.hourCycle === 'h12' || set.hourCycle === 'h11')) {
		add(parts, 'literal', ' ');
		add(parts, 'dayPeriod', at.hour < 12 ? 'AM' : 'PM');
	}
}

/* What stands between the date and the time. */
function between(set, fields) {
	if (set.fields !== undefined) {
		return set.dateStyle === 'full' || set.dateStyle === 'long' ? ' at ' : ', ';
	}
	if (
		fields.month === undefined &&
		fields.day === undefined &&
		fields.year === undefined &&
		fields.era === undefined
	) {
		const twelve = fields.hourCycle === 'h12' || fields.hourCycle === 'h11';
		return fields.hour !== undefined &&
			fields.fractionalSecondDigits === undefined &&
			(twelve || fields.minute !== undefined)
			? ' '
			: ', ';
	}
	return fields.month === 'long' ? ' at ' : ', ';
}

function partsOf(set, time) {
	const at = fieldsOf(time);
	const fields =
		set.fields === undefined
			? set
			: merged({ __proto__: null, hourCycle: set.hourCycle }, set.fields);
	const parts = partsNew();
	addDate(parts, fields, at);
	const clock = partsNew();
	addTime(clock, fields, at);
	const both = parts.length > 0;
	if (both && (clock.length > 0 || fields.timeZoneName !== undefined)) {
		add(parts, 'literal', between(set, fields));
	}
	for (let i = 0; i < clock.length; i++) {
		add(parts, clock[i].type, clock[i].value);
	}
	if (fields.timeZoneName !== undefined) {
		add(parts, 'literal', clock.length > 0 ? ' ' : '');
		add(
			parts,
			'timeZoneName',
			fields.timeZoneName === 'long' ? 'Coordinated Universal Time' : 'UTC',
		);
	}
	return parts;
}

const usual = { __proto__: null };
function format(time, locales, options, required, defaults) {
	let set;
	if (locales === undefined && options === undefined) {
		set = usual[required] ??= settings(undefined, undefined, required, defaults);
	} else {
		set = settings(locales, options, required, defaults);
	}
	return time !== time ? 'Invalid Date' : text(partsOf(set, time));
}

const states = new p.WeakMap();
function stateOf(object) {
	const state =
		typeof object === 'object' && object !== null
			? p.weakMapGet(states, object)
			: undefined;
	if (state === undefined) {
		throw new TypeError('This is no Intl.DateTimeFormat');
	}
	return state;
}

/* A Date, a number or nothing, as a time value. */
function timeOf(value) {
	const time =
		value === undefined
			? p.dateNow()
			: host.kind(value) === 'Date'
				? dateGetTime(value)
				: p.trunc(+value);
	if (!(time >= -8.64e15 && time <= 8.64e15)) {
		throw new RangeError('Invalid time value');
	}
	return time;
}

function DateTimeFormat(locales, options) {
	if (new.target === undefined) {
		return new DateTimeFormat(locales, options);
	}
	p.weakMapSet(states, this, {
		__proto__: null,
		set: settings(locales, options, 'any', 'date'),
		bound: undefined,
	});
	return undefined;
}

dress(DateTimeFormat, 'DateTimeFormat', {
	get format() {
		const state = stateOf(this);
		state.bound ??= (date) => text(partsOf(state.set, timeOf(date)));
		return state.bound;
	},
	formatToParts(date) {
		return objects(partsOf(stateOf(this).set, timeOf(date)));
	},
	resolvedOptions() {
		const { fields, hourCycle, ...set } = stateOf(this).set;
		const clock = set.hour !== undefined || set.timeStyle !== undefined;
		set.hourCycle = clock ? hourCycle : undefined;
		set.hour12 = clock ? hourCycle === 'h12' || hourCycle === 'h11' : undefined;
		return resolved(set);
	},
});

return { __proto__: null, format, DateTimeFormat };
