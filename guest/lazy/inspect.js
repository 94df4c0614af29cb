// SPDX-License-Identifier: MIT
/*
 * Values as text, for console.*: much as Node shows them. Getters are named, not called, and a
 * Proxy shows its target, so looking at a value runs no user code. Output is bounded by depth, by
 * items per level and by INSPECT_LENGTH_MAX in all.
 */
const {
	apply,
	arrayJoin,
	arraySort,
	bigintToString,
	booleanValueOf,
	bufferByteLength,
	charCodeAt,
	clip,
	codePointAt,
	dateGetTime,
	dateToISOString,
	errorFramesText,
	errorHeader,
	errorIs,
	functionToString,
	getDescriptor,
	getPrototypeOf,
	hasOwn,
	host,
	isArray,
	isInteger,
	list,
	mapEntries,
	mapNext,
	mapSize,
	max,
	min,
	numberToString,
	numberValueOf,
	objectIs,
	ownKeys,
	padEnd,
	parseFloat,
	regExpExec,
	regExpToString,
	replaceLines,
	setNext,
	setSize,
	setValues,
	sharedByteLength,
	startsWith,
	stringIncludes,
	stringIndexOf,
	stringRepeat,
	stringSlice,
	stringValueOf,
	symbolToString,
	symbolValueOf,
	bigintValueOf,
	SymbolToStringTag,
	typedLength,
	typedName,
	viewByteLength,
	viewByteOffset,
	weakRefDeref,
	jsonStringify,
	floor,
} = p;

const INSPECT_DEPTH = 4;
const INSPECT_ITEMS_MAX = 100;
const INSPECT_STRING_MAX = 10000;
const INSPECT_KEYS_MAX = 10000; /* of arrays: longer ones show elements only */
const INSPECT_LENGTH_MAX = 100000;
const INSPECT_WIDTH = 76;
const INSPECT_TABLE_ROWS_MAX = 1000;
const INSPECT_TABLE_COLUMNS_MAX = 50;

/* Own data of an object: a descriptor's fields, with nothing from Object.prototype. */
function dataOf(object, key) {
	const found = getDescriptor(object, key);
	return found !== undefined && hasOwn(found, 'value') ? found.value : undefined;
}

/* -------------------------------------------------------------------------------------------- */

