// SPDX-License-Identifier: MIT
/*
 * One run: what the host calls, and the end of it. host.settle is called once.
 *
 * The promise that the host watches is not reachable by user code, but Promise.prototype is: so it
 * gets a `constructor` of its own, without which then() would ask the prototype's.
 */
const RUN_NOTES_MAX = 10;
let runSettled = false;
const runUnhandled = new p.Map();

function settleFailed(error) {
	if (!runSettled) {
		runSettled = true;
		const failure = ResultFailure.read(error);
		timerDropAll();
		host.settle(
			false,
			failure === undefined
				? describe(error)
				: errorWrite({
						__proto__: null,
						name: 'TypeError',
						message: failure.message,
						stack: '',
						hint: failure.hint,
					}),
			undefined,
		);
	}
}

/* What user code throws where no one can catch it, as in a listener, ends the run. */
p.fail = settleFailed;

/* Adds to the notes what the run leaves behind: timers, and rejections nobody looked at. */
function runLeftovers(notes) {
	const timers = timerPending();
	if (timers > 0) {
		runNote(
			notes,
			timers === 1
				? '1 timer was still pending and was dropped'
				: timers + ' timers were still pending and were dropped',
		);
	}
	let room = RUN_NOTES_MAX;
	mapForEach(runUnhandled, (reason) => {
		if (room-- > 0) {
			runNote(notes, 'unhandled rejection: ' + errorLine(reason));
		} else {
			notes.count++;
		}
	});
}

function runNote(notes, line) {
	notes.count++;
	notes.lines[notes.lines.length] = line;
}

function settleDone(value) {
	if (runSettled) {
		return;
	}
	let json;
	const notes = resultNotes();
	try {
		json = resultJson(value, notes);
	} catch (error) {
		settleFailed(error);
		return;
	}
	/* toJSON of the value may have ended the run by itself */
	if (runSettled) {
		return;
	}
	runSettled = true;
	runLeftovers(notes);
	timerDropAll();
	host.settle(true, json, notes.count > 0 ? jsonLines(notes.lines, notes.count) : undefined);
}

/* Calls `done` or `failed` when `promise`, which only we have, settles. */
function runThen(promise, done, failed) {
	define(promise, 'constructor', { __proto__: null, value: undefined });
	promiseThen(promise, done, failed);
}

/* A value that may be a thenable: it is awaited, as `return` from an async function does. */
function runAwait(value) {
	if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
		runThen(new p.Promise((resolve) => resolve(value)), settleDone, settleFailed);
	} else {
		settleDone(value);
	}
}

const entry = objectFreeze({
	__proto__: null,

	/* First in each run: `argsJson` becomes the global args. */
	begin(argsJson) {
		p.globalThis.args = argsJson === undefined ? {} : jsonParse(argsJson);
	},

	watch(promise, wrapped) {
		errorWrapped = !!wrapped;
		runThen(
			promise,
			wrapped ? settleDone : (result) => runAwait(result.value),
			settleFailed,
		);
	},

	tick() {
		if (!runSettled) {
			timerTick();
		}
	},

	rejection(promise, reason, handled) {
		if (handled) {
			mapDelete(runUnhandled, promise);
		} else {
			mapSet(runUnhandled, promise, reason);
		}
	},

	describe,
});

/* A place for begin() to write: a new property would move the global object's table. */
defineShown(globalThis, 'args', {});
