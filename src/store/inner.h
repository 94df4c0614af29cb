/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: the struct behind the handle. */
#ifndef STORE_INNER_H
#define STORE_INNER_H

#include "store/db.h"
#include "store/owner.h"
#include "store/store.h"

/* A statement that waits to be run, with its values and their bytes behind it. */
struct row {
	struct row *next;
	size_t size;
	enum sql sql;
	size_t n;
	struct value values[];
};

struct store {
	struct db db;
	struct owner self;
	struct loop *loop;
	struct timer timer;
	struct row *first, **last;
	size_t rows, bytes;
	unsigned delay_ms;  /* until the next try; 0 while writing works */
	bool owned;         /* the file knows this owner */
	bool unsynced;      /* something was written that the disk may not have yet */
	uint64_t wrote_at;  /* clock_now() of the last time that writing worked; 0 before */
	bool waited;        /* others were waited for to the end, in vain */
	uint64_t lost;      /* rows, since store_trouble was asked */
	uint64_t lost_acts; /* rows, since store_commit was asked */
	struct err why;     /* of the last row lost or not written */
	char trouble[2 * ERR_TEXT_MAX];
};

/* Queues one statement with a copy of its values. */
void store_put(struct store *s, enum sql sql, const struct value *values, size_t n);
/* Where a row of this kind waits whose first values are these; NULL when none of the first few does. */
struct row **store_waiting(struct store *s, enum sql sql, const struct value *values, size_t n);
/* Puts another statement in the place of one that waits. */
void store_replace(struct store *s, struct row **at, enum sql sql, const struct value *values,
    size_t n);
/*
 * For what is asked: writes what is queued, then begins to write; the end is
 * store_settle(s, rc, e), which commits or takes back.
 */
int store_begin(struct store *s, struct err *e) must_use;
int store_settle(struct store *s, int rc, struct err *e) must_use;
/* This process as an owner, inside a transaction. */
int store_put_owner(struct store *s);

/* What follows all ids that start so; false when none can. */
bool store_range(struct str prefix, char ret_end[static ID_SIZE + 1], struct str *ret_str);
/* The one run whose id starts so; ERR_NOTFOUND, or ERR_INVALID for several. */
int store_find(struct store *s, struct str prefix, char ret_id[static ID_SIZE],
    struct buf *ret_status, struct err *e) must_use;

/* A sweep before looking: one that has to wait is no reason to show nothing. */
int store_tidy(struct store *s, struct err *e) must_use;

uint64_t store_now(void);

#endif
