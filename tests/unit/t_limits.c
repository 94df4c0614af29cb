/* SPDX-License-Identifier: MIT */
/* Every way a VM can be made to end, and that the next one does not notice. */
#include "js/vm.h"

#include "forge/result.h"

#include "leak.h"
#include "script.h"
#include "tap.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err e;

/* A source's first line, for a test's name. */
#define NAMED(source) (int)strcspn((source), "\n#"), (source)

/* What the outcome is to whoever asked for the run. */
static enum code
code_of(const struct script *s)
{
	static const enum code codes[VM_OUTCOMES] = {
		[VM_TIMEOUT] = CODE_TIMEOUT,
		[VM_CPU] = CODE_CPU_LIMIT,
		[VM_MEMORY] = CODE_MEMORY_LIMIT,
		[VM_STACK] = CODE_STACK_LIMIT,
		[VM_CANCELLED] = CODE_CANCELLED,
		[VM_STALLED] = CODE_INTERNAL,
		[VM_CRASHED] = CODE_HOST_CRASH,
		[VM_NO_ROOM] = CODE_ENGINE_UNAVAILABLE,
	};
	struct run_result r;
	enum code code;

	if (s->outcome != VM_ERROR)
		return codes[s->outcome];
	result_init(&r);
	result_error(&r, buf_str(&s->vm.error), 0);
	code = r.code;
	result_done(&r);
	return code;
}

static bool
next_works(void)
{
	struct script s = { .source = STR("return [1, 2].map(x => x + 1)"),
		.timeout_ms = 600000 };
	bool good;

	script_run(&s);
	good = s.outcome == VM_OK && strcmp(buf_text(&s.vm.value), "[2,3]") == 0;
	script_done(&s);
	return good;
}

static void
ends_as(struct script s, enum code want)
{
	enum code got;

	script_run(&s);
	got = code_of(&s);
	if (!ok(got == want && next_works(), "%s: %.*s", want ? code_specs[want].name : "fine",
		NAMED(s.source.p)))
		printf("# outcome %d, code %s, %.300s\n", (int)s.outcome, code_specs[got].name,
		    buf_text(&s.vm.error));
	script_done(&s);
}

/* ---- time ---- */

/* Loops of the script's, which ask, and of the engine's, which do not. */
static const char *const endless[] = {
	"for (;;);",
	"for (;;); return 1",
	"while (true) await 1",
	"while (true) { try { for (;;); } catch {} finally { continue } }",
	"try { for (;;); } finally { for (;;); }",
	("const f = () => Promise.resolve().then(f); f(); setInterval(() => {}, 1e9); await "
	 "new "
	 "Promise(() => {})"),
	"setInterval(() => {}, 0); await new Promise(() => {})",
	"await new Promise(r => setTimeout(r, 1e9))",
	("queueMicrotask(function f() { queueMicrotask(f) }); await new Promise(r => "
	 "setTimeout(r, 10))"),
	"for (const x of (function* () { for (;;) yield 1 })());",
	"return new Array(1e9).join('x')",
	"const a = []; a.length = 4294967295; a.indexOf(1)",
	"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
	"Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})",
	"return /(a+)+$/.exec('a'.repeat(60) + 'b')",
	"const n = 2n ** 1000000n; for (;;) n.toString()",
	"const n = 7n ** 300000n; for (;;) n ** 3n",
	"const s = 'ab'.repeat(1e5); for (;;) s.split('')",
	"const s = 'a'.repeat(1e6); for (;;) s.lastIndexOf('b')",
	"const a = Array(1e5).fill(1.5); for (;;) JSON.stringify(a)",
	("const a = Array.from({ length: 1e5 }, (_, i) => i * 7919 % 100003); for (;;) "
	 "a.slice().sort()"),
	"return { toJSON() { for (;;); } }",
	"return { get a() { for (;;); } }",
	"throw { get message() { for (;;); } }",
	"throw Object.assign(new Error(), { get name() { for (;;); } })",
	"return { then() { for (;;); } }",
	"console.log({ get a() { for (;;); }, toString() { for (;;); } }); for (;;);",
	"console.log(new Proxy({}, { ownKeys() { for (;;); } })); for (;;);",
	"setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
	"Promise.reject(new Proxy(new Error(), { get() { for (;;); } })); for (;;);",
	"Error.prototype.toString = () => { for (;;); }; for (;;);",
};

