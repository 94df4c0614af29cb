/* SPDX-License-Identifier: MIT */
#include "sandbox/mount.h"

#include <dirent.h>
#include <errno.h>
#include <linux/openat2.h>
#include <stdio.h>

#include "sandbox/sys.h"

#define PATH_ROOM   256
#define MOVE_TO_FD  0x40 /* MOVE_MOUNT_T_EMPTY_PATH */
#define ATTR_ALWAYS MOUNT_ATTR_NOSUID
#define ATTR_CLOSED \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define VIEW_SIZE   "256k"
#define VIEW_INODES "256"

void
mount_view_init(struct mount_view *ret_view)
{
	*ret_view = (struct mount_view){ 0 };
	for (size_t i = 0; i < MOUNT_ROWS_MAX; i++)
		ret_view->trees[i] = -1;
}

/* Relative, without empty, "." and ".." parts. */
static bool
place_ok(struct str at)
{
	if (at.n == 0 || at.n >= PATH_ROOM || at.p[at.n - 1] == '/')
		return false;
	while (at.n) {
		struct str part = str_split(&at, '/');

		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

int
mount_view_add(struct mount_view *v, const struct mount_row *rows, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (v->count == MOUNT_ROWS_MAX)
			return err_set(e, ERR_LIMIT, "more than %d rows in a file view",
			    MOUNT_ROWS_MAX);
		if (!place_ok(str_of(rows[i].at)))
			return err_set(e, ERR_INVALID, "'%s' is no place in a file view",
			    rows[i].at);
		v->rows[v->count++] = rows[i];
	}
	return 0;
}

int
mount_view_detach(struct mount_view *v, struct err *e)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct mount_row *row = &v->rows[i];

		if (row->kind != MOUNT_BIND || row->fd == 0)
			continue;
		v->trees[i] = sys_open_tree(row->fd, "",
		    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
		if (v->trees[i] < 0)
			return err_sys(e, "detach '%s'", row->from ? row->from : row->at);
	}
	return 0;
}

void
mount_view_done(struct mount_view *v)
{
	for (size_t i = 0; i < MOUNT_ROWS_MAX; i++)
		base_close_fd(&v->trees[i]);
	v->count = 0;
}

