/* SPDX-License-Identifier: MIT */
/*
 * Guest code that cannot come back by itself, thousands of times in one process: accesses outside
 * the memory, a full native stack, a hard stop. A script's text output is where a test gets to act
 * for the guest: on the VM's stack, in the middle of its run.
 */
#include "js/call.h"
#include "js/vm.h"

#include "leak.h"
#include "script.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECOVERIES 10000
#define RUNS       1000

static struct err e;

/* ---- what a guest could do ---- */

/* Reads where there is no memory: a string of nearly four gibibytes. */
static void
wild_read(struct vm *vm, struct str text)
{
	(void)text;
	q_qjs_new_string(vm->engine, 16, 0xfffffff0u);
}

/* Writes there: the length of a string, to the last word that 32 bits can name. */
static void
wild_write(struct vm *vm, struct str text)
{
	struct engine *g = vm->engine;
	handle h = q_qjs_get_undefined(g);

	(void)text;
	q_qjs_get_string_len(g, h, 0xfffffff0u);
}

/* Frees what was never allocated. */
static void
wild_free(struct vm *vm, struct str text)
{
	(void)text;
	q_wasm_free(vm->engine, 0xffffff00u);
}

/* Takes the script's stack limit away, so that only the native stack is left to end it. */
static void
unlimited(struct vm *vm, struct str text)
{
	(void)text;
	q_qjs_set_max_stack_size(vm->engine, 0);
}

/*
 * The hard stop, at a time when the guest is deep in code that never asks. The end of a slice takes
 * it back, so the script asks for it again and again.
 */
static void
stop_soon(struct vm *vm, struct str text)
{
	(void)vm;
	(void)text;
	trap_timers(clock_now() + 200 * NS_PER_US, 0);
}

/* The hard stop, while host code runs. */
static void
stop_now(struct vm *vm, struct str text)
{
	(void)text;
	trap_timers(1, 0);
	while (!vm->trap.stop)
		;
}

/* A trap instruction of the guest's own. */
static void
trap_code(struct vm *vm, struct str text)
{
	(void)text;
	engine_guest(vm->engine);
	wasm_rt_trap(WASM_RT_TRAP_UNREACHABLE);
}

static void
trap_exhaustion(struct vm *vm, struct str text)
{
	(void)text;
	engine_guest(vm->engine);
	wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
}

static const struct {
	const char *name, *source;
	void (*on_text)(struct vm *vm, struct str text);
	enum vm_outcome outcome;
	uint32_t stack;
} ways[] = {
	{ "a wild read", "text('x'); for (;;);", wild_read, VM_CRASHED, 0 },
	{ "a wild write", "text('x'); for (;;);", wild_write, VM_CRASHED, 0 },
	{ "a wild free", "text('x'); for (;;);", wild_free, VM_CRASHED, 0 },
	{ "a full stack", "text('x'); (function f() { f() })()", unlimited, VM_STACK, KiB(32) },
	{ "a full stack inside the engine", "text('x'); JSON.parse('['.repeat(1e6))", unlimited,
	    VM_STACK, KiB(32) },
	{ "a hard stop", "for (;;) { text('x'); new Array(1e7).join('x') }", stop_soon,
	    VM_CANCELLED, 0 },
	{ "a hard stop of a loop", "for (;;) { text('x'); for (let i = 0; i < 1e6; i++); }",
	    stop_soon, VM_CANCELLED, 0 },
	{ "a stop inside host code", "text('x'); for (;;);", stop_now, VM_CANCELLED, 0 },
	{ "a trap instruction", "text('x'); return 1", trap_code, VM_CRASHED, 0 },
	{ "an exhausted engine", "text('x'); return 1", trap_exhaustion, VM_STACK, 0 },
};

static enum vm_outcome
go(size_t way)
{
	struct script s = {
		.source = str_of(ways[way].source),
		.on_text = ways[way].on_text,
		.stack = ways[way].stack,
	};

	script_run(&s);
	script_done(&s);
	return s.outcome;
}

