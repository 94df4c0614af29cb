/* SPDX-License-Identifier: MIT */
/*
 * Programs that close themselves and keep something: rules in the person's own file tree, TCP.
 * Also what is refused before anything is closed, and the group hierarchy of version 2.
 *
 *	t_enter PROGRAM root|root-no-userns|user
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "drive.h"
#include "sandbox/enter.h"

#define WANT          \
	(LAYERS_ALL & \
	    ~(LAYERS_NAMESPACES | LAYER_BIT(root) | LAYER_BIT(ids) | LAYER_BIT(cgroup)))
#define UNIFIED "/sys/fs/cgroup/unified"

static struct drive drive;
static struct canary canary;

/* The launcher's view of the profiles that the program closes itself with. */
static const struct sandbox_profile own = {
	.name = "own",
	.self_closing = true,
	.open_tree = true,
	.person_id = true,
	.want = WANT,
};

static const struct {
	const char *how, *attempt;
	int sys;
} rows[] = {
	{ "tool", "open_secret", 0 },
	{ "tool", "open_passwd", EACCES },
	{ "tool", "make_file", 0 },
	{ "tool", "make_folder", 0 },
	{ "tool", "make_symlink", EACCES },
	{ "tool", "make_fifo", EACCES },
	{ "tool", "truncate_file", EPERM }, /* not in its filter */
	{ "tool", "exec_file", EACCES },
	{ "tool", "list_root", EACCES },
	{ "tool", "tcp_connect", EAFNOSUPPORT },
	{ "tool", "fork", EPERM },
	{ "tool", "socket_unix", EAFNOSUPPORT },
	{ "tool", "map_code", EPERM },
	{ "client", "open_secret", 0 },
	{ "client", "open_passwd", EACCES },
	{ "client", "tcp_connect", 0 },
	{ "client", "tcp_bind", 0 },
	{ "client", "connect_path", EPERM },
	{ "client", "connect_abstract", EPERM },
	{ "client", "exec_file", EACCES },
};

static void
check_own(const char *how)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str results = { 0 };

	drive_profile(&drive, &own, how, "walls", &canary, &end);
	if (ok(end.spawned == 0 && drive_report(&end, &report, &results), "%s: it closes (%s)",
		how, end.e.text)) {
		is_int(report.mode, SANDBOX_BARE, "without namespaces");
		is_int(sandbox_report_missing(&report), 0, "with everything it wants");
		is_int(report.held & ~report.proved, 0, "and all of it proved");
		for (size_t i = 0; i < COUNT(rows); i++) {
			int sys = drive_result(results, rows[i].attempt);

			if (strcmp(rows[i].how, how) == 0)
				ok(sys == rows[i].sys, "%s: %s %s (%s)", how, rows[i].attempt,
				    rows[i].sys ? "is refused" : "works",
				    strerror(MAX(sys, 0)));
		}
	}
	is_int(end.status, 0, "it ran to its end");
	drive_end_done(&end);
}

/* What sandbox_enter says to a process it must not close; in a fork, for it may get far. */
static void
check_refused(const char *what, void (*spoil)(void), int code)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct sandbox_report report = { 0 };
		struct err e = { 0 };

		spoil();
		_exit(-sandbox_enter(&sandbox_profiles[PROFILE_js],
		    &(struct sandbox_enter_opts){ 0 }, &report, &e));
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == code, "%s: %d (status %x)", what, code,
	    (unsigned)status);
}

static void
hold_folder(void)
{
	if (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0)
		_exit(99);
}

