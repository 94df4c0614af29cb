/* SPDX-License-Identifier: MIT */
/*
 * The n-th system call of the set-up fails, for n = 1 until none does: first on the launcher's
 * side up to the exec, then in the process that closes itself. Whatever comes of it, what the
 * report claims is true as seen from outside or by attempts from inside, what it does not claim
 * has a reason, and nothing is left behind.
 *
 *	t_faults PROGRAM launch|close|close-no-filter
 */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fault.h"
#include "rows.h"

#define CALLS_MAX  2000
#define NAMESPACES 7
#define FAULT_LINE "\nend\nfault "

static struct drive drive;
static struct canary canary;
static struct drive_traces before;

static const int codes[] = { EPERM, ENOSYS, ENOMEM };

static unsigned refused, weaker, unproved, unharmed; /* outcomes of the runs that had a fault */

static ino_t
namespace_of(int pid, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static char *
field(char *text, const char *name)
{
	static char none[] = "?";
	char *at = strstr(text, name);

	return at ? at + strlen(name) : none;
}

static bool
zero(const char *hex)
{
	return strspn(hex, "0 \t") >= 16;
}

static bool
slurp(int pid, const char *file, char *text, size_t room)
{
	char path[64];
	FILE *in;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	in = fopen(path, "r");
	if (in) {
		n = fread(text, 1, room - 1, in);
		fclose(in);
	}
	text[n] = '\0';
	return n > 0;
}

static bool
limited(char *limits, const char *name, unsigned long most)
{
	char *rest;
	unsigned long soft = strtoul(field(limits, name), &rest, 10);

	return soft <= most && strtoul(rest, NULL, 10) <= most;
}

/* Layers that the machine shows to be up, whatever the process says. */
static uint32_t
seen_from_outside(int pid)
{
	static const struct {
		enum sandbox_layer layer;
		const char *name;
	} kinds[NAMESPACES] = {
		{ LAYER_userns, "user" },
		{ LAYER_pidns, "pid" },
		{ LAYER_mntns, "mnt" },
		{ LAYER_netns, "net" },
		{ LAYER_ipcns, "ipc" },
		{ LAYER_utsns, "uts" },
		{ LAYER_cgroupns, "cgroup" },
	};
	static char status[8192], limits[8192], group[8192];
	char path[64];
	unsigned long u[4] = { 0 };
	char *ids;
	uint32_t seen = 0;
	struct stat st;

	for (size_t i = 0; i < NAMESPACES; i++) {
		ino_t theirs = namespace_of(pid, kinds[i].name);

		if (theirs && theirs != namespace_of((int)getpid(), kinds[i].name))
			seen |= 1U << kinds[i].layer;
	}
	if (!slurp(pid, "status", status, sizeof(status)) ||
	    !slurp(pid, "limits", limits, sizeof(limits)) ||
	    !slurp(pid, "cgroup", group, sizeof(group)))
		return seen;
	ids = field(status, "\nUid:");
	for (int i = 0; i < 4; i++)
		u[i] = strtoul(ids, &ids, 10);
	if (u[0] >= USERNS_SLOT_FIRST && u[0] == u[1] && u[0] == u[2] && u[0] == u[3] &&
	    strspn(field(status, "\nGroups:"), " \t\n") > 0 &&
	    field(status, "\nGroups:")[2] == '\n')
		seen |= LAYER_BIT(ids);
	if (zero(field(status, "CapInh:")) && zero(field(status, "CapPrm:")) &&
	    zero(field(status, "CapEff:")) && zero(field(status, "CapAmb:")) &&
	    zero(field(status, "CapBnd:")))
		seen |= LAYER_BIT(caps);
	if (strncmp(field(status, "NoNewPrivs:"), "\t1", 2) == 0)
		seen |= LAYER_BIT(nnp);
	if (strncmp(field(status, "Seccomp:"), "\t2", 2) == 0)
		seen |= LAYER_BIT(seccomp);
	if (limited(limits, "Max core file size", 0) && limited(limits, "Max processes", 0) &&
	    limited(limits, "Max open files", 64) && limited(limits, "Max file size", 0))
		seen |= LAYER_BIT(rlimits);
	if (strstr(group, drive.host.group.owner))
		seen |= LAYER_BIT(cgroup);
	/* Files of /proc belong to root when a process is not dumpable. */
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	if (stat(path, &st) == 0 && st.st_uid == 0 && u[0] != 0)
		seen |= LAYER_BIT(dumpable);
	snprintf(path, sizeof(path), "/proc/%d/root/etc", pid);
	if (stat(path, &st) < 0 && errno == ENOENT)
		seen |= LAYER_BIT(root);
	return seen;
}

#define BY_ATTEMPTS (LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope))

static void
judge(const struct sandbox_report *report, uint32_t seen, long n, int code, long call)
{
	uint32_t lies = report->held & ~seen & ~BY_ATTEMPTS;

	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		const char *name = sandbox_layer_name((enum sandbox_layer)i);

		if (lies & (1U << i))
			ok(false, "call %ld (%ld, %s): %s is claimed and not there", n, call,
			    strerrorname_np(code), name);
		if (!(report->held & (1U << i)) && !report->why[i].text[0])
			ok(false, "call %ld (%ld, %s): %s is missing without a reason", n, call,
			    strerrorname_np(code), name);
	}
	if (call < 0)
		return;
	if (report->held != report->want)
		weaker++;
	else if (report->proved != report->held)
		unproved++;
	else
		unharmed++;
}

