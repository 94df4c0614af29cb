/* SPDX-License-Identifier: MIT */
#include "sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <time.h>

#include "sandbox/sys.h"

#define TEXT_MAX      KiB(64)
#define REMOVE_TRIES  100 /* a millisecond apart: the kernel lets go of dead processes late */
#define NAME_PREFIX   "crisol-"
#define ASIDE         "crisol.own" /* for ourselves; never swept */
#define CPU_PERIOD_US 100000U

static void
no_home(struct cgroup_home *home, int sys, const char *why)
{
	home->version = CGROUP_NONE;
	home->why.sys = sys;
	snprintf(home->why.text, sizeof(home->why.text), "%s", why);
}

static bool
join_path(char *ret_path, const char *folder, const char *name)
{
	int n = snprintf(ret_path, CGROUP_PATH_MAX, "%s/%s", folder, name);

	return n > 0 && n < CGROUP_PATH_MAX;
}

static int
put(const char *folder, const char *name, const char *text)
{
	char path[CGROUP_PATH_MAX];

	errno = ENAMETOOLONG;
	return join_path(path, folder, name) ? sys_put(AT_FDCWD, path, text) : -1;
}

static ssize_t
get(const char *folder, const char *name, char *ret_text, size_t room)
{
	char path[CGROUP_PATH_MAX];

	errno = ENAMETOOLONG;
	return join_path(path, folder, name) ? sys_get(AT_FDCWD, path, ret_text, room) : -1;
}

static bool
has_word(struct str text, char sep, struct str word)
{
	while (text.n)
		if (str_eq(str_trim(str_split(&text, sep)), word))
			return true;
	return false;
}

/* The group of this process in one hierarchy ("" is version 2), as /proc/self/cgroup has it. */
static bool
own_group(struct str table, const char *controller, struct str *ret_path)
{
	while (table.n) {
		struct str line = str_split(&table, '\n');
		struct str number = str_split(&line, ':');
		struct str controllers = str_split(&line, ':');
		bool v2 = str_eq(number, STR("0")) && controllers.n == 0;

		if (controller[0] ? has_word(controllers, ',', str_of(controller)) : v2) {
			*ret_path = line;
			return true;
		}
	}
	return false;
}

struct mount_line {
	struct str root, at, type, options;
};

/* "36 35 98:0 ROOT AT OPTIONS [FIELDS] - TYPE SOURCE SUPEROPTIONS" */
static struct mount_line
split_mount(struct str line)
{
	struct mount_line m = { 0 };

	for (int i = 0; i < 3; i++)
		str_split(&line, ' ');
	m.root = str_split(&line, ' ');
	m.at = str_split(&line, ' ');
	while (line.n && !str_eq(str_split(&line, ' '), STR("-")))
		;
	m.type = str_split(&line, ' ');
	str_split(&line, ' ');
	m.options = line;
	return m;
}

/* Where the hierarchy is mounted, and the folder of our group below it. */
static bool
own_folder(struct str mounts, struct str groups, const char *controller, char *ret_folder)
{
	struct str path;

	if (!own_group(groups, controller, &path))
		return false;
	while (mounts.n) {
		struct mount_line m = split_mount(str_split(&mounts, '\n'));
		bool fits = controller[0] ? str_eq(m.type, STR("cgroup")) &&
						has_word(m.options, ',', str_of(controller))
					  : str_eq(m.type, STR("cgroup2"));
		int n;

		if (!fits)
			continue;
		if (m.root.n > 1 && str_starts(path, m.root))
			path = str_from(path, m.root.n);
		while (path.n && path.p[path.n - 1] == '/')
			path.n--;
		n = snprintf(ret_folder, CGROUP_PATH_MAX, "%.*s%.*s", STR_ARG(m.at),
		    STR_ARG(path));
		return n > 0 && n < CGROUP_PATH_MAX && access(ret_folder, F_OK) == 0;
	}
	return false;
}

