// SPDX-License-Identifier: MIT
/*
 * One run: what the host calls, and the end of it. host.settle is called once: at once when the
 * script has failed, after the last answer when a tool call was not awaited.
 *
 * The promise that the host watches is not reachable by user code, but Promise.prototype is: so it
 * gets a `constructor` of its own, without which then() would ask the prototype's.
 */
const RUN_NOTES_MAX = 10;
/* Whether the script has come to its end: nothing that happens then changes the result. */
let runOver = false;
const runUnhandled = new p.Map();

function settleFailed(error) {
	if (!runOver) {
		runOver = true;
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
			undefined,
		);
	}
}

/* The script is over, and `calls`, which it did not await, are answered. */
function settleUnawaited(calls) {
	let json =
		'{"name":"Error","message":"a tool call was not awaited","stack":"","code":"UNAWAITED_CALL"}';
	try {
		const description = errorDescription(calls[0].error);
		lazy('tools').describeUnawaited(calls, description);
		json = errorWrite(description);
	} catch {
		/* no memory is left for the particulars */
	}
	host.settle(false, json, undefined, undefined);
}

/* What user code throws where no one can catch it, as in a listener, ends the run. */
p.fail = settleFailed;

/* Adds to the notes what the run leaves behind: timers, calls, rejections nobody looked at. */
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
	if (mapSize(toolCalls) > 0) {
		runNote(notes, lazy('tools').leftovers(toolCalls));
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
	if (runOver) {
		return;
	}
	let json;
	let state;
	const notes = resultNotes();
	try {
		json = resultJson(value, notes);
		state = stateJson();
	} catch (error) {
		settleFailed(error);
		return;
	}
	/* a toJSON may have ended the run by itself */
	if (runOver) {
		return;
	}
	runOver = true;
	const finish = () => settleAwaited(json, notes, state);
	if (mapSize(toolUnseen) === 0) {
		finish();
	} else {
		/* a promise that another was resolved with gets its reaction in a job, which is waiting */
		runThen(new p.Promise((resolve) => resolve()), finish);
	}
}

function settleAwaited(json, notes, state) {
	if (mapSize(toolUnseen) > 0) {
		timerDropAll();
		lazy('tools').unawaited(toolUnseen, toolCalls, settleUnawaited);
		return;
	}
	runLeftovers(notes);
	timerDropAll();
	host.settle(
		true,
		json,
		notes.count > 0 ? jsonLines(notes.lines, notes.count) : undefined,
		state,
	);
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

	/* First in each run: `argsJson` becomes the global args, `stateJson` the global state. */
	begin(argsJson, stateJson) {
		p.globalThis.args = argsJson === undefined ? {} : jsonParse(argsJson);
		stateBegin(stateJson);
	},

	choose,

	watch(promise, wrapped) {
		runThen(
			promise,
			wrapped ? settleDone : (result) => runAwait(result.value),
			settleFailed,
		);
	},

	tick() {
		if (!runOver) {
			timerTick();
		}
	},

	answer: toolAnswer,

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
