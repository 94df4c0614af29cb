/* SPDX-License-Identifier: MIT */
/*
 * Facts about this machine that decide which walls it can give. Plain values, found out by one
 * function, so that the advice about them is a pure function that tests feed with machines of
 * their own making.
 */
#ifndef SANDBOX_MACHINE_H
#define SANDBOX_MACHINE_H

#include "sandbox/cgroup.h"

enum machine_kind {
	MACHINE_PLAIN,
	MACHINE_DOCKER,
	MACHINE_PODMAN,
	MACHINE_LXC,
	MACHINE_CONTAINER, /* another one */
	MACHINE_WSL1,
	MACHINE_WSL2,
	MACHINE_GVISOR,
};

#define MACHINE_ABSENT       (-1) /* a switch this kernel does not have */
#define MACHINE_LAUNCHER_MAX 256

struct machine {
	enum machine_kind kind;
	unsigned kernel_major, kernel_minor;
	bool root;
	bool proc; /* /proc is mounted */
	bool systemd;
	int64_t max_user_namespaces; /* user.max_user_namespaces */
	int64_t unprivileged_userns; /* kernel.unprivileged_userns_clone, Debian's switch */
	int64_t apparmor_userns; /* kernel.apparmor_restrict_unprivileged_userns, Ubuntu's */
	unsigned landlock_abi;   /* 0: none */
	int landlock_errno;      /* why there is none: ENOSYS, EOPNOTSUPP, EPERM */
	char lsm[128];           /* the list of security modules; "" when it cannot be read */
	bool seccomp;            /* filters can be loaded */
	bool filtered;           /* this process is under a filter of somebody else */
	uint64_t address_space;  /* RLIMIT_AS, UINT64_MAX: no limit */
	enum cgroup_version group;
	struct sandbox_why group_why;
	char launcher[MACHINE_LAUNCHER_MAX]; /* path of crisol-launch, for instructions */
};

/* `root` is a descriptor of "/", or of a made-up tree in a test. Never fails. */
void machine_detect(int root, const char *launcher, struct machine *ret_machine);
const char *machine_name(enum machine_kind kind);

#endif
