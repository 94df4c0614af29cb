
var Level; (function (Level) { const Low = 1; Level[Level["Low"] = Low] = "Low"; const Mid = Low + 1; Level[Level["Mid"] = Mid] = "Mid"; const High = Mid << 2; Level[Level["High"] = High] = "High"; })(Level || (Level = {}));

 class Base {
	 constructor(  items,  seen = new Map()) {;this.items = items;this.seen = seen;}
	
	find(name) { return this.seen.get(name) ?? this.items.find((i) => i.name === name); }
}
class Shop extends Base {
	constructor(items) { super(items); }
	 total() { return this.items.reduce((sum, i) => sum + i.price, 0); }
}
function isItem(x) { return typeof (x )?.id === 'number'; }
const raw = [{ id: 1, name: 'a', price: 2.5 }, { id: 2, name: 'b', price: 4 }, null];
const shop = new Shop(raw.filter(isItem) );
const pair = [shop.total(), shop.find('b').name];
const conf = { level: Level.High, pair } ;
return { ...conf, n: (conf.pair[0]) + 1 };
