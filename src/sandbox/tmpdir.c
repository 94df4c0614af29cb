/* SPDX-License-Identifier: MIT */
#include "sandbox/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "sandbox/sys.h"

#define TRIES       64
#define ROUNDS_MAX  4096    /* over the outermost folder, each makes it shallower */
#define ENTRIES_MAX 4000000 /* then somebody fills it while it is emptied */

/* Its entries by a descriptor of their own; NULL when they cannot be read. */
static DIR *
list(int folder)
{
	int copy = sys_openat(folder, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d && copy >= 0)
		close(copy);
	return d;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A folder in a folder, readable and writable from now on; never a link's target. */
static int
open_inner(int folder, const char *name)
{
	auto_fd int path = sys_openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	char link[64];

	if (path < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path);
	if (chmod(link, 0700) < 0)
		return -1;
	return sys_openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

static bool
drop(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

/* Everything in `inner` goes, folders that are not empty up into `top`: no depth to go down to. */
static void
flatten(int top, int inner, unsigned *count)
{
	DIR *d = list(inner);
	const struct dirent *entry;

	while (d && *count < ENTRIES_MAX && (entry = readdir(d))) {
		auto_fd int below = -1;
		char fresh[32];

		if (is_dots(entry->d_name) || drop(inner, entry->d_name))
			continue;
		below = open_inner(inner, entry->d_name);
		snprintf(fresh, sizeof(fresh), ".crisol-%u", ++*count);
		if (below >= 0)
			syscall(SYS_renameat2, inner, entry->d_name, top, fresh, 1U);
	}
	if (d)
		closedir(d);
}

bool
tmpdir_empty(int fd)
{
	unsigned count = 0;

	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		DIR *d = list(fd);
		const struct dirent *entry;
		unsigned left = 0;

		if (!d)
			return false;
		while (count < ENTRIES_MAX && (entry = readdir(d))) {
			auto_fd int inner = -1;

			if (is_dots(entry->d_name) || drop(fd, entry->d_name))
				continue;
			left++;
			count++;
			inner = open_inner(fd, entry->d_name);
			if (inner >= 0)
				flatten(fd, inner, &count);
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
		}
		closedir(d);
		if (!left)
			return true;
		if (count >= ENTRIES_MAX)
			break;
	}
	return false;
}

void
tmpdir_remove(const char *path)
{
	auto_fd int fd = sys_openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	auto_fd int inner = fd < 0 ? -1 : open_inner(fd, ".");

	if (inner >= 0)
		tmpdir_empty(inner);
	rmdir(path);
}

static void
sweep(const char *base)
{
	auto_fd int folder = sys_openat(AT_FDCWD, base, O_RDONLY | O_DIRECTORY, 0);
	DIR *d = folder < 0 ? NULL : list(folder);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		auto_fd int inner = -1;
		struct stat st;

		if (!cgroup_is_stale(entry->d_name) ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
			continue;
		inner = open_inner(folder, entry->d_name);
		if (inner >= 0)
			tmpdir_empty(inner);
		unlinkat(folder, entry->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

int
tmpdir_make(const struct cgroup_home *owner, const char *base, char ret_path[TMPDIR_PATH_MAX],
    struct err *e)
{
	static unsigned next; /* a launcher's own count */

	if (next == 0)
		sweep(base);
	for (int i = 0; i < TRIES; i++) {
		int n = snprintf(ret_path, TMPDIR_PATH_MAX, "%s/%s-%u",
		    strcmp(base, "/") == 0 ? "" : base, owner->owner, next++);

		if (n < 0 || n >= TMPDIR_PATH_MAX)
			return err_set(e, ERR_LIMIT,
			    "the path of the temporary folder is too long");
		if (sys_mkdirat(AT_FDCWD, ret_path, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_sys(e, "make a temporary folder in %s", base);
}
