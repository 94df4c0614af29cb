/* SPDX-License-Identifier: MIT */
#include "sandbox/advice.h"

#include <errno.h>
#include <stdio.h>

#define LAUNCHER_MARK "@LAUNCHER@"
#define VM_SPACE      GiB(8) /* address space that one virtual machine reserves */
#define WITHOUT_NAMESPACES                                                                  \
	"guests run without namespaces: names and sizes of files, other processes and the " \
	"network interfaces of this machine are not hidden from them by a second wall"
#define WITHOUT_LANDLOCK                                                                  \
	"one of the two walls between a guest and the files is missing; what is left is " \
	"the system call filter and, where there are namespaces, the empty file tree"

struct facts {
	const struct machine *m;
	uint32_t missing;
};

static bool
lacks(const struct facts *f, uint32_t layers)
{
	return f->missing & layers;
}

static bool
kernel_before(const struct machine *m, unsigned major, unsigned minor)
{
	if (m->kernel_major == 0)
		return false; /* unknown */
	return m->kernel_major < major || (m->kernel_major == major && m->kernel_minor < minor);
}

static bool
no_landlock(const struct facts *f)
{
	return lacks(f, LAYER_BIT(landlock)) && f->m->landlock_abi == 0;
}

static bool
is_wsl1(const struct facts *f)
{
	return f->m->kind == MACHINE_WSL1;
}

static bool
is_gvisor(const struct facts *f)
{
	return f->m->kind == MACHINE_GVISOR && f->missing;
}

/* Both replace the kernel; advice about kernel settings would send a person astray there. */
static bool
kernel_is_theirs(const struct facts *f)
{
	return f->m->kind == MACHINE_WSL1 || f->m->kind == MACHINE_GVISOR;
}

static bool
space_limited(const struct facts *f)
{
	return f->m->address_space < 2 * VM_SPACE;
}

static bool
no_proc(const struct facts *f)
{
	return !f->m->proc;
}

static bool
userns_sysctl(const struct facts *f)
{
	return lacks(f, LAYER_BIT(userns)) && f->m->max_user_namespaces == 0;
}

static bool
userns_debian(const struct facts *f)
{
	return lacks(f, LAYER_BIT(userns)) && f->m->unprivileged_userns == 0 && !f->m->root;
}

static bool
userns_apparmor(const struct facts *f)
{
	return lacks(f, LAYERS_NAMESPACES) && f->m->apparmor_userns == 1 && !f->m->root;
}

/* The machine's own setting explains it; a container's filter may show when that is mended. */
static bool
by_setting(const struct facts *f)
{
	return userns_sysctl(f) || userns_debian(f) || userns_apparmor(f);
}

static bool
userns_docker(const struct facts *f)
{
	return lacks(f, LAYERS_NAMESPACES) && f->m->kind == MACHINE_DOCKER && !by_setting(f);
}

static bool
userns_podman(const struct facts *f)
{
	return lacks(f, LAYERS_NAMESPACES) && f->m->kind == MACHINE_PODMAN && !by_setting(f);
}

static bool
userns_lxc(const struct facts *f)
{
	return lacks(f, LAYERS_NAMESPACES) && f->m->kind == MACHINE_LXC && !by_setting(f);
}

static bool
known_userns_cause(const struct facts *f)
{
	return by_setting(f) || userns_docker(f) || userns_podman(f) || userns_lxc(f) ||
	       kernel_is_theirs(f);
}

static bool
userns_unknown(const struct facts *f)
{
	return lacks(f, LAYERS_NAMESPACES) && !known_userns_cause(f);
}

static bool
landlock_old_kernel(const struct facts *f)
{
	return no_landlock(f) && !kernel_is_theirs(f) && f->m->kind != MACHINE_WSL2 &&
	       kernel_before(f->m, 5, 13);
}

static bool
landlock_wsl2(const struct facts *f)
{
	return no_landlock(f) && f->m->kind == MACHINE_WSL2;
}

static bool
in_container(const struct facts *f)
{
	return f->m->kind == MACHINE_DOCKER || f->m->kind == MACHINE_PODMAN ||
	       f->m->kind == MACHINE_LXC || f->m->kind == MACHINE_CONTAINER;
}

/* EPERM is a filter around us: the kernel itself says ENOSYS or EOPNOTSUPP. */
static bool
landlock_filtered(const struct facts *f)
{
	return no_landlock(f) && in_container(f) && f->m->landlock_errno == EPERM;
}

static bool
landlock_boot(const struct facts *f)
{
	return no_landlock(f) && !kernel_is_theirs(f) && !landlock_filtered(f) &&
	       !kernel_before(f->m, 5, 13) && f->m->landlock_errno == EOPNOTSUPP;
}

