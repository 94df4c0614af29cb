/* SPDX-License-Identifier: MIT */
#include "js/fiber.h"

#include "leak.h"
#include "tap.h"

#include <fenv.h>
#include <sys/mman.h>

static struct err e;

/* One fiber and whoever started it. */
struct pair {
	struct fiber back, fiber;
	unsigned turns;
	uintptr_t stack; /* an address on the fiber's stack */
	double sum;
	int rounding;
	struct pair *next;
};

static void
count_turns(void *argument)
{
	struct pair *p = argument;
	char here;

	p->stack = (uintptr_t)&here;
	for (;;) {
		p->turns++;
		fiber_switch(&p->fiber, &p->back);
	}
}

static void
switches(void)
{
	struct pair p = { 0 };

	is_int(fiber_init(&p.fiber, KiB(100), count_turns, &p, &e), 0, "a stack");
	is_int(p.turns, 0, "nothing runs yet");
	fiber_switch(&p.back, &p.fiber);
	is_int(p.turns, 1, "its function runs at the first switch");
	ok(p.stack > (uintptr_t)p.fiber.map + FIBER_GUARD &&
		p.stack < (uintptr_t)p.fiber.map + p.fiber.map_size,
	    "on that stack");
	for (int i = 0; i < 100000; i++)
		fiber_switch(&p.back, &p.fiber);
	is_int(p.turns, 100001, "and goes on where it stopped");
	fiber_done(&p.fiber);
	ok(!p.fiber.map, "given back");
	fiber_done(&p.fiber);
}

static void
sizes(void)
{
	static const size_t rows[] = { 1, KiB(64) - 1, KiB(64), KiB(64) + 1, MiB(1), MiB(12) };
	unsigned before = 0;

	/* A sanitizer makes mappings of its own the first time. */
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		size_t size = rows[i % COUNT(rows)];
		struct pair p = { 0 };

		if (i == COUNT(rows))
			before = leak_maps("");
		if (fiber_init(&p.fiber, size, count_turns, &p, &e) < 0) {
			ok(false, "a stack of %zu: %s", size, e.text);
			continue;
		}
		fiber_switch(&p.back, &p.fiber);
		ok(p.turns == 1 && p.fiber.map_size >= size + FIBER_GUARD &&
			p.fiber.map_size < size + FIBER_GUARD + KiB(64) &&
			p.fiber.map_size % KiB(64) == 0,
		    "a stack of %zu bytes", size);
		fiber_done(&p.fiber);
	}
	is_int(leak_maps(""), before, "no mapping is left");
	{
		struct fiber f = { 0 };

		is_int(fiber_init(&f, (size_t)1 << 50, count_turns, NULL, &e), -ERR_SYS,
		    "a stack too large");
		ok(strstr(e.text, "KiB") && !f.map, "is told: %s", e.text);
	}
}

static void
guards(void)
{
	struct fiber f;

	is_int(fiber_init(&f, KiB(64), count_turns, NULL, &e), 0, "a stack");
	ok(fiber_in_guard(&f, f.map) && fiber_in_guard(&f, f.map + FIBER_GUARD - 1),
	    "the guard is below");
	ok(!fiber_in_guard(&f, f.map + FIBER_GUARD) && !fiber_in_guard(&f, f.map - 1) &&
		!fiber_in_guard(&f, NULL),
	    "and nowhere else");
	ok(msync(f.map, FIBER_GUARD, MS_ASYNC) == 0, "it is mapped");
	fiber_done(&f);
	ok(!fiber_in_guard(&f, NULL), "a fiber that is done has none");
	ok(!fiber_in_guard(&(struct fiber){ 0 }, &f), "neither has the thread's own stack");
}

/* Each passes the processor on to the next, the last one back. */
static void
pass_on(void *argument)
{
	struct pair *p = argument;

	for (;;) {
		p->turns++;
		fiber_switch(&p->fiber, p->next ? &p->next->fiber : &p->back);
	}
}

static void
a_ring(void)
{
	static struct pair p[50];
	struct fiber *back = &p[COUNT(p) - 1].back;
	bool good = true;

	for (size_t i = 0; i < COUNT(p); i++) {
		p[i].next = i + 1 < COUNT(p) ? &p[i + 1] : NULL;
		if (fiber_init(&p[i].fiber, KiB(64), pass_on, &p[i], &e) < 0)
			ok(false, "a stack: %s", e.text);
	}
	for (int round = 0; round < 100; round++)
		fiber_switch(back, &p[0].fiber);
	for (size_t i = 0; i < COUNT(p); i++) {
		good = good && p[i].turns == 100;
		fiber_done(&p[i].fiber);
	}
	ok(good, "fifty fibers in a ring, a hundred times around");
}

/* Values that live in registers, and the rounding mode, over switches. */
static void
compute(void *argument)
{
	struct pair *p = argument;
	double a = 1, b = 2, c = 3, d = 5;
	uint64_t w = 7, x = 11, y = 13, z = 17;

	p->rounding = fegetround();
	fesetround(FE_UPWARD);
	for (int i = 0; i < 1000; i++) {
		a += 0.5;
		b += a;
		c = c * 0.5 + d;
		d += 1;
		w = w * 3 + x;
		x ^= y;
		y += z;
		z = z << 1 | z >> 63;
		fiber_switch(&p->fiber, &p->back);
	}
	p->sum = a + b + c + d + (double)((w ^ x ^ y ^ z) & 0xffff);
	p->turns = fegetround() == FE_UPWARD;
	for (;;)
		fiber_switch(&p->fiber, &p->back);
}

static void
keeps_registers(void)
{
	struct pair p = { .rounding = -1 }, q = { .rounding = -1 };

	fesetround(FE_TONEAREST);
	if (fiber_init(&p.fiber, KiB(64), compute, &p, &e) < 0 ||
	    fiber_init(&q.fiber, KiB(64), compute, &q, &e) < 0)
		ok(false, "two stacks: %s", e.text);
	for (int i = 0; i < 1001; i++) {
		fiber_switch(&p.back, &p.fiber);
		fiber_switch(&q.back, &q.fiber);
	}
	ok(p.sum > 0 && p.sum == q.sum, "two that compute by turns get the same");
	ok(p.turns && q.turns, "each keeps its rounding mode");
	is_int(fegetround(), FE_TONEAREST, "so do we");
	is_int(p.rounding, FE_TONEAREST, "a new one begins with the usual");
	fiber_done(&p.fiber);
	fiber_done(&q.fiber);
}

/* Deep calls and large frames on a small stack of its own. */
static attr_noinline uint64_t
deep(volatile char *above, unsigned levels)
{
	volatile char frame[512];

	frame[0] = (char)levels;
	frame[511] = above ? above[0] : 0;
	return levels ? deep(frame, levels - 1) + (unsigned char)frame[511] % 2 : 1;
}

static void
go_deep(void *argument)
{
	struct pair *p = argument;

	for (;;) {
		p->sum += (double)deep(NULL, 200);
		fiber_switch(&p->fiber, &p->back);
	}
}

static void
uses_its_stack(void)
{
	struct pair p = { 0 };

	if (fiber_init(&p.fiber, KiB(512), go_deep, &p, &e) < 0)
		ok(false, "a stack: %s", e.text);
	for (int i = 0; i < 100; i++)
		fiber_switch(&p.back, &p.fiber);
	ok(p.sum > 0, "two hundred calls deep, a hundred times");
	fiber_done(&p.fiber);
}

int
main(void)
{
	switches();
	sizes();
	guards();
	a_ring();
	keeps_registers();
	uses_its_stack();
	return tap_done();
}