const plainText = /^[^\0-\x1f'\\\x7f-\x9f\ud800-\udfff]*$/;
const escapes = {
	__proto__: null,
	8: '\\b',
	9: '\\t',
	10: '\\n',
	12: '\\f',
	13: '\\r',
	92: '\\\\',
};

/* A string as it would be written in source. */
function quoted(string) {
	if (regExpExec(plainText, string) !== null) {
		return "'" + string + "'";
	}
	const mark = !stringIncludes(string, "'")
		? "'"
		: !stringIncludes(string, '"')
			? '"'
			: !stringIncludes(string, '`') && !stringIncludes(string, '${')
				? '`'
				: "'";
	let out = mark;
	for (let i = 0; i < string.length; i++) {
		const code = charCodeAt(string, i);
		if (code >= 0xd800 && code < 0xe000) {
			const point = codePointAt(string, i);
			if (point > 0xffff) {
				out += stringSlice(string, i, i + 2);
				i++;
			} else {
				out += '\\u' + numberToString(code, 16);
			}
		} else if (escapes[code] !== undefined) {
			out += escapes[code];
		} else if (code < 32 || (code >= 127 && code < 160)) {
			out += '\\x' + (code < 16 ? '0' : '') + numberToString(code, 16);
		} else {
			out += string[i] === mark ? '\\' + mark : string[i];
		}
	}
	return out + mark;
}

function primitive(value) {
	switch (typeof value) {
		case 'string': {
			const over = value.length - INSPECT_STRING_MAX;
			return over > 0
				? quoted(stringSlice(value, 0, INSPECT_STRING_MAX)) +
						'... ' +
						over +
						' more character' +
						(over > 1 ? 's' : '')
				: quoted(value);
		}
		case 'bigint':
			return bigintToString(value) + 'n';
		case 'symbol':
			return symbolToString(value);
		case 'number':
			return objectIs(value, -0) ? '-0' : '' + value;
		default:
			return '' + value;
	}
}

const identifier = /^[A-Za-z_$][\w$]*$/;
function keyText(key) {
	if (typeof key === 'symbol') {
		return '[' + symbolToString(key) + ']';
	}
	return regExpExec(identifier, key) !== null ? key : quoted(clip(key, 200));
}

/* -------------------------------------------------------------------------------------------- */

/* The nearest prototype that says who made the object. */
function makerName(value) {
	let at = value;
	for (let i = 0; i < 100 && at !== null && host.kind(at) !== 'Proxy'; i++) {
		const maker = dataOf(at, 'constructor');
		if (typeof maker === 'function' && host.kind(maker) !== 'Proxy') {
			const name = dataOf(maker, 'name');
			if (typeof name === 'string' && name !== '') {
				return clip(name, 80);
			}
		}
		at = getPrototypeOf(at);
	}
	return null;
}

function tagOf(value) {
	let at = value;
	for (let i = 0; i < 100 && at !== null && host.kind(at) !== 'Proxy'; i++) {
		const found = getDescriptor(at, SymbolToStringTag);
		if (found !== undefined) {
			const tag = hasOwn(found, 'value') ? found.value : undefined;
			return typeof tag === 'string' ? clip(tag, 80) : '';
		}
		at = getPrototypeOf(at);
	}
	return '';
}

/* Whether an object is of the plain sort, which needs no search for its maker and tag. */
function isPlain(value, kind) {
	return (
		getPrototypeOf(value) === (kind === 'Array' ? p.ArrayPrototype : p.ObjectPrototype) &&
		!hasOwn(value, 'constructor') &&
		!hasOwn(value, SymbolToStringTag)
	);
}

/* "Name " or "Name(3) ", with "[tag] " when the tag says something else; `usual` goes unsaid. */
function prefix(value, kind, usual, size) {
	if (usual === kind && isPlain(value, kind)) {
		return '';
	}
	const maker = makerName(value);
	const name = maker === null ? '[' + kind + ': null prototype]' : maker;
	const tag = tagOf(value);
	const tagged = tag !== '' && tag !== name ? '[' + tag + '] ' : '';
	if (name === usual && tagged === '') {
		return '';
	}
	return name + (size === undefined ? '' : '(' + size + ')') + ' ' + tagged;
}

/* -------------------------------------------------------------------------------------------- */

/* The state of one call; `open` are the objects we are in, `rings` those that came up again. */
function stateNew(depth) {
	return {
		__proto__: null,
		depth,
		left: INSPECT_LENGTH_MAX,
		open: list(),
		rings: list(),
		indent: 0,
		deepest: 0,
	};
}

function ringNumber(state, value) {
	const { rings } = state;
	for (let i = 0; i < rings.length; i++) {
		if (rings[i] === value) {
			return i + 1;
		}
	}
	rings[rings.length] = value;
	return rings.length;
}

/* What a Proxy, or a Proxy of a Proxy, stands for; null when it was revoked. */
function unwrap(value) {
	while (value !== null && host.kind(value) === 'Proxy') {
		try {
			value = host.target(value);
		} catch {
			return null;
		}
		if (typeof value !== 'object' && typeof value !== 'function') {
			return null;
		}
	}
	return value;
}

function show(state, value, level) {
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		const text = primitive(value);
		state.left -= text.length;
		return text;
	}
	value = unwrap(value);
	if (value === null) {
		return '<Revoked Proxy>';
	}
	const { open } = state;
	for (let i = 0; i < level; i++) {
		if (open[i] === value) {
			return '[Circular *' + ringNumber(state, value) + ']';
		}
	}
	open[level] = value;
	const text = showObject(state, value, level);
	for (let i = 0; i < state.rings.length; i++) {
		if (state.rings[i] === value) {
			return '<ref *' + (i + 1) + '> ' + text;
		}
	}
	return text;
}

