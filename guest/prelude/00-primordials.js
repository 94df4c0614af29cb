// SPDX-License-Identifier: MIT
/*
 * What the prelude uses of the engine, taken while the image is made, before any user code exists.
 *
 * User code may replace every global and every property of every prototype. So the prelude calls
 * only what this file took, in forms that look nothing up: `arrayJoin(list, ',')`, never
 * `list.join(',')`. Lists of its own have a null prototype (`list()`), because writing one past the
 * end of an ordinary array runs a setter if Array.prototype has one. No for-of, no spread of
 * arrays, no array patterns: they ask Array.prototype[Symbol.iterator].
 *
 * `p` is handed to the lazy units as well; they take from it what they need.
 */
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const getter = (object, key) => uncurry(Reflect.getOwnPropertyDescriptor(object, key).get);
const setter = (object, key) => uncurry(Reflect.getOwnPropertyDescriptor(object, key).set);
const TypedArray = Reflect.getPrototypeOf(Uint8Array);

/* The flags of a RegExp. Its `flags` getter would ask the prototype for each of them. */
const flagGetters = [
	'hasIndices',
	'global',
	'ignoreCase',
	'multiline',
	'dotAll',
	'unicode',
	'unicodeSets',
	'sticky',
].map((name) => getter(RegExp.prototype, name));
function regExpFlags(regExp) {
	let out = '';
	for (let i = 0; i < flagGetters.length; i++) {
		out += flagGetters[i](regExp) ? 'dgimsuvy'[i] : '';
	}
	return out;
}

