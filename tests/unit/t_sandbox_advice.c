/* SPDX-License-Identifier: MIT */
/* Advice about missing walls, for machines made up here; and facts read from made-up trees. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/advice.h"
#include "tap.h"

#define LANDLOCKS (LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope))
#define NONE                                                                 \
	.max_user_namespaces = 10000, .unprivileged_userns = MACHINE_ABSENT, \
	.apparmor_userns = MACHINE_ABSENT

/* A machine that gives everything; rows change a field or two, which overrides it on purpose. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define GOOD                                                                               \
	.kernel_major = 6, .kernel_minor = 18, .proc = true, .landlock_abi = 7,            \
	.seccomp = true, .address_space = UINT64_MAX, .group = CGROUP_V2, .systemd = true, \
	NONE, .launcher = "/usr/libexec/crisol/crisol-launch"

static const struct row {
	const char *what;
	uint32_t missing;
	struct machine m;
	const char *names; /* of the advice expected, in order */
	const char *says;  /* a part of the first one's instruction */
} rows[] = {
	{ "nothing is missing", 0, { GOOD }, "", "" },
	{ "ulimit -v", 0, { GOOD, .address_space = GiB(4) }, "address-space",
	    "ulimit -v unlimited" },
	{ "user namespaces switched off", LAYERS_NAMESPACES, { GOOD, .max_user_namespaces = 0 },
	    "userns-sysctl", "user.max_user_namespaces=15000" },
	{ "Debian's switch", LAYERS_NAMESPACES, { GOOD, .unprivileged_userns = 0 },
	    "userns-debian", "kernel.unprivileged_userns_clone=1" },
	{ "Debian's switch does not bind root", LAYERS_NAMESPACES,
	    { GOOD, .unprivileged_userns = 0, .root = true }, "userns", "unshare" },
	{ "Ubuntu's AppArmor", LAYERS_NAMESPACES, { GOOD, .apparmor_userns = 1 },
	    "userns-apparmor", "/usr/libexec/crisol/crisol-launch" },
	{ "Docker", LAYERS_NAMESPACES, { GOOD, .kind = MACHINE_DOCKER, .root = true },
	    "userns-docker", "docker run --security-opt" },
	{ "Podman", LAYERS_NAMESPACES, { GOOD, .kind = MACHINE_PODMAN }, "userns-podman",
	    "unmask" },
	{ "LXC", LAYERS_NAMESPACES, { GOOD, .kind = MACHINE_LXC }, "userns-lxc",
	    "security.nesting" },
	{ "an unknown reason", LAYERS_NAMESPACES, { GOOD }, "userns", "unshare --user" },
	{ "WSL 1", LAYERS_ALL,
	    { GOOD, .kind = MACHINE_WSL1, .landlock_abi = 0, .seccomp = false,
		.landlock_errno = ENOSYS, .group = CGROUP_NONE, .systemd = false },
	    "wsl1 cgroup", "--set-version" },
	{ "WSL 2 without Landlock", LANDLOCKS,
	    { GOOD, .kind = MACHINE_WSL2, .landlock_abi = 0, .landlock_errno = ENOSYS,
		.kernel_major = 5, .kernel_minor = 15 },
	    "landlock-wsl2", "wsl --update" },
	{ "gVisor", LAYERS_ALL & ~LAYER_BIT(cgroup),
	    { GOOD, .kind = MACHINE_GVISOR, .landlock_abi = 0, .landlock_errno = ENOSYS },
	    "gvisor", "runc" },
	{ "an old kernel", LANDLOCKS,
	    { GOOD, .kernel_major = 5, .kernel_minor = 10, .landlock_abi = 0,
		.landlock_errno = ENOSYS },
	    "landlock-kernel", "linux-image-amd64" },
	{ "Landlock not switched on", LANDLOCKS,
	    { GOOD, .landlock_abi = 0, .landlock_errno = EOPNOTSUPP,
		.lsm = "lockdown,capability,yama" },
	    "landlock-boot", "lsm=landlock,lockdown,capability,yama" },
	{ "Landlock not switched on, list unreadable", LANDLOCKS,
	    { GOOD, .landlock_abi = 0, .landlock_errno = EOPNOTSUPP }, "landlock-boot",
	    "/sys/kernel/security/lsm" },
	{ "a kernel without Landlock", LANDLOCKS,
	    { GOOD, .landlock_abi = 0, .landlock_errno = ENOSYS }, "landlock-config",
	    "CONFIG_SECURITY_LANDLOCK" },
	{ "a container's filter", LANDLOCKS,
	    { GOOD, .kind = MACHINE_DOCKER, .landlock_abi = 0, .landlock_errno = EPERM },
	    "landlock-filter", "seccomp=unconfined" },
	{ "an old ABI", LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope),
	    { GOOD, .landlock_abi = 2, .kernel_minor = 1 }, "landlock-abi", "6.12" },
	{ "no filters", LAYER_BIT(seccomp), { GOOD, .seccomp = false }, "seccomp",
	    "CONFIG_SECCOMP_FILTER" },
	{ "no groups, systemd", LAYER_BIT(cgroup), { GOOD, .group = CGROUP_NONE },
	    "cgroup-systemd", "systemd-run --user --scope -p Delegate=yes" },
	{ "no groups", LAYER_BIT(cgroup), { GOOD, .group = CGROUP_NONE, .systemd = false },
	    "cgroup", "root" },
	{ "no /proc", LAYERS_NAMESPACES, { GOOD, .proc = false }, "no-proc userns",
	    "mount -t proc" },
	{ "two causes", LAYERS_NAMESPACES | LANDLOCKS,
	    { GOOD, .max_user_namespaces = 0, .landlock_abi = 0, .landlock_errno = ENOSYS },
	    "userns-sysctl landlock-config", "sysctl" },
};

