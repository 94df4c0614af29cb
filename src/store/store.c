/* SPDX-License-Identifier: MIT */
/*
 * Rows are statements with their values, in the order in which they were handed over. All of them
 * are run in one transaction; one that the schema refuses is left out and counted, and the rest
 * goes on. When the transaction fails as a whole the rows stay, and a timer tries again, each time
 * later. The queue has a bound; at it the oldest go and are counted.
 */
#include "base/clock.h"
#include "store/inner.h"

#include <errno.h>
#include <stdio.h>

#define ROWS_MAX      8192
#define BYTES_MAX     MiB(64)
#define GROUP_WAIT_MS 50  /* how long a group waits for other writers: the loop stands still */
#define LOOK_MAX      256 /* rows that are looked at for one of them */
#define LATELY_NS     (100 * NS_PER_MS)
#define DELAY_MS      100
#define DELAY_MAX_MS  5000

uint64_t
store_now(void)
{
	return clock_wall() / NS_PER_MS;
}

/* ---- the queue ---- */

static void
drop_first(struct store *s)
{
	struct row *row = s->first;

	s->first = row->next;
	if (!s->first)
		s->last = &s->first;
	s->rows--;
	s->bytes -= row->size;
	free(row);
}

static void
count_lost(struct store *s, uint64_t n)
{
	s->lost += n;
	s->lost_acts += n;
}

static struct row *
new_row(enum sql sql, const struct value *values, size_t n)
{
	size_t size = sizeof(struct row) + n * sizeof(*values);
	struct row *row;
	char *at;

	for (size_t i = 0; i < n; i++)
		size += values[i].bytes.n;
	row = xmalloc(size);
	*row = (struct row){ .size = size, .sql = sql, .n = n };
	at = (char *)&row->values[n];
	for (size_t i = 0; i < n; i++) {
		row->values[i] = values[i];
		if (!values[i].bytes.n)
			continue;
		row->values[i].bytes.p = memcpy(at, values[i].bytes.p, values[i].bytes.n);
		at += values[i].bytes.n;
	}
	return row;
}

/* ---- writing ---- */

/* Whether the failure is this row's alone. */
static bool
is_refusal(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG:
		return true;
	default:
		return false;
	}
}

/* An end that finds nothing to end. */
static bool
must_change(enum sql sql)
{
	return sql == SQL_run_end || sql == SQL_call_end || sql == SQL_direct_end;
}

static const char *
name_of(enum sql sql)
{
	static const char *const names[SQL_COUNT] = {
		[SQL_session_new] = "a session",
		[SQL_run_begin] = "the begin of a run",
		[SQL_run_given] = "the source of a run",
		[SQL_run_blob] = "the result of a run",
		[SQL_run_end] = "the end of a run",
		[SQL_decide] = "a decision",
		[SQL_call_begin] = "the begin of a call",
		[SQL_call_whole] = "a call",
		[SQL_call_end] = "the end of a call",
		[SQL_direct_end] = "the end of a call",
	};

	return names[sql] ? names[sql] : "a row";
}

/* Adds to *ret_lost when the row cannot be; fails when none can. */
static int
write_row(struct store *s, const struct row *row, uint64_t *ret_lost)
{
	int changes;
	int rc = db_run(&s->db, row->sql, row->values, row->n, &changes);

	if (rc == SQLITE_OK && (changes || !must_change(row->sql)))
		return SQLITE_OK;
	if (rc != SQLITE_OK && !is_refusal(rc))
		return rc;
	(*ret_lost)++;
	if (rc == SQLITE_OK)
		err_set(&s->why, ERR_INVALID, "%s found nothing that it could end",
		    name_of(row->sql));
	else
		err_set(&s->why, ERR_INVALID, "%s does not fit: %s", name_of(row->sql),
		    sqlite3_errmsg(s->db.sqlite));
	return SQLITE_OK;
}

int
store_put_owner(struct store *s)
{
	const struct owner *o = &s->self;

	s->owned = true;
	return db_run(&s->db, SQL_owner_put,
	    VALUES(db_id(o->id), db_number((uint64_t)o->pid), db_number(o->started),
		db_id(o->boot), db_number(o->space)),
	    NULL);
}

static int
write_rows(struct store *s, bool mark)
{
	uint64_t lost = 0;
	int rc = db_begin(&s->db);

	if (rc != SQLITE_OK)
		return rc;
	rc = store_put_owner(s);
	for (const struct row *row = s->first; row && rc == SQLITE_OK; row = row->next)
		rc = write_row(s, row, &lost);
	/* Only a change makes SQLite wait for the disk. */
	if (rc == SQLITE_OK && mark)
		rc = db_run(&s->db, SQL_owner_mark, VALUES(db_id(s->self.id)), NULL);
	rc = db_finish(&s->db, rc);
	if (rc == SQLITE_OK)
		count_lost(s, lost);
	return rc;
}

static void
try_later(struct store *s)
{
	s->delay_ms = s->delay_ms ? MIN(2 * s->delay_ms, DELAY_MAX_MS) : DELAY_MS;
	if (s->loop)
		loop_timer(s->loop, &s->timer, clock_now() + s->delay_ms * NS_PER_MS);
}

