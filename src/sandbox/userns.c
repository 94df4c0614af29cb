/* SPDX-License-Identifier: MIT */
#include "sandbox/userns.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#include "sandbox/sys.h"
#include "sandbox/test.h"

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

static const struct {
	enum sandbox_layer layer;
	uint64_t flag;
	const char *path;
} kinds[] = {
	{ LAYER_userns, CLONE_NEWUSER, "/proc/self/ns/user" },
	{ LAYER_pidns, CLONE_NEWPID, "/proc/self/ns/pid" },
	{ LAYER_mntns, CLONE_NEWNS, "/proc/self/ns/mnt" },
	{ LAYER_netns, CLONE_NEWNET, "/proc/self/ns/net" },
	{ LAYER_ipcns, CLONE_NEWIPC, "/proc/self/ns/ipc" },
	{ LAYER_utsns, CLONE_NEWUTS, "/proc/self/ns/uts" },
	{ LAYER_cgroupns, CLONE_NEWCGROUP, "/proc/self/ns/cgroup" },
};

uint64_t
userns_flags(uint32_t layers)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (layers & (1U << kinds[i].layer))
			flags |= kinds[i].flag;
	return flags;
}

static bool
refused_for_test(uint64_t flags)
{
	const struct sandbox_test *test = sandbox_test();

	errno = EPERM;
	return (test->no_userns && (flags & CLONE_NEWUSER)) || (test->no_namespaces && flags);
}

pid_t
userns_clone(uint64_t flags, int group_fd, int *ret_pidfd, struct err *e)
{
	struct clone_args args = {
		.flags = flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)ret_pidfd,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = -1;

	if (group_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (__u64)group_fd;
	}
	if (refused_for_test(flags))
		return err_sys(e, "make namespaces");
	errno = ENOSYS;
	if (!sandbox_test()->no_clone3)
		pid = sys_clone3(&args);
	if (pid < 0 && errno == ENOSYS && group_fd < 0)
		pid = sys_clone((unsigned long)(flags | CLONE_PIDFD | SIGCHLD), ret_pidfd);
	if (pid < 0)
		return err_sys(e,
		    flags ? "make a process in new namespaces" : "make a process");
	return pid;
}

static int
put_map(pid_t pid, const char *name, unsigned id, struct err *e)
{
	char path[64], line[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	snprintf(line, sizeof(line), "%u %u 1\n", USERNS_ID, id);
	return sys_put(AT_FDCWD, path, line) < 0 ? err_sys(e, "write %s", path) : 0;
}

int
userns_map(pid_t pid, uid_t uid, gid_t gid, struct err *e)
{
	char path[64];
	int r;

	if (geteuid() != 0) {
		/* Without this an ordinary user may not map a group at all. */
		snprintf(path, sizeof(path), "/proc/%d/setgroups", (int)pid);
		if (sys_put(AT_FDCWD, path, "deny") < 0)
			return err_sys(e, "write %s", path);
	}
	r = put_map(pid, "uid_map", uid, e);
	return r < 0 ? r : put_map(pid, "gid_map", gid, e);
}

/* systemd gives ids of this range to services, and keeps a file for each one in use. */
static bool
taken_by_systemd(unsigned id)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/systemd/dynamic-uid/%u", id);
	return access(path, F_OK) == 0;
}

/* Binds the name that stands for an id; false with EADDRINUSE when another launcher has it. */
static bool
claim(int fd, unsigned id)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "crisol-id-%u", id);
	size_t size = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n;

	return bind(fd, (struct sockaddr *)&name, (socklen_t)size) == 0;
}

int
userns_slot_claim(uid_t *ret_id, int *ret_fd, struct err *e)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(e, "make a socket to claim an id");
	for (unsigned i = 0; i < USERNS_SLOT_COUNT; i++) {
		unsigned id = USERNS_SLOT_FIRST + i;

		if (taken_by_systemd(id))
			continue;
		if (claim(fd, id)) {
			*ret_id = id;
			*ret_fd = steal_fd(&fd);
			return 0;
		}
		if (errno != EADDRINUSE)
			return err_sys(e, "claim id %u", id);
	}
	return err_set(e, ERR_LIMIT, "all %u ids for closed processes are in use",
	    USERNS_SLOT_COUNT);
}

void
userns_read(struct userns_set *ret_set)
{
	*ret_set = (struct userns_set){ 0 };
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct stat st;

		if (stat(kinds[i].path, &st) == 0)
			ret_set->inode[kinds[i].layer] = st.st_ino;
	}
}

/* One line that maps one id: "INSIDE OUTSIDE 1", in columns. */
static bool
map_is_narrow(void)
{
	char text[256];
	struct str line, rest;

	if (sys_get(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) < 0)
		return false;
	rest = str_of(text);
	line = str_trim(str_split(&rest, '\n'));
	return rest.n == 0 && line.n > 2 && line.p[line.n - 1] == '1' &&
	       line.p[line.n - 2] == ' ';
}

/* Two lines of heading, then one line an interface. */
static bool
only_loopback_named(void)
{
	char text[1024];
	struct str rest;
	unsigned line = 0;

	if (sys_get(AT_FDCWD, "/proc/self/net/dev", text, sizeof(text)) < 0)
		return false;
	rest = str_of(text);
	while (rest.n) {
		struct str name = str_trim(str_split(&rest, '\n'));

		if (line++ >= 2 && !str_starts(name, STR("lo:")))
			return false;
	}
	return true;
}

static bool
loopback_is_down(void)
{
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo" };

	if (fd < 0)
		return true;
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return errno == ENODEV;
	return !(request.ifr_flags & IFF_UP);
}

static void
prove(uint32_t fresh, struct sandbox_report *r)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (fresh & (1U << kinds[i].layer))
			report_prove(r, kinds[i].layer, true, "reading its identity");
	if (fresh & LAYER_BIT(userns))
		report_prove(r, LAYER_userns, map_is_narrow(), "reading the id map");
	if (fresh & LAYER_BIT(pidns))
		report_prove(r, LAYER_pidns, getpid() <= 2, "asking for its pid");
	if (fresh & LAYER_BIT(netns))
		report_prove(r, LAYER_netns, only_loopback_named() && loopback_is_down(),
		    "listing the network interfaces");
}

void
userns_look(const struct userns_set *outside, uint32_t want, struct sandbox_report *r)
{
	struct userns_set inside;
	uint32_t fresh = 0;

	userns_read(&inside);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		enum sandbox_layer layer = kinds[i].layer;
		uint64_t in = inside.inode[layer], out = outside->inode[layer];

		if (!(want & (1U << layer)))
			continue;
		if (!in || !out) {
			if (!(r->held & (1U << layer)) && !r->why[layer].text[0])
				report_lack(r, layer, 0,
				    "the namespace cannot be told from outside's");
		} else if (in != out) {
			fresh |= 1U << layer;
			report_hold(r, layer);
		} else if ((r->held & (1U << layer)) || !r->why[layer].text[0]) {
			report_lack(r, layer, 0, "it is the namespace outside");
		}
	}
	prove(fresh, r);
}
