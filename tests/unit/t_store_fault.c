/* SPDX-License-Identifier: MIT */
/*
 * The system fails under the journal: every operation on its files and every allocation of SQLite,
 * one after the other, once and for good. What was said to be on disk is there, nothing is there by
 * half, and what is lost is told.
 */
#include "store_check.h"
#include "store_vfs.h"

/* What the journal said while something failed. */
struct said {
	bool opened, session, committed, quiet;
	enum err_code code; /* of the last error */
	char run[ID_SIZE];
};

static void
note(struct said *said, int r, bool *ret_good)
{
	*ret_good = r >= 0;
	if (r < 0)
		said->code = e.code;
}

/* A run with one act, as a broker does it. */
static void
act(struct said *said)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	struct store *s = NULL;
	char session[ID_SIZE];
	bool listed;

	*said = (struct said){ 0 };
	id_new(said->run);
	note(said, store_open(&s, NULL, check_path, &e), &said->opened);
	if (!said->opened)
		return;
	note(said, store_session(s, STR("n"), STR("/w"), session, &e), &said->session);
	check_run(s, said->run, said->session ? session : "", 1);
	check_decide(s, said->run, "", 1, "", 1);
	check_call(s, said->run, 1, "", "write", 1);
	note(said, store_commit(s, &e), &said->committed);
	check_call_end(s, said->run, 1, "", "ok", 2);
	check_run_end(s, said->run, "succeeded", 3);
	note(said, store_list(s, false, 2, &text, &e), &listed);
	store_flush(s);
	said->quiet = !store_trouble(s);
	store_close(s);
}

static bool
holds(const char *run, const char *condition)
{
	char ask[512];

	snprintf(ask, sizeof(ask), "SELECT %s FROM (SELECT '%.26s' AS x)", condition, run);
	return strcmp(sql(ask), "1") == 0;
}

#define HAS(table, rest) "(SELECT count(*) FROM " table " AS t WHERE " rest ")"

/* Whether the file is what the journal said; prints where it is not. */
static bool
is_true(const struct said *said, const char *what, unsigned nth)
{
	const struct {
		bool want;
		const char *words, *condition;
	} rows[] = {
		{ said->committed, "committed rows are there",
		    HAS("call", "run = x") " = 1 AND " HAS("decision", "run = x") " = 1" },
		{ said->committed && said->quiet, "without trouble all is there",
		    HAS("run", "id = x AND status = 'succeeded'") " = 1 AND " HAS("call",
			"run = x AND status = 'ok'") " = 1" },
		{ true, "a run is not there by half",
		    HAS("run", "id = x") " = " HAS("run_given", "run = x") " AND " HAS("run",
			"id = x") " = " HAS("call", "run = x") },
		{ true, "nor is its end",
		    HAS("run", "id = x AND status = 'succeeded'") " = " HAS("run_blob",
			"run = x") },
	};
	bool good = true;

	if (said->code != ERR_NONE && said->code != ERR_SYS) {
		printf("# %s %u: an error of kind %s: %s\n", what, nth, err_name(said->code),
		    e.text);
		good = false;
	}
	if (strcmp(sql("PRAGMA integrity_check"), "ok") != 0) {
		printf("# %s %u: not intact: %s\n", what, nth, sql("PRAGMA integrity_check"));
		return false;
	}
	if (strcmp(sql("PRAGMA user_version"), "0") == 0)
		return good && !said->opened;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].want && !holds(said->run, rows[i].condition)) {
			printf("# %s %u: %s: does not hold\n", what, nth, rows[i].words);
			good = false;
		}
	}
	return good;
}

/* A journal with a run in it, all in the one file. */
static void
make_used(struct buf *ret_bytes)
{
	struct said said;

	act(&said);
	check_change("PRAGMA wal_checkpoint(TRUNCATE)");
	check_slurp("", ret_bytes);
	check_forget();
}

/* Fails the n-th for all n until nothing fails any more. */
static void
fail_each(struct vfs_point *point, const char *what, bool for_ever, bool fresh, unsigned step)
{
	auto_done(buf) struct buf used = buf_max(MiB(1));
	unsigned bad = 0, n = 1, refused = 0;
	struct said said;

	make_used(&used);
	for (bool hit = true; hit; n += step) {
		check_forget();
		if (!fresh)
			check_put("", buf_str(&used));
		vfs_fail(point, n, for_ever);
		act(&said);
		hit = point->hit;
		vfs_calm();
		bad += !is_true(&said, what, n);
		refused += !said.opened;
		store_close(check_open());
	}
	ok(bad == 0 && said.opened && said.committed && said.quiet,
	    "%s, %s, in a %s journal: each of %u (%u while opening)", what,
	    for_ever ? "for good" : "once", fresh ? "new" : "used", n, refused);
}

