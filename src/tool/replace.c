/* SPDX-License-Identifier: MIT */
/*
 * The new file is made whole under no name, or a random one, then takes the old one's place. With an
 * old file that is an exchange of two names: what came out is looked at, and put back when it is not
 * what was read. So a change by somebody else right before it is not lost.
 */
#include "tool/replace.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES   200
#define LOCK_WAIT_NS 50000000
#define TURNS_MAX    8 /* of putting back what others made meanwhile */
#define NAME_TRIES   16
#define XATTRS_MAX   KiB(64)
#define XATTR_MAX    KiB(64)
#define TEMP_SIZE    32

struct swap {
	struct replace *r;
	struct tool_call *c;
	struct str shown;
	int fd;               /* the new file */
	struct stat made;     /* it */
	char temp[TEMP_SIZE]; /* its name until then; "": it has none */
};

/* ---- words ---- */

/* A system call failed: what stood in the way, and that nothing has changed. */
static bool
fail_sys(struct swap *s, const char *what)
{
	static const struct {
		int error;
		const char *words;
	} rows[] = {
		{ ENOSPC, "the disk is full: make room, then try again" },
		{ EDQUOT, "the quota of its owner is used up: make room, then try again" },
		{ EROFS, "it is on a file system that can only be read" },
		{ EPERM,
		    "the system does not permit it: the file or its folder is immutable or "
		    "append-only (lsattr shows it), or belongs to somebody else" },
		{ EACCES, "the folder may not be written by this user" },
		{ ENAMETOOLONG, "its name is too long for the file system" },
		{ EIO, "the disk reports an error" },
		{ EFBIG, "the file system or a limit allows no file of that size" },
		{ EINVAL, "the file system does not take such a name or such a step" },
		{ ENOENT, "its folder is gone" },
	};
	int error = errno;
	const char *words = strerrordesc_np(error);

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].error == error)
			words = rows[i].words;
	}
	return tool_fail(s->c, CODE_TOOL_FAILED, "%.*s is as it was: %s; %s (%s)",
	    (int)MIN(s->shown.n, 200), s->shown.p, what, words, strerrorname_np(error));
}

static bool
fail_stale(struct swap *s)
{
	return tool_fail(s->c, CODE_STALE_FILE,
	    "%.*s was changed by somebody else at this moment: read it again and repeat the "
	    "change on what is there now",
	    (int)MIN(s->shown.n, 200), s->shown.p);
}

static bool
fail_kept(struct swap *s, const char *what, const char *way)
{
	return tool_fail(s->c, CODE_TOOL_FAILED,
	    "%.*s is as it was: %s could not be kept (%s); %s", (int)MIN(s->shown.n, 200),
	    s->shown.p, what, strerrorname_np(errno), way);
}

/* ---- the lock ---- */

