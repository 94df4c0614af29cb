/* SPDX-License-Identifier: MIT */
/*
 * The system calls that put up walls, typed, each one raw: libc's wrappers come too late for
 * new calls, and some of them (setresuid, clone) do more than the call.
 *
 * Everything here goes through the one symbol `syscall`, so a test program linked with
 * --wrap=syscall can fail the n-th step of a set-up. All return -1 with errno set.
 * For src/sandbox alone; constants newer than Debian 12's kernel headers are defined here.
 */
#ifndef SANDBOX_SYS_H
#define SANDBOX_SYS_H

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

struct sys_landlock_ruleset {
	uint64_t fs;
	uint64_t net;
	uint64_t scope;
};

static inline pid_t
sys_clone3(struct clone_args *args)
{
	return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

#ifdef __x86_64__
/* clone() for kernels or filters that refuse clone3: without a new stack it returns like fork.
 */
static inline pid_t
sys_clone(unsigned long flags, int *ret_pidfd)
{
	return (pid_t)syscall(SYS_clone, flags, NULL, ret_pidfd, NULL, 0);
}
#else
static inline pid_t
sys_clone(unsigned long flags, int *ret_pidfd)
{
	return (pid_t)syscall(SYS_clone, flags, NULL, ret_pidfd, 0, NULL);
}
#endif

static inline int
sys_execveat(int fd, char *const *argv, char *const *envp)
{
	return (int)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

static inline int
sys_pidfd_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

static inline int
sys_setns(int fd, int kind)
{
	return (int)syscall(SYS_setns, fd, kind);
}

static inline pid_t
sys_setsid(void)
{
	return (pid_t)syscall(SYS_setsid);
}

static inline int
sys_setresuid(uid_t id)
{
	return (int)syscall(SYS_setresuid, id, id, id);
}

static inline int
sys_setresgid(gid_t id)
{
	return (int)syscall(SYS_setresgid, id, id, id);
}

/* Leaves every supplementary group. */
static inline int
sys_setgroups_none(void)
{
	return (int)syscall(SYS_setgroups, 0, NULL);
}

static inline int
sys_sethostname(const char *name)
{
	return (int)syscall(SYS_sethostname, name, strlen(name));
}

static inline int
sys_prctl(int option, unsigned long a, unsigned long b)
{
	return (int)syscall(SYS_prctl, option, a, b, 0UL, 0UL);
}

static inline int
sys_capget(struct __user_cap_data_struct ret_data[2])
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };

	return (int)syscall(SYS_capget, &head, ret_data);
}

static inline int
sys_capset(const struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };

	return (int)syscall(SYS_capset, &head, data);
}

/* Sets (set not NULL) or reads a limit of the calling process. */
static inline int
sys_rlimit(int resource, const struct rlimit64 *set, struct rlimit64 *ret_old)
{
	return (int)syscall(SYS_prlimit64, 0, resource, set, ret_old);
}

static inline int
sys_mount(const char *from, const char *at, const char *type, unsigned long flags,
    const char *data)
{
	return (int)syscall(SYS_mount, from, at, type, flags, data);
}

static inline int
sys_umount(const char *at, int flags)
{
	return (int)syscall(SYS_umount2, at, flags);
}

static inline int
sys_pivot_root(const char *root, const char *old)
{
	return (int)syscall(SYS_pivot_root, root, old);
}

static inline int
sys_open_tree(int dir, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dir, path, flags);
}

/* Attaches the detached mount `tree` at a path. */
static inline int
sys_move_mount(int tree, int dir, const char *path)
{
	return (int)syscall(SYS_move_mount, tree, "", dir, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* Restricts a whole mounted tree and cuts it off from the places it was copied from. */
static inline int
sys_mount_restrict(int tree, uint64_t set)
{
	struct mount_attr attr = { .attr_set = set, .propagation = MS_PRIVATE };

	return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
	    sizeof(attr));
}

/* Restricts one mount and not what is mounted below it. */
static inline int
sys_mount_restrict_one(int tree, uint64_t set)
{
	struct mount_attr attr = { .attr_set = set };

	return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr));
}

static inline int
sys_fsopen(const char *type)
{
	return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

/* One option of a file system about to be made; value NULL: the options are complete, make it.
 */
static inline int
sys_fsconfig(int fs, const char *key, const char *value)
{
	if (!key)
		return (int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (!value)
		return (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, key, NULL, 0);
	return (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0);
}

static inline int
sys_fsmount(int fs, unsigned attr)
{
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
}

/* With a NULL ruleset and flags 1: the ABI version. */
static inline int
sys_landlock_create(const struct sys_landlock_ruleset *set, size_t size, unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, set, size, flags);
}

static inline int
sys_landlock_add(int ruleset, int type, const void *rule)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, type, rule, 0);
}

static inline int
sys_landlock_restrict(int ruleset)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

static inline int
sys_seccomp(unsigned operation, unsigned flags, const void *args)
{
	return (int)syscall(SYS_seccomp, operation, flags, args);
}

static inline int
sys_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int
sys_openat(int dir, const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, dir, path, flags | O_CLOEXEC, mode);
}

/* As O_PATH; ELOOP when a link is on the way. */
static inline int
sys_open_real(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static inline int
sys_mkdirat(int dir, const char *path, mode_t mode)
{
	return (int)syscall(SYS_mkdirat, dir, path, mode);
}

static inline int
sys_symlinkat(const char *target, int dir, const char *path)
{
	return (int)syscall(SYS_symlinkat, target, dir, path);
}

static inline int
sys_socketpair(int type, int ret_pair[2])
{
	return (int)syscall(SYS_socketpair, AF_UNIX, type | SOCK_CLOEXEC, 0, ret_pair);
}

static inline int
sys_dup2(int from, int to)
{
	return (int)syscall(SYS_dup3, from, to, 0);
}

static inline int
sys_fcntl(int fd, int command, long arg)
{
	return (int)syscall(SYS_fcntl, fd, command, arg);
}

static inline ssize_t
sys_write(int fd, const void *p, size_t n)
{
	return syscall(SYS_write, fd, p, n);
}

static inline int
sys_chdir(const char *path)
{
	return (int)syscall(SYS_chdir, path);
}

static inline int
sys_fchdir(int fd)
{
	return (int)syscall(SYS_fchdir, fd);
}

/*
 * Closes descriptors from `first` on, or with CLOSE_RANGE_CLOEXEC marks them to close by the exec;
 * one by one where the kernel has no call for it.
 */
int sys_close_from(unsigned first, unsigned flags);
/* Writes a control file (below dir, or AT_FDCWD) in one write. */
int sys_put(int dir, const char *path, const char *text);
/* Reads a small file whole and NUL-terminates it; -1 also when it does not fit (ENOBUFS). */
ssize_t sys_get(int dir, const char *path, char *ret_text, size_t room);

#endif
