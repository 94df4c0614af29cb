/* SPDX-License-Identifier: MIT */
/*
 * The file tree a job gets: binds, memory, /proc, links, texts; and Landlock's rules in a tree
 * that is nobody's own.
 *
 *	t_view JOB MODE
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "filter_forks.h"
#include "jobs.h"

#define WANT (LAYERS_ALL & ~LAYER_BIT(dumpable))

static struct jobs jobs;

static const struct rlimit_row limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_NOFILE, 64 } };

static const struct mount_row view[] = {
	{ MOUNT_TEXT, "etc/passwd", .from = "job:x:1000:1000::/tmp:/bin/false\n" },
	{ MOUNT_BIND, "etc/services", .from = "/etc/services",
	    .flags = MOUNT_RO | MOUNT_OPTIONAL },
	{ MOUNT_BIND, "no/such", .from = "/no/such/path", .flags = MOUNT_OPTIONAL },
	{ MOUNT_BIND, "dev/null", .from = "/dev/null", .flags = MOUNT_DEV },
	{ MOUNT_BIND, "usr", .from = "/usr", .flags = MOUNT_RO },
	{ MOUNT_LINK, "lib", .from = "usr/lib" },
	{ MOUNT_DIR, "empty" },
	{ MOUNT_TMPFS, "tmp", .flags = MOUNT_NOEXEC, .size = MiB(1), .inodes = 64 },
	{ MOUNT_TMPFS, "job/out", .flags = MOUNT_NOEXEC | MOUNT_SENT, .size = MiB(2),
	    .inodes = 32 },
	{ MOUNT_PROC, "proc" },
};

static const struct landlock_rule view_rules[] = {
	{ .path = "/etc", .access = LANDLOCK_READ },
	{ .path = "/usr", .access = LANDLOCK_READ },
	{ .path = "/proc", .access = LANDLOCK_READ },
	{ .path = "/dev/null", .access = LANDLOCK_READ | LANDLOCK_WRITE },
	{ .path = "/tmp", .access = LANDLOCK_FILL },
	{ .path = "/job/in", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
	{ .path = "/job/out", .access = LANDLOCK_FILL },
	{ .path = "/pit", .access = LANDLOCK_FILL | LANDLOCK_OPTIONAL },
};

static const struct sandbox_profile view_profile = {
	.name = "view",
	.keeper = true,
	.want = WANT,
	.must = LAYER_BIT(root) | LAYER_BIT(caps) | LAYER_BIT(seccomp),
	.filter = &filter_forks,
	.limits = limits,
	.limit_count = COUNT(limits),
	.rules = view_rules,
	.rule_count = COUNT(view_rules),
	.view = view,
	.view_count = COUNT(view),
};

/* A tool: the person's own ids and file tree, rules alone. */
static const struct sandbox_profile rules_profile = {
	.name = "rules",
	.open_tree = true,
	.person_id = true,
	.want =
	    WANT & ~(LAYERS_NAMESPACES | LAYER_BIT(root) | LAYER_BIT(ids) | LAYER_BIT(cgroup)),
	.must = LAYER_BIT(landlock),
	.filter = &filter_forks,
	.limits = limits,
	.limit_count = COUNT(limits),
};

static void
copy(const char *from_path, const char *to_path, mode_t mode)
{
	int from = open(from_path, O_RDONLY | O_CLOEXEC);
	int to = open(to_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	char block[4096];
	ssize_t n;

	while ((n = read(from, block, sizeof(block))) > 0 && write(to, block, (size_t)n) == n)
		;
	ok(to >= 0 && fchmod(to, mode) == 0, "a program is copied");
	close(from);
	close(to);
}

struct expect {
	const char *verb, *arg;
	int sys; /* 0: works */
};

static void
check_all(const struct ended *end, const struct expect *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int sys = ended_result(end, rows[i].verb, rows[i].arg, NULL);

		ok(sys == rows[i].sys, "%s %s: %s", rows[i].verb, rows[i].arg,
		    rows[i].sys ? strerror(rows[i].sys) : "works");
		if (sys != rows[i].sys)
			printf("# got %s\n", strerror(MAX(sys, 0)));
	}
}

