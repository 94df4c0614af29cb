/* SPDX-License-Identifier: MIT */
#include "tool/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int
roots_add(struct roots *r, const char *path, struct err *e)
{
	int fd;

	if (r->n == ROOTS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d folders", ROOTS_MAX);
	/* It was a real path when it was judged. */
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path,
	    &(struct open_how){ .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS },
	    sizeof(struct open_how));
	if (fd < 0)
		return err_sys(e, "open the folder %s", path);
	r->list[r->n++] = (struct root){ xstrdup(path), fd };
	return 0;
}

const struct root *
roots_find(const struct roots *r, struct str path)
{
	const struct root *best = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct str folder = str_of(r->list[i].path);

		if (path_below(path, folder) && (!best || folder.n > strlen(best->path)))
			best = &r->list[i];
	}
	return best;
}

/* before, path, after: one sentence. */
static int
fail(struct tool_failure *ret_failed, enum code code, const char *before, struct str path,
    const char *after)
{
	ret_failed->code = code;
	snprintf(ret_failed->text, sizeof(ret_failed->text), "%s%.*s%s", before,
	    (int)MIN(path.n, 300), path.p, after);
	return -1;
}

static int
explain(int error, struct str path, struct tool_failure *ret_failed)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		return fail(ret_failed, CODE_NOT_FOUND, "File not found: ", path, "");
	case EXDEV:
		return fail(ret_failed, CODE_OUTSIDE_ROOTS, "", path,
		    " leads out of the folders that may be touched, by a link");
	case ELOOP:
		return fail(ret_failed, CODE_DENIED, "", path,
		    " is reached by a link that goes in a circle or has just been made");
	case EACCES:
	case EPERM:
		return fail(ret_failed, CODE_DENIED, "", path, " may not be opened");
	case ENXIO:
	case ENODEV:
		return fail(ret_failed, CODE_NOT_TEXT, "", path,
		    " is a device or a socket, no file");
	default:
		return fail(ret_failed, CODE_TOOL_FAILED, "", path, " could not be opened");
	}
}

static int
open_below(int folder, const char *rest, int flags, uint64_t links)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | links,
	};

	return (int)syscall(SYS_openat2, folder, rest, &how, sizeof(how));
}

/* For the message alone: why a link on the way cannot be followed; ELOOP when it could. */
static int
where_it_leads(int folder, const char *rest)
{
	auto_fd int fd = open_below(folder, rest, O_PATH | O_CLOEXEC, 0);

	return fd < 0 ? errno : ELOOP;
}

/* A pipe must not hold us up, a terminal must not become ours. */
static int
with_care(int flags)
{
	return flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK);
}

int
roots_below(int folder, struct str name, int flags)
{
	auto_done(buf) struct buf path = buf_max(PATH_MAX);

	buf_add(&path, name);
	return buf_ok(&path) && name.n && !memchr(name.p, '\0', name.n)
		   ? open_below(folder, buf_text(&path), with_care(flags), RESOLVE_NO_SYMLINKS)
		   : -1;
}

int
roots_open(const struct roots *r, struct str path, int flags, struct tool_failure *ret_failed)
{
	const struct root *root = roots_find(r, path);
	struct str rest;
	int fd;

	if (!root)
		return fail(ret_failed, CODE_OUTSIDE_ROOTS, "", path,
		    " is outside the folders that may be touched");
	rest = path_rest(path, str_of(root->path));
	fd = open_below(root->fd, rest.p, with_care(flags), RESOLVE_NO_SYMLINKS);
	if (fd >= 0)
		return fd;
	if (errno == ELOOP)
		errno = where_it_leads(root->fd, rest.p);
	return explain(errno, path, ret_failed);
}
