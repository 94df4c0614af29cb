// SPDX-License-Identifier: MIT
/*
 * Intl.NumberFormat and Number.prototype.toLocaleString for en-US: decimal, percent, currency;
 * standard and compact notation. Rounding works on the decimal digits a number is written with, so
 * 1.005 at two digits is 1.01, as ICU has it.
 */
const {
	RangeError,
	TypeError,
	bigintToString,
	padEnd,
	padStart,
	parseFloat,
	stringIndexOf,
	stringRepeat,
	stringSlice,
	toUpperCase,
	regExpExec,
	objectIs,
	min,
	max,
	floor,
} = p;
const { add, check, dress, integer, objects, option, partsNew, read, refuse, resolved, text } =
	p.lazy('intl-locale');

const SPACE = '\xa0';

/* Digits after the point, where they are not two. */
const currencyDigits = {
	__proto__: null,
	BIF: 0,
	CLP: 0,
	DJF: 0,
	GNF: 0,
	ISK: 0,
	JPY: 0,
	KMF: 0,
	KRW: 0,
	PYG: 0,
	RWF: 0,
	UGX: 0,
	VND: 0,
	VUV: 0,
	XAF: 0,
	XOF: 0,
	XPF: 0,
	BHD: 3,
	IQD: 3,
	JOD: 3,
	KWD: 3,
	LYD: 3,
	OMR: 3,
	TND: 3,
	CLF: 4,
	UYW: 4,
};

/* Symbols in en-US; the others are written as their code. */
const currencySymbols = {
	__proto__: null,
	USD: '$',
	EUR: '€',
	GBP: '£',
	JPY: '¥',
	INR: '₹',
	CNY: 'CN¥',
	KRW: '₩',
	BRL: 'R$',
	CAD: 'CA$',
	AUD: 'A$',
	MXN: 'MX$',
	NZD: 'NZ$',
	ILS: '₪',
	VND: '₫',
	TWD: 'NT$',
	HKD: 'HK$',
	PHP: '₱',
	XCD: 'EC$',
	XAF: 'FCFA',
	XOF: 'F\u202fCFA',
	XPF: 'CFPF',
};

/* Where the narrow symbol differs. */
const currencyNarrow = {
	__proto__: null,
	CAD: '$',
	AUD: '$',
	MXN: '$',
	NZD: '$',
	HKD: '$',
	TWD: '$',
	CNY: '¥',
	XCD: '$',
	SGD: '$',
	CLP: '$',
	COP: '$',
	ARS: '$',
	UYU: '$',
	RUB: '₽',
	TRY: '₺',
	UAH: '₴',
	PLN: 'zł',
	CZK: 'Kč',
	HUF: 'Ft',
	RON: 'lei',
	SEK: 'kr',
	NOK: 'kr',
	DKK: 'kr',
	ISK: 'kr',
	NGN: '₦',
	KZT: '₸',
	EGP: 'E£',
	CRC: '₡',
	PYG: '₲',
	GEL: '₾',
	LAK: '₭',
	MNT: '₮',
	KHR: '៛',
	BDT: '৳',
	PKR: 'Rs',
	LKR: 'Rs',
	NPR: 'Rs',
	ZAR: 'R',
	BOB: 'Bs',
	BAM: 'KM',
	BYN: 'Br',
	HNL: 'L',
	NIO: 'C$',
	GTQ: 'Q',
};

