/* SPDX-License-Identifier: MIT */
/*
 * The journal: sessions, runs, their calls, every decision, and the state that scripts share, in one
 * SQLite file of this person. Several brokers write it at once, of several versions (doc/store.md).
 *
 * Rows are handed over and written in groups: queued ones are committed together by a timer within
 * STORE_GROUP_NS, by store_flush, and by whatever is asked in between. What must be on disk before
 * something happens goes by store_commit. A row that cannot be written is never passed over in
 * silence: store_trouble says why, and store_commit fails.
 *
 *	r = store_open(&s, loop, path, &e);
 *	store_run_begin(s, &run);
 *	store_decide(s, &decision);
 *	store_call_begin(s, &call);
 *	if (effect && store_commit(s, &e) < 0)		on disk, or the act is not done
 *		return refuse();
 *	...
 *	store_call_end(s, &end);
 *	store_run_end(s, &end);
 *	store_flush(s);
 *
 * Times are milliseconds since 1970. Strings are borrowed for the call alone and may be any bytes;
 * an empty one is kept as none. Ids are those of base/id.h.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "loop/loop.h"

#include <sys/types.h>

#define STORE_GROUP_NS  (5 * NS_PER_MS)
#define STORE_BUSY_MS   5000

#define STORE_NAME_MAX  KiB(4) /* of a session's name, of a workspace */
#define STORE_STATE_MAX MiB(8)

struct store;

/*
 * Opens or makes the file, at an absolute path; brings an older schema up to ours. ERR_INVALID for
 * a newer schema, which is left alone, naming both numbers, for a file of another program and for a
 * damaged one; ERR_SYS and ERR_DENIED where it cannot be had. Rows of owners that are gone are put
 * right first (see store_sweep). Without a loop there is no timer: rows wait for a flush.
 */
int store_open(struct store **ret_store, struct loop *loop, const char *path,
    struct err *e) must_use;
/*
 * Writes what is queued. NULL is fine. What cannot be written is lost: who wants to know asks
 * store_trouble after a store_flush before.
 */
void store_close(struct store *s);
void store_flush(struct store *s);
/* Whether writing worked within the last 100 ms: then nobody need wait for what is queued. */
bool store_works(const struct store *s);
/*
 * Writes what is queued and waits for the disk; what was flushed before is on disk then as well.
 * Fails, once, also for a row that was lost since the last time.
 */
int store_commit(struct store *s, struct err *e) must_use;
/*
 * Why rows were lost since the last time this was asked, or why some still wait; NULL when all is
 * well. Stands until it is asked again.
 */
const char *store_trouble(struct store *s);

/* ---- sessions and their state ---- */

/*
 * The session of that name in that workspace, made where missing; with an empty name a new one that
 * nobody else gets. Marks it as used now.
 */
int store_session(struct store *s, struct str name, struct str workspace,
    char ret_id[static ID_SIZE], struct err *e) must_use;
/* The session's state as JSON (empty: none yet) and its version, for store_state_set. */
int store_state_get(struct store *s, const char *session, struct buf *ret_json,
    uint64_t *ret_version, struct err *e) must_use;
/* Replaces the state if its version is still that one: ERR_CLOSED when another run was first. */
int store_state_set(struct store *s, const char *session, struct str json, uint64_t version,
    struct err *e) must_use;

/* ---- what people allowed ---- */

/*
 * A permission for a session: "write", "process", "external", "analysis.run", or "folder" with its
 * path. It ends with this process; a kept one stays with the session. Written at once. ERR_SYS.
 */
int store_permit(struct store *s, const char *session, struct str what, struct str folder,
    bool kept, struct err *e) must_use;
/* Calls `fn` with those that count for this process in that session, at most `most`, oldest first. */
int store_permitted(struct store *s, const char *session, uint64_t most,
    void (*fn)(struct str what, struct str folder, void *userdata), void *userdata,
    struct err *e) must_use;
/*
 * [{id, session, session_name, workspace, what, folder, at, owner}], owner being the process it ends
 * with; of all sessions, or of the one of that name in that workspace.
 */
int store_permissions(struct store *s, struct str name, struct str workspace,
    struct buf *ret_json, struct err *e) must_use;
struct store_revoked {
	uint64_t id;                /* 0: any */
	struct str what;            /* kind or folder; empty: any */
	struct str name, workspace; /* of one session; empty: all */
};

/* Takes back what is all of that. Whoever has them finds them gone with the next call. */
int store_revoke(struct store *s, const struct store_revoked *which, uint64_t *ret_count,
    struct err *e) must_use;

enum store_trust { TRUST_UNKNOWN, TRUST_REFUSED, TRUST_GIVEN };

/* What was said of the file of that digest in this folder. */
int store_trust_get(struct store *s, struct str folder, struct str sha256,
    enum store_trust *ret_trust, struct err *e) must_use;
