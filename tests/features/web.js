// SPDX-License-Identifier: MIT
/*
 * What the prelude adds: the Web's globals, Intl, and what else a script is given. A check is a
 * name and a function whose value must be true.
 */
const failed = [];
const waiting = [];
let passed = 0;
function check(name, run) {
	waiting.push(
		(async () => {
			try {
				const got = await run();
				got === true ? passed++ : failed.push({ name, got: String(got) });
			} catch (error) {
				failed.push({ name, got: String(error) });
			}
		})(),
	);
}
const throws = (type, run) => {
	try {
		run();
	} catch (error) {
		return error instanceof type;
	}
	return 'nothing was thrown';
};

/* ---- the script itself ---- */

check('args is an object', () => typeof args === 'object' && args !== null);
check(
	'text and console are there',
	() =>
		typeof text === 'function' &&
		text.length === 0 &&
		String(console) === '[object console]',
);
check('console has its methods', () =>
	[
		'log',
		'info',
		'warn',
		'error',
		'debug',
		'trace',
		'dir',
		'table',
		'assert',
		'count',
		'countReset',
		'time',
		'timeEnd',
		'timeLog',
		'group',
		'groupEnd',
	].every((k) => typeof console[k] === 'function' && !('prototype' in console[k])),
);
check(
	'functions are native to toString',
	() => /\[native code\]/.test(String(setTimeout)) && /\[native code\]/.test(String(URL)),
);
check('globals are enumerable as in a browser', () => {
	const shown = (k) => Object.getOwnPropertyDescriptor(globalThis, k).enumerable;
	return (
		shown('setTimeout') && shown('structuredClone') && !shown('URL') && !shown('console')
	);
});
check('a lazy global becomes a plain property', () => {
	TextDecoder;
	const d = Object.getOwnPropertyDescriptor(globalThis, 'TextDecoder');
	return d.value === TextDecoder && d.writable && d.configurable && !d.enumerable;
});
check('a lazy global can be replaced before it is used', () => {
	const before = Object.getOwnPropertyDescriptor(globalThis, 'CustomEvent');
	globalThis.CustomEvent = 5;
	const ok = CustomEvent === 5;
	Object.defineProperty(globalThis, 'CustomEvent', before);
	return ok && typeof CustomEvent === 'function';
});
check('error.stack has the message and the place', () => {
	const e = new TypeError('boo');
	return (
		e.stack.startsWith('TypeError: boo\n    at ') && /\(script\.js:\d+:\d+\)/.test(e.stack)
	);
});
check('error.stack does not show the prelude', () => {
	try {
		new URL('nope');
	} catch (e) {
		return !/prelude|<null>/.test(e.stack) && e instanceof TypeError;
	}
});
check('Error.captureStackTrace', () => {
	const o = { name: 'Mine', message: 'm' };
	Error.captureStackTrace(o);
	return o.stack.startsWith('Mine: m\n    at ');
});
check('Error.prepareStackTrace is not called', () => {
	let called = false;
	Error.prepareStackTrace = () => (called = true);
	new Error('x').stack;
	delete Error.prepareStackTrace;
	return !called;
});

/* ---- tools, progress, state: what holds without any tool ---- */

