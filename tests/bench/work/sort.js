// Array.prototype.sort with a comparator.
let seed = 99;
const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
let sum = 0;

for (let round = 0; round < 2; round++) {
	const numbers = Array.from({ length: 80000 }, next);

	numbers.sort((a, b) => a - b);
	sum += numbers[40000];
}
return sum;
