// SPDX-License-Identifier: MIT
/*
 * Errors as a person wants to read them: `stack` for user code, describe() for the host.
 *
 * The engine's stack has no "Name: message" line and shows the prelude's own frames; both are put
 * right when it is read. Error.prepareStackTrace must go: it hands user code the functions that
 * are on the stack, the prelude's among them.
 *
 * describe() takes anything that can be thrown. It reads data properties through descriptors, so
 * it meets no Proxy trap, and calls a getter only inside a try.
 */
delete Error.prepareStackTrace;

const ERROR_NAME_MAX = 100;
const ERROR_MESSAGE_MAX = 4000;
const ERROR_FRAMES_MAX = 20;
const ERROR_CAUSES_MAX = 3;
const ERROR_LINE_MAX = 300;
const ERROR_NEAR_MAX = 60;
const ERROR_PLACE_LINE = 8388608;
const SCRIPT = 'script.js';

/* What is in a frame of the prelude: "<null>" without debug information, else its file name. */
const errorStackGet = getter(Error.prototype, 'stack');
const errorStackSet = setter(Error.prototype, 'stack');
const errorOwnFile = (() => {
	const stack = errorStackGet(new Error());
	const open = stringIndexOf(stack, '(');
	const file = stringSlice(stack, open, stringIndexOf(stack, ':', open) + 1);
	return file === '(' + SCRIPT + ':' ? '(<null>' : file;
})();

/*
 * A property as user code would see it, without Proxy traps; undefined when there is none or
 * reading it fails. Chains longer than any sane one end the search.
 */
function errorRead(object, key) {
	try {
		let at = object;
		for (let steps = 0; at !== null && steps < 100; steps++) {
			if (host.kind(at) === 'Proxy') {
				return undefined;
			}
			const found = getDescriptor(at, key);
			if (found !== undefined) {
				return hasOwn(found, 'value') ? found.value : apply(found.get, object, []);
			}
			at = getPrototypeOf(at);
		}
	} catch {
		/* a getter threw, or there was none: as good as no property */
	}
	return undefined;
}

/* A primitive as text; objects have none that is safe to ask for. */
function errorText(value) {
	switch (typeof value) {
		case 'string':
			return value;
		case 'undefined':
			return '';
		case 'symbol':
			return symbolToString(value);
		case 'object':
		case 'function':
			return value === null ? 'null' : '[object]';
		case 'number':
		case 'boolean':
		case 'bigint':
			return '' + value;
		default:
			/* the engine throws something of no type when it has no memory to make an error of */
			return 'null';
	}
}

function errorIs(value) {
	return isError(value) || host.kind(value) === 'DOMException';
}

/* "TypeError: it broke", as Error.prototype.toString has it. */
function errorHeader(error) {
	const name = errorRead(error, 'name');
	const head = name === undefined ? 'Error' : errorText(name);
	const message = errorText(errorRead(error, 'message'));
	return head === '' || message === '' ? head + message : head + ': ' + message;
}

/* Whether a descriptor is of a string. Its own fields only: user code may extend Object.prototype. */
function isText(descriptor) {
	return hasOwn(descriptor, 'value') && typeof descriptor.value === 'string';
}

/* The frames as the engine or Error.captureStackTrace left them, else ''. */
function errorRawStack(error) {
	const own = getDescriptor(error, 'stack');
	if (own !== undefined) {
		return isText(own) ? own.value : '';
	}
	const stack = isError(error) ? errorStackGet(error) : '';
	return typeof stack === 'string' ? stack : '';
}

/*
 * A frame line taken apart: `kind` is 'user', 'native' or 'own' (the prelude's); `text` the frame
 * without "at"; line and column are 0 unless it is in the script. Undefined for other lines.
 */
function errorFrame(line) {
	if (!startsWith(line, '    at ')) {
		return undefined;
	}
	let text = stringSlice(line, 7);
	if (endsWith(text, ' (native)')) {
		return { __proto__: null, kind: 'native', text, line: 0, column: 0 };
	}
	if (stringIncludes(text, '(<null>') || stringIncludes(text, errorOwnFile)) {
		return { __proto__: null, kind: 'own', text, line: 0, column: 0 };
	}
	/* JSON.parse puts the place in its text where a frame would be */
	if (startsWith(text, '<input>:')) {
		return undefined;
	}
	const open = stringIndexOf(text, '(' + SCRIPT + ':') + 1;
	if (open === 0 && !startsWith(text, SCRIPT + ':')) {
		return { __proto__: null, kind: 'user', text, line: 0, column: 0 };
	}
	const at = open + SCRIPT.length + 1;
	const colon = stringIndexOf(text, ':', at);
	let row = p.parseFloat(stringSlice(text, at, colon));
	let column = p.parseFloat(stringSlice(text, colon + 1));
	let place = host.place(row, column);
	if (place < 0) {
		if (startsWith(text, '<eval> (')) {
			return undefined;
		}
		place = -place;
	}
	if (place !== undefined) {
		column = place % ERROR_PLACE_LINE;
		row = (place - column) / ERROR_PLACE_LINE;
	}
	text = stringSlice(text, 0, at) + row + ':' + column + (open > 0 ? ')' : '');
	return { __proto__: null, kind: 'user', text, line: row, column };
}

