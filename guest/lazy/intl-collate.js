// SPDX-License-Identifier: MIT
/*
 * Intl.Collator and String.prototype.localeCompare: the order of the Unicode root collation for
 * what scripts mostly sort. Blanks, punctuation, symbols, currency, digits, letters; letters by
 * their base first, then by accents, then small before capital. Beyond the table characters go by
 * code point within their kind.
 *
 * A string becomes a key with three parts: base units, accents, case. Two keys compare as strings.
 */
const {
	charCodeAt,
	codePointAt,
	fromCharCode,
	fromCodePoint,
	mapClear,
	mapGet,
	mapSet,
	mapSize,
	normalize,
	regExpExec,
	stringIndexOf,
	stringSlice,
	toLowerCase,
	TypeError,
} = p;
const { check, dress, option, read, resolved } = p.lazy('intl-locale');

const KEYS_MAX = 5000;
const KEY_STRING_MAX = 200;
const SEPARATOR = '\u0001';

/* In order; what follows the apostrophe or quote as "same but for an accent" is in `variants`. */
const PUNCTUATION =
	'\t\n\v\f\r\x85\u2028\u2029 _-\u2010\u2012\u2013\u2014\u2015,;:!\xa1?\xbf.\u2026' +
	'\xb7\'\u201a\u2039\u203a"\xab\xbb()[]{}\xa7\xb6@*/\\&#%\u2030\u2020\u2021\u2022';
const SYMBOLS =
	'`\xb4^\xaf\xa8\xb8\xb0\xa9\xae\u2190\u2192\u2211+\xb1\xf7\xd7<=>\xac|\xa6~\u2212' +
	'\u221a\u221e\u2248\u2264\u2265\xa4\xa2$\xa3\xa5\u20a4\u20a9\u20aa\u20ab\u20ac\u20b9\u20bd';
const variants = {
	__proto__: null,
	'\u2018': "'",
	'\u2019': "'",
	'\u201c': '"',
	'\u201d': '"',
	'\u201e': '"',
	'\u2011': '\u2010',
	'\xa0': ' ',
};

/* Accents in the order they sort in. */
const STROKE = 10;
const MARKS =
	'\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304';

/* Letters that do not come apart by themselves: the base letters, or "letter+" for a place of its
 * own behind that letter. */
const letters = {
	__proto__: null,
	'\xe6': 'ae',
	'\u0153': 'oe',
	'\xdf': 'ss',
	'\xf8': 'o',
	'\u0111': 'd',
	'\xf0': 'd',
	'\u0142': 'l',
	'\u0127': 'h',
	'\u0131': 'i+',
	'\u014b': 'n+',
	'\u0167': 't+',
	'\u0192': 'f+',
	'\u0180': 'b+',
	'\u0268': 'i+',
	'\u01dd': 'e+',
	'\u0259': 'e+',
	'\xfe': '{',
};

/*
 * Weights as strings. Blank, digits and small letters weigh what they are, so that the key of plain
 * text is the text; the others take two units, the first of which puts them in their place.
 */
const W_BLANK = '\x1f';
const W_PUNCTUATION = '!';
const W_SYMBOL = '"';
const W_OTHER_SYMBOL = '#';
const W_BEHIND = '\uffff'; /* after the letter it follows */
const W_BEHIND_Z = '{';
const W_OTHER_LATIN = '|';
const W_OTHER_LETTER = '}';
const BLANKS = 8; /* how many of PUNCTUATION are in front of the blank */

/* Text whose key needs no table. */
const isPlain = /^[ \da-zA-Z]*$/;
const isMark = /^\p{M}$/u;
const isLetter = /^\p{L}$/u;
const isLatin = /^\p{Script=Latin}$/u;
const isIgnorable = /^[\p{Cc}\p{Cf}]$/u;

/*
 * One character: {base, accent, rank, skips}; `rank` is 0 for small, 1 for capital, 2 for
 * compatibility; `skips` is whether ignorePunctuation means it.
 */