static void
out_of_time(void)
{
	for (size_t i = 0; i < COUNT(endless); i++)
		ends_as((struct script){ .source = str_of(endless[i]), .timeout_ms = 40 },
		    CODE_TIMEOUT);
	ends_as((struct script){ .source = STR("return 1"), .timeout_ms = 300000 }, CODE_NONE);
	ends_as((struct script){ .source = STR("return 1") }, CODE_NONE);
}

static void
out_of_processor_time(void)
{
	static const char *const rows[] = { "for (;;);", "while (true) await 1",
		"return new Array(1e9).join('x')", "return /(a+)+$/.exec('a'.repeat(60) + 'b')",
		"Array.prototype.reverse.call({ length: 2 ** 53 - 1 })" };

	for (size_t i = 0; i < COUNT(rows); i++)
		ends_as((struct script){ .source = str_of(rows[i]), .cpu_ms = 20 },
		    CODE_CPU_LIMIT);
	/* Waiting costs none. */
	ends_as((struct script){ .source = STR(
				     "await new Promise(r => setTimeout(r, 1500)); return 1"),
		    .cpu_ms = 1000 },
	    CODE_NONE);
}

#define DAWDLE_MS 800

/* Host code that takes long without using the processor: a slow disk, a busy machine. */
static void
dawdle(struct vm *vm, struct str text)
{
	(void)vm;
	(void)text;
	script_sleep(clock_now() + DAWDLE_MS * NS_PER_MS);
}

static void
a_busy_machine(void)
{
	ends_as((struct script){ .source = STR("console.log(''); return 1"),
		    .cpu_ms = DAWDLE_MS / 2,
		    .on_text = dawdle },
	    CODE_NONE);
	ends_as((struct script){ .source = STR("console.log(''); for (;;);"),
		    .cpu_ms = DAWDLE_MS / 2,
		    .on_text = dawdle },
	    CODE_CPU_LIMIT);
	ends_as((struct script){ .source =
				     STR("console.log(''); return new Array(1e9).join('x')"),
		    .cpu_ms = DAWDLE_MS / 2,
		    .on_text = dawdle },
	    CODE_CPU_LIMIT);
}

/* ---- memory ---- */

static const char *const greedy[] = {
	"const a = []; for (;;) a.push(new Array(1000).fill(1))",
	"const a = []; for (;;) a.push({}); return a",
	"const m = new Map(); for (;;) m.set({}, 1)",
	"const a = []; for (;;) a.push(Symbol())",
	"let s = 'x'; const a = []; for (;;) a.push(s += s.slice(0, 65536))",
	"new ArrayBuffer(1e9)",
	"new Uint8Array(1e9)",
	"'x'.padEnd(2 ** 29)",
	"return 'x'.repeat(5e8)",
	"new Array(1e8).fill(0)",
	"Array.from({ length: 1e9 })",
	"const o = {}; for (let i = 0; ; i++) o['key' + i] = i",
	"let p = Promise.resolve(); for (;;) { const q = p; p = new Promise(r => q.then(r)) }",
	("function* g() { yield 1 } const a = []; for (;;) { const x = g(); x.next(); "
	 "a.push(x) "
	 "}"),
	"let f = () => 1; for (;;) { const h = f; f = () => h }",
	"return structuredClone(Array(3e6).fill(1)).concat(Array(3e6).fill({}))",
	"return JSON.parse('[' + '[],'.repeat(3e6) + '[]]')",
	"for (let a = []; ; ) { const b = []; b.push(a); a = b }",
	"const b = 2n ** 900000n; const a = []; for (let i = 1n; ; i++) a.push(b + i)",
};

