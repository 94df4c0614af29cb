// SPDX-License-Identifier: MIT
/*
 * Tool calls that went wrong: their errors, and what is said of them.
 *
 * A failure is {code, message, hint, tool}; for what user code threw while the input was written,
 * {error}.
 */
const { Error, ResultFailure, clip, defineHidden, defineShown, errorLine, getDescriptor } = p;
const { isArray, jsonParse, list, mapForEach, mapHas, mapSize, setPrototypeOf } = p;
const { weakMapGet, weakMapSet } = p;
const NAMED_MAX = 5;

class ToolError extends Error {}
defineHidden(ToolError.prototype, 'name', 'ToolError');

/* Failures by the errors that tell of them. */
const failures = new p.WeakMap();
const failureOf = (value) => weakMapGet(failures, value);

/* Rejects the call's promise; the error was made, with its stack, when the call was. */
function reject(call, code, message, hint, tool) {
	const { error } = call;
	call.failure = { __proto__: null, code, message, hint, tool };
	setPrototypeOf(error, ToolError.prototype);
	defineHidden(error, 'message', message);
	defineShown(error, 'code', code);
	defineShown(error, 'tool', tool);
	if (hint !== undefined) {
		defineShown(error, 'hint', hint);
	}
	weakMapSet(failures, error, call.failure);
	call.reject(error);
}

/* The field `key` of what the host said, if it is text. */
function field(said, key) {
	const found = getDescriptor(said, key);
	return found !== undefined && typeof found.value === 'string' ? found.value : undefined;
}

/* The host's answer is that the call failed. */
function failed(call, text) {
	const said = jsonParse(text);
	reject(
		call,
		field(said, 'code') ?? 'INTERNAL',
		field(said, 'message') ?? '',
		field(said, 'hint'),
		field(said, 'tool') ?? call.tool,
	);
}

/* Asking for the call threw. */
function notSent(call, error) {
	const failure = ResultFailure.read(error);
	if (failure !== undefined) {
		reject(call, 'INVALID_INPUT', failure.message, failure.hint, call.tool);
	} else {
		call.failure = { __proto__: null, error };
		call.reject(error);
	}
}

function tooLate(call) {
	reject(
		call,
		'CANCELLED',
		'the script is over, so the tool was not called',
		'Await everything that the script starts.',
		call.tool,
	);
}

/* "an array", "a string" */
function what(value) {
	if (value === null) {
		return 'null';
	}
	if (typeof value === 'object') {
		return isArray(value) ? 'an array' : 'an object';
	}
	return value === undefined ? 'undefined' : 'a ' + typeof value;
}

function notAnObject(tool, input) {
	const changed = typeof input === 'object' && input !== null && !isArray(input);
	return new ResultFailure(
		'input must be an object, not ' +
			(changed ? 'what its toJSON made of it' : what(input)),
		'Name its fields: tools.' + clip(tool, 60) + '({name: value}).',
	);
}

function notAName(call) {
	const { tool } = call;
	call.tool = 'tools.call';
	return typeof tool === 'string'
		? new ResultFailure(
				'the name of a tool has at most 200 characters, not ' + tool.length,
				undefined,
			)
		: new ResultFailure(
				'the name of a tool must be a string, not ' + what(tool),
				"It comes first: tools.call('NAME', {name: value}).",
			);
}

function named(call) {
	const { failure, number, tool } = call;
	let out = clip(tool, 60) + ' (' + (number > 0 ? 'call ' + number : 'not made');
	if (failure !== undefined) {
		const { code, error, message } = failure;
		out +=
			', failed: ' +
			(code === undefined ? errorLine(error) : code + ': ' + clip(message, 200));
	}
	return out + ')';
}

/* Calls as part of a sentence; there are `count` of them. */
function names(calls, count) {
	let out = '';
	for (let i = 0; i < calls.length && i < NAMED_MAX; i++) {
		out += (i > 0 ? ', ' : '') + named(calls[i]);
	}
	return out + (count > NAMED_MAX ? ' and ' + (count - NAMED_MAX) + ' more' : '');
}

/*
 * The script has ended without having looked at these promises (a Map, with their calls): `done`
 * gets a list of the calls once all of them, of those that are `open`, are answered.
 */
function unawaited(unseen, open, done) {
	const calls = list();
	let waiting = 0;
	const answered = () => {
		if (--waiting === 0) {
			done(calls);
		}
	};
	mapForEach(unseen, (call) => {
		calls[calls.length] = call;
		if (mapHas(open, call.number)) {
			waiting++;
			call.answered = answered;
		}
	});
	if (waiting === 0) {
		done(calls);
	}
}

/* The particulars of the error that then ends the run. */
function describeUnawaited(calls, description) {
	const { length } = calls;
	delete description.tool;
	description.name = 'Error';
	description.message =
		(length === 1
			? 'a tool call was not awaited: '
			: length + ' tool calls were not awaited: ') + names(calls, length);
	description.code = 'UNAWAITED_CALL';
	description.hint =
		'Write await before each call, or await Promise.all(promises): the script must not end ' +
		'before its calls, and only await sees their errors.';
}

/* A line about calls that something waited for, but not the script itself. */
function leftovers(open) {
	const calls = list();
	mapForEach(open, (call) => {
		if (calls.length < NAMED_MAX) {
			calls[calls.length] = call;
		}
	});
	const count = mapSize(open);
	return (
		(count === 1 ? '1 tool call was' : count + ' tool calls were') +
		' still running at the end and cancelled: ' +
		names(calls, count)
	);
}

return {
	__proto__: null,
	describeUnawaited,
	failed,
	failureOf,
	leftovers,
	notAName,
	notAnObject,
	notSent,
	tooLate,
	unawaited,
};
