/* SPDX-License-Identifier: MIT */
#include "store/schema.h"

#include <stdio.h>

/*
 * Columns of type ANY hold text, or the very bytes where they are no text (db.h). Whatever comes
 * from a script or a model is such a column and may be anything: a row of the audit is never
 * refused for what is in it. A row has an owner exactly while it is live.
 */
static const char first[] =
    "CREATE TABLE owner(id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started INTEGER NOT NULL,"
    " boot TEXT NOT NULL, space INTEGER NOT NULL, marks INTEGER NOT NULL DEFAULT 0)"
    " STRICT, WITHOUT ROWID;"

    "CREATE TABLE session(id TEXT PRIMARY KEY, workspace ANY, name TEXT, made INTEGER NOT NULL,"
    " used INTEGER NOT NULL, owner TEXT REFERENCES owner ON DELETE SET NULL)"
    " STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX session_name ON session(workspace, name) WHERE name IS NOT NULL;"
    "CREATE INDEX session_live ON session(owner) WHERE owner IS NOT NULL;"

    "CREATE TABLE state(session TEXT PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
    " version INTEGER NOT NULL, json ANY) STRICT;"

    "CREATE TABLE run(id TEXT PRIMARY KEY, session TEXT REFERENCES session,"
    " owner TEXT REFERENCES owner, status TEXT NOT NULL, code ANY, verdict ANY, title ANY,"
    " at INTEGER NOT NULL, ended INTEGER,"
    " CHECK((owner IS NOT NULL) = (status IN ('running', 'cancelling')))) STRICT, WITHOUT "
    "ROWID;"
    "CREATE INDEX run_live ON run(owner) WHERE owner IS NOT NULL;"
    "CREATE INDEX run_at ON run(at);"
    "CREATE INDEX run_session ON run(session) WHERE session IS NOT NULL;"

    "CREATE TABLE run_given(run TEXT PRIMARY KEY REFERENCES run ON DELETE CASCADE, limits ANY,"
    " args ANY, source ANY) STRICT;"
    "CREATE TABLE run_blob(run TEXT PRIMARY KEY REFERENCES run ON DELETE CASCADE, message ANY,"
    " engine ANY, usage ANY, envelope ANY, whole ANY) STRICT;"

    "CREATE TABLE call(id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,"
    " session TEXT, call TEXT, owner TEXT REFERENCES owner, n INTEGER NOT NULL,"
    " status TEXT NOT NULL"
    " CHECK(status IN ('started', 'ok', 'failed', 'refused', 'cancelled', 'unknown')), code "
    "ANY,"
    " tool ANY, effect ANY, input ANY, input_bytes INTEGER NOT NULL, input_sha256 ANY,"
    " result_sha256 ANY, at INTEGER NOT NULL, ended INTEGER, ns INTEGER,"
    " CHECK((run IS NULL) != (call IS NULL)),"
    " CHECK((owner IS NOT NULL) = (status = 'started'))) STRICT;"
    "CREATE UNIQUE INDEX call_run ON call(run, n) WHERE run IS NOT NULL;"
    "CREATE UNIQUE INDEX call_id ON call(call) WHERE call IS NOT NULL;"
    "CREATE INDEX call_live ON call(owner) WHERE owner IS NOT NULL;"
    "CREATE INDEX call_direct ON call(at) WHERE run IS NULL;"
    "CREATE INDEX call_session ON call(session) WHERE run IS NULL;"

    "CREATE TABLE decision(id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,"
    " session TEXT, n INTEGER NOT NULL, call TEXT, tool ANY, effect ANY, decision ANY, code "
    "ANY,"
    " reason ANY, decider ANY, policy ANY, input_sha256 ANY, at INTEGER NOT NULL) STRICT;"
    "CREATE INDEX decision_at ON decision(at);"
    "CREATE INDEX decision_run ON decision(run, at) WHERE run IS NOT NULL;"
    "CREATE INDEX decision_session ON decision(session, at) WHERE session IS NOT NULL;"
    "CREATE INDEX decision_direct ON decision(at) WHERE run IS NULL;";

const char *const schema_migrations[] = { first };
const unsigned schema_newest = COUNT(schema_migrations);

int
schema_check(struct db *d, unsigned newest, struct err *e)
{
	int64_t application = db_ask(d, "PRAGMA application_id");
	int64_t version = db_ask(d, "PRAGMA user_version");
	int64_t tables = db_ask(d, "SELECT count(*) FROM sqlite_schema");

	if (application < 0 || version < 0 || tables < 0)
		return db_fail(d, sqlite3_extended_errcode(d->sqlite), e);
	if (application == 0 && version == 0 && tables == 0)
		return 0;
	if (application != SCHEMA_APPLICATION || version == 0)
		return err_set(e, ERR_INVALID,
		    "this is a database of another program (application %lld, %lld tables), "
		    "not a "
		    "journal; move it away and a new one is made: %s",
		    (long long)application, (long long)tables, d->path);
	if (version > (int64_t)newest)
		return err_set(e, ERR_INVALID,
		    "the journal has schema %lld and this version of crisol knows up to %u; "
		    "use the "
		    "newer one, or move the file away: %s",
		    (long long)version, newest, d->path);
	return 0;
}

/* The number is read under the lock: another process may have been first. */
static int
one_step(struct db *d, const char *const *migrations, unsigned newest, bool *ret_more)
{
	int rc = db_begin(d);
	int64_t version = rc == SQLITE_OK ? db_ask(d, "PRAGMA user_version") : -1;
	char mark[96];

	*ret_more = false;
	if (rc != SQLITE_OK)
		return rc;
	if (version < 0)
		return db_finish(d, sqlite3_extended_errcode(d->sqlite));
	if (version >= (int64_t)newest)
		return db_finish(d, SQLITE_OK);
	snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d",
	    SCHEMA_APPLICATION, (int)version + 1);
	rc = db_exec(d, migrations[version]);
	if (rc == SQLITE_OK)
		rc = db_exec(d, mark);
	*ret_more = true;
	return db_finish(d, rc);
}

int
schema_migrate(struct db *d, const char *const *migrations, unsigned newest, struct err *e)
{
	bool more = db_ask(d, "PRAGMA user_version") != (int64_t)newest;

	while (more) {
		int rc = one_step(d, migrations, newest, &more);

		if (rc != SQLITE_OK) {
			int r = db_fail(d, rc, e);

			return err_wrap(e, r, "bring the journal's schema up to %u", newest);
		}
	}
	return schema_check(d, newest, e); /* a newer one may have been there in between */
}
