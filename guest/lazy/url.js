// SPDX-License-Identifier: MIT
/*
 * URL and URLSearchParams, after the URL Standard. The parser is whatwg-url's state machine; it
 * calls methods of the built-ins' prototypes, so a script that breaks those breaks its URLs. It
 * gets the globals it names from here, and from the host nothing but UTF-8.
 */
const {
	Array,
	Math,
	Number,
	Object,
	RegExp,
	Set,
	String,
	Symbol,
	TypeError,
	IteratorPrototype,
	SymbolIterator,
	SymbolToStringTag,
	apply,
	define,
	getDescriptor,
	isNaN,
	lazy,
	objectCreate,
	ownKeys,
	parseInt,
	regExpExec,
	startsWith,
	stringIncludes,
	stringIndexOf,
	stringSlice,
	toLowerCase,
	toWellFormed,
	webInterface,
} = p;
const Uint8Array = p.Uint8Array;
const { encodeUtf8, decodeUtf8, joined } = lazy('encoding');

/* What the bundle's stand-ins for tr46 and the encoders use. */
const urlHost = {
	__proto__: null,
	lazy,
	regExpExec,
	toLowerCase,
	utf8Encode: encodeUtf8,
	utf8Decode(bytes) {
		return decodeUtf8(joined(new Uint8Array(0), bytes, 0, p.typedLength(bytes)), false);
	},
};

/* BUNDLE */

const machine = urlMachine;

/* A string as Web IDL's USVString. */
function usv(value) {
	return toWellFormed(`${value}`);
}

/* -------------------------------------------------------------------------------------------- */

/* Sets up the list of pairs from what the constructor was given. */
function pairsOf(init) {
	if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
		const text = usv(init);
		return machine.parseUrlencodedString(
			startsWith(text, '?') ? stringSlice(text, 1) : text,
		);
	}
	const pairs = [];
	const method = init[SymbolIterator];
	if (method === undefined || method === null) {
		const keys = ownKeys(init);
		for (let i = 0; i < keys.length; i++) {
			const found = getDescriptor(init, keys[i]);
			if (found !== undefined && found.enumerable) {
				setPair(pairs, usv(keys[i]), usv(init[keys[i]]));
			}
		}
		return pairs;
	}
	if (typeof method !== 'function') {
		throw new TypeError("The value's Symbol.iterator is not a function");
	}
	for (const item of { __proto__: null, [SymbolIterator]: () => apply(method, init, []) }) {
		const pair = [];
		if (typeof item !== 'object' || item === null) {
			throw new TypeError('Each item must be a pair [name, value]');
		}
		for (const part of item) {
			pair[pair.length] = usv(part);
		}
		if (pair.length !== 2) {
			throw new TypeError('Each item must be a pair [name, value]');
		}
		pairs[pairs.length] = pair;
	}
	return pairs;
}

/* Records may have one name twice, once surrogates are replaced: the last counts. */
function setPair(pairs, name, value) {
	for (let i = 0; i < pairs.length; i++) {
		if (pairs[i][0] === name) {
			pairs[i][1] = value;
			return;
		}
	}
	pairs[pairs.length] = [name, value];
}

function needs(count, given, what) {
	if (given < count) {
		throw new TypeError(what + ' needs ' + count + ' argument' + (count > 1 ? 's' : ''));
	}
}

class URLSearchParams {
	#pairs;
	#url = null;

	constructor(init = '') {
		this.#pairs = pairsOf(init);
	}

	get size() {
		return this.#pairs.length;
	}

	append(name, value) {
		needs(2, arguments.length, 'append');
		this.#pairs[this.#pairs.length] = [usv(name), usv(value)];
		this.#update();
	}

