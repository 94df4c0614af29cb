/* SPDX-License-Identifier: MIT */
/* What is old goes, in steps: others write in between. */
#include "base/clock.h"
#include "base/json.h"
#include "store/inner.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t
file_bytes(const struct store *s)
{
	static const char *const ends[] = { "", "-wal" };
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNT(ends); i++) {
		char path[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "%s%s", s->db.path, ends[i]);
		if (stat(path, &st) == 0)
			sum += (uint64_t)st.st_size;
	}
	return sum;
}

int
store_remove(struct store *s, struct str prefix, char ret_id[static ID_SIZE], struct err *e)
{
	char id[ID_SIZE];
	int changes = 0;
	int r, rc;

	r = store_sweep(s, e);
	if (r >= 0)
		r = store_find(s, prefix, id, NULL, e);
	if (r >= 0)
		r = store_begin(s, e);
	if (r < 0)
		return r;
	rc = db_run(&s->db, SQL_remove, VALUES(db_id(id)), &changes);
	r = store_settle(s, rc, e);
	if (r >= 0 && !changes)
		return err_set(e, ERR_INVALID, "run %s has not ended", id);
	if (r >= 0)
		memcpy(ret_id, id, ID_SIZE);
	return r;
}

struct pruned {
	uint64_t runs, calls, decisions, sessions;
};

/* As long a pause as the step took: whoever waits for the lock gets it. */
static void
let_others(uint64_t since)
{
	uint64_t ns = MIN(MAX(clock_now() - since, NS_PER_MS), 100 * NS_PER_MS);

	nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

/* One transaction of a statement, and of another one before it; *ret_n counts the last. */
static int
step(struct store *s, enum sql sql, uint64_t before, uint64_t *ret_calls, uint64_t *ret_n,
    struct err *e)
{
	uint64_t since = clock_now();
	int changes = 0, calls = 0;
	int rc = db_begin(&s->db);

	if (rc != SQLITE_OK)
		return db_fail(&s->db, rc, e);
	if (ret_calls)
		rc = db_run(&s->db, SQL_prune_run_calls, VALUES(db_number(before)), &calls);
	if (rc == SQLITE_OK)
		rc = db_run(&s->db, sql, VALUES(db_number(before)), &changes);
	rc = db_finish(&s->db, rc);
	if (rc != SQLITE_OK)
		return db_fail(&s->db, rc, e);
	*ret_n += (uint64_t)changes;
	if (ret_calls)
		*ret_calls += (uint64_t)calls;
	if (changes)
		let_others(since);
	return changes;
}

static int
prune_sessions(struct store *s, uint64_t *ret_n, struct err *e)
{
	char from[ID_SIZE] = "", to[ID_SIZE] = "";

	for (;;) {
		struct query q = db_query(&s->db, SQL_session_step,
		    VALUES((struct value){ .kind = VALUE_BYTES, .bytes = str_of(from) }));
		uint64_t since = clock_now();
		int changes = 0;
		int r, rc;

		to[0] = '\0';
		while (db_next(&q))
			snprintf(to, sizeof(to), "%.*s", STR_ARG(db_column(&q, 0)));
		r = db_end(&q, e);
		if (r < 0 || !*to)
			return r;
		rc = db_run(&s->db, SQL_prune_sessions,
		    VALUES((struct value){ .kind = VALUE_BYTES, .bytes = str_of(from) },
			db_id(to)),
		    &changes);
		if (rc != SQLITE_OK)
			return db_fail(&s->db, rc, e);
		*ret_n += (uint64_t)changes;
		memcpy(from, to, sizeof(from));
		let_others(since);
	}
}

static int
delete_old(struct store *s, uint64_t before, struct pruned *p, struct err *e)
{
	int r;

	do
		r = step(s, SQL_prune_runs, before, &p->calls, &p->runs, e);
	while (r > 0);
	if (r >= 0) {
		do
			r = step(s, SQL_prune_calls, before, NULL, &p->calls, e);
		while (r > 0);
	}
	if (r >= 0) {
		do
			r = step(s, SQL_prune_decisions, before, NULL, &p->decisions, e);
		while (r > 0);
	}
	return r < 0 ? r : prune_sessions(s, &p->sessions, e);
}

/* Moves pages from the end into the holes, then takes the end off. */
static int
give_back(struct store *s, struct err *e)
{
	int64_t left, now = INT64_MAX;
	int rc;

	do {
		uint64_t since = clock_now();

		left = now;
		rc = db_exec(&s->db, "PRAGMA incremental_vacuum(256)");
		if (rc == SQLITE_OK)
			rc = db_ask(&s->db, "PRAGMA freelist_count", &now);
		let_others(since);
	} while (rc == SQLITE_OK && now > 0 && now < left);
	if (rc != SQLITE_OK)
		return db_fail(&s->db, rc, e);
	/* As far as readers let it: the file is cut another time then. */
	db_exec(&s->db, "PRAGMA wal_checkpoint(TRUNCATE)");
	return 0;
}

int
store_prune(struct store *s, uint64_t before, struct buf *ret_json, struct err *e)
{
	uint64_t bytes = file_bytes(s);
	struct pruned p = { 0 };
	int r = store_sweep(s, e);

	if (r >= 0)
		r = delete_old(s, before, &p, e);
	if (r >= 0)
		r = give_back(s, e);
	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_u64(ret_json, "runs", p.runs);
	json_put_u64(ret_json, "calls", p.calls);
	json_put_u64(ret_json, "sessions", p.sessions);
	json_put_u64(ret_json, "bytes_before", bytes);
	json_put_u64(ret_json, "bytes_after", file_bytes(s));
	json_close(ret_json, '}');
	return 0;
}

int
store_sizes(struct store *s, struct buf *ret_json, struct err *e)
{
	static const struct {
		const char *name, *sql;
	} counts[] = {
		{ "schema", "PRAGMA user_version" },
		{ "runs", "SELECT count(*) FROM run" },
		{ "calls", "SELECT count(*) FROM call" },
		{ "sessions", "SELECT count(*) FROM session" },
	};
	int r;

	/* Who asks for that wants to know whether it can be written, too. */
	r = store_begin(s, e);
	if (r >= 0)
		r = store_settle(s, store_put_owner(s), e);
	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_str(ret_json, "path", str_of(s->db.path));
	json_put_u64(ret_json, "bytes", file_bytes(s));
	for (size_t i = 0; i < COUNT(counts); i++) {
		int64_t n;
		int rc = db_ask(&s->db, counts[i].sql, &n);

		if (rc != SQLITE_OK)
			return db_fail(&s->db, rc, e);
		json_put_u64(ret_json, counts[i].name, (uint64_t)n);
	}
	json_close(ret_json, '}');
	return 0;
}
