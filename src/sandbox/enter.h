/* SPDX-License-Identifier: MIT */
/*
 * How a program of ours closes itself: one call, after its libraries are loaded and everything
 * it needs for life is made (loop, timers, signal handlers), before it reads a first byte from a
 * peer. Single-threaded then, and ever after.
 *
 *	struct sandbox_report report;
 *
 *	r = sandbox_enter(&sandbox_profiles[PROFILE_js], &(struct sandbox_enter_opts){
 *	    .limits = &(struct rlimit_row){ RLIMIT_DATA, data }, .limit_count = 1,
 *	}, &report, e);
 *
 * The order is in enter.c, one step a line. A step that the machine does not give is no error:
 * it is in the report, with the reason, unless the profile or the options insist on the layer. A
 * step that fails where it should have worked is an error; the caller must then exit.
 *
 * Descriptors stay open, those from 256 on excepted; a folder among them is an error.
 */
#ifndef SANDBOX_ENTER_H
#define SANDBOX_ENTER_H

#include "sandbox/profile.h"
#include "sandbox/tree.h"

struct sandbox_enter_opts {
	const struct rlimit_row *limits; /* after the profile's */
	size_t limit_count;
	const struct landlock_rule *rules; /* after the profile's */
	size_t rule_count;
	const struct tree_plan *tree; /* looked at when the profile runs commands; or NULL */
	uint32_t
	    need; /* layers without which this fails, besides the profile's and the job's */
};

int sandbox_enter(const struct sandbox_profile *profile, const struct sandbox_enter_opts *opts,
    struct sandbox_report *ret_report, struct err *e) must_use;

#endif
