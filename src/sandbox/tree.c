/* SPDX-License-Identifier: MIT */
#include "sandbox/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/sys.h"

#ifndef MOVE_MOUNT_T_EMPTY_PATH
#define MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#endif

/* What is put where: the copy of a writable place, or an empty folder. */
struct place {
	const char *path;
	int tree;
	bool cover;
};

struct settling {
	struct place places[TREE_PATHS_MAX];
	size_t n;
};

static int
copy_of(const char *path, int *ret_tree, struct err *e)
{
	auto_fd int at = sys_open_real(path);

	if (at < 0)
		return err_sys(e, "open '%s', which is to stay writable", path);
	*ret_tree = sys_open_tree(at, "",
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
	return *ret_tree < 0 ? err_sys(e, "copy the mount of '%s'", path) : 0;
}

static int
empty_folder(int *ret_tree, struct err *e)
{
	auto_fd int fs = sys_fsopen("tmpfs");

	if (fs < 0 || sys_fsconfig(fs, "size", "64k") < 0 ||
	    sys_fsconfig(fs, "mode", "0555") < 0 || sys_fsconfig(fs, NULL, NULL) < 0)
		return err_sys(e, "make an empty folder to cover with");
	*ret_tree = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return *ret_tree < 0 ? err_sys(e, "mount an empty folder to cover with") : 0;
}

static int
gather(struct settling *s, const char *const *paths, size_t count, bool cover, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		struct place *p = &s->places[s->n];

		if (s->n == TREE_PATHS_MAX)
			return err_set(e, ERR_LIMIT, "more than %d places in a tree",
			    TREE_PATHS_MAX);
		if (cover && access(paths[i], F_OK) < 0 && errno == ENOENT)
			continue;
		*p = (struct place){ paths[i], -1, cover };
		s->n++;
		r = cover ? empty_folder(&p->tree, e) : copy_of(paths[i], &p->tree, e);
	}
	return r;
}

/* Outer places first; of the same place the cover wins, so it comes last. */
static int
by_length(const void *a, const void *b)
{
	const struct place *one = a, *two = b;
	size_t n = strlen(one->path), m = strlen(two->path);

	return n != m ? (n < m ? -1 : 1) : (int)one->cover - (int)two->cover;
}

/* Below a cover the way to a writable place is not there any more. */
static void
make_way(const char *path)
{
	char *text = xstrdup(path);

	for (char *slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		sys_mkdirat(AT_FDCWD, text, 0755);
		*slash = '/';
	}
	sys_mkdirat(AT_FDCWD, text, 0755);
	free(text);
}

static int
put(const struct place *p, struct err *e)
{
	auto_fd int at = sys_open_real(p->path);

	if (at < 0 && errno == ENOENT && !p->cover) {
		make_way(p->path);
		at = sys_open_real(p->path);
	}
	if (at < 0)
		return err_sys(e, "open '%s' to mount over it", p->path);
	if (syscall(SYS_move_mount, p->tree, "", at, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return err_sys(e, "mount over '%s'", p->path);
	return 0;
}

static int
put_all(struct settling *s, const struct tree_plan *plan, struct err *e)
{
	bool whole = false;
	int r = 0;

	for (size_t i = 0; i < plan->writable_count; i++)
		whole |= strcmp(plan->writable[i], "/") == 0;
	if (!whole) {
		auto_fd int root = sys_open_real("/");

		if (root < 0 || sys_mount_restrict(root, MOUNT_ATTR_RDONLY) < 0)
			return err_sys(e, "make the file tree read-only");
	}
	for (size_t i = 0; i < s->n && r == 0; i++) {
		bool root = strcmp(s->places[i].path, "/") == 0;

		r = root ? 0 : put(&s->places[i], e);
	}
	for (size_t i = 0; i < s->n && r == 0; i++)
		if (s->places[i].cover &&
		    sys_mount_restrict_one(s->places[i].tree, MOUNT_ATTR_RDONLY) < 0)
			r = err_sys(e, "make the cover of '%s' read-only", s->places[i].path);
	return r;
}

int
tree_settle(const struct tree_plan *plan, struct err *e)
{
	struct settling s = { .n = 0 };
	int r = gather(&s, plan->writable, plan->writable_count, false, e);

	if (r == 0)
		r = gather(&s, plan->covered, plan->covered_count, true, e);
	qsort(s.places, s.n, sizeof(s.places[0]), by_length);
	if (r == 0)
		r = put_all(&s, plan, e);
	if (r == 0 && plan->proc &&
	    sys_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		r = err_sys(e, "mount a /proc of its own");
	for (size_t i = 0; i < s.n; i++)
		base_close_fd(&s.places[i].tree);
	return r;
}