function weigh(char) {
	const variant = variants[char];
	let at = stringIndexOf(PUNCTUATION, variant === undefined ? char : variant);
	if (at >= 0) {
		const accent = variant === undefined ? '' : '!';
		const base =
			at === BLANKS
				? ' '
				: (at < BLANKS ? W_BLANK : W_PUNCTUATION) + fromCharCode(0x20 + at);
		return { __proto__: null, base, accent, rank: 0, skips: true };
	}
	at = stringIndexOf(SYMBOLS, char);
	if (at >= 0) {
		return weight(W_SYMBOL + fromCharCode(0x20 + at), '', 0);
	}
	if (char >= '0' && char <= '9') {
		return weight(char, '', 0);
	}
	const lower = toLowerCase(char);
	const rank = lower === char ? 0 : 1;
	return lower >= 'a' && lower <= 'z'
		? weight(lower, '', rank)
		: weighOther(char, lower, rank);
}

function weight(base, accent, rank) {
	return { __proto__: null, base, accent, rank, skips: false };
}

function weighOther(char, lower, rank) {
	if (regExpExec(isMark, char) !== null) {
		const at = stringIndexOf(MARKS, char);
		return weight('', at >= 0 ? fromCharCode(0x30 + at) : '\u0100' + char, 0);
	}
	if (regExpExec(isIgnorable, char) !== null) {
		return weight('', '', 0);
	}
	const parts = letters[lower];
	if (parts !== undefined) {
		return weighLetters(parts, rank);
	}
	const whole = normalize(char, 'NFKD');
	if (whole !== char) {
		return weighParts(whole, normalize(char, 'NFD') === whole ? 0 : 2);
	}
	const code = codePointAt(char, 0);
	if (code >= 0x30a1 && code <= 0x30f6) {
		return weight(W_OTHER_LETTER + fromCharCode(code - 0x60), '', 1);
	}
	if (regExpExec(isLetter, char) === null) {
		return weight(W_OTHER_SYMBOL + char, '', 0);
	}
	return weight(
		(regExpExec(isLatin, char) !== null ? W_OTHER_LATIN : W_OTHER_LETTER) + lower,
		'',
		rank,
	);
}

function weighLetters(parts, rank) {
	if (parts === W_BEHIND_Z) {
		return weight(W_BEHIND_Z, '', rank);
	}
	if (parts.length === 2 && parts[1] === '+') {
		return weight(parts[0] + W_BEHIND, '', rank);
	}
	/* differs from its base letters as by a stroke */
	return weight(parts, fromCharCode(0x30 + STROKE), rank);
}

/* A character that comes apart into several. */
function weighParts(whole, least) {
	let base = '';
	let accent = '';
	let rank = least;
	for (let i = 0; i < whole.length;) {
		const char = fromCodePoint(codePointAt(whole, i));
		const part = weightOf(char);
		base += part.base;
		accent += part.accent;
		rank = part.rank > rank ? part.rank : rank;
		i += char.length;
	}
	return weight(base, accent, rank);
}

const weights = new p.Map();
function weightOf(char) {
	let found = mapGet(weights, char);
	if (found === undefined) {
		found = weigh(char);
		mapSet(weights, char, found);
	}
	return found;
}

/* The end of the run of digits at `at`, and its weight: as a number, without leading zeros. */
function numberEnd(string, at) {
	let end = at;
	while (end < string.length && string[end] >= '0' && string[end] <= '9') {
		end++;
	}
	return end;
}

function numberWeight(string, at, end) {
	while (at < end - 1 && string[at] === '0') {
		at++;
	}
	return '0' + fromCharCode(0x20 + end - at) + stringSlice(string, at, end);
}

/* Small before capital, or the other way round. */
function rankUnit(mode, rank) {
	return fromCharCode(0x20 + (mode.upperFirst && rank < 2 ? 1 - rank : rank));
}

/* The key of text that isPlain, without numbers. */
function plainKey(string, mode) {
	const base = toLowerCase(string);
	let ranks = '';
	if (mode.sensitivity !== 'base' && (base !== string || mode.upperFirst)) {
		for (let i = 0; i < string.length; i++) {
			ranks += rankUnit(mode, string[i] === base[i] ? 0 : 1);
		}
	}
	return joinKey(mode, base, '', ranks);
}

/* Units of the lowest weight at the end say nothing; without them plain keys are short. */
function trimmed(units) {
	let end = units.length;
	while (end > 0 && units[end - 1] === ' ') {
		end--;
	}
	return stringSlice(units, 0, end);
}

function joinKey(mode, base, accents, ranks) {
	switch (mode.sensitivity) {
		case 'base':
			return base;
		case 'accent':
			return base + SEPARATOR + trimmed(accents);
		case 'case':
			return base + SEPARATOR + trimmed(ranks);
		default:
			return base + SEPARATOR + trimmed(accents) + SEPARATOR + trimmed(ranks);
	}
}