int
mount_private(struct err *e)
{
	if (sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make the mounts private");
	return 0;
}

struct memory {
	const char *size, *inodes, *mode;
	const char *uid, *gid; /* NULL: who makes it */
	unsigned attr;
};

/* A tmpfs that is attached nowhere yet. */
static int
make_tmpfs(const struct memory *m, int *ret_tree, struct err *e)
{
	auto_fd int fs = sys_fsopen("tmpfs");
	int tree;

	if (fs < 0 || sys_fsconfig(fs, "size", m->size) < 0 ||
	    sys_fsconfig(fs, "nr_inodes", m->inodes) < 0 ||
	    sys_fsconfig(fs, "mode", m->mode) < 0)
		return err_sys(e, "set up a tmpfs");
	if (m->uid &&
	    (sys_fsconfig(fs, "uid", m->uid) < 0 || sys_fsconfig(fs, "gid", m->gid) < 0))
		return err_sys(e, "set the owner of a tmpfs");
	if (sys_fsconfig(fs, NULL, NULL) < 0)
		return err_sys(e, "make a tmpfs");
	tree = sys_fsmount(fs, m->attr);
	if (tree < 0)
		return err_sys(e, "mount a tmpfs");
	*ret_tree = tree;
	return 0;
}

/*
 * Stacks the tree on "/" and goes there; the old root is still what absolute paths mean until
 * switch_root. No folder of the old tree is needed as a place.
 */
static int
go_to(int tree, struct err *e)
{
	if (sys_move_mount(tree, AT_FDCWD, "/") < 0)
		return err_sys(e, "attach the new root");
	if (sys_fchdir(tree) < 0)
		return err_sys(e, "go to the new root");
	return 0;
}

static int
switch_root(struct err *e)
{
	if (sys_pivot_root(".", ".") < 0)
		return err_sys(e, "switch to the new root");
	if (sys_umount(".", MNT_DETACH) < 0)
		return err_sys(e, "drop the old root");
	if (sys_chdir("/") < 0)
		return err_sys(e, "go to the new root");
	return 0;
}

int
mount_empty_root(struct err *e)
{
	static const struct memory nothing = { "4k", "1", "0555", NULL, NULL, ATTR_CLOSED };
	auto_fd int tree = -1;
	int r = make_tmpfs(&nothing, &tree, e);

	if (r < 0)
		return r;
	r = go_to(tree, e);
	return r < 0 ? r : switch_root(e);
}

/* Folders on the way to a place, in the bare tmpfs. */
static int
make_parents(int root, const char *at, struct err *e)
{
	char path[PATH_ROOM];
	size_t n = strlen(at);

	for (size_t i = 0; i < n; i++) {
		if (at[i] != '/')
			continue;
		memcpy(path, at, i);
		path[i] = '\0';
		if (sys_mkdirat(root, path, 0755) < 0 && errno != EEXIST)
			return err_sys(e, "make '/%s' in the file view", path);
	}
	return 0;
}

static int
make_file(int root, const char *at, const char *text, struct err *e)
{
	auto_fd int fd = sys_openat(root, at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0444);
	size_t n = strlen(text);

	if (fd < 0 || sys_write(fd, text, n) != (ssize_t)n)
		return err_sys(e, "make '/%s' in the file view", at);
	return 0;
}

static int
make_place(int root, const struct mount_row *row, int tree, struct err *e)
{
	struct stat st = { .st_mode = S_IFDIR };
	int r = make_parents(root, row->at, e);

	if (r < 0)
		return r;
	if (row->kind == MOUNT_TEXT)
		return make_file(root, row->at, row->from, e);
	if (row->kind == MOUNT_LINK) {
		if (sys_symlinkat(row->from, root, row->at) < 0)
			return err_sys(e, "link '/%s' in the file view", row->at);
		return 0;
	}
	if (tree >= 0 && fstat(tree, &st) < 0)
		return err_sys(e, "look at what goes to '/%s'", row->at);
	if (!S_ISDIR(st.st_mode))
		return make_file(root, row->at, "", e);
	if (sys_mkdirat(root, row->at, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "make '/%s' in the file view", row->at);
	return 0;
}

/* The tree of a bind that the launcher did not detach; must still be what its fd is. */
static int
open_bind(const struct mount_row *row, int *ret_tree, struct err *e)
{
	auto_fd int tree = sys_open_tree(AT_FDCWD, row->from,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	struct stat now, was;

	if (tree < 0 && errno == ENOENT && (row->flags & MOUNT_OPTIONAL))
		return 0;
	if (tree < 0)
		return err_sys(e, "open '%s' for the file view", row->from);
	if (row->fd) {
		if (fstat(tree, &now) < 0 || fstat(row->fd, &was) < 0)
			return err_sys(e, "look at '%s'", row->from);
		if (now.st_dev != was.st_dev || now.st_ino != was.st_ino)
			return err_set(e, ERR_DENIED, "'%s' was replaced while it was given",
			    row->from);
	}
	*ret_tree = steal_fd(&tree);
	return 0;
}

static unsigned
attr_of(const struct mount_row *row)
{
	unsigned attr = ATTR_ALWAYS;

	if (row->flags & MOUNT_RO)
		attr |= MOUNT_ATTR_RDONLY;
	if (row->flags & MOUNT_NOEXEC)
		attr |= MOUNT_ATTR_NOEXEC;
	if (!(row->flags & MOUNT_DEV))
		attr |= MOUNT_ATTR_NODEV;
	return attr;
}

static int
make_memory(const struct mount_row *row, uid_t uid, gid_t gid, int *ret_tree, struct err *e)
{
	char size[32], inodes[16], user[16], group[16];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)row->size);
	snprintf(inodes, sizeof(inodes), "%u", row->inodes);
	snprintf(user, sizeof(user), "%u", (unsigned)uid);
	snprintf(group, sizeof(group), "%u", (unsigned)gid);
	return make_tmpfs(&(struct memory){ size, inodes, "0700", user, group, attr_of(row) },
	    ret_tree, e);
}

static int
make_proc(const struct mount_row *row, int *ret_tree, struct err *e)
{
	auto_fd int fs = sys_fsopen("proc");

	if (fs < 0 || sys_fsconfig(fs, "subset", "pid") < 0 ||
	    sys_fsconfig(fs, "hidepid", "invisible") < 0 || sys_fsconfig(fs, NULL, NULL) < 0)
		return err_sys(e, "make /proc");
	*ret_tree = sys_fsmount(fs, attr_of(row) | MOUNT_ATTR_NOEXEC);
	return *ret_tree < 0 ? err_sys(e, "mount /proc") : 0;
}

/* Everything that comes from the old tree is taken out of it before the new one covers it. */
static int
make_trees(struct mount_view *v, uid_t uid, gid_t gid, struct err *e)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct mount_row *row = &v->rows[i];
		int r = 0;

		if (row->kind == MOUNT_BIND && v->trees[i] < 0)
			r = open_bind(row, &v->trees[i], e);
		else if (row->kind == MOUNT_TMPFS)
			r = make_memory(row, uid, gid, &v->trees[i], e);
		else if (row->kind == MOUNT_PROC)
			r = make_proc(row, &v->trees[i], e);
		if (r < 0)
			return r;
		if (row->kind == MOUNT_BIND && v->trees[i] >= 0 &&
		    sys_mount_restrict(v->trees[i], attr_of(row)) < 0)
			return err_sys(e, "restrict the mount for '/%s'", row->at);
	}
	return 0;
}