/* How each kind begins, what brackets it has, and what is in it besides properties. */
function shape(value, kind) {
	const out = {
		__proto__: null,
		base: '',
		before: '',
		open: '{',
		close: '}',
		items: undefined,
		size: 0,
	};
	if (typeof value === 'function') {
		out.base = functionBase(value, kind);
		return out;
	}
	if (typedName(value) !== undefined) {
		out.size = typedLength(value);
		out.before = prefix(value, kind, '', out.size);
		out.open = '[';
		out.close = ']';
		out.items = typedItems;
		return out;
	}
	if (errorIs(value)) {
		out.base = errorBase(value);
		return out;
	}
	const fill = shapes[kind];
	if (fill !== undefined) {
		fill(out, value, kind);
	} else {
		out.before = prefix(value, 'Object', 'Object', undefined);
	}
	return out;
}

function shapeArray(out, value, kind) {
	out.size = value.length;
	out.before =
		kind === 'Arguments' ? '[Arguments] ' : prefix(value, 'Array', 'Array', out.size);
	out.open = '[';
	out.close = ']';
	out.items = arrayItems;
}

function shapeMap(out, value) {
	out.size = mapSize(value);
	out.before = prefix(value, 'Map', '', out.size);
	out.items = mapItems;
}

function shapeSet(out, value) {
	out.size = setSize(value);
	out.before = prefix(value, 'Set', '', out.size);
	out.items = setItems;
}

function shapeDate(out, value) {
	const time = dateGetTime(value);
	out.base = time === time ? dateToISOString(value) : 'Invalid Date';
}

function shapeRegExp(out, value) {
	out.base = '/' + p.regExpSource(value) + '/' + p.regExpFlags(value);
}

function shapeWrapped(out, value, kind) {
	const read = {
		__proto__: null,
		Number: numberValueOf,
		String: stringValueOf,
		Boolean: booleanValueOf,
		Symbol: symbolValueOf,
		BigInt: bigintValueOf,
	}[kind];
	out.base = '[' + kind + ': ' + primitive(read(value)) + ']';
}

function shapePromise(out, value) {
	out.before = prefix(value, 'Promise', '', undefined);
	out.items = promiseItems;
}

function shapeWeak(out, value, kind) {
	out.before = prefix(value, kind, '', undefined);
	out.items = weakItems;
}

function shapeBuffer(out, value, kind) {
	out.before = prefix(value, kind, '', undefined);
	out.items = kind === 'DataView' ? viewItems : bufferItems;
}

function shapeIterator(out, value, kind) {
	out.before = 'Object [' + kind + '] ';
}

const shapes = {
	__proto__: null,
	Array: shapeArray,
	Arguments: shapeArray,
	Map: shapeMap,
	Set: shapeSet,
	Date: shapeDate,
	RegExp: shapeRegExp,
	Number: shapeWrapped,
	String: shapeWrapped,
	Boolean: shapeWrapped,
	Symbol: shapeWrapped,
	BigInt: shapeWrapped,
	Promise: shapePromise,
	WeakMap: shapeWeak,
	WeakSet: shapeWeak,
	WeakRef: shapeWeak,
	ArrayBuffer: shapeBuffer,
	SharedArrayBuffer: shapeBuffer,
	DataView: shapeBuffer,
	Generator: shapeIterator,
	AsyncGenerator: shapeIterator,
	'Map Iterator': shapeIterator,
	'Set Iterator': shapeIterator,
	'Array Iterator': shapeIterator,
	'String Iterator': shapeIterator,
	'RegExp String Iterator': shapeIterator,
};

function errorSafe(read) {
	try {
		return read();
	} catch {
		return '';
	}
}

function functionBase(value, kind) {
	const name = dataOf(value, 'name');
	const text = typeof name === 'string' && name !== '' ? clip(name, 80) : '';
	if (
		kind === 'Function' &&
		startsWith(
			errorSafe(() => functionToString(value)),
			'class',
		)
	) {
		const parent = getPrototypeOf(value);
		const above =
			typeof parent === 'function' ? dataOf(unwrap(parent) ?? parent, 'name') : '';
		return (
			'[class ' +
			(text === '' ? '(anonymous)' : text) +
			(typeof above === 'string' && above !== '' ? ' extends ' + clip(above, 80) : '') +
			']'
		);
	}
	const what =
		kind === 'AsyncFunction' ||
		kind === 'GeneratorFunction' ||
		kind === 'AsyncGeneratorFunction'
			? kind
			: 'Function';
	return '[' + what + (text === '' ? ' (anonymous)' : ': ' + text) + ']';
}

