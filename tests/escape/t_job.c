/* SPDX-License-Identifier: MIT */
/*
 * Processes of a job: what they are given, how they end, that nothing outlives them or the
 * launcher, and that limits are kept.
 *
 *	t_job JOB MODE
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "filter_alone.h"
#include "filter_forks.h"
#include "jobs.h"

#define WANT       (LAYERS_ALL & ~(LAYER_BIT(dumpable) | LAYER_BIT(root)))
#define FIRST_SLOT 65000U

static struct jobs jobs;
static const struct jobs_mode *mode;
static struct landlock_rule exe_rule = { .access = LANDLOCK_READ | LANDLOCK_EXEC };

static const struct rlimit_row limits[] = {
	{ RLIMIT_CORE, 0 },
	{ RLIMIT_NOFILE, 40 },
	{ RLIMIT_NPROC, 64 },
	{ RLIMIT_CPU, 2 },
};

/* Starts programs, in the file tree outside. */
static const struct sandbox_profile forks = {
	.name = "forks",
	.keeper = true,
	.open_tree = true,
	.want = WANT,
	.must = LAYER_BIT(caps) | LAYER_BIT(seccomp) | LAYER_BIT(rlimits),
	.filter = &filter_forks,
	.limits = limits,
	.limit_count = COUNT(limits),
};

/* One process, no keeper. */
static const struct sandbox_profile alone = {
	.name = "alone",
	.open_tree = true,
	.want = WANT,
	.must = LAYER_BIT(caps) | LAYER_BIT(seccomp),
	.filter = &filter_alone,
	.limits = limits,
	.limit_count = COUNT(limits),
};

static struct sandbox_job
job_of(const struct sandbox_profile *profile)
{
	exe_rule.fd = jobs.drive.program;
	return (struct sandbox_job){ .profile = profile, .rules = &exe_rule, .rule_count = 1 };
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The number of supplementary groups in the line "who - UID EUID GROUPS PID". */
static long
ended_groups(const struct ended *end)
{
	const char *at = strstr(buf_text(&end->out), "who - ");
	unsigned field = 0;

	for (at = at ? at + 6 : ""; *at && field < 2; at++)
		field += *at == ' ';
	return strtol(at, NULL, 10);
}

static void
check_given(const struct sandbox_profile *profile)
{
	struct sandbox_job job = job_of(profile);
	struct running r;
	struct ended end;
	char path[64], text[16] = "";
	long value = -1;
	int fd;

	jobs_start(&jobs, &job,
	    "who - fds - env - where - caps - plain - limit 7 fork - wait -", &r);
	if (!ok(r.spawned == 0, "%s: it starts (%s)", profile->name, r.e.text))
		return;
	ok(poll(&(struct pollfd){ .fd = r.out, .events = POLLIN }, 1, 5000) == 1, "it prints");
	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)r.child.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ok(fd >= 0 && read(fd, text, 15) > 0 && strtol(text, NULL, 10) == 1000,
	    "it goes first when memory is short");
	close(fd);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	sandbox_kill(&r.child);
	jobs_finish(&jobs, &r, &end);
	is_int(end.status & 0x7f, SIGKILL, "it is killed");
	is_int(ended_result(&end, "fds", "-", &value), 0, "descriptors are counted");
	is_int(value, 3, "nothing but three is inherited");
	ended_result(&end, "env", "-", &value);
	is_int(value, mode->knob ? 1 : 0, "the environment is what was given (the knob)");
	is_int(ended_result(&end, "where", "/", &value), 0, "it stands where it should");
	is_int(value, 1, "in a session of its own");
	ended_result(&end, "caps", "-", &value);
	is_int(value, 0, "without capabilities");
	is_int(ended_result(&end, "plain", "-", &value), 0, "with signals as they come");
	is_int(value, 077, "and files for nobody else");
	is_int(ended_groups(&end), 0, "and root's groups left");
	ended_result(&end, "limit", "7", &value);
	is_int(value, 40, "with its limits");
	is_int(ended_result(&end, "fork", "-", NULL) > 0, !profile->keeper,
	    "and may fork, or not");
	is_int(end.report.mode, mode->mode, "in the mode of this machine");
	ended_done(&end);
}

