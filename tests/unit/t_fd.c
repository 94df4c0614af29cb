/* SPDX-License-Identifier: MIT */
#include "base/fd.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static struct err e;

static int
memory_of(struct str s)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ok(fd >= 0 && fd_write_all(fd, s, &e) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file");
	return fd;
}

static void
reads_all(void)
{
	auto_fd int fd = memory_of(STR("abcdef"));
	char got[4];

	is_int(fd_read_all(fd, got, 4, &e), 0, "four of six bytes");
	ok(memcmp(got, "abcd", 4) == 0, "the first four");
	is_int(fd_read_all(fd, got, 0, &e), 0, "none");
	is_int(fd_read_all(fd, got, 4, &e), -ERR_CLOSED, "two are not four");
	is_int(fd_read_all(-1, got, 1, &e), -ERR_SYS, "a bad descriptor");
	is_int(e.sys, EBADF, "is EBADF");
}

static void
slurps(void)
{
	static const struct {
		size_t size, max;
		int want;
	} rows[] = {
		{ 0, 0, 0 },
		{ 0, 10, 0 },
		{ 1, 0, -ERR_LIMIT },
		{ 10, 10, 0 },
		{ 11, 10, -ERR_LIMIT },
		{ KiB(16), KiB(16), 0 },
		{ KiB(16) + 1, KiB(16), -ERR_LIMIT },
		{ KiB(100), KiB(100), 0 },
		{ KiB(100), MiB(1), 0 },
	};
	auto_free char *bytes = xcalloc(1, KiB(100));

	memset(bytes, 'z', KiB(100));
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_fd int fd = memory_of((struct str){ bytes, rows[i].size });
		auto_done(buf) struct buf b = buf_max(rows[i].max);

		is_int(fd_slurp(fd, &b, &e), rows[i].want, "slurped or refused");
		if (rows[i].want < 0)
			continue;
		ok(b.n == rows[i].size && strlen(buf_text(&b)) == b.n,
		    "%zu bytes with a maximum of %zu", rows[i].size, rows[i].max);
	}
}

static void
slurps_behind(void)
{
	auto_fd int fd = memory_of(STR("def"));
	auto_done(buf) struct buf b = buf_max(6);

	buf_add(&b, STR("abc"));
	is_int(fd_slurp(fd, &b, &e), 0, "slurped behind what was there");
	is_str(buf_text(&b), "abcdef", "in order");
}

static void
small_files(void)
{
	char dir[] = "/tmp/t_fd.XXXXXX";
	auto_done(buf) struct buf b = buf_max(100);
	auto_fd int at = mkdtemp(dir) ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!ok(at >= 0, "a folder"))
		return;
	is_int(fd_slurp_at(at, "a", &b, &e), -ERR_SYS, "a missing file");
	is_int(e.sys, ENOENT, "is ENOENT");
	is_int(fd_put_at(at, "a", STR("x"), &e), -ERR_SYS, "putting does not create");
	close(openat(at, "a", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	is_int(fd_put_at(at, "a", STR("hello"), &e), 0, "putting into a file");
	is_int(fd_slurp_at(at, "a", &b, &e), 0, "and reading it");
	is_str(buf_text(&b), "hello", "gives it back");
	b.max = 5;
	is_int(fd_slurp_at(at, "a", &b, &e), -ERR_LIMIT, "not into a full buffer");
	ok(strstr(e.text, "'a'") != NULL, "the error names the file: %s", e.text);
	unlinkat(at, "a", 0);
	rmdir(dir);
}

static void
closed_readers(void)
{
	int ends[2];

	is_int(pipe2(ends, O_CLOEXEC), 0, "a pipe");
	is_int(fd_nonblock(ends[1], &e), 0, "made non-blocking");
	ok(fcntl(ends[1], F_GETFL) & O_NONBLOCK, "it is");
	close(ends[0]);
	is_int(fd_write_all(ends[1], STR("x"), &e), -ERR_CLOSED, "nobody reads");
	close(ends[1]);
	is_int(fd_nonblock(-1, &e), -ERR_SYS, "a bad descriptor cannot be made non-blocking");
}

static void
sealed_bodies(void)
{
	struct str body = STR("a body");
	struct str got;
	auto_fd int fd = -1;

	is_int(fd_seal_new(body, &fd, &e), 0, "sealed");
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "close-on-exec");
	ok(pwrite(fd, "x", 1, 0) < 0 && errno == EPERM, "nobody writes it");
	ok(ftruncate(fd, 1) < 0 && ftruncate(fd, 100) < 0, "or changes its size");
	ok(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) < 0, "or its seals");
	is_int(fd_seal_map(fd, body.n, &got, &e), 0, "mapped");
	ok(str_eq(got, body), "with its bytes");
	fd_seal_unmap(&got);
	is_int(got.n, 0, "unmapped");
	fd_seal_unmap(&got);
	is_int(fd_seal_map(fd, body.n - 1, &got, &e), -ERR_PROTO, "smaller than was said");
	is_int(fd_seal_map(fd, body.n + 1, &got, &e), -ERR_PROTO, "larger than was said");
}

static void
empty_bodies(void)
{
	struct str got;
	auto_fd int fd = -1;

	is_int(fd_seal_new(STR(""), &fd, &e), 0, "sealed an empty body");
	is_int(fd_seal_map(fd, 0, &got, &e), 0, "mapped it");
	is_int(got.n, 0, "it is empty");
	fd_seal_unmap(&got);
}

static void
unsealed_bodies(void)
{
	static const int some[] = { 0, F_SEAL_WRITE,
		F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW };
	struct str got = STR("untouched");

	for (size_t i = 0; i < COUNT(some); i++) {
		auto_fd int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		is_int(fd_write_all(fd, STR("x"), &e), 0, "a body");
		is_int(fcntl(fd, F_ADD_SEALS, some[i]), 0, "with some seals");
		is_int(fd_seal_map(fd, 1, &got, &e), -ERR_PROTO, "is refused");
	}
	is_int(fd_seal_map(0, 1, &got, &e), -ERR_PROTO,
	    "a descriptor that is no memory is refused");
	is_int(fd_seal_map(-1, 1, &got, &e), -ERR_PROTO, "so is none");
	ok(str_eq(got, STR("untouched")), "a refusal leaves the result alone");
}

int
main(void)
{
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	reads_all();
	slurps();
	slurps_behind();
	small_files();
	closed_readers();
	sealed_bodies();
	empty_bodies();
	unsealed_bodies();
	return tap_done();
}
