/* SPDX-License-Identifier: MIT */
#include "sandbox/profile.h"

#include "filter_js.h"
#include "filter_reader.h"

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

/* A process of it; the control group bounds them all. Ripgrep maps files, which is not counted. */
static const struct rlimit_row reader_limits[] = {
	{ RLIMIT_CORE, 0 },
	{ RLIMIT_FSIZE, 0 },
	{ RLIMIT_DATA, GiB(2) },
	{ RLIMIT_NOFILE, 1024 },
	{ RLIMIT_MEMLOCK, 0 },
	{ RLIMIT_MSGQUEUE, 0 },
	{ RLIMIT_NICE, 0 },
	{ RLIMIT_RTPRIO, 0 },
	{ RLIMIT_SIGPENDING, 64 },
};

/* What ripgrep needs of the machine; its own executable comes from the job. */
static const struct landlock_rule reader_rules[] = {
	{ .path = "/usr", .access = LANDLOCK_READ },
	{ .path = "/lib", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
	{ .path = "/lib64", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
	{ .path = "/lib64/ld-linux-x86-64.so.2",
	    .access = LANDLOCK_READ | LANDLOCK_EXEC | LANDLOCK_OPTIONAL },
	{ .path = "/lib/ld-linux-aarch64.so.1",
	    .access = LANDLOCK_READ | LANDLOCK_EXEC | LANDLOCK_OPTIONAL },
	{ .path = "/etc/ld.so.cache", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
	{ .path = "/dev/null", .access = LANDLOCK_READ },
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
	[PROFILE_reader] = {
		.name = "reader",
		.self_closing = true,
		.keeper = true, /* it starts others */
		.open_tree = true,
		.person_id = true,
		.want = LAYER_BIT(userns) | LAYER_BIT(pidns) | LAYER_BIT(netns) | LAYER_BIT(ipcns) |
		    LAYER_BIT(utsns) | LAYER_BIT(cgroup) | LAYER_BIT(caps) | LAYER_BIT(nnp) | LAYER_BIT(dumpable) | LAYER_BIT(rlimits) |
		    LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope) |
		    LAYER_BIT(seccomp),
		.must = LAYER_BIT(nnp) | LAYER_BIT(rlimits),
		.filter = &filter_reader,
		.limits = reader_limits,
		.limit_count = COUNT(reader_limits),
		.processes = 256,
		.folder_access = LANDLOCK_READ,
		.ripgrep = true,
		.rules = reader_rules,
		.rule_count = COUNT(reader_rules),
	},
};