check(
	'tools has a function for every name',
	() =>
		typeof tools === 'object' &&
		typeof tools.any_name === 'function' &&
		typeof tools['any.name/at-all'] === 'function' &&
		typeof tools.constructor === 'function' &&
		tools.any_name === tools.any_name &&
		tools.any_name.name === 'any_name' &&
		tools.__proto__.name === '__proto__' &&
		typeof tools.call === 'function' &&
		!('prototype' in tools.any_name),
);
check('tools is harmless to look at', async () => {
	const same = await tools;
	return (
		same === tools &&
		tools.then === undefined &&
		tools.toJSON === undefined &&
		tools[Symbol.iterator] === undefined &&
		JSON.stringify(tools) === '{}' &&
		`${tools}` === '[object tools]' &&
		Object.keys(tools).length === 0 &&
		Object.getPrototypeOf(tools) === null
	);
});
check(
	'tools can not be changed',
	() =>
		!Reflect.set(tools, 'x', 1) &&
		!Reflect.deleteProperty(tools, 'x') &&
		!Reflect.defineProperty(tools, 'x', { value: 1 }) &&
		!Reflect.setPrototypeOf(tools, {}) &&
		typeof tools.x === 'function',
);
check('a call rejects and never throws', async () => {
	const circle = {};
	circle.self = circle;
	const calls = [
		tools.any_name('text'),
		tools.any_name([1]),
		tools.any_name({ list: [{ big: 1n }] }),
		tools.any_name(circle),
		tools.any_name({ map: new Map() }),
		tools.call(5),
		tools.call('x'.repeat(201)),
	];
	const ends = await Promise.allSettled(calls);
	return (
		calls.every((p) => p instanceof Promise && p.constructor === Promise) &&
		ends.every(({ reason }) => reason.code === 'INVALID_INPUT') &&
		ends[2].reason.message.startsWith('input.list[0].big is a BigInt') &&
		ends[2].reason.tool === 'any_name'
	);
});
check('the error of a call', async () => {
	try {
		await tools.any_name(5);
	} catch (e) {
		return (
			e instanceof Error &&
			e.name === 'ToolError' &&
			e.constructor.name === 'ToolError' &&
			typeof e.hint === 'string' &&
			/^ToolError: .*\n {4}at .*\(script\.js:\d+:\d+\)/.test(e.stack) &&
			typeof ToolError === 'undefined'
		);
	}
});
check(
	'progress takes numbers and a note',
	() =>
		typeof progress === 'function' &&
		[
			undefined,
			null,
			5,
			{},
			{ completed: -1 },
			{ total: NaN },
			{ completed: '1' },
			{ note: 5 },
		]
			.map((x) => throws(TypeError, () => progress(x)))
			.every((x) => x === true),
);
check(
	'state is there, as an object or not at all',
	() => 'state' in globalThis && (state === undefined || typeof state === 'object'),
);

/* ---- timers ---- */

check('timers run by due time, then in order of their ids', async () => {
	const log = [];
	setTimeout(() => log.push('c'), 3);
	setTimeout(() => log.push('b'), 1);
	setTimeout(() => log.push('a'), 0);
	await new Promise((r) => setTimeout(r, 6));
	return log.join('') === 'abc';
});
check('promise jobs run between timers', async () => {
	const log = [];
	setTimeout(() => {
		log.push(1);
		Promise.resolve().then(() => log.push(2));
	}, 1);
	setTimeout(() => log.push(3), 1);
	await new Promise((r) => setTimeout(r, 5));
	return log.join('') === '123';
});
check('arguments are passed on, ids are numbers', async () => {
	const got = await new Promise((r) => setTimeout((...a) => r(a), 0, 1, 2));
	return got.join() === '1,2' && typeof setTimeout(() => 0, 0) === 'number';
});
check('clearTimeout and clearInterval', async () => {
	let n = 0;
	clearTimeout(setTimeout(() => n++, 1));
	await new Promise((r) => {
		const id = setInterval(() => {
			if (++n === 3) {
				clearInterval(id);
				setTimeout(r, 4);
			}
		}, 1);
	});
	clearTimeout(undefined);
	clearTimeout(12345);
	return n === 3;
});
check('setImmediate comes before a later timer', async () => {
	const log = [];
	setTimeout(() => log.push('t'), 2);
	setImmediate(() => log.push('i'));
	await new Promise((r) => setTimeout(r, 5));
	return log.join('') === 'it';
});
check('a callback must be a function', () => throws(TypeError, () => setTimeout('code', 1)));
check('queueMicrotask runs before timers', async () => {
	const log = [];
	setTimeout(() => log.push('t'), 0);
	queueMicrotask(() => log.push('m'));
	await new Promise((r) => setTimeout(r, 2));
	return log.join('') === 'mt';
});
check('performance.now counts from the start of the run', () => {
	const a = performance.now();
	return (
		a >= 0 &&
		a < 60000 &&
		performance.now() >= a &&
		Math.abs(performance.timeOrigin + a - Date.now()) < 5000
	);
});

/* ---- random ---- */

