// SPDX-License-Identifier: MIT
/*
 * TypeScript made JavaScript, in a VM of its own: sucrase takes the types out; here is what it
 * leaves open. What cannot be taken out safely is refused by its name, a statement that ended
 * where a type stood still ends there, and each token's place in the source is kept.
 *
 * A source is whatever somebody wrote. An error in here is an answer like any other.
 */
import { parse } from 'sucrase/dist/esm/parser/index.js';
import { ContextualKeyword as word } from 'sucrase/dist/esm/parser/tokenizer/keywords.js';
import { TokenType as tt } from 'sucrase/dist/esm/parser/tokenizer/types.js';
import { HelperManager } from 'sucrase/dist/esm/HelperManager.js';
import NameManager from 'sucrase/dist/esm/NameManager.js';
import TokenProcessor from 'sucrase/dist/esm/TokenProcessor.js';
import RootTransformer from 'sucrase/dist/esm/transformers/RootTransformer.js';

/*
 * Classes and fields are the engine's own; an import that is written is kept, so that the engine
 * says there are none.
 */
const OPTIONS = { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true };

/* Remembers which tokens are gone. What it leaves out is for older engines only. */
class Tokens extends TokenProcessor {
	gone = new Uint8Array(this.tokens.length + 1);

	replaceToken(code) {
		this.gone[this.tokenIndex] = code === '' ? 1 : 0;
		super.replaceToken(code);
	}

	replaceTokenTrimmingLeftWhitespace(code) {
		this.gone[this.tokenIndex] = code === '' ? 1 : 0;
		super.replaceTokenTrimmingLeftWhitespace(code);
	}

	appendTokenPrefix() {}

	appendTokenSuffix() {}
}

/* The low bits of a token's type are properties of its kind. */
const KIND = 9;

/* Tokens that sucrase may do something with though they are no types; all others are copied. */
const special = new Uint8Array(256);
for (const type of [
	tt._class,
	tt._import,
	tt._export,
	tt._enum,
	tt._const,
	tt._async,
	tt._public,
	tt._protected,
	tt._private,
	tt._abstract,
	tt._readonly,
	tt._override,
	tt.nonNullAssertion,
	tt.parenR,
]) {
	special[type >>> KIND] = 1;
}

class Root extends RootTransformer {
	processToken() {
		const { tokens } = this;
		const token = tokens.tokens[tokens.tokenIndex];
		if (token.isType || special[token.type >>> KIND] === 1 || token.contextualKeyword !== word.NONE) {
			super.processToken();
		} else {
			tokens.copyToken();
		}
	}
}

/* ---- what is refused ---- */

class Refusal extends Error {
	constructor(what, pos, hint) {
		super(what);
		this.pos = pos;
		this.hint = hint;
	}
}

function refuse(what, token, hint) {
	throw new Refusal(`${what} cannot be erased`, token.start, hint);
}

const HINT_NAMESPACE =
	'Write an object instead: const N = { ... }. A namespace of types alone is erased with ' +
	'declare namespace.';
const HINT_MODULES =
	'A script has no modules. It has the JavaScript built-ins, URL, TextEncoder, ' +
	'crypto.randomUUID and the tools it is given: await tools.NAME(input).';
const HINT_DECORATOR = 'Call the function on the class or the method instead.';
const HINT_ACCESSOR = 'Write a private field with a getter and a setter.';
const HINT_JSX = 'A script has no JSX: build text or objects.';
const HINT_ENUM = 'Write a const object instead: const E = { A: ... } as const.';
const HINT_ASSERTION = 'Write ({ ... } as T) instead.';
const HINT_LINES = 'Write the value as T instead, on the line of its return, throw or yield.';

function text(source, token) {
	return source.slice(token.start, token.end);
}

/* The index of the bracket that closes the one at `index`, or the end. */
function closing(tokens, index) {
	let depth = 0;
	for (let i = index; i < tokens.length; i++) {
		const { type } = tokens[i];
		if (type === tt.braceL || type === tt.dollarBraceL) {
			depth++;
		} else if (type === tt.braceR && --depth === 0) {
			return i;
		}
	}
	return tokens.length;
}

function isScope(token) {
	return (
		token.contextualKeyword === word._namespace ||
		token.contextualKeyword === word._module ||
		token.contextualKeyword === word._global
	);
}

/* A name or a string, and then a brace or a dot: no type looks like that. */
function beginsNamespace(tokens, i) {
	const name = tokens[i + 1]?.type;
	const next = tokens[i + 2]?.type;
	return (
		(name === tt.name || name === tt.string) && (next === tt.braceL || next === tt.dot)
	);
}