static void
check_statuses(const struct sandbox_profile *profile)
{
	static const struct {
		const char *words;
		int exit, signal;
	} rows[] = {
		{ "exit 0", 0, 0 }, { "exit 7", 7, 0 }, { "signal 9", 0, SIGKILL },
		{ "spin -", 0, SIGKILL }, /* by its CPU limit: soft, then hard */
	};
	struct sandbox_job job = job_of(profile);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ended end;

		/* The first process of a namespace is deaf to its own signals, and to a soft
		 * limit. */
		jobs_run(&jobs, &job, rows[i].words, &end);
		if (strcmp(rows[i].words, "signal 9") == 0 && !profile->keeper &&
		    mode->mode != SANDBOX_BARE) {
			ok(WIFEXITED(end.status),
			    "first process: its own signal does not reach it");
		} else if (rows[i].signal) {
			ok(WIFSIGNALED(end.status) && (WTERMSIG(end.status) == rows[i].signal ||
							  WTERMSIG(end.status) == SIGXCPU),
			    "%s: '%s' ends by a signal (%x)", profile->name, rows[i].words,
			    (unsigned)end.status);
		} else {
			ok(WIFEXITED(end.status) && WEXITSTATUS(end.status) == rows[i].exit,
			    "%s: '%s' ends with its status (%x)", profile->name, rows[i].words,
			    (unsigned)end.status);
		}
		ended_done(&end);
	}
}

/* jobs_finish reads until every holder of the pipe is dead: an orphan would make it wait. */
static void
check_orphans(void)
{
	struct sandbox_job job = job_of(&forks);
	struct running r;
	struct ended end;
	double start;

	jobs_start(&jobs, &job, "leave 5", &r);
	start = now();
	jobs_finish(&jobs, &r, &end);
	ok(end.spawned == 0 && ended_result(&end, "leave", "5", NULL) == 0,
	    "five processes were left");
	ok(now() - start < 3000, "and all are dead when the job is (%.0f ms)", now() - start);
	ended_done(&end);

	jobs_start(&jobs, &job, "leave 5 wait -", &r);
	ok(poll(&(struct pollfd){ .fd = r.out, .events = POLLIN }, 1, 5000) == 1,
	    "it works on");
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	start = now();
	sandbox_kill(&r.child);
	jobs_finish(&jobs, &r, &end);
	ok(now() - start < 3000, "killed with all it started (%.0f ms)", now() - start);
	ended_done(&end);
}

/* Its keeper was killed by the guest itself, or by the memory killer: the launcher ends the
 * rest. */
static void
check_keeper_killed(void)
{
	struct sandbox_job job = job_of(&forks);
	struct running r;
	struct ended end;
	double start;

	jobs_start(&jobs, &job, "leave 3 wait -", &r);
	ok(poll(&(struct pollfd){ .fd = r.out, .events = POLLIN }, 1, 5000) == 1, "it works");
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	kill(r.child.pid, SIGKILL);
	start = now();
	jobs_finish(&jobs, &r, &end);
	is_int(end.status & 0x7f, SIGKILL, "the job counts as killed");
	ok(now() - start < 3000, "nothing of it lives (%.0f ms)", now() - start);
	ended_done(&end);
}

static void
check_bomb(void)
{
	struct sandbox_job job = job_of(&forks);
	struct ended end;
	long value = -1;
	double start = now();

	jobs_run(&jobs, &job, "bomb -", &end);
	ok(ended_result(&end, "bomb", "-", &value) == EAGAIN && value < 70,
	    "a fork bomb stops at its limit (%ld)", value);
	ok(now() - start < 5000, "and is cleaned up");
	ended_done(&end);
}