function errorBase(value) {
	const text = errorHeader(value) + errorFramesText(value, '\n    at ');
	return text === '' ? '[Error]' : clip(text, INSPECT_STRING_MAX);
}

/* -------------------------------------------------------------------------------------------- */

/* Each of these adds what is in `value` to `out`, at most INSPECT_ITEMS_MAX lines. */
function more(out, count) {
	if (count > 0) {
		out[out.length] = '... ' + count + ' more item' + (count > 1 ? 's' : '');
	}
}

function arrayItems(state, value, level, out) {
	const { length } = value;
	let i = 0;
	let empty = 0;
	while (i < length && out.length < INSPECT_ITEMS_MAX && state.left > 0) {
		const found = getDescriptor(value, i);
		if (found === undefined) {
			/* holes in an array of a billion are not worth counting one by one */
			const next = nextIndex(value, i, length);
			empty = next - i;
			out[out.length] = '<' + empty + ' empty item' + (empty > 1 ? 's' : '') + '>';
			i = next;
			continue;
		}
		out[out.length] = member(state, found, level);
		i++;
	}
	more(out, length - i);
}

/*
 * The index behind the hole at `from`. After many holes the array is a sparse one, of which the list
 * of keys is short; of a dense one it would take more memory than the array.
 */
function nextIndex(value, from, length) {
	const near = min(length, from + INSPECT_KEYS_MAX);
	for (let i = from + 1; i < near; i++) {
		if (getDescriptor(value, i) !== undefined) {
			return i;
		}
	}
	if (near === length) {
		return length;
	}
	const keys = ownKeys(value);
	for (let i = 0; i < keys.length; i++) {
		const index = typeof keys[i] === 'string' ? +keys[i] : -1;
		if (index > from && index < length) {
			return index;
		}
	}
	return length;
}

function typedItems(state, value, level, out) {
	const length = typedLength(value);
	let i = 0;
	for (; i < length && i < INSPECT_ITEMS_MAX; i++) {
		out[i] = primitive(value[i]);
		state.left -= out[i].length;
	}
	more(out, length - i);
}

function mapItems(state, value, level, out) {
	const iterator = mapEntries(value);
	let count = 0;
	for (let step; count < INSPECT_ITEMS_MAX && state.left > 0; count++) {
		step = mapNext(iterator);
		if (step.done) {
			return;
		}
		out[count] =
			show(state, step.value[0], level + 1) +
			' => ' +
			show(state, step.value[1], level + 1);
	}
	more(out, mapSize(value) - count);
}

function setItems(state, value, level, out) {
	const iterator = setValues(value);
	let count = 0;
	for (let step; count < INSPECT_ITEMS_MAX && state.left > 0; count++) {
		step = setNext(iterator);
		if (step.done) {
			return;
		}
		out[count] = show(state, step.value, level + 1);
	}
	more(out, setSize(value) - count);
}

function promiseItems(state, value, level, out) {
	out[0] = '<await it to see its value>';
}

function weakItems(state, value, level, out) {
	out[0] =
		host.kind(value) === 'WeakRef'
			? show(state, weakRefDeref(value), level + 1)
			: '<items unknown>';
}

function bufferItems(state, value, level, out) {
	const shared = host.kind(value) === 'SharedArrayBuffer';
	const length = shared ? sharedByteLength(value) : bufferByteLength(value);
	const count = min(length, 50);
	let hex = '';
	const bytes = count > 0 ? new p.Uint8Array(value) : undefined;
	for (let i = 0; i < count; i++) {
		hex += (i > 0 ? ' ' : '') + (bytes[i] < 16 ? '0' : '') + numberToString(bytes[i], 16);
	}
	out[0] =
		'[Uint8Contents]: <' +
		hex +
		(length > count ? ' ... ' + (length - count) + ' more bytes' : '') +
		'>';
	out[1] = 'byteLength: ' + length;
}

