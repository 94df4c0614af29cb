// SPDX-License-Identifier: MIT
/*
 * tools, and the promises of its calls.
 *
 * A call that no one waits for must not get lost, so the promise of a call has to notice its first
 * reaction. `await` of a promise does not call `then`; but everything that adds a reaction, await
 * and then() alike, first asks the promise for its `constructor`. So the prototype of these
 * promises, between them and Promise.prototype, has that as a getter, which takes the promise off
 * the list `toolUnseen`. It answers Promise: `await` then works on the promise itself, and what
 * then() makes is an ordinary promise.
 *
 * The error of a call that fails is made when the call is, for its stack to lead there.
 */
const TOOL_NAME_MAX = 200;

/* Calls that are not answered, by number. */
const toolCalls = new p.Map();
let toolLast = 0;
/* Promises without a reaction, with their calls. */
const toolUnseen = new p.Map();

const toolPromisePrototype = Object.create(Promise.prototype);
{
	const { get } = Reflect.getOwnPropertyDescriptor(
		{
			get constructor() {
				mapDelete(toolUnseen, this);
				return p.Promise;
			},
		},
		'constructor',
	);
	define(toolPromisePrototype, 'constructor', { __proto__: null, get });
	defineHidden(toolPromisePrototype, 'then', Promise.prototype.then);
	objectFreeze(toolPromisePrototype);
}

/* The functions of the promise that is being made. */
let toolResolve;
let toolReject;
function toolExecutor(resolve, reject) {
	toolResolve = resolve;
	toolReject = reject;
}

/* Numbers the call and asks for it. Throws a ResultFailure, or what user code throws. */
function toolSend(call, input) {
	const { tool } = call;
	if (typeof tool !== 'string' || tool.length > TOOL_NAME_MAX) {
		throw lazy('tools').notAName(call);
	}
	let json = '{}';
	if (input !== undefined) {
		json =
			typeof input === 'object' && input !== null && !isArray(input)
				? exactJson(input, 'input', true)
				: undefined;
		if (json === undefined || json[0] !== '{') {
			throw lazy('tools').notAnObject(tool, input);
		}
	}
	if (runOver) {
		lazy('tools').tooLate(call);
		return;
	}
	call.number = ++toolLast;
	mapSet(toolCalls, call.number, call);
	host.call(call.number, toWellFormed(tool), json);
}

/* A call of a tool: a promise, whatever happens. */
function toolCall(tool, input) {
	const promise = setPrototypeOf(new p.Promise(toolExecutor), toolPromisePrototype);
	const call = {
		__proto__: null,
		tool,
		number: 0,
		resolve: toolResolve,
		reject: toolReject,
		error: new p.Error(),
		failure: undefined,
		answered: undefined,
	};
	if (!runOver) {
		mapSet(toolUnseen, promise, call);
	}
	try {
		toolSend(call, input);
	} catch (error) {
		mapDelete(toolCalls, call.number);
		lazy('tools').notSent(call, error);
	}
	return promise;
}

/* The host's answer to call `number`. */
function toolAnswer(number, ok, text) {
	const call = mapGet(toolCalls, number);
	if (call === undefined) {
		return;
	}
	mapDelete(toolCalls, number);
	try {
		if (ok) {
			call.resolve(jsonParse(text));
		} else {
			lazy('tools').failed(call, text);
		}
	} catch (error) {
		/* there is no memory for it, or it is no JSON */
		call.reject(error);
	}
	call.answered?.();
}

/* What the host said of the failed call whose error this is; undefined for other values. */
function toolFailure(value) {
	return lazyUnits.tools === undefined ? undefined : lazyUnits.tools.failureOf(value);
}

/* By name; also what is no tool: the helpers, and what the language asks any object for. */
const toolFunctions = {
	__proto__: null,
	call(name, input) {
		return toolCall(name, input);
	},
	search: undefined,
	describe: undefined,
	then: undefined,
	toJSON: undefined,
};

function toolFunction(name) {
	const made = {
		__proto__: null,
		[name](input) {
			return toolCall(name, input);
		},
	}[name];
	toolFunctions[name] = made;
	return made;
}

/* What tools is as text; as a number it is none. */
const { [Symbol.toPrimitive]: toolText } = {
	[Symbol.toPrimitive]() {
		return '[object tools]';
	},
};

/* The target is empty and frozen, which answers for the traps that are not here. */
defineShown(
	globalThis,
	'tools',
	new Proxy(objectFreeze({ __proto__: null }), {
		__proto__: null,
		get(target, key) {
			if (typeof key !== 'string') {
				return key === p.SymbolToPrimitive ? toolText : undefined;
			}
			const known = toolFunctions[key];
			return known !== undefined || key in toolFunctions ? known : toolFunction(key);
		},
		has(target, key) {
			return (
				typeof key === 'string' &&
				(toolFunctions[key] !== undefined || !(key in toolFunctions))
			);
		},
		deleteProperty() {
			return false;
		},
	}),
);
