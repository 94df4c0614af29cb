/* SPDX-License-Identifier: MIT */
/* Sessions and the state that their runs share. */
#include "base/utf8.h"
#include "store/inner.h"

static int
named_session(struct store *s, struct str name, struct str workspace,
    char ret_id[static ID_SIZE], struct err *e)
{
	int r = store_begin(s, e);
	char id[ID_SIZE];
	struct query q;
	int rc;

	if (r < 0)
		return r;
	id_new(id);
	rc = store_put_owner(s);
	if (rc != SQLITE_OK)
		return store_settle(s, rc, e);
	q = db_query(&s->db, SQL_session_named,
	    VALUES(db_id(id), db_text(workspace), db_number(store_now()), db_id(s->self.id),
		db_text(name)));
	while (db_next(&q))
		db_column_id(&q, 0, id);
	r = store_settle(s, db_reset(&q), e);
	if (r >= 0)
		memcpy(ret_id, id, ID_SIZE);
	return r;
}

int
store_session(struct store *s, struct str name, struct str workspace,
    char ret_id[static ID_SIZE], struct err *e)
{
	if (name.n > STORE_NAME_MAX || workspace.n > STORE_NAME_MAX)
		return err_set(e, ERR_LIMIT, "a session's name has at most %zu bytes",
		    STORE_NAME_MAX);
	if (!utf8_valid(name) || (name.n && memchr(name.p, '\0', name.n)))
		return err_set(e, ERR_INVALID,
		    "a session's name is text in UTF-8 without NUL bytes");
	if (name.n)
		return named_session(s, name, workspace, ret_id, e);
	id_new(ret_id);
	store_put(s, SQL_session_new,
	    VALUES(db_id(ret_id), db_text(workspace), db_number(store_now()),
		db_id(s->self.id)));
	return 0;
}

int
store_state_get(struct store *s, const char *session, struct buf *ret_json,
    uint64_t *ret_version, struct err *e)
{
	uint64_t version = 0;
	struct query q;
	int r;

	store_flush(s);
	q = db_query(&s->db, SQL_state_get, VALUES(db_id(session)));
	while (db_next(&q)) {
		buf_add(ret_json, db_column(&q, 0));
		version = db_column_number(&q, 1);
	}
	r = db_end(&q, e);
	if (r < 0)
		return r;
	if (!buf_ok(ret_json))
		return err_set(e, ERR_LIMIT, "the state has more than %zu bytes",
		    ret_json->max);
	*ret_version = version;
	return 0;
}

int
store_state_set(struct store *s, const char *session, struct str json, uint64_t version,
    struct err *e)
{
	int changes = 0;
	int r, rc;

	if (json.n > STORE_STATE_MAX)
		return err_set(e, ERR_LIMIT, "%zu bytes of state, at most %zu", json.n,
		    STORE_STATE_MAX);
	r = store_begin(s, e);
	if (r < 0)
		return r;
	rc = db_run(&s->db, version ? SQL_state_next : SQL_state_first,
	    VALUES(db_id(session), db_text(json), db_number(version)), &changes);
	r = store_settle(s, rc, e);
	if (rc == SQLITE_CONSTRAINT_FOREIGNKEY)
		return err_set(e, ERR_NOTFOUND, "there is no session %.30s", session);
	if (r >= 0 && !changes)
		return err_set(e, ERR_CLOSED, "the state was changed meanwhile");
	return r;
}