/* The key of `string`; `mode` is that of a collator. */
function makeKey(string, mode) {
	if (!mode.numeric && !mode.ignorePunctuation && regExpExec(isPlain, string) !== null) {
		return plainKey(string, mode);
	}
	let base = '';
	let accents = '';
	let ranks = '';
	for (let i = 0; i < string.length;) {
		const unit = string[i];
		if (mode.numeric && unit >= '0' && unit <= '9') {
			const end = numberEnd(string, i);
			base += numberWeight(string, i, end);
			accents += ' ';
			ranks += rankUnit(mode, 0);
			i = end;
			continue;
		}
		const code = charCodeAt(string, i);
		const char =
			code >= 0xd800 && code < 0xe000 ? fromCodePoint(codePointAt(string, i)) : unit;
		i += char.length;
		const found = weightOf(char);
		if (mode.ignorePunctuation && found.skips) {
			continue;
		}
		base += found.base;
		accents += (found.base === '' ? '' : ' ') + found.accent;
		ranks += found.base === '' ? '' : rankUnit(mode, found.rank);
	}
	return joinKey(mode, base, accents, ranks);
}

/* Makes the key of a string that `mode` has none of yet. Sorting asks for each many times. */
function keyOf(string, mode) {
	const key = makeKey(string, mode);
	if (string.length < KEY_STRING_MAX) {
		if (mapSize(mode.keys) >= KEYS_MAX) {
			mapClear(mode.keys);
		}
		mapSet(mode.keys, string, key);
	}
	return key;
}

function compareIn(mode, a, b) {
	if (a === b) {
		return 0;
	}
	const keyA = mapGet(mode.keys, a) ?? keyOf(a, mode);
	const keyB = mapGet(mode.keys, b) ?? keyOf(b, mode);
	return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

function settings(locales, given) {
	const set = { __proto__: null, locale: check(locales) };
	const options = read(given);
	set.usage = option(options, 'usage', ['sort', 'search'], 'sort');
	option(options, 'localeMatcher', ['lookup', 'best fit'], '');
	option(options, 'collation', ['default'], 'default');
	set.sensitivity = option(
		options,
		'sensitivity',
		['base', 'accent', 'case', 'variant'],
		'variant',
	);
	set.ignorePunctuation = option(options, 'ignorePunctuation', 'boolean', false);
	set.collation = 'default';
	set.numeric = option(options, 'numeric', 'boolean', false);
	set.caseFirst = option(options, 'caseFirst', ['upper', 'lower', 'false'], 'false');
	return set;
}

function modeOf(set) {
	return {
		__proto__: null,
		numeric: set.numeric,
		ignorePunctuation: set.ignorePunctuation,
		sensitivity: set.sensitivity,
		upperFirst: set.caseFirst === 'upper',
		keys: new p.Map(),
	};
}

/* One mode for each set of options that localeCompare has met, so that its keys are kept. */
const modes = { __proto__: null };
function compare(a, b, locales, options) {
	const set = settings(locales, options);
	const name = set.sensitivity + set.ignorePunctuation + set.numeric + set.caseFirst;
	return compareIn((modes[name] ??= modeOf(set)), a, b);
}

let usual;
function compareUsual(a, b, locales, options) {
	if (locales === undefined && options === undefined) {
		return compareIn((usual ??= modeOf(settings(undefined, undefined))), a, b);
	}
	return compare(a, b, locales, options);
}

const states = new p.WeakMap();
function stateOf(object) {
	const state =
		typeof object === 'object' && object !== null
			? p.weakMapGet(states, object)
			: undefined;
	if (state === undefined) {
		throw new TypeError('This is no Intl.Collator');
	}
	return state;
}

function Collator(locales, options) {
	if (new.target === undefined) {
		return new Collator(locales, options);
	}
	const set = settings(locales, options);
	p.weakMapSet(states, this, { __proto__: null, set, mode: modeOf(set), bound: undefined });
	return undefined;
}

dress(Collator, 'Collator', {
	get compare() {
		const state = stateOf(this);
		state.bound ??= (a, b) => compareIn(state.mode, `${a}`, `${b}`);
		return state.bound;
	},
	resolvedOptions() {
		return resolved(stateOf(this).set);
	},
});

return { __proto__: null, compare: compareUsual, Collator };
