/* SPDX-License-Identifier: MIT */
#include "sandbox/profile.h"

#include "filter_js.h"

/*
 * Nothing but memory and the descriptors it has. RLIMIT_DATA, the bound of its memory, comes
 * from the job: it counts private writable memory, not the address space a VM reserves.
 */
static const struct rlimit_row js_limits[] = {
	{ RLIMIT_CORE, 0 },
	{ RLIMIT_FSIZE, 0 },
	{ RLIMIT_NOFILE, 64 },
	{ RLIMIT_NPROC, 0 },
	{ RLIMIT_MEMLOCK, 0 },
	{ RLIMIT_MSGQUEUE, 0 },
	{ RLIMIT_NICE, 0 },
	{ RLIMIT_RTPRIO, 0 },
	{ RLIMIT_SIGPENDING, 64 },
};

const struct sandbox_profile sandbox_profiles[PROFILE_COUNT] = {
	[PROFILE_js] = {
		.name = "js",
		.self_closing = true,
		.want = LAYERS_ALL,
		.must = LAYER_BIT(caps) | LAYER_BIT(nnp) | LAYER_BIT(rlimits),
		.filter = &filter_js,
		.limits = js_limits,
		.limit_count = COUNT(js_limits),
	},
};
