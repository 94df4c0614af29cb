/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct fault fault;

/* Whether this call fails; errno is set then. */
static bool
fails(const char *name, int code, bool may_wait)
{
	if (!fault.armed || (fault.spared && strcmp(name, fault.spared) == 0))
		return false;
	if (fault.only && strcmp(name, fault.only) != 0)
		return false;
	fault.calls++;
	if (fault.calls == fault.fail_at || (fault.on && fault.hit)) {
		fault.hit = name;
		errno = code;
		return true;
	}
	/* Not evenly: two calls that always follow each other would never both come through. */
	if (may_wait && fault.interrupted &&
	    (unsigned long)fault.calls * 2654435761u % 1000 <
		1000u / (unsigned long)fault.interrupted) {
		errno = EINTR;
		return true;
	}
	return false;
}

static size_t
at_most(size_t n)
{
	return fault.armed && fault.one_byte ? MIN(n, 1) : n;
}

/*
 * WRAP(result, name, errno, may it be interrupted, parameters, arguments): fails or calls the
 * real one. The names with 64 are those that the C library uses for large files.
 */
#define WRAP(type, name, code, may_wait, parameters, arguments) \
	type __real_##name parameters;                          \
	type __wrap_##name parameters;                          \
	type __wrap_##name parameters                           \
	{                                                       \
		if (fails(#name, code, may_wait))               \
			return (type) - 1;                      \
		return __real_##name arguments;                 \
	}

WRAP(ssize_t, read, EIO, true, (int fd, void *p, size_t n), (fd, p, at_most(n)))
WRAP(ssize_t, write, ENOSPC, true, (int fd, const void *p, size_t n), (fd, p, at_most(n)))
WRAP(void *, mmap, ENOMEM, false, (void *p, size_t n, int prot, int flags, int fd, off_t at),
    (p, n, prot, flags, fd, at))
WRAP(void *, mmap64, ENOMEM, false, (void *p, size_t n, int prot, int flags, int fd, off_t at),
    (p, n, prot, flags, fd, at))
WRAP(int, mprotect, ENOMEM, false, (void *p, size_t n, int prot), (p, n, prot))
WRAP(int, madvise, EINVAL, false, (void *p, size_t n, int advice), (p, n, advice))
WRAP(int, memfd_create, EMFILE, false, (const char *name, unsigned flags), (name, flags))
WRAP(int, fstat, EIO, false, (int fd, struct stat *st), (fd, st))
WRAP(int, fstat64, EIO, false, (int fd, struct stat *st), (fd, st))
WRAP(int, dup, EMFILE, false, (int fd), (fd))
WRAP(int, epoll_create1, EMFILE, false, (int flags), (flags))
WRAP(int, epoll_ctl, ENOMEM, false, (int epoll, int what, int fd, struct epoll_event *e),
    (epoll, what, fd, e))
WRAP(int, epoll_wait, EBADF, true, (int epoll, struct epoll_event *e, int n, int ms),
    (epoll, e, n, ms))
WRAP(ssize_t, getrandom, EIO, true, (void *p, size_t n, unsigned flags), (p, n, flags))
WRAP(int, sigaction, EINVAL, false, (int number, const void *action, void *old),
    (number, action, old))
WRAP(int, sigaltstack, ENOMEM, false, (const void *stack, void *old), (stack, old))
WRAP(int, timer_create, EAGAIN, false, (int clock, void *event, void *timer),
    (clock, event, timer))

WRAP(int, socketpair, EMFILE, false, (int domain, int type, int protocol, int *ends),
    (domain, type, protocol, ends))
WRAP(int, pipe2, EMFILE, false, (int *ends, int flags), (ends, flags))
WRAP(int, pidfd_open, EMFILE, false, (int pid, unsigned flags), (pid, flags))
WRAP(int, signalfd, EMFILE, false, (int fd, const void *set, int flags), (fd, set, flags))
WRAP(int, sigprocmask, EINVAL, false, (int how, const void *set, void *old), (how, set, old))
WRAP(ssize_t, readlink, EACCES, false, (const char *path, char *p, size_t n), (path, p, n))
WRAP(int, lstat, EACCES, false, (const char *path, struct stat *st), (path, st))
WRAP(int, lstat64, EACCES, false, (const char *path, struct stat *st), (path, st))
WRAP(int, fstatat, EACCES, false, (int dir, const char *path, struct stat *st, int flags),
    (dir, path, st, flags))
WRAP(int, fstatat64, EACCES, false, (int dir, const char *path, struct stat *st, int flags),
    (dir, path, st, flags))
WRAP(int, mkdirat, ENOSPC, false, (int dir, const char *path, mode_t mode), (dir, path, mode))
WRAP(int, unlinkat, EBUSY, false, (int dir, const char *path, int flags), (dir, path, flags))

/* Tells its error by the result. */
int __real_posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attr,
    char *const *argv, char *const *env);
int __wrap_posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attr,
    char *const *argv, char *const *env);
int
__wrap_posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attr,
    char *const *argv, char *const *env)
{
	if (fails("posix_spawn", EAGAIN, false))
		return EAGAIN;
	return __real_posix_spawn(pid, path, actions, attr, argv, env);
}

/* Those with a variable argument: it is as wide as a pointer. */
#define WRAP_OPEN(type, name, code, first, second)  \
	type __real_##name(first a, second b, ...); \
	type __wrap_##name(first a, second b, ...); \
	type __wrap_##name(first a, second b, ...)  \
	{                                           \
		va_list ap;                         \
		void *last;                         \
                                                    \
		if (fails(#name, code, false))      \
			return (type) - 1;          \
		va_start(ap, b);                    \
		last = va_arg(ap, void *);          \
		va_end(ap);                         \
		return __real_##name(a, b, last);   \
	}

WRAP_OPEN(int, open, EMFILE, const char *, int)
WRAP_OPEN(int, open64, EMFILE, const char *, int)
WRAP_OPEN(int, fcntl, EPERM, int, int)
WRAP_OPEN(int, fcntl64, EPERM, int, int)
WRAP(int, openat, EMFILE, false, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(int, openat64, EMFILE, false, (int dir, const char *path, int flags), (dir, path, flags))

/* A message of one byte. */
static struct msghdr
shortened(const struct msghdr *m, struct iovec *ret_part)
{
	struct msghdr copy = *m;

	*ret_part = (struct iovec){ m->msg_iov[0].iov_base, at_most(m->msg_iov[0].iov_len) };
	copy.msg_iov = ret_part;
	copy.msg_iovlen = 1;
	return copy;
}

ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t
__wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct iovec part;
	struct msghdr copy = shortened(m, &part);

	if (fails("sendmsg", ENOBUFS, true))
		return -1;
	return __real_sendmsg(fd, &copy, flags);
}

ssize_t __real_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t
__wrap_recvmsg(int fd, struct msghdr *m, int flags)
{
	struct iovec part;
	struct msghdr copy = shortened(m, &part);
	ssize_t n;

	if (fails("recvmsg", EIO, true))
		return -1;
	n = __real_recvmsg(fd, &copy, flags);
	m->msg_controllen = copy.msg_controllen;
	m->msg_flags = copy.msg_flags;
	return n;
}
