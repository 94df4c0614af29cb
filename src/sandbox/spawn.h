/* SPDX-License-Identifier: MIT */
/*
 * Starting closed processes. For the launcher alone: a small process without threads or
 * secrets, whose only work this is.
 *
 *	struct sandbox_host host;
 *	sandbox_host_init(&host);
 *
 *	struct sandbox_job job = {
 *		.profile = &sandbox_profiles[PROFILE_js],
 *		.exe_fd = exe,				(O_PATH is enough)
 *		.argv = (const char *const[]){ "crisol-js", NULL },
 *		.fds = &(struct sandbox_fd){ channel, 3 },
 *		.fd_count = 1,
 *	};
 *	r = sandbox_spawn(&host, &job, &child, e);
 *	...					the pidfd becomes readable
 *	sandbox_reap(&host, &child, &status);
 *
 * The strongest mode the machine gives is used; each weaker choice is in the report with its
 * reason. Nothing is inherited but what fds says; 0, 1, 2 are /dev/null unless mapped. The
 * child dies with the launcher.
 */
#ifndef SANDBOX_SPAWN_H
#define SANDBOX_SPAWN_H

#include "sandbox/cgroup.h"
#include "sandbox/profile.h"
#include "sandbox/userns.h"

#define SANDBOX_FDS_MAX  16
#define SANDBOX_SENT_MAX 4
#define SANDBOX_ENV_MAX  64
#define SANDBOX_LIVE_MAX 256

struct sandbox_fd {
	int from; /* ours */
	int to;   /* its number in the child, below 256 */
};

struct sandbox_job {
	const struct sandbox_profile *profile;
	int exe_fd; /* an ELF file */
	const char *const
	    *argv; /* ends with NULL; argv[0] absolute for programs that look at it */
	const char *const *env; /* ends with NULL; the whole environment; NULL: empty */
	const struct sandbox_fd *fds;
	size_t fd_count;
	const struct mount_row *binds; /* after the profile's view */
	size_t bind_count;
	const struct landlock_rule *rules; /* after the profile's */
	size_t rule_count;
	const struct rlimit_row
	    *limits; /* after the profile's; a self-closing child gets its own */
	size_t limit_count;
	struct cgroup_limits group;
	const char *dir; /* working folder in the child's tree; NULL: "/" */
	uint32_t need;   /* further layers without which it must not start */
};

/* What the launcher knows about the machine, found out once. */
struct sandbox_host {
	struct cgroup_home group;
	struct userns_set namespaces;
	pid_t live[SANDBOX_LIVE_MAX]; /* any other child of this process is somebody's orphan */
	size_t live_count;
};

struct sandbox_child {
	pid_t pid;
	int pidfd;
	int status_fd;              /* how a keeper tells its payload's end; -1 without one */
	int slot_fd;                /* holds the claim on its id */
	int sent[SANDBOX_SENT_MAX]; /* descriptors of the view's MOUNT_SENT rows, in order */
	bool killed;
	uint64_t memory_kills; /* after the reap: processes its group's bound ended */
	struct cgroup group;
	struct sandbox_report report; /* the launcher's half for a self-closing child */
};

/* Becomes a subreaper and looks at the machine; never fails. */
void sandbox_host_init(struct sandbox_host *ret_host);

/*
 * Starts the job and waits until its program runs. Fails with the step and its reason when it
 * does not; nothing is left behind then. ERR_DENIED: the machine does not give a layer that the
 * profile or the job insists on.
 */
int sandbox_spawn(struct sandbox_host *host, const struct sandbox_job *job,
    struct sandbox_child *ret_child, struct err *e) must_use;

/* Kills the child and everything it started; the pidfd becomes readable soon after. */
void sandbox_kill(struct sandbox_child *child);
/*
 * Waits for the end (none once the pidfd is readable), gives the payload's wait status and then
 * releases everything: its orphans, its group, sent descriptors that were not taken (set to
 * -1).
 */
int sandbox_reap(struct sandbox_host *host, struct sandbox_child *child, int *ret_status,
    struct err *e) must_use;

#endif
