/* SPDX-License-Identifier: MIT */
#include "sandbox/machine.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>

#include "sandbox/landlock.h"
#include "sandbox/sys.h"

/* gVisor names this kernel, whatever the machine below it runs. */
#define GVISOR_VERSION "#1 SMP Sun Jan 10 15:06:54 PST 2016"

static const char *const names[] = {
	[MACHINE_PLAIN] = "no container",
	[MACHINE_DOCKER] = "Docker",
	[MACHINE_PODMAN] = "Podman",
	[MACHINE_LXC] = "LXC",
	[MACHINE_CONTAINER] = "a container",
	[MACHINE_WSL1] = "WSL 1",
	[MACHINE_WSL2] = "WSL 2",
	[MACHINE_GVISOR] = "gVisor",
};

const char *
machine_name(enum machine_kind kind)
{
	return (size_t)kind < COUNT(names) ? names[kind] : "unknown";
}

static bool
there(int root, const char *path)
{
	return faccessat(root, path, F_OK, 0) == 0;
}

static int64_t
read_number(int root, const char *path)
{
	char text[64];
	uint64_t value;

	if (sys_get(root, path, text, sizeof(text)) < 0 ||
	    !str_u64(str_trim(str_of(text)), INT64_MAX, &value))
		return MACHINE_ABSENT;
	return (int64_t)value;
}

static enum machine_kind
kind_of_container(int root)
{
	char text[256];

	if (there(root, ".dockerenv"))
		return MACHINE_DOCKER;
	if (there(root, "run/.containerenv"))
		return MACHINE_PODMAN;
	if (sys_get(root, "run/systemd/container", text, sizeof(text)) < 0)
		return there(root, "dev/lxd") ? MACHINE_LXC : MACHINE_PLAIN;
	if (strstr(text, "lxc"))
		return MACHINE_LXC;
	return strstr(text, "docker") ? MACHINE_DOCKER : MACHINE_CONTAINER;
}

static enum machine_kind
kind_of(int root)
{
	char text[512];

	if (sys_get(root, "proc/version", text, sizeof(text)) >= 0) {
		if (strstr(text, GVISOR_VERSION))
			return MACHINE_GVISOR;
		if (strstr(text, "WSL2") || strstr(text, "microsoft-standard"))
			return MACHINE_WSL2;
		if (strstr(text, "Microsoft"))
			return MACHINE_WSL1;
	}
	return kind_of_container(root);
}

/* "6.1.0-38-amd64"; both stay 0 when it looks otherwise. */
static void
read_version(int root, struct machine *m)
{
	char text[128];
	struct str rest;
	uint64_t major, minor;

	if (sys_get(root, "proc/sys/kernel/osrelease", text, sizeof(text)) < 0)
		return;
	rest = str_of(text);
	if (!str_u64(str_split(&rest, '.'), 999, &major))
		return;
	rest.n = rest.n ? strspn(rest.p, "0123456789") : 0;
	if (!str_u64(rest, 999, &minor))
		return;
	m->kernel_major = (unsigned)major;
	m->kernel_minor = (unsigned)minor;
}

static bool
is_filtered(int root)
{
	char text[KiB(8)];
	const char *line;

	if (sys_get(root, "proc/self/status", text, sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nSeccomp:");
	return line && str_eq(str_trim((struct str){ line + 9, 3 }), STR("2"));
}

static void
ask_kernel(struct machine *m)
{
	uint32_t kill_process = SECCOMP_RET_KILL_PROCESS;
	struct rlimit64 space;

	errno = 0;
	m->landlock_abi = landlock_abi();
	m->landlock_errno = m->landlock_abi ? 0 : errno;
	m->seccomp = sys_seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &kill_process) == 0;
	m->root = geteuid() == 0;
	m->address_space =
	    sys_rlimit(RLIMIT_AS, NULL, &space) == 0 ? space.rlim_cur : UINT64_MAX;
}

void
machine_detect(int root, const char *launcher, struct machine *ret_machine)
{
	static struct cgroup_home home;
	struct machine m = { 0 };
	ssize_t n;

	m.kind = kind_of(root);
	m.proc = there(root, "proc/self");
	m.systemd = there(root, "run/systemd/system");
	m.max_user_namespaces = read_number(root, "proc/sys/user/max_user_namespaces");
	m.unprivileged_userns = read_number(root, "proc/sys/kernel/unprivileged_userns_clone");
	m.apparmor_userns =
	    read_number(root, "proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	m.filtered = is_filtered(root);
	n = sys_get(root, "sys/kernel/security/lsm", m.lsm, sizeof(m.lsm));
	m.lsm[n > 0 ? strcspn(m.lsm, "\n") : 0] = '\0';
	read_version(root, &m);
	ask_kernel(&m);
	cgroup_look(&home);
	m.group = home.version;
	m.group_why = home.why;
	snprintf(m.launcher, sizeof(m.launcher), "%s", launcher);
	*ret_machine = m;
}