/* One and many. */
const currencyNames = {
	__proto__: null,
	USD: ['US dollar', 'US dollars'],
	EUR: ['euro', 'euros'],
	GBP: ['British pound', 'British pounds'],
	JPY: ['Japanese yen', 'Japanese yen'],
	INR: ['Indian rupee', 'Indian rupees'],
	CNY: ['Chinese yuan', 'Chinese yuan'],
	KRW: ['South Korean won', 'South Korean won'],
	BRL: ['Brazilian real', 'Brazilian reals'],
	CAD: ['Canadian dollar', 'Canadian dollars'],
	AUD: ['Australian dollar', 'Australian dollars'],
	MXN: ['Mexican peso', 'Mexican pesos'],
	NZD: ['New Zealand dollar', 'New Zealand dollars'],
	CHF: ['Swiss franc', 'Swiss francs'],
	SEK: ['Swedish krona', 'Swedish kronor'],
	NOK: ['Norwegian krone', 'Norwegian kroner'],
	DKK: ['Danish krone', 'Danish kroner'],
	PLN: ['Polish zloty', 'Polish zlotys'],
	RUB: ['Russian ruble', 'Russian rubles'],
	ARS: ['Argentine peso', 'Argentine pesos'],
	COP: ['Colombian peso', 'Colombian pesos'],
	CLP: ['Chilean peso', 'Chilean pesos'],
	ZAR: ['South African rand', 'South African rand'],
};

const compactShort = ['', 'K', 'M', 'B', 'T'];
const compactLong = ['', ' thousand', ' million', ' billion', ' trillion'];

const styles = ['decimal', 'percent', 'currency'];
const signs = ['auto', 'always', 'never', 'exceptZero', 'negative'];
const modes = [
	'halfExpand',
	'ceil',
	'floor',
	'expand',
	'trunc',
	'halfCeil',
	'halfFloor',
	'halfTrunc',
	'halfEven',
];

function currencyOf(options, style) {
	const code = option(options, 'currency', undefined, undefined);
	if (code !== undefined && regExpExec(/^[A-Za-z]{3}$/, code) === null) {
		throw new RangeError('"' + code + '" is no currency code');
	}
	if (style === 'currency' && code === undefined) {
		throw new TypeError('The style currency needs the option currency, such as "USD"');
	}
	return style === 'currency' ? toUpperCase(code) : undefined;
}

/* The fraction digits of the options, or those that are usual. */
function fractions(set, options, usualMin, usualMax) {
	let least = integer(options, 'minimumFractionDigits', 0, 100, undefined);
	let most = integer(options, 'maximumFractionDigits', 0, 100, undefined);
	if (least === undefined && most === undefined) {
		least = usualMin;
		most = usualMax;
	} else if (least === undefined) {
		least = min(usualMin, most);
	} else if (most === undefined) {
		most = max(usualMax, least);
	} else if (least > most) {
		throw new RangeError('minimumFractionDigits is over maximumFractionDigits');
	}
	set.minimumFractionDigits = least;
	set.maximumFractionDigits = most;
}

function digits(set, options) {
	set.minimumIntegerDigits = integer(options, 'minimumIntegerDigits', 1, 21, 1);
	const least = integer(options, 'minimumSignificantDigits', 1, 21, undefined);
	const most = integer(options, 'maximumSignificantDigits', 1, 21, undefined);
	if (least !== undefined || most !== undefined) {
		set.minimumSignificantDigits = least ?? 1;
		set.maximumSignificantDigits = most ?? 21;
		if (set.minimumSignificantDigits > set.maximumSignificantDigits) {
			throw new RangeError('minimumSignificantDigits is over maximumSignificantDigits');
		}
		return;
	}
	const given =
		options.minimumFractionDigits !== undefined ||
		options.maximumFractionDigits !== undefined;
	if (set.notation === 'compact' && !given) {
		set.compactRounding = true;
		set.minimumFractionDigits = 0;
		set.maximumFractionDigits = 0;
		return;
	}
	const money =
		set.style === 'currency' && set.notation === 'standard'
			? (currencyDigits[set.currency] ?? 2)
			: undefined;
	fractions(set, options, money ?? 0, money ?? (set.style === 'percent' ? 0 : 3));
}

function grouping(options, notation) {
	const value = options.useGrouping;
	const usual = notation === 'compact' ? 'min2' : 'auto';
	if (value === undefined || value === 'true' || value === 'false') {
		return usual;
	}
	if (value === true) {
		return 'always';
	}
	if (value === false || value === null || value === 0 || value === '') {
		return false;
	}
	return option(options, 'useGrouping', ['min2', 'auto', 'always'], usual);
}

