// SPDX-License-Identifier: MIT
/* Timers, on a clock that the test moves. */
export default async function (t, image) {
	const run = (source) => image.run(source, { now: 0 });
	const log = async (name, source, wanted) =>
		t.is(
			name,
			(
				await run(`const log = []; const at = (x) => log.push(x + '@' + performance.now());
			${source}`)
			).value,
			wanted,
		);

	await log(
		'order by due time, then by id',
		'setTimeout(at, 5, "c"); setTimeout(at, 1, "a"); setTimeout(at, 1, "b"); ' +
			'await new Promise((r) => setTimeout(r, 9)); log',
		['a@1', 'b@1', 'c@5'],
	);
	await log(
		'an interval repeats until it is cleared',
		'await new Promise((r) => { let n = 0; const id = setInterval(() => { at("i"); ' +
			'if (++n === 3) { clearInterval(id); r() } }, 10) }); log',
		['i@10', 'i@20', 'i@30'],
	);
	await log(
		'what a callback clears does not run',
		'const b = setTimeout(at, 2, "b"); setTimeout(() => clearTimeout(b), 1); ' +
			'await new Promise((r) => setTimeout(r, 5)); log',
		[],
	);
	await log(
		'jobs run between timers that are due together',
		'setTimeout(() => { at("a"); queueMicrotask(() => at("m")) }, 1); ' +
			'setTimeout(at, 1, "b"); await new Promise((r) => setTimeout(r, 2)); log',
		['a@1', 'm@1', 'b@1'],
	);
	await log(
		'delays that are none',
		'for (const d of [undefined, null, -5, "3", NaN, 2 ** 40, Infinity]) setTimeout(at, d, String(d)); ' +
			'await new Promise((r) => setTimeout(r, 9)); log',
		['undefined@0', 'null@0', '-5@0', 'NaN@1', '1099511627776@1', 'Infinity@1', '3@3'],
	);
	await log(
		'a timer set by a timer',
		'await new Promise((r) => setTimeout(() => { at("a"); setTimeout(() => { at("b"); r() }, 0) }, 1)); log',
		['a@1', 'b@1'],
	);
	await log(
		'setImmediate',
		'setTimeout(at, 1, "t"); setImmediate(at, "i"); clearImmediate(setImmediate(at, "no")); ' +
			'await new Promise((r) => setTimeout(r, 2)); log',
		['i@0', 't@1'],
	);
	await log(
		'ids may be strings, and nonsense is ignored',
		'clearTimeout(String(setTimeout(at, 1, "x"))); clearTimeout({}); clearTimeout(null); ' +
			'clearTimeout(NaN); await new Promise((r) => setTimeout(r, 2)); log',
		[],
	);
	t.is(
		'many timers keep their order',
		(
			await run(
				'const log = []; for (let i = 0; i < 500; i++) setTimeout((x) => log.push(x), (i * 7919) % 500, (i * 7919) % 500); ' +
					'await new Promise((r) => setTimeout(r, 600)); log.length === 500 && log.every((x, i) => i === 0 || log[i - 1] <= x)',
			)
		).value,
		true,
	);
	t.is(
		'an error ends the run, later timers do not run',
		(
			await run(
				'setTimeout(() => { throw new Error("first") }, 1); setTimeout(() => text("second"), 2); await new Promise(() => 0)',
			)
		).error.message,
		'first',
	);
	{
		const { ok, text } = await run('setTimeout(() => text("late"), 5); 1');
		t.is('timers are dropped when the script is done', [ok, text], [true, []]);
	}
	t.is(
		'AbortSignal.timeout is no pending timer',
		(await run('AbortSignal.timeout(1000); 1')).notes,
		[],
	);
	t.is('nothing left to wait for', (await run('await new Promise(() => 0)')).ok, undefined);
	t.is(
		'the callback gets no this',
		(
			await run(
				'await new Promise((r) => setTimeout(function () { "use strict"; r(this === undefined) }))',
			)
		).value,
		true,
	);
	for (const call of [
		'setTimeout()',
		'setTimeout("x")',
		'setInterval({})',
		'setImmediate(null)',
		'setTimeout(() => 0, 1n)',
	]) {
		t.is(call, (await run(`try { ${call} } catch (e) { e.name }`)).value, 'TypeError');
	}
	t.is(
		'many timers that are cleared take no room',
		(
			await run(`for (let i = 0; i < 20000; i++) clearTimeout(setTimeout(() => 0, 1e6));
				const log = []; for (let i = 9; i > 0; i--) setTimeout((x) => log.push(x), i, i);
				for (let i = 0; i < 300; i++) clearTimeout(setTimeout(() => 0, i));
				await new Promise((r) => setTimeout(r, 20)); log.join('')`)
		).value,
		'123456789',
	);
	t.is(
		'an error in a listener ends the run',
		(
			await run(
				'const e = new EventTarget(); e.addEventListener("x", () => { throw new Error("heard") }); e.dispatchEvent(new Event("x")); await new Promise((r) => setTimeout(r, 1)); 5',
			)
		).error?.message,
		'heard',
	);
}