function viewItems(state, value, level, out) {
	out[0] = 'byteLength: ' + errorSafe(() => viewByteLength(value));
	out[1] = 'byteOffset: ' + errorSafe(() => viewByteOffset(value));
}

/* A property's value, or what its accessors are. */
function member(state, found, level) {
	if (hasOwn(found, 'value')) {
		return show(state, found.value, level + 1);
	}
	return found.get === undefined
		? '[Setter]'
		: found.set === undefined
			? '[Getter]'
			: '[Getter/Setter]';
}

/* The enumerable properties that `items` has not shown; an error's cause and errors as well. */
function properties(state, value, shaped, level, out) {
	const indexed = shaped.items === arrayItems || shaped.items === typedItems;
	if (indexed && shaped.size > INSPECT_KEYS_MAX) {
		return;
	}
	const keys = ownKeys(value);
	const error = shaped.base !== '' && errorIs(value);
	const text = host.kind(value) === 'String';
	let shown = 0;
	for (let i = indexed ? shaped.size : 0; i < keys.length; i++) {
		const key = keys[i];
		if ((indexed || text) && typeof key === 'string' && +key >= 0) {
			continue;
		}
		const found = getDescriptor(value, key);
		const hidden = found === undefined || !found.enumerable;
		if (
			error
				? key === 'stack' ||
					key === 'message' ||
					key === 'name' ||
					(hidden && key !== 'cause' && key !== 'errors')
				: hidden
		) {
			continue;
		}
		if (shown++ >= INSPECT_ITEMS_MAX || state.left <= 0) {
			out[out.length] = '... more properties';
			return;
		}
		state.indent += 2;
		out[out.length] =
			(hidden ? '[' + key + ']' : keyText(key)) + ': ' + member(state, found, level);
		state.indent -= 2;
	}
}

function showObject(state, value, level) {
	const kind = host.kind(value) ?? 'Object';
	const shaped = shape(value, kind);
	if (level > state.depth) {
		const name = makerName(value);
		return shaped.base !== '' && !errorIs(value)
			? shaped.base
			: '[' + (name === null ? kind + ': null prototype' : name) + ']';
	}
	state.deepest = level;
	const out = list();
	state.indent += 2;
	if (shaped.items !== undefined) {
		shaped.items(state, value, level, out);
	}
	state.indent -= 2;
	const items = out.length;
	properties(state, value, shaped, level, out);
	let { base } = shaped;
	if (base !== '') {
		state.left -= base.length;
		base =
			state.indent > 0
				? replaceLines(base, '\n' + stringRepeat(' ', state.indent))
				: base;
		if (out.length === 0) {
			return base;
		}
	}
	if (out.length === 0) {
		return shaped.before + shaped.open + shaped.close;
	}
	return layOut(state, shaped, base, out, items, level);
}

/* On one line when it fits and is not much nested; short items of an array in rows. */
function layOut(state, shaped, base, out, items, level) {
	const start = shaped.before + (base === '' ? '' : base + ' ') + shaped.open;
	const pad = '\n' + stringRepeat(' ', state.indent);
	let total = start.length + out.length + state.indent;
	let widest = 0;
	let flat = !stringIncludes(base, '\n');
	for (let i = 0; i < out.length; i++) {
		total += out[i].length + 1;
		widest = startsWith(out[i], '... ') ? widest : max(widest, out[i].length);
		flat = flat && !stringIncludes(out[i], '\n');
	}
	if (flat && total <= INSPECT_WIDTH && state.deepest - level < 3) {
		return start + ' ' + arrayJoin(out, ', ') + ' ' + shaped.close;
	}
	if (shaped.open === '[' && items > 6 && items === out.length && flat && widest <= 16) {
		return start + pad + '  ' + rows(out, widest, pad) + pad + shaped.close;
	}
	return start + pad + '  ' + arrayJoin(out, ',' + pad + '  ') + pad + shaped.close;
}