/* Everything a NumberFormat knows, from its arguments. */
function settings(locales, given) {
	const set = { __proto__: null, locale: check(locales), numberingSystem: 'latn' };
	const options = read(given);
	option(options, 'localeMatcher', ['lookup', 'best fit'], '');
	option(options, 'numberingSystem', ['latn'], 'latn');
	set.style = option(options, 'style', styles, 'decimal');
	set.currency = currencyOf(options, set.style);
	const display = option(
		options,
		'currencyDisplay',
		['symbol', 'narrowSymbol', 'code', 'name'],
		'symbol',
	);
	const sign = option(options, 'currencySign', ['standard', 'accounting'], 'standard');
	refuse(options, ['unit', 'unitDisplay']);
	set.notation = option(options, 'notation', ['standard', 'compact'], 'standard');
	if (set.style === 'currency') {
		set.currencyDisplay = display;
		set.currencySign = sign;
		if (display === 'name' && currencyNames[set.currency] === undefined) {
			throw new RangeError('The name of ' + set.currency + ' is not built in here');
		}
	}
	digits(set, options);
	set.useGrouping = grouping(options, set.notation);
	const compact = option(options, 'compactDisplay', ['short', 'long'], 'short');
	set.compactDisplay = set.notation === 'compact' ? compact : undefined;
	set.signDisplay = option(options, 'signDisplay', signs, 'auto');
	integer(options, 'roundingIncrement', 1, 1, 1);
	set.roundingMode = option(options, 'roundingMode', modes, 'halfExpand');
	option(options, 'roundingPriority', ['auto'], 'auto');
	set.trailingZeroDisplay = option(
		options,
		'trailingZeroDisplay',
		['auto', 'stripIfInteger'],
		'auto',
	);
	return set;
}

/*
 * A number as decimal: digits "12345" and the place of the point in them, which may lie outside.
 * Zero has no digits.
 */
function decimal(digitsText, point) {
	let from = 0;
	while (from < digitsText.length && digitsText[from] === '0') {
		from++;
	}
	let to = digitsText.length;
	while (to > from && digitsText[to - 1] === '0') {
		to--;
	}
	return from === to
		? { __proto__: null, digits: '', point: 0 }
		: { __proto__: null, digits: stringSlice(digitsText, from, to), point: point - from };
}

function decimalOf(value) {
	const written = typeof value === 'bigint' ? bigintToString(value) : '' + value;
	const at = stringIndexOf(written, 'e');
	const mantissa = at < 0 ? written : stringSlice(written, 0, at);
	const exponent = at < 0 ? 0 : parseFloat(stringSlice(written, at + 1));
	const dot = stringIndexOf(mantissa, '.');
	return dot < 0
		? decimal(mantissa, mantissa.length + exponent)
		: decimal(
				stringSlice(mantissa, 0, dot) + stringSlice(mantissa, dot + 1),
				dot + exponent,
			);
}

/* Whether what is cut off rounds the digits before it up, away from zero. */
function roundsUp(mode, negative, rest, odd) {
	const half = rest[0] === '5' && rest.length === 1 ? 0 : rest[0] >= '5' ? 1 : -1;
	switch (mode) {
		case 'ceil':
			return !negative;
		case 'floor':
			return negative;
		case 'expand':
			return true;
		case 'trunc':
			return false;
		case 'halfCeil':
			return half > 0 || (half === 0 && !negative);
		case 'halfFloor':
			return half > 0 || (half === 0 && negative);
		case 'halfTrunc':
			return half > 0;
		case 'halfEven':
			return half > 0 || (half === 0 && odd);
		default:
			return half >= 0;
	}
}

/* Keeps `count` digits, which may be none or fewer than none. */
function round(number, count, mode, negative) {
	const all = number.digits;
	if (count >= all.length) {
		return number;
	}
	const rest = count < 0 ? stringRepeat('0', -count) + all : stringSlice(all, count);
	let kept = count <= 0 ? '' : stringSlice(all, 0, count);
	const odd = kept !== '' && +kept[kept.length - 1] % 2 === 1;
	if (!roundsUp(mode, negative, rest, odd)) {
		return decimal(kept, number.point);
	}
	if (count <= 0) {
		return decimal('1', number.point - count + 1);
	}
	let at = kept.length - 1;
	while (at >= 0 && kept[at] === '9') {
		at--;
	}
	const zeros = stringRepeat('0', kept.length - 1 - at);
	if (at < 0) {
		return decimal('1' + zeros, number.point + 1);
	}
	kept = stringSlice(kept, 0, at) + (+kept[at] + 1) + zeros;
	return decimal(kept, number.point);
}