/* A launcher that is killed takes its jobs along, with everything they started. */
static void
check_launcher_death(const struct sandbox_profile *profile, const char *words)
{
	struct sandbox_job job = job_of(profile);
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		struct running r;

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* should this test be killed */
		close(ready[0]);
		sandbox_host_init(&jobs.drive.host);
		jobs_start(&jobs, &job, words, &r);
		if (r.spawned < 0 || read(r.out, &byte, 1) != 1)
			_exit(1);
		/* The job's output end stands for its life; ours goes with us. */
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		(void)!write(ready[1], &r.child.pid, sizeof(r.child.pid));
		for (;;)
			pause();
	}
	close(ready[1]);
	pid_t job_pid = 0;
	bool told = read(ready[0], &job_pid, sizeof(job_pid)) == sizeof(job_pid);

	close(ready[0]);
	ok(told && kill(job_pid, 0) == 0, "%s: a launcher and its job live", profile->name);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* We are a subreaper: what the launcher left comes to us, and has to end by itself. */
	double start = now();
	bool gone = false;

	while (!gone && now() - start < 4000) {
		pid_t left;

		while ((left = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		gone = left < 0 && errno == ECHILD;
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	ok(gone, "%s: '%s' ends with its launcher (%.0f ms)", profile->name, words,
	    now() - start);
}

/* A setuid-root program: outside it gives root, inside it gives nothing. */
static void
check_setuid(const char *program)
{
	struct sandbox_job job = job_of(&forks);
	struct landlock_rule rules[2] = { exe_rule };
	const char *path = jobs_path(&jobs, "su");
	char words[160];
	struct ended end;
	int from, to;
	char block[4096];
	ssize_t n;

	if (geteuid() != 0)
		return;
	from = open(program, O_RDONLY | O_CLOEXEC);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	while ((n = read(from, block, sizeof(block))) > 0 && write(to, block, (size_t)n) == n)
		;
	ok(to >= 0 && fchmod(to, 04755) == 0, "a setuid program is made");
	close(from);
	close(to);
	rules[1] =
	    (struct landlock_rule){ .path = path, .access = LANDLOCK_READ | LANDLOCK_EXEC };
	job.rules = rules;
	job.rule_count = 2;
	snprintf(words, sizeof(words), "run %s", path);
	jobs_run(&jobs, &job, words, &end);
	is_int(ended_result(&end, "run", path, NULL), 0, "a setuid program runs");
	ok(strstr(buf_text(&end.out), "who - ") != NULL, "and tells who it is");
	ok(!strstr(buf_text(&end.out), " 0 0 ") && !strstr(buf_text(&end.out), "who - 65000 0"),
	    "not root");
	ended_done(&end);
	unlink(path);
}

static void
check_slots(void)
{
	struct sandbox_job job = job_of(&alone);
	struct running a, b;
	struct ended end;
	struct stat st;
	char path[64];
	unsigned ids[2] = { 0, 0 };

	if (geteuid() != 0)
		return;
	jobs_start(&jobs, &job, "wait -", &a);
	jobs_start(&jobs, &job, "wait -", &b);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d", (int)(i ? b : a).child.pid);
		if (stat(path, &st) == 0)
			ids[i] = st.st_uid;
	}
	ok(ids[0] >= FIRST_SLOT && ids[1] >= FIRST_SLOT && ids[0] != ids[1],
	    "two jobs have two ids (%u, %u)", ids[0], ids[1]);
	sandbox_kill(&a.child);
	sandbox_kill(&b.child);
	jobs_finish(&jobs, &a, &end);
	ended_done(&end);
	jobs_finish(&jobs, &b, &end);
	ended_done(&end);
}

static void
check_memory(void)
{
	struct sandbox_job job = job_of(&forks);
	struct rlimit_row data = { RLIMIT_DATA, MiB(64) };
	struct ended end;
	long value = 0;

	job.limits = &data;
	job.limit_count = 1;
	jobs_run(&jobs, &job, "memory 200", &end);
	ok(ended_result(&end, "memory", "200", &value) == ENOMEM && value < 64,
	    "memory ends at its limit (%ld MiB)", value);
	ended_done(&end);
	if (jobs.drive.host.group.version == CGROUP_NONE) {
		skip(geteuid() == 0 ? "no cgroup: none can be made here"
				    : "no delegation: an ordinary user has no cgroup here");
		return;
	}
	job.limit_count = 0;
	job.group = (struct cgroup_limits){ .memory_bytes = MiB(32), .pids = 10 };
	jobs_run(&jobs, &job, "memory 200", &end);
	ok(end.report.held & end.report.proved & LAYER_BIT(cgroup), "the group holds (%s)",
	    end.report.why[LAYER_cgroup].text);
	is_int(end.status & 0x7f, SIGKILL, "its memory bound kills");
	ok(end.memory_kills > 0, "and says so");
	ended_done(&end);
	jobs_run(&jobs, &job, "bomb -", &end);
	ok(ended_result(&end, "bomb", "-", &value) == EAGAIN && value < 10,
	    "its process bound holds (%ld)", value);
	ended_done(&end);
}

static void
check_failures(void)
{
	struct sandbox_job job = job_of(&forks);
	struct ended end;
	int junk = open(jobs_file(&jobs, "junk", "junk", 0755), O_PATH | O_CLOEXEC);
	int closed = open(jobs_file(&jobs, "closed", "junk", 0600), O_PATH | O_CLOEXEC);
	struct landlock_rule missing = { .path = "/no/such", .access = LANDLOCK_READ };
	struct landlock_rule any = { .access = LANDLOCK_EXEC };

	job.dir = "/no/such/folder";
	jobs_run(&jobs, &job, "exit 0", &end);
	ok(end.spawned == -ERR_SYS && end.e.sys == ENOENT &&
		strstr(end.e.text, "/no/such/folder"),
	    "a folder that is not there: %s", end.e.text);
	ended_done(&end);
	job = job_of(&forks);
	job.exe_fd = junk;
	any.fd = junk;
	job.rules = &any;
	jobs_run(&jobs, &job, "exit 0", &end);
	ok(end.spawned == -ERR_SYS && end.e.sys == ENOEXEC, "what is no program: %s",
	    end.e.text);
	ended_done(&end);
	job.exe_fd = closed;
	any.fd = closed;
	jobs_run(&jobs, &job, "exit 0", &end);
	ok(end.spawned == -ERR_SYS && end.e.sys == EACCES, "what may not be executed: %s",
	    end.e.text);
	ended_done(&end);
	job = job_of(&forks);
	job.rules = &missing;
	jobs_run(&jobs, &job, "exit 0", &end);
	ok(end.spawned == -ERR_SYS && strstr(end.e.text, "/no/such"), "a rule for nothing: %s",
	    end.e.text);
	ended_done(&end);
	job = job_of(&forks);
	job.need = LAYER_BIT(userns);
	jobs_run(&jobs, &job, "exit 0", &end);
	ok(mode->mode == SANDBOX_USERNS ? end.spawned == 0 : end.spawned == -ERR_DENIED,
	    "insisting on a user namespace: %s", end.e.text);
	ended_done(&end);
	close(junk);
	close(closed);
}

int
main(int argc, char **argv)
{
	struct drive_traces before, after;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc == 3 && i < jobs_mode_count; i++)
		if (strcmp(jobs_modes[i].name, argv[2]) == 0)
			mode = &jobs_modes[i];
	if (!mode)
		return 2;
	if (mode->root && geteuid() != 0) {
		skip("no root: this mode is about it");
		return tap_done();
	}
	jobs_init(&jobs, argv[1], mode);
	drive_traces(&jobs.drive, &before);
	check_given(&forks);
	check_given(&alone);
	check_statuses(&forks);
	check_statuses(&alone);
	check_orphans();
	check_keeper_killed();
	check_bomb();
	check_launcher_death(&forks, "leave 3 wait -");
	check_launcher_death(&alone, "wait -");
	check_setuid(argv[1]);
	check_slots();
	check_memory();
	check_failures();
	drive_traces(&jobs.drive, &after);
	is_int(after.children, before.children, "no process is left");
	is_int(after.descriptors, before.descriptors, "no descriptor is left");
	is_int(after.mounts, before.mounts, "no mount is left");
	is_int(after.groups, before.groups, "no control group is left");
	jobs_done(&jobs);
	return tap_done();
}
