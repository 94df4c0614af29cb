// SPDX-License-Identifier: MIT
/*
 * Plain data as JSON text: the input of a tool, and `state`. Where a result says in a note what was
 * lost, this refuses: a tool, or the next run, would work on something else than what was meant.
 * What it accepts is written as JSON.stringify writes it; getters and toJSON run as often.
 *
 * Nearly all inputs are one flat object, so the containers that are open are only kept track of
 * when there is a second one, or something to refuse.
 */

/* A resultState in which `root` alone is open. */
function exactOpen(root, name) {
	const state = resultState(undefined, name, name);
	resultPush(state, '', root, root);
	return state;
}

/*
 * Why `value`, no primitive that JSON has, would not be the same any more: {what, hint}, or undefined.
 * Objects with the usual prototypes need no look; null may be what is left of an invalid Date.
 */
function exactReason(holder, key, value) {
	if (value === null) {
		const found = getDescriptor(holder, key);
		return found === undefined || !hasOwn(found, 'value') || found.value === null
			? undefined
			: lazy('exact').reasonNull(found.value);
	}
	if (typeof value === 'object') {
		const prototype = getPrototypeOf(value);
		if (
			prototype === ObjectPrototype ||
			prototype === ArrayPrototype ||
			prototype === null
		) {
			return undefined;
		}
	}
	return lazy('exact').reason(value, exactClasses);
}

function exactFailure(path, { what, hint }) {
	return new ResultFailure(path + ' is ' + what + ', which is not JSON', hint);
}

/* Half a pair, which JSON.stringify writes as an escape, has no UTF-8. */
function exactText(json) {
	return stringIncludes(json, '\\ud') ? lazy('exact').wellFormed(json) : json;
}

/* The walk that goes on: what it is called, its root, a resultState once there is need of one. */
let exactName;
let exactClasses;
let exactTop;
let exactState;

function exactReplacer(key, value) {
	const type = typeof value;
	if (
		type === 'string' ||
		type === 'boolean' ||
		(type === 'number' && value - value === 0) ||
		(type === 'undefined' && !isArray(this))
	) {
		return value;
	}
	const reason = exactReason(this, key, value);
	if (exactTop === undefined) {
		if (reason !== undefined) {
			throw exactFailure(exactName, reason);
		}
		exactTop = value;
	} else if (value !== null || reason !== undefined) {
		exactState ??= exactOpen(exactTop, exactName);
		resultEnter(exactState, this);
		if (reason !== undefined) {
			throw exactFailure(resultPathOf(exactState, key), reason);
		}
		resultPush(exactState, key, value, value);
	}
	return value;
}

/*
 * `root`, an object called `name`, as JSON; undefined when its toJSON says so. Objects of classes are
 * written as their fields, or refused. Throws what user code throws, or a ResultFailure.
 */
function exactJson(root, name, classes) {
	/* a toJSON may call a tool, so there may be a walk already */
	const outerName = exactName;
	const outerClasses = exactClasses;
	const outerTop = exactTop;
	const outerState = exactState;
	exactName = name;
	exactClasses = classes;
	exactTop = undefined;
	exactState = undefined;
	try {
		const json = jsonStringify(root, exactReplacer);
		return json === undefined ? undefined : exactText(json);
	} catch (error) {
		throw (exactState === undefined ? undefined : resultFindCycle(exactState)) ?? error;
	} finally {
		exactName = outerName;
		exactClasses = outerClasses;
		exactTop = outerTop;
		exactState = outerState;
	}
}
