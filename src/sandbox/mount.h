/* SPDX-License-Identifier: MIT */
/*
 * The file tree a closed process sees: either nothing at all (an empty, read-only root), or a
 * view, which is a tmpfs with the folders, links, texts and mounts that a table of rows names.
 *
 *	static const struct mount_row rows[] = {
 *		{ MOUNT_BIND, "usr", .from = "/usr", .flags = MOUNT_RO },
 *		{ MOUNT_LINK, "lib", .from = "usr/lib" },
 *		{ MOUNT_TMPFS, "tmp", .flags = MOUNT_NOEXEC, .size = MiB(64), .inodes = 4096 },
 *	};
 *
 * Every place is made in the empty root before anything is attached, so no mount can lead the
 * making of another one astray; places are found again without following links. Mounts are
 * nosuid always and nodev unless MOUNT_DEV.
 *
 * A bind of a job names its folder by descriptor. A launcher that may mount detaches the tree
 * itself (then the child needs no rights on the way to it); otherwise the child opens the path
 * again and checks that it is still the same folder.
 */
#ifndef SANDBOX_MOUNT_H
#define SANDBOX_MOUNT_H

#include <sys/types.h>

#include "sandbox/report.h"

#define MOUNT_ROWS_MAX 48

enum mount_kind {
	MOUNT_DIR,   /* an empty folder */
	MOUNT_LINK,  /* a symbolic link to `from` */
	MOUNT_TEXT,  /* a file with the text `from` */
	MOUNT_BIND,  /* `from` (and, if given, fd: the same thing, opened) */
	MOUNT_TMPFS, /* memory, bounded by size and inodes, owned by the payload */
	MOUNT_PROC,  /* /proc with processes alone */
};

#define MOUNT_RO       1U
#define MOUNT_NOEXEC   2U
#define MOUNT_DEV      4U /* device nodes work */
#define MOUNT_OPTIONAL 8U /* what is not there is left out */
#define MOUNT_SENT     16U /* TMPFS: its descriptor goes to the launcher, who can read it later */

struct mount_row {
	enum mount_kind kind;
	const char *at; /* below the new root, no leading slash, no dots */
	const char *from;
	int fd; /* BIND: 0 when there is none */
	unsigned flags;
	uint64_t size;   /* TMPFS, bytes */
	unsigned inodes; /* TMPFS */
};

struct mount_view {
	struct mount_row rows[MOUNT_ROWS_MAX];
	int trees[MOUNT_ROWS_MAX]; /* detached mounts, -1 when there is none (yet) */
	size_t count;
};

void mount_view_init(struct mount_view *ret_view);
/* Appends rows; ERR_LIMIT when they are too many, ERR_INVALID for a place outside the root. */
int mount_view_add(struct mount_view *v, const struct mount_row *rows, size_t count,
    struct err *e) must_use;
/* In the launcher, before the clone: detaches the trees of binds given by descriptor. */
int mount_view_detach(struct mount_view *v, struct err *e) must_use;
/* Closes all trees. */
void mount_view_done(struct mount_view *v);

/* Cuts the new mount namespace off from the outside's; fails where mounting is refused. */
int mount_private(struct err *e) must_use;
/*
 * Builds the view and makes it the root for good; afterwards trees[] of rows with MOUNT_SENT
 * are open. uid and gid own the tmpfs rows. Works once a mount namespace, after mount_private.
 */
int mount_view_enter(struct mount_view *v, uid_t uid, gid_t gid, struct err *e) must_use;
/* Replaces the root by nothing. */
int mount_empty_root(struct err *e) must_use;

/* Marks `root` after trying: making a folder fails, and when `empty`, there is no entry at all.
 */
void mount_prove_root(bool empty, struct sandbox_report *r);

#endif
