/* SPDX-License-Identifier: MIT */
#include "forge/scratch.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/sha.h"
#include "base/utf8.h"
#include "conf/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FOLDER    "scratchpad"
#define SWEPT     ".swept" /* its time is that of the last sweep */
#define DAY_S     86400
#define DEPTH_MAX 64 /* of what is removed */

/* ---- making it ---- */

/* One folder below another, made where missing: a real one, this person's alone. */
static int
step(int parent, const char *name, int *ret_fd, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "make the folder %s", name);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open the folder %s", name);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return err_set(e, ERR_DENIED, "the folder %s is not this user's alone", name);
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* For people the last name of the workspace, for sureness a part of its path's hash. */
static void
workspace_name(struct str workspace, struct buf *ret_name)
{
	char hex[SHA_HEX_SIZE];
	struct str last = workspace;

	for (size_t i = 0; i < workspace.n; i++) {
		if (workspace.p[i] == '/')
			last = str_from(workspace, i + 1);
	}
	for (size_t i = 0; i < last.n && i < 40; i++) {
		char c = last.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '_' || (c == '.' && i > 0);

		buf_addc(ret_name, plain ? c : '-');
	}
	sha_bytes(workspace, hex);
	buf_addf(ret_name, "%s%.12s", last.n ? "-" : "", hex);
}

static int
make_below(struct scratch *s, const char *base, const char *const names[], size_t n,
    struct err *e)
{
	auto_fd int at = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (at < 0)
		return err_sys(e, "open the folder %s", base);
	buf_reset(&s->path);
	buf_addf(&s->path, "%s", strcmp(base, "/") == 0 ? "" : base);
	for (size_t i = 0; i < n && r >= 0; i++) {
		auto_fd int next = -1;

		r = step(at, names[i], &next, e);
		buf_addf(&s->path, "/%s", names[i]);
		if (r >= 0) {
			base_close_fd(&at);
			at = steal_fd(&next);
		}
	}
	if (r >= 0 && !buf_ok(&s->path))
		r = err_set(e, ERR_INVALID, "the path of the scratchpad is too long");
	if (r < 0)
		return r;
	s->fd = steal_fd(&at);
	return 0;
}

static int
make_fallback(struct scratch *s, const char *workspace, const char *session, struct err *e)
{
	auto_done(buf) struct buf base = buf_max(PATH_MAX);
	const char *const names[] = { workspace, session, FOLDER };
	auto_fd int folder = -1;
	int r = home_open_state("scratch", &folder, e);

	if (r >= 0)
		r = home_path(HOME_STATE, &base, e);
	buf_add(&base, STR("/scratch"));
	return r < 0 ? r : make_below(s, buf_text(&base), names, COUNT(names), e);
}

int
scratch_open(struct scratch *s, struct str base, struct str workspace, const char *session,
    struct err *e)
{
	auto_done(buf) struct buf root = buf_max(PATH_MAX), name = buf_max(128);
	const char *tmp = getenv("TMPDIR");
	char user[32];
	struct err first;
	int r;

	*s = (struct scratch){ .path = buf_max(PATH_MAX), .fd = -1 };
	if (!base.n)
		base = str_of(tmp && *tmp == '/' ? tmp : "/tmp");
	snprintf(user, sizeof(user), "crisol-%u", geteuid());
	workspace_name(workspace, &name);
	buf_add(&root, base);

	const char *const names[] = { user, buf_text(&name), session, FOLDER };

	r = make_below(s, buf_text(&root), names, COUNT(names), &first);
	if (r < 0) {
		snprintf(s->why, sizeof(s->why), "%s", first.text);
		r = make_fallback(s, buf_text(&name), session, e);
	}
	if (r < 0) {
		scratch_done(s);
		return r;
	}
	futimens(s->fd, NULL); /* used now; a failure makes it look older, no more */
	return 0;
}

void
scratch_done(struct scratch *s)
{
	buf_done(&s->path);
	if (s->fd >= 0)
		base_close_fd(&s->fd);
	s->fd = -1;
}

/* ---- reading a script ---- */

