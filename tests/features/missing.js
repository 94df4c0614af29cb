// SPDX-License-Identifier: MIT
/*
 * What the engine does not have. A new engine that has one of these makes its check fail: then the
 * list, the hints and the documentation are to be brought up to date. A check is a name and a
 * function whose value must be true.
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

const absent = (name) =>
	check(name + ' is absent', () => typeof globalThis[name] === 'undefined');
const refused = (name, source) =>
	check(name + ' does not parse', () => throws(SyntaxError, () => new Function(source)));

/* ---- of the language and its proposals ---- */

absent('Temporal');
absent('Atomics');
absent('ShadowRealm');
absent('AsyncIterator');
refused('class decorators', '@f class A {}');
refused('member decorators', 'class A { @f m() {} }');
refused('auto-accessors', 'class A { accessor x = 1; }');
refused('pattern matching', 'return match (x) { when 1: 2; }');
refused('the pipeline operator', 'return 1 |> f(%)');
refused('do expressions', 'return do { 1 }');
refused('throw expressions', 'return x ?? throw y');
refused('records and tuples', 'return #{ a: 1 }');
refused('import defer', 'import defer * as x from "x"');
refused('import statements', 'import x from "x"');
refused('export statements', 'export default 1');
refused('type annotations', 'const x: number = 1');
refused('JSX', 'return <a/>');
check('tail calls take stack', () =>
	throws(RangeError, () => {
		'use strict';
		const f = (n) => (n === 0 ? 0 : f(n - 1));
		f(1e6);
	}),
);
check('Math.clamp is absent', () => typeof Math.clamp === 'undefined');
check('growable shared buffers are refused', () =>
	throws(TypeError, () => new SharedArrayBuffer(1, { maxByteLength: 4 })),
);
check('Promise.allKeyed is absent', () => typeof Promise.allKeyed === 'undefined');
check('Symbol.metadata is absent', () => typeof Symbol.metadata === 'undefined');
check('Map.prototype.emplace is absent', () => typeof Map.prototype.emplace === 'undefined');

/* ---- of the Web and of Node, on purpose ---- */

absent('fetch');
absent('XMLHttpRequest');
absent('WebSocket');
absent('Request');
absent('Response');
absent('Headers');
absent('FormData');
absent('Blob');
absent('File');
absent('ReadableStream');
absent('MessageChannel');
absent('BroadcastChannel');
absent('Worker');
absent('WebAssembly');
absent('window');
absent('self');
absent('global');
absent('document');
absent('localStorage');
absent('require');
absent('module');
absent('process');
absent('Buffer');
absent('Deno');
absent('Bun');
check('crypto.subtle is absent', () => typeof crypto.subtle === 'undefined');
check('Intl.Segmenter, DisplayNames, Locale and DurationFormat are absent', () =>
	['Segmenter', 'DisplayNames', 'Locale', 'DurationFormat'].every(
		(k) => typeof Intl[k] === 'undefined',
	),
);

await Promise.all(waiting);
return { passed, failed };