/* Start time in ticks since boot: with it a pid names one process. */
static uint64_t
start_time(pid_t pid)
{
	char path[64], text[1024];
	const char *end;
	struct str rest;
	uint64_t ticks = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	end = strrchr(text, ')'); /* the name before it may hold anything */
	if (!end)
		return 0;
	rest = str_of(end + 1);
	for (int field = 2; field < 22; field++)
		str_split(&rest, ' ');
	return str_u64(str_split(&rest, ' '), UINT64_MAX, &ticks) ? ticks : 0;
}

static uint64_t
pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* Ends what a dead launcher left in a group; a dead launcher's jobs are dying anyway. */
static void
kill_listed(const char *folder)
{
	static char text[TEXT_MAX];
	struct str rest;

	if (put(folder, "cgroup.kill", "1") == 0)
		return;
	if (get(folder, "cgroup.procs", text, sizeof(text)) < 0)
		return;
	rest = str_of(text);
	while (rest.n) {
		uint64_t pid;

		if (str_u64(str_split(&rest, '\n'), INT32_MAX, &pid) && pid > 0)
			kill((pid_t)pid, SIGKILL);
	}
}

/* crisol-<pid namespace>-<pid>-<start time>-<number>: whose it is, and whether they live. */
bool
cgroup_is_stale(const char *name)
{
	struct str rest = str_of(name);
	uint64_t space, pid, start;

	if (!str_starts(rest, STR(NAME_PREFIX)))
		return false;
	rest = str_from(rest, sizeof(NAME_PREFIX) - 1);
	if (!str_u64(str_split(&rest, '-'), UINT64_MAX, &space) ||
	    !str_u64(str_split(&rest, '-'), INT32_MAX, &pid) ||
	    !str_u64(str_split(&rest, '-'), UINT64_MAX, &start))
		return false;
	return space == pid_namespace() && start_time((pid_t)pid) != start;
}

