// SPDX-License-Identifier: MIT
/* npm quickjs-emscripten: a context in this process, stopped by its own interrupt handler. */
import { getQuickJS, newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten';

import { cpuSince, envelope, serve } from './order.mjs';

const engine = process.argv[2] === 'ng'
	? await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-ng-wasmfile-release-sync'))
	: await getQuickJS();

/* A script is the body of an async function where it awaits, else of a function. */
function wrap(source) {
	return /\bawait\b/.test(source) ? `(async () => {${source}\n})()` : `(() => {${source}\n})()`;
}

/* Runs jobs for as long as there are some; a promise that waits for nothing stays pending. */
function settle(vm, runtime, handle, expired) {
	for (;;) {
		const state = vm.getPromiseState(handle);

		if (state.type === 'fulfilled') {
			const value = vm.dump(state.value);

			if (state.value !== handle) {
				state.value.dispose();
			}
			return value;
		}
		if (state.type === 'rejected') {
			const why = vm.dump(state.error);

			state.error.dispose();
			throw new Error(String(why?.message ?? why));
		}
		if (expired()) {
			throw new Error('TIMEOUT');
		}
		const done = runtime.executePendingJobs(100);

		if (done.error) {
			const why = vm.dump(done.error);

			done.dispose();
			throw new Error(String(why?.message ?? why));
		}
		if (done.value === 0) {
			throw new Error('STALLED');
		}
	}
}

function once(order) {
	const started = process.hrtime.bigint();
	const cpu = process.cpuUsage();
	const end = Date.now() + order.timeoutMs;
	const expired = () => Date.now() > end;
	let used = 0;
	let value;
	let error;
	const vm = engine.newContext();

	vm.runtime.setMemoryLimit(order.memoryBytes);
	vm.runtime.setInterruptHandler(expired);
	try {
		const handle = vm.unwrapResult(vm.evalCode(wrap(order.source)));

		value = settle(vm, vm.runtime, handle, expired);
		used = cpuSince(cpu);
		handle.dispose();
	} catch (thrown) {
		error = expired() ? 'TIMEOUT' : thrown.message;
	}
	try {
		vm.dispose();
	} catch {
		/* a context that was interrupted may leak, and says so */
	}
	return envelope(started, used, value, error);
}

async function run(order, answer) {
	for (let i = 0; i < order.count; i++) {
		answer(once(order));
	}
}

/* One after another: there is one thread. */
async function fan(order, answer) {
	const started = process.hrtime.bigint();
	let succeeded = 0;

	for (let i = 0; i < order.count; i++) {
		succeeded += once(order).envelope.error === null ? 1 : 0;
	}
	answer({ ns: Number(process.hrtime.bigint() - started), succeeded });
}

await serve({ run, fan, create: run });
