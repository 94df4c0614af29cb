/* SPDX-License-Identifier: MIT */
/*
 * Control groups: memory and process counts bounded for a job's whole tree. Version 2 where a
 * part of the tree is delegated to us, version 1 where we may make groups, else nothing: the
 * report then lacks the layer, and the limits of single processes are what remains.
 *
 * Groups are made below the launcher's own group, one a job, named after the launcher's pid and
 * start time, so that those a dead launcher left can be told and swept.
 */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include <sys/types.h>

#include "sandbox/report.h"

#define CGROUP_PATH_MAX 512

struct cgroup_limits {
	uint64_t memory_bytes; /* 0: no bound asked for */
	unsigned pids;         /* 0: no bound asked for */
	unsigned cpu_percent;  /* of one processor; 0: no bound asked for */
};

enum cgroup_version { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

/* Where jobs' groups can be made; found out once. */
struct cgroup_home {
	enum cgroup_version version;
	char memory[CGROUP_PATH_MAX]; /* V2: the one folder */
	char pids[CGROUP_PATH_MAX];   /* V1 only */
	struct sandbox_why why;       /* for CGROUP_NONE */
	char owner[48];               /* first part of the names of our groups */
	unsigned next;
};

/*
 * Whether a name is one of ours whose launcher is gone: groups and temporary folders have them.
 */
bool cgroup_is_stale(const char *name);

/* One job's group; all zero when there is none. */
struct cgroup {
	enum cgroup_version version;
	char memory[CGROUP_PATH_MAX];
	char pids[CGROUP_PATH_MAX];
	int fd; /* V2: for the clone, else -1 */
};

/* Looks only. A home that offers nothing says why. */
void cgroup_look(struct cgroup_home *ret_home);
/* Looks, makes version 2 hand its controllers down, and sweeps what dead owners left. */
void cgroup_find(struct cgroup_home *ret_home);
/*
 * Makes a group with these limits and marks the report. Without a home, without bounds on both
 * memory and processes, or where the kernel refuses, there is no group and the report says why.
 */
void cgroup_new(struct cgroup_home *home, const struct cgroup_limits *limits,
    struct cgroup *ret_group, struct sandbox_report *r);
/* Puts a child that still waits into the group; whether the group then lists it. */
bool cgroup_join(const struct cgroup *group, pid_t pid);
/* How many processes the memory bound killed; 0 when unknown. */
uint64_t cgroup_memory_kills(const struct cgroup *group);
/* Kills every process of the group (V2 only, elsewhere nothing happens). */
void cgroup_kill(const struct cgroup *group);
/* Removes the group once its processes are gone; false while the kernel still holds it. */
bool cgroup_remove(struct cgroup *group);

#endif
