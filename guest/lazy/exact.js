// SPDX-License-Identifier: MIT
/* What JSON has no place for, in words: `reason` of a value is {what, hint}, or undefined. */
const { errorRead, endsWith, errorIs, host, isArray, objectKeys, stringIndexOf } = p;
const { stringSlice, typedName, clip } = p;

const because = (what, hint) => ({ __proto__: null, what, hint });

const PLAIN = 'Use plain objects, arrays, strings, finite numbers, booleans and null.';
const kindHints = {
	__proto__: null,
	Map: 'Use an object, Object.fromEntries(map), or an array, [...map].',
	Set: 'Use an array, [...set].',
	Date: 'Use date.toISOString() or date.getTime().',
	RegExp: 'Use its text: re.source and re.flags.',
	Promise: 'Write await before it.',
	ArrayBuffer:
		'Use text: new Uint8Array(buffer).toBase64(), or new TextDecoder().decode(buffer).',
	BigInt: 'Use String(x) or Number(x).',
};

/* The name of the class of `value`, else its kind. */
function className(value, kind) {
	const maker = errorRead(value, 'constructor');
	const name = typeof maker === 'function' ? errorRead(maker, 'name') : undefined;
	return clip(typeof name === 'string' && name !== '' ? name : kind, 60);
}

/* "a Map", "an ArrayBuffer" */
function article(name) {
	const vowel = stringIndexOf('AEIOUaeio', name[0]) >= 0;
	return (vowel ? 'an ' : 'a ') + name;
}

function reasonObject(value, classes) {
	const kind = host.kind(value);
	if (kind === 'Array' || kind === 'Proxy' || kind === 'String') {
		return undefined;
	}
	if (kind === 'Number' || kind === 'Boolean') {
		return undefined;
	}
	if (errorIs(value)) {
		return because('an Error', 'Use its text: String(error).');
	}
	if (typedName(value) !== undefined) {
		return because(
			article(kind),
			'Use an array, Array.from(bytes), or text: bytes.toBase64(), new TextDecoder().decode(bytes).',
		);
	}
	if (kindHints[kind] !== undefined) {
		return because(article(kind), kindHints[kind]);
	}
	if (kind !== 'Object') {
		const walks = endsWith(kind, 'Iterator') || kind === 'Generator';
		return because(article(kind), walks ? 'Use an array, [...it].' : PLAIN);
	}
	if (!classes) {
		return because(
			'an object of the class ' + className(value, kind),
			'Only plain objects and arrays are kept: {...object} copies its fields.',
		);
	}
	return objectKeys(value).length > 0
		? undefined
		: because(
				'an object of the class ' + className(value, kind) + ' without fields',
				'Pick what is needed of it into a plain object.',
			);
}

function reason(value, classes) {
	switch (typeof value) {
		case 'number':
			return because(
				'' + value,
				'JSON has only finite numbers: use null or leave it out.',
			);
		case 'bigint':
			return because('a BigInt', kindHints.BigInt);
		case 'undefined':
			return because('undefined', 'An array can hold null, but not undefined.');
		case 'symbol':
			return because('a symbol', PLAIN);
		case 'function':
			return because('a function', 'Call it and use its result.');
		default:
			return reasonObject(value, classes);
	}
}

/* `value` made null of itself. */
function reasonNull(value) {
	return host.kind(value) === 'Date'
		? because('an invalid Date', 'See where the date comes from.')
		: undefined;
}

/* JSON text with U+FFFD for the escapes of lone surrogates. */
function wellFormed(json) {
	let out = '';
	let start = 0;
	let at = stringIndexOf(json, '\\');
	while (at >= 0) {
		if (json[at + 1] === 'u' && json[at + 2] === 'd') {
			out += stringSlice(json, start, at) + '\ufffd';
			start = at + 6;
		}
		at = stringIndexOf(json, '\\', at + 2);
	}
	return out + stringSlice(json, start);
}

/* The failure when `state` is no object at all. */
function notAState(value) {
	const got =
		value === null || value === undefined
			? '' + value
			: typeof value !== 'object'
				? 'a ' + typeof value
				: isArray(value)
					? 'an array'
					: 'no object once toJSON is through with it';
	return new p.ResultFailure(
		'state must be an object, but is ' + got,
		'state is what the runs of a session share: set fields, state.NAME = value, or empty it, ' +
			'state = {}. A variable of your own needs another name, or const.',
	);
}

return { __proto__: null, notAState, reason, reasonNull, wellFormed };