static int no_return
idle(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

static void
have_thread(void)
{
	static char stack[KiB(64)];

	clone(idle, stack + sizeof(stack),
	    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL);
}

static void
forge_handoff(void)
{
	setenv("CRISOL_SANDBOX", "1 0 1 2 3\nwalls", 1);
}

static void
spoil_nothing(void)
{
}

static int told_end;

/* Called when the process is closed: from then on the launcher only waits to be killed. */
static uint32_t
tell_and_wait(int pid)
{
	ssize_t n = write(told_end, &pid, sizeof(pid));

	while (n == sizeof(pid))
		pause();
	return 0;
}

/* A closed process dies with its launcher, though it was executed with capabilities of its own. */
static void
check_launcher_death(void)
{
	pid_t launcher, closed = 0;
	int told[2], left;

	if (pipe2(told, O_CLOEXEC) < 0)
		return;
	launcher = fork();
	if (launcher == 0) {
		struct drive_end end;
		uint32_t unused;

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* should this test be killed */
		sandbox_host_init(&drive.host);
		told_end = told[1];
		drive_watched(&drive, "linger", &canary, &end, tell_and_wait, &unused);
		_exit(1);
	}
	close(told[1]);
	left = read(told[0], &closed, sizeof(closed)) == sizeof(closed);
	close(told[0]);
	ok(left && kill(closed, 0) == 0, "a launcher and its closed process live");
	kill(launcher, SIGKILL);
	waitpid(launcher, NULL, 0);
	/* It comes to us, a subreaper, and has to end by itself. */
	for (int i = 0; i < 2000 && (left = waitpid(closed, NULL, WNOHANG)) == 0; i++)
		usleep(1000);
	is_int(left, closed, "it dies with its launcher");
}

/* Version 2: started in its group by the clone, and ended by it. */
static void
check_group(void)
{
	char folder[128], path[160], text[256];
	struct cgroup group = { .version = CGROUP_V2, .fd = -1 };
	struct err e = { 0 };
	int pidfd = -1, status;
	pid_t pid;

	if (geteuid() != 0 || access(UNIFIED, W_OK) < 0) {
		printf("# no version 2 hierarchy to write to\n");
		return;
	}
	snprintf(folder, sizeof(folder), UNIFIED "/crisol-test-%d", (int)getpid());
	if (!ok(mkdir(folder, 0755) == 0, "a group of version 2 is made"))
		return;
	snprintf(group.memory, sizeof(group.memory), "%s", folder);
	group.fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid = userns_clone(userns_flags(LAYER_BIT(pidns)), group.fd, &pidfd, &e);
	if (pid == 0)
		idle(NULL);
	ok(pid > 0, "a child is cloned into it (%s)", e.text);
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[MAX(n, 0)] = '\0';
	ok(strstr(text, "0::/crisol-test-"), "and is in it");
	ok(cgroup_join(&group, pid), "the group lists it");
	cgroup_kill(&group);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "killing the group kills it");
	ok(cgroup_remove(&group) && access(folder, F_OK) < 0, "and the group can go");
	close(pidfd);
}

/* Groups whose launcher is dead are removed by the next one, those of the living are not. */
static void
check_sweep(void)
{
	struct cgroup_home home;
	char dead[CGROUP_PATH_MAX + 80], alive[CGROUP_PATH_MAX + 80];
	int cut;
	if (drive.host.group.version == CGROUP_NONE) {
		printf("# no group can be made\n");
		return;
	}
	/* Our own pid with a start time that is not ours: somebody who had the number before. */
	cut = (int)(strrchr(drive.host.group.owner, '-') - drive.host.group.owner);
	snprintf(dead, sizeof(dead), "%s/%.*s-1-0", drive.host.group.memory, cut,
	    drive.host.group.owner);
	snprintf(alive, sizeof(alive), "%s/%s-77", drive.host.group.memory,
	    drive.host.group.owner);
	ok(mkdir(dead, 0755) == 0 && mkdir(alive, 0755) == 0, "two groups are made");
	cgroup_find(&home);
	ok(access(dead, F_OK) < 0, "the dead launcher's is gone");
	ok(access(alive, F_OK) == 0, "the living one's is not");
	rmdir(alive);
}

int
main(int argc, char **argv)
{
	struct drive_traces before, after;

	if (argc != 3)
		return 2;
	if (strcmp(argv[2], "user") != 0 && geteuid() != 0) {
		skip("no root: this variant is about it");
		return tap_done();
	}
	drive_init(&drive, argv[1]);
	if (strcmp(argv[2], "user") == 0 && !drive_become_user())
		return 2;
	sandbox_host_init(&drive.host);
	if (strcmp(argv[2], "root-no-userns") == 0)
		drive_knob(&drive, "CRISOL_TEST_NO_USERNS", "1");
	canary_start(&canary);
	drive_traces(&drive, &before);
	check_own("tool");
	check_own("client");
	check_refused("an open folder", hold_folder, ERR_INVALID);
	check_refused("a second thread", have_thread, ERR_INVALID);
	check_refused("a forged handoff", forge_handoff, ERR_PROTO);
	check_refused("nothing wrong", spoil_nothing, 0);
	check_launcher_death();
	check_group();
	check_sweep();
	drive_traces(&drive, &after);
	ok(after.children == before.children && after.descriptors == before.descriptors &&
		after.mounts == before.mounts && after.groups == before.groups,
	    "nothing is left");
	ok(canary_stop(&canary), "the process outside lives");
	drive_done(&drive);
	return tap_done();
}
