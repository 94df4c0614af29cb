interface Item { id: number; name: string; tags?: string[]; price: number }
enum Level { Low = 1, Mid, High = Mid << 2 }
type Pair<A, B = A> = [first: A, second: B];
abstract class Base<T extends Item> {
	protected constructor(public readonly items: T[], private seen: Map<string, T> = new Map()) {}
	abstract total(): number;
	find(name: string): T | undefined { return this.seen.get(name) ?? this.items.find((i) => i.name === name); }
}
class Shop extends Base<Item> {
	constructor(items: Item[]) { super(items); }
	override total(): number { return this.items.reduce((sum: number, i) => sum + i.price, 0); }
}
function isItem(x: unknown): x is Item { return typeof (x as Item)?.id === 'number'; }
const raw: unknown[] = [{ id: 1, name: 'a', price: 2.5 }, { id: 2, name: 'b', price: 4 }, null];
const shop = new Shop(raw.filter(isItem) as Item[]);
const pair: Pair<number, string> = [shop.total(), shop.find('b')!.name];
const conf = { level: Level.High, pair } satisfies { level: Level; pair: Pair<number, string> };
return { ...conf, n: (<number>conf.pair[0]) + 1 };
