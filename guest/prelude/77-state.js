// SPDX-License-Identifier: MIT
/*
 * state: plain data that the runs of a session share. The global is an accessor until it is first
 * read or written, so a run that does not use it neither parses nor writes it.
 */

/* As begin() was given it, until it is read; stateKept is whether it was given at all. */
let stateText;
let stateKept = false;

const { get: stateGet, set: stateSet } = Reflect.getOwnPropertyDescriptor(
	{
		get state() {
			if (stateText === undefined) {
				return undefined;
			}
			const value = jsonParse(stateText);
			stateText = undefined;
			defineShown(p.globalThis, 'state', value);
			return value;
		},
		set state(value) {
			stateText = undefined;
			defineShown(p.globalThis, 'state', value);
		},
	},
	'state',
);
define(globalThis, 'state', {
	__proto__: null,
	get: stateGet,
	set: stateSet,
	enumerable: true,
	configurable: true,
});

function stateBegin(text) {
	stateText = text;
	stateKept = text !== undefined;
}

/* The state as JSON if the script used it, else undefined. Throws a ResultFailure. */
function stateJson() {
	const found = stateKept ? getDescriptor(p.globalThis, 'state') : undefined;
	if (!stateKept || (found !== undefined && hasOwn(found, 'get') && found.get === stateGet)) {
		return undefined;
	}
	const { state } = p.globalThis;
	if (typeof state === 'object' && state !== null && !isArray(state)) {
		const json = resultPlain(state)
			? exactText(jsonStringify(state))
			: exactJson(state, 'state', false);
		if (json !== undefined && json[0] === '{') {
			return json;
		}
	}
	throw lazy('exact').notAState(state);
}
