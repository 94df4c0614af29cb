// Building a string, then regular expressions over it.
let seed = 7;
const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
const words = ['walking', 'a', 'slow', 'singing', 'bird', '1987', 'under_score', 'stop.', 'fine,'];
let text = '';

while (text.length < 700000) {
	text += words[(next() >>> 8) % words.length] + ' ';
}
let found = 0;
const upper = text.replace(/\b(\w+)ing\b/g, (all, stem) => {
	found++;
	return stem.toUpperCase();
});
const numbers = text.match(/\d+/g).length;
const dates = upper.match(/(?<word>[a-z]+)[.,] (?=\d)/g).length;
const parts = upper.split(/\s+/).map((part) => part.trim());

return [found, numbers, dates, parts.length, parts.join('-').length];
