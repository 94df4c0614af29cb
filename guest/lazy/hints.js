// SPDX-License-Identifier: MIT
/*
 * A sentence that says what to do about an error, for those that scripts written by a model run
 * into. It reads the finished description, so it costs nothing until a run has failed.
 */
const {
	endsWith,
	errorIs,
	regExpExec,
	startsWith,
	stringIncludes,
	stringIndexOf,
	stringSlice,
} = p;

const HINT_MODULES =
	'A script has no modules. It has the JavaScript built-ins, URL, TextEncoder, ' +
	'crypto.randomUUID and the tools it is given: await tools.NAME(input).';
const HINT_FILES =
	'A script has no files. Read and write them with tools: await tools.NAME(input).';
const HINT_NETWORK =
	'A script has no network. Call a tool that fetches: await tools.NAME(input).';
const HINT_GLOBAL = 'The global object is called globalThis.';
const HINT_PAGE = 'There is no page or browser here, only JavaScript and tools.';
const HINT_BYTES =
	'Use Uint8Array with TextEncoder and TextDecoder; btoa, atob, ' +
	'Uint8Array.fromBase64(s), bytes.toBase64() and bytes.toHex() convert.';
const HINT_AWAIT =
	'A tool and any async function return a promise: await it before you use its ' +
	'value, (await tools.NAME(input)).field.';

const HINT_TOOLS = 'A tool is called by its name: await tools.NAME(input).';
const HINT_HELPER =
	'There is no such helper: tools has only tools, and tools.call(name, input) for any name.';
const HINT_FIELD = 'What the tool returned has no such field: text(result) shows what it has.';

const hintGlobals = {
	__proto__: null,
	require: HINT_MODULES,
	module: HINT_MODULES,
	exports: HINT_MODULES,
	define: HINT_MODULES,
	fs: HINT_FILES,
	path: HINT_FILES,
	__dirname: HINT_FILES,
	__filename: HINT_FILES,
	File: HINT_FILES,
	FileReader: HINT_FILES,
	fetch: HINT_NETWORK,
	XMLHttpRequest: HINT_NETWORK,
	WebSocket: HINT_NETWORK,
	EventSource: HINT_NETWORK,
	Request: HINT_NETWORK,
	Response: HINT_NETWORK,
	Headers: HINT_NETWORK,
	FormData: HINT_NETWORK,
	axios: HINT_NETWORK,
	http: HINT_NETWORK,
	https: HINT_NETWORK,
	window: HINT_GLOBAL,
	global: HINT_GLOBAL,
	self: HINT_GLOBAL,
	document: HINT_PAGE,
	navigator: HINT_PAGE,
	location: HINT_PAGE,
	localStorage: HINT_PAGE,
	sessionStorage: HINT_PAGE,
	alert: HINT_PAGE,
	prompt: HINT_PAGE,
	DOMParser: HINT_PAGE,
	Buffer: HINT_BYTES,
	Blob: HINT_BYTES,
	process:
		'There is no process. Input is in args, output is the value returned and ' +
		'console.log; to stop early, return or throw.',
	Deno: 'This is neither Deno nor Node: tools do what needs the outside, await tools.NAME(input).',
	Bun: 'This is neither Bun nor Node: tools do what needs the outside, await tools.NAME(input).',
	tool: HINT_TOOLS,
	callTool: HINT_TOOLS,
	call_tool: HINT_TOOLS,
	mcp: HINT_TOOLS,
	input: 'The input of a script is called args.',
	print: 'Write with console.log or text.',
	sleep: 'Wait with await new Promise((done) => setTimeout(done, ms)).',
	Temporal: 'Temporal is not in this engine: use Date. The time zone is UTC.',
	WebAssembly: 'WebAssembly is not available: write it in JavaScript.',
	Worker: 'A script is one thread. Tool calls run side by side with Promise.all.',
	child_process: 'A script starts no programs; a tool may: await tools.NAME(input).',
};

/* Errors by the exact text of the engine's message, or its start when the row says so. */
const hintMessages = [
	[
		'Maximum call stack size exceeded',
		'The recursion goes too deep (about a thousand calls ' +
			'fit): use a loop with a list of what is left to do.',
	],
	[
		'out of memory',
		'The run used all its memory. Work in smaller pieces and keep only what the ' +
			'result needs.',
	],
	['string too long', 'A string can not grow that long: build the text in pieces.'],
	[
		'circular reference',
		'The value contains itself: pick the fields you need into a new object.',
	],
	[
		'BigInt are forbidden in JSON.stringify',
		'Return the value itself, a BigInt then becomes a ' +
			'string, or convert it: String(x) or Number(x).',
	],
	[
		'cannot convert BigInt to number',
		'BigInt and Number do not mix: Number(x) or BigInt(y) ' + 'first.',
	],
	['could not load module', HINT_MODULES],
	[
		'unsupported keyword: export',
		'A script is no module: leave out export, and return the ' + 'result.',
	],
	['import.meta only valid in module code', HINT_MODULES],
	['invalid redefinition of lexical identifier', 'The name is declared twice in one scope.'],
	['empty array', 'reduce of an empty array needs a start value as its second argument.'],
	[
		'Cannot convert undefined or null to object',
		'What is taken apart or listed here is ' +
			'undefined or null. If it comes from a tool, await it first and look at its fields.',
	],
	['Intl ', 'Only the locale en-US and the time zone UTC are built in.'],
];

