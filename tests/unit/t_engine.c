/* SPDX-License-Identifier: MIT */
/*
 * An engine that does what it likes: absurd arguments to every import and host function, and a
 * linear memory in which words change at random. The VM may end in any way; this process and the
 * next VM must not notice.
 */
#include "js/guest.h"
#include "js/vm.h"

#include "script.h"
#include "tap.h"

#define CORRUPTIONS 2000

static struct err e;

static bool
clean_run(void)
{
	struct script s = { .source =
				STR("text('still here'); return [1, 2].map(x => x * 2)") };
	bool good;

	script_run(&s);
	good = s.outcome == VM_OK && strcmp(buf_text(&s.vm.value), "[2,4]") == 0;
	script_done(&s);
	return good;
}

/* ---- addresses ---- */

static unsigned wrong;

static void
check(bool good)
{
	wrong += !good;
}

static void
look_at_addresses(struct vm *vm, struct str text)
{
	struct engine *g = vm->engine;
	uint32_t size = (uint32_t)g->inst.w2c_memory.size; /* of 64 bits in newer wabt */
	char before;

	(void)text;
	check(guest_bytes(g, 0, 0).p != NULL);
	check(guest_bytes(g, 0, size).n == size);
	check(guest_bytes(g, size, 0).p != NULL);
	check(guest_bytes(g, size - 1, 1).n == 1);
	check(!guest_bytes(g, size - 1, 2).p);
	check(!guest_bytes(g, size, 1).p);
	check(!guest_bytes(g, size + 1, 0).p);
	check(!guest_bytes(g, UINT32_MAX, 0).p);
	check(!guest_bytes(g, UINT32_MAX, UINT32_MAX).p);
	check(!guest_bytes(g, 0, (uint64_t)size + 1).p);
	check(!guest_bytes(g, 1, UINT64_MAX).p);
	check(!guest_bytes(g, 0, UINT64_MAX).p);
	check(!guest_random(g, size - 3, 4));
	check(!guest_random(g, UINT32_MAX, 1));
	check(guest_random(g, size, 0));
	before = (char)g->inst.w2c_memory.data[size - 1];
	check(guest_random(g, size - 1, 1));
	g->inst.w2c_memory.data[size - 1] = (uint8_t)before;
	check(guest_put(g, (struct str){ "x", (size_t)UINT32_MAX }) == 0);
	check(guest_put(g, (struct str){ "x", (size_t)UINT32_MAX + 5 }) == 0);
}

static void
addresses(void)
{
	struct script s = { .source = STR("text(''); return 1"), .on_text = look_at_addresses };

	wrong = 0;
	script_run(&s);
	ok(s.outcome == VM_OK && wrong == 0, "only what is inside the memory is looked at");
	script_done(&s);
}

/* ---- imports with absurd arguments ---- */

static const uint32_t numbers[] = { 0, 1, 2, 7, 8, 9, 64, 4096, 65535, 65536, 0x100000,
	0x1000000, 0x7ffffffc, 0x7fffffff, 0x80000000u, 0xfffffff0u, 0xfffffffcu, UINT32_MAX };

static uint64_t seed;

static uint64_t
chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Any number, with a liking for the edges and for the end of the memory. */
static uint32_t
any_number(const struct engine *g)
{
	uint32_t size = (uint32_t)g->inst.w2c_memory.size; /* of 64 bits in newer wabt */

	switch (chance() % 4) {
	case 0:
		return (uint32_t)chance() % size;
	case 1:
		return size - 4 + (uint32_t)(chance() % 8);
	case 2:
		return (uint32_t)chance();
	default:
		return numbers[chance() % COUNT(numbers)];
	}
}

enum import {
	IMPORT_HOST_CALL,
	IMPORT_REJECTION,
	IMPORT_CLOCK,
	IMPORT_RANDOM,
	IMPORT_INTERRUPT,
	IMPORT_GROW,
	IMPORT_HOST_FUNCTION,
	IMPORT_COUNT
};

static enum import import;

static const char *const host_names[] = { "text", "now", "random", "wake", "encode", "decode",
	"settle", "kind", "target", "source", "load", "compile", "", "nothing" };

/* Calls it as the engine would; what comes back is of no interest. */
static void
call_import(struct vm *vm, struct str text)
{
	struct engine *g = vm->engine;
	handle arguments[8];
	void *self = g;

	(void)text;
	for (size_t i = 0; i < COUNT(arguments); i++)
		arguments[i] = any_number(g);
	switch (import) {
	case IMPORT_HOST_CALL:
		QJS_ENV(host_call)(self, any_number(g), any_number(g), any_number(g),
		    any_number(g), any_number(g));
		break;
	case IMPORT_REJECTION:
		QJS_ENV(
		    host_promise_rejection)(self, any_number(g), any_number(g), any_number(g));
		break;
	case IMPORT_CLOCK:
		QJS_WASI(clock_time_get)(self, any_number(g), chance(), any_number(g));
		break;
	case IMPORT_RANDOM:
		QJS_WASI(random_get)(self, any_number(g), any_number(g));
		break;
	case IMPORT_INTERRUPT:
		QJS_ENV(host_interrupt)(self);
		break;
	case IMPORT_GROW:
		wasm_rt_grow_memory(&g->inst.w2c_memory, any_number(g));
		break;
	case IMPORT_HOST_FUNCTION:
	case IMPORT_COUNT:
		guest_host_call(g, str_of(host_names[chance() % COUNT(host_names)]), arguments,
		    (uint32_t)(chance() % 9));
		break;
	}
	engine_host(g);
}