static void
check_traces(long n)
{
	struct drive_traces after;

	drive_traces(&drive, &after);
	if (after.children != before.children || after.descriptors != before.descriptors ||
	    after.mounts != before.mounts || after.groups != before.groups)
		ok(false, "call %ld: something is left: %u %u %u %u", n,
		    after.children - before.children, after.descriptors - before.descriptors,
		    after.mounts - before.mounts, after.groups - before.groups);
}

/* One start with an order to fail; false when the call did not come any more. */
static bool
launch(long n, int code)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str rest = { 0 };
	uint32_t seen = 0;
	long call;

	fault_order(n, code);
	drive_watched(&drive, "stay", &canary, &end, seen_from_outside, &seen);
	fault_disarm();
	if (end.spawned < 0) {
		refused++;
		if (!end.e.text[0] || !fault_hit(&call))
			ok(false, "call %ld: refused without a reason", n);
	} else if (!drive_report(&end, &report, &rest)) {
		ok(false, "call %ld: it does not close (%s, %x)", n, end.e.text,
		    (unsigned)end.status);
	} else {
		fault_hit(&call);
		judge(&report, seen, n, code, call);
	}
	drive_end_done(&end);
	check_traces(n);
	return fault_hit(&call);
}

/* The same inside; without the filter, so that the attempts can tell the truth about the rest. */
static bool
close_up(long n, int code, const char *what)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str rest = { 0 };
	uint32_t seen = 0;
	char order[32];
	long call = -1;
	bool hit;

	snprintf(order, sizeof(order), "%ld %d", n, code);
	drive_knob(&drive, FAULT_NAME, order);
	if (strcmp(what, "stay") == 0)
		drive_watched(&drive, "stay", &canary, &end, seen_from_outside, &seen);
	else
		drive_closed(&drive, "js", what, &canary, &end);
	hit = end.out.n && strstr(end.out.p, FAULT_LINE) != NULL;
	if (hit)
		call = strtol(field(end.out.p, FAULT_LINE), NULL, 10);
	if (end.out.n && strncmp(end.out.p, "failed", 6) == 0) {
		refused++;
	} else if (end.spawned < 0 || !drive_report(&end, &report, &rest)) {
		ok(false, "call %ld (%ld): it does not close (%s)", n, call, end.e.text);
	} else {
		if (strcmp(what, "stay") == 0) {
			judge(&report, seen, n, code, call);
		} else {
			const char *lie = rows_first_lie(&report, rest);

			if (lie)
				ok(false,
				    "call %ld (%ld): %s gets through a wall that is claimed", n,
				    call, lie);
			if (report.held != (report.want & ~LAYER_BIT(seccomp)))
				weaker++;
			else
				unharmed++;
		}
	}
	drive_end_done(&end);
	check_traces(n);
	return hit;
}

int
main(int argc, char **argv)
{
	bool more = true;
	long n;

	if (argc != 3)
		return 2;
	if (geteuid() != 0) {
		skip("no root: only root sees all of a closed process");
		return tap_done();
	}
	drive_init(&drive, argv[1]);
	canary_start(&canary);
	rows_check_outside(&drive, &canary);
	drive_traces(&drive, &before);
	if (strcmp(argv[2], "close-no-filter") == 0)
		drive_knob(&drive, "CRISOL_TEST_LEAVE_OUT", "seccomp");
	for (n = 1; more && n < CALLS_MAX; n++) {
		more = false;
		for (size_t i = 0; i < COUNT(codes); i++) {
			if (strcmp(argv[2], "launch") == 0)
				more |= launch(n, codes[i]);
			else
				more |= close_up(n, codes[i],
				    strcmp(argv[2], "close") == 0 ? "stay" : "walls");
		}
	}
	ok(n < CALLS_MAX && n > 30,
	    "%ld calls failed one after the other: %u runs refused, %u weaker "
	    "and said so, %u held and unproved, %u none the worse",
	    n - 2, refused, weaker, unproved, unharmed);
	ok(canary_stop(&canary), "the process outside lives");
	drive_done(&drive);
	return tap_done();
}