bool
folder_lock(struct tool_call *c, int folder, struct str shown)
{
	const struct timespec wait = { 0, LOCK_WAIT_NS };

	for (int n = 0; n < LOCK_TRIES; n++) {
		if (flock(folder, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return true; /* a file system without locks: the exchange alone watches */
		nanosleep(&wait, NULL);
	}
	return tool_fail(c, CODE_TOOL_FAILED,
	    "the folder of %.*s is locked by another process for ten seconds; try again later",
	    (int)MIN(shown.n, 200), shown.p);
}

/* ---- the new file ---- */

static void
random_name(char ret_name[static TEMP_SIZE])
{
	uint64_t chance = 0;

	if (getrandom(&chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
		abort();
	snprintf(ret_name, TEMP_SIZE, ".crisol-%016llx", (unsigned long long)chance);
}

/* Nobody but its maker may open it before it is what it will be. */
static mode_t
first_mode(const struct swap *s)
{
	return s->r->old >= 0 ? 0600 : 0666;
}

static bool
make_unnamed(struct swap *s)
{
	s->fd = openat(s->r->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(s));
	return s->fd >= 0;
}

static bool
make_named(struct swap *s)
{
	for (int n = 0; n < NAME_TRIES; n++) {
		random_name(s->temp);
		s->fd = openat(s->r->folder, s->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		    first_mode(s));
		if (s->fd >= 0)
			return true;
		*s->temp = '\0';
		if (errno != EEXIST)
			break;
	}
	return false;
}

/* Removes attributes that the folder gave it and the old file has not. */
static bool
drop_xattrs(int from, int to)
{
	auto_free char *names = xmalloc(XATTRS_MAX);
	ssize_t n = flistxattr(to, names, XATTRS_MAX);

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;

		/* The system's own mark on every file: it says itself which one is right. */
		if (strncmp(name, "security.", 9) == 0)
			continue;
		if (fgetxattr(from, name, NULL, 0) < 0 && errno == ENODATA &&
		    fremovexattr(to, name) < 0 && errno != ENODATA)
			return false;
	}
	return n >= 0 || errno == EOPNOTSUPP;
}

static bool
copy_xattr(int from, int to, const char *name)
{
	auto_free char *value = xmalloc(XATTR_MAX), *have = xmalloc(XATTR_MAX);
	ssize_t n = fgetxattr(from, name, value, XATTR_MAX);
	ssize_t has = n < 0 ? -1 : fgetxattr(to, name, have, XATTR_MAX);

	if (n < 0)
		return false;
	return (has == n && memcmp(value, have, (size_t)n) == 0) ||
	       fsetxattr(to, name, value, (size_t)n, 0) == 0;
}

static bool
keep_xattrs(struct swap *s)
{
	auto_free char *names = xmalloc(XATTRS_MAX);
	ssize_t n = flistxattr(s->r->old, names, XATTRS_MAX);
	char what[300];

	if (n < 0 && errno != EOPNOTSUPP)
		return fail_kept(s, "its extended attributes", "look at them with getfattr");
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		if (copy_xattr(s->r->old, s->fd, names + at))
			continue;
		snprintf(what, sizeof(what), "its extended attribute %.200s", names + at);
		return fail_kept(s, what,
		    "change the file with another program, or remove the attribute");
	}
	return drop_xattrs(s->r->old, s->fd) || fail_kept(s, "the absence of an access list",
						    "look at the folder's with getfacl");
}

/* Owner and group first: changing them takes rights away. */
static bool
keep_owner(struct swap *s)
{
	const struct stat *was = &s->r->was;
	char what[64];

	if (fstat(s->fd, &s->made) < 0)
		return fail_sys(s, "the new file cannot be looked at");
	if (s->made.st_uid != was->st_uid && fchown(s->fd, was->st_uid, (gid_t)-1) < 0) {
		snprintf(what, sizeof(what), "its owner, user %u,", (unsigned)was->st_uid);
		return fail_kept(s, what, "let its owner change it");
	}
	if (s->made.st_gid != was->st_gid && fchown(s->fd, (uid_t)-1, was->st_gid) < 0) {
		snprintf(what, sizeof(what), "its group %u", (unsigned)was->st_gid);
		return fail_kept(s, what,
		    "let a member of the group change it, or chgrp it first");
	}
	return true;
}

static bool
keep_all(struct swap *s)
{
	const struct stat *was = &s->r->was;

	if (!keep_owner(s) || !keep_xattrs(s))
		return false;
	if (fchmod(s->fd, was->st_mode & 07777) < 0)
		return fail_kept(s, "its mode", "change it with chmod first");
	if (fstat(s->fd, &s->made) < 0 || s->made.st_mode != was->st_mode ||
	    s->made.st_uid != was->st_uid || s->made.st_gid != was->st_gid) {
		errno = EPERM;
		return fail_kept(s, "owner, group or mode",
		    "the file system does not keep them");
	}
	return true;
}

static bool
fill(struct swap *s, struct str after)
{
	struct err e;

	if (fd_write_all(s->fd, after, &e) < 0) {
		errno = e.sys;
		return fail_sys(s, "the new one could not be written");
	}
	if (s->r->old >= 0 && !keep_all(s))
		return false;
	if (fsync(s->fd) < 0)
		return fail_sys(s, "the new one did not reach the disk");
	return fstat(s->fd, &s->made) == 0 || fail_sys(s, "the new one cannot be looked at");
}

/* A file without a name gets one; by its descriptor, as the other way needs a capability. */
static int
link_as(const struct swap *s, const char *name)
{
	char self[40];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", s->fd);
	return linkat(AT_FDCWD, self, s->r->folder, name, AT_SYMLINK_FOLLOW);
}

static bool
name_it(struct swap *s)
{
	for (int n = 0; n < NAME_TRIES; n++) {
		random_name(s->temp);
		if (link_as(s, s->temp) == 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	*s->temp = '\0';
	return false;
}

/* ---- the step ---- */

static int
rename_in(const struct swap *s, unsigned flags)
{
	return (
	    int)syscall(SYS_renameat2, s->r->folder, s->temp, s->r->folder, s->r->name, flags);
}

static bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool
is_there(const struct swap *s, const char *name, const struct stat *file)
{
	struct stat st;

	return fstatat(s->r->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       same_file(&st, file);
}

/* Whether the old file has the bytes that were read, and nobody linked it elsewhere. */
static bool
is_unchanged(const struct swap *s)
{
	struct str want = s->r->before;
	struct stat st;
	char piece[KiB(64)];
	off_t at = 0;

	if (fstat(s->r->old, &st) < 0 || (size_t)st.st_size != want.n ||
	    st.st_mode != s->r->was.st_mode || st.st_uid != s->r->was.st_uid ||
	    st.st_gid != s->r->was.st_gid)
		return false;
	while (want.n) {
		ssize_t n = pread(s->r->old, piece, MIN(sizeof(piece), want.n), at);

		if (n <= 0 || memcmp(piece, want.p, (size_t)n) != 0)
			return false;
		want = str_from(want, (size_t)n);
		at += n;
	}
	return true;
}

/*
 * What came out of the exchange is not what was read: it goes back. When what comes out then is not what
 * went in before, somebody replaced that meanwhile; it is the newest, so it goes back in turn.
 */
static bool
put_back(struct swap *s)
{
	struct stat there = s->made, in, out;

	for (int n = 0; n < TURNS_MAX; n++) {
		if (fstatat(s->r->folder, s->temp, &in, AT_SYMLINK_NOFOLLOW) < 0 ||
		    rename_in(s, RENAME_EXCHANGE) < 0 ||
		    fstatat(s->r->folder, s->temp, &out, AT_SYMLINK_NOFOLLOW) < 0 ||
		    same_file(&out, &there))
			break;
		there = in;
	}
	return fail_stale(s);
}

static bool
take_place(struct swap *s)
{
	struct replace *r = s->r;

	if (!is_there(s, r->name, &r->was) || !is_unchanged(s))
		return fail_stale(s);
	if (rename_in(s, RENAME_EXCHANGE) == 0) {
		if (!is_there(s, s->temp, &r->was) || !is_unchanged(s))
			return put_back(s);
		return true;
	}
	if (errno == ENOENT)
		return fail_stale(s);
	if (errno != EINVAL && errno != ENOSYS)
		return fail_sys(s, "the new one could not take its place");
	/* A file system without exchange: between the look above and this somebody may come. */
	if (rename_in(s, 0) < 0)
		return fail_sys(s, "the new one could not take its place");
	*s->temp = '\0';
	return true;
}

/* Where there was none nothing is replaced, whatever has come there meanwhile. */
static bool
take_new_place(struct swap *s)
{
	int n = *s->temp ? rename_in(s, RENAME_NOREPLACE) : link_as(s, s->r->name);

	if (n == 0) {
		*s->temp = '\0';
		return true;
	}
	if (*s->temp && (errno == EINVAL || errno == ENOSYS))
		n = linkat(s->r->folder, s->temp, s->r->folder, s->r->name, 0);
	if (n == 0)
		return true;
	return errno == EEXIST ? fail_stale(s) : fail_sys(s, "it could not be given its name");
}

static bool
run_swap(struct swap *s, struct str after, bool named)
{
	bool new = s->r->old < 0;

	if (!(named ? make_named(s) : make_unnamed(s)))
		return fail_sys(s, "no new file could be made beside it");
	if (!fill(s, after))
		return false;
	if (new)
		return take_new_place(s);
	if (!*s->temp && !name_it(s))
		return fail_sys(s, "the new one could not be named");
	return take_place(s);
}

static void
clean(struct swap *s)
{
	/* Also the old file, where it came out of an exchange. */
	if (*s->temp)
		unlinkat(s->r->folder, s->temp, 0);
	*s->temp = '\0';
	base_close_fd(&s->fd);
}

/* Files without a name: not everywhere, and they can be named only where /proc is. */
static bool
has_unnamed(int folder)
{
	auto_fd int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
			       errno != ENOENT)) &&
	       faccessat(AT_FDCWD, "/proc/self/fd", F_OK, 0) == 0;
}

bool
replace_file(struct replace *r, struct str after, struct tool_call *c, struct str shown)
{
	struct swap s = { .r = r, .c = c, .shown = shown, .fd = -1 };
	bool done = run_swap(&s, after, !has_unnamed(r->folder));

	clean(&s);
	r->unsure = done && fsync(r->folder) < 0 && errno != EINVAL;
	return done;
}
