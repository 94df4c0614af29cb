/* SPDX-License-Identifier: MIT */
/*
 * A file is replaced whole or not at all. Linked with --wrap, so that the process can be killed before
 * each system call of a replacement, and each can be made to fail; and another program changes the file
 * at any moment.
 */
#include "tool/replace.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tap.h"

#define OLD   "the old text\nof the file\n"
#define NEW   "something else\n"
#define RACES 3000
#define BOUND 200 /* more than a replacement has calls */

/* ---- calls that fail, or before which the process dies ---- */

static int calls, fatal, failing, failing_with;

/* Whether this call is to fail now. */
static bool
now(void)
{
	calls++;
	if (calls == fatal)
		raise(SIGKILL);
	errno = failing_with;
	return calls == failing;
}

#define WRAP(type, name, params, args)                  \
	type __real_##name params;                      \
	type __wrap_##name params;                      \
	type __wrap_##name params                       \
	{                                               \
		return now() ? -1 : __real_##name args; \
	}

WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g))
WRAP(int, fstat64, (int fd, struct stat *st), (fd, st))
WRAP(int, fstatat64, (int d, const char *n, struct stat *st, int f), (d, n, st, f))
WRAP(ssize_t, flistxattr, (int fd, char *p, size_t n), (fd, p, n))
WRAP(ssize_t, fgetxattr, (int fd, const char *k, void *p, size_t n), (fd, k, p, n))
WRAP(int, fsetxattr, (int fd, const char *k, const void *p, size_t n, int f), (fd, k, p, n, f))
WRAP(int, linkat, (int a, const char *b, int c, const char *d, int f), (a, b, c, d, f))
WRAP(int, unlinkat, (int d, const char *n, int f), (d, n, f))

int __real_openat64(int d, const char *n, int f, ...);
int __wrap_openat64(int d, const char *n, int f, ...);
int
__wrap_openat64(int d, const char *n, int f, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, f);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return now() ? -1 : __real_openat64(d, n, f, mode);
}

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
static unsigned refuse_flags; /* flags of renameat2 that this file system does not have */
long
__wrap_syscall(long nr, ...)
{
	va_list ap;
	long a[5];

	va_start(ap, nr);
	for (int i = 0; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_renameat2 && ((unsigned)a[4] & refuse_flags)) {
		errno = EINVAL;
		return -1;
	}
	return now() ? -1 : __real_syscall(nr, a[0], a[1], a[2], a[3], a[4]);
}

/* ---- a folder, a file ---- */

static char top[] = "/tmp/crisol-replace-XXXXXX";
static int folder = -1;

