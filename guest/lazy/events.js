// SPDX-License-Identifier: MIT
/*
 * Event, CustomEvent, EventTarget, AbortController and AbortSignal. There is no tree of targets:
 * an event has its target and no other phase.
 */
const {
	DOMException,
	TypeError,
	apply,
	define,
	defineHidden,
	getPrototypeOf,
	host,
	list,
	timerAdd,
	webInterface,
	SymbolIterator,
} = p;

const NO_OPTIONS = { __proto__: null };

class Event {
	#type;
	#bubbles;
	#cancelable;
	#composed;
	#target = null;
	#phase = 0;
	#canceled = false;
	#stopped = false;
	#stoppedNow = false;
	#passive = false;
	#timeStamp = host.now();

	constructor(type, options = undefined) {
		if (arguments.length === 0) {
			throw new TypeError('Event needs a type');
		}
		const { bubbles = false, cancelable = false, composed = false } = options ?? NO_OPTIONS;
		this.#type = `${type}`;
		this.#bubbles = !!bubbles;
		this.#cancelable = !!cancelable;
		this.#composed = !!composed;
	}

	get type() {
		return this.#type;
	}

	get target() {
		return this.#target;
	}

	get srcElement() {
		return this.#target;
	}

	get currentTarget() {
		return this.#phase === 0 ? null : this.#target;
	}

	get eventPhase() {
		return this.#phase;
	}

	get bubbles() {
		return this.#bubbles;
	}

	get cancelable() {
		return this.#cancelable;
	}

	get composed() {
		return this.#composed;
	}

	get defaultPrevented() {
		return this.#canceled;
	}

	get returnValue() {
		return !this.#canceled;
	}

	get cancelBubble() {
		return this.#stopped;
	}

	set cancelBubble(value) {
		this.#stopped = this.#stopped || !!value;
	}

	get timeStamp() {
		return this.#timeStamp;
	}

	get isTrusted() {
		return this.#type === undefined;
	}

	composedPath() {
		return this.#phase === 0 ? [] : [this.#target];
	}

	preventDefault() {
		this.#canceled = this.#canceled || (this.#cancelable && !this.#passive);
	}

	stopPropagation() {
		this.#stopped = true;
	}

	stopImmediatePropagation() {
		this.#stopped = true;
		this.#stoppedNow = true;
	}

	/* Calls the listeners, all of which are `target`'s; false when the default was prevented. */
	static dispatch(event, target, listeners, remove) {
		if (typeof event !== 'object' || event === null || !(#type in event)) {
			throw new TypeError('dispatchEvent needs an Event');
		}
		if (event.#phase !== 0) {
			throw new DOMException(
				'The event is being dispatched already',
				'InvalidStateError',
			);
		}
		event.#target = target;
		event.#phase = 2;
		const chosen = list();
		for (let i = 0; i < listeners.length; i++) {
			if (listeners[i].type === event.#type) {
				chosen[chosen.length] = listeners[i];
			}
		}
		for (let i = 0; i < chosen.length && !event.#stoppedNow; i++) {
			if (!chosen[i].removed) {
				if (chosen[i].once) {
					remove(chosen[i]);
				}
				event.#passive = chosen[i].passive;
				callListener(chosen[i].callback, target, event);
				event.#passive = false;
			}
		}
		event.#phase = 0;
		event.#stopped = false;
		event.#stoppedNow = false;
		return !event.#canceled;
	}
}

const dispatch = Event.dispatch;
delete Event.dispatch;

/* What a listener throws does not stop the others; it ends the run as an uncaught error. */
function callListener(callback, target, event) {
	try {
		if (typeof callback === 'function') {
			apply(callback, target, [event]);
		} else if (callback !== null && typeof callback === 'object') {
			const { handleEvent } = callback;
			apply(handleEvent, callback, [event]);
		}
	} catch (error) {
		p.fail(error);
	}
}

class CustomEvent extends Event {
	#detail;

	constructor(type, options = undefined) {
		super(type, options);
		this.#detail = (options ?? NO_OPTIONS).detail ?? null;
	}

	get detail() {
		return this.#detail;
	}
}

class EventTarget {
	#listeners = list();

	addEventListener(type, callback, options = undefined) {
		const flat =
			typeof options === 'object' && options !== null
				? options
				: { __proto__: null, capture: options };
		const { capture = false, once = false, passive = false, signal = undefined } = flat;
		if (signal !== undefined && !isSignal(signal)) {
			throw new TypeError('signal must be an AbortSignal');
		}
		if (callback === null || callback === undefined || signal?.aborted) {
			return;
		}
		if (typeof callback !== 'function' && typeof callback !== 'object') {
			throw new TypeError('The listener must be a function or an object');
		}
		const listener = {
			__proto__: null,
			type: `${type}`,
			callback,
			capture: !!capture,
			once: !!once,
			passive: !!passive,
			removed: false,
		};
		if (this.#find(listener) < 0) {
			this.#listeners[this.#listeners.length] = listener;
			if (signal !== undefined) {
				onAbort(signal, () => this.#remove(listener));
			}
		}
	}

	removeEventListener(type, callback, options = undefined) {
		const capture =
			typeof options === 'object' && options !== null ? options.capture : options;
		const at = this.#find({
			__proto__: null,
			type: `${type}`,
			callback,
			capture: !!capture,
		});
		if (at >= 0) {
			this.#remove(this.#listeners[at]);
		}
	}