check('Math.random is uniform enough and uses 53 bits', () => {
	let sum = 0;
	let fine = false;
	for (let i = 0; i < 2000; i++) {
		const x = Math.random();
		if (!(x >= 0 && x < 1)) {
			return x;
		}
		sum += x;
		fine ||= (x * 2 ** 32) % 1 !== 0;
	}
	return Math.abs(sum / 2000 - 0.5) < 0.05 && fine;
});
check(
	'crypto.randomUUID',
	() =>
		/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(
			crypto.randomUUID(),
		) && crypto.randomUUID() !== crypto.randomUUID(),
);
check('crypto.getRandomValues fills and returns', () => {
	const a = new Uint8Array(64);
	return (
		crypto.getRandomValues(a) === a &&
		a.some((x) => x !== 0) &&
		throws(DOMException, () => crypto.getRandomValues(new Float32Array(1))) &&
		throws(DOMException, () => crypto.getRandomValues(new Uint8Array(65537)))
	);
});

/* ---- URL ---- */

check('URL takes an address apart', () => {
	const u = new URL('https://user:pw@EXAMPLE.com:8080/a/../b?x=1#h');
	return (
		[
			u.protocol,
			u.username,
			u.password,
			u.host,
			u.hostname,
			u.port,
			u.pathname,
			u.search,
			u.hash,
			u.origin,
		].join('|') ===
		'https:|user|pw|example.com:8080|example.com|8080|/b|?x=1|#h|https://example.com:8080'
	);
});
check(
	'URL resolves against a base',
	() =>
		new URL('../c?d', 'http://h/a/b/x').href === 'http://h/a/c?d' &&
		new URL('//other/x', 'https://h').href === 'https://other/x',
);
check(
	'URL drops default ports and escapes',
	() => new URL('http://h:80/ü b?ä#ö').href === 'http://h/%C3%BC%20b?%C3%A4#%C3%B6',
);
check(
	'URL parses hosts',
	() =>
		new URL('http://0x7f.1/').hostname === '127.0.0.1' &&
		new URL('http://[1:0::2]/').hostname === '[1::2]' &&
		new URL('http://münchen.de/').hostname === 'xn--mnchen-3ya.de' &&
		throws(TypeError, () => new URL('http://a b/')),
);
check('URL setters', () => {
	const u = new URL('http://h/p');
	u.protocol = 'https';
	u.port = '99';
	u.pathname = 'a b';
	u.search = 'q=1';
	u.hash = '';
	u.hostname = 'x.org';
	return u.href === 'https://x.org:99/a%20b?q=1';
});
check(
	'URL.canParse and URL.parse',
	() =>
		URL.canParse('a', 'http://h') &&
		!URL.canParse('a') &&
		URL.parse('a') === null &&
		URL.parse('http://h/').href === 'http://h/',
);
check(
	'other schemes keep their path',
	() =>
		new URL('mailto:a@b.c').pathname === 'a@b.c' &&
		new URL('data:text/plain,x y').href === 'data:text/plain,x y' &&
		new URL('blob:https://a.b/c').origin === 'https://a.b',
);
check(
	'URL in JSON and text',
	() =>
		JSON.stringify({ u: new URL('http://h') }) === '{"u":"http://h/"}' &&
		`${new URL('http://h')}` === 'http://h/' &&
		Object.prototype.toString.call(new URL('http://h')) === '[object URL]',
);
check('URL and searchParams follow each other', () => {
	const u = new URL('http://h/?a=1');
	const q = u.searchParams;
	q.append('b', 'x y&');
	const first = u.search;
	u.search = '?c=3';
	return (
		first === '?a=1&b=x+y%26' && q.get('c') === '3' && q === u.searchParams && !q.has('a')
	);
});
check(
	'URLSearchParams of text, pairs and records',
	() =>
		new URLSearchParams('?a=b+c%20d&e').toString() === 'a=b+c+d&e=' &&
		new URLSearchParams([
			['x', 1],
			['x', 2],
		])
			.getAll('x')
			.join() === '1,2' &&
		new URLSearchParams({ k: 'ü' }).toString() === 'k=%C3%BC' &&
		throws(TypeError, () => new URLSearchParams([['a']])),
);
check('URLSearchParams set, delete, has, sort, size', () => {
	const q = new URLSearchParams('b=1&a=2&b=3');
	q.set('b', '9');
	q.append('c', '');
	q.delete('c', 'no');
	q.sort();
	return (
		q.toString() === 'a=2&b=9&c=' &&
		q.size === 3 &&
		q.has('a', '2') &&
		!q.has('a', '1') &&
		q.get('z') === null
	);
});
check('URLSearchParams iterates', () => {
	const q = new URLSearchParams('a=1&b=2');
	return (
		[...q].join('|') === 'a,1|b,2' &&
		[...q.keys()].join() === 'a,b' &&
		[...q.values()].join() === '1,2' &&
		q[Symbol.iterator] === q.entries &&
		Object.fromEntries(q).b === '2'
	);
});
check('URL members are on the prototype, enumerable, and check this', () => {
	const d = Object.getOwnPropertyDescriptor(URL.prototype, 'href');
	return (
		d.enumerable &&
		typeof d.set === 'function' &&
		throws(TypeError, () => d.get.call({})) &&
		throws(TypeError, () => URL('http://h'))
	);
});

