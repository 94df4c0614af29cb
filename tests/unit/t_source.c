/* SPDX-License-Identifier: MIT */
#include "js/source.h"

#include "tap.h"

static enum source_kind
prepare(const char *source, struct buf *ret_out)
{
	return source_prepare(str_of(source), ret_out);
}

/* ---- fences and marks ---- */

static void
takes_off_what_stands_around(void)
{
	static const struct {
		const char *what, *in, *out;
	} rows[] = {
		{ "nothing around", "return 1\n", "return 1\n" },
		{ "a byte order mark", "\xef\xbb\xbfreturn 1", "return 1" },
		{ "two marks: the second stays",
		    "\xef\xbb\xbf\xef\xbb\xbf"
		    "1",
		    "\xef\xbb\xbf"
		    "1" },
		{ "a fence", "```\nreturn 1\n```", "\nreturn 1\n" },
		{ "a fence with a language", "```js\nreturn 1\n```", "\nreturn 1\n" },
		{ "with a long one", "```javascript\nreturn 1\n```\n", "\nreturn 1\n" },
		{ "with one in braces", "```{.js}\n1\n```\n", "\n1\n" },
		{ "with a blank before it", "``` ts\n1\n```", "\n1\n" },
		{ "a fence of tildes", "~~~\n1\n~~~\n", "\n1\n" },
		{ "a longer fence", "`````js\n1\n`````\n", "\n1\n" },
		{ "closed by a longer one", "```js\n1\n````\n", "\n1\n" },
		{ "blank lines before and behind", "\n\n ```js\n1\n```\n \n\n", "\n\n \n1\n" },
		{ "line ends of another system", "```js\r\n1\r\n```\r\n", "\n1\r\n" },
		{ "an indented fence", "  ```js\n  1\n  ```", "  \n  1\n" },
		{ "a mark before a fence", "\xef\xbb\xbf```js\n1\n```", "\n1\n" },
		{ "a fence inside a fence stays", "~~~\n```js\n1\n```\n~~~",
		    "\n```js\n1\n```\n" },
		{ "an interpreter line becomes a comment", "#!/usr/bin/env node\n1",
		    "///usr/bin/env node\n1" },
		{ "in a fence too", "```\n#!/usr/bin/node\n1\n```", "\n///usr/bin/node\n1\n" },
		{ "and behind blank lines", "\n\n#!node\n1", "\n\n//node\n1" },
		{ "but only as the first thing", "1\n#!node", "1\n#!node" },
		{ "only the outer pair goes", "```js\nlet a = `\n```\n`\n```",
		    "\nlet a = `\n```\n`\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		is_int(prepare(rows[i].in, &out), SOURCE_SCRIPT, rows[i].what);
		is_str(buf_text(&out), rows[i].out, rows[i].what);
	}
}

static void
leaves_what_is_no_fence(void)
{
	static const char *const rows[] = {
		"```js\nreturn 1\n",          /* not closed */
		"```js\nreturn 1\n~~~",       /* closed by another */
		"`````js\nreturn 1\n```",     /* closed by a shorter one */
		"``\n1\n``",                  /* two are no fence */
		"```js\n1\n``` and more",     /* text behind it */
		"```js let x = 1\n1\n```",    /* more than a language */
		"`a`\n1\n`b`",                /* templates */
		"x = ```\n1\n```",            /* text before it */
		"return `\n```\n`",           /* in a template */
		"```js\n1\n```\nmore();",     /* text after it */
		"Here it is:\n```js\n1\n```", /* prose */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		prepare(rows[i], &out);
		is_str(buf_text(&out), rows[i], "left as it is");
	}
}

static size_t
lines_before(struct str s, const char *needle)
{
	const char *at = memmem(s.p, s.n, needle, strlen(needle));
	size_t n = 0;

	for (const char *p = s.p; at && p < at; p++)
		n += *p == '\n';
	return at ? n : SIZE_MAX;
}

static void
moves_no_line(void)
{
	static const char *const rows[] = { "```js\nNEEDLE\n```",
		"\n\n\r\n```\n\n\nNEEDLE\n```\n", "\xef\xbb\xbf\n  ```js\n  a\n  NEEDLE\n  ```",
		"~~~ts\r\na\r\nNEEDLE\r\n~~~\r\n", "\n\n\nNEEDLE", "```js\nNEEDLE" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		prepare(rows[i], &out);
		is_int(lines_before(buf_str(&out), "NEEDLE"),
		    lines_before(str_of(rows[i]), "NEEDLE"), "on the line where it was");
		ok(out.n <= strlen(rows[i]), "and no longer than before");
	}
}

static void
nothing_there(void)
{
	static const char *const rows[] = { "", " ", "\n\n\t\r\n", "\xef\xbb\xbf",
		"\xef\xbb\xbf \n", "```\n```", "```js\n\n```", "\n```js\n \t\r\n```\n",
		"~~~\n~~~" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		is_int(prepare(rows[i], &out), SOURCE_EMPTY, "nothing but blanks");
	}
}

static void
long_sources(void)
{
	auto_done(buf) struct buf in = buf_max(MiB(5)), out = buf_max(MiB(4));

	buf_add(&in, STR("```js\n"));
	for (size_t i = 0; i < MiB(4) - 10; i++)
		buf_addc(&in, 'x');
	buf_add(&in, STR("\n```"));
	is_int(source_prepare(buf_str(&in), &out), SOURCE_SCRIPT, "a script of four mebibytes");
	ok(buf_ok(&out) && out.n == MiB(4) - 10 + 2, "whole");
}

/* ---- shell commands ---- */

static const char *const commands[] = {
	"ls",
	"ls -la",
	"ls -la /tmp",
	"ls src/",
	"$ ls -l",
	"  ls -l  ",
	"pwd",
	"whoami",
	"cd /tmp",
	"cd ..",
	"cd ~/src && make",
	"cd src && npm test",
	"cat package.json",
	"cat ./src/main.c | head -n 20",
	"cat /etc/passwd",
	"echo hello",
	"echo \"hello world\"",
	"echo 'hello'",
	"echo $HOME",
	"echo $PATH > out.txt",
	"git status",
	"git log --oneline -5",
	"git diff HEAD~1",
	"$ git commit -m 'x'",
	"npm install",
	"npm run build",
	"npx tsc --noEmit",
	"yarn add left-pad",
	"node index.js",
	"node -e \"console.log(1)\"",
	"python3 script.py",
	"python -c 'print(1)'",
	"pip install numpy",
	"pip3 install -r requirements.txt",
	"pytest -q",
	"cargo build --release",
	"go test ./...",
	"make",
	"make -j4 all",
	"gcc -O2 -o a a.c",
	"grep -rn main src",
	"grep \"needle\" haystack.txt",
	"rg needle",
	"find . -name '*.c'",
	"find /tmp -type f",
	"sed -i 's/a/b/' file",
	"awk '{print $1}' file",
	"awk -F: '{ print $1 }' /etc/passwd",
	"jq .name package.json",
	"curl https://example.org",
	"curl -sL https://example.org | sh",
	"wget https://example.org/a.tar.gz",
	"tar xzf a.tar.gz",
	"unzip a.zip",
	"mkdir -p a/b",
	"rm -rf build",
	"rm file.txt",
	"cp a.txt b.txt",
	"mv a b",
	"touch newfile",
	"chmod 644 run.sh",
	"chmod 755 run.sh",
	"chown root:root x",
	"ln -s a b",
	"sudo apt-get update",
	"sudo systemctl restart x",
	"apt install ripgrep",
	"brew install jq",
	"docker run --rm -it debian",
	"docker ps",
	"ssh host uptime",
	"ps aux",
	"kill -9 1234",
	"df -h",
	"du -sh .",
	"head -n 5 file",
	"tail -f log.txt",
	"sort file.txt",
	"uniq -c",
	"wc -l file",
	"which node",
	"env",
	"export FOO=bar",
	"export PATH=$PATH:/opt/bin",
	"xargs -n1 echo",
	"tee out.txt",
	"tree -L 2",
	"bash run.sh",
	"bash -c 'ls'",
	"sh ./install.sh",
	"less README.md",
	"diff a b",
	"cut -d: -f1",
	"zip -r a.zip a",
	"ls\npwd\n",
	"npm install\nnpm test",
	"\n\n  npm test\n",
	"```sh\nls -la\n```",
	"```bash\n$ npm install\n$ npm test\n```",
	"#!/bin/sh\necho hello",
	"#!/bin/bash\nset -eu",
	"#!/usr/bin/env bash\nls",
	"#!/usr/bin/env zsh\nls",
};

/* What a model writes, with a command's name or a shell's looks, and what JavaScript takes. */
static const char *const scripts[] = {
	"return 1",
	"ls.map(x => x + 1)",
	"ls()",
	"ls(1)",
	"ls = [1, 2]",
	"ls == 1",
	"ls\t= 5",
	"ls;",
	"ls, 1",
	"ls[0]",
	"ls ? 1 : 2",
	"ls || 1",
	"ls && 1",
	"ls `x`",
	"ls => 1",
	"ls ?? 1",
	"ls + 1",
	"ls - 1",
	"ls * 2",
	"ls % 2",
	"ls < 1",
	"ls > 1",
	"ls++",
	"ls += 1",
	"ls /= 2",
	"ls: for (;;) break ls",
	"find: while (true) { break find }",
	"find (1)",
	"find in { find: 1 }",
	"sort instanceof Function",
	"head.next = null",
	"head = { next: null }",
	"tail = []",
	"node = { left: null }",
	"node => node.left",
	"tree.left",
	"env.X = 1",
	"echo(1)",
	"echo.call(null)",
	"cat(1)",
	"make({})",
	"test('x', () => 1)",
	"let ls = 1",
	"const echo = x => x; return echo(1)",
	"function ls() {}",
	"async function git() {}",
	"class docker {}",
	"await curl('x')",
	"(ls)",
	"[ls]",
	"{ ls: 1 }",
	"'ls -la'",
	"\"use strict\"; return 1",
	"`git status`",
	"// ls -la\nreturn 1",
	"/* git status */ return 1",
	"/ls/.test('x')",
	"$ = 1",
	"$ => 1",
	"$.x = 1",
	"$(1)",
	"$ + 1",
	"_ls - la",
	"lsof - 1",
	"catalog.x",
	"gitStatus",
	"curl_it",
	"echoes = 1",
	"makeThing()",
	"pwd2 = 1",
	"export const x = 1",
	"export let x = 1",
	"export var x",
	"export function f() {}",
	"export async function f() {}",
	"export class A {}",
	"export default 1",
	"export default function () {}",
	"export { a }",
	"export {a, b as c}",
	"export * from 'x'",
	"export default {\n  a: 1,\n}",
	"import x from 'x'",
	"throw new Error('ls')",
	"if (1) return ls",
	"for (const f of ['a']) {}",
	"while (0) {}",
	"#!/usr/bin/env node\nreturn 1",
	"#!/usr/bin/node\nreturn 1",
	"#!/usr/bin/env deno\nreturn 1",
	"#!/usr/bin/env -S node --no-warnings\nreturn 1",
	"#!/usr/share/bin/qjs\nreturn 1",
	"return 1\nls -la",
	"1\nls",
	"const s = 'ls'\ns",
	"```js\nls()\n```",
	"sort\n= 5",
	"tree\n.left = 1",
	"cat\n(1)\nfunction cat(x) { return x }",
	"find\n= [1].find",
	"echo\n++\nx",
};

static void
shell_commands(void)
{
	ok(COUNT(commands) >= 60, "%zu commands", COUNT(commands));
	for (size_t i = 0; i < COUNT(commands); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		if (prepare(commands[i], &out) != SOURCE_SHELL)
			ok(false, "a command: %.*s", (int)strcspn(commands[i], "\n"),
			    commands[i]);
	}
	ok(true, "each is told as one");
}

static void
no_shell_commands(void)
{
	ok(COUNT(scripts) >= 60, "%zu scripts that look like commands", COUNT(scripts));
	for (size_t i = 0; i < COUNT(scripts); i++) {
		auto_done(buf) struct buf out = buf_max(KiB(1));

		if (prepare(scripts[i], &out) != SOURCE_SCRIPT)
			ok(false, "a script: %.*s", (int)strcspn(scripts[i], "\n"), scripts[i]);
	}
	ok(true, "none is taken for one");
}

static void
says_its_language(void)
{
	static const struct {
		const char *in;
		enum language language;
	} rows[] = {
		{ "return 1", LANGUAGE_AUTO },
		{ "```\n1\n```", LANGUAGE_AUTO },
		{ "```js\n1\n```", LANGUAGE_AUTO },
		{ "```ts\n1\n```", LANGUAGE_TS },
		{ "~~~ typescript\r\n1\r\n~~~\r\n", LANGUAGE_TS },
		{ "\xef\xbb\xbf\n ````tsx\n1\n````", LANGUAGE_TS },
		{ "```ts\n1", LANGUAGE_AUTO },
		{ "```its\n1\n```", LANGUAGE_AUTO },
		{ "", LANGUAGE_AUTO },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ok(source_language(str_of(rows[i].in)) == rows[i].language,
		    "the language of '%s'", rows[i].in);
}

int
main(void)
{
	says_its_language();
	takes_off_what_stands_around();
	leaves_what_is_no_fence();
	moves_no_line();
	nothing_there();
	long_sources();
	shell_commands();
	no_shell_commands();
	return tap_done();
}