	delete(name, value = undefined) {
		needs(1, arguments.length, 'delete');
		const pairs = this.#matching(
			usv(name),
			value === undefined ? undefined : usv(value),
			false,
		);
		this.#pairs = pairs;
		this.#update();
	}

	get(name) {
		needs(1, arguments.length, 'get');
		const found = this.#matching(usv(name), undefined, true);
		return found.length > 0 ? found[0][1] : null;
	}

	getAll(name) {
		needs(1, arguments.length, 'getAll');
		const found = this.#matching(usv(name), undefined, true);
		const out = [];
		for (let i = 0; i < found.length; i++) {
			out[i] = found[i][1];
		}
		return out;
	}

	has(name, value = undefined) {
		needs(1, arguments.length, 'has');
		return (
			this.#matching(usv(name), value === undefined ? undefined : usv(value), true)
				.length > 0
		);
	}

	set(name, value) {
		needs(2, arguments.length, 'set');
		name = usv(name);
		const kept = [];
		let done = false;
		for (let i = 0; i < this.#pairs.length; i++) {
			const pair = this.#pairs[i];
			if (pair[0] !== name) {
				kept[kept.length] = pair;
			} else if (!done) {
				done = true;
				kept[kept.length] = [name, usv(value)];
			}
		}
		if (!done) {
			kept[kept.length] = [name, usv(value)];
		}
		this.#pairs = kept;
		this.#update();
	}

	sort() {
		p.arraySort(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
		this.#update();
	}

	forEach(callback, thisArg = undefined) {
		if (typeof callback !== 'function') {
			throw new TypeError('forEach needs a function');
		}
		for (let i = 0; i < this.#pairs.length; i++) {
			const pair = this.#pairs[i];
			apply(callback, thisArg, [pair[1], pair[0], this]);
		}
	}

	entries() {
		return iterate(this, 0);
	}

	keys() {
		return iterate(this, 1);
	}

	values() {
		return iterate(this, 2);
	}

	toString() {
		return machine.serializeUrlencoded(this.#pairs);
	}

	#matching(name, value, wanted) {
		const out = [];
		for (let i = 0; i < this.#pairs.length; i++) {
			const pair = this.#pairs[i];
			if ((pair[0] === name && (value === undefined || pair[1] === value)) === wanted) {
				out[out.length] = pair;
			}
		}
		return out;
	}

	#update() {
		if (this.#url !== null) {
			const query = machine.serializeUrlencoded(this.#pairs);
			this.#url.query = query === '' ? null : query;
		}
	}

	/* For URL and the iterators; taken away below. */
	static attach(params, url) {
		params.#url = url;
		params.#pairs = url.query === null ? [] : machine.parseUrlencodedString(url.query);
	}

	static pairAt(params, index) {
		return params.#pairs[index];
	}
}

const { attach, pairAt } = URLSearchParams;
delete URLSearchParams.attach;
delete URLSearchParams.pairAt;
p.defineHidden(URLSearchParams.prototype, SymbolIterator, URLSearchParams.prototype.entries);

/* Iterators are live: each step looks at the list as it is then. */
const steps = new p.WeakMap();
const iteratorPrototype = objectCreate(IteratorPrototype);

function iterate(params, kind) {
	pairAt(params, 0);
	const iterator = objectCreate(iteratorPrototype);
	p.weakMapSet(steps, iterator, { __proto__: null, params, kind, index: 0 });
	return iterator;
}

const { next } = {
	next() {
		const step =
			typeof this === 'object' && this !== null ? p.weakMapGet(steps, this) : undefined;
		if (step === undefined) {
			throw new TypeError('This is no URLSearchParams Iterator');
		}
		const pair = pairAt(step.params, step.index);
		if (pair === undefined) {
			return { value: undefined, done: true };
		}
		step.index++;
		return {
			value: step.kind === 0 ? [pair[0], pair[1]] : pair[step.kind - 1],
			done: false,
		};
	},
};
p.defineShown(iteratorPrototype, 'next', next);
define(iteratorPrototype, SymbolToStringTag, {
	__proto__: null,
	value: 'URLSearchParams Iterator',
	configurable: true,
});

/* -------------------------------------------------------------------------------------------- */

/*
 * Most URLs are absolute, lower case and need no escaping. For those one expression does what the
 * state machine does a character at a time, thirty times as fast; undefined for all others. The
 * last label of the host must not look like a number, no label be Punycode, no part of the path
 * be dots.
 */
const simple = new RegExp(
	'^(https?)://((?:[a-z\\d-]+\\.)*[a-z][a-z\\d-]*)(?::(\\d{1,4}))?' +
		'(/[\\w\\-.~!$&()*+,;=:@%/]*)?(?:\\?([\\w\\-.~!$&()*+,;=:@%/?]*))?' +
		'(?:#([\\w\\-.~!$&()*+,;=:@%/?]*))?$',
);
const SIMPLE_MAX = 4000;

function parseSimple(input) {
	const found = input.length <= SIMPLE_MAX ? regExpExec(simple, input) : null;
	if (found === null || stringIncludes(found[2], 'xn--')) {
		return undefined;
	}
	const pathname = found[4] === undefined ? '/' : found[4];
	if (
		stringIncludes(pathname, '/.') ||
		stringIncludes(pathname, '%2e') ||
		stringIncludes(pathname, '%2E')
	) {
		return undefined;
	}
	const scheme = found[1];
	const port = found[3] === undefined ? null : +found[3];
	return {
		scheme,
		username: '',
		password: '',
		host: found[2],
		port: port === (scheme === 'http' ? 80 : 443) ? null : port,
		path: segments(pathname),
		query: found[5] === undefined ? null : found[5],
		fragment: found[6] === undefined ? null : found[6],
	};
}

/* "/a/b" as ["a", "b"]. */
function segments(pathname) {
	const out = [];
	let start = 1;
	for (;;) {
		const end = stringIndexOf(pathname, '/', start);
		if (end < 0) {
			out[out.length] = stringSlice(pathname, start);
			return out;
		}
		out[out.length] = stringSlice(pathname, start, end);
		start = end + 1;
	}
}

