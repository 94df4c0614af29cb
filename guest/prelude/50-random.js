// SPDX-License-Identifier: MIT
/*
 * Randomness and time of the run. The engine's own Math.random and performance.timeOrigin are part
 * of the image, so every run would see the same; these ask the host.
 */
const RANDOM_POOL_BYTES = 1024;
let randomPool;
let randomAt = 0;

function randomRefill() {
	randomPool = new p.Uint32Array(host.random(RANDOM_POOL_BYTES));
	randomAt = 0;
}

const { random } = {
	/* 53 bits: 27 above 26, as the engines do that use all of the fraction. */
	random() {
		if (randomPool === undefined || randomAt >= RANDOM_POOL_BYTES / 4) {
			randomRefill();
		}
		const high = randomPool[randomAt] >>> 5;
		const low = randomPool[randomAt + 1] >>> 6;
		randomAt += 2;
		return (high * 0x4000000 + low) / 0x20000000000000;
	},
};
defineHidden(Math, 'random', random);

/* The engine's object can not be changed; this one takes its place. */
{
	const prototype = {
		now() {
			return host.now();
		},
		toJSON() {
			return { timeOrigin: dateNow() - host.now() };
		},
		get timeOrigin() {
			return dateNow() - host.now();
		},
	};
	define(prototype, SymbolToStringTag, {
		__proto__: null,
		value: 'Performance',
		configurable: true,
	});
	defineShown(globalThis, 'performance', Object.create(prototype));
}
