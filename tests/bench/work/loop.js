// Reading and writing properties and array elements in a loop.
const point = { x: 1, y: 2, z: 3 };
const list = new Array(256).fill(0);
let sum = 0;

for (let i = 0; i < 3000000; i++) {
	point.x = (point.x + point.y * i) & 0xffff;
	list[i & 255] += point.x;
	sum = (sum ^ list[(i * 7) & 255]) >>> 0;
}
return [sum, point.x];
