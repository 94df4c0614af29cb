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
    "CREATE UNIQUE INDEX call_run ON call(run, n);"
    "CREATE UNIQUE INDEX call_id ON call(call) WHERE call IS NOT NULL;"
    "CREATE INDEX call_live ON call(owner) WHERE owner IS NOT NULL;"
    "CREATE INDEX call_direct ON call(at) WHERE run IS NULL;"
    "CREATE INDEX call_session ON call(session) WHERE run IS NULL;"

    "CREATE TABLE decision(id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,"
    " session TEXT, n INTEGER NOT NULL, call TEXT, tool ANY, effect ANY, decision ANY, code "
    "ANY,"
    " reason ANY, decider ANY, policy ANY, input_sha256 ANY, at INTEGER NOT NULL) STRICT;"
    "CREATE INDEX decision_at ON decision(at);"
    "CREATE INDEX decision_run ON decision(run, at);"
    "CREATE INDEX decision_session ON decision(session, at) WHERE session IS NOT NULL;"
    "CREATE INDEX decision_direct ON decision(at) WHERE run IS NULL;";

/*
 * What was allowed for a session lives as long as its owner, the process; without one it is kept with
 * the session. Trust is in what one file of a folder said, by its digest; trusted 0: refused.
 */
static const char second[] =
    "ALTER TABLE decision ADD COLUMN words ANY;"
    "ALTER TABLE decision ADD COLUMN answer ANY;"

    "CREATE TABLE permission(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,"
    " owner TEXT REFERENCES owner ON DELETE CASCADE, what TEXT NOT NULL, folder ANY,"
    " at INTEGER NOT NULL) STRICT;"
    "CREATE INDEX permission_session ON permission(session);"
    "CREATE INDEX permission_owner ON permission(owner) WHERE owner IS NOT NULL;"

    "CREATE TABLE trust(folder ANY NOT NULL PRIMARY KEY, sha256 TEXT NOT NULL,"
    " trusted INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;";

const char *const schema_migrations[] = { first, second };
const unsigned schema_newest = COUNT(schema_migrations);

/* Of one moment: another process may be making the journal right now. */
static int
ask_all(struct db *d, int64_t *ret_application, int64_t *ret_version, int64_t *ret_tables)
{
	int rc = db_exec(d, "BEGIN");

	if (rc != SQLITE_OK)
		return rc;
	rc = db_ask(d, "PRAGMA application_id", ret_application);
	if (rc == SQLITE_OK)
		rc = db_ask(d, "PRAGMA user_version", ret_version);
	if (rc == SQLITE_OK)
		rc = db_ask(d, "SELECT count(*) FROM sqlite_schema", ret_tables);
	return db_finish(d, rc);
}

int
schema_check(struct db *d, unsigned newest, struct err *e)
{
	int64_t application = 0, version = 0, tables = 0;
	int rc = ask_all(d, &application, &version, &tables);

	if (rc != SQLITE_OK)
		return db_fail(d, rc, e);
	if (application == 0 && version == 0 && tables == 0)
		return 0;
	if (application != SCHEMA_APPLICATION || version <= 0)
		return err_set(e, ERR_INVALID,
		    "this is a database of another program (application %lld, %lld tables), no "
		    "journal; move it away and a new one is made: %s",
		    (long long)application, (long long)tables, d->path);
	if (version > (int64_t)newest)
		return err_set(e, ERR_INVALID,
		    "the journal has schema %lld, and this crisol knows those up to %u; use "
		    "the newer "
		    "crisol, or move the file away: %s",
		    (long long)version, newest, d->path);
	return 0;
}

/* The number is read under the lock: another process may have been first. */
static int
one_step(struct db *d, const char *const *migrations, unsigned newest, bool *ret_more)
{
	int64_t version = 0;
	int rc = db_begin(d);
	char mark[96];

	if (rc != SQLITE_OK)
		return rc;
	rc = db_ask(d, "PRAGMA user_version", &version);
	*ret_more = rc == SQLITE_OK && version < (int64_t)newest;
	if (*ret_more) {
		snprintf(mark, sizeof(mark),
		    "PRAGMA application_id = %d; PRAGMA user_version = %d", SCHEMA_APPLICATION,
		    (int)version + 1);
		rc = db_exec(d, migrations[version]);
		if (rc == SQLITE_OK)
			rc = db_exec(d, mark);
	}
	return db_finish(d, rc);
}

int
schema_migrate(struct db *d, const char *const *migrations, unsigned newest, struct err *e)
{
	int64_t version = 0;
	int rc = db_ask(d, "PRAGMA user_version", &version);
	bool more = version != (int64_t)newest;

	while (rc == SQLITE_OK && more)
		rc = one_step(d, migrations, newest, &more);
	if (rc != SQLITE_OK)
		return err_wrap(e, db_fail(d, rc, e), "bring the journal up to schema %u",
		    newest);
	return schema_check(d, newest, e); /* a newer crisol may have been there meanwhile */
}

int
schema_complete(struct db *d, struct err *e)
{
	int64_t tables;
	int rc = db_ask(d,
	    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('owner', "
	    "'session',"
	    " 'state', 'run', 'run_given', 'run_blob', 'call', 'decision', 'permission', "
	    "'trust')",
	    &tables);

	if (rc == SQLITE_OK && tables != 10)
		rc = SQLITE_ERROR;
	return rc == SQLITE_OK ? 0 : db_fail(d, rc, e);
}
