/* SPDX-License-Identifier: MIT */
#include "js/rest.h"

#include "script.h"
#include "tap.h"

static struct err e;

/* Waits in steps of a millisecond; at each wait the test may bring it to rest. */
#define SLEEP "const nap = () => new Promise((done) => setTimeout(done, 1));"

static const struct {
	const char *source, *value;
} scripts[] = {
	{ SLEEP "await nap(); return 1", "1" },
	{ SLEEP "let n = 0; for (let i = 0; i < 20; i++) { n += i; await nap() } return n",
	    "190" },
	{ SLEEP "const m = new Map([['a', 2n ** 80n]]); await nap(); m.set('b', /x(?<y>.)/);"
		"await nap(); return [String(m.get('a')), m.get('b').exec('xz').groups.y]",
	    "[\"1208925819614629174706176\",\"z\"]" },
	{ SLEEP "function* g() { let i = 0; for (;;) yield i++ } const it = g(); it.next();"
		"await nap(); it.next(); await nap(); return it.next().value",
	    "2" },
	{ SLEEP "const deep = (n) => n ? deep(n - 1) + 1 : 0; const a = deep(500); await nap();"
		"return [a, deep(500)]",
	    "[500,500]" },
	{ SLEEP "const text = 'ab'.repeat(20000); await nap(); return text.length", "40000" },
	{ SLEEP "const all = await Promise.all([1, 2, 3].map(async (x) => { await nap(); "
		"return x }));"
		"return all",
	    "[1,2,3]" },
	{ SLEEP "try { await nap(); null.x } catch (error) { await nap(); return error.name }",
	    "\"TypeError\"" },
};

static void
goes_on(void)
{
	for (size_t i = 0; i < COUNT(scripts); i++) {
		struct script s = { .source = str_of(scripts[i].source), .timeout_ms = 60000 };
		size_t rested = 0, most = 0;

		if (!ok(script_start(&s, &e) >= 0, "a VM"))
			continue;
		while (s.vm.state != VM_DONE) {
			vm_rest(&s.vm);
			rested += s.vm.rest.runs != NULL;
			most = MAX(most, s.vm.rest.n);
			vm_rest(&s.vm);
			script_step(&s);
		}
		ok(rested > 0, "it rested %zu times, %zu bytes at most", rested, most);
		is_str(buf_text(&s.vm.value), scripts[i].value, "and is as it was");
		script_done(&s);
	}
}

/* Every byte from the stack pointer on. */
static void
is_whole(void)
{
	struct script s = { .source =
				STR(SLEEP "const a = [1, 'b', {}]; await nap(); return a") };
	size_t live, size;
	char *before;

	ok(script_start(&s, &e) >= 0, "a VM");
	while (s.vm.state == VM_READY)
		vm_slice(&s.vm);
	live = s.vm.stack_pointer;
	size = s.vm.memory.size - live;
	before = xmalloc(size);
	memcpy(before, s.vm.memory.data + live, size);
	vm_rest(&s.vm);
	ok(s.vm.rest.n > 0 && s.vm.rest.n < KiB(64), "%zu bytes are kept", s.vm.rest.n);
	ok(memcmp(before, s.vm.memory.data + live, size) != 0, "the memory is given back");
	rest_give(&s.vm.rest, &s.vm.memory);
	ok(memcmp(before, s.vm.memory.data + live, size) == 0, "and comes back byte for byte");
	ok(!s.vm.rest.runs, "nothing is kept twice");
	free(before);
	script_done(&s);
}

static void
ends_at_rest(void)
{
	struct script s = { .source =
				STR("await new Promise((done) => setTimeout(done, 1e6))") };

	ok(script_start(&s, &e) >= 0, "a VM");
	while (s.vm.state == VM_READY)
		vm_slice(&s.vm);
	vm_rest(&s.vm);
	ok(s.vm.rest.runs != NULL, "it rests");
	vm_stop(&s.vm, VM_CANCELLED);
	is_int(s.vm.outcome, VM_CANCELLED, "and can be stopped");
	script_done(&s);
}

/* Too much to keep: what grew, and what differs all over. */
static void
stays_as_it_is(void)
{
	static const char *const large[] = {
		SLEEP "const a = new Array(400000).fill(1.5); await nap(); return a.length",
		SLEEP "const a = Array.from({ length: 9000 }, (_, i) => i * 0x123456789); "
		      "await nap();"
		      "return a[8999] === 8999 * 0x123456789 ? a.length * 400000 / 9000 : 0",
	};

	for (size_t i = 0; i < COUNT(large); i++) {
		struct script s = { .source = str_of(large[i]) };

		ok(script_start(&s, &e) >= 0, "a VM");
		while (s.vm.state == VM_READY)
			vm_slice(&s.vm);
		vm_rest(&s.vm);
		ok(s.vm.state == VM_WAITING && (i == 1 || !s.vm.rest.runs),
		    "a large one waits as it is");
		while (s.vm.state != VM_DONE)
			script_step(&s);
		is_str(buf_text(&s.vm.value), "400000", "and goes on");
		script_done(&s);
	}
}

static void
only_waiting(void)
{
	struct script s = { .source = STR("for (let i = 0; i < 3e6; i++); return 'end'") };

	ok(script_start(&s, &e) >= 0, "a VM");
	vm_rest(&s.vm);
	ok(!s.vm.rest.runs, "one that has not begun does not rest");
	vm_slice(&s.vm);
	ok(s.vm.state == VM_READY, "one that runs");
	vm_rest(&s.vm);
	ok(!s.vm.rest.runs, "does not either");
	while (s.vm.state != VM_DONE)
		script_step(&s);
	is_str(buf_text(&s.vm.value), "\"end\"", "and ends");
	script_done(&s);
}

int
main(void)
{
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	goes_on();
	is_whole();
	ends_at_rest();
	stays_as_it_is();
	only_waiting();
	return tap_done();
}