static void
check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sandbox_report r = { .want = LAYERS_ALL,
			.held = LAYERS_ALL & ~rows[i].missing };
		auto_done(buf) struct buf names = buf_max(KiB(1));
		struct sandbox_advice_list list;

		sandbox_advice(&r, &rows[i].m, &list);
		for (size_t k = 0; k < list.count; k++) {
			buf_addf(&names, "%s%s", k ? " " : "", list.items[k].name);
			if (!list.items[k].missing[0] || !list.items[k].means[0] ||
			    !list.items[k].mend[0])
				ok(false, "%s: every part is said", list.items[k].name);
			if (strchr(list.items[k].mend, '@'))
				ok(false, "%s: nothing is left to fill in", list.items[k].name);
		}
		is_str(buf_text(&names), rows[i].names, rows[i].what);
		if (rows[i].says[0])
			ok(list.count && strstr(list.items[0].mend, rows[i].says), "%s: %s",
			    rows[i].what, list.count ? list.items[0].mend : "");
	}
}

static char root_path[] = "/tmp/crisol-machine-XXXXXX";

static void
put(int root, const char *path, const char *text)
{
	char part[128];
	int fd;

	for (size_t i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		mkdirat(root, part, 0700);
	}
	fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static void
drop(int root, const char *path)
{
	unlinkat(root, path, 0);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void
check_detection(void)
{
	struct machine m;
	int root;

	if (!mkdtemp(root_path))
		abort();
	root = open(root_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		abort();
	machine_detect(root, "/l", &m);
	ok(m.kind == MACHINE_PLAIN && !m.proc && m.max_user_namespaces == MACHINE_ABSENT,
	    "an empty tree tells nothing");
	is_str(m.launcher, "/l", "the launcher's path is kept");
	put(root, "proc/sys/user/max_user_namespaces", "0\n");
	put(root, "proc/sys/kernel/unprivileged_userns_clone", "1\n");
	put(root, "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
	put(root, "proc/sys/kernel/osrelease", "6.1.0-38-amd64\n");
	put(root, "proc/version",
	    "Linux version 6.1.0-38-amd64 (debian-kernel@lists.debian.org)\n");
	put(root, "proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	put(root, "sys/kernel/security/lsm", "lockdown,capability,landlock\n");
	put(root, ".dockerenv", "");
	machine_detect(root, "", &m);
	ok(m.max_user_namespaces == 0 && m.unprivileged_userns == 1 && m.apparmor_userns == 1,
	    "switches are read");
	ok(m.kernel_major == 6 && m.kernel_minor == 1, "the kernel's version is read");
	is_str(m.lsm, "lockdown,capability,landlock", "the list of modules is read");
	ok(m.filtered && m.proc, "a filter around us is seen");
	is_str(machine_name(m.kind), "Docker", "Docker is recognised");
	drop(root, ".dockerenv");
	put(root, "run/.containerenv", "");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_PODMAN, "Podman is recognised");
	drop(root, "run/.containerenv");
	put(root, "run/systemd/container", "lxc\n");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_LXC, "LXC is recognised");
	put(root, "run/systemd/container", "systemd-nspawn\n");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_CONTAINER, "another container is recognised");
	put(root, "proc/version",
	    "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)\n");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_WSL2, "WSL 2 is recognised");
	put(root, "proc/version",
	    "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)\n");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_WSL1, "WSL 1 is recognised");
	put(root, "proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n");
	machine_detect(root, "", &m);
	is_int(m.kind, MACHINE_GVISOR, "gVisor is recognised");
	put(root, "proc/sys/user/max_user_namespaces", "-1 junk\n");
	put(root, "proc/sys/kernel/osrelease", "\n");
	machine_detect(root, "", &m);
	is_int(m.max_user_namespaces, MACHINE_ABSENT, "junk is no number");
	is_int(m.kernel_major, 0, "and no version");
	close(root);
	nftw(root_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int
main(void)
{
	check_rows();
	check_detection();
	return tap_done();
}
