// SPDX-License-Identifier: MIT
/*
 * TextEncoder and TextDecoder: utf-8, utf-16le, utf-16be and windows-1252 (which is what "latin1"
 * and "ascii" mean on the Web). The host converts whole valid UTF-8 text; the loops here see only
 * broken bytes.
 */
const {
	apply,
	charCodeAt,
	fromCharCode,
	host,
	isWellFormed,
	list,
	startsWith,
	stringIndexOf,
	stringSlice,
	stringTrim,
	toLowerCase,
	toWellFormed,
	typedBuffer,
	typedByteLength,
	typedByteOffset,
	typedLength,
	typedName,
	typedSet,
	viewBuffer,
	viewByteLength,
	viewByteOffset,
	webInterface,
	RangeError,
	TypeError,
} = p;
const ByteArray = p.Uint8Array;

/* Labels of each encoding, from the Encoding Standard. */
const LABELS = {
	__proto__: null,
	'utf-8': ' unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 ',
	'utf-16le': ' csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le ',
	'utf-16be': ' unicodefffe utf-16be ',
	'windows-1252':
		' ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 ' +
		'iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 ',
};

/* What windows-1252 has at 0x80 to 0x9f. */
const WINDOWS_1252 =
	'\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152' +
	'\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d' +
	'\u017e\u0178';

const CHUNK = 2048;
const NO_BYTES = new ByteArray(0);
const NO_OPTIONS = { __proto__: null };

function encodingOf(label) {
	const name = toLowerCase(stringTrim(label));
	const keys = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'];
	for (let i = 0; i < keys.length; i++) {
		if (
			stringIndexOf(name, ' ') < 0 &&
			stringIndexOf(LABELS[keys[i]], ' ' + name + ' ') >= 0
		) {
			return keys[i];
		}
	}
	throw new RangeError(
		'The encoding "' +
			label +
			'" is not supported; utf-8, utf-16le, ' +
			'utf-16be and windows-1252 (latin1) are',
	);
}

function encodeUtf8(string) {
	if (string === '') {
		return new ByteArray(0);
	}
	const buffer = host.encode(toWellFormed(string));
	if (buffer === undefined) {
		throw new RangeError('The text is too long to encode');
	}
	return new ByteArray(buffer);
}

/* How many units of `string` take at most `most` bytes of UTF-8. */
function unitsThatFit(string, most) {
	let bytes = 0;
	let i = 0;
	while (i < string.length) {
		const unit = charCodeAt(string, i);
		const next = i + 1 < string.length ? charCodeAt(string, i + 1) : 0;
		const pair = unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
		bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
		if (bytes > most) {
			break;
		}
		i += pair ? 2 : 1;
	}
	return i;
}

class TextEncoder {
	#brand = true;

	get encoding() {
		return this.#brand && 'utf-8';
	}

	encode(input = '') {
		return this.#brand && encodeUtf8(`${input}`);
	}

	encodeInto(source, destination) {
		if (!this.#brand || typedName(destination) !== 'Uint8Array') {
			throw new TypeError('encodeInto needs a Uint8Array to write to');
		}
		source = `${source}`;
		const read = unitsThatFit(source, typedByteLength(destination));
		const bytes = encodeUtf8(stringSlice(source, 0, read));
		typedSet(destination, bytes);
		return { read, written: typedLength(bytes) };
	}
}

/* The bytes of a BufferSource, not copied. */
function bytesOf(input) {
	const kind = host.kind(input);
	if (kind === 'ArrayBuffer') {
		/* a detached one reads as empty */
		return p.bufferDetached(input) ? NO_BYTES : new ByteArray(input);
	}
	if (kind === 'SharedArrayBuffer') {
		return new ByteArray(input);
	}
	if (kind === 'DataView') {
		return new ByteArray(viewBuffer(input), viewByteOffset(input), viewByteLength(input));
	}
	if (kind !== undefined && typedName(input) !== undefined) {
		const length = typedByteLength(input);
		return length === 0
			? NO_BYTES
			: new ByteArray(typedBuffer(input), typedByteOffset(input), length);
	}
	throw new TypeError('decode needs an ArrayBuffer or a view on one');
}

/* A buffer of its own with `head` and then the bytes [from, to) of `bytes`. */
function joined(head, bytes, from, to) {
	const out = new ByteArray(typedLength(head) + to - from);
	typedSet(out, head);
	if (to > from) {
		typedSet(
			out,
			new ByteArray(typedBuffer(bytes), typedByteOffset(bytes) + from, to - from),
			typedLength(head),
		);
	}
	return out;
}

/* How many bytes a UTF-8 sequence with this first byte has; 0 for bytes that begin none. */
function sequenceLength(byte) {
	return byte < 0x80
		? 1
		: byte < 0xc2
			? 0
			: byte < 0xe0
				? 2
				: byte < 0xf0
					? 3
					: byte < 0xf5
						? 4
						: 0;
}

/* Whether `second` may follow `first`: no overlong forms, no surrogates, nothing over 10ffff. */
function secondFits(first, second) {
	const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
	const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
	return second >= low && second <= high;
}

/* The bytes of the sequence at `at` that belong together, up to the first that does not fit. */
function sequenceSize(bytes, at) {
	const need = sequenceLength(bytes[at]);
	const length = typedLength(bytes);
	let size = 1;
	while (size < need && at + size < length) {
		const byte = bytes[at + size];
		if (size === 1 ? !secondFits(bytes[at], byte) : byte < 0x80 || byte > 0xbf) {
			break;
		}
		size++;
	}
	return size;
}