	dispatchEvent(event) {
		return dispatch(event, this, this.#listeners, (listener) => this.#remove(listener));
	}

	#find({ type, callback, capture }) {
		for (let i = 0; i < this.#listeners.length; i++) {
			const one = this.#listeners[i];
			if (one.type === type && one.callback === callback && one.capture === capture) {
				return i;
			}
		}
		return -1;
	}

	#remove(listener) {
		listener.removed = true;
		const kept = list();
		for (let i = 0; i < this.#listeners.length; i++) {
			if (this.#listeners[i] !== listener) {
				kept[kept.length] = this.#listeners[i];
			}
		}
		this.#listeners = kept;
	}

	/* For our own subclass, out of reach of changes to the prototype. */
	static fire(target, event) {
		return dispatch(event, target, target.#listeners, (listener) =>
			target.#remove(listener),
		);
	}
}

const fire = EventTarget.fire;
delete EventTarget.fire;

/* What `new` must bring to make a signal; user code has it not. */
const KEY = p.Symbol();

class AbortSignal extends EventTarget {
	#aborted = false;
	#reason = undefined;
	#actions = list();
	#handler = null;

	constructor(key = undefined) {
		if (key !== KEY) {
			throw new TypeError('Illegal constructor');
		}
		super();
	}

	get aborted() {
		return this.#aborted;
	}

	get reason() {
		return this.#reason;
	}

	get onabort() {
		return this.#handler;
	}

	set onabort(value) {
		const given = typeof value === 'function' ? value : null;
		if (this.#handler === null && given !== null) {
			super.addEventListener('abort', (event) => {
				if (this.#handler !== null) {
					apply(this.#handler, this, [event]);
				}
			});
		}
		this.#handler = given;
	}

	throwIfAborted() {
		if (this.#aborted) {
			throw this.#reason;
		}
	}

	static abort(reason = undefined) {
		const signal = new AbortSignal(KEY);
		abort(signal, reason);
		return signal;
	}

	static timeout(milliseconds) {
		const delay = +milliseconds;
		if (!(delay >= 0 && delay <= 0x1fffffffffffff)) {
			throw new TypeError('The timeout must be a number of milliseconds');
		}
		const signal = new AbortSignal(KEY);
		timerAdd(
			() =>
				abort(
					signal,
					new DOMException(
						'The operation was aborted due to timeout',
						'TimeoutError',
					),
				),
			[],
			delay,
			false,
			true,
		);
		return signal;
	}

	static any(signals) {
		const signal = new AbortSignal(KEY);
		const sources = list();
		for (const source of signals) {
			if (!isSignal(source)) {
				throw new TypeError('AbortSignal.any needs a list of signals');
			}
			sources[sources.length] = source;
		}
		for (let i = 0; i < sources.length; i++) {
			if (sources[i].#aborted) {
				abort(signal, sources[i].#reason);
				return signal;
			}
		}
		for (let i = 0; i < sources.length; i++) {
			onAbort(sources[i], () => abort(signal, sources[i].#reason));
		}
		return signal;
	}

	/* The three things that others here do with a signal. */
	static is(value) {
		return typeof value === 'object' && value !== null && #aborted in value;
	}

	static onAbort(signal, action) {
		signal.#actions[signal.#actions.length] = action;
	}

	static abortNow(signal, reason) {
		if (signal.#aborted) {
			return;
		}
		signal.#aborted = true;
		signal.#reason =
			reason !== undefined
				? reason
				: new DOMException('This operation was aborted', 'AbortError');
		const actions = signal.#actions;
		signal.#actions = list();
		for (let i = 0; i < actions.length; i++) {
			actions[i]();
		}
		fire(signal, new Event('abort'));
	}
}

const { is: isSignal, onAbort, abortNow: abort } = AbortSignal;
delete AbortSignal.is;
delete AbortSignal.onAbort;
delete AbortSignal.abortNow;

class AbortController {
	#signal = new AbortSignal(KEY);

	get signal() {
		return this.#signal;
	}

	abort(reason = undefined) {
		abort(this.#signal, reason);
	}
}

webInterface(Event, 'Event');
webInterface(CustomEvent, 'CustomEvent');
webInterface(EventTarget, 'EventTarget');
webInterface(AbortSignal, 'AbortSignal');
webInterface(AbortController, 'AbortController');
const phases = {
	__proto__: null,
	NONE: 0,
	CAPTURING_PHASE: 1,
	AT_TARGET: 2,
	BUBBLING_PHASE: 3,
};
const phaseNames = p.ownKeys(phases);
for (let i = 0; i < phaseNames.length; i++) {
	const constant = { __proto__: null, value: phases[phaseNames[i]], enumerable: true };
	define(Event, phaseNames[i], constant);
	define(Event.prototype, phaseNames[i], constant);
}

return {
	__proto__: null,
	Event,
	CustomEvent,
	EventTarget,
	AbortController,
	AbortSignal,
	isSignal,
	onAbort,
};
