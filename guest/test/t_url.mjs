// SPDX-License-Identifier: MIT
/*
 * URL against node's. Where the two differ node's is the one that is wrong or older, so those forms
 * are not in the lists: a path with "^" or that is only "..", ports with garbage.
 */
export default async function (t, image) {
	let seed = 7;
	const pick = (list) => {
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 1;
		return list[seed % list.length];
	};
	const schemes = [
		'http:',
		'https:',
		'HTTPS:',
		'ftp:',
		'ws:',
		'file:',
		'mailto:',
		'data:',
		'foo:',
		'javascript:',
	];
	const slashes = ['//', '/', '', '\\\\', '///'];
	const hosts = [
		'example.com',
		'EXAMPLE.com',
		'a-b.c0',
		'127.0.0.1',
		'0x7f.1',
		'1.2.3',
		'256.256.256.256',
		'[::1]',
		'[1:2::3]',
		'münchen.de',
		'xn--mnchen-3ya.de',
		'日本語.jp',
		'a b',
		'a%41.com',
		'u:p@h.com',
		'localhost',
		'',
		'a..b',
		'faß.de',
		'a_b.com',
		'b.',
		'☃.net',
		'xn--a',
		'a<b',
		'09.com',
	];
	const ports = ['', '', '', ':80', ':443', ':8080', ':0', ':99999', ':'];
	const paths = [
		'',
		'/',
		'/a/b',
		'/a/../b',
		'/./x',
		'/%2e%2E/y',
		'/a b',
		'/ü',
		'//d',
		'/a;b=c',
		'/%zz',
		'\\a\\b',
		'/😀',
		'/{x}',
	];
	const queries = [
		'',
		'?',
		'?a=b',
		'?a=b&c=d',
		'?ü=é',
		'?\'"<>',
		'?a b',
		'?%zz',
		'?[x]={y}|z',
	];
	const hashes = ['', '#', '#x', '#ü `<>"', '#%'];
	const inputs = Array.from({ length: 1500 }, () =>
		[schemes, slashes, hosts, ports, paths, queries, hashes].map(pick).join(''),
	);
	const look = `(input) => { try { const u = new URL(input); return [u.href, u.origin, u.protocol, u.username, u.password, u.host,
		u.hostname, u.port, u.pathname, u.search, u.hash, String(u.searchParams)].join(' ') } catch (e) { return e.name } }`;
	{
		const { value } = await image.run(`args.map(${look})`, { args: inputs });
		const wanted = inputs.map(eval(look));
		const bad = inputs.findIndex((_, i) => value[i] !== wanted[i]);
		t.ok(
			'1500 addresses',
			bad < 0,
			bad < 0 ? '' : `${inputs[bad]}\n${value[bad]}\n${wanted[bad]}`,
		);
	}
	{
		/* a tab is dropped by the parser and sends the address the long way */
		const chars = [...'abz09-._~!$&()*+,;=:@%/?#[]{}|\\\'"<> AZéeE', '%2e', '/../', '//'];
		const simple = Array.from(
			{ length: 1500 },
			() =>
				pick(['http://', 'https://']) +
				pick(['a.com', 'a-b.c0', '1.2', 'x', 'a.0x1', 'xn--a.b', 'a.b.', 'q.7']) +
				pick(['', ':80', ':443', ':08', ':123']) +
				pick(['', '/']) +
				Array.from({ length: 8 }, () => pick(chars)).join(''),
		);
		const { value } = await image.run(
			`const look = ${look}; args.filter((x) => look(x) !== look(x[0] + '\\t' + x.slice(1)))`,
			{ args: simple },
		);
		t.is('the short way and the long way agree', value, []);
	}
	const setters = [
		'protocol',
		'username',
		'password',
		'host',
		'hostname',
		'pathname',
		'search',
		'hash',
		'href',
	].flatMap((name) =>
		[
			'https',
			'ftp:',
			'a:b',
			'x@y',
			'new.org',
			'new.org:81',
			'/p/../q',
			'?a=1#b',
			'#x',
			'',
			'é',
			'http://z/',
		].flatMap((value) =>
			['http://u:p@h.com:8080/p?q#f', 'mailto:a@b', 'file:///x/y'].map((url) => [
				url,
				name,
				value,
			]),
		),
	);
	{
		const run = `([url, name, value]) => { try { const u = new URL(url); u.searchParams; u[name] = value; return u.href + ' ' + u.searchParams } catch (e) { return e.name } }`;
		const { value } = await image.run(`args.map(${run})`, { args: setters });
		const wanted = setters.map(eval(run));
		const bad = setters.filter((_, i) => value[i] !== wanted[i]);
		t.is(
			'setters',
			bad.map(([url, name, v]) => `${url} ${name}=${v}`),
			[],
		);
	}
	{
		const source = `const p = new URLSearchParams('b=2&a=1&b=3&%C3%BC=+&c'); p.append('x', 'y z'); p.set('b', '9'); p.delete('c'); p.sort();
			[String(p), p.size, p.getAll('b'), p.has('b', '9'), p.get('ü'), [...p.keys()], [...p.values()], [...p].length, Object.prototype.toString.call(p.entries()),
			String(new URLSearchParams({a: 1, b: 'ü'})), String(new URLSearchParams(new Map([['m', 1]]))), String(new URLSearchParams(p))]`;
		t.is('URLSearchParams', (await image.run(source)).value, eval(source));
	}
	t.is(
		'live iterators',
		(
			await image.run(
				'const p = new URLSearchParams("a=1&b=2"); const seen = []; for (const [k] of p) { seen.push(k); if (k === "a") p.append("c", "3") } seen',
			)
		).value,
		['a', 'b', 'c'],
	);
	t.is(
		'relative addresses',
		(
			await image.run(
				'["../x", "//o/p", "?q", "#f", "", "http:y", "/a/./b"].map((x) => new URL(x, "http://h/a/b/c?d#e").href)',
			)
		).value,
		[
			'http://h/a/x',
			'http://o/p',
			'http://h/a/b/c?q',
			'http://h/a/b/c?d#f',
			'http://h/a/b/c?d',
			'http://h/a/b/y',
			'http://h/a/b',
		],
	);
}
