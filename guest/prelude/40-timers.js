// SPDX-License-Identifier: MIT
/*
 * setTimeout and its kin. The host keeps one timer for us (host.wake) and calls entry.tick(),
 * which runs one callback and asks for the next, so that the jobs it leaves run before the next
 * one, as in Node.
 *
 * `timerHeap` is a binary heap by due time, then id. A cleared timer leaves `timerById` at once,
 * and the heap when it comes up or when most of the heap is such. `quiet` timers are the
 * prelude's own (AbortSignal.timeout).
 */
const TIMER_DELAY_MAX = 0x7fffffff;
const TIMER_STALE_MAX = 100;
const timerHeap = list();
const timerById = new p.Map();
let timerLast = 0;
let timerQuiet = 0;
let timerWake = -1;

function timerBefore(a, b) {
	return a.due < b.due || (a.due === b.due && a.id < b.id);
}

function timerPush(timer) {
	let at = timerHeap.length;
	timerHeap[at] = timer;
	while (at > 0) {
		const up = (at - 1) >> 1;
		if (!timerBefore(timer, timerHeap[up])) {
			break;
		}
		timerHeap[at] = timerHeap[up];
		at = up;
	}
	timerHeap[at] = timer;
}

function timerPop() {
	const first = timerHeap[0];
	const last = timerHeap[timerHeap.length - 1];
	timerHeap.length--;
	const count = timerHeap.length;
	let at = 0;
	while (count > 0) {
		let down = 2 * at + 1;
		if (down + 1 < count && timerBefore(timerHeap[down + 1], timerHeap[down])) {
			down++;
		}
		if (down >= count || !timerBefore(timerHeap[down], last)) {
			timerHeap[at] = last;
			break;
		}
		timerHeap[at] = timerHeap[down];
		at = down;
	}
	return first;
}

/* Tells the host when to call next, if that is not what it was told last. */
function timerArm(now) {
	while (timerHeap.length > 0 && !mapHas(timerById, timerHeap[0].id)) {
		timerPop();
	}
	const due = timerHeap.length > 0 ? timerHeap[0].due : -1;
	if (due !== timerWake) {
		timerWake = due;
		host.wake(due < 0 ? -1 : max(0, due - now));
	}
}

function timerAdd(callback, args, delay, repeats, quiet) {
	const now = host.now();
	const id = ++timerLast;
	const timer = {
		__proto__: null,
		id,
		due: now + delay,
		every: repeats ? delay : -1,
		callback,
		args,
		quiet,
	};
	mapSet(timerById, id, timer);
	timerPush(timer);
	timerQuiet += quiet ? 1 : 0;
	timerArm(now);
	return id;
}

/* Takes the cleared timers out of the heap. */
function timerSweep() {
	const live = list();
	for (let i = 0; i < timerHeap.length; i++) {
		if (mapHas(timerById, timerHeap[i].id)) {
			live[live.length] = timerHeap[i];
		}
	}
	timerHeap.length = 0;
	for (let i = 0; i < live.length; i++) {
		timerPush(live[i]);
	}
}

function timerClear(id) {
	const timer = mapGet(timerById, id);
	if (timer !== undefined) {
		mapDelete(timerById, id);
		timerQuiet -= timer.quiet ? 1 : 0;
		if (timerHeap.length > 2 * mapSize(timerById) + TIMER_STALE_MAX) {
			timerSweep();
		}
		timerArm(host.now());
	}
}

/* As in a browser, below 0 is 0; what is no number or over 24 days is 1, as in Node. */
function timerDelay(delay) {
	delay = +delay;
	if (delay >= 0 && delay <= TIMER_DELAY_MAX) {
		return delay;
	}
	return delay < 0 ? 0 : 1;
}

function timerCheck(callback) {
	if (typeof callback !== 'function') {
		throw new p.TypeError(
			'The callback must be a function, got ' +
				(callback === null ? 'null' : typeof callback),
		);
	}
}

/* Runs the timer that is due first, if one is. What it throws ends the run, as in Node. */
function timerTick() {
	const now = host.now();
	timerWake = -1;
	while (timerHeap.length > 0 && !mapHas(timerById, timerHeap[0].id)) {
		timerPop();
	}
	if (timerHeap.length > 0 && timerHeap[0].due <= now) {
		const timer = timerPop();
		if (timer.every < 0) {
			mapDelete(timerById, timer.id);
			timerQuiet -= timer.quiet ? 1 : 0;
		} else {
			timer.due = now + timer.every;
			timerPush(timer);
		}
		try {
			apply(timer.callback, undefined, timer.args);
		} catch (error) {
			settleFailed(error);
		}
	}
	timerArm(host.now());
}

/* Timers that user code still waits for. */
function timerPending() {
	return mapSize(timerById) - timerQuiet;
}

function timerDropAll() {
	if (timerHeap.length > 0) {
		p.mapClear(timerById);
		timerHeap.length = 0;
		timerQuiet = 0;
		timerArm(0);
	}
}

p.timerAdd = timerAdd;
p.timerClear = timerClear;

const timerGlobals = {
	setTimeout(callback, delay = 0, ...args) {
		timerCheck(callback);
		return timerAdd(callback, args, timerDelay(delay), false, false);
	},
	setInterval(callback, delay = 0, ...args) {
		timerCheck(callback);
		return timerAdd(callback, args, max(1, timerDelay(delay)), true, false);
	},
	setImmediate(callback, ...args) {
		timerCheck(callback);
		return timerAdd(callback, args, 0, false, false);
	},
	clearTimeout(id = 0) {
		timerClear(typeof id === 'string' ? +id : id);
	},
	clearInterval(id = 0) {
		timerClear(typeof id === 'string' ? +id : id);
	},
	clearImmediate(id = 0) {
		timerClear(typeof id === 'string' ? +id : id);
	},
};
for (const name of Reflect.ownKeys(timerGlobals)) {
	defineShown(globalThis, name, timerGlobals[name]);
}