/* Where a sequence that goes on behind the end of `bytes` starts, or the end. */
function unfinishedAt(bytes) {
	const length = typedLength(bytes);
	for (let at = length - 1; at >= 0 && at > length - 4; at--) {
		if (bytes[at] >= 0xc0) {
			const open =
				sequenceLength(bytes[at]) > length - at &&
				sequenceSize(bytes, at) === length - at;
			return open ? at : length;
		}
	}
	return length;
}

/*
 * Broken UTF-8, with U+FFFD for each maximal part that is wrong. What is right between the wrong
 * parts goes to the host in one piece.
 */
function decodeBroken(bytes, fatal) {
	if (fatal) {
		throw new TypeError('The bytes are not valid UTF-8');
	}
	const length = typedLength(bytes);
	let out = '';
	let start = 0;
	let at = 0;
	while (at < length) {
		if (bytes[at] < 0x80) {
			at++;
			continue;
		}
		const size = sequenceSize(bytes, at);
		if (size === sequenceLength(bytes[at])) {
			at += size;
			continue;
		}
		out += decodeRun(bytes, start, at) + '\ufffd';
		at += size;
		start = at;
	}
	return out + decodeRun(bytes, start, length);
}

function decodeRun(bytes, from, to) {
	return from === to ? '' : host.decode(typedBuffer(joined(NO_BYTES, bytes, from, to)));
}

/* `bytes` must have its buffer for itself. */
function decodeUtf8(bytes, fatal) {
	if (typedLength(bytes) === 0) {
		return '';
	}
	const text = host.decode(typedBuffer(bytes));
	return text === undefined ? decodeBroken(bytes, fatal) : text;
}

function decodeWindows(bytes) {
	const length = typedLength(bytes);
	const ascii = length === 0 ? '' : host.decode(typedBuffer(bytes));
	if (ascii !== undefined && ascii.length === length) {
		return ascii;
	}
	let out = '';
	for (let start = 0; start < length; start += CHUNK) {
		const units = list();
		const end = start + CHUNK < length ? start + CHUNK : length;
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			units[i - start] =
				byte >= 0x80 && byte < 0xa0 ? charCodeAt(WINDOWS_1252, byte - 0x80) : byte;
		}
		out += apply(fromCharCode, undefined, units);
	}
	return out;
}

/* `big` is 0 when the high byte comes first, else 1. */
function decodeUnits(bytes, end, big) {
	let out = '';
	for (let start = 0; start < end; start += CHUNK) {
		const units = list();
		const stop = start + CHUNK < end ? start + CHUNK : end;
		for (let i = start, n = 0; i < stop; i += 2) {
			units[n++] = (bytes[i + big] << 8) | bytes[i + 1 - big];
		}
		out += apply(fromCharCode, undefined, units);
	}
	return out;
}

class TextDecoder {
	#encoding;
	#fatal;
	#ignoreBOM;
	#rest = NO_BYTES;
	#started = false;

	constructor(label = 'utf-8', options = undefined) {
		const { fatal = false, ignoreBOM = false } = options ?? NO_OPTIONS;
		this.#encoding = encodingOf(`${label}`);
		this.#fatal = !!fatal;
		this.#ignoreBOM = !!ignoreBOM;
	}

	get encoding() {
		return this.#encoding;
	}

	get fatal() {
		return this.#fatal;
	}

	get ignoreBOM() {
		return this.#ignoreBOM;
	}

	decode(input = undefined, options = undefined) {
		const { stream = false } = options ?? NO_OPTIONS;
		const given = input === undefined ? NO_BYTES : bytesOf(input);
		const bytes = joined(this.#rest, given, 0, typedLength(given));
		this.#rest = NO_BYTES;
		let out;
		switch (this.#encoding) {
			case 'utf-8':
				out = this.#utf8(bytes, stream);
				break;
			case 'windows-1252':
				return decodeWindows(bytes);
			default:
				out = this.#utf16(bytes, stream);
		}
		if (!this.#started && !this.#ignoreBOM && startsWith(out, '\ufeff')) {
			out = stringSlice(out, 1);
			this.#started = true;
		}
		this.#started = stream && (this.#started || out !== '');
		return out;
	}

	#utf8(bytes, stream) {
		const end = stream ? unfinishedAt(bytes) : typedLength(bytes);
		if (end < typedLength(bytes)) {
			this.#rest = joined(NO_BYTES, bytes, end, typedLength(bytes));
			bytes = joined(NO_BYTES, bytes, 0, end);
		}
		return decodeUtf8(bytes, this.#fatal);
	}

	#utf16(bytes, stream) {
		const big = this.#encoding === 'utf-16be' ? 0 : 1;
		const length = typedLength(bytes);
		let end = length - (length % 2);
		const high = end > 0 ? bytes[end - 1 - (1 - big)] & 0xfc : 0;
		if (stream && high === 0xd8) {
			end -= 2;
		}
		let out = decodeUnits(bytes, end, big);
		if (stream) {
			this.#rest = joined(NO_BYTES, bytes, end, length);
		} else if (end < length) {
			out += '\ud800';
		}
		if (this.#fatal && !isWellFormed(out)) {
			throw new TypeError('The bytes are not valid UTF-16');
		}
		return toWellFormed(out);
	}
}

webInterface(TextEncoder, 'TextEncoder');
webInterface(TextDecoder, 'TextDecoder');

return { __proto__: null, TextEncoder, TextDecoder, encodeUtf8, decodeUtf8, joined };
