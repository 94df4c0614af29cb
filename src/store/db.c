/* SPDX-License-Identifier: MIT */
#include "store/db.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "store/schema.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_KIB "192"     /* of pages: what is written is rarely read again */
#define WAL_KEEP  "4194304" /* bytes that the -wal keeps after it was large once */

static const char *const sql_texts[SQL_COUNT] = {
#define SQL(id, text) [SQL_##id] = text,
#include "store/sql.def"
#undef SQL
};

/* ---- errors ---- */

/* What a kind of failure means; all others are the system's. */
static const struct {
	int rc;
	enum err_code code;
	int sys;
	const char *words;
} kinds[] = {
	{ SQLITE_READONLY_DBMOVED, ERR_DENIED, 0,
	    "the journal was moved or deleted while it was in use" },
	{ SQLITE_BUSY, ERR_SYS, EBUSY, "other processes held the journal for too long" },
	{ SQLITE_LOCKED, ERR_SYS, EBUSY, "other processes held the journal for too long" },
	{ SQLITE_PROTOCOL, ERR_SYS, EBUSY, "other processes held the journal for too long" },
	{ SQLITE_FULL, ERR_SYS, ENOSPC, "the journal's disk is full" },
	{ SQLITE_NOMEM, ERR_SYS, ENOMEM, "out of memory in the journal" },
	{ SQLITE_READONLY, ERR_DENIED, 0, "the journal may only be read" },
	{ SQLITE_PERM, ERR_DENIED, 0, "the journal may not be opened" },
	{ SQLITE_AUTH, ERR_DENIED, 0, "the journal may not be opened" },
	{ SQLITE_TOOBIG, ERR_LIMIT, 0, "a value is too large for the journal" },
	{ SQLITE_CORRUPT, ERR_INVALID, 0,
	    "the journal is damaged; move it away with its -wal and -shm, and a new one is "
	    "made" },
	{ SQLITE_NOTADB, ERR_INVALID, 0,
	    "this is no journal, or a damaged one; move it away with its -wal and -shm, and a "
	    "new "
	    "one is made" },
	{ SQLITE_ERROR, ERR_INVALID, 0, "the journal has another form than its schema says" },
};

int
db_fail(struct db *d, int rc, struct err *e)
{
	int sys = d->sqlite ? sqlite3_system_errno(d->sqlite) : 0;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (kinds[i].rc != rc && kinds[i].rc != (rc & 0xff))
			continue;
		err_set(e, kinds[i].code, "%s (%s): %s", kinds[i].words, sqlite3_errstr(rc),
		    d->path);
		e->sys = kinds[i].sys;
		return -(int)kinds[i].code;
	}
	if (sys == EACCES || sys == EPERM || sys == EROFS)
		return err_set(e, ERR_DENIED, "the journal may not be opened (%s): %s",
		    strerrordesc_np(sys), d->path);
	err_set(e, ERR_SYS, "the journal cannot be used (%s, %s): %s", sqlite3_errstr(rc),
	    sys ? strerrordesc_np(sys) : "no more is known", d->path);
	e->sys = sys ? sys : EIO;
	return -(int)ERR_SYS;
}

/* ---- statements ---- */

