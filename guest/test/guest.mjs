// SPDX-License-Identifier: MIT
/*
 * The prelude in the engine, with the host's functions written in JavaScript: one image per
 * process, and a clone of it for each script, as the C host does it.
 *
 *   const { makeImage } = await import('./guest.mjs');
 *   const image = await makeImage(modulesDir);
 *   const { ok, value, notes, text, error } = await image.run('return 1');
 */
import { readFileSync } from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../build.mjs';

export const ENGINE_SHA256 = 'c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363';
const STACK = 262144;
const STRIP_SOURCE_AND_DEBUG = 16 | 32;

/* Every function of `host`: name -> (vm, state, arguments) => handle or undefined. */
const hostFunctions = {
	text: (vm, state, [string]) => void state.text.push(string.toString()),
	now: (vm, state) =>
		vm.newNumber(state.now === undefined ? performance.now() - state.start : state.now),
	random: (vm, state, [count]) => vm.newArrayBuffer(randomBytes(count.toNumber())),
	wake: (vm, state, [ms]) => void (state.wake = ms.toNumber()),
	encode: (vm, state, [string]) =>
		vm.newArrayBuffer(new TextEncoder().encode(string.toString())),
	decode: (vm, state, [buffer]) => {
		try {
			const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
			return vm.newString(decoder.decode(buffer.toArrayBuffer()));
		} catch {
			return undefined;
		}
	},
	settle: (vm, state, [ok, json, notes, kept]) => {
		if (state.result !== undefined) {
			throw new Error('settled twice');
		}
		const text = (handle) =>
			handle === undefined || handle.isUndefined ? undefined : handle.toString();
		state.result = {
			ok: ok.toBoolean(),
			json: text(json),
			notes: text(notes),
			state: text(kept),
		};
	},
	call: (vm, state, [number, name, input]) => {
		const call = { n: number.toNumber(), name: name.toString(), json: input.toString() };
		state.calls.push(call);
		state.open.push(call);
	},
	progress: (vm, state, [json]) => void state.progress.push(json.toString()),
	kind: (vm, state, [value]) =>
		value === undefined || !value.isObject
			? undefined
			: value.isProxy
				? vm.newString('Proxy')
				: vm.newString(value.className ?? 'Object'),
	target: (vm, state, [proxy]) => proxy.getProxyTarget(),
	place: (vm, state, [line, column]) => {
		const lines = state.source?.split('\n').length ?? 1;
		const at = line.toNumber() - (state.wrapped ? 1 : 0);
		const place = Math.min(Math.max(at, 1), lines) * 8388608 + column.toNumber();
		return vm.newNumber(at < 1 || at > lines ? -place : place);
	},
	stripped: () => undefined,
	source: (vm, state) =>
		state.source === undefined ? undefined : vm.newString(state.source),
	load: (vm, state, [buffer]) => vm.evalBytecode(new Uint8Array(buffer.toArrayBuffer())),
	compile: (vm, state, [source]) =>
		vm.newArrayBuffer(
			vm.compile(source.toString(), 'prelude.js', 0, STRIP_SOURCE_AND_DEBUG),
		),
};

/* Tries the same things as the C host: a script as it is, then as the body of a function. */
function compileScript(vm, source, AsyncFlag, wrap) {
	try {
		return { promise: vm.evalCode(source, 'script.js', AsyncFlag), wrapped: false };
	} catch (error) {
		if (!/return not in a function/.test(error.message)) {
			throw error;
		}
	}
	wrap();
	return { promise: vm.evalCode(WRAP + source + '\n})()', 'script.js'), wrapped: true };
}
const WRAP = '(async()=>{\n';

/* Answers every call, in order, with what the function of its name returns or throws. */
function answerAll(tools) {
	return (state, answer) => {
		for (const call of [...state.open]) {
			let ok = true;
			let said;
			try {
				if (!Object.hasOwn(tools, call.name)) {
					throw { code: 'TOOL_UNAVAILABLE', message: 'no such tool', hint: 'Look.' };
				}
				said = tools[call.name](JSON.parse(call.json), call);
			} catch (failure) {
				ok = false;
				said = { tool: call.name, ...failure };
			}
			answer(call, ok, JSON.stringify(said) ?? 'null');
		}
	};
}

