/* SPDX-License-Identifier: MIT */
/*
 * The compiled filter of js, run by an interpreter of our own: every number, other architectures,
 * and the rows that look at arguments. Also the same table compiled for aarch64.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "filter_js.h"
#include "filter_js_aarch64.h"
#include "tap.h"

#include "../escape/sweep.h"

#define ALLOW    SECCOMP_RET_ALLOW
#define KILL     SECCOMP_RET_KILL_PROCESS
#define DENY     (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT   (SECCOMP_RET_ERRNO | ENOSYS)
#define BROKEN   0xdead0000U /* the program did something the interpreter does not know */

#define ANY_ARGS { 0, 0, 0, 0, 0, 0 }

static uint32_t
jump(const struct sock_filter *i, uint32_t a)
{
	bool yes = false;

	switch (BPF_OP(i->code)) {
	case BPF_JA:
		return i->k;
	case BPF_JEQ:
		yes = a == i->k;
		break;
	case BPF_JGE:
		yes = a >= i->k;
		break;
	case BPF_JGT:
		yes = a > i->k;
		break;
	case BPF_JSET:
		yes = a & i->k;
		break;
	default:
		return BROKEN;
	}
	return yes ? i->jt : i->jf;
}

static uint32_t
run(const struct seccomp_filter *f, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t at = 0; at < f->count; at++) {
		const struct sock_filter *i = &f->code[at];

		if (i->code == (BPF_LD | BPF_W | BPF_ABS) && i->k + 4 <= sizeof(*data))
			memcpy(&a, (const char *)data + i->k, sizeof(a));
		else if (i->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= i->k;
		else if (i->code == (BPF_RET | BPF_K))
			return i->k;
		else if (BPF_CLASS(i->code) == BPF_JMP)
			at += jump(i, a);
		else
			return BROKEN;
	}
	return BROKEN;
}

static uint32_t
ask(int nr, uint32_t arch, const uint64_t *args)
{
	struct seccomp_data data = { .nr = nr, .arch = arch };

	memcpy(data.args, args, sizeof(data.args));
	return run(&filter_js, &data);
}

static const struct {
	int nr;
	uint64_t args[6];
	uint32_t verdict;
	const char *text;
} rows[] = {
	{ SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS }, ALLOW,
	    "memory" },
	{ SYS_mmap, { 0, 4096, PROT_READ, MAP_PRIVATE, 5 }, ALLOW, "a sealed body" },
	{ SYS_mmap, { 0, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE }, ALLOW,
	    "a reservation" },
	{ SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS }, DENY,
	    "code" },
	{ SYS_mmap, { 0, 4096, PROT_EXEC, MAP_PRIVATE, 5 }, DENY, "code from a file" },
	{ SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS }, DENY,
	    "shared memory" },
	{ SYS_mmap, { 0, 4096, PROT_READ, MAP_SHARED, 5 }, DENY, "a shared file" },
	{ SYS_mmap, { 0, 4096, PROT_READ, MAP_SHARED_VALIDATE, 5 }, DENY,
	    "a shared file, validated" },
	{ SYS_mprotect, { 0, 4096, PROT_READ | PROT_WRITE }, ALLOW, "memory comes alive" },
	{ SYS_mprotect, { 0, 4096, PROT_READ | PROT_EXEC }, DENY, "memory becomes code" },
	{ SYS_madvise, { 0, 4096, MADV_DONTNEED }, ALLOW, "memory given back" },
	{ SYS_madvise, { 0, 4096, 100 /* MADV_HWPOISON */ }, DENY, "memory spoiled" },
	{ SYS_madvise, { 0, 4096, 12 /* MADV_MERGEABLE */ }, DENY,
	    "memory compared with others'" },
	{ SYS_fcntl, { 3, F_GETFL }, ALLOW, "is it open" },
	{ SYS_fcntl, { 3, F_GETFD }, ALLOW, "is it open" },
	{ SYS_fcntl, { 3, F_SETFL, O_ASYNC }, DENY, "signals from a descriptor" },
	{ SYS_fcntl, { 3, F_SETOWN, 1 }, DENY, "signals to others" },
	{ SYS_fcntl, { 3, F_DUPFD }, DENY, "a copy of a descriptor" },
	{ SYS_fcntl, { 3, 1033 /* F_ADD_SEALS */ }, DENY, "seals" },
	{ SYS_fcntl, { 3, UINT64_C(0x100000003) }, DENY, "a command with bits above" },
	{ SYS_futex, { 0, 0 }, ALLOW, "wait" },
	{ SYS_futex, { 0, 128 | 1 }, ALLOW, "wake, private" },
	{ SYS_futex, { 0, 12 /* FUTEX_CMP_REQUEUE_PI */ }, DENY, "requeue with inheritance" },
	{ SYS_futex, { 0, 6 /* FUTEX_LOCK_PI */ }, DENY, "lock with inheritance" },
	{ SYS_tgkill, { 1, 1, 6 }, DENY, "a signal to itself" },
	{ SYS_clone3, ANY_ARGS, ABSENT, "a new way to make processes" },
	{ SYS_openat2, ANY_ARGS, ABSENT, "a new way to open" },
	{ SYS_openat, ANY_ARGS, DENY, "an old way to open" },
};