/* [integer digits, fraction digits], padded as the settings want. */
function written(set, number) {
	const { digits: all, point } = number;
	let whole = point <= 0 ? '' : padEnd(stringSlice(all, 0, point), point, '0');
	let part =
		point >= all.length
			? ''
			: point >= 0
				? stringSlice(all, point)
				: stringRepeat('0', -point) + all;
	whole = padStart(whole, set.minimumIntegerDigits, '0');
	let least = set.minimumFractionDigits;
	if (set.minimumSignificantDigits !== undefined) {
		const before = all === '' ? 1 : max(point, 0);
		const leading = point < 0 ? -point : 0;
		least = max(0, set.minimumSignificantDigits - before + leading);
	}
	if (!(set.trailingZeroDisplay === 'stripIfInteger' && part === '')) {
		part = padEnd(part, least, '0');
	}
	return { __proto__: null, whole, part };
}

function roundFor(set, number, negative) {
	if (set.maximumSignificantDigits !== undefined) {
		return round(number, set.maximumSignificantDigits, set.roundingMode, negative);
	}
	const count =
		set.compactRounding && number.point < 2 ? 2 : number.point + set.maximumFractionDigits;
	return round(number, count, set.roundingMode, negative);
}

/* In compact notation: the power of a thousand that is written as a letter, and the rest. */
function scaled(set, number, negative) {
	let power = set.notation === 'compact' ? min(4, max(0, floor((number.point - 1) / 3))) : 0;
	if (number.digits === '') {
		power = 0;
	}
	const shift = (by) => ({
		__proto__: null,
		digits: number.digits,
		point: number.point - 3 * by,
	});
	let rounded = roundFor(set, shift(power), negative);
	if (set.notation === 'compact' && power < 4 && rounded.point > 3) {
		power++;
		rounded = roundFor(set, shift(power), negative);
	}
	return { __proto__: null, power, rounded };
}

function addWhole(parts, set, whole) {
	const least = set.useGrouping === 'min2' ? 5 : 4;
	if (set.useGrouping === false || whole.length < least) {
		add(parts, 'integer', whole);
		return;
	}
	let end = whole.length % 3 || 3;
	add(parts, 'integer', stringSlice(whole, 0, end));
	for (; end < whole.length; end += 3) {
		add(parts, 'group', ',');
		add(parts, 'integer', stringSlice(whole, end, end + 3));
	}
}

function signFor(set, negative, zero) {
	switch (set.signDisplay) {
		case 'never':
			return '';
		case 'always':
			return negative ? '-' : '+';
		case 'exceptZero':
			return zero ? '' : negative ? '-' : '+';
		case 'negative':
			return negative && !zero ? '-' : '';
		default:
			return negative ? '-' : '';
	}
}

/* The symbol in front of an amount, with a space between a letter and a digit. */
function addCurrency(parts, set, finite) {
	const code = set.currency;
	const symbol =
		set.currencyDisplay === 'code'
			? code
			: ((set.currencyDisplay === 'narrowSymbol' ? currencyNarrow[code] : undefined) ??
				currencySymbols[code] ??
				code);
	add(parts, 'currency', symbol);
	if (finite && regExpExec(/\p{L}$/u, symbol) !== null) {
		add(parts, 'literal', SPACE);
	}
}