/* Written at once; UNKNOWN forgets. ret_known: whether anything was said before. */
int store_trust_set(struct store *s, struct str folder, struct str sha256,
    enum store_trust trust, bool *ret_known, struct err *e) must_use;
/* [{folder, sha256, trusted, at}] */
int store_trust_list(struct store *s, struct buf *ret_json, struct err *e) must_use;

/* ---- what happens ---- */

struct store_run {
	const char *id, *session;
	struct str title, source, args, limits; /* limits as JSON */
	uint64_t at;
};

/* Calls of a run are numbered; a direct call has no run, the number 0, and an id made by the caller. */
struct store_decision {
	const char *run, *session; /* run empty for a direct call */
	uint64_t n;                /* the call's number in the run; 0 for a direct one */
	const char *call;          /* id of a direct call, else empty */
	struct str tool, effect, decision, code, reason, by, policy, input_sha256;
	uint64_t at;
	struct str words;  /* the verdict as a sentence */
	struct str answer; /* what a person said before it: "once", "session", "deny", "none" */
};

struct store_call {
	const char *run, *session, *call;
	uint64_t n;
	struct str tool, effect, input,
	    input_sha256; /* input: cut by the store, digest of the whole */
	uint64_t at;
};

struct store_call_end {
	const char *run, *call;
	uint64_t n;
	struct str status, code,
	    result_sha256; /* "ok", "failed", "refused", "cancelled", "unknown" */
	uint64_t at, ns;
};

struct store_run_end {
	const char *id;
	struct str status, code, message, verdict, engine, usage; /* engine and usage as JSON */
	struct str
	    envelope; /* kept for runs show while it is not larger than STORE_ENVELOPE_MAX */
	struct str whole; /* the value before it was cut, or empty: kept for its handle */
	uint64_t at;
};

#define STORE_ENVELOPE_MAX MiB(1)

/* "running", owned by this process. */
void store_run_begin(struct store *s, const struct store_run *run);
void store_decide(struct store *s, const struct store_decision *d);
/* "started". */
void store_call_begin(struct store *s, const struct store_call *call);
void store_call_end(struct store *s, const struct store_call_end *end);
void store_run_end(struct store *s, const struct store_run_end *end);

/* ---- other brokers' runs ---- */

/*
 * Asks for the end of the running run whose id starts with `prefix`: it is "cancelling" then.
 * ret_owner gets the process to signal, 0 for one that has no pid here (another pid namespace). ERR_NOTFOUND, or ERR_INVALID for several or one that has
 * ended.
 */
int store_cancel(struct store *s, struct str prefix, char ret_id[static ID_SIZE],
    pid_t *ret_owner, struct err *e) must_use;
/*
 * Whether the run is live and that process its owner. Pids are used again: take a pidfd of the
 * owner, ask this, then signal the pidfd.
 */
bool store_is_owner(struct store *s, const char *id, pid_t owner);
/* Calls `fn` with each id of our own runs that somebody asked to end. */
void store_asked(struct store *s, void (*fn)(const char *id, void *userdata), void *userdata);
/* The status of a run, by its whole id. */
int store_run_status(struct store *s, const char *id, struct buf *ret_status,
    struct err *e) must_use;
/*
 * Runs of owners that are gone (pid and start time) become "lost"; their started calls "unknown"
 * where they may have had an effect, "cancelled" where they could not.
 */
int store_sweep(struct store *s, struct err *e) must_use;

/* ---- for people; JSON ---- */

/* Newest first: [{run, session, status, code, title, started, ms, calls, owner}]. */
int store_list(struct store *s, bool live, uint64_t most, struct buf *ret_json,
    struct err *e) must_use;
/* One run whole, by the start of its id, with calls and decisions. */
int store_show(struct store *s, struct str prefix, struct buf *ret_json,
    struct err *e) must_use;
/* The value before it was cut; ERR_NOTFOUND when there is none. */
int store_whole(struct store *s, struct str prefix, struct buf *ret_json,
    struct err *e) must_use;
/* The audit, newest first; of one session or run when its prefix is given. */
int store_log(struct store *s, struct str prefix, uint64_t most, struct buf *ret_json,
    struct err *e) must_use;
/* Deletes one ended run with all that hangs on it; ERR_INVALID while it is live. */
int store_remove(struct store *s, struct str prefix, char ret_id[static ID_SIZE],
    struct err *e) must_use;
/*
 * Deletes ended runs, direct calls, then decisions of which no call is left, from before `before`, and sessions that have
 * neither name, runs nor state and are not in use; gives the space back. Takes its time, in steps:
 * others write in between. ret_json: {runs, calls, sessions, bytes_before, bytes_after}.
 */
int store_prune(struct store *s, uint64_t before, struct buf *ret_json, struct err *e) must_use;
/* {path, schema, bytes, runs, calls, sessions} */
int store_sizes(struct store *s, struct buf *ret_json, struct err *e) must_use;

#endif