static void
check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		ok(ask(rows[i].nr, AUDIT_ARCH_X86_64, rows[i].args) == rows[i].verdict,
		    "%s: %s", rows[i].verdict == ALLOW ? "allowed" : "refused", rows[i].text);
}

/* A call with conditions counts as allowed here when some argument makes it so. */
static bool
allowed_somehow(int nr)
{
	static const uint64_t none[6];

	if (ask(nr, AUDIT_ARCH_X86_64, none) == ALLOW)
		return true;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].nr == nr && rows[i].verdict == ALLOW)
			return true;
	return false;
}

static void
check_numbers(void)
{
	static const uint64_t ones[6] = { ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL };
	unsigned wrong = 0;

	for (int nr = 0; nr < 1024; nr++) {
		uint32_t verdict = ask(nr, AUDIT_ARCH_X86_64, ones);
		bool listed = sweep_allowed(nr) && !SWEEP_PROBES(nr);
		bool good = listed ? allowed_somehow(nr)
				   : verdict == (nr < SWEEP_ENOSYS ? DENY : ABSENT);

		if (!good)
			printf("# call %d answers %08x\n", nr, verdict);
		wrong += !good;
	}
	is_int(wrong, 0, "1,024 numbers answer as the list says");
}

static void
check_doors(void)
{
	static const uint64_t none[6];

	ok(ask(SYS_read, AUDIT_ARCH_I386, none) == KILL, "32 bit dies");
	ok(ask(SYS_read, AUDIT_ARCH_AARCH64, none) == KILL, "another machine dies");
	ok(ask(SYS_read, 0, none) == KILL, "no machine dies");
	for (int nr = 0; nr < 600; nr += 13)
		if (ask(nr | 0x40000000, AUDIT_ARCH_X86_64, none) != KILL)
			ok(false, "x32 call %d dies", nr);
	ok(ask(-1, AUDIT_ARCH_X86_64, none) != ALLOW, "call -1 is not allowed");
	ok(ask(INT32_MIN, AUDIT_ARCH_X86_64, none) != ALLOW, "nor is the lowest number");
}

static void
check_aarch64(void)
{
	/* read, write and exit_group there; openat, clone, mmap of code, an unknown number. */
	static const struct {
		int nr;
		uint64_t args[6];
		uint32_t verdict;
	} there[] = {
		{ 63, ANY_ARGS, ALLOW },
		{ 64, ANY_ARGS, ALLOW },
		{ 94, ANY_ARGS, ALLOW },
		{ 222, { 0, 1, PROT_READ, MAP_PRIVATE }, ALLOW },
		{ 222, { 0, 1, PROT_EXEC, MAP_PRIVATE }, DENY },
		{ 56, ANY_ARGS, DENY },
		{ 220, ANY_ARGS, DENY },
		{ 437, ANY_ARGS, ABSENT },
	};

	for (size_t i = 0; i < COUNT(there); i++) {
		struct seccomp_data data = { .nr = there[i].nr, .arch = AUDIT_ARCH_AARCH64 };

		memcpy(data.args, there[i].args, sizeof(data.args));
		ok(run(&filter_js_aarch64, &data) == there[i].verdict, "aarch64: call %d",
		    there[i].nr);
		data.arch = AUDIT_ARCH_X86_64;
		ok(run(&filter_js_aarch64, &data) == KILL, "aarch64: call %d of x86-64 dies",
		    there[i].nr);
	}
}

int
main(void)
{
	ok(filter_js.count > 20 && filter_js.count < 400, "%u instructions", filter_js.count);
	check_rows();
	check_numbers();
	check_doors();
	check_aarch64();
	return tap_done();
}