const p = {
	__proto__: null,
	host,
	globalThis,

	/* Reflect, Object */
	apply: Reflect.apply,
	construct: Reflect.construct,
	ownKeys: Reflect.ownKeys,
	getPrototypeOf: Reflect.getPrototypeOf,
	setPrototypeOf: Object.setPrototypeOf,
	getDescriptor: Reflect.getOwnPropertyDescriptor,
	define: Reflect.defineProperty,
	Object,
	objectCreate: Object.create,
	objectKeys: Object.keys,
	objectFreeze: Object.freeze,
	objectIs: Object.is,
	ObjectPrototype: Object.prototype,
	hasOwn: uncurry(Object.prototype.hasOwnProperty),
	isEnumerable: uncurry(Object.prototype.propertyIsEnumerable),
	lookupGetter: uncurry(Object.prototype.__lookupGetter__),

	/* functions */
	FunctionPrototype: Function.prototype,
	functionToString: uncurry(Function.prototype.toString),

	/* arrays */
	Array,
	isArray: Array.isArray,
	ArrayPrototype: Array.prototype,
	arrayJoin: uncurry(Array.prototype.join),
	arraySort: uncurry(Array.prototype.sort),
	IteratorPrototype: Iterator.prototype,

	/* strings */
	String,
	fromCharCode: String.fromCharCode,
	fromCodePoint: String.fromCodePoint,
	StringPrototype: String.prototype,
	stringValueOf: uncurry(String.prototype.valueOf),
	charCodeAt: uncurry(String.prototype.charCodeAt),
	codePointAt: uncurry(String.prototype.codePointAt),
	stringIndexOf: uncurry(String.prototype.indexOf),
	stringLastIndexOf: uncurry(String.prototype.lastIndexOf),
	stringIncludes: uncurry(String.prototype.includes),
	stringSlice: uncurry(String.prototype.slice),
	startsWith: uncurry(String.prototype.startsWith),
	endsWith: uncurry(String.prototype.endsWith),
	stringRepeat: uncurry(String.prototype.repeat),
	padStart: uncurry(String.prototype.padStart),
	padEnd: uncurry(String.prototype.padEnd),
	toLowerCase: uncurry(String.prototype.toLowerCase),
	toUpperCase: uncurry(String.prototype.toUpperCase),
	stringTrim: uncurry(String.prototype.trim),
	normalize: uncurry(String.prototype.normalize),
	isWellFormed: uncurry(String.prototype.isWellFormed),
	toWellFormed: uncurry(String.prototype.toWellFormed),

	/* RegExp: exec alone, on expressions without the g and y flags */
	RegExp,
	regExpExec: uncurry(RegExp.prototype.exec),
	regExpToString: uncurry(RegExp.prototype.toString),
	regExpSource: getter(RegExp.prototype, 'source'),
	regExpFlags,

	/* numbers */
	Number,
	NumberPrototype: Number.prototype,
	numberValueOf: uncurry(Number.prototype.valueOf),
	numberToString: uncurry(Number.prototype.toString),
	toFixed: uncurry(Number.prototype.toFixed),
	isInteger: Number.isInteger,
	isNaN,
	parseFloat,
	parseInt,
	Boolean,
	booleanValueOf: uncurry(Boolean.prototype.valueOf),
	BigInt,
	bigintToString: uncurry(BigInt.prototype.toString),
	bigintValueOf: uncurry(BigInt.prototype.valueOf),
	BigIntPrototype: BigInt.prototype,
	Math,
	floor: Math.floor,
	ceil: Math.ceil,
	trunc: Math.trunc,
	min: Math.min,
	max: Math.max,
	abs: Math.abs,

	/* symbols */
	Symbol,
	symbolToString: uncurry(Symbol.prototype.toString),
	symbolValueOf: uncurry(Symbol.prototype.valueOf),
	symbolDescription: getter(Symbol.prototype, 'description'),
	symbolKeyFor: Symbol.keyFor,
	SymbolIterator: Symbol.iterator,
	SymbolToPrimitive: Symbol.toPrimitive,
	SymbolToStringTag: Symbol.toStringTag,

	/* JSON: parse, and stringify of strings, null-prototype objects or with our replacer */
	jsonParse: JSON.parse,
	jsonStringify: JSON.stringify,

	/* collections: created empty, because a constructor's argument is read by an iterator */
	Map,
	mapGet: uncurry(Map.prototype.get),
	mapSet: uncurry(Map.prototype.set),
	mapHas: uncurry(Map.prototype.has),
	mapDelete: uncurry(Map.prototype.delete),
	mapClear: uncurry(Map.prototype.clear),
	mapSize: getter(Map.prototype, 'size'),
	mapEntries: uncurry(Map.prototype.entries),
	mapForEach: uncurry(Map.prototype.forEach),
	mapNext: uncurry(Reflect.getPrototypeOf(new Map().entries()).next),
	Set,
	setAdd: uncurry(Set.prototype.add),
	setHas: uncurry(Set.prototype.has),
	setDelete: uncurry(Set.prototype.delete),
	setSize: getter(Set.prototype, 'size'),
	setValues: uncurry(Set.prototype.values),
	setNext: uncurry(Reflect.getPrototypeOf(new Set().values()).next),
	WeakMap,
	weakMapGet: uncurry(WeakMap.prototype.get),
	weakMapSet: uncurry(WeakMap.prototype.set),
	WeakRef,
	weakRefDeref: uncurry(WeakRef.prototype.deref),

	/* dates */
	Date,
	dateNow: Date.now,
	dateGetTime: uncurry(Date.prototype.getTime),
	dateToISOString: uncurry(Date.prototype.toISOString),
	DatePrototype: Date.prototype,

	/* promises */
	Promise,
	PromisePrototype: Promise.prototype,
	promiseThen: uncurry(Promise.prototype.then),

	/* errors */
	Error,
	TypeError,
	RangeError,
	ReferenceError,
	SyntaxError,
	EvalError,
	URIError,
	AggregateError,
	DOMException,
	isError: Error.isError,

	/* bytes */
	ArrayBuffer,
	isView: ArrayBuffer.isView,
	Uint8Array,
	Uint16Array,
	Uint32Array,
	DataView,
	TypedArray,
	bufferByteLength: getter(ArrayBuffer.prototype, 'byteLength'),
	bufferMaxByteLength: getter(ArrayBuffer.prototype, 'maxByteLength'),
	bufferResizable: getter(ArrayBuffer.prototype, 'resizable'),
	bufferDetached: getter(ArrayBuffer.prototype, 'detached'),
	bufferTransfer: uncurry(ArrayBuffer.prototype.transfer),
	SharedArrayBuffer,
	sharedByteLength: getter(SharedArrayBuffer.prototype, 'byteLength'),
	typedConstructors: {
		__proto__: null,
		Int8Array,
		Uint8Array,
		Uint8ClampedArray,
		Int16Array,
		Uint16Array,
		Int32Array,
		Uint32Array,
		BigInt64Array,
		BigUint64Array,
		Float16Array,
		Float32Array,
		Float64Array,
	},
	typedName: getter(TypedArray.prototype, Symbol.toStringTag),
	typedBuffer: getter(TypedArray.prototype, 'buffer'),
	typedByteOffset: getter(TypedArray.prototype, 'byteOffset'),
	typedByteLength: getter(TypedArray.prototype, 'byteLength'),
	typedLength: getter(TypedArray.prototype, 'length'),
	typedSet: uncurry(TypedArray.prototype.set),
	viewBuffer: getter(DataView.prototype, 'buffer'),
	viewByteOffset: getter(DataView.prototype, 'byteOffset'),
	viewByteLength: getter(DataView.prototype, 'byteLength'),
};

const {
	apply,
	getPrototypeOf,
	setPrototypeOf,
	getDescriptor,
	define,
	objectKeys,
	objectFreeze,
	ObjectPrototype,
	ArrayPrototype,
	hasOwn,
	lookupGetter,
	isArray,
	arrayJoin,
	charCodeAt,
	stringIndexOf,
	stringIncludes,
	stringSlice,
	startsWith,
	endsWith,
	stringRepeat,
	padStart,
	toWellFormed,
	isWellFormed,
	toFixed,
	bigintToString,
	floor,
	max,
	symbolDescription,
	symbolToString,
	SymbolToStringTag,
	jsonParse,
	jsonStringify,
	mapGet,
	mapSet,
	mapHas,
	mapDelete,
	mapSize,
	mapEntries,
	mapForEach,
	mapNext,
	setValues,
	setNext,
	dateNow,
	dateGetTime,
	promiseThen,
	isError,
	typedName,
	typedLength,
	bufferByteLength,
} = p;

/* An array that no one else's property can get in the way of. */
const list = () => setPrototypeOf([], null);
p.list = list;
