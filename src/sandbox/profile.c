/* SPDX-License-Identifier: MIT */
#include "sandbox/profile.h"

#include "sandbox/caps.h"

#include "filter_js.h"
#include "filter_reader.h"
#include "filter_runner.h"
#include "filter_runner_net.h"
#include "filter_writer.h"

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

/* One process that starts none. Files are smaller than its bound, so that it never ends it. */
static const struct rlimit_row writer_limits[] = {
	{ RLIMIT_CORE, 0 },
	{ RLIMIT_FSIZE, MiB(4) },
	{ RLIMIT_DATA, MiB(256) },
	{ RLIMIT_NOFILE, 64 },
	{ RLIMIT_MEMLOCK, 0 },
	{ RLIMIT_MSGQUEUE, 0 },
	{ RLIMIT_NICE, 0 },
	{ RLIMIT_RTPRIO, 0 },
	{ RLIMIT_SIGPENDING, 64 },
};

/*
 * CHOWN and FOWNER: a file keeps its owner, group, mode and attributes. DAC_OVERRIDE: where root works in
 * somebody's folder it may write there. Only root has them to keep; Landlock says where they count.
 */
#define WRITER_CAPS (CAPS_BIT(0) | CAPS_BIT(1) | CAPS_BIT(3))

/* What ripgrep and git need of the machine; their own executables come from the job. */
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

/* What a command has is the person's; only what would be left behind is taken. */
static const struct rlimit_row runner_limits[] = {
	{ RLIMIT_CORE, 0 },
};

/*
 * Every name may be seen, as it may be looked at by stat anyway. What may be read, written and executed
 * comes from the job: of /dev there are these alone, no disk, no terminal.
 */
static const struct landlock_rule runner_rules[] = {
	{ .path = "/", .access = LANDLOCK_LIST },
	{ .path = "/dev/null", .access = LANDLOCK_READ | LANDLOCK_WRITE },
	{ .path = "/dev/zero", .access = LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_OPTIONAL },
	{ .path = "/dev/full", .access = LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_OPTIONAL },
	{ .path = "/dev/random", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
	{ .path = "/dev/urandom", .access = LANDLOCK_READ | LANDLOCK_OPTIONAL },
};

/* CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID: what a root's command expects of files. */
#define RUNNER_CAPS                                                                         \
	(CAPS_PLAIN | CAPS_BIT(0) | CAPS_BIT(1) | CAPS_BIT(3) | CAPS_BIT(4) | CAPS_BIT(5) | \
	    CAPS_BIT(6) | CAPS_BIT(7))

/* No user namespace: git's look at owners, chown and ssh break in one. */
#define RUNNER_WANT                                                                   \
	(LAYER_BIT(pidns) | LAYER_BIT(mntns) | LAYER_BIT(ipcns) | LAYER_BIT(cgroup) | \
	    LAYER_BIT(caps) | LAYER_BIT(nnp) | LAYER_BIT(dumpable) | LAYER_BIT(rlimits))

/* A folder that a command may fill with whatever it makes. */
#define RUNNER_FOLDER (LANDLOCK_FILL | LANDLOCK_EXEC | LANDLOCK_SPECIAL)

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
		.programs = true,
		.rules = reader_rules,
		.rule_count = COUNT(reader_rules),
	},
	[PROFILE_runner] = {
		.name = "runner",
		.self_closing = true,
		.keeper = true,
		.open_tree = true,
		.person_id = true,
		.their_umask = true,
		.commands = true,
		.want = RUNNER_WANT | LAYER_BIT(landlock) | LAYER_BIT(landlock_net) |
		    LAYER_BIT(landlock_scope) | LAYER_BIT(seccomp),
		.must = LAYER_BIT(nnp) | LAYER_BIT(rlimits) | LAYER_BIT(landlock) | LAYER_BIT(seccomp),
		.caps = RUNNER_CAPS,
		.filter = &filter_runner,
		.limits = runner_limits,
		.limit_count = COUNT(runner_limits),
		.folder_access = RUNNER_FOLDER,
		.rules = runner_rules,
		.rule_count = COUNT(runner_rules),
	},
	[PROFILE_runner_net] = {
		.name = "runner_net",
		.self_closing = true,
		.keeper = true,
		.open_tree = true,
		.person_id = true,
		.their_umask = true,
		.commands = true,
		.tcp = true,
		.want = RUNNER_WANT | LAYER_BIT(landlock) | LAYER_BIT(landlock_scope) |
		    LAYER_BIT(seccomp),
		.must = LAYER_BIT(nnp) | LAYER_BIT(rlimits) | LAYER_BIT(landlock) | LAYER_BIT(seccomp),
		.caps = RUNNER_CAPS | CAPS_BIT(10),
		.filter = &filter_runner_net,
		.limits = runner_limits,
		.limit_count = COUNT(runner_limits),
		.folder_access = RUNNER_FOLDER,
		.rules = runner_rules,
		.rule_count = COUNT(runner_rules),
	},
	[PROFILE_runner_open] = {
		.name = "runner_open",
		.self_closing = true,
		.keeper = true,
		.open_tree = true,
		.person_id = true,
		.their_umask = true,
		.commands = true,
		.tcp = true,
		.want = RUNNER_WANT,
		.must = LAYER_BIT(nnp) | LAYER_BIT(rlimits),
		.caps = RUNNER_CAPS | CAPS_BIT(10),
		.limits = runner_limits,
		.limit_count = COUNT(runner_limits),
	},
	/* No user namespace: in one the owner of a file could not be kept. */
	[PROFILE_writer] = {
		.name = "writer",
		.self_closing = true,
		.open_tree = true,
		.person_id = true,
		.their_umask = true,
		.want = LAYER_BIT(netns) | LAYER_BIT(ipcns) | LAYER_BIT(utsns) | LAYER_BIT(cgroup) |
		    LAYER_BIT(caps) | LAYER_BIT(nnp) | LAYER_BIT(dumpable) | LAYER_BIT(rlimits) |
		    LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope) |
		    LAYER_BIT(seccomp),
		.must = LAYER_BIT(nnp) | LAYER_BIT(rlimits),
		.caps = WRITER_CAPS,
		.filter = &filter_writer,
		.limits = writer_limits,
		.limit_count = COUNT(writer_limits),
		.folder_access = LANDLOCK_READ | LANDLOCK_REPLACE,
	},
};
