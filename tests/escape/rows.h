/* SPDX-License-Identifier: MIT */
/*
 * The table of attempts as a driver sees it, and the judgement of what came of them. Included
 * by one file a program: tap.h keeps its counts in that file.
 */
#ifndef TESTS_ESCAPE_ROWS_H
#define TESTS_ESCAPE_ROWS_H

#include <errno.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "drive.h"

#define ANYBODY     false
#define ROOT        true
#define FS_TRUNCATE (1ULL << 14)

static const struct {
	const char *name;
	uint32_t walls, may;
	bool root;
	const char *text;
} rows[] = {
#define ATTEMPT(name, walls, may, who, text) { #name, walls, may, who, text },
#include "attempts.def"
#undef ATTEMPT
};

static bool rows_outside[COUNT(rows)]; /* what got through there */

/* Outside every attempt gets through, those of root for root. */
static inline void
rows_check_outside(struct drive *d, const struct canary *c)
{
	struct drive_end end;

	drive_open(d, "walls", c, &end);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int sys = drive_result(buf_str(&end.out), rows[i].name);

		rows_outside[i] = sys == 0;
		if (rows[i].root && geteuid() != 0)
			continue;
		if (sys == ENOSYS)
			printf("# %s: this kernel does not have it\n", rows[i].name);
		else
			ok(sys == 0, "outside: %s gets through (%s)", rows[i].name,
			    strerror(MAX(sys, 0)));
	}
	ok(end.status == 0, "outside: the attempts ran to their end");
	drive_end_done(&end);
}

static inline uint32_t
rows_walls(size_t row, const struct sandbox_report *report)
{
	uint32_t walls = rows[row].walls & report->held;

	/* Truncation by path is a right of its own, from ABI 3 on. */
	if (strcmp(rows[row].name, "truncate_file") == 0 &&
	    !(report->landlock_fs & FS_TRUNCATE))
		walls &= ~LAYER_BIT(landlock);
	return walls;
}

/* A claimed wall stops what it is said to stop. */
static inline void
rows_check_claims(const char *where, const struct sandbox_report *report, struct str results)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows_walls(i, report))
			ok(drive_result(results, rows[i].name) > 0, "%s: %s is stopped", where,
			    rows[i].name);
}

/* The same as one answer: the first attempt that a claimed wall let through, or NULL. */
static inline const char *
rows_first_lie(const struct sandbox_report *report, struct str results)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows_walls(i, report) && drive_result(results, rows[i].name) <= 0)
			return rows[i].name;
	return NULL;
}

/* The other way round: where no wall is claimed an attempt gets through, so the table is true. */
static inline void
rows_check_rest(const char *where, const struct sandbox_report *report, struct str results)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		int sys = drive_result(results, rows[i].name);

		if (!rows_walls(i, report) && rows_outside[i] && !(rows[i].may & report->held))
			ok(sys == 0, "%s: no wall is claimed and %s gets through (%s)", where,
			    rows[i].name, strerror(MAX(sys, 0)));
	}
}

#endif