/* Types: what is declared of a namespace is erased with all that is in it, the rest is refused. */
function checkType(tokens, i) {
	const token = tokens[i];
	if (token.contextualKeyword === word._declare && tokens[i + 1] && isScope(tokens[i + 1])) {
		let brace = i + 1;
		while (brace < tokens.length && tokens[brace].type !== tt.braceL) {
			brace++;
		}
		return closing(tokens, brace);
	}
	if (isScope(token) && beginsNamespace(tokens, i)) {
		refuse(
			token.contextualKeyword === word._module ? 'module' : 'namespace',
			token,
			HINT_NAMESPACE,
		);
	}
	return i;
}

function checkImport(tokens, i) {
	let name = i + 1;
	if (tokens[name]?.contextualKeyword === word._type && tokens[name + 1]?.type === tt.name) {
		name++;
	}
	if (tokens[name]?.type === tt.name && tokens[name + 1]?.type === tt.eq) {
		refuse('import x = ...', tokens[i], HINT_MODULES);
	}
}

function checkExport(tokens, i) {
	if (tokens[i + 1]?.type === tt.eq) {
		refuse('export =', tokens[i], HINT_MODULES);
	}
	if (
		tokens[i + 1]?.contextualKeyword === word._as &&
		tokens[i + 2]?.contextualKeyword === word._namespace
	) {
		refuse('export as namespace', tokens[i], HINT_MODULES);
	}
}

/* `accessor name` can be nothing but a field with a getter and a setter. */
function checkAccessor(source, tokens, i) {
	const next = tokens[i + 1];
	if (
		next &&
		(next.type === tt.name || next.type === tt.string || next.type === tt.hash) &&
		!/[\r\n\u2028\u2029]/.test(source.slice(tokens[i].end, next.start)) &&
		tokens[i - 1]?.type !== tt.dot
	) {
		refuse('accessor', tokens[i], HINT_ACCESSOR);
	}
}

/*
 * A string gets no way back from its value. Which values are strings is known of literals; what
 * is put together of them would get one all the same.
 */
function checkEnum(source, tokens, i) {
	const strings = new Set();
	const end = closing(tokens, i + 2);
	for (let at = i + 3; at < end; at++) {
		const key = tokens[at];
		if (tokens[at + 1]?.type !== tt.eq) {
			at++;
			continue;
		}
		const first = at + 2;
		const last = tokens[at + 1].rhsEndIndex ?? first;
		const alone = last === first + 1;
		const name = key.type === tt.string ? source.slice(key.start + 1, key.end - 1) : text(source, key);
		if (alone && tokens[first].type === tt.string) {
			strings.add(name);
		} else {
			for (let k = first; k < last; k++) {
				const { type } = tokens[k];
				const isText =
					type === tt.backQuote ||
					(type === tt.string && tokens[k + 1]?.type !== tt.dot && tokens[k - 1]?.type !== tt.bracketL) ||
					(type === tt.name && alone && strings.has(text(source, tokens[k])));
				if (isText) {
					refuse('an enum member with a computed string', key, HINT_ENUM);
				}
			}
		}
		at = last;
	}
}

function check(source, tokens) {
	for (let i = 0; i < tokens.length; i++) {
		const token = tokens[i];
		if (token.isType) {
			i = checkType(tokens, i);
			continue;
		}
		switch (token.type) {
			case tt._import:
				checkImport(tokens, i);
				break;
			case tt._export:
				checkExport(tokens, i);
				break;
			case tt._enum:
				checkEnum(source, tokens, i);
				break;
			case tt.at:
				refuse('a decorator', token, HINT_DECORATOR);
				break;
			default:
				if (token.contextualKeyword === word._accessor) {
					checkAccessor(source, tokens, i);
				}
		}
	}
}

/* A source that is no TypeScript may be one with JSX: then that is what to say. */
function checkJsx(source) {
	let tokens;
	try {
		({ tokens } = parse(source, true, true, false));
	} catch {
		return;
	}
	const tag = tokens.find((token) => token.type === tt.jsxTagStart);
	if (tag !== undefined) {
		refuse('JSX', tag, HINT_JSX);
	}
}

/* ---- statements that end at a type ---- */

const LINE = /[\r\n\u2028\u2029]/;
/* What a line may begin with and still go on with the one before. */
const GOES_ON = new Set(['(', '[', '`', '+', '-', '*', '/']);
const BEGINS_VALUE = new Set(['(', '[', '`']);
/* After these a type's end is not a statement's. */
const OPEN = new Set([undefined, ';', '{', '(', ',', '[']);
const MODIFIERS = new Set(['get', 'set', 'static', 'async', 'accessor']);
const RETURNS = new Set(['return', 'throw', 'yield']);
/* What a removed part begins with when it stands behind a value, not at the start of a line. */
const BEHIND = new Set(['<', ':', '?', '!', ')', ',', 'as', 'satisfies', 'implements', 'this', 'is', 'asserts']);

