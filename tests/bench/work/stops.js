// SPDX-License-Identifier: MIT
// Scripts that do not end by themselves; each begins with a line of four slashes and its name.
// "long call" is one call into the engine's own code that runs for seconds without asking anybody.

//// while (true) {}
while (true) {}

//// for (;;) await 0
for (;;) {
	await 0;
}

//// promise callbacks without end
await new Promise(() => {
	const again = () => Promise.resolve().then(again);
	again();
});

//// try/finally loop
for (;;) {
	try {
		for (;;) {}
	} finally {
		continue;
	}
}

//// try/catch loop
for (;;) {
	try {
		for (;;) {}
	} catch {}
}

//// recursion in try/finally
const deeper = () => {
	try {
		deeper();
	} finally {
		deeper();
	}
};
deeper();

//// generator without end
const numbers = (function* () {
	for (;;) {
		yield 1;
	}
})();
new Set(numbers);

//// getter loop
const trap = new Proxy({}, { get: (target, name, self) => (name === 'stop' ? 1 : 0) });
while (!trap.go) {}

//// join, long call
new Array(4294967295).join('');

//// join loop
const cells = new Array(400000).fill('abcdefgh');
for (;;) {
	cells.join(',');
}

//// repeat loop
for (;;) {
	'abcdefgh'.repeat(2000000);
}

//// split loop
const text = 'ab'.repeat(400000);
for (;;) {
	text.split('b');
}

//// replaceAll loop
const long = 'ab'.repeat(200000);
for (;;) {
	long.replaceAll('b', 'cd');
}

//// sort with a comparator
const values = Array.from({ length: 300000 }, (_, i) => (i * 7919) % 300007);
for (;;) {
	values.slice().sort((a, b) => a - b);
}

//// sort without a comparator
const names = Array.from({ length: 100000 }, (_, i) => 'k' + ((i * 7919) % 100003));
for (;;) {
	names.slice().sort();
}

//// typed array sort
const floats = Float64Array.from({ length: 2000000 }, (_, i) => (i * 7919) % 2000003);
for (;;) {
	floats.slice().sort();
}

//// BigInt multiply
const big = (1n << 500000n) - 1n;
for (;;) {
	big * big;
}

//// BigInt toString
const wide = (1n << 400000n) - 1n;
for (;;) {
	wide.toString();
}

//// BigInt power
for (;;) {
	3n ** 600000n;
}

//// JSON.stringify
const rows = new Array(1000000).fill(1.5);
for (;;) {
	JSON.stringify(rows);
}

//// JSON.parse
const json = '[' + '[1,2],'.repeat(150000) + '0]';
for (;;) {
	JSON.parse(json);
}

//// backtracking regular expression
/^(a+)+$/.test('a'.repeat(40) + 'b');

//// regular expression over a long text
const hay = 'ab'.repeat(500000);
for (;;) {
	/a.*c/s.test(hay);
}

//// indexOf over 2^53-1, long call
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);

//// lastIndexOf over 2^53-1, long call
Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);

//// includes over 2^53-1, long call
Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);

//// every over 2^53-1, long call
Array.prototype.every.call({ length: 2 ** 53 - 1 }, () => true);

//// String indexOf, long call
('a'.repeat(4000000) + 'b').indexOf('a'.repeat(2000000) + 'c');

//// normalize loop
const marks = 'a\u0344\u0323'.repeat(200000);
for (;;) {
	marks.normalize('NFD');
}

//// timers without end
await new Promise(() => setInterval(() => {}, 0));

//// waiting for a timer
await new Promise((done) => setTimeout(done, 1000000));
