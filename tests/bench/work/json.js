// JSON.parse and JSON.stringify of about a megabyte.
const rows = [];

for (let i = 0; i < 7000; i++) {
	rows.push({
		id: i, name: 'record ' + i, price: i * 0.25, open: i % 3 === 0, none: null,
		tags: ['red', 'green', String(i % 11)], at: { x: i, y: -i, note: 'tab\there "' + i + '"' },
	});
}
const text = JSON.stringify(rows);
let size = 0;

for (let i = 0; i < 6; i++) {
	size += JSON.stringify(JSON.parse(text)).length;
}
return size;