static int
open_below(int folder, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

int
scratch_read(const struct scratch *s, struct str path, struct buf *ret_text, struct err *e)
{
	auto_done(buf) struct buf name = buf_max(PATH_MAX);
	auto_fd int fd = -1;
	struct stat st;
	int r;

	buf_add(&name, path);
	if (!path.n || !buf_ok(&name) || memchr(path.p, '\0', path.n) || path.p[0] == '/')
		return err_set(e, ERR_INVALID,
		    "codePath: a path below the scratchpad %s was expected",
		    buf_text(&s->path));
	fd = open_below(s->fd, buf_text(&name));
	if (fd < 0 && errno == ENOENT)
		return err_set(e, ERR_NOTFOUND, "codePath: %s is not in the scratchpad %s",
		    buf_text(&name), buf_text(&s->path));
	if (fd < 0 && (errno == EXDEV || errno == ELOOP))
		return err_set(e, ERR_INVALID,
		    "codePath: %s leads out of the scratchpad or over a link", buf_text(&name));
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "codePath: open %s", buf_text(&name));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, "codePath: %s is no regular file",
		    buf_text(&name));
	r = fd_slurp(fd, ret_text, e);
	if (r < 0)
		return err_wrap(e, r, "codePath: %s", buf_text(&name));
	if (!utf8_valid(buf_str(ret_text)))
		return err_set(e, ERR_INVALID, "codePath: %s is not UTF-8 text",
		    buf_text(&name));
	return 0;
}

/* ---- sweeping ---- */

/* The folder's entries by a descriptor of their own, closed by closedir; NULL when it cannot be read. */
static DIR *
list(int folder)
{
	int copy = dup(folder);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d && copy >= 0)
		close(copy);
	return d;
}

/* Everything below a folder; links are removed, not followed, and another device is left alone. */
static void
remove_below(int folder, dev_t device, unsigned depth)
{
	DIR *d = list(folder);
	const struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		const char *name = entry->d_name;
		auto_fd int inner = -1;
		struct stat st;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (unlinkat(folder, name, 0) == 0 || depth == DEPTH_MAX)
			continue;
		inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0 || fstat(inner, &st) < 0 || st.st_dev != device)
			continue;
		remove_below(inner, device, depth + 1);
		unlinkat(folder, name, AT_REMOVEDIR);
	}
	closedir(d);
}

/* A session's folder, when its scratchpad was last used before `before`. */
static void
sweep_session(int workspace, const char *name, time_t before)
{
	auto_fd int fd =
	    openat(workspace, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat pad, st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid())
		return;
	if (fstatat(fd, FOLDER, &pad, AT_SYMLINK_NOFOLLOW) < 0)
		pad = st;
	if (pad.st_mtime >= before || st.st_mtime >= before)
		return;
	remove_below(fd, st.st_dev, 0);
	unlinkat(workspace, name, AT_REMOVEDIR);
}

/* Calls `each` for every folder in one. */
static void
for_folders(int folder, void (*each)(int folder, const char *name, time_t before),
    time_t before)
{
	DIR *d = list(folder);
	const struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] != '.')
			each(folder, entry->d_name, before);
	}
	closedir(d);
}

static void
sweep_workspace(int root, const char *name, time_t before)
{
	auto_fd int fd = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid())
		return;
	for_folders(fd, sweep_session, before);
	unlinkat(root, name, AT_REMOVEDIR); /* when it is empty now */
}

void
scratch_sweep(const struct scratch *s, uint64_t days)
{
	time_t now = (time_t)(clock_wall() / NS_PER_S);
	auto_fd int root = -1;
	auto_fd int mark = -1;
	struct stat st;

	if (s->fd < 0 || days == 0)
		return;
	root = openat(s->fd, "../../..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || fstat(root, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077))
		return;
	if (fstatat(root, SWEPT, &st, AT_SYMLINK_NOFOLLOW) == 0 && now - st.st_mtime < DAY_S)
		return;
	mark = openat(root, SWEPT, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mark < 0 || futimens(mark, NULL) < 0)
		return;
	for_folders(root, sweep_workspace, now - (time_t)(days * DAY_S));
}