/* Writes all that is queued, or keeps it and says why. */
static int
write_all(struct store *s, bool sync, unsigned patience_ms, struct err *e)
{
	int rc = SQLITE_OK;

	loop_timer_cancel(&s->timer);
	if (!s->first && !(sync && s->unsynced))
		return 0;
	db_patience(&s->db, patience_ms);
	if (sync)
		rc = db_exec(&s->db, "PRAGMA synchronous = FULL");
	if (rc == SQLITE_OK)
		rc = write_rows(s, sync);
	if (sync)
		db_exec(&s->db,
		    "PRAGMA synchronous = NORMAL"); /* else it stays the safer one */
	db_patience(&s->db, STORE_BUSY_MS);
	if (rc != SQLITE_OK) {
		int r = db_fail(&s->db, rc, e);

		s->why = *e;
		s->waited = s->waited || (e->sys == EBUSY && patience_ms == STORE_BUSY_MS);
		if (s->first)
			try_later(s);
		return r;
	}
	while (s->first)
		drop_first(s);
	s->delay_ms = 0;
	s->waited = false;
	s->unsynced = !sync;
	s->wrote_at = clock_now();
	return 0;
}

static void
on_group(struct timer *t)
{
	struct store *s = container_of(t, struct store, timer);
	struct err e;

	if (write_all(s, false, GROUP_WAIT_MS, &e) < 0)
		return; /* kept: store_trouble tells */
}

void
store_put(struct store *s, enum sql sql, const struct value *values, size_t n)
{
	struct row *row = new_row(sql, values, n);
	struct err e;

	*s->last = row;
	s->last = &row->next;
	s->rows++;
	s->bytes += row->size;
	if (s->rows > ROWS_MAX || s->bytes > BYTES_MAX) {
		if (!s->delay_ms && write_all(s, false, GROUP_WAIT_MS, &e) >= 0)
			return;
		while (s->rows > 1 && (s->rows > ROWS_MAX || s->bytes > BYTES_MAX)) {
			drop_first(s);
			count_lost(s, 1);
		}
	}
	if (s->loop && !s->timer.loop)
		loop_timer(s->loop, &s->timer, clock_now() + STORE_GROUP_NS);
}

static bool
same_value(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->number == b->number && str_eq(a->bytes, b->bytes);
}

struct row **
store_waiting(struct store *s, enum sql sql, const struct value *values, size_t n)
{
	struct row **at = &s->first;

	for (size_t looked = 0; *at && looked < LOOK_MAX; looked++, at = &(*at)->next) {
		size_t same = 0;

		while ((*at)->sql == sql && same < n &&
		       same_value(&(*at)->values[same], &values[same]))
			same++;
		if (same == n)
			return at;
	}
	return NULL;
}

void
store_replace(struct store *s, struct row **at, enum sql sql, const struct value *values,
    size_t n)
{
	struct row *old = *at, *row = new_row(sql, values, n);

	row->next = old->next;
	if (s->last == &old->next)
		s->last = &row->next;
	*at = row;
	s->bytes += row->size - old->size;
	free(old);
}

/* Who has waited in vain once stands still no more: only what is asked of the journal waits again. */
void
store_flush(struct store *s)
{
	struct err e;

	if (write_all(s, false, s->waited ? GROUP_WAIT_MS : STORE_BUSY_MS, &e) < 0)
		return; /* kept: store_trouble tells */
}

bool
store_works(const struct store *s)
{
	return s->wrote_at && !s->delay_ms && clock_now() - s->wrote_at < LATELY_NS;
}

int
store_commit(struct store *s, struct err *e)
{
	uint64_t lost;
	int r = write_all(s, true, STORE_BUSY_MS, e);

	if (r < 0)
		return r;
	lost = s->lost_acts;
	s->lost_acts = 0;
	return lost ? err_set(e, ERR_INVALID, "%llu rows of the journal are lost: %s",
			  (unsigned long long)lost, s->why.text)
		    : 0;
}

const char *
store_trouble(struct store *s)
{
	unsigned long long lost = s->lost;

	s->lost = 0;
	if (lost)
		snprintf(s->trouble, sizeof(s->trouble),
		    "%llu rows of the journal are lost: %s", lost, s->why.text);
	else if (s->delay_ms && s->rows)
		snprintf(s->trouble, sizeof(s->trouble),
		    "%zu rows of the journal are not written yet: %s", s->rows, s->why.text);
	else
		return NULL;
	return s->trouble;
}

int
store_begin(struct store *s, struct err *e)
{
	int r = write_all(s, false, STORE_BUSY_MS, e);
	int rc;

	if (r < 0)
		return r;
	rc = db_begin(&s->db);
	if (rc == SQLITE_OK)
		return 0;
	r = db_fail(&s->db, rc, e);
	s->waited = s->waited || e->sys == EBUSY;
	return r;
}

int
store_settle(struct store *s, int rc, struct err *e)
{
	s->unsynced = true;
	rc = db_finish(&s->db, rc);
	return rc == SQLITE_OK ? 0 : db_fail(&s->db, rc, e);
}

/* ---- the handle ---- */

int
store_open(struct store **ret_store, struct loop *loop, const char *path, struct err *e)
{
	struct store *s = xcalloc(1, sizeof(*s));
	int r;

	s->loop = loop;
	s->timer.on_due = on_group;
	s->last = &s->first;
	owner_init(&s->self);
	r = db_open(&s->db, path, e);
	if (r >= 0)
		r = store_tidy(s, e);
	if (r < 0) {
		store_close(s);
		return r;
	}
	*ret_store = s;
	return 0;
}

void
store_close(struct store *s)
{
	if (!s)
		return;
	if (s->db.sqlite)
		store_flush(s);
	loop_timer_cancel(&s->timer);
	while (s->first)
		drop_first(s);
	if (s->owned)
		db_run(&s->db, SQL_owner_leave, VALUES(db_id(s->self.id)), NULL);
	db_close(&s->db);
	free(s);
}