static void
sweep(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[CGROUP_PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (!cgroup_is_stale(entry->d_name) || !join_path(path, folder, entry->d_name))
			continue;
		kill_listed(path);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

/* systemd's mark of a part of the tree that is ours to arrange. */
static bool
delegated(const char *folder)
{
	char mark;

	return (getxattr(folder, "user.delegate", &mark, 1) == 1 && mark == '1') ||
	       (getxattr(folder, "trusted.delegate", &mark, 1) == 1 && mark == '1');
}

/* A group with controllers for its children may hold no process: ours go to one beside them. */
static bool
step_aside(const char *folder)
{
	static char text[TEXT_MAX];
	char aside[CGROUP_PATH_MAX];
	struct str rest;

	if (!join_path(aside, folder, ASIDE) || (mkdir(aside, 0755) < 0 && errno != EEXIST) ||
	    get(folder, "cgroup.procs", text, sizeof(text)) < 0)
		return false;
	rest = str_of(text);
	while (rest.n) {
		char pid[32];
		struct str line = str_split(&rest, '\n');

		snprintf(pid, sizeof(pid), "%.*s", STR_ARG(line));
		put(aside, "cgroup.procs", pid);
	}
	return true;
}

static bool
controls(const char *folder, const char *file)
{
	char text[1024];
	struct str words;

	if (get(folder, file, text, sizeof(text)) < 0)
		return false;
	words = str_trim(str_of(text));
	return has_word(words, ' ', STR("memory")) && has_word(words, ' ', STR("pids"));
}

static void
look_v2(struct cgroup_home *home, struct str mounts, struct str groups)
{
	if (!own_folder(mounts, groups, "", home->memory))
		no_home(home, 0, "no control groups are mounted");
	else if (!controls(home->memory, "cgroup.controllers"))
		no_home(home, 0, "version 2 control groups without memory and pids");
	else if (access(home->memory, W_OK) < 0)
		no_home(home, errno, "this part of the control groups is not delegated to us");
	else
		home->version = CGROUP_V2;
}

static void
look_v1(struct cgroup_home *home, struct str mounts, struct str groups)
{
	if (!own_folder(mounts, groups, "memory", home->memory) ||
	    !own_folder(mounts, groups, "pids", home->pids))
		return;
	if (access(home->memory, W_OK) < 0 || access(home->pids, W_OK) < 0)
		no_home(home, errno, "no right to make a control group");
	else
		home->version = CGROUP_V1;
}

void
cgroup_look(struct cgroup_home *ret_home)
{
	static char table[TEXT_MAX], groups[KiB(4)];

	*ret_home = (struct cgroup_home){ .version = CGROUP_NONE };
	snprintf(ret_home->owner, sizeof(ret_home->owner), NAME_PREFIX "%llu-%d-%llu",
	    (unsigned long long)pid_namespace(), (int)getpid(),
	    (unsigned long long)start_time(getpid()));
	if (sys_get(AT_FDCWD, "/proc/self/mountinfo", table, sizeof(table)) < 0 ||
	    sys_get(AT_FDCWD, "/proc/self/cgroup", groups, sizeof(groups)) < 0) {
		no_home(ret_home, errno, "/proc does not tell about control groups");
		return;
	}
	look_v2(ret_home, str_of(table), str_of(groups));
	if (ret_home->version == CGROUP_NONE)
		look_v1(ret_home, str_of(table), str_of(groups));
}

/* Version 2 gives children only the controllers that their parent hands down. */
static void
hand_down(struct cgroup_home *home)
{
	int r = 0;

	if (!controls(home->memory, "cgroup.subtree_control")) {
		r = put(home->memory, "cgroup.subtree_control", "+memory +pids");
		if (r < 0 && errno == EBUSY && delegated(home->memory) &&
		    step_aside(home->memory))
			r = put(home->memory, "cgroup.subtree_control", "+memory +pids");
	}
	if (r < 0)
		no_home(home, errno, "this part of the control groups is not delegated to us");
	else
		put(home->memory, "cgroup.subtree_control", "+cpu"); /* cpu.max is extra */
}

void
cgroup_find(struct cgroup_home *ret_home)
{
	cgroup_look(ret_home);
	if (ret_home->version == CGROUP_V2)
		hand_down(ret_home);
	if (ret_home->version == CGROUP_NONE)
		return;
	sweep(ret_home->memory);
	if (ret_home->version == CGROUP_V1)
		sweep(ret_home->pids);
}

/* A file that takes a bound; a bound that was asked for and is refused is an error. */
static int
bound(const char *folder, const char *file, uint64_t value, bool must, struct err *e)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	if (put(folder, file, text) < 0 && must)
		return err_sys(e, "write %s of a control group", file);
	return 0;
}

static int
set_bounds(const struct cgroup *group, const struct cgroup_limits *limits, struct err *e)
{
	bool v2 = group->version == CGROUP_V2;
	int r = 0;

	if (limits->memory_bytes && v2) {
		r = bound(group->memory, "memory.max", limits->memory_bytes, true, e);
		bound(group->memory, "memory.swap.max", 0, false, e);
		bound(group->memory, "memory.oom.group", 1, false, e);
	} else if (limits->memory_bytes) {
		r = bound(group->memory, "memory.limit_in_bytes", limits->memory_bytes, true,
		    e);
		bound(group->memory, "memory.memsw.limit_in_bytes", limits->memory_bytes, false,
		    e);
	}
	if (r == 0 && limits->pids)
		r = bound(v2 ? group->memory : group->pids, "pids.max", limits->pids, true, e);
	if (r == 0 && limits->cpu_percent && v2) {
		char text[48];

		snprintf(text, sizeof(text), "%u %u",
		    limits->cpu_percent * (CPU_PERIOD_US / 100), CPU_PERIOD_US);
		put(group->memory, "cpu.max", text);
	}
	return r;
}

static int
make_folders(struct cgroup_home *home, struct cgroup *group, struct err *e)
{
	char name[96];

	snprintf(name, sizeof(name), "%s-%u", home->owner, home->next++);
	if (!join_path(group->memory, home->memory, name) ||
	    (home->version == CGROUP_V1 && !join_path(group->pids, home->pids, name)))
		return err_set(e, ERR_LIMIT, "the path of the control groups is too long");
	if (sys_mkdirat(AT_FDCWD, group->memory, 0755) < 0)
		return err_sys(e, "make a control group");
	group->version = home->version;
	if (home->version == CGROUP_V1 && sys_mkdirat(AT_FDCWD, group->pids, 0755) < 0)
		return err_sys(e, "make a control group");
	if (home->version == CGROUP_V2) {
		group->fd = sys_openat(AT_FDCWD, group->memory, O_RDONLY | O_DIRECTORY, 0);
		if (group->fd < 0)
			return err_sys(e, "open a control group");
	}
	return 0;
}

void
cgroup_new(struct cgroup_home *home, const struct cgroup_limits *limits,
    struct cgroup *ret_group, struct sandbox_report *r)
{
	struct cgroup group = { .fd = -1 };
	struct err e;
	int n;

	*ret_group = group;
	if (home->version == CGROUP_NONE) {
		report_lack(r, LAYER_cgroup, home->why.sys, "%s", home->why.text);
		return;
	}
	if (!limits->memory_bytes || !limits->pids) {
		report_lack(r, LAYER_cgroup, 0,
		    "no bound on memory and processes was asked for");
		return;
	}
	n = make_folders(home, &group, &e);
	if (n == 0)
		n = set_bounds(&group, limits, &e);
	if (n < 0) {
		/* A home that looked usable and is not: the job still has its other walls. */
		report_lack(r, LAYER_cgroup, e.sys, "%s", e.text);
		cgroup_remove(&group);
		return;
	}
	report_hold(r, LAYER_cgroup);
	*ret_group = group;
	return;
}

static bool
lists(const char *folder, const char *pid)
{
	static char text[TEXT_MAX];

	return get(folder, "cgroup.procs", text, sizeof(text)) > 0 &&
	       has_word(str_of(text), '\n', str_of(pid));
}

bool
cgroup_join(const struct cgroup *group, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	if (group->version == CGROUP_NONE)
		return false;
	/* In version 2 the clone has done it, where it could. */
	if (!lists(group->memory, text))
		put(group->memory, "cgroup.procs", text);
	if (group->version == CGROUP_V1)
		put(group->pids, "cgroup.procs", text);
	return lists(group->memory, text) &&
	       (group->version == CGROUP_V2 || lists(group->pids, text));
}

uint64_t
cgroup_memory_kills(const struct cgroup *group)
{
	char text[1024];
	const char *file = group->version == CGROUP_V2 ? "memory.events" : "memory.oom_control";
	struct str rest;
	uint64_t count;

	if (group->version == CGROUP_NONE || get(group->memory, file, text, sizeof(text)) < 0)
		return 0;
	rest = str_of(text);
	while (rest.n) {
		struct str line = str_split(&rest, '\n');

		if (str_eq(str_split(&line, ' '), STR("oom_kill")) &&
		    str_u64(line, UINT64_MAX, &count))
			return count;
	}
	return 0;
}

void
cgroup_kill(const struct cgroup *group)
{
	if (group->version == CGROUP_V2)
		put(group->memory, "cgroup.kill", "1");
}

/* The kernel may need a moment after the last exit; whatever stays is swept by a later
 * launcher. */
static bool
remove_folder(const char *folder)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (folder[0] == '\0' || rmdir(folder) == 0 || errno == ENOENT)
			return true;
		if (errno != EBUSY)
			return false;
		nanosleep(&moment, NULL);
	}
	return false;
}

bool
cgroup_remove(struct cgroup *group)
{
	bool memory = remove_folder(group->memory);
	bool pids = remove_folder(group->pids);

	base_close_fd(&group->fd);
	*group = (struct cgroup){ .fd = -1 };
	return memory && pids;
}
