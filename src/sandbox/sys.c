/* SPDX-License-Identifier: MIT */
#include "sandbox/sys.h"

#include <errno.h>

#define FDS_MOST 65536

int
sys_close_from(unsigned first, unsigned flags)
{
	struct rlimit64 files;

	if (sys_close_range(first, ~0U, flags) == 0)
		return 0;
	if (sys_rlimit(RLIMIT_NOFILE, NULL, &files) < 0)
		return -1;
	for (unsigned fd = first; fd < MIN(files.rlim_cur, FDS_MOST); fd++) {
		int r = flags & CLOSE_RANGE_CLOEXEC ? sys_fcntl((int)fd, F_SETFD, FD_CLOEXEC)
						    : (int)syscall(SYS_close, fd);

		if (r < 0 && errno != EBADF)
			return -1;
	}
	return 0;
}

int
sys_put(int dir, const char *path, const char *text)
{
	auto_fd int fd = sys_openat(dir, path, O_WRONLY | O_NOCTTY, 0);
	size_t n = strlen(text);
	ssize_t wrote;

	if (fd < 0)
		return -1;
	wrote = sys_write(fd, text, n);
	if (wrote >= 0 && (size_t)wrote != n)
		errno = EIO;
	return wrote == (ssize_t)n ? 0 : -1;
}

ssize_t
sys_get(int dir, const char *path, char *ret_text, size_t room)
{
	auto_fd int fd = sys_openat(dir, path, O_RDONLY | O_NOCTTY, 0);
	size_t n = 0;

	if (fd < 0)
		return -1;
	for (;;) {
		ssize_t got = read(fd, ret_text + n, room - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		n += (size_t)got;
		if (n == room) {
			errno = ENOBUFS;
			return -1;
		}
		if (got == 0)
			break;
	}
	ret_text[n] = '\0';
	return (ssize_t)n;
}