/* ---- encodings ---- */

check(
	'TextEncoder writes UTF-8 and mends surrogates',
	() =>
		new TextEncoder().encode('é€😀\ud800').join() ===
			'195,169,226,130,172,240,159,152,128,239,191,189' &&
		new TextEncoder().encode().length === 0 &&
		new TextEncoder().encoding === 'utf-8',
);
check('encodeInto stops before what does not fit', () => {
	const b = new Uint8Array(4);
	const r = new TextEncoder().encodeInto('a€é', b);
	return r.read === 2 && r.written === 4 && b.join() === '97,226,130,172';
});
check(
	'TextDecoder mends broken UTF-8',
	() =>
		new TextDecoder().decode(Uint8Array.of(0xff, 0xe2, 0x82, 65, 0xed, 0xa0, 0x80)) ===
		'\ufffd\ufffdA\ufffd\ufffd\ufffd',
);
check('TextDecoder fatal', () =>
	throws(TypeError, () =>
		new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(0xc0, 0x80)),
	),
);
check('TextDecoder drops a byte order mark unless told', () => {
	const b = Uint8Array.of(0xef, 0xbb, 0xbf, 65);
	return (
		new TextDecoder().decode(b) === 'A' &&
		new TextDecoder('utf8', { ignoreBOM: true }).decode(b) === '\ufeffA'
	);
});
check('TextDecoder streams', () => {
	const d = new TextDecoder();
	return (
		d.decode(Uint8Array.of(0xf0, 0x9f), { stream: true }) +
			d.decode(Uint8Array.of(0x98, 0x80), { stream: true }) +
			d.decode() ===
			'😀' && d.decode(Uint8Array.of(0xe2)) === '\ufffd'
	);
});
check(
	'TextDecoder utf-16 and latin1',
	() =>
		new TextDecoder('utf-16').decode(Uint8Array.of(0x3d, 0xd8, 0, 0xde)) === '😀' &&
		new TextDecoder('utf-16be').decode(Uint8Array.of(0, 65)) === 'A' &&
		new TextDecoder('latin1').decode(Uint8Array.of(0x80, 0xe9)) === '€é' &&
		new TextDecoder('ascii').encoding === 'windows-1252',
);
check(
	'TextDecoder reads any view',
	() =>
		new TextDecoder().decode(new DataView(Uint8Array.of(65, 66, 67).buffer, 1, 1)) ===
			'B' &&
		throws(TypeError, () => new TextDecoder().decode('x')) &&
		throws(RangeError, () => new TextDecoder('klingon')),
);
check(
	'atob and btoa',
	() =>
		btoa('aÿ') === 'Yf8=' &&
		atob(' Yf8= ') === 'aÿ' &&
		throws(DOMException, () => btoa('€')) &&
		throws(DOMException, () => atob('a')),
);

/* ---- structuredClone ---- */

