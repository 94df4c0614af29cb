// SPDX-License-Identifier: MIT
/*
 * The controls of vm-attempts.txt: each attempt is made where it must get through.
 *
 *	node naive.cjs <attempts.json	a line for each: @@ ["kind: title", through, what came]
 *
 * Three places, all of them wrong on purpose: plain Node; `vm`, a context that is handed the host's
 * own functions and objects and whose results are read as they are; `late`, a runtime whose own code
 * lives among the guest's and looks everything up when it needs it. All runs of a session share one
 * context. This file is sloppy code on purpose, too.
 */
const nodeVm = require('node:vm');

const files = { 'a.txt': 'hello', 'secret.txt': 'SECRET' };
const rejected = [];
process.on('unhandledRejection', (reason) => {
	try {
		rejected.push('' + reason.message);
	} catch {}
});
process.on('uncaughtException', () => {});

function merge(to, from) {
	for (const key of Object.keys(from)) {
		if (from[key] && typeof from[key] === 'object' && Object(to[key]) === to[key]) {
			merge(to[key], from[key]);
		} else {
			to[key] = from[key];
		}
	}
	return to;
}

function fail(code) {
	throw Object.assign(new Error('refused', { cause: { files } }), { code });
}

/* The tools, with a mistake each. */
const tools = () => ({
	async read_file(input) {
		if (String(input.path) !== 'a.txt') {
			fail(String(input.path) in files ? 'DENIED' : 'NOT_FOUND');
		}
		await null;
		return { content: files[input.path] };
	},
	async list_files(input) {
		const given = merge({ a: {} }, input ?? {});
		return { files: ['a.txt'], total: given.limit };
	},
	async search_text(input) {
		if (!(input.pattern.length < 100)) {
			fail('INVALID_INPUT');
		}
		return { found: typeof input.pattern };
	},
});

/* ---- vm ---- */

function vmSession() {
	const log = [];
	const last = { x: {} };
	function write(...list) {
		for (const one of list) {
			log.push(one && typeof one === 'object' ? '' + one + one.a + Object.keys(one) : '' + one);
		}
	}
	const context = nodeVm.createContext({
		tools: tools(),
		text: write,
		console: { log: write, table: write, dir: write },
		progress: (report) => void merge(last, { ...report, note: '' + report.note }),
		args: { list: [1, 2] },
		state: {},
		setTimeout: (what, ms, ...more) => setTimeout(() => what(...more), '' + ms),
		structuredClone: (value, options) => {
			const [first] = options?.transfer ?? [];
			return structuredClone(merge({ first }, value));
		},
		queueMicrotask,
		atob,
	});
	return async (source) => {
		let error;
		let value;
		try {
			value = await nodeVm.runInContext(`(async () => {\n${source}\n})()`, context);
			merge({}, context.state);
		} catch (e) {
			error = { code: e?.code ?? 'SCRIPT_ERROR', message: '' + e?.message };
		}
		return JSON.parse(JSON.stringify({ value, error }));
	};
}

/* ---- late ---- */

function latePrelude(host, log) {
	const waiting = new Map();
	const naive = {
		last: 0,
		answer(number, text) {
			const { resolve, reject } = waiting.get(number);
			waiting.delete(number);
			const said = JSON.parse(text);
			if (said.error) {
				reject(Object.assign(new Error(said.error.message), said.error));
			} else {
				resolve(said.value);
			}
		},
		finish(value) {
			const notes = [];
			notes[0] = typeof value;
			return JSON.stringify({ value, notes: notes.filter((note) => note !== 'object') });
		},
		describe(error) {
			return JSON.stringify({ error: { code: String(error.code || 'SCRIPT_ERROR'), message: String(error.message) } });
		},
	};
	globalThis.naive = naive;
	globalThis.text = (...list) => host.text(list.map((one) => (typeof one === 'string' ? one : String(one))).join(' '));
	globalThis.console = { log: globalThis.text };
	globalThis.progress = (report) => host.text(JSON.stringify(Object.entries(report)));
	globalThis.state = {};
	globalThis.args = { list: [1, 2] };
	globalThis.structuredClone = (value) => Object.fromEntries(Object.entries(value).concat([]));
	globalThis.setTimeout = (what, ms) => host.timer(what.bind(undefined), Number(ms));
	globalThis.tools = new Proxy({}, {
		get: (target, name) => target[name] ?? ((input) => new Promise((resolve, reject) => {
			if (!/^(\w+)$/.test(name)) {
				throw new TypeError('no name');
			}
			const number = ++naive.last;
			waiting.set(number, { resolve, reject });
			host.call(number, name, JSON.stringify(Object.assign({}, input)));
		})),
		set: Reflect.set,
	});
}

function lateSession() {
	const log = [];
	const context = nodeVm.createContext({});
	const host = nodeVm.runInContext('({})', context);
	host.text = (line) => log.push('' + line);
	host.timer = (what, ms) => void setTimeout(what, ms);
	host.call = (number, name, json) => {
		tools()[name](JSON.parse(json)).then(
			(value) => context.naive.answer(number, JSON.stringify({ value })),
			(error) => context.naive.answer(number, JSON.stringify({ error: { code: error.code, message: error.message } })),
		);
	};
	nodeVm.runInContext(`(${latePrelude})`, context)(host, log);
	const { naive } = context;
	return async (source) => {
		let said;
		try {
			try {
				const main = nodeVm.runInContext(`(async function (host) {\n${source}\n})`, context);
				said = naive.finish(await main.call(host, host));
			} catch (error) {
				said = naive.describe(error);
			}
			return JSON.parse(said);
		} catch {
			return { error: { code: 'INTERNAL' } };
		}
	};
}

/* ---- plain ---- */

function plainSession() {
	return async (source) => {
		try {
			const AsyncFunction = (async () => {}).constructor;
			return { value: await new AsyncFunction('require', source).call(globalThis, require) };
		} catch (error) {
			return { error: { code: 'SCRIPT_ERROR', message: String(error) } };
		}
	};
}

const places = { node: plainSession, vm: vmSession, late: lateSession };

async function main() {
	let given = '';
	for await (const piece of process.stdin) {
		given += piece;
	}
	for (const { name, kind, steps, code } of JSON.parse(given)) {
		const run = places[kind]();
		let came;
		for (const step of steps) {
			const slow = new Promise((done) => setTimeout(done, 3000, { error: { code: 'no end' } }).unref());
			came = await Promise.race([run(step), slow]);
		}
		const through = code ? came.error?.code === code : came.value === true;
		process.stdout.write('\n@@ ' + JSON.stringify([name, through, came]) + '\n');
		delete Object.prototype.value;
	}
	process.exit(0);
}

main().catch((error) => {
	process.stderr.write(String(error.stack));
	process.exit(1);
});