/* The verbs of a table as the words of a job. */
static const char *
words_of(const struct expect *rows, size_t count)
{
	static char words[2048];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s %s ", rows[i].verb,
		    rows[i].arg);
	return words;
}

static void
check_started(const struct ended *end)
{
	ok(end->spawned == 0 && end->status == 0, "the job runs to its end (%s, status %x)",
	    end->e.text, (unsigned)end->status);
	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		uint32_t bit = 1U << i;

		if (end->report.held & bit)
			ok(end->report.proved & bit, "%s is proved",
			    sandbox_layer_name((enum sandbox_layer)i));
		else if (end->report.want & bit)
			ok(end->report.why[i].text[0], "%s is missing with a reason: %s",
			    sandbox_layer_name((enum sandbox_layer)i), end->report.why[i].text);
	}
}

static void
check_tree(void)
{
	static const struct expect rows[] = {
		{ "list", "/", EACCES },
		{ "read", "/etc/passwd", 0 },
		{ "write", "/etc/passwd", EACCES },
		{ "read", "/etc/shadow", ENOENT },
		{ "stat", "/root", ENOENT },
		{ "read", "/lib/os-release", 0 },
		{ "make", "/usr/new", EROFS },
		{ "read", "/dev/null", 0 },
		{ "write", "/dev/null", 0 },
		{ "list", "/no", ENOENT },
		{ "make", "/new", EROFS },
		{ "mkdir", "/empty/new", EROFS },
		{ "read", "/job/in/data", 0 },
		{ "write", "/job/in/data", EROFS },
		{ "make", "/job/in/new", EROFS },
		{ "remove", "/job/in/data", EROFS },
		{ "make", "/pit/new", 0 },
		{ "write", "/pit/old", 0 },
		{ "link", "/pit/link", EACCES },
		{ "pipe", "/pit/pipe", EACCES },
		{ "mkdir", "/pit/folder", 0 },
		{ "make", "/tmp/a", 0 },
		{ "run", "/tmp/a", EACCES },
		{ "run", "/pit/program", EACCES },
		{ "read", "/proc/self/status", 0 },
		{ "read", "/proc/meminfo", ENOENT },
		{ "read", "/proc/sys/kernel/hostname", ENOENT },
		{ "read", "/proc/1/status", ENOENT },
	};
	const char *in = jobs_folder(&jobs, "in", 0755);
	const char *work = jobs_folder(&jobs, "pit", 0777);
	struct sandbox_job job = { .profile = &view_profile, .dir = "/pit" };
	struct ended end;
	int in_fd = open(in, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int work_fd = open(work, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct mount_row binds[] = {
		{ MOUNT_BIND, "job/in", .from = in, .fd = in_fd,
		    .flags = MOUNT_RO | MOUNT_NOEXEC },
		{ MOUNT_BIND, "pit", .from = work, .fd = work_fd, .flags = MOUNT_NOEXEC },
	};
	/* The job itself comes from outside the tree; only its descriptor is left of it. */
	struct landlock_rule exe = {
		.fd = jobs.drive.program,
		.access = LANDLOCK_READ | LANDLOCK_EXEC,
	};

	jobs_file(&jobs, "in/data", "data", 0666);
	jobs_file(&jobs, "pit/old", "old", 0666);
	jobs_file(&jobs, "pit/program", "junk", 0755);
	job.binds = binds;
	job.bind_count = COUNT(binds);
	job.rules = &exe;
	job.rule_count = 1;
	jobs_run(&jobs, &job, words_of(rows, COUNT(rows)), &end);
	check_started(&end);
	check_all(&end, rows, COUNT(rows));
	ended_done(&end);
	close(in_fd);
	close(work_fd);
}

/* The mount's own word again: with no_new_privs and what needs it left out, setuid is still dead. */
static void
check_nosuid(const char *program)
{
	const char *folder = jobs_folder(&jobs, "suid", 0755);
	const struct mount_row bind = { MOUNT_BIND, "s", .from = folder };
	struct sandbox_job job = { .profile = &view_profile, .binds = &bind, .bind_count = 1 };
	struct ended end;

	if (geteuid() != 0)
		return;
	copy(program, jobs_path(&jobs, "suid/su"), 04755);
	drive_knob(&jobs.drive, "CRISOL_TEST_LEAVE_OUT",
	    "nnp,landlock,landlock_net,landlock_scope,seccomp");
	jobs_run(&jobs, &job, "run /s/su who -", &end);
	drive_knob(&jobs.drive, "CRISOL_TEST_LEAVE_OUT", NULL);
	is_int(ended_result(&end, "run", "/s/su", NULL), 0, "a setuid program runs");
	ok(strstr(buf_text(&end.out), "who - ") &&
		!strstr(buf_text(&end.out), "who - 65000 0 ") &&
		!strstr(buf_text(&end.out), "who - 1000 0 "),
	    "and stays who it was");
	ended_done(&end);
}

/* The mount's own word: rules would allow to execute in both folders. */
static void
check_noexec(void)
{
	const struct mount_row binds[] = {
		{ MOUNT_BIND, "a", .from = jobs_folder(&jobs, "a", 0755),
		    .flags = MOUNT_NOEXEC },
		{ MOUNT_BIND, "b", .from = jobs_folder(&jobs, "b", 0755), .flags = MOUNT_RO },
	};
	const struct landlock_rule rules[] = {
		{ .fd = jobs.drive.program, .access = LANDLOCK_READ | LANDLOCK_EXEC },
		{ .path = "/a", .access = LANDLOCK_READ | LANDLOCK_EXEC },
		{ .path = "/b", .access = LANDLOCK_READ | LANDLOCK_EXEC },
	};
	struct sandbox_job job = { .profile = &view_profile,
		.binds = binds,
		.bind_count = COUNT(binds),
		.rules = rules,
		.rule_count = COUNT(rules) };
	struct ended end;

	jobs_file(&jobs, "a/junk", "junk", 0755);
	jobs_file(&jobs, "b/junk", "junk", 0755);
	jobs_run(&jobs, &job, "run /a/junk run /b/junk", &end);
	is_int(ended_result(&end, "run", "/a/junk", NULL), EACCES, "noexec refuses to execute");
	is_int(ended_result(&end, "run", "/b/junk", NULL), ENOEXEC, "without it that is tried");
	ended_done(&end);
}

/* What the job wrote into bounded memory outlives it, and no more than the bound was taken. */
static void
check_quota(void)
{
	struct sandbox_job job = { .profile = &view_profile };
	struct landlock_rule exe = {
		.fd = jobs.drive.program,
		.access = LANDLOCK_READ | LANDLOCK_EXEC,
	};
	struct stat st = { 0 };
	struct ended end;
	char text[4] = "";
	long kib = 0, files = 0;
	int fd;

	job.rules = &exe;
	job.rule_count = 1;
	jobs_run(&jobs, &job,
	    "mkdir /job/out/d fill /job/out/big many /job/out/d fill /tmp/big", &end);
	check_started(&end);
	is_int(ended_result(&end, "fill", "/job/out/big", &kib), ENOSPC,
	    "the output folder fills up");
	is_int(kib, 2048, "at its size");
	is_int(ended_result(&end, "many", "/job/out/d", &files), ENOSPC, "files run out");
	ok(files > 20 && files < 32, "at their number (%ld)", files);
	is_int(ended_result(&end, "fill", "/tmp/big", &kib), ENOSPC,
	    "the private folder fills up");
	is_int(kib, 1024, "at its size");
	ok(end.sent[0] >= 0 && end.sent[1] < 0,
	    "the output folder was sent out, and nothing else");
	fd = openat(end.sent[0], "big", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ok(fd >= 0 && fstat(fd, &st) == 0 && st.st_size == (off_t)MiB(2),
	    "the job is dead and its file is still there");
	ok(fd >= 0 && read(fd, text, 4) == 4, "and can be read");
	close(fd);
	ended_done(&end);
}

/* The folder that was named is not the one that was opened. */
static void
check_replaced(void)
{
	const char *work = jobs_folder(&jobs, "swap", 0755);
	int fd = open(work, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct mount_row bind = { MOUNT_BIND, "pit", .from = work, .fd = fd };
	struct landlock_rule exe = {
		.fd = jobs.drive.program,
		.access = LANDLOCK_READ | LANDLOCK_EXEC,
	};
	struct sandbox_job job = { .profile = &view_profile, .binds = &bind, .bind_count = 1 };
	struct ended end;

	job.rules = &exe;
	job.rule_count = 1;
	rename(work, jobs_path(&jobs, "swapped"));
	jobs_folder(&jobs, "swap", 0755);
	jobs_run(&jobs, &job, "list /pit", &end);
	if (geteuid() == 0)
		ok(end.spawned == 0, "root's launcher binds what was opened (%s)", end.e.text);
	else
		is_int(end.spawned, -(int)ERR_DENIED,
		    "a folder replaced on the way is refused");
	printf("# %s\n", end.e.text);
	ended_done(&end);
	close(fd);
}

/* What is mounted outside later does not appear inside, though the folder's mount is shared. */
static void
check_propagation(void)
{
	const char *shared = jobs_folder(&jobs, "shared", 0777);
	char sub[160], marker[192];
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return;
	jobs_folder(&jobs, "shared/sub", 0777);
	snprintf(sub, sizeof(sub), "%s/sub", shared);
	snprintf(marker, sizeof(marker), "%s/marker", sub);
	pid = fork();
	if (pid == 0) {
		struct landlock_rule exe = {
			.fd = jobs.drive.program,
			.access = LANDLOCK_READ | LANDLOCK_EXEC,
		};
		struct mount_row bind = { MOUNT_BIND, "job/in", .from = shared };
		struct sandbox_job job = { .profile = &view_profile,
			.binds = &bind,
			.bind_count = 1,
			.rules = &exe,
			.rule_count = 1 };
		struct running r;
		struct ended end;
		bool mounted;
		int fd;

		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		    mount(shared, shared, NULL, MS_BIND, NULL) < 0 ||
		    mount(NULL, shared, NULL, MS_SHARED, NULL) < 0)
			_exit(10);
		bind.fd = open(shared, O_PATH | O_DIRECTORY | O_CLOEXEC);
		jobs_start(&jobs, &job, "sleep 300 list /job/in/sub read /job/in/sub/marker",
		    &r);
		if (r.spawned < 0)
			_exit(11);
		mounted = mount("t", sub, "tmpfs", 0, "size=64k") == 0;
		fd = open(marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		jobs_finish(&jobs, &r, &end);
		if (!mounted || fd < 0)
			_exit(12);
		_exit(
		    ended_result(&end, "read", "/job/in/sub/marker", NULL) == ENOENT ? 0 : 13);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a later mount stays outside (%d)",
	    WEXITSTATUS(status));
	rmdir(sub);
}

static void
check_bad_views(void)
{
	static const struct {
		struct mount_row row;
		int code;
	} rows[] = {
		{ { MOUNT_DIR, "../up" }, ERR_INVALID }, { { MOUNT_DIR, "/abs" }, ERR_INVALID },
		{ { MOUNT_DIR, "a/./b" }, ERR_INVALID }, { { MOUNT_DIR, "" }, ERR_INVALID },
		{ { MOUNT_BIND, "x", .from = "/no/such" }, ERR_SYS },
		{ { MOUNT_DIR, "lib/x" }, ERR_SYS }, /* below a link of the view */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sandbox_job job = { .profile = &view_profile,
			.binds = &rows[i].row,
			.bind_count = 1 };
		struct ended end;

		jobs_run(&jobs, &job, "list /", &end);
		ok(end.spawned == -rows[i].code, "a row '%s' is refused: %s", rows[i].row.at,
		    end.e.text);
		ended_done(&end);
	}
}

static const char *
here(const char *name)
{
	return jobs_path(&jobs, name);
}

/* The same folders by their real paths: no mounts, Landlock's rules alone. */
static void
check_rules(void)
{
	jobs_folder(&jobs, "r", 0755);
	jobs_folder(&jobs, "r/sub", 0755);
	jobs_file(&jobs, "r/sub/file", "x", 0666);
	jobs_folder(&jobs, "w", 0777);
	jobs_file(&jobs, "w/file", "x", 0666);
	jobs_folder(&jobs, "other", 0777);
	jobs_file(&jobs, "other/file", "x", 0666);
	char names[9][128];
	static const char *const parts[] = { "r/sub/file", "r", "w/file", "w/new", "w/link",
		"other/file", "other", "other/new", "w/file" };

	for (size_t i = 0; i < COUNT(parts); i++)
		snprintf(names[i], sizeof(names[i]), "%s", here(parts[i]));
	const struct expect rows[] = {
		{ "read", names[0], 0 },
		{ "list", names[1], 0 },
		{ "write", names[0], EACCES },
		{ "remove", names[0], EACCES },
		{ "write", names[2], 0 },
		{ "make", names[3], 0 },
		{ "link", names[4], EACCES },
		{ "read", names[5], EACCES },
		{ "list", names[6], EACCES },
		{ "make", names[7], EACCES },
		{ "read", "/etc/passwd", EACCES },
		{ "run", "/bin/true", EACCES },
	};
	char read_path[128], write_path[128];

	snprintf(read_path, sizeof(read_path), "%s", here("r"));
	snprintf(write_path, sizeof(write_path), "%s", here("w"));
	const struct landlock_rule rules[] = {
		{ .path = read_path, .access = LANDLOCK_READ },
		{ .path = write_path, .access = LANDLOCK_FILL },
		{ .path = "/no/such", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
		{ .fd = jobs.drive.program, .access = LANDLOCK_READ | LANDLOCK_EXEC },
	};
	struct sandbox_job job = { .profile = &rules_profile,
		.rules = rules,
		.rule_count = COUNT(rules) };
	struct ended end;

	jobs_run(&jobs, &job, words_of(rows, COUNT(rows)), &end);
	check_started(&end);
	check_all(&end, rows, COUNT(rows));
	ended_done(&end);
}

/* A program may be executed when a rule says so, and its copy beside it may not. */
static void
check_exec_rule(const char *program)
{
	static char words[512], good[128], bad[128];
	struct ended end;

	jobs_folder(&jobs, "bin", 0755);
	snprintf(good, sizeof(good), "%s", here("bin/good"));
	snprintf(bad, sizeof(bad), "%s", here("bin/bad"));
	copy(program, good, 0755);
	copy(program, bad, 0755);
	const struct landlock_rule rules[] = {
		{ .path = good, .access = LANDLOCK_READ | LANDLOCK_EXEC },
		{ .path = bad, .access = LANDLOCK_READ },
		{ .fd = jobs.drive.program, .access = LANDLOCK_READ | LANDLOCK_EXEC },
	};
	struct sandbox_job job = { .profile = &rules_profile,
		.rules = rules,
		.rule_count = COUNT(rules) };

	snprintf(words, sizeof(words), "run %s run %s", good, bad);
	jobs_run(&jobs, &job, words, &end);
	is_int(ended_result(&end, "run", good, NULL), 0, "the program with a rule runs");
	is_int(ended_result(&end, "run", bad, NULL), EACCES, "the one without does not");
	ended_done(&end);
}

/* Without mounts a profile that insists on its own tree does not start, and says so. */
static void
check_insists(void)
{
	struct sandbox_job job = { .profile = &view_profile };
	struct ended end;

	jobs_run(&jobs, &job, "list /", &end);
	is_int(end.spawned, -(int)ERR_DENIED, "a view that cannot be made is refused");
	ok(strstr(end.e.text, "mntns"), "and named: %s", end.e.text);
	ended_done(&end);
}

static const struct jobs_mode *
find_mode(const char *name)
{
	for (size_t i = 0; i < jobs_mode_count; i++)
		if (strcmp(jobs_modes[i].name, name) == 0)
			return &jobs_modes[i];
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct jobs_mode *mode = argc == 3 ? find_mode(argv[2]) : NULL;
	struct drive_traces before, after;

	if (!mode)
		return 2;
	if (mode->root && geteuid() != 0) {
		skip("no root: this mode is about it");
		return tap_done();
	}
	jobs_init(&jobs, argv[1], mode);
	drive_traces(&jobs.drive, &before);
	if (mode->mode == SANDBOX_BARE) {
		check_insists();
	} else {
		check_tree();
		check_noexec();
		check_nosuid(argv[1]);
		check_quota();
		check_replaced();
		check_propagation();
		check_bad_views();
	}
	check_rules();
	check_exec_rule(argv[1]);
	drive_traces(&jobs.drive, &after);
	ok(after.children == before.children && after.descriptors == before.descriptors &&
		after.mounts == before.mounts && after.groups == before.groups,
	    "nothing is left");
	jobs_done(&jobs);
	return tap_done();
}
