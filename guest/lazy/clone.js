// SPDX-License-Identifier: MIT
/*
 * structuredClone. Works through a list of containers still to fill, so depth costs no stack.
 * Copies get their prototype last: until then nothing user code defines can get in the way.
 */
const {
	ArrayPrototype,
	DOMException,
	Date,
	Object,
	ObjectPrototype,
	RegExp,
	bufferByteLength,
	bufferDetached,
	bufferMaxByteLength,
	bufferResizable,
	bufferTransfer,
	dateGetTime,
	defineHidden,
	errorIs,
	errorRead,
	getDescriptor,
	hasOwn,
	host,
	list,
	mapEntries,
	mapGet,
	mapHas,
	mapNext,
	mapSet,
	objectKeys,
	regExpFlags,
	regExpSource,
	setAdd,
	setNext,
	setPrototypeOf,
	setValues,
	stringValueOf,
	numberValueOf,
	booleanValueOf,
	bigintValueOf,
	typedBuffer,
	typedByteOffset,
	typedLength,
	typedName,
	typedSet,
	viewBuffer,
	viewByteLength,
	viewByteOffset,
} = p;
const ByteArray = p.Uint8Array;
const constructors = p.typedConstructors;
const errorConstructors = {
	__proto__: null,
	Error: p.Error,
	EvalError: p.EvalError,
	RangeError: p.RangeError,
	ReferenceError: p.ReferenceError,
	SyntaxError: p.SyntaxError,
	TypeError: p.TypeError,
	URIError: p.URIError,
};

function refuse(what) {
	return new DOMException(what + ' could not be cloned', 'DataCloneError');
}

function nameOf(value) {
	if (typeof value === 'symbol') {
		return p.symbolToString(value);
	}
	if (typeof value === 'function') {
		return 'A function';
	}
	const kind = host.kind(value);
	return 'A ' + (kind === 'Object' || kind === undefined ? 'value' : kind);
}

function copyBuffer(buffer) {
	if (bufferDetached(buffer)) {
		throw refuse('A detached ArrayBuffer');
	}
	const length = bufferByteLength(buffer);
	const copy = bufferResizable(buffer)
		? new p.ArrayBuffer(length, {
				__proto__: null,
				maxByteLength: bufferMaxByteLength(buffer),
			})
		: new p.ArrayBuffer(length);
	typedSet(new ByteArray(copy), new ByteArray(buffer));
	return copy;
}

/* Makes the copy of one object, empty where it has parts; those go to the list of work. */
function shell(state, value) {
	const kind = host.kind(value);
	if (typeof value === 'function' || kind === 'Proxy') {
		throw refuse(nameOf(value));
	}
	const name = typedName(value);
	if (name !== undefined) {
		/* over an own buffer too: two views of one buffer stay so */
		const buffer = copyOf(state, typedBuffer(value));
		return new constructors[name](buffer, typedByteOffset(value), typedLength(value));
	}
	if (errorIs(value)) {
		return later(state, value, shellError(value), fillError);
	}
	switch (kind) {
		case 'Object':
		case 'Arguments':
			return later(state, value, { __proto__: null }, fillObject);
		case 'Array':
			return later(state, value, list(), fillArray);
		case 'Map':
			return later(state, value, new p.Map(), fillMap);
		case 'Set':
			return later(state, value, new p.Set(), fillSet);
		case 'Date':
			return new Date(dateGetTime(value));
		case 'RegExp':
			return new RegExp(regExpSource(value), regExpFlags(value));
		case 'ArrayBuffer':
			return copyBuffer(value);
		case 'DataView':
			return new p.DataView(
				copyOf(state, viewBuffer(value)),
				viewByteOffset(value),
				viewByteLength(value),
			);
		case 'String':
			return Object(stringValueOf(value));
		case 'Number':
			return Object(numberValueOf(value));
		case 'Boolean':
			return Object(booleanValueOf(value));
		case 'BigInt':
			return Object(bigintValueOf(value));
		default:
			throw refuse(nameOf(value));
	}
}

function later(state, value, copy, fill) {
	state.work[state.work.length] = { __proto__: null, value, copy, fill };
	return copy;
}

