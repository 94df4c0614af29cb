/* SPDX-License-Identifier: MIT */
/*
 * Landlock: which paths may be opened for what, no TCP, no signals out. Needs no privilege.
 *
 * A domain handles every right the kernel's ABI knows, so what no rule allows is refused. Rules
 * are path beneath + access classes; rules only ever widen, there is no "all but". What an ABI
 * does not know is not refused, and no ABI knows UDP, pathname sockets, stat or chmod:
 * sandbox_landlock_levels says per ABI what holds and what lacks.
 *
 *	static const struct landlock_rule rules[] = {
 *		{ .path = "/usr", .access = LANDLOCK_READ },
 *		{ .path = "/usr/bin/rg", .access = LANDLOCK_READ | LANDLOCK_EXEC },
 *	};
 */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

#include "sandbox/report.h"

#define LANDLOCK_READ    1U   /* open files and folders for reading */
#define LANDLOCK_EXEC    2U   /* execute (and read) files; a dynamic program needs ld.so too */
#define LANDLOCK_WRITE   4U   /* open for writing, truncate */
#define LANDLOCK_MAKE    8U   /* make, remove and rename files and folders */
#define LANDLOCK_SPECIAL 16U  /* make links, pipes, sockets, device nodes */
#define LANDLOCK_DEVICE  32U  /* ioctl on device files */
#define LANDLOCK_LIST    128U /* see which names are in folders */
#define LANDLOCK_REAL    256U /* no link on the way: what is there now is not what was judged */
#define LANDLOCK_REPLACE \
	512U /* write, make and remove files and folders; no moving between folders */
#define LANDLOCK_OPTIONAL 64U /* a path that is not there is no error */
/* A folder a job may fill, but not with anything else than files and folders. */
#define LANDLOCK_FILL (LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_MAKE)

struct landlock_rule {
	const char *path; /* or NULL, and fd */
	int fd;           /* looked at when path is NULL */
	unsigned access;  /* LANDLOCK_* classes */
};

struct landlock_group {
	const struct landlock_rule *rules;
	size_t count;
};

/* One row a Landlock ABI: which kernel brought it, what it adds, what still lacks with it. */
struct landlock_level {
	unsigned abi;
	const char *kernel;
	uint64_t fs, net, scope; /* all rights known up to here, as the kernel numbers them */
	const char *adds;
	const char *lacks;
};

/* Rows in order of ABI, the first is ABI 1; the last holds for every newer kernel too. */
const struct landlock_level *sandbox_landlock_levels(size_t *ret_count);
/* The row for an ABI; NULL for 0. */
const struct landlock_level *sandbox_landlock_level(unsigned abi);

/* The ABI of this kernel; 0 when Landlock is missing or switched off, then errno says how. */
unsigned landlock_abi(void);

/*
 * Closes the calling process under the rules of all groups; tcp false leaves TCP alone. A
 * kernel without Landlock is no error: the report then lacks the layers, with the reason. A
 * rule whose path cannot be opened is an error.
 */
int landlock_enter(const struct landlock_group *groups, size_t count, bool tcp,
    struct sandbox_report *r, struct err *e) must_use;

/*
 * The same in two steps, for a domain that many children enter one after the other: all rights of this
 * kernel's ABI but TCP. *ret_fd is -1 where there is no Landlock, and landlock_join of -1 does nothing.
 */
int landlock_prepare(const struct landlock_rule *rules, size_t count, int *ret_fd,
    struct err *e) must_use;
int landlock_join(int ruleset, struct err *e) must_use;

/*
 * Proof is by difference: the attempts must succeed before and fail the way Landlock fails
 * after. landlock_aim makes them before landlock_enter and keeps what the second try needs.
 */
struct landlock_aim {
	int listener;        /* an abstract socket from before the domain */
	unsigned could_open; /* well-known folders, a bit each */
	bool could_bind;
	bool could_connect;
	char name[32]; /* of the abstract socket */
};

void landlock_aim(struct landlock_aim *ret_aim);
/* closed: no rule allows anything, so nothing may open any more. */
void landlock_prove(struct landlock_aim *aim, bool closed, bool tcp, struct sandbox_report *r);

#endif