static int
bind_value(sqlite3_stmt *statement, int at, const struct value *v)
{
	struct str s = v->bytes;

	switch (v->kind) {
	case VALUE_NULL:
		return sqlite3_bind_null(statement, at);
	case VALUE_NUMBER:
		return sqlite3_bind_int64(statement, at,
		    (sqlite3_int64)MIN(v->number, (uint64_t)INT64_MAX));
	case VALUE_BYTES:
		break;
	}
	if (utf8_valid(s) && !memchr(s.p, '\0', s.n))
		return sqlite3_bind_text64(statement, at, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
	return sqlite3_bind_blob64(statement, at, s.p, s.n, SQLITE_STATIC);
}

static int
bind_all(struct db *d, enum sql sql, const struct value *values, size_t n)
{
	sqlite3_stmt **statement = &d->statements[sql];
	int rc = SQLITE_OK;

	if (!*statement)
		rc = sqlite3_prepare_v3(d->sqlite, sql_texts[sql], -1,
		    SQLITE_PREPARE_PERSISTENT, statement, NULL);
	for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
		rc = bind_value(*statement, (int)i + 1, &values[i]);
	return rc;
}

struct query
db_query(struct db *d, enum sql sql, const struct value *values, size_t n)
{
	int rc = bind_all(d, sql, values, n);

	return (struct query){ d, d->statements[sql], rc };
}

bool
db_next(struct query *q)
{
	if (q->rc == SQLITE_OK || q->rc == SQLITE_ROW)
		q->rc = sqlite3_step(q->statement);
	return q->rc == SQLITE_ROW;
}

struct str
db_column(struct query *q, int column)
{
	const char *p = sqlite3_column_blob(q->statement, column);

	return (struct str){ p, p ? (size_t)sqlite3_column_bytes(q->statement, column) : 0 };
}

uint64_t
db_column_number(struct query *q, int column)
{
	sqlite3_int64 n = sqlite3_column_int64(q->statement, column);

	return n < 0 ? 0 : (uint64_t)n;
}

void
db_column_id(struct query *q, int column, char ret_id[static ID_SIZE])
{
	struct str id = db_column(q, column);
	size_t n = MIN(id.n, (size_t)ID_SIZE - 1);

	if (n)
		memcpy(ret_id, id.p, n);
	ret_id[n] = '\0';
}

/* The values were borrowed, so they do not stay bound. */
int
db_reset(struct query *q)
{
	int rc = q->rc;

	if (q->statement) {
		sqlite3_reset(q->statement);
		sqlite3_clear_bindings(q->statement);
	}
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int
db_end(struct query *q, struct err *e)
{
	int rc = db_reset(q);

	return rc == SQLITE_OK ? 0 : db_fail(q->db, rc, e);
}

int
db_run(struct db *d, enum sql sql, const struct value *values, size_t n, int *ret_changes)
{
	struct query q = db_query(d, sql, values, n);
	int rc;

	while (db_next(&q))
		;
	rc = db_reset(&q);
	if (ret_changes)
		*ret_changes = rc == SQLITE_OK ? sqlite3_changes(d->sqlite) : 0;
	return rc;
}

int
db_exec(struct db *d, const char *text)
{
	return sqlite3_exec(d->sqlite, text, NULL, NULL, NULL);
}

int
db_ask(struct db *d, const char *text, int64_t *ret_number)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(d->sqlite, text, -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Into a file that nobody finds any more nothing is written: it would look as if it were kept. */
int
db_begin(struct db *d)
{
	int moved = 0;

	sqlite3_file_control(d->sqlite, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (moved)
		return SQLITE_READONLY_DBMOVED;
	return db_run(d, SQL_begin, NULL, 0, NULL);
}

int
db_finish(struct db *d, int rc)
{
	if (rc == SQLITE_OK)
		rc = db_run(d, SQL_commit, NULL, 0, NULL);
	/* Some failures have rolled back already. */
	if (rc != SQLITE_OK && !sqlite3_get_autocommit(d->sqlite))
		db_run(d, SQL_rollback, NULL, 0, NULL);
	return rc;
}

void
db_patience(struct db *d, unsigned ms)
{
	sqlite3_busy_timeout(d->sqlite, (int)ms);
}

/* ---- opening ---- */

/*
 * Makes the file where there is none, and looks at it where there is one. It is not opened for that:
 * closing any descriptor of it would take away the locks of another handle in this process.
 */
static int
check_file(const char *path, struct stat *ret_st, struct err *e)
{
	auto_fd int made = -1;

	if (path[0] != '/')
		return err_set(e, ERR_INVALID, "the journal's path must be absolute: %s", path);
	made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (made >= 0 && fchmod(made, 0600) < 0)
		return err_sys(e, "make the journal private: %s", path);
	if (made < 0 && errno != EEXIST)
		return err_sys(e, "make the journal %s", path);
	if (lstat(path, ret_st) < 0)
		return err_sys(e, "look at the journal %s", path);
	if (!S_ISREG(ret_st->st_mode))
		return err_set(e, ERR_DENIED, "the journal is %s, not a file: %s",
		    S_ISLNK(ret_st->st_mode) ? "a symbolic link" : "something special", path);
	if (ret_st->st_uid != geteuid())
		return err_set(e, ERR_DENIED, "the journal belongs to another user: %s", path);
	if ((ret_st->st_mode & 077) && chmod(path, 0600) < 0)
		return err_sys(e, "make the journal private: %s", path);
	return 0;
}

/* Journal mode is the one setting that may fail at once while others do the same. */
static int
use_wal(struct db *d)
{
	uint64_t until = clock_now() + STORE_BUSY_MS * NS_PER_MS;
	int rc = db_exec(d, "PRAGMA journal_mode = WAL");

	while ((rc & 0xff) == SQLITE_BUSY && clock_now() < until) {
		nanosleep(&(struct timespec){ .tv_nsec = 2 * NS_PER_MS }, NULL);
		rc = db_exec(d, "PRAGMA journal_mode = WAL");
	}
	return rc;
}

static int
settings(struct db *d)
{
	int64_t version = 0;
	int rc = db_ask(d, "PRAGMA user_version", &version);

	/* Has an effect before the first table alone. */
	if (rc == SQLITE_OK && version == 0)
		rc = db_exec(d, "PRAGMA auto_vacuum = INCREMENTAL");
	if (rc == SQLITE_OK)
		rc = use_wal(d);
	if (rc == SQLITE_OK)
		rc = db_exec(d,
		    "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
		    "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
		    "PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = " WAL_KEEP ";"
		    "PRAGMA cache_size = -" CACHE_KIB "; PRAGMA cache_spill = OFF");
	return rc;
}

/*
 * The log is not emptied by who closes last: that would wait for the disk twice, in every process
 * that is alone, and would change a file that was refused.
 */
static void
restrain(struct db *d)
{
	static const struct {
		int what, value;
	} rules[] = {
		{ SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
	};

	for (size_t i = 0; i < COUNT(rules); i++)
		sqlite3_db_config(d->sqlite, rules[i].what, rules[i].value, NULL);
}

int
db_open(struct db *d, const char *path, struct err *e)
{
	struct stat before, after;
	int r = check_file(path, &before, e);
	int rc;

	if (r < 0)
		return r;
	d->path = xstrdup(path);
	rc = sqlite3_open_v2(path, &d->sqlite,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
		SQLITE_OPEN_EXRESCODE,
	    NULL);
	if (rc != SQLITE_OK)
		return db_fail(d, rc, e);
	restrain(d);
	db_patience(d, STORE_BUSY_MS);
	r = schema_check(d, schema_newest, e);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(d->sqlite, "main") == 1)
		return db_fail(d, SQLITE_READONLY, e);
	/* What was opened by its name is what was looked at. */
	if (lstat(path, &after) < 0 || before.st_ino != after.st_ino ||
	    before.st_dev != after.st_dev)
		return err_set(e, ERR_DENIED,
		    "the journal was exchanged while it was opened: %s", path);
	rc = settings(d);
	if (rc != SQLITE_OK)
		return db_fail(d, rc, e);
	r = schema_migrate(d, schema_migrations, schema_newest, e);
	return r < 0 ? r : schema_complete(d, e);
}

void
db_close(struct db *d)
{
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(d->statements[i]);
	sqlite3_close(d->sqlite);
	free(d->path);
}
