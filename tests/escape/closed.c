/* SPDX-License-Identifier: MIT */
/*
 * closed HOW WHAT PID TCP UDP SHM FOLDER NAME HOST: closes itself as crisol-js does (HOW "js"),
 * or does not (HOW "open"), then does WHAT and answers on descriptor 3, a line a result.
 *
 *	walls	every attempt of attempts.def: "name errno"
 *	sweep	every system call that js may not make, with arguments that are nothing: "number
 * errno" probe	the list that people can run: "name reached errno" int80, x32	one call through
 * another door; should not survive it stay	reads descriptor 3 until it closes
 *
 * The report comes first, between "report" and "end".
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "canary.h"
#include "fault.h"
#include "filter_alone.h"
#include "filter_client.h"
#include "sandbox/enter.h"
#include "sandbox/probe.h"
#include "sweep.h"

#define ANSWER      3
#define ANSWER_MAX  KiB(64)
#define DATA_LIMIT  GiB(1)
#define X32_BIT     0x40000000
#define NR_I386_PID 20

static struct buf answer;

static void
give(void)
{
	struct err e;

	if (fd_write_all(ANSWER, buf_str(&answer), &e) < 0)
		_exit(3);
	buf_reset(&answer);
}

static void
do_walls(const struct canary *c)
{
	for (size_t i = 0; i < attempt_count; i++)
		buf_addf(&answer, "%s %d\n", attempts[i].name, attempts[i].run(c));
}

static void
do_sweep(const struct canary *c)
{
	(void)c;
	for (int nr = 0; nr < SWEEP_END; nr++) {
		if (sweep_allowed(nr))
			continue;
		errno = 0;
		if (syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L) >= 0)
			errno = 0;
		buf_addf(&answer, "%d %d\n", nr, errno);
	}
}

static void
do_probe(const struct canary *c)
{
	size_t count;
	const struct sandbox_attempt *list = sandbox_probe_list(&count);

	(void)c;
	for (size_t i = 0; i < count; i++) {
		struct sandbox_result r = sandbox_probe(&list[i]);

		buf_addf(&answer, "%s %d %d\n", list[i].name, r.reached, r.sys);
	}
}

static void
do_int80(const struct canary *c)
{
	long r = NR_I386_PID;

	(void)c;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
#endif
	buf_addf(&answer, "survived %ld\n", r);
}

static void
do_x32(const struct canary *c)
{
	(void)c;
	buf_addf(&answer, "survived %ld\n", syscall(SYS_getpid | X32_BIT));
}

static void
do_stay(const struct canary *c)
{
	char byte;

	(void)c;
	buf_addf(&answer, "here %d\n", (int)getpid());
	give();
	while (read(ANSWER, &byte, 1) > 0)
		;
}

/* Does not notice that nobody is there any more. */
static void
do_linger(const struct canary *c)
{
	(void)c;
	buf_addf(&answer, "here %d\n", (int)getpid());
	give();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_sec = 20 }, NULL);
}

static const struct {
	const char *name;
	void (*run)(const struct canary *c);
} works[] = {
	{ "walls", do_walls },
	{ "sweep", do_sweep },
	{ "probe", do_probe },
	{ "int80", do_int80 },
	{ "x32", do_x32 },
	{ "stay", do_stay },
	{ "linger", do_linger },
};

static int
read_canary(char **argv, struct canary *c)
{
	uint64_t n[4];

	for (int i = 0; i < 4; i++)
		if (!str_u64(str_of(argv[i]), UINT32_MAX, &n[i]))
			return -1;
	*c = (struct canary){ .pid = (int)n[0],
		.tcp = (int)n[1],
		.udp = (int)n[2],
		.shm = (unsigned)n[3] };
	snprintf(c->folder, sizeof(c->folder), "%s", argv[4]);
	snprintf(c->name, sizeof(c->name), "%s", argv[5]);
	snprintf(c->host, sizeof(c->host), "%s", argv[6]);
	return 0;
}

/* tool: the person's ids and file tree, under rules; client: that, and TCP. */
static const struct rlimit_row own_limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_NOFILE, 64 } };
#define OWN_WANT      \
	(LAYERS_ALL & \
	    ~(LAYERS_NAMESPACES | LAYER_BIT(root) | LAYER_BIT(ids) | LAYER_BIT(cgroup)))

static const struct sandbox_profile closed_tool = {
	.name = "tool",
	.self_closing = true,
	.open_tree = true,
	.person_id = true,
	.want = OWN_WANT,
	.must = LAYER_BIT(landlock) | LAYER_BIT(seccomp),
	.filter = &filter_alone,
	.limits = own_limits,
	.limit_count = COUNT(own_limits),
};

static const struct sandbox_profile closed_client = {
	.name = "client",
	.self_closing = true,
	.open_tree = true,
	.person_id = true,
	.tcp = true,
	.want = OWN_WANT & ~LAYER_BIT(landlock_net),
	.must = LAYER_BIT(landlock) | LAYER_BIT(seccomp),
	.filter = &filter_client,
	.limits = own_limits,
	.limit_count = COUNT(own_limits),
};

static const struct sandbox_profile *
profile_of(const char *how)
{
	if (strcmp(how, "tool") == 0)
		return &closed_tool;
	return strcmp(how, "client") == 0 ? &closed_client : &sandbox_profiles[PROFILE_js];
}

static void
close_up(const char *how, const struct canary *c)
{
	const struct sandbox_profile *profile = profile_of(how);
	const struct rlimit_row data = { RLIMIT_DATA, DATA_LIMIT };
	struct sandbox_enter_opts opts = { .limits = &data, .limit_count = 1 };
	char drop[CANARY_PATH_MAX + 8];
	const struct landlock_rule rules[] = {
		{ .path = c->folder, .access = LANDLOCK_READ },
		{ .path = drop, .access = LANDLOCK_FILL },
	};
	struct sandbox_report report;
	struct err e = { 0 };
	long call;
	int r;

	snprintf(drop, sizeof(drop), "%s/drop", c->folder);
	if (profile->open_tree) {
		opts.rules = rules;
		opts.rule_count = COUNT(rules);
	}
	fault_order_from_env();
	fault_arm();
	r = sandbox_enter(profile, &opts, &report, &e);
	fault_disarm();
	if (r < 0)
		buf_addf(&answer, "failed %d %s\n", e.sys, e.text);
	else
		sandbox_report_write(&report, &answer);
	buf_addf(&answer, "end\n");
	if (fault_hit(&call))
		buf_addf(&answer, "fault %ld\n", call);
	give();
	if (r < 0)
		_exit(2);
}

int
main(int argc, char **argv)
{
	struct canary c;

	answer = buf_max(ANSWER_MAX);
	if (argc != 10 || read_canary(argv + 3, &c) < 0)
		return 2;
	attempts_prepare();
	if (strcmp(argv[1], "open") != 0)
		close_up(argv[1], &c);
	for (size_t i = 0; i < COUNT(works); i++)
		if (strcmp(argv[2], works[i].name) == 0)
			works[i].run(&c);
	give();
	return 0;
}
