/* SPDX-License-Identifier: MIT */
#include "js/vm.h"

#include "base/json.h"
#include "base/utf8.h"

#include "script.h"
#include "tap.h"

static struct err e;

/* A source's first line, for a test's name. */
#define NAMED(source) (int)strcspn((source), "\n#"), (source)

/* ---- values ---- */

static const struct {
	const char *source, *value; /* NULL: undefined */
} values[] = {
	{ "return 1", "1" },
	{ "1", "1" },
	{ "6 * 7", "42" },
	{ "return 'a\\u0000\"\\\\\\n\\u2028'", "\"a\\u0000\\\"\\\\\\n\xe2\x80\xa8\"" },
	{ "return '\xc3\xa9\xf0\x9f\x98\x80'", "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
	{ "return ''", "\"\"" },
	{ "return -0.5e-7", "-5e-8" },
	{ "return true", "true" },
	{ "return null", "null" },
	{ "return undefined", NULL },
	{ "return", NULL },
	{ "let x = 1", NULL },
	{ "if (false) 1", NULL },
	{ "return [1, [2, [3]], {}]", "[1,[2,[3]],{}]" },
	{ "return { b: 1, a: { c: [] } }", "{\"b\":1,\"a\":{\"c\":[]}}" },
	{ "({ a: 1 })", "{\"a\":1}" },
	{ "return { toJSON() { return 7 } }", "7" },
	{ "return await Promise.resolve(5)", "5" },
	{ "await 5", "5" },
	{ "return Promise.resolve([6])", "[6]" },
	{ "const p = new Promise(r => setTimeout(() => r('late'), 5)); return p", "\"late\"" },
	{ "let n = 0; for await (const x of [1, Promise.resolve(2)]) n += x; return n", "3" },
	{ "return await Promise.all([1, Promise.resolve(2)])", "[1,2]" },
	{ "let s = 0; for (let i = 0; i < 1e6; i++) s += i; return s", "499999500000" },
	{ "return typeof require + typeof process + typeof fetch + typeof Deno",
	    "\"undefinedundefinedundefinedundefined\"" },
	{ "return typeof WebAssembly + typeof SharedArrayBuffer + typeof std + typeof os",
	    NULL },
	{ "return new Date(0).getTimezoneOffset()", "0" },
	{ "var a = 1; { let a = 2 } return a", "1" },
	{ "#!/usr/bin/env node\n1", "1" },
	{ "return /(\\d+)-(?<x>\\w)/u.exec('12-a').groups.x", "\"a\"" },
	{ "return 2n ** 64n === 18446744073709551616n", "true" },
	{ "label: for (;;) { for (;;) break label } return 'out'", "\"out\"" },
	{ "// only a comment", NULL },
	{ "return (() => { try { null.x } catch (e) { return e.name } })()", "\"TypeError\"" },
};

static void
gives_values(void)
{
	for (size_t i = 0; i < COUNT(values); i++) {
		struct script s = { .source = str_of(values[i].source), .timeout_ms = 60000 };

		script_run(&s);
		if (strstr(values[i].source, "WebAssembly"))
			ok(s.outcome == VM_OK && !strstr(buf_text(&s.vm.value), "object"),
			    "no other engines");
		else if (values[i].value)
			ok(s.outcome == VM_OK && s.vm.has_value &&
				strcmp(buf_text(&s.vm.value), values[i].value) == 0 &&
				s.vm.value_chars == utf8_count(buf_str(&s.vm.value)),
			    "%.*s gives %s", NAMED(values[i].source), buf_text(&s.vm.value));
		else
			ok(s.outcome == VM_OK && !s.vm.has_value && s.vm.value.n == 0,
			    "%.*s gives nothing", NAMED(values[i].source));
		script_done(&s);
	}
}

static void
takes_arguments(void)
{
	static const struct {
		const char *args, *value;
	} rows[] = {
		{ "", "{}" },
		{ "{}", "{}" },
		{ "{\"a\":[1,null,\"\\u00e9\"]}", "{\"a\":[1,null,\"\xc3\xa9\"]}" },
		{ "{\"__proto__\":{\"x\":1}}", "{\"__proto__\":{\"x\":1}}" },
		{ "[1,2]", "[1,2]" },
		{ "\"text\"", "\"text\"" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct script s = { .source = STR("return args"),
			.args = str_of(rows[i].args) };

		script_run(&s);
		is_str(buf_text(&s.vm.value), rows[i].value, "args as they were given");
		script_done(&s);
	}
}

static void
large_arguments(void)
{
	auto_done(buf) struct buf args = buf_max(ARGS_MAX + STDIN_MAX);
	struct script s = { .source = STR("return args.stdin.length") };

	buf_add(&args, STR("{\"stdin\":\""));
	while (args.n < args.max - 2)
		buf_addc(&args, 's');
	buf_add(&args, STR("\"}"));
	s.args = buf_str(&args);
	script_run(&s);
	ok(s.outcome == VM_OK && s.vm.has_value, "arguments as large as they may be: %s",
	    buf_text(&s.vm.value));
	script_done(&s);
}

static void
cuts_large_values(void)
{
	struct script s = { .source = STR("return 'x'.repeat(9e6)") };

	script_run(&s);
	ok(s.outcome == VM_OK && s.vm.has_value && s.vm.value.n <= VALUE_MAX &&
		s.vm.value.n > VALUE_MAX - 8,
	    "a value over the maximum is cut there: %zu", s.vm.value.n);
	is_int(s.vm.value_chars, 9000002, "its whole length is told");
	script_done(&s);

	s = (struct script){ .source = STR("return '\xf0\x9f\x98\x80'.repeat(3e6)"),
		.memory = MiB(128) };
	script_run(&s);
	ok(s.outcome == VM_OK && s.vm.value.n <= VALUE_MAX && utf8_valid(buf_str(&s.vm.value)),
	    "and cut between characters");
	is_int(s.vm.value_chars, 3000002, "which are what is counted");
	script_done(&s);
}

static void
large_sources(void)
{
	static const char *const tails[] = { "'.length", "'.length; return n", "'.length; n" };
	static const char *const heads[] = { "return '", "const n = '", "let n = '" };

	for (size_t i = 0; i < COUNT(heads); i++) {
		auto_done(buf) struct buf source = buf_max(SOURCE_MAX);
		struct script s = { .timeout_ms = 600000 };
		uint64_t n = 0;

		buf_add(&source, str_of(heads[i]));
		while (source.n + strlen(tails[i]) < source.max)
			buf_addc(&source, 's');
		buf_add(&source, str_of(tails[i]));
		s.source = buf_str(&source);
		script_run(&s);
		ok(buf_ok(&source) && s.outcome == VM_OK &&
			str_u64(buf_str(&s.vm.value), SOURCE_MAX, &n) && n > SOURCE_MAX - 50,
		    "a source as large as may be: %s", buf_text(&s.vm.value));
		script_done(&s);
	}
}

/* ---- text ---- */

static void
prints_text(void)
{
	struct script s = {
		.source =
		    STR("console.log('a', 1, { b: [2] }); text('c\\nd'); console.error('e')")
	};

	script_run(&s);
	is_int(s.outcome, VM_OK, "a script that prints");
	is_str(buf_text(&s.text), "a 1 { b: [ 2 ] }\nc\nd\ne\n", "line by line");
	script_done(&s);

	s = (struct script){
		.source = STR("text(''); text('\\0x'); text('\\ud800|'); text('\xc3\xa9')")
	};
	script_run(&s);
	ok(s.outcome == VM_OK && s.text.p && memmem(s.text.p, s.text.n, "\0x\n", 3),
	    "also what is no text");
	ok(s.text.p && memmem(s.text.p, s.text.n, "\xc3\xa9\n", 3), "and what is behind it");
	script_done(&s);
}

static size_t pieces, longest, broken;

static void
take_piece(struct vm *vm, struct str text)
{
	pieces++;
	longest = MAX(longest, text.n);
	broken += !utf8_valid(text);
	script_keep_text(vm, text);
}

static void
prints_in_pieces(void)
{
	struct script s = {
		.source = STR("text('\xe2\x82\xac'.repeat(100000)); text('a' + "
			      "'\xf0\x9f\x98\x80'.repeat(50000))"),
		.on_text = take_piece,
	};

	script_run(&s);
	ok(s.outcome == VM_OK && s.text.n == 300001 + 200002, "long lines arrive whole: %zu",
	    s.text.n);
	ok(pieces > 30 && longest <= TEXT_LINE_MAX / 2 && !broken,
	    "in %zu pieces of whole characters, %zu at most", pieces, longest);
	script_done(&s);
}

/* ---- errors ---- */

struct fault {
	const char *source, *name, *message; /* part of the message */
	unsigned line, column;               /* 0: not asked */
};

static const struct fault faults[] = {
	{ "throw new TypeError('broken')", "TypeError", "broken", 1, 0 },
	{ "1\n\nthrow new Error('third line')", "Error", "third line", 3, 0 },
	{ "1\n\nreturn nothing.there", "ReferenceError", "nothing is not defined", 3, 0 },
	{ "let a = 1\nreturn a.b.c", "TypeError", "'c'", 2, 0 },
	{ "let x = ;", "SyntaxError", "", 1, 9 },
	{ "let a = 1;\nlet b = 2;\nreturn a +* b", "SyntaxError", "", 3, 0 },
	{ "return 1 }", "SyntaxError", "", 0, 0 },
	{ "return 1 })(); (() => {", "SyntaxError", "", 0, 0 },
	{ "import fs from 'fs'", "SyntaxError", "", 0, 0 },
	{ "await import('fs')", "", "", 0, 0 },
	{ "const a = 1; a = 2", "TypeError", "", 1, 0 },
	{ "null()", "TypeError", "", 1, 0 },
	{ "await Promise.reject(new RangeError('late'))", "RangeError", "late", 1, 0 },
	{ "setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise(r => "
	  "setTimeout(r, 20))",
	    "Error", "in a timer", 1, 0 },
	{ "throw null", "Error", "null", 0, 0 },
	{ "throw undefined", "Error", "undefined", 0, 0 },
	{ "throw 'text'", "Error", "text", 0, 0 },
	{ "throw { a: 1 }", "Error", "a: 1", 0, 0 },
	{ "throw Symbol('s')", "Error", "s", 0, 0 },
	{ "throw Object.assign(new Error('x'), { name: 'Mine' })", "Mine", "x", 1, 0 },
	{ "throw new AggregateError([new Error('inner')], 'outer')", "AggregateError", "outer",
	    1, 0 },
	{ "class E extends Error { get name() { throw 1 } } throw new E('m')", "", "m", 0, 0 },
	{ "throw new Proxy(new Error('p'), { get() { for (;;); } })", "", "", 0, 0 },
	{ "JSON.parse('{')", "SyntaxError", "", 0, 0 },
	{ "return { get a() { throw new Error('getter') } }", "", "getter", 0, 0 },
	{ "const o = {}; o.o = o; return o", "TypeError", "contains itself", 0, 0 },
	{ "return { toJSON() { throw new Error('in toJSON') } }", "", "in toJSON", 0, 0 },
};

static void
describes_errors(void)
{
	for (size_t i = 0; i < COUNT(faults); i++) {
		const struct fault *f = &faults[i];
		struct script s = { .source = str_of(f->source), .timeout_ms = 60000 };
		auto_obj(json) struct json *doc = NULL;
		const struct yyjson_val *d;
		struct str name, message;
		uint64_t line = 0, column = 0;

		script_run(&s);
		if (!ok(s.outcome == VM_ERROR &&
			    json_parse(buf_str(&s.vm.error), ERROR_MAX, &doc, &e) == 0,
			"%.*s: %.200s", NAMED(f->source), buf_text(&s.vm.error)))
			printf("# outcome %d\n", (int)s.outcome);
		d = json_root(doc);
		name = json_str(json_at(d, "name"));
		message = json_str(json_at(d, "message"));
		json_u64(json_at(d, "line"), UINT32_MAX, &line);
		json_u64(json_at(d, "column"), UINT32_MAX, &column);
		ok((!*f->name || str_eq(name, str_of(f->name))) &&
			(!*f->message || (message.n && memmem(message.p, message.n, f->message,
							   strlen(f->message)))),
		    "its name and message");
		ok((!f->line || line == f->line) && (!f->column || column == f->column),
		    "its place: %u:%u", (unsigned)line, (unsigned)column);
		ok(!s.vm.has_value && s.vm.value.n == 0, "and no value");
		script_done(&s);
	}
}

static void
waits_for_nothing(void)
{
	static const char *const rows[] = { "await new Promise(() => {})",
		"return new Promise(() => {})", "return { then() {} }",
		("for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new "
		 "Promise(() => {}) }) }) ;") };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct script s = { .source = str_of(rows[i]) };

		script_run(&s);
		is_int(s.outcome, VM_STALLED, rows[i]);
		script_done(&s);
	}
}

/* ---- one run knows nothing of another ---- */

static void
starts_anew(void)
{
	static const char *const spoil[] = {
		("globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = null; "
		 "return 1"),
		("delete globalThis.JSON; delete globalThis.Promise; console.log = null; "
		 "return "
		 "1"),
		"Object.freeze(globalThis); Object.freeze(Object.prototype); return 1",
		"Promise.prototype.then = () => { throw 1 }; return 1",
		("for (const k of Object.getOwnPropertyNames(globalThis)) try { delete "
		 "globalThis[k] } catch {}"),
	};
	struct script check = { .source = STR(
				    "console.log('still'); return [typeof left, typeof [].map, "
				    "JSON.stringify({ a: 1 }), await Promise.resolve(2)]") };

	for (size_t i = 0; i < COUNT(spoil); i++) {
		struct script s = { .source = str_of(spoil[i]) };

		script_run(&s);
		ok(s.outcome == VM_OK, "%.50s", spoil[i]);
		script_done(&s);
		script_run(&check);
		is_str(buf_text(&check.vm.value),
		    "[\"undefined\",\"function\",\"{\\\"a\\\":1}\",2]", "the next is as ever");
		is_str(buf_text(&check.text), "still\n", "and so is its console");
		script_done(&check);
	}
}

static void
is_random(void)
{
	struct script s = { .source =
				STR("return [Math.random(), crypto.randomUUID()].join()") };
	auto_done(buf) struct buf seen = buf_max(KiB(8));

	for (int i = 0; i < 8; i++) {
		script_run(&s);
		ok(s.outcome == VM_OK && s.vm.value.n > 40 &&
			(!seen.n || !memmem(seen.p, seen.n, s.vm.value.p, s.vm.value.n)),
		    "chance is another in each run: %s", buf_text(&s.vm.value));
		buf_add(&seen, buf_str(&s.vm.value));
		script_done(&s);
	}
}

/* ---- clocks ---- */

static void
keeps_time(void)
{
	struct script s = { .source = STR("return Math.ceil(performance.now())") };
	uint64_t before = clock_now(), ms = 0;

	script_run(&s);
	ok(str_u64(buf_str(&s.vm.value), UINT64_MAX, &ms) &&
		ms <= (clock_now() - before) / NS_PER_MS + 1,
	    "its clock starts with it");
	script_done(&s);
	s = (struct script){
		.source = STR(
		    "const a = performance.now(); await new Promise(r => setTimeout(r, 30)); "
		    "return performance.now() - a >= 29")
	};
	script_run(&s);
	is_str(buf_text(&s.vm.value), "true", "and goes on while it waits");
	ok(s.slices >= 2, "which it does without the processor");
	script_done(&s);
	s = (struct script){
		.source = STR(
		    "const order = []; await new Promise(r => { setTimeout(() => "
		    "order.push(3), 12); "
		    "setTimeout(() => order.push(1), 0); setTimeout(() => order.push(2), 6); "
		    "const i = setInterval(() => { if (order.length >= 3) { clearInterval(i); "
		    "r() } }, 1) }); "
		    "return order")
	};
	script_run(&s);
	is_str(buf_text(&s.vm.value), "[1,2,3]", "its timers run in order");
	script_done(&s);
}

static void
leaves_behind(void)
{
	struct script s = {
		.source = STR(
		    "setTimeout(() => {}, 1e6); Promise.reject(new Error('lost')); return 1")
	};

	script_run(&s);
	ok(s.outcome == VM_OK && s.vm.notes.n > 0, "what is left behind is noted: %s",
	    buf_text(&s.vm.notes));
	script_done(&s);
}

int
main(void)
{
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	gives_values();
	takes_arguments();
	large_arguments();
	cuts_large_values();
	large_sources();
	prints_text();
	prints_in_pieces();
	describes_errors();
	waits_for_nothing();
	starts_anew();
	is_random();
	keeps_time();
	leaves_behind();
	return tap_done();
}