static void
put(const char *name, const char *text)
{
	auto_fd int fd =
	    __real_openat64(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	if (__real_write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
}

static bool
get(const char *name, char ret_text[static 256])
{
	auto_fd int fd = __real_openat64(folder, name, O_RDONLY | O_CLOEXEC, 0);
	ssize_t n = fd < 0 ? -1 : read(fd, ret_text, 255);

	ret_text[n > 0 ? n : 0] = '\0';
	return fd >= 0;
}

/* Other names than "f" in the folder; they are removed. */
static int
leftovers(void)
{
	char command[400];
	int status;

	snprintf(command, sizeof(command),
	    "cd %s && n=$(ls -A | grep -vx f | wc -l); rm -f .crisol-*; exit $n", top);
	auto_free char *unused = NULL;
	pid_t pid = fork();

	if (pid == 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static enum code
replace(const char *text, char ret_before[static 256])
{
	struct tool_call c = { .failed = { 0 } };
	struct replace r = { .folder = folder, .name = "f", .old = -1 };
	auto_fd int old = -1;
	bool done;

	if (get("f", ret_before)) {
		old = __real_openat64(folder, "f", O_RDWR | O_CLOEXEC, 0);
		r.old = old;
		__real_fstat64(old, &r.was);
		ssize_t n = pread(old, ret_before, 255, 0);
		ret_before[n > 0 ? n : 0] = '\0';
		r.before = str_of(ret_before);
	}
	calls = 0;
	done = replace_file(&r, str_of(text), &c, STR("f"));
	return done ? CODE_NONE : c.failed.code;
}

/* In a process of its own; whether it was killed. *ret_done: it said that it did it. */
static bool
in_child(int kill_at, int fail_at, int with, bool *ret_done)
{
	char before[256];
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		fatal = kill_at;
		failing = fail_at;
		failing_with = with;
		enum code code = replace(NEW, before);
		_exit(calls < MAX(kill_at, fail_at) ? 2 : code == CODE_NONE ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	*ret_done = WIFEXITED(status) && WEXITSTATUS(status) != 1;
	return WIFSIGNALED(status) || WEXITSTATUS(status) != 2;
}

static void
begin(bool there)
{
	unlinkat(folder, "f", 0);
	if (there)
		put("f", OLD);
}

static void
is_killed_anywhere(bool there, unsigned refused)
{
	int n = 1, bad = 0, left = 0, both[2] = { 0 };
	char text[256];
	bool done, is;

	refuse_flags = refused;
	for (;; n++) {
		begin(there);
		if (n > BOUND || !in_child(n, 0, 0, &done))
			break;
		is = get("f", text);
		bad +=
		    is ? strcmp(text, there ? OLD : NEW) != 0 && strcmp(text, NEW) != 0 : there;
		both[is && strcmp(text, NEW) == 0]++;
		int more = leftovers();
		bad += more > 1;
		left += more;
	}
	refuse_flags = 0;
	ok(n > 5 && n < BOUND && !bad && both[0] && both[1] && left <= 12,
	    "%s, flags %u missing: killed before each of %d calls the old file is there (%d) "
	    "or the new one (%d), "
	    "and at %d of them one name more",
	    there ? "replaced" : "made", refused, n - 1, both[0], both[1], left);
}

static void
fails_anywhere(bool there, int with)
{
	int n = 1, bad = 0, failed = 0;
	char text[256];
	bool done;

	for (;; n++) {
		begin(there);
		if (n > BOUND || !in_child(0, n, with, &done))
			break;
		bool is = get("f", text);
		const char *want = done ? NEW : there ? OLD : "";
		failed += !done;
		if (strcmp(text, want) != 0 || (is != (there || done)))
			bad++;
		/* What cannot be removed is what stays. */
		bad += leftovers() > 1;
	}
	ok(n > 5 && n < BOUND && !bad && failed > 3,
	    "%s: each of %d calls fails once with %s: the old file stays and it is said (%d), "
	    "or it is done",
	    there ? "replaced" : "made", n - 1, strerrorname_np(with), failed);
}

static void
keeps_what_it_has(void)
{
	struct stat was, is;
	char before[256], value[16] = "";
	auto_fd int fd = -1;

	begin(true);
	fd = openat(folder, "f", O_RDWR | O_CLOEXEC);
	fchmod(fd, 0604);
	bool attributes = fsetxattr(fd, "user.test", "kept", 4, 0) == 0;
	fstat(fd, &was);
	is_int(replace(NEW, before), CODE_NONE, "a file is replaced");
	fstatat(folder, "f", &is, 0);
	ok(was.st_mode == is.st_mode && was.st_uid == is.st_uid && was.st_gid == is.st_gid &&
		was.st_ino != is.st_ino && is.st_nlink == 1,
	    "mode, owner and group stay, the inode is another");
	base_close_fd(&fd);
	fd = openat(folder, "f", O_RDONLY | O_CLOEXEC);
	if (attributes)
		ok(fgetxattr(fd, "user.test", value, sizeof(value)) == 4 &&
			strcmp(value, "kept") == 0,
		    "an attribute stays");
	is_int(leftovers(), 0, "and nothing else is there");
}

/* ---- somebody else ---- */

/* Puts "F n" in the file's place, n = 1.., and writes down what came out. */
static void no_return
foreign(int out)
{
	char text[256], line[300];

	for (int n = 1; n <= RACES; n++) {
		snprintf(text, sizeof(text), "F %d\n", n);
		put("foreign", text);
		if (__real_syscall(SYS_renameat2, folder, "foreign", folder, "f",
			RENAME_EXCHANGE) != 0)
			continue;
		get("foreign", text);
		snprintf(line, sizeof(line), "%d %s", n, text);
		if (__real_write(out, line, strlen(line)) < 0)
			break;
	}
	_exit(0);
}

/* Every version of theirs was seen by somebody: by them when they put the next, or by us as what we changed. */
static void
loses_nothing(void)
{
	auto_free char *seen = xcalloc(RACES + 2, 1), *failed_ours = xcalloc(BOUND * RACES, 1);
	auto_done(buf) struct buf told = buf_max(MiB(4));
	char text[256], before[256];
	int pipes[2], status, done = 0, stale = 0, lost = 0, other = 0, version, n, ours = 0;
	pid_t pid;

	begin(true);
	if (pipe(pipes) < 0)
		abort();
	fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20);
	pid = fork();
	if (pid == 0)
		foreign(pipes[1]);
	close(pipes[1]);
	while (waitpid(pid, &status, WNOHANG) == 0 && ours < BOUND * RACES - 1) {
		snprintf(text, sizeof(text), "O %d\n", ++ours);
		enum code code = replace(text, before);
		done += code == CODE_NONE;
		stale += code == CODE_STALE_FILE;
		other += code != CODE_NONE && code != CODE_STALE_FILE;
		failed_ours[ours] = code != CODE_NONE;
		if (code == CODE_NONE && sscanf(before, "F %d", &version) == 1)
			seen[version] = 1;
	}
	struct err e;
	if (fd_slurp(pipes[0], &told, &e) < 0)
		abort();
	close(pipes[0]);
	for (struct str rest = buf_str(&told); rest.n;) {
		struct str line = str_split(&rest, '\n');
		char one[64];

		snprintf(one, sizeof(one), "%.*s", STR_ARG(line));
		if (sscanf(one, "%d F %d", &n, &version) == 2)
			seen[version] = 1;
		/* They put it over one of ours that was just going back: then it stands for the one before. */
		else if (sscanf(one, "%d O %d", &n, &version) == 2 && failed_ours[version])
			seen[n - 1] = 1;
	}
	get("f", text);
	if (sscanf(text, "F %d", &version) == 1)
		seen[version] = 1;
	for (n = 1; n <= RACES; n++)
		lost += !seen[n];
	unlinkat(folder, "foreign", 0);
	ok(!lost && !other && done && stale,
	    "of %d versions that another program put there none is lost (%d): %d of ours done, "
	    "%d stale, %d else",
	    RACES, lost, done, stale, other);
	is_int(leftovers(), 0, "and no other name stays");
}

int
main(void)
{
	if (!mkdtemp(top))
		return 1;
	folder = __real_openat64(AT_FDCWD, top, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	keeps_what_it_has();
	for (int there = 0; there < 2; there++) {
		is_killed_anywhere(there, 0);
		is_killed_anywhere(there, RENAME_EXCHANGE | RENAME_NOREPLACE);
		static const int errors[] = { ENOSPC, EDQUOT, EIO, EROFS, EPERM, EOPNOTSUPP };
		for (size_t i = 0; i < COUNT(errors); i++)
			fails_anywhere(there, errors[i]);
	}
	loses_nothing();
	unlinkat(folder, "f", 0);
	rmdir(top);
	return tap_done();
}
