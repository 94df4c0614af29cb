/* SPDX-License-Identifier: MIT */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLURP_STEP KiB(16)
#define SEALS      (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int
fd_write_all(int fd, struct str s, struct err *e)
{
	while (s.n) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return err_set(e, ERR_CLOSED, "the reader is gone");
		if (n < 0)
			return err_sys(e, "write");
		s = str_from(s, (size_t)n);
	}
	return 0;
}

int
fd_read_all(int fd, void *p, size_t n, struct err *e)
{
	char *at = p;

	while (n) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "read");
		if (got == 0)
			return err_set(e, ERR_CLOSED, "unexpected end of data");
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

int
fd_slurp(int fd, struct buf *ret_buf, struct err *e)
{
	for (;;) {
		size_t had = ret_buf->n;
		size_t want = MIN(SLURP_STEP, ret_buf->max - had);
		char spare = 0;
		char *p = want ? buf_space(ret_buf, want) : &spare;
		ssize_t n = read(fd, p, want ? want : 1);

		ret_buf->n = had;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (n == 0) {
			if (ret_buf->p)
				ret_buf->p[had] = '\0';
			return 0;
		}
		if (!want)
			return err_set(e, ERR_LIMIT, "more than %zu bytes", ret_buf->max);
		ret_buf->n = had + (size_t)n;
	}
}

int
fd_slurp_at(int dir, const char *path, struct buf *ret_buf, struct err *e)
{
	auto_fd int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int r;

	if (fd < 0)
		return err_sys(e, "open '%s'", path);
	r = fd_slurp(fd, ret_buf, e);
	return r < 0 ? err_wrap(e, r, "'%s'", path) : 0;
}

int
fd_put_at(int dir, const char *path, struct str s, struct err *e)
{
	auto_fd int fd = openat(dir, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_sys(e, "open '%s'", path);
	if (write(fd, s.p, s.n) != (ssize_t)s.n)
		return err_sys(e, "write '%s'", path);
	return 0;
}

int
fd_nonblock(int fd, struct err *e)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_sys(e, "make descriptor %d non-blocking", fd);
	return 0;
}

int
fd_seal_new(struct str body, int *ret_fd, struct err *e)
{
	auto_fd int fd = memfd_create("crisol-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return err_sys(e, "make sealed memory");
	r = fd_write_all(fd, body, e);
	if (r < 0)
		return r;
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return err_sys(e, "seal memory");
	*ret_fd = steal_fd(&fd);
	return 0;
}

int
fd_seal_map(int fd, size_t size, struct str *ret_body, struct err *e)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);
	void *p;

	if (seals < 0 || (seals & SEALS) != SEALS)
		return err_set(e, ERR_PROTO, "a body that is not sealed memory");
	if (fstat(fd, &st) < 0)
		return err_sys(e, "fstat a sealed body");
	if (st.st_size < 0 || (size_t)st.st_size != size)
		return err_set(e, ERR_PROTO, "a sealed body of another size than was said");
	*ret_body = (struct str){ "", 0 };
	if (size == 0)
		return 0;
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_sys(e, "map a sealed body");
	*ret_body = (struct str){ p, size };
	return 0;
}

void
fd_seal_unmap(struct str *body)
{
	if (body->n)
		munmap((void *)(uintptr_t)body->p, body->n);
	*body = (struct str){ NULL, 0 };
}
