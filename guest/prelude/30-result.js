// SPDX-License-Identifier: MIT
/*
 * The value of a script as JSON text. JSON.stringify does the writing; this file decides what it
 * may see and says in notes what is not as it was.
 *
 * Small plain values, and large ones made of long lists of primitives, are looked at first
 * (resultPlain) and then written by the engine alone. Others go through a replacer, which the
 * engine calls with each value once, after any getter and toJSON. Either way user code in getters,
 * proxies and toJSON runs as often, and in the same order, as under JSON.stringify. (An array
 * element that is itself a getter runs twice on the first way; to look for those would double the
 * cost of every array.)
 */
const RESULT_DEPTH_MAX = 1000;
const RESULT_NOTES_MAX = 10;
const RESULT_PLAIN_MAX = 200;
const RESULT_PATH_MAX = 100;

/* Why a value can not be a result; the private field tells it from anything user code throws. */
class ResultFailure {
	#message;
	#hint;

	constructor(message, hint) {
		this.#message = message;
		this.#hint = hint;
	}

	/* {message, hint}, or undefined for other values. */
	static read(error) {
		return typeof error === 'object' && error !== null && #message in error
			? { __proto__: null, message: error.#message, hint: error.#hint }
			: undefined;
	}
}

p.ResultFailure = ResultFailure;

/* Where notes gather: at most RESULT_NOTES_MAX are kept, all are counted. */
function resultNotes() {
	return { __proto__: null, lines: list(), count: 0, left: 0, leftAt: undefined };
}

function resultNote(notes, path, what) {
	if (notes.count++ < RESULT_NOTES_MAX) {
		notes.lines[notes.lines.length] = path + ': ' + what;
	}
}

/* Undefined members are everyday: one note for all of them. */
function resultNotesDone(notes) {
	if (notes.left > 0) {
		const more = notes.left > 1 ? ' (and ' + (notes.left - 1) + ' more)' : '';
		notes.count++;
		if (notes.lines.length < RESULT_NOTES_MAX) {
			notes.lines[notes.lines.length] = notes.leftAt + ': undefined was left out' + more;
		}
		notes.left = 0;
	}
}

/* Whether the engine alone writes an object of this kind as we would. Runs no user code. */
function resultPlainObject(value) {
	const kind = host.kind(value);
	if (kind === 'Array') {
		return !('toJSON' in value);
	}
	if (kind !== 'Object' || 'toJSON' in value) {
		return false;
	}
	const prototype = getPrototypeOf(value);
	return prototype === ObjectPrototype || prototype === null;
}

/* Whether this primitive is written without loss. */
function resultPlainPrimitive(value) {
	switch (typeof value) {
		case 'string':
		case 'boolean':
			return true;
		case 'number':
			return value - value === 0;
		default:
			return value === null;
	}
}

/*
 * Whether all of `root` is plain, without getters: then nothing can run user code or get lost.
 * Gives up after RESULT_PLAIN_MAX properties, for which the replacer is as fast; elements of
 * arrays are cheap to look at and not counted. Also false for cycles, by the depth.
 */
function resultPlain(root) {
	if (!resultPlainObject(root)) {
		return false;
	}
	const objects = list();
	const keyLists = list();
	const places = list();
	let top = 0;
	let left = RESULT_PLAIN_MAX;
	let object = root;
	let keys = isArray(root) ? null : objectKeys(root);
	let i = 0;
	for (;;) {
		const count = keys === null ? object.length : keys.length;
		let value;
		let inner = false;
		while (i < count && !inner) {
			if (keys === null) {
				value = object[i++];
			} else {
				const key = keys[i++];
				if (--left < 0 || lookupGetter(object, key) !== undefined) {
					return false;
				}
				value = object[key];
			}
			const type = typeof value;
			if (type === 'number') {
				if (value - value !== 0) {
					return false;
				}
			} else if (type === 'object') {
				inner = value !== null;
			} else if (type !== 'string' && type !== 'boolean') {
				return false;
			}
		}
		if (inner) {
			if (--left < 0 || top >= RESULT_DEPTH_MAX || !resultPlainObject(value)) {
				return false;
			}
			objects[top] = object;
			keyLists[top] = keys;
			places[top++] = i;
			object = value;
			keys = isArray(value) ? null : objectKeys(value);
			i = 0;
		} else if (top > 0) {
			object = objects[--top];
			keys = keyLists[top];
			i = places[top];
		} else {
			return true;
		}
	}
}

const resultIdentifier = /^[A-Za-z_$][\w$]*$/;

/* One step of a path: ".name", "[3]" or '["odd name"]'. */
function resultStep(holder, key) {
	if (isArray(holder)) {
		return '[' + key + ']';
	}
	const text = clip(key, 60);
	return p.regExpExec(resultIdentifier, text) !== null ? '.' + text : '[' + quote(text) + ']';
}

/*
 * The state of one stringify call: the containers that are open, outermost first. `seen` holds
 * them as user code knows them, `opened` as the engine sees them (a Map is written as an array),
 * `keys` the step that led to each. Paths begin with `root`; errors are about `what`.
 */
function resultState(notes, root, what) {
	return {
		__proto__: null,
		notes,
		root,
		what,
		opened: list(),
		seen: list(),
		keys: list(),
		depth: 0,
	};
}

function resultPath(state, upTo) {
	let path = state.root;
	for (let i = 1; i < upTo; i++) {
		if (path.length > RESULT_PATH_MAX) {
			return path + '…';
		}
		path += resultStep(state.opened[i - 1], state.keys[i]);
	}
	return path;
}

/* The path of `key` in the container that is open last. */
function resultPathOf(state, key) {
	const { depth } = state;
	return depth === 0
		? state.root
		: resultPath(state, depth) + resultStep(state.opened[depth - 1], key);
}

/* Closes the containers that the engine has left: `holder` is the one it is in. */
function resultEnter(state, holder) {
	while (state.depth > 0 && state.opened[state.depth - 1] !== holder) {
		state.depth--;
	}
}

/* A Map or Set as an array. */
function resultItems(value, isMap) {
	const items = list();
	const iterator = isMap ? mapEntries(value) : setValues(value);
	for (;;) {
		const step = isMap ? mapNext(iterator) : setNext(iterator);
		if (step.done) {
			return items;
		}
		items[items.length] = step.value;
	}
}

/* A typed array, or the bytes of a buffer, as an array of numbers. */
function resultNumbers(value, kind) {
	const typed =
		kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer'
			? new p.Uint8Array(value)
			: value;
	const items = list();
	const count = typedLength(typed);
	for (let i = 0; i < count; i++) {
		items[i] = typed[i];
	}
	return items;
}

/* Objects that are written as something else, or as "{}" though there is more to them. */
function resultConvert(state, key, value) {
	const kind = host.kind(value);
	if (kind === 'Map' || kind === 'Set') {
		for (let i = 0; i < state.depth; i++) {
			if (state.seen[i] === value) {
				throw resultCycle(state, key, i + 1);
			}
		}
		resultNote(
			state.notes,
			resultPathOf(state, key),
			kind === 'Map' ? 'Map became an array of [key, value]' : 'Set became an array',
		);
		return resultItems(value, kind === 'Map');
	}
	if (errorIs(value)) {
		resultNote(state.notes, resultPathOf(state, key), 'an Error became {name, message}');
		const { name, message } = errorSummary(value, ERROR_CAUSES_MAX);
		return { __proto__: null, name, message };
	}
	if (
		typedName(value) !== undefined ||
		kind === 'ArrayBuffer' ||
		kind === 'SharedArrayBuffer'
	) {
		resultNote(state.notes, resultPathOf(state, key), kind + ' became an array of numbers');
		return resultNumbers(value, kind);
	}
	if (kind === 'Promise') {
		resultNote(
			state.notes,
			resultPathOf(state, key),
			'a promise became {}: await it first',
		);
	} else if (!resultIsShown(kind) && objectKeys(value).length === 0) {
		resultNote(state.notes, resultPathOf(state, key), resultEmpty(value, kind));
	}
	return value;
}

/* Kinds that are written whole: arrays of a class, wrapped primitives, what traps answer. */
function resultIsShown(kind) {
	return (
		kind === 'Array' ||
		kind === 'Proxy' ||
		kind === 'String' ||
		kind === 'Number' ||
		kind === 'Boolean' ||
		kind === 'BigInt'
	);
}

function resultEmpty(value, kind) {
	const maker = errorRead(value, 'constructor');
	const own = typeof maker === 'function' ? errorRead(maker, 'name') : undefined;
	const name = typeof own === 'string' && own !== '' ? own : kind;
	const walks =
		endsWith(kind, 'Iterator') ||
		kind === 'Generator' ||
		kind === 'Iterator Helper' ||
		kind === 'Iterator Wrap';
	return walks
		? kind + ' became {}: spread it into an array, [...it]'
		: clip(name, 60) + ' became {}: it has no enumerable properties of its own';
}

function resultCycle(state, key, upTo) {
	return new ResultFailure(
		state.what +
			' contains itself: ' +
			resultPathOf(state, key) +
			' is ' +
			resultPath(state, upTo),
		'Use plain data: pick the fields you need into a new object.',
	);
}

/* What the replacer does with the values that are not simply written. */
function resultValue(state, holder, key, value) {
	resultEnter(state, holder);
	switch (typeof value) {
		case 'number':
			resultNote(state.notes, resultPathOf(state, key), value + ' became null');
			return null;
		case 'bigint':
			resultNote(state.notes, resultPathOf(state, key), 'BigInt became a string');
			return bigintToString(value);
		case 'undefined':
			if (isArray(holder)) {
				resultNote(state.notes, resultPathOf(state, key), 'undefined became null');
			} else if (state.depth > 0 && state.notes.left++ === 0) {
				state.notes.leftAt = resultPathOf(state, key);
			}
			return value;
		case 'object':
			return value === null
				? resultNull(state, holder, key)
				: resultOpen(state, key, value);
		default:
			return resultNone(state, holder, key, value);
	}
}

/* null may be what an invalid Date says for itself. */
function resultNull(state, holder, key) {
	const found = getDescriptor(holder, key);
	if (
		found !== undefined &&
		hasOwn(found, 'value') &&
		found.value !== null &&
		host.kind(found.value) === 'Date'
	) {
		resultNote(state.notes, resultPathOf(state, key), 'an invalid Date became null');
	}
	return null;
}

/* A function or a symbol. */
function resultNone(state, holder, key, value) {
	const what = typeof value === 'symbol' ? 'a symbol' : 'a function';
	if (state.depth === 0) {
		throw new ResultFailure(
			'the script returned ' + what,
			what === 'a symbol'
				? 'Return plain data.'
				: 'Call it: return its result, f(), not the function itself.',
		);
	}
	resultNote(
		state.notes,
		resultPathOf(state, key),
		what + (isArray(holder) ? ' became null' : ' was left out'),
	);
	return undefined;
}

function resultOpen(state, key, value) {
	const prototype = getPrototypeOf(value);
	let out = value;
	if (prototype !== ObjectPrototype && prototype !== ArrayPrototype && prototype !== null) {
		out = resultConvert(state, key, value);
	}
	resultPush(state, key, out, value);
	return out;
}

/* `key` led to the container `value`, which is written as `out`. */
function resultPush(state, key, out, value) {
	const { depth } = state;
	if (depth >= RESULT_DEPTH_MAX) {
		throw new ResultFailure(
			state.what +
				' is nested over ' +
				RESULT_DEPTH_MAX +
				' deep at ' +
				resultPathOf(state, key),
			'Make it flatter.',
		);
	}
	state.opened[depth] = out;
	state.seen[depth] = value;
	state.keys[depth] = key;
	state.depth = depth + 1;
}

/* The engine found a container inside itself: the one opened last is open twice. */
function resultFindCycle(state) {
	const last = state.depth - 1;
	for (let i = 0; i < last; i++) {
		if (state.opened[i] === state.opened[last]) {
			const key = state.keys[last];
			state.depth = last;
			return resultCycle(state, key, i + 1);
		}
	}
	return undefined;
}

/*
 * `root` as JSON, undefined when JSON.stringify says so. Throws what user code throws, or a
 * ResultFailure.
 */
function resultJson(root, notes) {
	if (
		typeof root === 'object' && root !== null
			? resultPlain(root)
			: resultPlainPrimitive(root)
	) {
		return jsonStringify(root);
	}
	const state = resultState(notes, '$', 'the result');
	const replacer = function (key, value) {
		const type = typeof value;
		if (
			type === 'string' ||
			type === 'boolean' ||
			(type === 'number' && value - value === 0)
		) {
			return value;
		}
		return resultValue(state, this, key, value);
	};
	try {
		return jsonStringify(root, replacer);
	} catch (error) {
		throw resultFindCycle(state) ?? error;
	} finally {
		resultNotesDone(notes);
	}
}