check('structuredClone keeps kinds and cycles', () => {
	const o = {
		d: new Date(5),
		r: /x/gi,
		m: new Map([[{}, new Set([1])]]),
		n: null,
		u: undefined,
		b: 1n,
		a: [1, , 3],
	};
	o.self = o;
	o.same = o.d;
	const c = structuredClone(o);
	return (
		c !== o &&
		c.self === c &&
		c.same === c.d &&
		c.d.getTime() === 5 &&
		String(c.r) === '/x/gi' &&
		[...c.m.values()][0].has(1) &&
		'u' in c &&
		c.b === 1n &&
		!(1 in c.a) &&
		c.a.length === 3
	);
});
check('structuredClone of errors', () => {
	const c = structuredClone(new RangeError('m', { cause: { x: 1 } }));
	return c instanceof RangeError && c.message === 'm' && c.cause.x === 1;
});
check('structuredClone keeps views on one buffer together', () => {
	const b = new ArrayBuffer(8);
	const c = structuredClone({ x: new Uint8Array(b, 2, 3), y: new DataView(b) });
	return (
		c.x.buffer === c.y.buffer &&
		c.x.buffer !== b &&
		c.x.byteOffset === 2 &&
		c.x.length === 3
	);
});
check('structuredClone transfers', () => {
	const b = Uint8Array.of(1, 2).buffer;
	const c = structuredClone(b, { transfer: [b] });
	return b.detached && new Uint8Array(c)[1] === 2;
});
check('structuredClone drops prototypes and runs getters', () => {
	class A {
		x = 1;
		get y() {
			return 2;
		}
	}
	const c = structuredClone(
		Object.assign(new A(), {
			get z() {
				return 3;
			},
		}),
	);
	return (
		Object.getPrototypeOf(c) === Object.prototype && JSON.stringify(c) === '{"x":1,"z":3}'
	);
});
check('structuredClone refuses functions, symbols, promises, weak maps', () =>
	[() => 1, Symbol(), Promise.resolve(), new WeakMap()].every((x) => {
		try {
			structuredClone({ x });
			return false;
		} catch (e) {
			return e.name === 'DataCloneError' && e.code === 25 && e instanceof DOMException;
		}
	}),
);
check('structuredClone goes as deep as it must', () => {
	let deep = [];
	for (let i = 0; i < 20000; i++) {
		deep = [deep];
	}
	return Array.isArray(structuredClone(deep)[0]);
});

/* ---- events ---- */

check('EventTarget: once, order, removal, handleEvent', () => {
	const t = new EventTarget();
	const log = [];
	const f = () => log.push('f');
	t.addEventListener('x', f);
	t.addEventListener('x', f);
	t.addEventListener('x', { handleEvent: (e) => log.push(e.type) }, { once: true });
	t.dispatchEvent(new Event('x'));
	t.removeEventListener('x', f);
	t.dispatchEvent(new Event('x'));
	return log.join() === 'f,x';
});
check('Event: preventDefault, stopImmediatePropagation, target', () => {
	const t = new EventTarget();
	let n = 0;
	t.addEventListener('x', (e) => {
		e.preventDefault();
		e.stopImmediatePropagation();
		n += e.target === t && e.eventPhase === Event.AT_TARGET ? 1 : 0;
	});
	t.addEventListener('x', () => n++);
	const e = new Event('x', { cancelable: true });
	return t.dispatchEvent(e) === false && n === 1 && e.defaultPrevented && e.eventPhase === 0;
});
check(
	'CustomEvent has detail',
	() =>
		new CustomEvent('x', { detail: 5 }).detail === 5 &&
		new CustomEvent('x').detail === null &&
		new CustomEvent('x') instanceof Event,
);
check('AbortController', () => {
	const c = new AbortController();
	const log = [];
	c.signal.onabort = () => log.push('on');
	c.signal.addEventListener('abort', (e) => log.push(e.type));
	c.abort();
	c.abort('again');
	return (
		log.join() === 'on,abort' &&
		c.signal.aborted &&
		c.signal.reason.name === 'AbortError' &&
		throws(DOMException, () => c.signal.throwIfAborted())
	);
});
check('AbortSignal.abort, any and timeout', async () => {
	const late = AbortSignal.timeout(2);
	const any = AbortSignal.any([new AbortController().signal, late]);
	await new Promise((r) => any.addEventListener('abort', r));
	return (
		AbortSignal.abort(7).reason === 7 &&
		any.reason.name === 'TimeoutError' &&
		throws(TypeError, () => new AbortSignal())
	);
});
check('DOMException', () => {
	const e = new DOMException('m', 'NotFoundError');
	return (
		e.code === 8 &&
		e.name === 'NotFoundError' &&
		e instanceof Error &&
		String(e) === 'NotFoundError: m'
	);
});

/* ---- Intl ---- */

