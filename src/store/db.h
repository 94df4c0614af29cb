/* SPDX-License-Identifier: MIT */
/*
 * One SQLite file: opened with care, statements from a table, errors in words. For the files of
 * this folder alone.
 *
 * Statements are prepared when first used and kept. Values are bound in order (?1, ?2, ...). Text
 * that is valid UTF-8 without NUL bytes is stored as TEXT, any other bytes as they are, as BLOB;
 * an empty string is NULL.
 *
 *	struct query q = db_query(d, SQL_run_status, VALUES(db_id(id)));
 *	while (db_next(&q))
 *		buf_add(out, db_column(&q, 0));
 *	return db_end(&q, e);
 *
 * Functions that return an SQLite code (`rc`) are for those who tell its kinds apart; db_fail
 * turns it into an error.
 */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/err.h"
#include "base/id.h"

#include <sqlite3.h>

enum sql {
#define SQL(id, text) SQL_##id,
#include "store/sql.def"
#undef SQL
	SQL_COUNT
};

struct db {
	sqlite3 *sqlite;
	char *path;
	sqlite3_stmt *statements[SQL_COUNT];
};

enum value_kind { VALUE_NULL, VALUE_NUMBER, VALUE_BYTES };

struct value {
	enum value_kind kind;
	uint64_t number;
	struct str bytes;
};

#define VALUES(...) \
	(const struct value[]){ __VA_ARGS__ }, COUNT(((const struct value[]){ __VA_ARGS__ }))

static inline struct value
db_number(uint64_t n)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = n };
}

static inline struct value
db_text(struct str s)
{
	return (struct value){ .kind = s.n ? VALUE_BYTES : VALUE_NULL, .bytes = s };
}

/* A string of our own; "" is NULL as well. */
static inline struct value
db_id(const char *id)
{
	return db_text(str_of(id));
}

/*
 * Opens the file, or makes it, private to this user. It must be ours or empty, and of a schema
 * that we know. Not yet migrated.
 */
int db_open(struct db *d, const char *path, struct err *e) must_use;
void db_close(struct db *d);
/* How long other writers are waited for. */
void db_patience(struct db *d, unsigned ms);

/* Runs one statement to its end; *ret_changes, when given, is the number of rows changed. */
int db_run(struct db *d, enum sql sql, const struct value *values, size_t n, int *ret_changes);
/* Some SQL of our own without values. */
int db_exec(struct db *d, const char *text);
/* The number that some SQL of our own gives. */
int db_ask(struct db *d, const char *text, int64_t *ret_number);
/* Begins to write; waits for others. Every begin has its end. */
int db_begin(struct db *d);
/* COMMIT when rc is SQLITE_OK, else ROLLBACK; the first failure is returned. */
int db_finish(struct db *d, int rc);
/* The code as an error, with the file's name; returns -code of it. */
int db_fail(struct db *d, int rc, struct err *e);

struct query {
	struct db *db;
	sqlite3_stmt *statement;
	int rc;
};

struct query db_query(struct db *d, enum sql sql, const struct value *values, size_t n);
/* Whether there is another row. */
bool db_next(struct query *q);
/* Columns of the row at hand, valid until the next db_next. */
struct str db_column(struct query *q, int column);
uint64_t db_column_number(struct query *q, int column);
void db_column_id(struct query *q, int column, char ret_id[static ID_SIZE]);
/* One of them must be called; the failure, if one ended the rows early. */
int db_end(struct query *q, struct err *e) must_use;
int db_reset(struct query *q);

#endif
