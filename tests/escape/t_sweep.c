/* SPDX-License-Identifier: MIT */
/*
 * Every system call number there is, and those to come: what js may not call answers EPERM, or
 * ENOSYS where it is newer than the table. The same call outside, in a process of its own, does
 * something else, so the answer inside was the filter's. All arguments are -1, which is no
 * descriptor, no address and no pid.
 *
 *	t_sweep PROGRAM all
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "drive.h"
#include "sweep.h"

#define DIED \
	(-2) /* by a signal, its own alarm included: it did not come back with an errno \
	      */

/*
 * Not made outside: vfork would return twice on one stack, setsid was made before, and the
 * others concern the whole machine.
 */
static const int not_outside[] = {
#ifdef SYS_vfork
	SYS_vfork,
#endif
	SYS_setsid,
	SYS_vhangup,
	SYS_sync,
};

static bool
made_outside(int nr)
{
	for (size_t i = 0; i < COUNT(not_outside); i++)
		if (not_outside[i] == nr)
			return false;
	return true;
}

static void no_return
one_call(int nr, int *ret_errno)
{
	pid_t me = getpid();
	long r;

	setsid();
	alarm(1);
	errno = 0;
	r = syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L);
	if (getpid() != me)
		_exit(0); /* the call was a fork */
	*ret_errno = r >= 0 && r < 4096 ? 0 : errno;
	_exit(0);
}

static int
outside(int nr, int *shared)
{
	int status;
	pid_t pid;

	*shared = DIED;
	pid = fork();
	if (pid == 0)
		one_call(nr, shared);
	waitpid(pid, &status, 0);
	return *shared;
}

/* As root, so that no answer is the kernel's own EPERM; an ordinary user has many of those. */
static void
compare(struct str lines)
{
	int *shared =
	    mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned proved = 0, absent = 0, same = 0;

	for (int nr = 0; nr < SWEEP_END; nr++) {
		char name[16];
		int in, out;

		if (sweep_allowed(nr))
			continue;
		snprintf(name, sizeof(name), "%d", nr);
		in = drive_result(lines, name);
		if (in != (nr < SWEEP_ENOSYS ? EPERM : ENOSYS))
			ok(false, "call %d answers %s", nr, strerror(MAX(in, 0)));
		if (!made_outside(nr))
			continue;
		out = outside(nr, shared);
		absent += out == ENOSYS;
		proved += out != in && out != ENOSYS;
		if (out == in && out != ENOSYS) {
			same++;
			printf("# call %d says %s outside too\n", nr, strerror(out));
		}
	}
	ok(true, "%u calls refused by the filter alone, %u not in this kernel", proved, absent);
	if (geteuid() == 0)
		is_int(same, 0, "every refusal is the filter's");
	ok(proved > 250, "most of the kernel's calls were tried");
	munmap(shared, sizeof(int));
}

int
main(int argc, char **argv)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct canary canary;
	struct drive drive;
	struct str lines = { 0 };

	if (argc != 3)
		return 2;
	drive_init(&drive, argv[1]);
	canary_start(&canary);
	drive_closed(&drive, "js", "sweep", &canary, &end);
	if (ok(end.spawned == 0 && drive_report(&end, &report, &lines), "the process closes"))
		compare(lines);
	is_int(end.status, 0, "no call killed it");
	ok(canary_stop(&canary), "the process outside lives");
	drive_end_done(&end);
	drive_done(&drive);
	return tap_done();
}
