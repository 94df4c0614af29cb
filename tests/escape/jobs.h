/* SPDX-License-Identifier: MIT */
/*
 * Starting foreign programs under profiles that exist for these tests alone: they prove what
 * later rows of the product's table will use.
 */
#ifndef TESTS_ESCAPE_JOBS_H
#define TESTS_ESCAPE_JOBS_H

#include "drive.h"

struct jobs {
	struct drive drive; /* its program is the static `job` */
	char folder[64];    /* of the test's own, given to jobs in parts */
};

/* A job that was started and can be waited for. */
struct running {
	struct sandbox_child child;
	int out; /* reads what it prints; its end means that every process of the job is dead */
	int spawned;
	struct err e;
};

struct ended {
	int spawned, status;
	struct buf out;
	struct sandbox_report report;
	struct err e;
	uint64_t memory_kills;
	int sent[SANDBOX_SENT_MAX]; /* taken over from the child */
};

/* Ways to start on this machine; `knob` makes the machine look like that. */
struct jobs_mode {
	const char *name, *knob;
	bool root, user;
	enum sandbox_mode mode;
};
extern const struct jobs_mode jobs_modes[];
extern const size_t jobs_mode_count;

void jobs_init(struct jobs *j, const char *program, const struct jobs_mode *mode);
void jobs_done(struct jobs *j);
/* A path below the test's folder, made as a folder or as a file with this text. */
const char *jobs_folder(struct jobs *j, const char *name, unsigned mode);
const char *jobs_file(struct jobs *j, const char *name, const char *text, unsigned mode);
const char *jobs_path(struct jobs *j, const char *name);

/* words: what the job shall do, "verb arg verb arg". The job struct's profile, binds etc. are
 * used. */
void jobs_start(struct jobs *j, const struct sandbox_job *like, const char *words,
    struct running *ret_running);
void jobs_finish(struct jobs *j, struct running *r, struct ended *ret_ended);
void jobs_run(struct jobs *j, const struct sandbox_job *like, const char *words,
    struct ended *ret_ended);
void ended_done(struct ended *end);

/* errno of the line "verb arg ...", -1 when there is none; *ret_value: the number after it. */
int ended_result(const struct ended *end, const char *verb, const char *arg, long *ret_value);

#endif