static bool
is_place(const struct mount_view *v, size_t i)
{
	bool mounted = v->rows[i].kind != MOUNT_DIR && v->rows[i].kind != MOUNT_LINK &&
		       v->rows[i].kind != MOUNT_TEXT;

	return !mounted || v->trees[i] >= 0;
}

static int
attach(int root, const struct mount_row *row, int tree, struct err *e)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int place = (int)syscall(SYS_openat2, root, row->at, &how, sizeof(how));

	if (place < 0)
		return err_sys(e, "find '/%s' in the file view", row->at);
	if (syscall(SYS_move_mount, tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_TO_FD) <
	    0)
		return err_sys(e, "attach '/%s' in the file view", row->at);
	return 0;
}

static int
fill(int root, struct mount_view *v, struct err *e)
{
	int r;

	for (size_t i = 0; i < v->count; i++) {
		r = is_place(v, i) ? make_place(root, &v->rows[i], v->trees[i], e) : 0;
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < v->count; i++) {
		if (v->trees[i] < 0)
			continue;
		r = attach(root, &v->rows[i], v->trees[i], e);
		if (r < 0)
			return r;
		if (!(v->rows[i].flags & MOUNT_SENT))
			base_close_fd(&v->trees[i]);
	}
	return 0;
}

int
mount_view_enter(struct mount_view *v, uid_t uid, gid_t gid, struct err *e)
{
	static const struct memory skeleton = { VIEW_SIZE, VIEW_INODES, "0755", NULL, NULL,
		ATTR_ALWAYS | MOUNT_ATTR_NODEV };
	auto_fd int root = -1;
	mode_t mask = umask(0);
	int r;

	r = make_trees(v, uid, gid, e);
	if (r == 0)
		r = make_tmpfs(&skeleton, &root, e);
	if (r == 0)
		r = go_to(root, e);
	if (r == 0)
		r = fill(root, v, e);
	umask(mask);
	if (r < 0)
		return r;
	r = switch_root(e);
	if (r < 0)
		return r;
	if (sys_mount_restrict_one(root, ATTR_CLOSED) < 0)
		return err_sys(e, "make the file view read-only");
	return 0;
}

static bool
holds_nothing(void)
{
	DIR *dir = opendir("/");
	const struct dirent *entry;
	unsigned count = 0;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count == 0;
}

void
mount_prove_root(bool empty, struct sandbox_report *r)
{
	report_hold(r, LAYER_root);
	report_prove(r, LAYER_root,
	    sys_mkdirat(AT_FDCWD, "/crisol", 0700) < 0 && errno == EROFS,
	    "making a folder in the root");
	if (empty)
		report_prove(r, LAYER_root, holds_nothing(), "listing the root");
}
