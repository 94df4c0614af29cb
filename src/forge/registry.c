/* SPDX-License-Identifier: MIT */
#include "forge/registry.h"

#include "base/fd.h"
#include "conf/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_MAX 64
#define LIST_MAX 1024
#define MARK     ".cancel"

int
registry_open(struct registry *r, struct err *e)
{
	r->dir = -1;
	return home_open_state("runs", &r->dir, e);
}

void
registry_done(struct registry *r)
{
	base_close_fd(&r->dir);
}

/* ---- who ---- */

/* Field 22 of /proc/PID/stat: when it was started, so that a reused pid is not taken for it. */
static bool
start_time(pid_t pid, uint64_t *ret_ticks)
{
	auto_done(buf) struct buf stat = buf_max(KiB(2));
	char path[32];
	struct str rest;
	const char *close;
	struct err e;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (fd_slurp_at(AT_FDCWD, path, &stat, &e) < 0)
		return false;
	close = memrchr(stat.p, ')', stat.n);
	if (!close)
		return false;
	rest = str_from(buf_str(&stat), (size_t)(close - stat.p) + 2);
	for (int field = 3; field < 22; field++)
		str_split(&rest, ' ');
	return str_u64(str_split(&rest, ' '), UINT64_MAX, ret_ticks);
}

static bool
read_owner(const struct registry *r, const char *id, pid_t *ret_owner)
{
	auto_done(buf) struct buf text = buf_max(FILE_MAX);
	uint64_t pid = 0, started = 0, now = 0;
	struct str rest;
	struct err e;

	if (fd_slurp_at(r->dir, id, &text, &e) < 0)
		return false;
	rest = str_trim(buf_str(&text));
	if (!str_u64(str_split(&rest, ' '), INT_MAX, &pid) ||
	    !str_u64(rest, UINT64_MAX, &started))
		return false;
	*ret_owner = (pid_t)pid;
	return start_time((pid_t)pid, &now) && now == started;
}

static void
mark_name(const char *id, char ret_name[static ID_SIZE + sizeof(MARK)])
{
	snprintf(ret_name, ID_SIZE + sizeof(MARK), "%s" MARK, id);
}

/* ---- the owner ---- */

void
registry_add(struct registry *r, const char *id)
{
	auto_fd int fd =
	    r->dir < 0 ? -1 : openat(r->dir, id, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char text[FILE_MAX];
	uint64_t started;
	struct err e;
	int n;

	if (fd < 0 || !start_time(getpid(), &started))
		return;
	n = snprintf(text, sizeof(text), "%d %llu\n", (int)getpid(),
	    (unsigned long long)started);
	if (fd_write_all(fd, (struct str){ text, (size_t)n }, &e) < 0)
		unlinkat(r->dir, id, 0); /* a full disk: the run goes on unseen */
}

void
registry_remove(struct registry *r, const char *id)
{
	char mark[ID_SIZE + sizeof(MARK)];

	if (r->dir < 0)
		return;
	mark_name(id, mark);
	unlinkat(r->dir, id, 0);
	unlinkat(r->dir, mark, 0);
}

bool
registry_is_cancelled(const struct registry *r, const char *id)
{
	char mark[ID_SIZE + sizeof(MARK)];

	mark_name(id, mark);
	return r->dir >= 0 && faccessat(r->dir, mark, F_OK, 0) == 0;
}

/* ---- others ---- */

bool
registry_has(const struct registry *r, const char *id)
{
	pid_t owner;

	return r->dir >= 0 && read_owner(r, id, &owner);
}

static int
by_id(const void *a, const void *b)
{
	const struct registry_entry *x = a, *y = b;

	return strcmp(x->id, y->id);
}

size_t
registry_list(struct registry *r, struct registry_entry *ret_entries, size_t max)
{
	int copy = r->dir < 0 ? -1 : openat(r->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *d;
	size_t n = 0;

	if (!dir)
		return 0;
	while ((d = readdir(dir)) && n < max) {
		struct registry_entry *entry = &ret_entries[n];

		if (!id_valid(str_of(d->d_name)))
			continue;
		memcpy(entry->id, d->d_name, ID_SIZE);
		if (!read_owner(r, entry->id, &entry->owner)) {
			registry_remove(r, entry->id);
			continue;
		}
		entry->cancelling = registry_is_cancelled(r, entry->id);
		n++;
	}
	closedir(dir);
	qsort(ret_entries, n, sizeof(*ret_entries), by_id);
	return n;
}

static int
wake_owner(struct registry *r, const struct registry_entry *entry, struct err *e)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, entry->owner, 0);
	pid_t still;

	/*
	 * The descriptor pins the process; the check after it makes sure it is the right one.
	 */
	if (pidfd < 0 || !read_owner(r, entry->id, &still) || still != entry->owner)
		return err_set(e, ERR_NOTFOUND, "run %s has just ended", entry->id);
	if (syscall(SYS_pidfd_send_signal, pidfd, REGISTRY_SIGNAL, NULL, 0) < 0)
		return err_sys(e, "tell the owner of run %s", entry->id);
	return 0;
}

int
registry_cancel(struct registry *r, struct str prefix, char ret_id[static ID_SIZE],
    struct err *e)
{
	auto_free struct registry_entry *entries = xcalloc(LIST_MAX, sizeof(*entries));
	size_t n = registry_list(r, entries, LIST_MAX);
	const struct registry_entry *found = NULL;
	char mark[ID_SIZE + sizeof(MARK)];
	auto_fd int fd = -1;

	for (size_t i = 0; i < n; i++) {
		if (!prefix.n || !str_starts(str_of(entries[i].id), prefix))
			continue;
		if (found)
			return err_set(e, ERR_INVALID, "several runs start with %.*s",
			    STR_ARG(prefix));
		found = &entries[i];
	}
	if (!found)
		return err_set(e, ERR_NOTFOUND, "no run that is going on has the id %.*s",
		    (int)MIN(prefix.n, (size_t)ID_SIZE), prefix.p);
	mark_name(found->id, mark);
	fd = openat(r->dir, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "ask for the end of run %s", found->id);
	memcpy(ret_id, found->id, ID_SIZE);
	return wake_owner(r, found, e);
}
