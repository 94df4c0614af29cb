/* SPDX-License-Identifier: MIT */
/*
 * The person's own file tree, in a mount namespace of ours: read-only but for some folders, with
 * others covered by an empty one, and a /proc that shows this pid namespace alone. Unlike Landlock
 * it refuses chmod, chown, times and attributes as well, and covers without walking around.
 *
 *	r = tree_settle(&(struct tree_plan){ writable, 2, covered, 3, true }, e);
 *
 * Needs CAP_SYS_ADMIN and a mount namespace whose mounts are private. All paths are real ones: a
 * link that is met on the way is an error. With "/" among the writable nothing is read-only.
 */
#ifndef SANDBOX_TREE_H
#define SANDBOX_TREE_H

#include "base/err.h"

#define TREE_PATHS_MAX 96

struct tree_plan {
	const char *const *writable; /* folders or files that are there */
	size_t writable_count;
	const char *const *covered; /* folders; one that is not there is left as it is */
	size_t covered_count;       /* what is writable below one of them shows through */
	bool proc;
};

int tree_settle(const struct tree_plan *plan, struct err *e) must_use;

#endif