/* Whether tokens[from] up to tokens[to], which are gone, leave a semicolon behind. */
function needsSemicolon(source, tokens, from, to) {
	const begin = text(source, tokens[from]);
	const before = from > 0 ? text(source, tokens[from - 1]) : undefined;
	const after = to < tokens.length ? source[tokens[to].start] : undefined;
	const breaks = (a, b) => LINE.test(source.slice(tokens[a].end, tokens[b].start));
	const spans = () => LINE.test(source.slice(tokens[from].start, tokens[to].start));

	if (begin === '<') {
		const starts = OPEN.has(before) && before !== '(' && before !== '[' && before !== ',';
		if ((before === '=>' && after === '{') || (starts && /^[{fc]/.test(after ?? '') && /^(?:\{|function$|class$)/.test(text(source, tokens[to])))) {
			refuse('a type assertion at the start of an object or a function', tokens[from], HINT_ASSERTION);
		}
		if (RETURNS.has(before) && to < tokens.length && spans()) {
			refuse('a type assertion over several lines', tokens[from], HINT_LINES);
		}
	}
	if (after === undefined || from === 0) {
		return false;
	}
	if (begin === 'as' || begin === 'satisfies') {
		return BEGINS_VALUE.has(after) && breaks(to - 1, to);
	}
	if (MODIFIERS.has(before) && (begin === ':' || begin === '?' || begin === '!')) {
		return !/[=;,)}\]:]/.test(after) && breaks(to - 1, to);
	}
	return GOES_ON.has(after) && !OPEN.has(before) && !BEHIND.has(begin) && breaks(from - 1, from);
}

/* ---- the result ---- */

/*
 * The code, and pairs of offsets: what stands in the code from the first of a pair on stands in
 * the source from the second on.
 */
function finish(source, tokens, gone, { code, mappings }) {
	const n = tokens.length;
	const pairs = [];
	let out = '';
	let copied = 0;
	let shift = 0;

	for (let i = 0; i < n; i++) {
		if (gone[i] === 0) {
			const at = mappings[i] + out.length - copied;
			if (at - tokens[i].start !== shift) {
				shift = at - tokens[i].start;
				pairs.push(at, tokens[i].start);
			}
			continue;
		}
		let to = i + 1;
		while (to < n && gone[to] === 1) {
			to++;
		}
		if (needsSemicolon(source, tokens, i, to)) {
			out += code.slice(copied, mappings[i]) + ';';
			copied = mappings[i];
		}
		i = to - 1;
	}
	return { code: out + code.slice(copied), pairs };
}

function strip(source) {
	let tokens;
	try {
		({ tokens } = parse(source, false, true, false));
	} catch (error) {
		if (Number.isInteger(error?.pos)) {
			checkJsx(source);
		}
		throw error;
	}
	check(source, tokens);
	let names;
	const nameManager = {
		claimFreeName: (name) => (names ??= new NameManager(source, tokens)).claimFreeName(name),
	};
	const helperManager = new HelperManager(nameManager);
	const tokenProcessor = new Tokens(source, tokens, false, true, helperManager);
	const root = new Root(
		{ tokenProcessor, scopes: [], nameManager, importProcessor: null, helperManager },
		OPTIONS.transforms,
		false,
		OPTIONS,
	);
	const result = root.transform();
	return finish(source, tokens, tokenProcessor.gone, result);
}

/* ---- the host's side ---- */

/* Line and column of an offset, both from 1; columns are code points. */
function place(source, pos) {
	let line = 1;
	let start = 0;
	const end = Math.min(pos, source.length);
	for (let i = 0; i < end; i++) {
		const c = source.charCodeAt(i);
		if (c === 13 && source.charCodeAt(i + 1) === 10) {
			continue;
		}
		if (c === 10 || c === 13 || c === 0x2028 || c === 0x2029) {
			line++;
			start = i + 1;
		}
	}
	return { line, column: Array.from(source.slice(start, end)).length + 1 };
}

/* "Unexpected token (1:5)" without the place, which counts otherwise than we do. */
function describe(source, error) {
	const out = { name: 'SyntaxError', message: 'it does not parse', stack: '' };
	const pos = error?.pos;
	if (Number.isInteger(pos)) {
		const message = String(error.message);
		const end = message.lastIndexOf(' (');
		out.message = error instanceof Refusal || end < 0 ? message : message.slice(0, end);
		if (out.message.startsWith('Unexpected')) {
			out.message = 'u' + out.message.slice(1);
		}
		Object.assign(out, place(source, pos));
	} else if (error instanceof RangeError || error?.name === 'InternalError') {
		out.code = 'TOO_LARGE';
		out.message = 'the source is nested too deeply to be read as TypeScript';
	}
	if (error instanceof Refusal) {
		out.refused = true;
		out.hint = error.hint;
	}
	return out;
}

export function entry(host) {
	return Object.freeze({
		__proto__: null,
		strip(source) {
			let result;
			try {
				result = strip(source);
			} catch (error) {
				host.settle(false, JSON.stringify(describe(source, error)));
				return;
			}
			host.stripped(result.code, new Uint32Array(result.pairs).buffer);
		},
	});
}