static void
waits_for_the_disk(void)
{
	struct store *s = check_open();
	unsigned syncs;

	check_run(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 1);
	store_flush(s);
	check_decide(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 1, "", 1);
	syncs = vfs.log_syncs;
	store_flush(s);
	is_int(vfs.log_syncs, syncs, "a flush does not wait for the disk");
	is_int(store_commit(s, &e), 0, "a commit of nothing new");
	ok(vfs.log_syncs > syncs, "waits for what was flushed before");
	syncs = vfs.log_syncs;
	is_int(store_commit(s, &e), 0, "again");
	is_int(vfs.log_syncs, syncs, "does not: all is there");
	check_decide(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 2, "", 1);
	is_int(store_commit(s, &e), 0, "a commit of a row");
	ok(vfs.log_syncs > syncs, "does");
	syncs = vfs.log_syncs;
	check_decide(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 3, "", 1);
	store_flush(s);
	is_int(vfs.log_syncs, syncs, "and a flush after it does not");
	is_int(store_state_set(s, "none", STR("{}"), 0, &e), -ERR_NOTFOUND,
	    "what is asked for");
	check_run_end(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "succeeded", 1);
	store_close(s);
	is_int(vfs.log_syncs, syncs, "nor does closing");
	store_close(check_open());
	is_int(vfs.log_syncs, syncs, "nor opening");
	check_forget();
}

/* The power goes after some commit: what was flushed or committed before is there. */
static void
survives_a_power_cut(void)
{
	auto_done(buf) struct buf file = buf_max(MiB(64)), log = buf_max(MiB(64));
	unsigned bad = 0, rows = 0, cuts = 0;

	vfs.remember = true;
	for (unsigned last = 1; last <= 60; last++) {
		struct store *s = check_open();
		char ask[80];

		check_run(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 1);
		for (rows = 1; rows <= last * 20; rows++) {
			check_decide(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", rows, "", 1);
			if (rows % 3 == 0)
				store_flush(s);
			if (rows % 70 == 0)
				bad += store_commit(s, &e) < 0;
		}
		/* Sometimes nothing is queued any more. */
		if (last % 2)
			store_flush(s);
		bad += store_commit(s, &e) < 0;
		buf_reset(&file);
		buf_reset(&log);
		buf_add(&file, buf_str(&vfs.synced[VFS_MAIN]));
		buf_add(&log, buf_str(&vfs.synced[VFS_LOG]));
		check_decide(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 0, "", 1);
		store_close(s);
		check_forget();
		check_put("", buf_str(&file));
		check_put("-wal", buf_str(&log));
		snprintf(ask, sizeof(ask), "SELECT count(*) = %u AND min(n) = 1 FROM decision",
		    last * 20);
		bad += strcmp(sql(ask), "1") != 0 ||
		       strcmp(sql("PRAGMA integrity_check"), "ok") != 0;
		cuts++;
		check_forget();
		for (int i = 0; i < 2; i++)
			buf_done(&vfs.synced[i]);
	}
	vfs.remember = false;
	ok(bad == 0, "%u power cuts: what was committed is there, and nothing after it", cuts);
}

/* Temporary files would be strangers: a large sort, a large change that is taken back. */
static void
opens_nothing_else(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(32));
	struct store *s = check_open();

	for (unsigned i = 0; i < 3000; i++) {
		char id[ID_SIZE];

		id_new(id);
		check_run(s, id, "", i);
		check_decide(s, id, "", 1, "", i);
		check_call(s, id, 1, "", "read", i);
		check_call_end(s, id, 1, "", "ok", i);
		check_run_end(s, id, i % 3 ? "succeeded" : "failed", i);
	}
	ok(store_list(s, false, 3000, &text, &e) == 0 &&
		store_log(s, STR(""), 3000, &text, &e) == 0,
	    "long lists");
	buf_reset(&text);
	is_int(store_prune(s, 2000, &text, &e), 0, "a long pruning");
	no_trouble(s, "in all that");
	store_close(s);
	is_int(vfs.strangers, 0,
	    "no file was opened but the journal, its log, its first journal");
	check_forget();
}

int
main(void)
{
	vfs_install();
	vfs.never_sync = true;
	check_begin();
	vfs.journal = check_path;
	waits_for_the_disk();
	survives_a_power_cut();
	opens_nothing_else();
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		fail_each(&vfs.io, "I/O", for_ever, true, 1);
		fail_each(&vfs.io, "I/O", for_ever, false, 1);
		vfs.full = true;
		fail_each(&vfs.io, "a full disk", for_ever, false, 1);
		vfs.full = false;
		fail_each(&vfs.alloc, "memory", for_ever, true, SANITIZED ? 41 : 13);
		fail_each(&vfs.alloc, "memory", for_ever, false, SANITIZED ? 11 : 3);
	}
	check_forget();
	check_end();
	return tap_done();
}
