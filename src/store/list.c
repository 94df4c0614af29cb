/* SPDX-License-Identifier: MIT */
/* The journal for people, as JSON: a row is an object with the names of its columns. */
#include "base/json.h"
#include "base/utf8.h"
#include "store/inner.h"

#include <sys/stat.h>

#define SHOW_MAX MiB(64)

/* Bytes that are no text are shown as text with U+FFFD in them. */
static void
put_bytes(struct buf *out, const char *name, struct str s)
{
	auto_done(buf) struct buf clean = buf_max(SHOW_MAX);

	if (utf8_valid(s)) {
		json_put_str(out, name, s);
		return;
	}
	utf8_scrub(s, &clean);
	json_put_str(out, name, buf_str(&clean));
}

/* What should be JSON is shown as it is, and as a string when it is not. */
static void
put_json(struct buf *out, const char *name, struct str s)
{
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	if (json_parse(s, SHOW_MAX, &doc, &e) < 0)
		put_bytes(out, name, s);
	else
		json_put_raw(out, name, s);
}

static void
put_columns(struct buf *out, struct query *q)
{
	int n = sqlite3_column_count(q->statement);

	for (int i = 0; i < n; i++) {
		struct str name = str_of(sqlite3_column_name(q->statement, i));
		bool json = name.n && name.p[name.n - 1] == '*';
		char key[32];

		if (!name.n || name.n >= sizeof(key))
			continue;
		name.n -= json;
		memcpy(key, name.p, name.n);
		key[name.n] = '\0';
		switch (sqlite3_column_type(q->statement, i)) {
		case SQLITE_NULL:
			json_put_null(out, key);
			break;
		case SQLITE_INTEGER:
			json_put_u64(out, key, db_column_number(q, i));
			break;
		default:
			(json ? put_json : put_bytes)(out, key, db_column(q, i));
		}
	}
}

/* All rows as a list. */
static int
put_rows(struct buf *out, const char *name, struct query q, struct err *e)
{
	json_open(out, name, '[');
	while (buf_ok(out) && db_next(&q)) {
		json_open(out, NULL, '{');
		put_columns(out, &q);
		json_close(out, '}');
	}
	json_close(out, ']');
	return db_end(&q, e);
}

/* After everything was written: whether it fitted. */
static int
whole(const struct buf *out, int r, struct err *e)
{
	if (r < 0 || buf_ok(out))
		return r;
	return err_set(e, ERR_LIMIT, "the answer has more than %zu bytes", out->max);
}

int
store_list(struct store *s, bool live, uint64_t most, struct buf *ret_json, struct err *e)
{
	int r = store_tidy(s, e);

	if (r >= 0)
		r = put_rows(ret_json, NULL,
		    db_query(&s->db, live ? SQL_list_live : SQL_list,
			VALUES(db_number(store_now()), db_number(most))),
		    e);
	return whole(ret_json, r, e);
}

static int
show(struct store *s, const char *id, struct buf *ret_json, struct err *e)
{
	struct query q = db_query(&s->db, SQL_show, VALUES(db_id(id)));
	int r;

	json_open(ret_json, NULL, '{');
	while (db_next(&q))
		put_columns(ret_json, &q);
	r = db_end(&q, e);
	if (r >= 0)
		r = put_rows(ret_json, "calls",
		    db_query(&s->db, SQL_show_calls, VALUES(db_id(id))), e);
	if (r >= 0)
		r = put_rows(ret_json, "decisions",
		    db_query(&s->db, SQL_show_decisions, VALUES(db_id(id))), e);
	json_close(ret_json, '}');
	return whole(ret_json, r, e);
}

int
store_show(struct store *s, struct str prefix, struct buf *ret_json, struct err *e)
{
	char id[ID_SIZE];
	int r = store_tidy(s, e);
	int rc;

	if (r < 0)
		return r;
	/* One moment for all of it. */
	rc = db_run(&s->db, SQL_begin_read, NULL, 0, NULL);
	if (rc != SQLITE_OK)
		return db_fail(&s->db, rc, e);
	r = store_find(s, prefix, id, NULL, e);
	if (r >= 0)
		r = show(s, id, ret_json, e);
	db_finish(&s->db, SQLITE_OK);
	return r;
}

int
store_whole(struct store *s, struct str prefix, struct buf *ret_json, struct err *e)
{
	char id[ID_SIZE];
	size_t had = ret_json->n;
	struct query q;
	int r;

	store_flush(s);
	r = store_find(s, prefix, id, NULL, e);
	if (r < 0)
		return r;
	q = db_query(&s->db, SQL_whole, VALUES(db_id(id)));
	while (db_next(&q))
		buf_add(ret_json, db_column(&q, 0));
	r = whole(ret_json, db_end(&q, e), e);
	if (r >= 0 && ret_json->n == had)
		return err_set(e, ERR_NOTFOUND, "run %s has no value beyond its result", id);
	return r;
}

/* The one session whose id starts so, if there is one. */
static int
find_session(struct store *s, struct str prefix, char ret_id[static ID_SIZE], struct err *e)
{
	char end[ID_SIZE + 1];
	struct str to;
	unsigned found = 0;
	struct query q;
	int r;

	if (!store_range(prefix, end, &to))
		return 0;
	q = db_query(&s->db, SQL_find_session, VALUES(db_text(prefix), db_text(to)));
	for (; db_next(&q); found++)
		db_column_id(&q, 0, ret_id);
	r = db_end(&q, e);
	if (r < 0)
		return r;
	if (found > 1)
		return err_set(e, ERR_INVALID, "several sessions start with %.*s",
		    STR_ARG(prefix));
	return (int)found;
}

int
store_log(struct store *s, struct str prefix, uint64_t most, struct buf *ret_json,
    struct err *e)
{
	char session[ID_SIZE] = "", run[ID_SIZE] = "";
	enum sql sql = SQL_log_all;
	int found, r;

	store_flush(s);
	if (prefix.n) {
		found = find_session(s, prefix, session, e);
		if (found < 0)
			return found;
		r = store_find(s, prefix, run, NULL, e);
		if (r < 0 && !(found && r == -ERR_NOTFOUND))
			return r;
		if (r >= 0 && found)
			return err_set(e, ERR_INVALID, "a session and a run start with %.*s",
			    STR_ARG(prefix));
		sql = found ? SQL_log_session : SQL_log_run;
	}
	r = put_rows(ret_json, NULL,
	    db_query(&s->db, sql, VALUES(db_id(*run ? run : session), db_number(most))), e);
	return whole(ret_json, r, e);
}

int
store_permissions(struct store *s, struct str name, struct str workspace, struct buf *ret_json,
    struct err *e)
{
	int r = store_tidy(s, e);

	if (r >= 0)
		r = put_rows(ret_json, NULL,
		    db_query(&s->db, SQL_permissions,
			VALUES(db_text(name), db_text(workspace))),
		    e);
	return whole(ret_json, r, e);
}

int
store_trust_list(struct store *s, struct buf *ret_json, struct err *e)
{
	return whole(ret_json,
	    put_rows(ret_json, NULL, db_query(&s->db, SQL_trust_all, NULL, 0), e), e);
}