/* Columns of equal width, numbers to the right. */
function rows(out, widest, pad) {
	const last = out[out.length - 1];
	const count = startsWith(last, '... ') ? out.length - 1 : out.length;
	const columns = max(1, min(16, floor(INSPECT_WIDTH / (widest + 2))));
	const right = regExpExec(/^-?[\d.]+(?:e[+-]?\d+)?n?$/, out[0]) !== null;
	let text = '';
	for (let i = 0; i < count; i++) {
		const comma = i + 1 < out.length ? ',' : '';
		const end = i + 1 === count || (i + 1) % columns === 0;
		const cell = right ? p.padStart(out[i], widest) + comma : out[i] + comma;
		text += right || end ? cell : padEnd(cell, widest + 1);
		text += i + 1 === count ? '' : end ? pad + '  ' : ' ';
	}
	return count < out.length ? text + pad + '  ' + last : text;
}

/* -------------------------------------------------------------------------------------------- */

function inspect(value, depth) {
	const state = stateNew(depth === undefined ? INSPECT_DEPTH : depth);
	const text = show(state, value, 0);
	/* indentation and brackets are not counted on the way; they stay within this */
	return text.length > 2 * INSPECT_LENGTH_MAX ? clip(text, 2 * INSPECT_LENGTH_MAX) : text;
}

/* console.dir: of the options only depth says anything here. */
function dir(value, options) {
	const depth = options !== null && typeof options === 'object' ? options.depth : undefined;
	return inspect(
		value,
		depth === null || depth === Infinity
			? 100
			: typeof depth === 'number' && depth >= 0
				? min(depth, 100)
				: undefined,
	);
}

function shownArgument(value) {
	return typeof value === 'string' ? value : inspect(value, undefined);
}

/* One % directive of a format. */
function directive(letter, value) {
	switch (letter) {
		case 's':
			if (typeof value === 'bigint' || objectIs(value, -0)) {
				return primitive(value);
			}
			return value !== null && (typeof value === 'object' || typeof value === 'function')
				? inspect(value, 0)
				: typeof value === 'symbol'
					? symbolToString(value)
					: '' + value;
		case 'd':
			if (typeof value === 'bigint') {
				return primitive(value);
			}
			return typeof value === 'symbol' || typeof value === 'object'
				? 'NaN'
				: primitive(+value);
		case 'i':
			if (typeof value === 'bigint') {
				return primitive(value);
			}
			return typeof value === 'symbol' || typeof value === 'object'
				? 'NaN'
				: primitive(p.trunc(parseFloat(value)));
		case 'f':
			return typeof value === 'symbol' ? 'NaN' : primitive(parseFloat(value));
		case 'j':
			return errorSafe(() => jsonStringify(value)) ?? 'undefined';
		case 'o':
		case 'O':
			return inspect(value, undefined);
		default:
			return '';
	}
}

/* console.log's arguments as one string. */
function format(args) {
	const count = args.length;
	let out = '';
	let next = 0;
	if (count > 1 && typeof args[0] === 'string' && stringIncludes(args[0], '%')) {
		const text = args[0];
		next = 1;
		let start = 0;
		for (;;) {
			const at = stringIndexOf(text, '%', start);
			if (at < 0 || at + 1 >= text.length) {
				out += stringSlice(text, start);
				break;
			}
			const letter = text[at + 1];
			const known = stringIncludes('sdifjoOc', letter) && next < count;
			out += stringSlice(text, start, at);
			out +=
				letter === '%' ? '%' : known ? directive(letter, args[next++]) : '%' + letter;
			start = at + 2;
		}
	}
	for (; next < count; next++) {
		out += (next > 0 ? ' ' : '') + shownArgument(args[next]);
	}
	return out;
}

/* -------------------------------------------------------------------------------------------- */

/* [index, value] of what console.table shows as rows; undefined when it is no table. */
function tableRows(data) {
	const rowsOut = list();
	const kind = host.kind(data);
	if (kind === 'Map' || kind === 'Set') {
		const iterator = kind === 'Map' ? mapEntries(data) : setValues(data);
		for (let i = 0; i < INSPECT_TABLE_ROWS_MAX; i++) {
			const step = kind === 'Map' ? mapNext(iterator) : setNext(iterator);
			if (step.done) {
				break;
			}
			rowsOut[i] =
				kind === 'Map'
					? { __proto__: null, index: cell(step.value[0]), value: step.value[1] }
					: { __proto__: null, index: '' + i, value: step.value };
		}
		return rowsOut;
	}
	const keys = isArray(data) ? undefined : ownKeys(data);
	const count = keys === undefined ? data.length : keys.length;
	for (let i = 0; i < count && rowsOut.length < INSPECT_TABLE_ROWS_MAX; i++) {
		const key = keys === undefined ? '' + i : keys[i];
		const found = typeof key === 'string' ? getDescriptor(data, key) : undefined;
		if (found !== undefined && found.enumerable) {
			rowsOut[rowsOut.length] = {
				__proto__: null,
				index: key,
				value: hasOwn(found, 'value') ? found.value : undefined,
			};
		}
	}
	return rowsOut;
}

