/* SPDX-License-Identifier: MIT */
#include "sandbox/sys.h"

#include <errno.h>

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