/*
 * The user's frames of a raw stack. Native frames stay when user code called them; those that the
 * prelude called go with it.
 */
function errorFrames(raw) {
	const frames = list();
	let natives = list();
	let start = 0;
	while (start < raw.length && frames.length < ERROR_FRAMES_MAX) {
		let end = stringIndexOf(raw, '\n', start);
		if (end < 0) {
			end = raw.length;
		}
		const frame = end - start < 2000 ? errorFrame(stringSlice(raw, start, end)) : undefined;
		start = end + 1;
		if (frame === undefined) {
			continue;
		}
		if (frame.kind === 'native') {
			natives[natives.length] = frame;
			continue;
		}
		if (frame.kind === 'user') {
			for (let i = 0; i < natives.length; i++) {
				frames[frames.length] = natives[i];
			}
			frames[frames.length] = frame;
		}
		natives = list();
	}
	return frames;
}

/* `frames` as text: each with `before` in front and `after` behind. */
function errorFramesText(frames, before, after) {
	let out = '';
	for (let i = 0; i < frames.length && i < ERROR_FRAMES_MAX; i++) {
		out += before + clip(frames[i].text, ERROR_LINE_MAX) + after;
	}
	return out;
}

/* What `error.stack` is, here and in Node. */
function errorStack(error) {
	const raw = errorStackGet(error);
	if (typeof raw !== 'string') {
		return raw;
	}
	return errorHeader(error) + errorFramesText(errorFrames(raw), '\n    at ', '');
}
p.errorIs = errorIs;
p.errorRead = errorRead;
p.errorHeader = errorHeader;
p.errorFramesText = (error, before) =>
	errorFramesText(errorFrames(errorRawStack(error)), before, '');

{
	const { get, set } = Reflect.getOwnPropertyDescriptor(
		{
			get stack() {
				/* the engine's getter throws on primitives and says undefined for other objects */
				return isError(this) ? errorStack(this) : errorStackGet(this);
			},
			set stack(value) {
				errorStackSet(this, value);
			},
		},
		'stack',
	);
	define(Error.prototype, 'stack', {
		__proto__: null,
		get,
		set,
		enumerable: false,
		configurable: true,
	});

	const native = Error.captureStackTrace;
	const { captureStackTrace } = {
		captureStackTrace(target, above) {
			apply(native, Error, [target, above]);
			const own = getDescriptor(target, 'stack');
			if (own !== undefined && isText(own) && own.writable) {
				define(target, 'stack', {
					__proto__: null,
					value:
						errorHeader(target) +
						errorFramesText(errorFrames(own.value), '\n    at ', ''),
				});
			}
		},
	};
	defineHidden(Error, 'captureStackTrace', captureStackTrace);
}

/* Line `number` of `source`, or ''. */
function errorSourceLine(source, number) {
	let start = 0;
	for (let i = 1; i < number; i++) {
		start = stringIndexOf(source, '\n', start) + 1;
		if (start === 0) {
			return '';
		}
	}
	const end = stringIndexOf(source, '\n', start);
	return stringSlice(source, start, end < 0 ? source.length : end);
}

/* The script as its writer knows it, when the host can still say. */
function errorSource() {
	try {
		const source = host.source();
		return typeof source === 'string' ? source : '';
	} catch {
		return '';
	}
}

/*
 * The part of `line` around `column`. The engine says "not a function" without saying what, and
 * its column is now the name, now the dot, now the parenthesis: so the text is quoted, not parsed.
 */
function errorNear(line, column) {
	let start = max(0, column - ERROR_NEAR_MAX);
	while (start < column && (line[start] === ' ' || line[start] === '\t')) {
		start++;
	}
	return clip(
		p.stringTrim(stringSlice(line, start, column + ERROR_NEAR_MAX)),
		2 * ERROR_NEAR_MAX,
	);
}

const errorVague = {
	__proto__: null,
	'not a function': true,
	'not a constructor': true,
	'value is not iterable': true,
	'Cannot convert undefined or null to object': true,
};