static bool
clean_run(void)
{
	struct script s = {
		.source = STR("text('still here'); await 1; return { sum: [1, 2, 3].reduce((a, "
			      "b) => a + b) }"),
	};
	bool good;

	script_run(&s);
	good = s.outcome == VM_OK && strcmp(buf_text(&s.vm.value), "{\"sum\":6}") == 0 &&
	       strcmp(buf_text(&s.text), "still here\n") == 0;
	script_done(&s);
	return good;
}

/* ---- the tests ---- */

static void
each_way(void)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		is_int(go(i), ways[i].outcome, ways[i].name);
		ok(clean_run(), "the next script runs");
	}
}

static void
beside_others(void)
{
	struct script other = { .source = STR("let n = 0; while (n < 2e6) n++; return n") };

	if (script_start(&other, &e) < 0)
		ok(false, "a VM: %s", e.text);
	for (size_t i = 0; i < COUNT(ways); i++) {
		if (other.vm.state != VM_DONE)
			script_step(&other);
		is_int(go(i), ways[i].outcome, ways[i].name);
	}
	while (other.vm.state != VM_DONE)
		script_step(&other);
	is_str(buf_text(&other.vm.value), "2000000", "a script beside them notices nothing");
	script_done(&other);
}

static void
thousands(void)
{
	unsigned wrong = 0, lost = 0;

	for (unsigned i = 0; i < RECOVERIES; i++) {
		wrong += go(i % COUNT(ways)) != ways[i % COUNT(ways)].outcome;
		if (i % 100 == 99)
			lost += !clean_run();
	}
	ok(wrong == 0, "%d recoveries in one process, %u of them wrong", RECOVERIES, wrong);
	is_int(lost, 0, "the script after every hundredth runs");
}

/*
 * The kernel's count is off by some pages for each processor. That is no leak; a page a run is, and
 * a quarter of one a run would be seen.
 */
static bool
about(unsigned long after, unsigned long before)
{
	return after <= before + RUNS;
}

static void
no_growth(void)
{
	unsigned fds, maps;
	unsigned long kb, heap;

	for (unsigned i = 0; i < 100; i++) {
		go(i % COUNT(ways));
		clean_run();
	}
	fds = leak_fds();
	maps = leak_maps("");
	heap = leak_heap();
	kb = leak_kb("VmRSS");
	for (unsigned i = 0; i < RUNS; i++) {
		go(i % COUNT(ways));
		if (!clean_run())
			ok(false, "run %u", i);
	}
	is_int(leak_fds(), fds, "a thousand runs leave no descriptor");
	is_int(leak_maps(""), maps, "and no mapping");
	is_int(leak_heap(), heap, "and nothing on the heap");
	ok(SANITIZED || about(leak_kb("VmRSS"), kb),
	    "and resident memory as it was: %lu kB, then %lu kB", kb, leak_kb("VmRSS"));
}

/* A fault that is ours is nobody's to catch. */
static int
status_of(void (*fault)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		fclose(stdout);
		fclose(stderr);
		/* Timers are not inherited. */
		if (trap_setup(&e) < 0)
			_exit(1);
		fault();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
fault_while_idle(void)
{
	volatile uintptr_t nowhere = 16;

	*(volatile char *)nowhere = 1;
}

static void
fault_in_host_code(struct vm *vm, struct str text)
{
	(void)text;
	vm->memory.data[ENGINE_SLOT - 1] = 1;
}

static void
fault_while_hosting(void)
{
	struct script s = { .source = STR("text('x'); return 1"),
		.on_text = fault_in_host_code };

	script_run(&s);
}

static void
dies_of_its_own_faults(void)
{
	is_int(status_of(fault_while_idle), 128 + SIGSEGV,
	    "a fault while no guest runs ends the process");
	is_int(status_of(fault_while_hosting), 128 + SIGSEGV,
	    "so does one in host code, also at the guest's guard");
}

int
main(void)
{
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	each_way();
	beside_others();
	thousands();
	no_growth();
	dies_of_its_own_faults();
	return tap_done();
}