function cell(value) {
	return clip(inspect(value, 0), 200);
}

/* Names of the columns, in order of first sight, or those that were asked for. */
function tableColumns(rowsIn, wanted) {
	const names = list();
	const seen = new p.Set();
	const add = (key) => {
		if (
			typeof key === 'string' &&
			names.length < INSPECT_TABLE_COLUMNS_MAX &&
			!p.setHas(seen, key)
		) {
			p.setAdd(seen, key);
			names[names.length] = key;
		}
	};
	if (isArray(wanted)) {
		for (let i = 0; i < wanted.length; i++) {
			add('' + wanted[i]);
		}
		return names;
	}
	for (let i = 0; i < rowsIn.length; i++) {
		const row = unwrapObject(rowsIn[i].value);
		if (row === undefined) {
			continue;
		}
		const keys = ownKeys(row);
		for (let k = 0; k < keys.length; k++) {
			const found = getDescriptor(row, keys[k]);
			if (found !== undefined && found.enumerable) {
				add(keys[k]);
			}
		}
	}
	return names;
}

function unwrapObject(value) {
	if (value === null || typeof value !== 'object') {
		return undefined;
	}
	return unwrap(value) ?? undefined;
}

function tableCell(row, key) {
	const object = unwrapObject(row);
	const found = object === undefined ? undefined : getDescriptor(object, key);
	return found === undefined ? '' : hasOwn(found, 'value') ? cell(found.value) : '[Getter]';
}

function table(data, wanted) {
	const object = unwrapObject(data);
	if (object === undefined) {
		return undefined;
	}
	const rowsIn = tableRows(object);
	const names = tableColumns(rowsIn, wanted);
	const grid = list();
	grid[0] = list();
	grid[0][0] =
		host.kind(object) === 'Map' || host.kind(object) === 'Set'
			? '(iteration index)'
			: '(index)';
	for (let i = 0; i < names.length; i++) {
		grid[0][i + 1] = names[i];
	}
	let values = false;
	for (let r = 0; r < rowsIn.length; r++) {
		const { index, value } = rowsIn[r];
		const line = list();
		line[0] = index;
		for (let i = 0; i < names.length; i++) {
			line[i + 1] = tableCell(value, names[i]);
		}
		const plain = unwrapObject(value) === undefined;
		line[names.length + 1] = plain ? cell(value) : '';
		values = values || plain;
		grid[r + 1] = line;
	}
	if (values) {
		grid[0][names.length + 1] = 'Values';
	}
	return drawTable(grid, names.length + (values ? 2 : 1));
}

function drawTable(grid, columns) {
	const widths = list();
	for (let c = 0; c < columns; c++) {
		let widest = 0;
		for (let r = 0; r < grid.length; r++) {
			widest = max(widest, grid[r][c].length);
		}
		widths[c] = widest + 2;
	}
	const rule = (left, middle, right) => {
		let text = left;
		for (let c = 0; c < columns; c++) {
			text += stringRepeat('─', widths[c]) + (c + 1 < columns ? middle : right);
		}
		return text;
	};
	let out = rule('┌', '┬', '┐');
	for (let r = 0; r < grid.length; r++) {
		out += '\n│';
		for (let c = 0; c < columns; c++) {
			out += padEnd(' ' + grid[r][c], widths[c]) + '│';
		}
		out += r === 0 ? '\n' + rule('├', '┼', '┤') : '';
	}
	return out + '\n' + rule('└', '┴', '┘');
}

return { __proto__: null, inspect, format, dir, table };
