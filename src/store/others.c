/* SPDX-License-Identifier: MIT */
/* Runs of other brokers: found, asked to end, put right when their owner is gone. */
#include "store/inner.h"

#include <limits.h>

/* ---- by the start of an id ---- */

bool
store_range(struct str prefix, char ret_end[static ID_SIZE + 1], struct str *ret_str)
{
	if (!prefix.n || prefix.n >= ID_SIZE)
		return false;
	for (size_t i = 0; i < prefix.n; i++) {
		if (prefix.p[i] <= ' ' || prefix.p[i] >= 0x7f)
			return false;
	}
	memcpy(ret_end, prefix.p, prefix.n);
	ret_end[prefix.n] = 0x7f; /* after all that an id is made of */
	*ret_str = (struct str){ ret_end, prefix.n + 1 };
	return true;
}

static int
no_run(struct str prefix, struct err *e)
{
	if (!prefix.n)
		return err_set(e, ERR_INVALID, "which run? the start of its id is needed");
	return err_set(e, ERR_NOTFOUND, "no run has an id that starts with %.*s",
	    (int)MIN(prefix.n, (size_t)ID_SIZE), prefix.p);
}

static int
several(struct str prefix, struct err *e)
{
	return err_set(e, ERR_INVALID, "several runs start with %.*s", STR_ARG(prefix));
}

int
store_find(struct store *s, struct str prefix, char ret_id[static ID_SIZE],
    struct buf *ret_status, struct err *e)
{
	char end[ID_SIZE + 1];
	struct str to;
	struct query q;
	unsigned found = 0;
	int r;

	if (!store_range(prefix, end, &to))
		return no_run(prefix, e);
	q = db_query(&s->db, SQL_find_run, VALUES(db_text(prefix), db_text(to)));
	while (db_next(&q)) {
		if (++found > 1)
			break;
		db_column_id(&q, 0, ret_id);
		if (ret_status)
			buf_add(ret_status, db_column(&q, 1));
	}
	r = db_end(&q, e);
	if (r < 0)
		return r;
	return found > 1 ? several(prefix, e) : found ? 0 : no_run(prefix, e);
}

/* From columns id, pid, started, boot, space. */
static void
read_owner(struct query *q, struct owner *ret_owner)
{
	struct str boot = db_column(q, 3);

	*ret_owner = (struct owner){
		.pid = (pid_t)MIN(db_column_number(q, 1), (uint64_t)INT_MAX),
		.started = db_column_number(q, 2),
		.space = db_column_number(q, 4),
	};
	db_column_id(q, 0, ret_owner->id);
	if (boot.n)
		memcpy(ret_owner->boot, boot.p, MIN(boot.n, (size_t)OWNER_BOOT_SIZE - 1));
}

/* ---- asking for the end ---- */

/* The one live run whose id starts so. */
static int
find_live(struct store *s, struct str prefix, char ret_id[static ID_SIZE], pid_t *ret_owner,
    struct err *e)
{
	char end[ID_SIZE + 1];
	auto_done(buf) struct buf status = buf_max(64);
	struct owner owner;
	struct str to;
	struct query q;
	unsigned found = 0;
	int r;

	if (!store_range(prefix, end, &to))
		return no_run(prefix, e);
	q = db_query(&s->db, SQL_find_live, VALUES(db_text(prefix), db_text(to)));
	while (db_next(&q)) {
		if (++found > 1)
			break;
		read_owner(&q, &owner);
		db_column_id(&q, 5, ret_id);
		/* A pid of another namespace would be somebody else here. */
		*ret_owner = owner_near(&owner, &s->self) ? owner.pid : 0;
	}
	r = db_end(&q, e);
	if (r < 0 || found == 1)
		return r;
	if (found > 1)
		return several(prefix, e);
	r = store_find(s, prefix, ret_id, &status, e);
	return r < 0
		   ? r
		   : err_set(e, ERR_INVALID, "run %s has ended: %s", ret_id, buf_text(&status));
}

int
store_cancel(struct store *s, struct str prefix, char ret_id[static ID_SIZE], pid_t *ret_owner,
    struct err *e)
{
	char id[ID_SIZE];
	pid_t owner = 0;
	int changes = 0;
	int r, rc;