/* Name, message, and what else the host wants, of an error or of a value that was thrown. */
function errorSummary(value, depth) {
	const out = { __proto__: null, name: 'Error', message: '' };
	const kind = host.kind(value);
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		out.message = clip(
			errorText(value === undefined ? 'undefined' : value),
			ERROR_MESSAGE_MAX,
		);
		return out;
	}
	if (kind === 'Proxy') {
		out.message = 'a Proxy was thrown';
		return out;
	}
	const message = errorRead(value, 'message');
	if (!errorIs(value) && typeof message !== 'string') {
		out.message = clip(errorThrown(value), ERROR_MESSAGE_MAX);
		return out;
	}
	const name = errorRead(value, 'name');
	if (typeof name === 'string' && name !== '') {
		out.name = clip(name, ERROR_NAME_MAX);
	}
	out.message = clip(errorText(message), ERROR_MESSAGE_MAX);
	const failure = toolFailure(value);
	if (failure !== undefined) {
		out.message = clip(failure.tool + ': ' + out.message, ERROR_MESSAGE_MAX);
		if (depth === 0) {
			out.code = clip(failure.code, ERROR_NAME_MAX);
			out.tool = clip(failure.tool, ERROR_LINE_MAX);
		}
	}
	const errors = name === 'AggregateError' ? errorRead(value, 'errors') : undefined;
	if (host.kind(errors) === 'Array') {
		out.message = clip(
			(out.message === '' ? 'All promises were rejected' : out.message) +
				errorList(errors),
			ERROR_MESSAGE_MAX,
		);
	}
	const cause = depth < ERROR_CAUSES_MAX ? errorRead(value, 'cause') : undefined;
	if (cause !== undefined && cause !== value) {
		out.cause = errorSummary(cause, depth + 1);
	}
	return out;
}

/* An object that is no error, as console.log would show it. */
function errorThrown(value) {
	try {
		return p.inspect(value, 2);
	} catch {
		return 'an object that is no error was thrown';
	}
}

/* The first errors of an AggregateError, a line each. */
function errorList(errors) {
	let out = '';
	for (let i = 0; i < errors.length && i < 5; i++) {
		const one = errorRead(errors, '' + i);
		out += '\n- ' + (errorIs(one) ? errorLine(one) : clip(errorText(one), ERROR_LINE_MAX));
	}
	return out + (errors.length > 5 ? '\n- and ' + (errors.length - 5) + ' more' : '');
}

/* One line for a note. */
function errorLine(value) {
	const { name, message } = errorSummary(value, ERROR_CAUSES_MAX);
	return clip(message === '' ? name : name + ': ' + message, ERROR_LINE_MAX);
}

p.errorLine = errorLine;

/* The object that describe() writes. */
function errorDescription(value) {
	const out = errorSummary(value, 0);
	const frames = errorIs(value) ? errorFrames(errorRawStack(value)) : list();
	let text = '';
	for (let i = 0; i < frames.length && out.line === undefined; i++) {
		if (frames[i].line > 0) {
			out.line = frames[i].line;
			out.column = frames[i].column;
			text = errorSourceLine(errorSource(), out.line);
			if (errorVague[out.message] && text !== '') {
				out.message += ': ' + errorNear(text, out.column);
			}
		}
	}
	out.stack = errorFramesText(frames, '', '\n');
	const failure = toolFailure(value);
	const hint =
		failure === undefined
			? errorHint(value, out, stringSlice(text, 0, 2000))
			: failure.hint;
	if (hint !== undefined) {
		out.hint = clip(hint, ERROR_MESSAGE_MAX);
	}
	return out;
}

/* Loading the hints takes memory, of which a failed run may have none left. */
function errorHint(value, description, line) {
	try {
		return lazy('hints').hintFor(value, description, line);
	} catch {
		return undefined;
	}
}

/*
 * A description as JSON, by hand: JSON.stringify of an object keeps a list on which Array.prototype
 * can have setters.
 */
function errorWrite(description) {
	const keys = p.ownKeys(description);
	let out = '{';
	for (let i = 0; i < keys.length; i++) {
		const value = description[keys[i]];
		out +=
			(i > 0 ? ',' : '') +
			quote(keys[i]) +
			':' +
			(typeof value === 'object' ? errorWrite(value) : quote(value));
	}
	return out + '}';
}

/*
 * The one of two descriptions that helps: `first` of a source read as JavaScript, undefined when it
 * was not, `second` of the same read as TypeScript. As JSON.
 */
function choose(first, second) {
	try {
		return errorWrite(lazy('hints').choose(first, second));
	} catch {
		return first ?? second;
	}
}

/* JSON for the host. Never throws what a script could catch. */
function describe(value) {
	try {
		return errorWrite(errorDescription(value));
	} catch {
		return '{"name":"Error","message":"the error could not be described","stack":""}';
	}
}
