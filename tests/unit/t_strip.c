/* SPDX-License-Identifier: MIT */
/* The compiler of TypeScript in its VM, and a script's VM that waits for it. */
#include "script.h"

#include "leak.h"
#include "tap.h"

static struct err e;
static unsigned asked;

static void
on_strip(struct vm *vm)
{
	(void)vm;
	asked++;
}

static void
drop_text(struct vm *vm, struct str text)
{
	(void)vm;
	(void)text;
}

static const struct vm_events nothing;
static const struct vm_events events = { drop_text, script_drop_call, script_drop_progress,
	on_strip };

static bool
start(struct vm *vm, const char *source, enum language language)
{
	struct vm_job job = {
		.source = str_of(source),
		.language = language,
		.timeout_ns = 10 * NS_PER_S,
		.memory_bytes = SCRIPT_MEMORY,
		.stack_bytes = SCRIPT_STACK,
	};

	asked = 0;
	return vm_init(vm, &script_engine, &job, &events, &e) >= 0;
}

static bool
start_compiler(struct vm *vm, struct str source, uint32_t memory, uint64_t cpu)
{
	struct vm_job job = {
		.source = source,
		.strip = true,
		.cpu_ns = cpu,
		.memory_bytes = memory,
		.stack_bytes = STRIP_STACK_BYTES,
	};

	return vm_init(vm, &script_engine, &job, &nothing, &e) >= 0;
}

static void
drive(struct vm *vm)
{
	while (vm->state == VM_READY)
		vm_slice(vm);
}

/* A script, with the compiler where it asks for one; what it came to. */
static void
comes_to(const char *source, enum language language, unsigned asks, enum vm_outcome outcome,
    const char *text)
{
	struct vm vm, compiler;
	const struct buf *got;

	if (!ok(start(&vm, source, language), "a VM for %.40s", source))
		return;
	drive(&vm);
	ok(asked == asks, "it asks for the compiler %u times", asks);
	if (asked) {
		is_int(vm.state, VM_WAITING, "and waits for it");
		vm_rest(&vm);
		ok(start_compiler(&compiler, buf_str(&vm.source), STRIP_MEMORY_BYTES, 0),
		    "a VM for the compiler");
		drive(&compiler);
		vm_stripped(&vm, &compiler);
		vm_done(&compiler);
		drive(&vm);
	}
	is_int(vm.state, VM_DONE, "then it is done");
	ok(vm.outcome == outcome, "as outcome %d", (int)outcome);
	got = outcome == VM_OK ? &vm.value : &vm.error;
	ok(memmem(got->p, got->n, text, strlen(text)) != NULL, "with %s: %s", text,
	    buf_text(got));
	vm_done(&vm);
}

static void
scripts(void)
{
	comes_to("return 1", LANGUAGE_AUTO, 0, VM_OK, "1");
	comes_to("return 1", LANGUAGE_JS, 0, VM_OK, "1");
	comes_to("return 1", LANGUAGE_TS, 1, VM_OK, "1");
	comes_to("const x: number = 2; x", LANGUAGE_AUTO, 1, VM_OK, "2");
	comes_to("const x: number = 2; return x", LANGUAGE_AUTO, 1, VM_OK, "2");
	comes_to("const x: number = 2; x", LANGUAGE_JS, 0, VM_ERROR, "SyntaxError");
	comes_to("const x: = 2", LANGUAGE_AUTO, 1, VM_ERROR, "(read as TypeScript)");
	comes_to("const x = ;", LANGUAGE_AUTO, 1, VM_ERROR,
	    "tried as JavaScript and as TypeScript");
	comes_to("const x: number = 1;\nnope", LANGUAGE_AUTO, 1, VM_ERROR,
	    "\"line\":2,\"column\":1");
	comes_to("null.x", LANGUAGE_AUTO, 0, VM_ERROR, "cannot read property");
	comes_to("throw new SyntaxError('mine')", LANGUAGE_AUTO, 0, VM_ERROR, "mine");
	comes_to("eval('let x: number')", LANGUAGE_AUTO, 0, VM_ERROR, "SyntaxError");
}

/* What the compiler ends as becomes an error of the script. */
static void
limits(void)
{
	static char large[400000];
	struct vm vm, compiler;
	static const struct {
		uint32_t memory;
		uint64_t cpu;
		const char *text;
	} rows[] = {
		{ MiB(1), 0, "too much memory" },
		{ STRIP_MEMORY_BYTES, NS_PER_MS, "too long" },
	};

	memset(large, ';', sizeof(large) - 1);
	memcpy(large, "let x: 1", 8);
	for (size_t i = 0; i < COUNT(rows); i++) {
		ok(start(&vm, large, LANGUAGE_TS), "a VM");
		drive(&vm);
		ok(start_compiler(&compiler, buf_str(&vm.source), rows[i].memory, rows[i].cpu),
		    "a compiler");
		drive(&compiler);
		ok(compiler.state == VM_DONE && compiler.outcome != VM_OK,
		    "it ends at its limit");
		vm_stripped(&vm, &compiler);
		vm_done(&compiler);
		drive(&vm);
		ok(vm.outcome == VM_ERROR &&
			memmem(vm.error.p, vm.error.n, rows[i].text, strlen(rows[i].text)),
		    "the script ends with %s: %s", rows[i].text, buf_text(&vm.error));
		ok(memmem(vm.error.p, vm.error.n, "TOO_LARGE", 9) != NULL, "as TOO_LARGE");
		vm_done(&vm);
	}
}

/* An answer may come while the script's VM has its turn, and a stop at any time. */
static void
turns(void)
{
	struct vm vm;

	ok(start(&vm, "return 1", LANGUAGE_TS), "a VM");
	drive(&vm);
	vm_not_stripped(&vm, "no room");
	is_int(vm.state, VM_READY, "it hears that there is none");
	drive(&vm);
	ok(vm.outcome == VM_ERROR && memmem(vm.error.p, vm.error.n, "no room", 7) != NULL,
	    "and says so: %s", buf_text(&vm.error));
	vm_done(&vm);
	ok(start(&vm, "return 1", LANGUAGE_TS), "a VM");
	drive(&vm);
	vm_stop(&vm, VM_CANCELLED);
	is_int(vm.outcome, VM_CANCELLED, "it is stopped while it waits");
	vm_done(&vm);
}

/* The compiler's VM has nothing of a script's host. */
static void
closed(void)
{
	size_t heap = leak_heap();
	unsigned maps = leak_maps("");

	for (int i = 0; i < 20; i++) {
		struct vm compiler;

		if (!start_compiler(&compiler, STR("let x: number = 1"), STRIP_MEMORY_BYTES, 0))
			ok(false, "%s", e.text);
		drive(&compiler);
		if (i == 0) {
			heap = leak_heap();
			is_str(buf_text(&compiler.value), "let x         = 1",
			    "it takes types out");
		}
		vm_done(&compiler);
		if (i == 0) {
			maps = leak_maps("");
			heap = leak_heap();
		}
	}
	ok(leak_heap() <= heap && leak_maps("") == maps, "nothing of it is left");
}

int
main(void)
{
	if (!script_setup(&e)) {
		ok(false, "the engine: %s", e.text);
		return tap_done();
	}
	scripts();
	limits();
	turns();
	closed();
	return tap_done();
}