	r = store_sweep(s, e);
	if (r >= 0)
		r = find_live(s, prefix, id, &owner, e);
	if (r >= 0)
		r = store_begin(s, e);
	if (r < 0)
		return r;
	rc = db_run(&s->db, SQL_cancel, VALUES(db_id(id)), &changes);
	r = store_settle(s, rc, e);
	if (r >= 0 && !changes)
		return err_set(e, ERR_INVALID, "run %s has just ended", id);
	if (r >= 0) {
		memcpy(ret_id, id, ID_SIZE);
		*ret_owner = owner;
	}
	return r;
}

void
store_asked(struct store *s, void (*fn)(const char *id, void *userdata), void *userdata)
{
	auto_done(buf) struct buf ids = buf_max(MiB(1));
	struct query q;
	struct err e;

	store_flush(s);
	/* Taken whole first: whom is told may use the store. */
	q = db_query(&s->db, SQL_asked, VALUES(db_id(s->self.id)));
	while (db_next(&q)) {
		buf_add(&ids, db_column(&q, 0));
		buf_addc(&ids, '\0');
	}
	if (db_end(&q, &e) < 0)
		s->why = e;
	for (size_t at = 0; at < ids.n; at += strlen(ids.p + at) + 1)
		fn(ids.p + at, userdata);
}

int
store_run_status(struct store *s, const char *id, struct buf *ret_status, struct err *e)
{
	unsigned found = 0;
	struct query q;
	int r;

	store_flush(s);
	q = db_query(&s->db, SQL_run_status, VALUES(db_id(id)));
	for (; db_next(&q); found++)
		buf_add(ret_status, db_column(&q, 0));
	r = db_end(&q, e);
	if (r < 0)
		return r;
	return found ? 0 : err_set(e, ERR_NOTFOUND, "there is no run %.30s", id);
}

bool
store_is_owner(struct store *s, const char *id, pid_t owner)
{
	struct query q = db_query(&s->db, SQL_run_owner, VALUES(db_id(id)));
	bool is = false;
	struct err e;

	while (db_next(&q)) {
		struct owner o;

		read_owner(&q, &o);
		is = o.pid == owner && owner_near(&o, &s->self) && !owner_gone(&o, &s->self);
	}
	return db_end(&q, &e) >= 0 && is;
}

/* ---- owners that are gone ---- */

/* Appends the id of each owner that is gone, with its NUL. */
static int
find_gone(struct store *s, struct buf *ret_ids, struct err *e)
{
	struct query q = db_query(&s->db, SQL_owner_all, NULL, 0);

	while (db_next(&q)) {
		struct owner o;

		read_owner(&q, &o);
		if (strcmp(o.id, s->self.id) != 0 && owner_gone(&o, &s->self))
			buf_add(ret_ids, (struct str){ o.id, strlen(o.id) + 1 });
	}
	return db_end(&q, e);
}

static int
bury(struct store *s, const char *owner)
{
	struct value now = db_number(store_now());
	int rc = db_run(&s->db, SQL_lose_calls, VALUES(db_id(owner), now), NULL);

	if (rc == SQLITE_OK)
		rc = db_run(&s->db, SQL_lose_runs, VALUES(db_id(owner), now), NULL);
	if (rc == SQLITE_OK)
		rc = db_run(&s->db, SQL_owner_drop, VALUES(db_id(owner)), NULL);
	return rc;
}

int
store_sweep(struct store *s, struct err *e)
{
	auto_done(buf) struct buf gone = buf_max(MiB(1));
	int rc = SQLITE_OK;
	int r;

	store_flush(s);
	r = find_gone(s, &gone, e);
	if (r < 0 || !gone.n)
		return r;
	r = store_begin(s, e);
	if (r < 0)
		return r;
	for (size_t at = 0; at < gone.n && rc == SQLITE_OK; at += strlen(gone.p + at) + 1)
		rc = bury(s, gone.p + at);
	return store_settle(s, rc, e);
}

int
store_tidy(struct store *s, struct err *e)
{
	int r = store_sweep(s, e);

	return r == -ERR_SYS ? 0 : r;
}