/* The prelude calls host.text again while it is in it; the test's own call comes once. */
static void
call_one(struct vm *vm, struct str text)
{
	struct script *s = container_of(vm, struct script, vm);

	if (s->number++ == 0)
		call_import(vm, text);
}

static void
absurd_arguments(void)
{
	static const char *const names[] = {
		[IMPORT_HOST_CALL] = "host_call",
		[IMPORT_REJECTION] = "host_promise_rejection",
		[IMPORT_CLOCK] = "clock_time_get",
		[IMPORT_RANDOM] = "random_get",
		[IMPORT_INTERRUPT] = "host_interrupt",
		[IMPORT_GROW] = "memory growth",
		[IMPORT_HOST_FUNCTION] = "a host function",
	};

	seed = 88172645463325252ull;
	for (import = 0; import < IMPORT_COUNT; import++) {
		unsigned ends[VM_OUTCOMES] = { 0 };

		for (int i = 0; i < 300; i++) {
			struct script s = {
				.source = STR("text(''); return [1, 'a', {}]"),
				.on_text = call_one,
				.timeout_ms = 20,
			};

			script_run(&s);
			ends[s.outcome]++;
			script_done(&s);
		}
		ok(clean_run(), "%s with any arguments: %u fine, %u crashed, %u others",
		    names[import], ends[VM_OK], ends[VM_CRASHED],
		    300 - ends[VM_OK] - ends[VM_CRASHED]);
	}
}

/* ---- a memory that is not what it was ---- */

/* Words change, in all of it or where the engine's own structures are. */
static void
corrupt(struct vm *vm, struct str text)
{
	struct engine *g = vm->engine;
	wasm_rt_memory_t *m = &g->inst.w2c_memory;
	uint32_t places[] = { g->image->entry, g->image->runtime, g->image->context,
		g->inst.STACK_POINTER, 0 };
	unsigned n = chance() % 4 ? 1 : (unsigned)(chance() % 40);

	(void)text;
	if (chance() % 8)
		return;
	for (unsigned i = 0; i < n; i++) {
		uint32_t near = places[chance() % COUNT(places)];
		uint32_t at =
		    near ? near - 512 + (uint32_t)(chance() % 1024) : (uint32_t)chance();
		uint32_t word = any_number(g);

		at %= (uint32_t)m->size - 4;
		memcpy(m->data + at, &word, 1 + chance() % 4);
	}
}

static const char busy[] =
    "const keep = []; for (let i = 0; i < 20; i++) {"
    " text('x' + i); keep.push({ i, s: 'v' + i, f: () => i, r: /a+/g, m: new Map([[i, [i]]]) "
    "});"
    " JSON.parse(JSON.stringify(keep.map(k => k.s))); keep.sort((a, b) => b.i - a.i);"
    " new Uint8Array(1000).fill(i); 'abc'.repeat(i).split('b').join(keep[0].s); await i; }"
    " return keep.map(k => k.f())";

static void
changed_memory(void)
{
	unsigned ends[VM_OUTCOMES] = { 0 }, lost = 0;

	seed = 0x9e3779b97f4a7c15ull;
	for (unsigned i = 0; i < CORRUPTIONS; i++) {
		struct script s = { .source = str_of(busy),
			.on_text = corrupt,
			.timeout_ms = 20 };

		script_run(&s);
		ends[s.outcome]++;
		script_done(&s);
		if (i % 50 == 49)
			lost += !clean_run();
	}
	for (int o = 0; o < VM_OUTCOMES; o++)
		printf("# outcome %d: %u\n", o, ends[o]);
	is_int(lost, 0, "two thousand VMs whose memory changed while they ran");
	ok(ends[VM_CRASHED] > 100, "many of them crashed: %u", ends[VM_CRASHED]);
}

/* ---- an image that is not what it was ---- */

static void
wrong_images(void)
{
	struct image_head head = *script_engine.image;
	const struct image_head *whole = script_engine.image;
	unsigned ended = 0;

	seed = 362436069;
	script_engine.image = &head;
	for (unsigned i = 0; i < 100; i++) {
		struct script s = { .source = STR("return 1"), .timeout_ms = 20 };

		head = *whole;
		head.entry = (uint32_t)chance();
		if (i % 2)
			head.undefined = (uint32_t)chance();
		if (i % 3 == 0)
			head.stack_pointer = (uint32_t)chance();
		script_run(&s);
		script_done(&s);
		ended++;
	}
	script_engine.image = whole;
	is_int(ended, 100, "handles and a stack pointer that are anything");
	ok(clean_run(), "the right ones work again");
}

int
main(void)
{
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	addresses();
	absurd_arguments();
	changed_memory();
	wrong_images();
	return tap_done();
}