static bool
landlock_config(const struct facts *f)
{
	return no_landlock(f) && !kernel_is_theirs(f) && !landlock_filtered(f) &&
	       !landlock_wsl2(f) && !kernel_before(f->m, 5, 13) &&
	       f->m->landlock_errno != EOPNOTSUPP;
}

static bool
landlock_old_abi(const struct facts *f)
{
	return f->m->landlock_abi > 0 &&
	       lacks(f, LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope));
}

static bool
no_seccomp(const struct facts *f)
{
	return lacks(f, LAYER_BIT(seccomp)) && !kernel_is_theirs(f);
}

static bool
group_systemd(const struct facts *f)
{
	return lacks(f, LAYER_BIT(cgroup)) && f->m->group == CGROUP_NONE && f->m->systemd;
}

static bool
group_plain(const struct facts *f)
{
	return lacks(f, LAYER_BIT(cgroup)) && f->m->group == CGROUP_NONE && !f->m->systemd;
}

/* In the order in which to read them: what stops the work first, then what weakens it most. */
static const struct {
	const char *name;
	enum advice_weight weight;
	bool (*applies)(const struct facts *f);
	const char *missing, *means, *mend;
} rows[] = {
	{ "address-space", ADVICE_STOPS, space_limited,
	    "the address space of this process is limited (ulimit -v)",
	    "each virtual machine reserves 8 GiB of addresses (not of memory): scripts cannot "
	    "run",
	    "ulimit -v unlimited   # in the shell that starts crisol; in a systemd unit: "
	    "LimitAS=infinity" },
	{ "wsl1", ADVICE_WEAKENS, is_wsl1, "WSL 1 has no Linux kernel",
	    "no wall of the kernel is there: neither namespaces nor Landlock nor filters",
	    "# in a Windows terminal; wsl --list names the distribution:\n"
	    "wsl --set-version <distribution> 2" },
	{ "gvisor", ADVICE_BETTER, is_gvisor, "gVisor's kernel does not give all walls",
	    "gVisor itself is a wall around everything here, but not between guests and you",
	    "# where the container is started, or accept the one wall:\n"
	    "docker run --runtime=runc ..." },
	{ "no-proc", ADVICE_STOPS, no_proc, "/proc is not mounted",
	    "namespaces cannot be given ids and walls cannot be proved",
	    "sudo mount -t proc proc /proc" },
	{ "userns-sysctl", ADVICE_WEAKENS, userns_sysctl,
	    "user namespaces are switched off (user.max_user_namespaces=0)", WITHOUT_NAMESPACES,
	    "echo 'user.max_user_namespaces=15000' | sudo tee /etc/sysctl.d/60-crisol.conf && "
	    "sudo sysctl --system" },
	{ "userns-debian", ADVICE_WEAKENS, userns_debian,
	    "only root may make user namespaces (kernel.unprivileged_userns_clone=0)",
	    WITHOUT_NAMESPACES,
	    "echo 'kernel.unprivileged_userns_clone=1' | sudo tee /etc/sysctl.d/60-crisol.conf "
	    "&& "
	    "sudo sysctl --system" },
	{ "userns-apparmor", ADVICE_WEAKENS, userns_apparmor,
	    "AppArmor allows user namespaces to known programs only "
	    "(kernel.apparmor_restrict_unprivileged_userns=1)",
	    WITHOUT_NAMESPACES,
	    "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile crisol-launch "
	    "\"" LAUNCHER_MARK "\" flags=(unconfined) {\\n  userns,\\n}\\n' | "
	    "sudo tee /etc/apparmor.d/crisol-launch && "
	    "sudo apparmor_parser -r /etc/apparmor.d/crisol-launch" },
	{ "userns-docker", ADVICE_WEAKENS, userns_docker, "Docker's filter refuses namespaces",
	    WITHOUT_NAMESPACES,
	    "# where the container is started; crisol's walls then replace Docker's:\n"
	    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
	    "--security-opt systempaths=unconfined ..." },
	{ "userns-podman", ADVICE_WEAKENS, userns_podman,
	    "Podman's filter or masks refuse namespaces", WITHOUT_NAMESPACES,
	    "# where the container is started; crisol's walls then replace Podman's:\n"
	    "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ..." },
	{ "userns-lxc", ADVICE_WEAKENS, userns_lxc, "this LXC container may not hold others",
	    WITHOUT_NAMESPACES,
	    "# on the machine that holds the container:\n"
	    "lxc config set <container> security.nesting true && lxc restart <container>" },
	{ "userns", ADVICE_WEAKENS, userns_unknown, "the machine refuses namespaces",
	    WITHOUT_NAMESPACES,
	    "# says which rule refuses it; run crisol where this works:\n"
	    "unshare --user --map-root-user --mount true" },
	{ "landlock-kernel", ADVICE_WEAKENS, landlock_old_kernel,
	    "this kernel is older than Landlock (5.13)", WITHOUT_LANDLOCK,
	    "sudo apt install linux-image-amd64 && sudo reboot   # or another kernel from 5.13 "
	    "on" },
	{ "landlock-boot", ADVICE_WEAKENS, landlock_boot,
	    "Landlock is in the kernel but not switched on at boot", WITHOUT_LANDLOCK,
	    "# adds landlock to the list lsm= of the kernel's command line; without GRUB, add "
	    "it "
	    "where your boot loader has that line\n"
	    "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&lsm=@LSM@ /' /etc/default/grub && "
	    "sudo update-grub && sudo reboot" },
	{ "landlock-filter", ADVICE_WEAKENS, landlock_filtered,
	    "the container's filter refuses Landlock", WITHOUT_LANDLOCK,
	    "# where the container is started: a newer Docker or Podman, or\n"
	    "docker run --security-opt seccomp=unconfined ..." },
	{ "landlock-wsl2", ADVICE_WEAKENS, landlock_wsl2, "this WSL kernel has no Landlock",
	    WITHOUT_LANDLOCK,
	    "# in a Windows terminal:\n"
	    "wsl --update" },
	{ "landlock-config", ADVICE_WEAKENS, landlock_config,
	    "this kernel was built without Landlock", WITHOUT_LANDLOCK,
	    "# Debian's has it (CONFIG_SECURITY_LANDLOCK=y):\n"
	    "sudo apt install linux-image-amd64 && sudo reboot" },
	{ "landlock-abi", ADVICE_BETTER, landlock_old_abi,
	    "this kernel's Landlock is older than ABI 6",
	    "TCP (before 4), signals and abstract sockets (before 6) are refused by the system "
	    "call filter and by namespaces alone",
	    "# a kernel from 6.12 on; Debian 12 has it in bookworm-backports:\n"
	    "sudo apt install -t bookworm-backports linux-image-amd64 && sudo reboot" },
	{ "seccomp", ADVICE_WEAKENS, no_seccomp, "the kernel cannot load system call filters",
	    "a guest that breaks out of its virtual machine can ask the kernel for anything",
	    "# Debian's has them (CONFIG_SECCOMP_FILTER=y):\n"
	    "sudo apt install linux-image-amd64 && sudo reboot" },
	{ "cgroup-systemd", ADVICE_BETTER, group_systemd,
	    "no control group is delegated to crisol",
	    "memory is bounded for each process, not for a job and everything it starts",
	    "systemd-run --user --scope -p Delegate=yes crisol ..." },
	{ "cgroup", ADVICE_BETTER, group_plain, "no control group can be made here",
	    "memory is bounded for each process, not for a job and everything it starts",
	    "# as root, or in a container that may write to /sys/fs/cgroup:\n"
	    "sudo crisol doctor" },
};