function copyOf(state, value) {
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		if (typeof value === 'symbol') {
			throw refuse(nameOf(value));
		}
		return value;
	}
	if (mapHas(state.copies, value)) {
		return mapGet(state.copies, value);
	}
	const copy = shell(state, value);
	mapSet(state.copies, value, copy);
	return copy;
}

function shellError(value) {
	if (host.kind(value) === 'DOMException') {
		return new DOMException(errorRead(value, 'message'), errorRead(value, 'name'));
	}
	const name = errorRead(value, 'name');
	const found = getDescriptor(value, 'message');
	const copy = new (errorConstructors[name] ?? p.Error)();
	if (found !== undefined && hasOwn(found, 'value')) {
		defineHidden(copy, 'message', `${found.value}`);
	}
	const stack = errorRead(value, 'stack');
	if (typeof stack === 'string') {
		defineHidden(copy, 'stack', stack);
	}
	return copy;
}

function fillError(state, value, copy) {
	const found = getDescriptor(value, 'cause');
	if (found !== undefined && hasOwn(found, 'value')) {
		defineHidden(copy, 'cause', copyOf(state, found.value));
	}
}

function fillObject(state, value, copy) {
	const keys = objectKeys(value);
	for (let i = 0; i < keys.length; i++) {
		copy[keys[i]] = copyOf(state, value[keys[i]]);
	}
	setPrototypeOf(copy, ObjectPrototype);
}

/* The list of keys of a long array would take more memory than the array: by index then. */
const KEYS_MAX = 10000;
const INDEX_MAX = 10000000;

function fillArray(state, value, copy) {
	const { length } = value;
	if (length > KEYS_MAX && length <= INDEX_MAX) {
		for (let i = 0; i < length; i++) {
			const item = value[i];
			if (item !== undefined || hasOwn(value, i)) {
				copy[i] = copyOf(state, item);
			}
		}
	} else {
		const keys = objectKeys(value);
		for (let i = 0; i < keys.length; i++) {
			copy[keys[i]] = copyOf(state, value[keys[i]]);
		}
	}
	/* not before: with a length ahead of its elements an array takes thrice the memory */
	if (copy.length !== length) {
		copy.length = length;
	}
	setPrototypeOf(copy, ArrayPrototype);
}

function fillMap(state, value, copy) {
	const iterator = mapEntries(value);
	for (;;) {
		const step = mapNext(iterator);
		if (step.done) {
			return;
		}
		mapSet(copy, copyOf(state, step.value[0]), copyOf(state, step.value[1]));
	}
}

function fillSet(state, value, copy) {
	const iterator = setValues(value);
	for (;;) {
		const step = setNext(iterator);
		if (step.done) {
			return;
		}
		setAdd(copy, copyOf(state, step.value));
	}
}

function run(value) {
	const state = { __proto__: null, copies: new p.Map(), work: list() };
	const copy = copyOf(state, value);
	for (let i = 0; i < state.work.length; i++) {
		const { value: from, copy: to, fill } = state.work[i];
		state.work[i] = undefined;
		fill(state, from, to);
	}
	return copy;
}

/* The buffers to move: each once, none detached. */
function transferList(options) {
	const out = list();
	const wanted = options === undefined || options === null ? undefined : options.transfer;
	if (wanted === undefined) {
		return out;
	}
	for (const item of wanted) {
		if (host.kind(item) !== 'ArrayBuffer' || bufferDetached(item)) {
			throw new DOMException(
				'Only an ArrayBuffer that is not detached can be transferred',
				'DataCloneError',
			);
		}
		for (let i = 0; i < out.length; i++) {
			if (out[i] === item) {
				throw new DOMException(
					'An ArrayBuffer is twice in the transfer list',
					'DataCloneError',
				);
			}
		}
		out[out.length] = item;
	}
	return out;
}

function structuredClone(value, options) {
	const moved = transferList(options);
	const copy = run(value);
	/* moving is copying and then taking the original away */
	for (let i = 0; i < moved.length; i++) {
		bufferTransfer(moved[i]);
	}
	return copy;
}

return { __proto__: null, structuredClone };
