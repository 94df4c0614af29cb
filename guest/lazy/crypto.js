// SPDX-License-Identifier: MIT
/* crypto.getRandomValues and crypto.randomUUID, on the host's random bytes. */
const {
	DOMException,
	TypeError,
	host,
	numberToString,
	typedBuffer,
	typedByteLength,
	typedByteOffset,
	typedName,
	typedSet,
	webInterface,
} = p;
const ByteArray = p.Uint8Array;
const BYTES_MAX = 65536;
const KEY = p.Symbol();

const integers = {
	__proto__: null,
	Int8Array: true,
	Uint8Array: true,
	Uint8ClampedArray: true,
	Int16Array: true,
	Uint16Array: true,
	Int32Array: true,
	Uint32Array: true,
	BigInt64Array: true,
	BigUint64Array: true,
};

class Crypto {
	#brand = true;

	constructor(key = undefined) {
		if (key !== KEY) {
			throw new TypeError('Illegal constructor');
		}
	}

	getRandomValues(array) {
		const name = this.#brand && typedName(array);
		if (name === undefined || !integers[name]) {
			throw new DOMException(
				'getRandomValues needs an array of integers',
				'TypeMismatchError',
			);
		}
		const length = typedByteLength(array);
		if (length > BYTES_MAX) {
			throw new DOMException(
				'getRandomValues gives at most ' + BYTES_MAX + ' bytes at a time',
				'QuotaExceededError',
			);
		}
		if (length > 0) {
			typedSet(
				new ByteArray(typedBuffer(array), typedByteOffset(array), length),
				new ByteArray(host.random(length)),
			);
		}
		return array;
	}

	randomUUID() {
		const bytes = this.#brand && new ByteArray(host.random(16));
		bytes[6] = (bytes[6] & 0x0f) | 0x40;
		bytes[8] = (bytes[8] & 0x3f) | 0x80;
		let out = '';
		for (let i = 0; i < 16; i++) {
			out += i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '';
			out += (bytes[i] < 16 ? '0' : '') + numberToString(bytes[i], 16);
		}
		return out;
	}
}

webInterface(Crypto, 'Crypto');

return { __proto__: null, Crypto, crypto: new Crypto(KEY) };
