/* SPDX-License-Identifier: MIT */
/*
 * VMs in this process, without the broker and the walls: what one costs to make, use and throw
 * away, and what one costs while it waits.
 *
 *	create	{"init":NS,"run":NS,"done":NS} for each of `count` VMs that run the script
 *	strip	{"ns":NS,"cpu":NS,"faults":N} for each of `count` compilers of TypeScript, made, used for
 *		the source and thrown away
 *	idle	{"state":"waiting"|"resting","private":BYTES,"tables":BYTES}: what `count` VMs that
 *		wait add to this process together, at once and after vm_rest
 */
#include "order.h"

#include "base/clock.h"
#include "base/fd.h"
#include "js/vm.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

#define STACK_BYTES KiB(256)

static void
on_text(struct vm *vm, struct str text)
{
	(void)vm;
	(void)text;
}

static void
on_call(struct vm *vm, uint64_t number, struct str name, struct str input)
{
	(void)vm;
	(void)number;
	(void)name;
	(void)input;
}

static const struct vm_events events = { on_text, on_call, on_text, NULL };

static int
init(struct vm *vm, struct engine *g, const struct order *o, struct err *e)
{
	struct vm_job job = {
		.source = buf_str(&o->source),
		.timeout_ns = o->timeout_ms * NS_PER_MS,
		.memory_bytes = (uint32_t)o->memory_bytes,
		.stack_bytes = STACK_BYTES,
		.strip = str_eq(o->verb, STR("strip")),
	};

	return vm_init(vm, g, &job, &events, e);
}

static int
create(struct engine *g, const struct order *o, struct err *e)
{
	for (uint64_t i = 0; i < o->count; i++) {
		uint64_t start = clock_now(), made, ran;
		enum vm_outcome outcome;
		char line[160];
		struct vm vm;
		int r = init(&vm, g, o, e);

		if (r < 0)
			return r;
		made = clock_now();
		while (vm.state == VM_READY)
			vm_slice(&vm);
		ran = clock_now();
		outcome = vm.state == VM_DONE ? vm.outcome : VM_STALLED;
		vm_done(&vm);
		if (outcome != VM_OK)
			return err_set(e, ERR_INVALID, "the script ended as outcome %d",
			    (int)outcome);
		snprintf(line, sizeof(line), "{\"init\":%llu,\"run\":%llu,\"done\":%llu}",
		    (unsigned long long)(made - start), (unsigned long long)(ran - made),
		    (unsigned long long)(clock_now() - ran));
		order_answer(line);
	}
	return 0;
}

static long
faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

static int
strip(struct engine *g, const struct order *o, struct err *e)
{
	for (uint64_t i = 0; i < o->count; i++) {
		uint64_t start = clock_now(), cpu = clock_cpu();
		long before = faults();
		enum vm_outcome outcome;
		char line[160];
		struct vm vm;
		int r = init(&vm, g, o, e);

		if (r < 0)
			return r;
		while (vm.state == VM_READY)
			vm_slice(&vm);
		outcome = vm.outcome;
		vm_done(&vm);
		if (outcome != VM_OK)
			return err_set(e, ERR_INVALID, "the compiler ended as outcome %d",
			    (int)outcome);
		snprintf(line, sizeof(line), "{\"ns\":%llu,\"cpu\":%llu,\"faults\":%ld}",
		    (unsigned long long)(clock_now() - start),
		    (unsigned long long)(clock_cpu() - cpu), faults() - before);
		order_answer(line);
	}
	return 0;
}

/* The number behind `name` in a file of /proc, which counts in kB; in bytes. */
static int
read_kb(const char *path, const char *name, uint64_t *ret_bytes, struct err *e)
{
	auto_done(buf) struct buf text = buf_max(KiB(64));
	struct str rest;
	int r = fd_slurp_at(AT_FDCWD, path, &text, e);

	if (r < 0)
		return r;
	rest = buf_str(&text);
	while (rest.n) {
		struct str line = str_split(&rest, '\n');
		struct str value;
		uint64_t kb;

		if (!str_starts(line, str_of(name)))
			continue;
		value = str_trim(str_from(line, strlen(name)));
		if (value.n < 3 ||
		    !str_u64((struct str){ value.p, value.n - 3 }, UINT32_MAX, &kb))
			break;
		*ret_bytes = KiB(kb);
		return 0;
	}
	return err_set(e, ERR_NOTFOUND, "%s does not say %s", path, name);
}

struct memory {
	uint64_t private_dirty, tables;
};

static int
measure(struct memory *ret_memory, struct err *e)
{
	int r =
	    read_kb("/proc/self/smaps_rollup", "Private_Dirty:", &ret_memory->private_dirty, e);

	if (r >= 0)
		r = read_kb("/proc/self/status", "VmPTE:", &ret_memory->tables, e);
	return r;
}

/* Makes `count` VMs and runs each to its wait. */
static int
wait_all(struct vm *vms, size_t *ret_made, struct engine *g, const struct order *o,
    struct err *e)
{
	for (*ret_made = 0; *ret_made < o->count;) {
		struct vm *vm = &vms[*ret_made];
		int r = init(vm, g, o, e);

		if (r < 0)
			return r;
		++*ret_made;
		while (vm->state == VM_READY)
			vm_slice(vm);
		if (vm->state != VM_WAITING)
			return err_set(e, ERR_INVALID, "the script does not wait: outcome %d",
			    (int)vm->outcome);
	}
	return 0;
}

static void
answer_growth(const char *state, const struct memory *before, const struct memory *now)
{
	char line[160];

	snprintf(line, sizeof(line), "{\"state\":\"%s\",\"private\":%lld,\"tables\":%lld}",
	    state, (long long)(now->private_dirty - before->private_dirty),
	    (long long)(now->tables - before->tables));
	order_answer(line);
}

static int
idle(struct engine *g, const struct order *o, struct err *e)
{
	auto_free struct vm *vms = xcalloc(o->count, sizeof(*vms));
	struct memory before = { 0 }, waiting = { 0 }, resting = { 0 };
	size_t made = 0;
	int r = measure(&before, e);

	if (r >= 0)
		r = wait_all(vms, &made, g, o, e);
	if (r >= 0)
		r = measure(&waiting, e);
	for (size_t i = 0; i < made; i++)
		vm_rest(&vms[i]);
	if (r >= 0)
		r = measure(&resting, e);
	if (r >= 0) {
		answer_growth("waiting", &before, &waiting);
		answer_growth("resting", &before, &resting);
	}
	while (made)
		vm_done(&vms[--made]);
	return r;
}

static int
obey(struct engine *g, const struct order *o, struct err *e)
{
	int r;

	if (str_eq(o->verb, STR("create")))
		r = create(g, o, e);
	else if (str_eq(o->verb, STR("strip")))
		r = strip(g, o, e);
	else
		r = idle(g, o, e);
	if (r >= 0)
		order_answer(NULL);
	return r;
}

int
main(void)
{
	static struct engine g;
	struct order order;
	struct err e;
	int r = trap_setup(&e);

	if (r >= 0)
		r = engine_open(&g, &e);
	if (r >= 0)
		order_answer(NULL);
	while (r >= 0) {
		r = order_read(&order, &e);
		if (r == 0)
			return 0;
		if (r > 0)
			r = obey(&g, &order, &e);
		order_done(&order);
	}
	fprintf(stderr, "bench-vm: %s\n", e.text);
	return 1;
}
