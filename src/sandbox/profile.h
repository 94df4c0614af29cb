/* SPDX-License-Identifier: MIT */
/*
 * What each kind of closed process may do: one row a kind, nothing else decides. A review of
 * the walls is a review of profile.c and of the filter it names.
 *
 * A self-closing program is one of ours: it loads its libraries, makes what it needs for its
 * life and then calls sandbox_enter. Any other program gets everything from the launcher before
 * exec.
 */
#ifndef SANDBOX_PROFILE_H
#define SANDBOX_PROFILE_H

#include "sandbox/landlock.h"
#include "sandbox/mount.h"
#include "sandbox/report.h"
#include "sandbox/rlimit.h"
#include "sandbox/seccomp.h"

struct sandbox_profile {
	const char *name;
	bool self_closing;
	bool keeper;      /* a reaper of ours stands above it: for programs that start others */
	bool open_tree;   /* keeps the file tree it has; Landlock rules alone decide */
	bool person_id;   /* keeps the ids it was started with */
	bool their_umask; /* what it makes gets the rights that the person's files get */
	bool commands;    /* what a person starts: root's ways, a /proc of its own */
	bool tcp;         /* TCP is its business: Landlock leaves it alone */
	uint32_t want;    /* layers to put up */
	uint32_t must;    /* layers without which it never runs */
	uint64_t caps;    /* kept for good, where there are any; see caps.h */
	const struct seccomp_filter *filter;
	const struct rlimit_row *limits;
	size_t limit_count;
	unsigned processes; /* at most, where a user namespace of its own counts them apart */
	const struct landlock_rule *rules;
	size_t rule_count;
	unsigned folder_access; /* LANDLOCK_*: what it may do in the folders it is given */
	bool programs;          /* it may run ripgrep and git */
	const struct mount_row *view;
	size_t view_count;
};

enum sandbox_profile_id {
#define PROFILE(name) PROFILE_##name,
#include "sandbox/profile.def"
#undef PROFILE
	PROFILE_COUNT
};

extern const struct sandbox_profile sandbox_profiles[PROFILE_COUNT];

#endif