check(
	'numbers are grouped',
	() =>
		(1234567.891).toLocaleString() === '1,234,567.891' &&
		(1e6).toLocaleString('en-US') === '1,000,000' &&
		12345678901234567890n.toLocaleString() === '12,345,678,901,234,567,890',
);
check(
	'fraction and significant digits',
	() =>
		(1.005).toLocaleString('en-US', { maximumFractionDigits: 2 }) === '1.01' &&
		(5).toLocaleString('en-US', { minimumFractionDigits: 2 }) === '5.00' &&
		(123456).toLocaleString('en-US', { maximumSignificantDigits: 2 }) === '120,000',
);
check(
	'percent, currency, compact',
	() =>
		(0.256).toLocaleString('en-US', { style: 'percent' }) === '26%' &&
		(-1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }) ===
			'-$1,234.50' &&
		(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'JPY' }) === '¥1,235' &&
		(1234567).toLocaleString('en-US', { notation: 'compact' }) === '1.2M',
);
check('Intl.NumberFormat with and without new, bound format, parts', () => {
	const f = Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' });
	return (
		[1, 2].map(f.format).join('|') === '€1.00|€2.00' &&
		f instanceof Intl.NumberFormat &&
		f
			.formatToParts(1234.5)
			.map((x) => x.type)
			.join() === 'currency,integer,group,integer,decimal,fraction'
	);
});
check('dates', () => {
	const d = new Date(Date.UTC(2024, 2, 5, 9, 7, 3));
	return (
		d.toLocaleString() === '3/5/2024, 9:07:03 AM' &&
		d.toLocaleDateString() === '3/5/2024' &&
		d.toLocaleTimeString() === '9:07:03 AM' &&
		d.toLocaleDateString('en-US', {
			weekday: 'long',
			year: 'numeric',
			month: 'long',
			day: 'numeric',
		}) === 'Tuesday, March 5, 2024' &&
		d.toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'short' }) ===
			'March 5, 2024 at 9:07 AM' &&
		d.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hour12: false }) ===
			'09:07'
	);
});
check(
	'Intl.DateTimeFormat says UTC',
	() =>
		Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC' &&
		new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(0) ===
			'Jan' &&
		throws(RangeError, () => new Intl.DateTimeFormat().format(NaN)) &&
		new Date(NaN).toLocaleString() === 'Invalid Date',
);
check(
	'what is not built in is refused',
	() =>
		throws(RangeError, () => (1).toLocaleString('de-DE')) &&
		throws(RangeError, () =>
			new Date().toLocaleString('en-US', { timeZone: 'Europe/Paris' }),
		) &&
		throws(RangeError, () =>
			(1).toLocaleString('en-US', { style: 'unit', unit: 'liter' }),
		) &&
		throws(RangeError, () => 'a'.localeCompare('b', 'sv')) &&
		throws(RangeError, () => 'i'.toLocaleUpperCase('tr')),
);
check(
	'localeCompare: letters, then accents, then case',
	() =>
		['b', 'B', 'a', 'á', 'A', 'z', '1', '_', 'ä']
			.sort((x, y) => x.localeCompare(y))
			.join('') === '_1aAáäbBz' &&
		'a'.localeCompare('á', 'en', { sensitivity: 'base' }) === 0 &&
		'a'.localeCompare('A') === -1,
);
check(
	'numeric collation',
	() =>
		['a10', 'a9', 'a1'].sort(new Intl.Collator('en', { numeric: true }).compare).join() ===
			'a1,a9,a10' && '2'.localeCompare('10', undefined, { numeric: true }) === -1,
);
check(
	'PluralRules, ListFormat, RelativeTimeFormat',
	() =>
		new Intl.PluralRules('en', { type: 'ordinal' }).select(23) === 'few' &&
		new Intl.PluralRules('en').select(1) === 'one' &&
		new Intl.ListFormat('en').format(['a', 'b', 'c']) === 'a, b, and c' &&
		new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day') ===
			'yesterday' &&
		new Intl.RelativeTimeFormat('en').format(3, 'hours') === 'in 3 hours',
);
check(
	'arrays pass locales on',
	() =>
		[1234.5, new Date(0)].toLocaleString('en-US', { timeZone: 'UTC' }) ===
			'1,234.5,1/1/1970, 12:00:00 AM' &&
		new Uint16Array([1000]).toLocaleString() === '1,000',
);
check(
	'String case methods',
	() => 'ß'.toLocaleUpperCase() === 'SS' && 'İ'.toLocaleLowerCase('en') === 'i̇',
);

await Promise.all(waiting);
return { passed, failed };