static void
out_of_memory(void)
{
	for (size_t i = 0; i < COUNT(greedy); i++)
		ends_as((struct script){ .source = str_of(greedy[i]), .timeout_ms = 600000 },
		    CODE_MEMORY_LIMIT);
}

static void
memory_sizes(void)
{
	static const uint32_t sizes[] = { MiB(1), MiB(2), MiB(32), MiB(128) };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct script s = { .source = str_of(greedy[0]),
			.memory = sizes[i],
			.timeout_ms = 600000 };
		uint32_t had = script_engine.image->pages;

		script_run(&s);
		is_int(code_of(&s), CODE_MEMORY_LIMIT, "a script that takes all it gets");
		ok(s.vm.memory.pages <= had + sizes[i] / WASM_PAGE &&
			s.vm.memory.pages <= VM_PAGES_MAX,
		    "gets no more than %u MiB", sizes[i] >> 20);
		ok(s.vm.heap_peak > sizes[i] / 2, "and most of that: %llu",
		    (unsigned long long)s.vm.heap_peak);
		script_done(&s);
		ends_as((struct script){ .source = STR("return [1]"), .memory = sizes[i] },
		    CODE_NONE);
	}
}

/* A script that has no more memory cannot go on as if it had. */
static void
swallows_nothing(void)
{
	static const char *const rows[] = {
		"try { new ArrayBuffer(1e9) } catch {} return 1",
		"try { new ArrayBuffer(1e9) } finally { for (;;) break }",
		("const a = []; try { for (;;) a.push(new Array(1000).fill(1)) } catch { "
		 "a.length = 0 } return 1"),
		"await (async () => 'x'.padEnd(2 ** 29))().catch(() => 1); return 1",
		"await Promise.allSettled([(async () => 'x'.padEnd(2 ** 29))()]); return 1",
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ends_as((struct script){ .source = str_of(rows[i]) }, CODE_MEMORY_LIMIT);
}

/* A process whose address space is limited from outside says so, and goes on with what it has. */
static int
in_little_space(void)
{
	struct rlimit little = { GiB(20), GiB(20) };
	struct script s[4] = { 0 };
	size_t n = 0;
	int r = 0;

	if (setrlimit(RLIMIT_AS, &little) < 0 || trap_setup(&e) < 0)
		return 1;
	for (; n < COUNT(s) && r == 0; n++) {
		s[n].source = STR("return 1");
		r = script_start(&s[n], &e);
	}
	if (r != -ERR_LIMIT || !strstr(e.text, "ulimit -v") || n < 2)
		return 2;
	for (size_t i = 0; i < n; i++)
		script_done(&s[i]);
	return next_works() ? 0 : 3;
}

static void
out_of_space(void)
{
	int status = -1;
	pid_t pid;

	if (SANITIZED) /* it needs the space for itself */
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(in_little_space());
	waitpid(pid, &status, 0);
	is_int(status, 0, "where the address space is limited there is no room for another VM");
}

/* ---- stack ---- */

static const char *const deep[] = {
	"(function f() { f() })()",
	"function f(a, b, c, d, e) { return f(b, c, d, e, a) + 1 } return f(1, 2, 3, 4, 5)",
	"const g = { get x() { return this.x } }; g.x",
	"const g = { set x(v) { this.x = v } }; g.x = 1",
	"const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
	"class A { toString() { return '' + this } }; return '' + new A()",
	"class A { constructor() { new A() } }; new A()",
	"class A { static x = (function f() { f() })() }",
	"const o = { valueOf() { return +o } }; +o",
	"[1, 2].sort(function c() { return [1, 2].sort(c) })",
	"[1].map(function c() { return [1].map(c) })",
	"function* g() { yield* g() } [...g()]",
	"JSON.parse('['.repeat(1e6))",
	"JSON.parse('[1]', function f() { return JSON.parse('[1]', f) })",
	"const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
	"'a'.replace(/a/, function f() { return 'a'.replace(/a/, f) })",
	"const f = () => f`x`; f()",
	"const o = { [Symbol.iterator]() { return [...o] } }; [...o]",
	"const f = new Function('f', 'f(f)'); f(f)",
	"eval('(function f() { eval(\"f()\") })()')",
	"eval('('.repeat(1e5))",
	"eval('['.repeat(1e5))",
	"eval('{'.repeat(1e5))",
	"eval('!'.repeat(1e5) + '1')",
	"eval('a=>'.repeat(1e5) + '1')",
	"eval('`${'.repeat(1e5))",
	"eval('1' + '**1'.repeat(1e5))",
	"eval('class A extends '.repeat(1e4))",
	"eval('if(1)'.repeat(1e5) + ';')",
	"Reflect.construct(function F() { Reflect.construct(F, []) }, [])",
	"const f = () => [1].flatMap(f); f()",
	"let n = 0; try { (function f() { f() })() } catch { (function g() { g() })() }",
	"Object.defineProperty(globalThis, 'zz', { get() { return zz } }); zz",
	"const a = []; a[Symbol.toPrimitive] = () => a + 1; a + 1",
	"const p = new Proxy(function () {}, { apply: () => p() }); p()",
	("const p = new Proxy({}, { getPrototypeOf: () => Object.getPrototypeOf(p) }); "
	 "Object.getPrototypeOf(p)"),
	"let r = {}; for (let i = 0; i < 1e5; i++) r = new Proxy(r, {}); r.x",
};

static void
out_of_stack(void)
{
	static const uint32_t sizes[] = { KiB(32), KiB(256), KiB(512) };

	for (size_t k = 0; k < COUNT(sizes); k++) {
		for (size_t i = 0; i < COUNT(deep); i++)
			ends_as((struct script){ .source = str_of(deep[i]),
				    .stack = sizes[k],
				    .timeout_ms = 600000 },
			    CODE_STACK_LIMIT);
	}
}

static void
uses_its_stack(void)
{
	static const char source[] = "const f = n => n ? 1 + f(n - 1) : 0; return f(%d)";
	char text[100];

	for (int levels = 10; levels <= 60; levels *= 2) {
		snprintf(text, sizeof(text), source, levels);
		ends_as((struct script){ .source = str_of(text), .stack = KiB(32) }, CODE_NONE);
		snprintf(text, sizeof(text), source, levels * 8);
		ends_as((struct script){ .source = str_of(text), .stack = KiB(256) },
		    CODE_NONE);
	}
	ends_as((struct script){ .source = STR("let n = 0; (function f() { n++; try { f() } "
					       "catch {} })(); return n > 10") },
	    CODE_NONE);
}

/* ---- cancelling, by turns ---- */

static void
cancelled(struct script s, unsigned slices, const char *when)
{
	size_t heap = leak_heap();

	if (script_start(&s, &e) < 0)
		ok(false, "started: %s", e.text);
	for (unsigned i = 0; i < slices && s.vm.state == VM_READY; i++)
		script_step(&s);
	vm_stop(&s.vm, VM_CANCELLED);
	ok(s.vm.state == VM_DONE && s.vm.outcome == VM_CANCELLED, "cancelled %s", when);
	vm_stop(&s.vm, VM_TIMEOUT);
	is_int(s.vm.outcome, VM_CANCELLED, "once and for all");
	script_done(&s);
	ok(leak_heap() <= heap, "nothing of it is left");
	ok(next_works(), "the next one runs");
}

static void
cancels(void)
{
	struct script s = { .source = STR("return 1") };

	cancelled((struct script){ .source = STR("return 1") }, 0, "before it began");
	cancelled((struct script){ .source = STR("for (;;);") }, 3, "while it runs");
	cancelled((struct script){ .source = STR("for (;;); return 1") }, 3,
	    "while its body runs");
	cancelled((struct script){ .source = STR("return [1].map(() => { for (;;); })") }, 3,
	    "inside the engine");
	cancelled(
	    (struct script){
		.source = STR("await new Promise(r => setTimeout(r, 1e6)); return 1") },
	    100, "while it waits");
	cancelled((struct script){ .source = STR("text('x'); await 1; for (;;) await 1") }, 3,
	    "between its jobs");
	script_run(&s);
	vm_stop(&s.vm, VM_CANCELLED);
	is_int(s.vm.outcome, VM_OK, "one that is done already stays what it is");
	script_done(&s);
}

static void
takes_turns(void)
{
	struct script a = { .source = STR("let n = 0; for (;;) n++") };
	struct script b = { .source = STR("let s = ''; for (;;) { s += 'x'; if (s.length > "
					  "1000) s = '' }; return 1") };
	struct script c = { .source = STR("let n = 0; while (n < 3e6) n++; return n") };

	if (script_start(&a, &e) < 0 || script_start(&b, &e) < 0 || script_start(&c, &e) < 0)
		ok(false, "three VMs: %s", e.text);
	while (c.vm.state != VM_DONE) {
		script_step(&a);
		script_step(&b);
		script_step(&c);
	}
	ok(c.outcome == VM_OK && strcmp(buf_text(&c.vm.value), "3000000") == 0,
	    "one ends beside two that never do");
	ok(a.vm.state == VM_READY && b.vm.state == VM_READY && a.slices == c.slices &&
		b.slices == c.slices,
	    "each had %u turns", c.slices);
	script_done(&b);
	script_step(&a);
	ok(a.vm.state == VM_READY, "one goes on when another is gone");
	script_done(&a);
	script_done(&c);
}

/* Many at once, each a little further in every round, none in another's memory. */
static void
many_at_once(void)
{
	static struct script s[100];
	static char source[COUNT(s)][160];
	unsigned done = 0, good = 0;

	for (size_t i = 0; i < COUNT(s); i++) {
		snprintf(source[i], sizeof(source[i]),
		    "let n = %zu; for (let i = 0; i < 200; i++) { n += i; await new Promise(r "
		    "=> setTimeout(r, 0)) } "
		    "return n",
		    i);
		s[i] = (struct script){ .source = str_of(source[i]) };
		if (script_start(&s[i], &e) < 0)
			ok(false, "a VM: %s", e.text);
	}
	while (done < COUNT(s)) {
		done = 0;
		for (size_t i = 0; i < COUNT(s); i++) {
			if (s[i].vm.state != VM_DONE)
				script_step(&s[i]);
			done += s[i].vm.state == VM_DONE;
		}
	}
	for (size_t i = 0; i < COUNT(s); i++) {
		snprintf(source[i], sizeof(source[i]), "%zu", i + 19900);
		good += strcmp(buf_text(&s[i].vm.value), source[i]) == 0;
		script_done(&s[i]);
	}
	is_int(good, COUNT(s), "a hundred at once, each with its own result");
}

/* ---- the broker's signal ---- */

static uint64_t named;

static void
signal_ourselves(struct vm *vm, struct str text)
{
	union sigval value = { .sival_ptr = (void *)(uintptr_t)named };

	script_keep_text(vm, text);
	sigqueue(getpid(), trap_stop_signal(), value);
}

static void
stopped_by_signal(void)
{
	struct script s = {
		.source = STR("text('before'); for (;;);"),
		.number = 7,
		.on_text = signal_ourselves,
	};

	named = 7;
	script_run(&s);
	ok(s.outcome == VM_CANCELLED, "a signal that names the run ends it");
	is_str(buf_text(&s.text), "before\n", "where it was");
	script_done(&s);

	named = 8;
	s = (struct script){ .source = STR("text('a'); return 1"),
		.number = 7,
		.on_text = signal_ourselves };
	script_run(&s);
	ok(s.outcome == VM_OK, "one that names another does not");
	script_done(&s);

	named = 7;
	signal_ourselves(&s.vm, STR(""));
	buf_done(&s.text);
	ok(next_works(), "one that comes while nothing runs is lost");
}

int
main(void)
{
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	out_of_time();
	out_of_processor_time();
	a_busy_machine();
	out_of_memory();
	memory_sizes();
	swallows_nothing();
	out_of_space();
	out_of_stack();
	uses_its_stack();
	cancels();
	takes_turns();
	many_at_once();
	stopped_by_signal();
	return tap_done();
}