/* The URL record, or null. */
function parse(input, base) {
	if (base === undefined) {
		const text = usv(input);
		return parseSimple(text) ?? machine.basicURLParse(text);
	}
	const from = usv(base);
	const baseURL = parseSimple(from) ?? machine.basicURLParse(from);
	return baseURL === null ? null : machine.basicURLParse(usv(input), { baseURL });
}

function invalid(input, base) {
	return new TypeError(
		'Invalid URL: ' +
			p.clip(usv(input), 200) +
			(base === undefined ? '' : ' (base: ' + p.clip(usv(base), 200) + ')'),
	);
}

class URL {
	#url;
	#params = null;

	constructor(url, base = undefined) {
		needs(1, arguments.length, 'URL');
		const parsed = parse(url, base);
		if (parsed === null) {
			throw invalid(url, base);
		}
		this.#url = parsed;
	}

	static parse(url, base = undefined) {
		needs(1, arguments.length, 'parse');
		try {
			return new URL(url, base);
		} catch {
			return null;
		}
	}

	static canParse(url, base = undefined) {
		needs(1, arguments.length, 'canParse');
		return parse(url, base) !== null;
	}

	get href() {
		return machine.serializeURL(this.#url);
	}

	set href(value) {
		const parsed = parse(value, undefined);
		if (parsed === null) {
			throw invalid(value, undefined);
		}
		this.#url = parsed;
		this.#reattach();
	}

	get origin() {
		return machine.serializeURLOrigin(this.#url);
	}

	get protocol() {
		return this.#url.scheme + ':';
	}

	set protocol(value) {
		this.#run(usv(value) + ':', 'scheme start');
	}

	get username() {
		return this.#url.username;
	}

	set username(value) {
		if (!machine.cannotHaveAUsernamePasswordPort(this.#url)) {
			machine.setTheUsername(this.#url, usv(value));
		}
	}

	get password() {
		return this.#url.password;
	}

	set password(value) {
		if (!machine.cannotHaveAUsernamePasswordPort(this.#url)) {
			machine.setThePassword(this.#url, usv(value));
		}
	}

	get host() {
		const { host: name, port } = this.#url;
		return name === null
			? ''
			: machine.serializeHost(name) + (port === null ? '' : ':' + port);
	}

	set host(value) {
		if (!machine.hasAnOpaquePath(this.#url)) {
			this.#run(usv(value), 'host');
		}
	}

	get hostname() {
		const { host: name } = this.#url;
		return name === null ? '' : machine.serializeHost(name);
	}

	set hostname(value) {
		if (!machine.hasAnOpaquePath(this.#url)) {
			this.#run(usv(value), 'hostname');
		}
	}

	get port() {
		const { port } = this.#url;
		return port === null ? '' : '' + port;
	}

	set port(value) {
		const text = usv(value);
		if (machine.cannotHaveAUsernamePasswordPort(this.#url)) {
			return;
		}
		if (text === '') {
			this.#url.port = null;
		} else {
			this.#run(text, 'port');
		}
	}

	get pathname() {
		return machine.serializePath(this.#url);
	}

	set pathname(value) {
		if (!machine.hasAnOpaquePath(this.#url)) {
			this.#url.path = [];
			this.#run(usv(value), 'path start');
		}
	}

	get search() {
		const { query } = this.#url;
		return query === null || query === '' ? '' : '?' + query;
	}

	set search(value) {
		const text = usv(value);
		if (text === '') {
			this.#url.query = null;
		} else {
			this.#url.query = '';
			this.#run(startsWith(text, '?') ? stringSlice(text, 1) : text, 'query');
		}
		this.#reattach();
	}

	get searchParams() {
		if (this.#params === null) {
			this.#params = new URLSearchParams();
			attach(this.#params, this.#url);
		}
		return this.#params;
	}

	get hash() {
		const { fragment } = this.#url;
		return fragment === null || fragment === '' ? '' : '#' + fragment;
	}

	set hash(value) {
		const text = usv(value);
		if (text === '') {
			this.#url.fragment = null;
		} else {
			this.#url.fragment = '';
			this.#run(startsWith(text, '#') ? stringSlice(text, 1) : text, 'fragment');
		}
	}

	toString() {
		return machine.serializeURL(this.#url);
	}

	toJSON() {
		return machine.serializeURL(this.#url);
	}

	#run(input, stateOverride) {
		machine.basicURLParse(input, { url: this.#url, stateOverride });
	}

	#reattach() {
		if (this.#params !== null) {
			attach(this.#params, this.#url);
		}
	}
}

webInterface(URLSearchParams, 'URLSearchParams');
webInterface(URL, 'URL');

return { __proto__: null, URL, URLSearchParams };
