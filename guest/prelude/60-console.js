// SPDX-License-Identifier: MIT
/*
 * console and text(). Plain strings and numbers, which is what is mostly logged, go straight to
 * the host; objects and formats come from the lazy unit "inspect".
 */
let consoleIndent = '';
const consoleCounts = new p.Map();
const consoleTimes = new p.Map();

function consoleEmit(string) {
	if (consoleIndent !== '') {
		string = consoleIndent + p.replaceLines(string, '\n' + consoleIndent);
	}
	emit(string);
}

/* `string` with each line break replaced by `by`. */
p.replaceLines = function (string, by) {
	let out = '';
	let start = 0;
	for (;;) {
		const end = stringIndexOf(string, '\n', start);
		if (end < 0) {
			return out + stringSlice(string, start);
		}
		out += stringSlice(string, start, end) + by;
		start = end + 1;
	}
};

/* Shows a value as console.log would, `depth` levels deep. */
p.inspect = (value, depth) => lazy('inspect').inspect(value, depth);

function consoleLog(args) {
	const count = args.length;
	let out = '';
	for (let i = 0; i < count; i++) {
		const value = args[i];
		const type = typeof value;
		const simple =
			type === 'string'
				? count === 1 || i > 0 || !stringIncludes(value, '%')
				: type === 'boolean' || (type === 'number' && value !== 0);
		if (!simple) {
			consoleEmit(lazy('inspect').format(args));
			return;
		}
		out += (i > 0 ? ' ' : '') + value;
	}
	consoleEmit(out);
}

function consoleLabel(label) {
	return label === undefined ? 'default' : '' + label;
}

function consoleElapsed(label) {
	const start = mapGet(consoleTimes, label);
	if (start === undefined) {
		return undefined;
	}
	const ms = host.now() - start;
	return label + ': ' + (ms < 1000 ? toFixed(ms, 3) + 'ms' : toFixed(ms / 1000, 3) + 's');
}

const consoleMethods = {
	log(...args) {
		consoleLog(args);
	},
	info(...args) {
		consoleLog(args);
	},
	warn(...args) {
		consoleLog(args);
	},
	error(...args) {
		consoleLog(args);
	},
	debug(...args) {
		consoleLog(args);
	},
	trace(...args) {
		const label = args.length > 0 ? lazy('inspect').format(args) : '';
		consoleEmit(
			(label === '' ? 'Trace' : 'Trace: ' + label) +
				p.errorFramesText(new p.Error(), '\n    at '),
		);
	},
	dir(value, options) {
		consoleEmit(lazy('inspect').dir(value, options));
	},
	dirxml(...args) {
		consoleLog(args);
	},
	table(data, columns) {
		const drawn = lazy('inspect').table(data, columns);
		if (drawn === undefined) {
			consoleLog([data]);
		} else {
			consoleEmit(drawn);
		}
	},
	assert(condition, ...args) {
		if (!condition) {
			consoleEmit(
				'Assertion failed' +
					(args.length > 0 ? ': ' + lazy('inspect').format(args) : ''),
			);
		}
	},
	count(label) {
		label = consoleLabel(label);
		const count = (mapGet(consoleCounts, label) ?? 0) + 1;
		mapSet(consoleCounts, label, count);
		consoleEmit(label + ': ' + count);
	},
	countReset(label) {
		mapDelete(consoleCounts, consoleLabel(label));
	},
	time(label) {
		label = consoleLabel(label);
		if (!mapHas(consoleTimes, label)) {
			mapSet(consoleTimes, label, host.now());
		}
	},
	timeLog(label, ...args) {
		const elapsed = consoleElapsed(consoleLabel(label));
		if (elapsed !== undefined) {
			consoleEmit(elapsed + (args.length > 0 ? ' ' + lazy('inspect').format(args) : ''));
		}
	},
	timeEnd(label) {
		label = consoleLabel(label);
		const elapsed = consoleElapsed(label);
		if (elapsed !== undefined) {
			mapDelete(consoleTimes, label);
			consoleEmit(elapsed);
		}
	},
	group(...args) {
		if (args.length > 0) {
			consoleLog(args);
		}
		consoleIndent += '  ';
	},
	groupCollapsed(...args) {
		if (args.length > 0) {
			consoleLog(args);
		}
		consoleIndent += '  ';
	},
	groupEnd() {
		consoleIndent = stringSlice(consoleIndent, 2);
	},
};

{
	const console = Object.create({});
	for (const name of Reflect.ownKeys(consoleMethods)) {
		defineShown(console, name, consoleMethods[name]);
	}
	define(console, SymbolToStringTag, {
		__proto__: null,
		value: 'console',
		configurable: true,
	});
	defineHidden(globalThis, 'console', console);

	const { text } = {
		/* Strings as they are, other values as JSON. */
		text(...values) {
			let out = '';
			for (let i = 0; i < values.length; i++) {
				out += (i > 0 ? ' ' : '') + textOf(values[i]);
			}
			emit(out);
		},
	};
	defineShown(globalThis, 'text', text);
}

function textOf(value) {
	if (typeof value === 'string') {
		return value;
	}
	try {
		return '' + resultJson(value, resultNotes());
	} catch (error) {
		const failure = ResultFailure.read(error);
		throw failure === undefined
			? error
			: new p.TypeError(failure.message + '. ' + failure.hint);
	}
}