/* The text with @LAUNCHER@ and @LSM@ replaced; what does not fit is cut. */
static void
fill(const char *text, const struct machine *m, char *ret_mend)
{
	auto_done(buf) struct buf out = buf_max(ADVICE_MEND_MAX - 1);

	while (*text) {
		if (strncmp(text, LAUNCHER_MARK, strlen(LAUNCHER_MARK)) == 0) {
			buf_add(&out, str_of(m->launcher));
			text += strlen(LAUNCHER_MARK);
		} else if (strncmp(text, "@LSM@", 5) == 0) {
			buf_addf(&out, "landlock,%s",
			    m->lsm[0] ? m->lsm : "'\"$(sudo cat /sys/kernel/security/lsm)\"'");
			text += 5;
		} else {
			buf_addc(&out, *text++);
		}
	}
	snprintf(ret_mend, ADVICE_MEND_MAX, "%s", buf_text(&out));
}

void
sandbox_advice(const struct sandbox_report *report, const struct machine *machine,
    struct sandbox_advice_list *ret_list)
{
	struct facts f = { machine, sandbox_report_missing(report) };

	ret_list->count = 0;
	for (size_t i = 0; i < COUNT(rows) && ret_list->count < ADVICE_MAX; i++) {
		struct sandbox_advice *item = &ret_list->items[ret_list->count];

		if (!rows[i].applies(&f))
			continue;
		item->name = rows[i].name;
		item->weight = rows[i].weight;
		item->missing = rows[i].missing;
		item->means = rows[i].means;
		fill(rows[i].mend, machine, item->mend);
		ret_list->count++;
	}
}
