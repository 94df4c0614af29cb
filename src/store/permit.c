/* SPDX-License-Identifier: MIT */
/* What people allowed for a session, and which files of folders they trust. */
#include "store/inner.h"

static int
too_long(struct str text, struct err *e)
{
	return text.n > STORE_NAME_MAX
		   ? err_set(e, ERR_LIMIT, "a folder has at most %zu bytes", STORE_NAME_MAX)
		   : 0;
}

int
store_permit(struct store *s, const char *session, struct str what, struct str folder,
    bool kept, struct err *e)
{
	int r = too_long(folder, e), rc;

	if (r >= 0)
		r = store_begin(s, e);
	if (r < 0)
		return r;
	rc = store_put_owner(s);
	if (rc == SQLITE_OK)
		rc = db_run(&s->db, SQL_permit,
		    VALUES(db_id(session), db_id(kept ? "" : s->self.id), db_text(what),
			db_text(folder), db_number(store_now())),
		    NULL);
	return store_settle(s, rc, e);
}

int
store_permitted(struct store *s, const char *session, uint64_t most,
    void (*fn)(struct str what, struct str folder, void *userdata), void *userdata,
    struct err *e)
{
	struct query q = db_query(&s->db, SQL_permitted,
	    VALUES(db_id(session), db_id(s->self.id), db_number(most)));

	while (db_next(&q))
		fn(db_column(&q, 0), db_column(&q, 1), userdata);
	return db_end(&q, e);
}

int
store_revoke(struct store *s, const struct store_revoked *which, uint64_t *ret_count,
    struct err *e)
{
	int changes = 0;
	int r = store_begin(s, e);
	struct value any = { .kind = VALUE_NULL };

	if (r < 0)
		return r;
	r = store_settle(s,
	    db_run(&s->db, SQL_revoke,
		VALUES(which->id ? db_number(which->id) : any, db_text(which->what),
		    db_text(which->name), db_text(which->workspace)),
		&changes),
	    e);
	if (r >= 0)
		*ret_count = (uint64_t)changes;
	return r;
}

int
store_trust_get(struct store *s, struct str folder, struct str sha256,
    enum store_trust *ret_trust, struct err *e)
{
	enum store_trust found = TRUST_UNKNOWN;
	struct query q = db_query(&s->db, SQL_trust_get, VALUES(db_text(folder)));
	int r;

	while (db_next(&q)) {
		if (str_eq(db_column(&q, 0), sha256))
			found = db_column_number(&q, 1) ? TRUST_GIVEN : TRUST_REFUSED;
	}
	r = db_end(&q, e);
	if (r >= 0)
		*ret_trust = found;
	return r;
}

int
store_trust_set(struct store *s, struct str folder, struct str sha256, enum store_trust trust,
    bool *ret_known, struct err *e)
{
	int changes = 0, rc;
	int r = too_long(folder, e);

	if (r >= 0)
		r = store_begin(s, e);
	if (r < 0)
		return r;
	rc = trust == TRUST_UNKNOWN
		 ? db_run(&s->db, SQL_trust_drop, VALUES(db_text(folder)), &changes)
		 : db_run(&s->db, SQL_trust_put,
		       VALUES(db_text(folder), db_text(sha256), db_number(trust == TRUST_GIVEN),
			   db_number(store_now())),
		       NULL);
	r = store_settle(s, rc, e);
	if (r >= 0)
		*ret_known = changes > 0;
	return r;
}