/* The parts of a formatted value. */
function partsOf(set, value) {
	const big = typeof value === 'bigint';
	const negative = value < 0 || objectIs(value, -0);
	const finite = big || value - value === 0;
	let number = { __proto__: null, digits: '', point: 0 };
	let power = 0;
	if (finite) {
		number = decimalOf(value < 0 ? -value : value);
		if (set.style === 'percent') {
			number.point += number.digits === '' ? 0 : 2;
		}
		({ power, rounded: number } = scaled(set, number, negative));
	}
	const parts = partsNew();
	const zero = finite ? number.digits === '' : value !== value;
	const sign = value !== value ? signFor(set, false, true) : signFor(set, negative, zero);
	const money = set.style === 'currency' && set.currencyDisplay !== 'name';
	const wrap = money && set.currencySign === 'accounting' && sign === '-';
	if (wrap) {
		add(parts, 'literal', '(');
	} else if (sign !== '') {
		add(parts, sign === '-' ? 'minusSign' : 'plusSign', sign);
	}
	if (money) {
		addCurrency(parts, set, finite);
	}
	addNumber(parts, set, value, finite, number);
	addSuffix(parts, set, power, number);
	if (wrap) {
		add(parts, 'literal', ')');
	}
	return parts;
}

function addNumber(parts, set, value, finite, number) {
	if (!finite) {
		add(parts, value !== value ? 'nan' : 'infinity', value !== value ? 'NaN' : '∞');
		return;
	}
	const { whole, part } = written(set, number);
	addWhole(parts, set, whole);
	if (part !== '') {
		add(parts, 'decimal', '.');
		add(parts, 'fraction', part);
	}
}

function addSuffix(parts, set, power, number) {
	if (power > 0) {
		if (set.compactDisplay === 'long' && set.style !== 'currency') {
			add(parts, 'literal', ' ');
			add(parts, 'compact', stringSlice(compactLong[power], 1));
		} else {
			add(parts, 'compact', compactShort[power]);
		}
	}
	if (set.style === 'percent') {
		add(parts, 'percentSign', '%');
	} else if (set.style === 'currency' && set.currencyDisplay === 'name') {
		const names = currencyNames[set.currency];
		const single =
			number.digits === '1' &&
			number.point === 1 &&
			power === 0 &&
			set.minimumFractionDigits === 0;
		add(parts, 'literal', ' ');
		add(parts, 'currency', single ? names[0] : names[1]);
	}
}

/* What format() takes: numbers and BigInts as they are, the rest as numbers. */
function numeric(value) {
	if (typeof value === 'bigint') {
		return value;
	}
	if (typeof value === 'string') {
		const trimmed = p.stringTrim(value);
		if (regExpExec(/^[+-]?\d{16,}$/, trimmed) !== null) {
			return p.BigInt(trimmed[0] === '+' ? stringSlice(trimmed, 1) : trimmed);
		}
	}
	return +value;
}

let usual;
function format(value, locales, options) {
	if (locales === undefined && options === undefined) {
		usual ??= settings(undefined, undefined);
		return text(partsOf(usual, value));
	}
	return text(partsOf(settings(locales, options), value));
}

const states = new p.WeakMap();
function stateOf(object) {
	const state =
		typeof object === 'object' && object !== null
			? p.weakMapGet(states, object)
			: undefined;
	if (state === undefined) {
		throw new TypeError('This is no Intl.NumberFormat');
	}
	return state;
}

function NumberFormat(locales, options) {
	if (new.target === undefined) {
		return new NumberFormat(locales, options);
	}
	p.weakMapSet(states, this, {
		__proto__: null,
		set: settings(locales, options),
		bound: undefined,
	});
	return undefined;
}

dress(NumberFormat, 'NumberFormat', {
	get format() {
		const state = stateOf(this);
		state.bound ??= (value) => text(partsOf(state.set, numeric(value)));
		return state.bound;
	},
	formatToParts(value) {
		return objects(partsOf(stateOf(this).set, numeric(value)));
	},
	resolvedOptions() {
		const { compactRounding, ...set } = stateOf(this).set;
		if (compactRounding) {
			set.minimumSignificantDigits = 1;
			set.maximumSignificantDigits = 2;
		}
		set.roundingIncrement = 1;
		set.roundingPriority = compactRounding ? 'morePrecision' : 'auto';
		return resolved(set);
	},
});

return { __proto__: null, format, NumberFormat, settings, written, roundFor, decimalOf };