function hintReference(message, line) {
	const end = stringIndexOf(message, ' is not ');
	const name = stringSlice(message, 0, end);
	if (endsWith(message, ' is not initialized')) {
		return name + ' is used before the line that declares it.';
	}
	if (hintGlobals[name] === undefined && stringIncludes(line, name + '(')) {
		return 'If it is a tool: await tools.' + name + '(input).';
	}
	return hintGlobals[name];
}

function hintJson(stack, message, line) {
	if (!startsWith(stack, 'parse (native)') && !isJsonMessage(message)) {
		return undefined;
	}
	if (regExpExec(hintToolLine, line) !== null && !stringIncludes(line, 'await')) {
		return HINT_AWAIT;
	}
	if (stringIncludes(message, "'object'")) {
		return 'JSON.parse got an object, not text: it is parsed already, use it as it is.';
	}
	if (stringIncludes(message, "'undefined'")) {
		return 'JSON.parse got undefined: look at the fields of the value it should come from.';
	}
	return (
		'The text is no JSON. console.log the start of it; what a tool returns is often an ' +
		'object already.'
	);
}

function isJsonMessage(message) {
	return stringIncludes(message, 'in JSON at position') || endsWith(message, 'of JSON input');
}

const hintImportLine = /^\s*import\b(?!\s*\()/;
const hintPromiseLine = /\btools\.|\basync\b|\bPromise\b/;
function hintSyntax(stack, message, line) {
	if (regExpExec(hintImportLine, line) !== null) {
		return HINT_MODULES;
	}
	if (stringIncludes(line, 'await ') && message === "expecting ';'") {
		return 'await works at the top level and in async functions: mark the function async.';
	}
	return hintJson(stack, message, line);
}

const hintToolLine = /\btools\s*[.[]/;
const hintToolsCalled = /\btools\s*\(/;
const hintToolsHelper = /\btools\.(?:search|describe|then|toJSON)\b/;
const hintToolsNested = /\btools\.(\w+)\.(\w+)\s*\(/;

/* "not a function" on a line that speaks of tools. */
function hintTools(line) {
	if (regExpExec(hintToolsCalled, line) !== null) {
		return 'tools is no function. ' + HINT_TOOLS;
	}
	if (regExpExec(hintToolsHelper, line) !== null) {
		return HINT_HELPER;
	}
	const nested = regExpExec(hintToolsNested, line);
	return nested !== null
		? 'tools.' + nested[1] + ' is a tool itself, without parts. ' + HINT_TOOLS
		: HINT_AWAIT;
}

function hintType(message, line) {
	const awaits = stringIncludes(line, 'await');
	if (startsWith(message, 'not a function')) {
		return hintTools(line);
	}
	if (startsWith(message, 'not a constructor') && regExpExec(hintToolLine, line) !== null) {
		return 'A tool is called without new: await tools.NAME(input).';
	}
	if (startsWith(message, 'value is not iterable')) {
		return HINT_AWAIT;
	}
	if (startsWith(message, 'cannot read property')) {
		if (!awaits && regExpExec(hintPromiseLine, line) !== null) {
			return HINT_AWAIT;
		}
		if (awaits && regExpExec(hintToolLine, line) !== null) {
			return HINT_FIELD;
		}
	}
	if (endsWith(message, ' is read-only')) {
		return 'It is a const or a frozen property: declare it with let, or copy the object.';
	}
	return undefined;
}

/* `line` is the text of the script's line the error is on, or ''. */
function hintFor(value, { name, message, stack }, line) {
	if (!errorIs(value)) {
		return 'What was thrown is no Error: throw new Error(text), then the line is known.';
	}
	let hint;
	if (name === 'ReferenceError') {
		hint = hintReference(message, line);
	} else if (name === 'SyntaxError') {
		hint = hintSyntax(stack, message, line);
	} else if (name === 'TypeError') {
		hint = hintType(message, line);
	}
	for (let i = 0; i < hintMessages.length && hint === undefined; i++) {
		if (startsWith(message, hintMessages[i][0])) {
			hint = hintMessages[i][1];
		}
	}
	return hint;
}

const HINT_CORRECT = 'Correct the source at the line and column given, without modules.';
const HINT_BOTH = ' It was tried as JavaScript and as TypeScript.';

/*
 * A parser that got further knew more of the language. What TypeScript has and a script cannot
 * have is told in any case.
 */
function choose(first, second) {
	const one = first === undefined ? undefined : p.jsonParse(first);
	const two = p.jsonParse(second);
	const { line, column, refused, code } = two;
	const further =
		one === undefined ||
		refused === true ||
		(code === undefined &&
			line !== undefined &&
			(line > one.line || (line === one.line && column > one.column)));
	const out = further ? two : one;
	p.setPrototypeOf(out, null);
	delete out.refused;
	if (code !== undefined) {
		/* the compiler's limits: whether it is TypeScript is not known */
		out.hint = further ? undefined : 'If it is TypeScript: ' + two.message + '.';
	} else if (further) {
		out.message += ' (read as TypeScript)';
		out.hint ??= HINT_CORRECT;
	} else {
		out.hint = (out.hint ?? HINT_CORRECT) + HINT_BOTH;
	}
	if (out.hint === undefined) {
		delete out.hint;
	}
	if (further && out.stack === '' && line !== undefined) {
		out.stack = 'script.js:' + line + ':' + column + '\n';
	}
	return out;
}

return { __proto__: null, hintFor, choose };