export async function makeImage(modulesDir, { debug = false } = {}) {
	const modules = resolve(modulesDir);
	const engine = pathToFileURL(join(modules, 'quickjs-wasi/dist/index.js')).href;
	const { QuickJS, EvalFlags, JSException } = await import(engine);
	const bytes = readFileSync(join(modules, 'quickjs-wasi/quickjs.wasm'));
	if (createHash('sha256').update(bytes).digest('hex') !== ENGINE_SHA256) {
		throw new Error('quickjs.wasm is not the pinned one');
	}
	const wasm = await WebAssembly.compile(bytes);
	const options = { wasm, timezoneOffset: 0, maxStackSize: STACK };
	const prelude = await build(modulesDir);

	const vm = await QuickJS.create(options);
	const building = { text: [], start: performance.now() };
	const host = vm.newObject();
	for (const name of Object.keys(hostFunctions)) {
		const handler = (...args) => hostFunctions[name](vm, building, args) ?? vm.undefined;
		const made = vm.newFunction(name, handler);
		/* for t_robust, which looks for what scripts must not reach */
		made.setProp('hostMark', vm.true);
		host.setProp(name, made);
	}
	host.setProp('hostMark', vm.true);
	const code = vm.compile(prelude, 'prelude.js', 0, debug ? 0 : STRIP_SOURCE_AND_DEBUG);
	const make = vm.evalBytecode(code);
	const entry = vm.callFunction(make, vm.undefined, host);
	const token = vm.exportHandle(entry);
	make.dispose();
	host.dispose();
	vm.runGC();
	const snapshot = vm.snapshot();
	const usage = vm.getMemoryUsage();

	/* A new VM from the image; `state` is what its host functions see. */
	async function clone({ memoryLimit, now, ...rest } = {}) {
		const state = {
			text: [],
			calls: [],
			open: [],
			progress: [],
			start: performance.now(),
			wake: -1,
			now,
			...rest,
		};
		let entry;
		const vm = await QuickJS.restore(snapshot, {
			...options,
			memoryLimit,
			onUnhandledRejection: (promise, reason, handled) => {
				entry
					.getProp('rejection')
					.consume((f) =>
						vm
							.callFunction(
								f,
								vm.undefined,
								promise,
								reason,
								handled ? vm.true : vm.false,
							)
							.dispose(),
					);
			},
		});
		for (const name of Object.keys(hostFunctions)) {
			vm.registerHostCallback(
				name,
				(...args) => hostFunctions[name](vm, state, args) ?? vm.undefined,
			);
		}
		entry = vm.importHandle(token);
		const call = (name, ...args) =>
			entry.getProp(name).consume((f) => vm.callFunction(f, vm.undefined, ...args));
		return { vm, state, call };
	}

	/*
	 * Jobs, answers and timers until the run has settled or nothing is left that could settle it.
	 * When no job is left, idle(state, answer) answers what it likes of state.open, the calls that
	 * are not answered.
	 */
	async function drive({ vm, state, call }, idle) {
		const answer = ({ n }, ok, text) => {
			state.open = state.open.filter((one) => one.n !== n);
			const handles = [vm.newNumber(n), ok ? vm.true : vm.false, vm.newString(text)];
			call('answer', ...handles).dispose();
		};
		for (;;) {
			vm.executePendingJobs();
			if (state.result !== undefined) {
				return;
			}
			const before = state.open.length;
			if (before > 0) {
				idle(state, answer);
				if (state.open.length < before) {
					continue;
				}
			}
			if (state.result !== undefined || state.wake < 0) {
				return;
			}
			if (state.wake > 0 && state.now === undefined) {
				await new Promise((done) => setTimeout(done, state.wake));
			} else if (state.now !== undefined) {
				state.now += state.wake;
			}
			call('tick').dispose();
		}
	}

	/*
	 * Runs one script. The result has ok, value, json, notes, text, calls, progress and state; when
	 * it failed, error, the description. `before` is code to evaluate first, which poisons things;
	 * `kept` is the state of the session; `tools` and `idle` say how calls are answered.
	 */
	async function run(source, { args, before, kept, tools, idle, ...rest } = {}) {
		const guest = await clone({ source, ...rest });
		const { vm, state, call } = guest;
		if (before !== undefined) {
			vm.evalCode(before, 'before.js').dispose();
		}
		try {
			const given = [args ?? {}, kept]
				.filter((value) => value !== undefined)
				.map((value) => vm.newString(JSON.stringify(value)));
			call('begin', ...given).dispose();
			const wrap = () => void (state.wrapped = true);
			const { promise, wrapped } = compileScript(vm, source, EvalFlags.ASYNC, wrap);
			call('watch', promise, wrapped ? vm.true : vm.false).dispose();
			await drive(guest, idle ?? answerAll(tools ?? {}));
		} catch (error) {
			if (!(error instanceof JSException)) {
				throw error;
			}
			const json = call(
				'describe',
				error.handle,
			).toString();
			state.result = { ok: false, json };
		}
		const { ok, json, notes } = state.result ?? { ok: undefined };
		const out = {
			ok,
			json,
			text: state.text,
			calls: state.calls,
			open: state.open,
			progress: state.progress,
			state: state.result?.state,
			notes: notes === undefined ? [] : JSON.parse(notes),
		};
		if (ok) {
			out.value = json === undefined ? undefined : JSON.parse(json);
		} else if (ok === false) {
			out.error = JSON.parse(json);
		}
		return out;
	}

	return { run, clone, snapshot, usage, prelude, QuickJS };
}
