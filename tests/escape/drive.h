/* SPDX-License-Identifier: MIT */
/*
 * What the drivers of this folder share: canaries, starting closed programs under knobs,
 * running the same program outside, and seeing that nothing is left afterwards.
 */
#ifndef TESTS_ESCAPE_DRIVE_H
#define TESTS_ESCAPE_DRIVE_H

#include "base/buf.h"
#include "canary.h"
#include "sandbox/spawn.h"

/* Makes them, and a process that sleeps; canary_stop says whether it was still alive. */
void canary_start(struct canary *ret_canary);
bool canary_stop(const struct canary *c);

/* A knob is "NAME=value"; it is set here for the launcher's half and given to the child. */
#define DRIVE_KNOBS_MAX 8

struct drive {
	struct sandbox_host host;
	int program; /* descriptor of the program to start */
	const char *knobs[DRIVE_KNOBS_MAX];
};

void drive_init(struct drive *d, const char *program);
void drive_done(struct drive *d);
/* Sets a knob, replacing one of the same name; NULL value: takes it away. */
void drive_knob(struct drive *d, const char *name, const char *value);

/* Everything the program answered on descriptor 3, and how it ended. */
struct drive_end {
	int spawned; /* result of sandbox_spawn */
	int status;
	struct buf out;
	struct err e;
	struct sandbox_report launched; /* the launcher's report */
};

/* Starts profile js with these arguments after the program's name, waits for the end. */
void drive_closed(struct drive *d, const char *how, const char *what, const struct canary *c,
    struct drive_end *ret_end);
/* The same under another profile. */
void drive_profile(struct drive *d, const struct sandbox_profile *profile, const char *how,
    const char *what, const struct canary *c, struct drive_end *ret_end);
/*
 * Starts it to `stay` or `linger`, lets `look` see it from outside once it is closed, and ends it. Armed for
 * faults (see fault.h) until it was started.
 */
void drive_watched(struct drive *d, const char *what, const struct canary *c,
    struct drive_end *ret_end, uint32_t (*look)(int pid), uint32_t *ret_seen);
/* The same program without the launcher, as an ordinary child. */
void drive_open(struct drive *d, const char *what, const struct canary *c,
    struct drive_end *ret_end);
void drive_end_done(struct drive_end *end);

/* Cuts the report off the front of what a program answered. */
bool drive_report(struct drive_end *end, struct sandbox_report *ret_report,
    struct str *ret_rest);
/* The number after `name ` at the start of a line; -1 when there is none. */
int drive_result(struct str lines, const char *name);

/* Processes, mounts, descriptors, control groups before and after. */
struct drive_traces {
	unsigned children, descriptors, mounts, groups;
};
void drive_traces(const struct drive *d, struct drive_traces *ret_traces);

/* Becomes an ordinary user when started as root; false when it cannot. */
bool drive_become_user(void);

#endif
