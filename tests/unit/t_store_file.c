/* SPDX-License-Identifier: MIT */
/* The journal as a file: whose it is, which schema it has, and what is left of a damaged one. */
#include "store_check.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static const char *const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/* ---- helpers ---- */

static int
try_open(void)
{
	struct store *s = NULL;
	int r = store_open(&s, NULL, check_path, &e);

	store_close(s);
	return r;
}

static unsigned
mode_of(const char *end)
{
	char path[PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", check_path, end);
	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

/* Runs with all that hangs on them. */
static void
fill(unsigned runs)
{
	struct store *s = check_open();
	char session[ID_SIZE];

	is_int(store_session(s, STR("n"), STR("/w"), session, &e), 0, "a session");
	for (unsigned i = 0; i < runs; i++) {
		char run[ID_SIZE];

		id_new(run);
		check_run(s, run, session, i);
		check_decide(s, run, session, 1, "", i);
		check_call(s, run, 1, "", "read", i);
		check_call_end(s, run, 1, "", "ok", i);
		check_run_end(s, run, "succeeded", i);
	}
	store_flush(s);
	no_trouble(s, "filling");
	store_close(s);
}

/* ---- whose ---- */

static void
is_private(void)
{
	static const unsigned masks[] = { 0, 022, 077, 0777 };

	for (size_t i = 0; i < COUNT(masks); i++) {
		mode_t before = umask(masks[i]);
		struct store *s = check_open();

		check_run(s, id, "", 1);
		store_flush(s);
		ok(mode_of("") == 0600 && mode_of("-wal") == 0600 && mode_of("-shm") == 0600,
		    "umask %03o: all of it is 0600", masks[i]);
		check_run_end(s, id, "succeeded", 2);
		store_close(s);
		umask(before);
		check_forget();
	}
	store_close(check_open());
	chmod(check_path, 0664);
	store_close(check_open());
	is_int(mode_of(""), 0600, "what was open to others is closed");
	check_forget();
}

static void
is_a_file_of_ours(void)
{
	char target[PATH_MAX + 16];
	struct store *s = NULL;

	snprintf(target, sizeof(target), "%s-wal", check_path);
	ok(symlink(target, check_path) == 0, "a link to nowhere");
	is_int(try_open(), -ERR_DENIED, "is refused");
	ok(strstr(e.text, "symbolic link") && access(target, F_OK) < 0, "and not followed: %s",
	    e.text);
	unlink(check_path);
	ok(mkdir(check_path, 0700) == 0, "a folder");
	is_int(try_open(), -ERR_DENIED, "is refused");
	rmdir(check_path);
	ok(mkfifo(check_path, 0600) == 0, "a pipe");
	is_int(try_open(), -ERR_DENIED, "is refused, and not waited for");
	unlink(check_path);
	is_int(store_open(&s, NULL, "journal.sqlite", &e), -ERR_INVALID, "a relative path");
	is_int(store_open(&s, NULL, ":memory:", &e), -ERR_INVALID, "no file");
	is_int(store_open(&s, NULL, "", &e), -ERR_INVALID, "no name");
	is_int(store_open(&s, NULL, "/proc/self/fd/none/x", &e), -ERR_SYS, "no folder");
	is_int(e.sys, ENOENT, "says so");
	if (geteuid() != 0) {
		skip("no root: a file of another user cannot be made");
		return;
	}
	store_close(check_open());
	ok(chown(check_path, 65534, 65534) == 0, "a file of another user");
	is_int(try_open(), -ERR_DENIED, "is refused, even to root");
	check_forget();
}

/* As an ordinary user, in a folder of that user. */
static int
without_root(int (*fn)(void))
{
	int status = -1;
	pid_t child;

	if (geteuid() != 0)
		return fn();
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(setgid(65534) < 0 || setuid(65534) < 0 ? 99 : -fn());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -98;
}

static void
is_writable(void)
{
	auto_done(buf) struct buf before = buf_max(MiB(4)), after = buf_max(MiB(4));

	fill(3);
	if (geteuid() == 0 &&
	    (chown(check_folder, 65534, 65534) < 0 || chown(check_path, 65534, 65534) < 0))
		abort();
	check_change("PRAGMA wal_checkpoint(TRUNCATE)");
	chmod(check_path, 0400);
	check_slurp("", &before);
	is_int(without_root(try_open), -ERR_DENIED, "a file that may only be read");
	check_slurp("", &after);
	ok(str_eq(buf_str(&before), buf_str(&after)), "stays as it is");
	chmod(check_path, 0000);
	is_int(without_root(try_open), -ERR_DENIED, "one that may not even be read");
	if (chown(check_folder, geteuid(), getegid()) < 0)
		abort();
	check_forget();
}

/* ---- which schema ---- */

/* The refused file stays to the byte, also what stands in its log alone. */
static void
expect_refusal(const char *what, const char *words)
{
	auto_done(buf) struct buf file = buf_max(MiB(4)), log = buf_max(MiB(4));
	auto_done(buf) struct buf file_after = buf_max(MiB(4)), log_after = buf_max(MiB(4));

	check_slurp("", &file);
	check_slurp("-wal", &log);
	is_int(try_open(), -ERR_INVALID, what);
	ok(strstr(e.text, words) && strstr(e.text, check_path), "in words: %s", e.text);
	check_slurp("", &file_after);
	check_slurp("-wal", &log_after);
	ok(str_eq(buf_str(&file), buf_str(&file_after)), "the file is as it was");
	ok(str_eq(buf_str(&log), buf_str(&log_after)) || str_eq(buf_str(&log), STR("(none)")),
	    "and so is its log");
}

static void
refuses_others(void)
{
	sqlite3 *newer = NULL;

	fill(3);
	check_change("PRAGMA user_version = 77; PRAGMA wal_checkpoint(TRUNCATE)");
	expect_refusal("a newer schema", "schema 77");
	ok(strstr(e.text, "up to 2") != NULL, "both numbers are told");
	check_change("PRAGMA journal_mode = DELETE");
	expect_refusal("a newer schema, not in WAL mode", "schema 77");
	check_forget();

	fill(3);
	if (sqlite3_open(check_path, &newer) != SQLITE_OK ||
	    sqlite3_db_config(newer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) != SQLITE_OK ||
	    sqlite3_exec(newer, "PRAGMA user_version = 78", NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sqlite3_close(newer);
	expect_refusal("a newer schema that stands in the log alone", "schema 78");
	check_forget();

	check_change("CREATE TABLE cat(name)");
	expect_refusal("another program's database", "another program");
	check_forget();
	check_change("PRAGMA application_id = 12345; CREATE TABLE cat(name)");
	expect_refusal("with its application id", "12345");
	check_forget();
	check_change("PRAGMA application_id = 12345");
	expect_refusal("even without tables", "12345");
	check_forget();
	check_change("PRAGMA application_id = 0x4372736c; CREATE TABLE cat(name)");
	expect_refusal("our id without a schema", "another program");
	check_forget();
	check_change(
	    "PRAGMA user_version = 1; PRAGMA application_id = 0x4372736c; CREATE TABLE "
	    "cat(name)");
	is_int(try_open(), -ERR_INVALID, "our id and schema without our tables");
	ok(strstr(e.text, check_path) != NULL, "is told: %s", e.text);
	check_forget();
	check_put("",
	    STR("this is a letter to my aunt, and it is longer than a header of any file is; "
		"it goes on and on, and there is nothing in it"));
	expect_refusal("a letter", "move it away");
	check_forget();
	check_put("", STR("SQLite format 3"));
	expect_refusal("a part of a header", "move it away");
	check_forget();
	check_put("", STR(""));
	is_int(try_open(), 0, "an empty file is a new one");
	check_forget();
}

/* ---- migrations ---- */

static const char *const steps[] = {
	"CREATE TABLE one(a INTEGER) STRICT; INSERT INTO one VALUES(1)",
	"ALTER TABLE one ADD COLUMN b INTEGER NOT NULL DEFAULT 2; INSERT INTO one(a) VALUES(2)",
	"CREATE TABLE three(c INTEGER) STRICT; INSERT INTO three SELECT a + b FROM one",
};

static void
raw_open(struct db *d)
{
	*d = (struct db){ .path = xstrdup(check_path) };
	if (sqlite3_open(check_path, &d->sqlite) != SQLITE_OK)
		abort();
	db_patience(d, 20000);
}

static void
migrates(void)
{
	const char *const broken[] = { steps[0], "CREATE TABLE two(x); CREATE TABLE one(x)" };

	for (unsigned from = 0; from <= COUNT(steps); from++) {
		struct db d;

		raw_open(&d);
		is_int(schema_migrate(&d, steps, from, &e), 0, "an older version made it");
		is_int(schema_migrate(&d, steps, COUNT(steps), &e), 0, "the newest opens it");
		is_str(sql("SELECT group_concat(c) FROM three"), "3,4", "it has all steps");
		is_str(sql("PRAGMA user_version"), "3", "and the number");
		is_int(schema_migrate(&d, steps, COUNT(steps), &e), 0, "again");
		is_str(sql("SELECT count(*) FROM three"), "2", "nothing is done twice");
		if (from < COUNT(steps))
			is_int(schema_migrate(&d, steps, from, &e), -ERR_INVALID,
			    "the older one refuses it then");
		db_close(&d);
		check_forget();
	}
	for (unsigned i = 0; i < 2; i++) {
		struct db d;

		raw_open(&d);
		is_int(schema_migrate(&d, broken, 2, &e), -ERR_INVALID, "a step that fails");
		ok(strstr(e.text, "schema 2") != NULL, "is told: %s", e.text);
		is_str(sql("SELECT group_concat(name) FROM sqlite_schema"), "one",
		    "nothing of it stays, what came before does");
		is_str(sql("PRAGMA user_version"), "1", "with its number");
		db_close(&d);
	}
	check_forget();
}

/* Several processes migrate the same file; each step is taken once. */
static void
migrates_together(void)
{
	pid_t children[8];
	bool good = true;
	int gate[2];

	if (pipe2(gate, O_CLOEXEC) < 0)
		abort();
	fflush(stdout);
	for (unsigned i = 0; i < COUNT(children); i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct db d;
			char c;

			close(gate[1]);
			if (read(gate[0], &c, 1) != 0)
				_exit(1);
			raw_open(&d);
			_exit(schema_migrate(&d, steps, COUNT(steps), &e) < 0);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (unsigned i = 0; i < COUNT(children); i++) {
		int status = -1;

		waitpid(children[i], &status, 0);
		good = good && status == 0;
	}
	ok(good, "eight processes migrate at once");
	is_str(sql("SELECT group_concat(c) FROM three"), "3,4", "each step is taken once");
	check_forget();
}

/* A broker goes on while a newer one adds to the schema. */
static void
outlives_a_migration(void)
{
	static const char *const more[] = { "", "",
		"ALTER TABLE run ADD COLUMN more INTEGER;"
		"CREATE TABLE extra(run TEXT REFERENCES run);"
		"CREATE INDEX extra_run ON extra(run)" };
	struct store *s = check_open();
	struct db d;

	check_run(s, id, "", 1);
	store_flush(s);
	raw_open(&d);
	is_int(schema_migrate(&d, more, 3, &e), 0, "a newer version adds a step");
	db_close(&d);
	check_call(s, id, 1, "", "read", 1);
	check_call_end(s, id, 1, "", "ok", 1);
	check_run_end(s, id, "succeeded", 2);
	is_int(store_commit(s, &e), 0, "the older one, open since before, writes on");
	no_trouble(s, "with the newer schema");
	is_str(sql("SELECT status FROM run"), "succeeded", "in full");
	store_close(s);
	is_int(try_open(), -ERR_INVALID, "opened anew it refuses");
	check_forget();
}

/* ---- damage ---- */

/* Everything that reads and writes, on whatever is there. */
static bool
use_all(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(8));
	struct store *s = NULL;
	char run[ID_SIZE], found[ID_SIZE];
	uint64_t version;
	pid_t owner;
	int r = store_open(&s, NULL, check_path, &e);
	int sum = 0;

	if (r < 0)
		return e.text[0] && (r == -ERR_INVALID || r == -ERR_SYS);
	id_new(run);
	sum += store_session(s, STR("n"), STR("/w"), found, &e);
	sum += store_state_get(s, found, &text, &version, &e);
	sum += store_state_set(s, found, STR("{}"), version, &e);
	check_run(s, run, "", 1);
	check_decide(s, run, "", 1, "", 1);
	check_call(s, run, 1, "", "write", 1);
	sum += store_commit(s, &e);
	sum += store_list(s, false, 100, &text, &e);
	sum += store_list(s, true, 100, &text, &e);
	sum += store_log(s, STR(""), 100, &text, &e);
	sum += store_show(s, str_of(run), &text, &e);
	sum += store_cancel(s, str_of(run), found, &owner, &e);
	check_call_end(s, run, 1, "", "ok", 1);
	check_run_end(s, run, "succeeded", 2);
	store_flush(s);
	sum += store_sizes(s, &text, &e);
	sum += store_whole(s, STR("0"), &text, &e);
	sum += store_remove(s, str_of(run), found, &e);
	sum += store_prune(s, 10, &text, &e);
	store_close(s);
	return sum <= 0;
}

static void
survives_truncation(void)
{
	auto_done(buf) struct buf whole = buf_max(MiB(4)), log = buf_max(MiB(8));
	unsigned bad = 0, sizes = 0;

	fill(40);
	check_slurp("-wal", &log);
	check_slurp("", &whole);
	for (size_t n = 0; n < log.n; n += n < KiB(8) || n > log.n - KiB(16) ? 512 : 31 * 512) {
		check_forget();
		check_put("", buf_str(&whole));
		check_put("-wal", (struct str){ log.p, n });
		bad += !use_all();
		sizes++;
	}
	ok(bad == 0, "its log, cut at %u places: opens, or refuses in words", sizes);
	check_forget();
	check_put("", buf_str(&whole));
	check_put("-wal", buf_str(&log));
	check_change("PRAGMA wal_checkpoint(TRUNCATE)");
	check_slurp("", &whole);
	sizes = 0;
	for (size_t n = 0; n <= whole.n;
	    n += n < KiB(8) || n > whole.n - KiB(16) ? 512 : 15 * 512) {
		check_forget();
		check_put("", (struct str){ whole.p, n });
		bad += !use_all();
		sizes++;
	}
	ok(bad == 0, "the file, cut at %u places: the same", sizes);
	check_forget();
}

static void
survives_damage(void)
{
	auto_done(buf) struct buf whole = buf_max(MiB(4)), bytes = buf_max(MiB(4));
	uint64_t chance = 88172645463325252ull;
	unsigned bad = 0, refused = 0;

	fill(40);
	check_change("PRAGMA wal_checkpoint(TRUNCATE)");
	check_slurp("", &whole);
	for (unsigned round = 0; round < 200; round++) {
		buf_reset(&bytes);
		buf_add(&bytes, buf_str(&whole));
		for (unsigned i = 0; i < 1 + round % 20; i++) {
			chance ^= chance << 13;
			chance ^= chance >> 7;
			chance ^= chance << 17;
			bytes.p[chance % bytes.n] = (char)(chance >> 40);
		}
		check_forget();
		check_put("", buf_str(&bytes));
		bad += !use_all();
		refused += e.code == ERR_INVALID && strstr(e.text, "damaged") != NULL;
	}
	ok(bad == 0 && refused > 0, "random damage, 200 times; %u were seen to be damaged",
	    refused);
	check_forget();
	for (size_t page = 0; page < whole.n; page += 4096) {
		buf_reset(&bytes);
		buf_add(&bytes, buf_str(&whole));
		memset(bytes.p + page, 0x55, 4096);
		check_forget();
		check_put("", buf_str(&bytes));
		bad += !use_all();
	}
	ok(bad == 0, "each of %zu pages overwritten", whole.n / 4096);
	check_forget();
}

static void
tells_how_to_go_on(void)
{
	auto_done(buf) struct buf whole = buf_max(MiB(4)), after = buf_max(MiB(4));
	char away[PATH_MAX + 16];

	fill(3);
	check_change("PRAGMA wal_checkpoint(TRUNCATE)");
	check_slurp("", &whole);
	memset(whole.p + 100, 0x55, 3996);
	check_put("", buf_str(&whole));
	is_int(try_open(), -ERR_INVALID, "a journal whose first page is overwritten");
	ok(strstr(e.text, check_path) && strstr(e.text, "move it away"), "is told: %s", e.text);
	check_slurp("", &after);
	ok(str_eq(buf_str(&whole), buf_str(&after)), "and is as it was");
	snprintf(away, sizeof(away), "%s-old", check_path);
	ok(rename(check_path, away) == 0, "moved away");
	is_int(try_open(), 0, "a new one is made");
	unlink(away);
	check_forget();
}

static void
is_moved_away(void)
{
	struct store *s = check_open();
	char away[PATH_MAX + 16];

	check_run(s, id, "", 1);
	is_int(store_commit(s, &e), 0, "a journal in use");
	snprintf(away, sizeof(away), "%s-away", check_path);
	ok(rename(check_path, away) == 0, "is moved away");
	check_call(s, id, 1, "", "write", 1);
	is_int(store_commit(s, &e), -ERR_DENIED, "no act goes on record there");
	ok(strstr(e.text, "moved") != NULL, "and why is told: %s", e.text);
	ok(rename(away, check_path) == 0, "moved back");
	is_int(store_commit(s, &e), 0, "it goes on");
	no_trouble(s, "moving it there and back");
	check_call_end(s, id, 1, "", "ok", 2);
	check_run_end(s, id, "succeeded", 2);
	store_close(s);
	check_forget();
}

/* ---- how it looks things up ---- */

/*
 * The plan of a statement in one line. A scan is a cost that grows with the journal.
 */
static void
explain(sqlite3 *db, const char *text, struct buf *ret_plan)
{
	auto_done(buf) struct buf ask = buf_max(KiB(4));
	sqlite3_stmt *statement = NULL;

	buf_addf(&ask, "EXPLAIN QUERY PLAN %s", text);
	if (sqlite3_prepare_v2(db, buf_text(&ask), -1, &statement, NULL) != SQLITE_OK)
		buf_addf(ret_plan, "SCAN: %s", sqlite3_errmsg(db));
	while (sqlite3_step(statement) == SQLITE_ROW)
		buf_addf(ret_plan, "%s; ", (const char *)sqlite3_column_text(statement, 3));
	sqlite3_finalize(statement);
}

static void
looks_things_up(void)
{
	static const struct {
		const char *name, *text;
	} statements[] = {
#define SQL(id, text) { #id, text },
#include "store/sql.def"
#undef SQL
	};
	/* In the order of an index, and only as far as is asked for; or one row a process. */
	static const char *const scans[][2] = {
		{ "owner_all", "SCAN owner" },
		{ "list", "SCAN run USING INDEX run_at" },
		{ "list_live", "SCAN run USING INDEX run_live" },
		{ "find_live", "SCAN run USING INDEX run_live" },
		{ "log_all", "SCAN d USING INDEX decision_at" },
		{ "session_step", "SCAN (subquery" },
		/* As many rows as people gave answers by hand. */
		{ "permissions", "SCAN p" },
		{ "revoke", "SCAN p" },
		{ "trust_all", "SCAN trust" },
	};
	sqlite3 *db = NULL;

	fill(50);
	if (sqlite3_open(check_path, &db) != SQLITE_OK)
		abort();
	for (size_t i = 0; i < COUNT(statements); i++) {
		auto_done(buf) struct buf plan = buf_max(KiB(8));
		const char *scan;
		bool good = true;

		if (strncmp(statements[i].text, "BEGIN", 5) == 0 ||
		    !strchr(statements[i].text, ' '))
			continue;
		explain(db, statements[i].text, &plan);
		for (scan = strstr(buf_text(&plan), "SCAN"); scan;
		    scan = strstr(scan + 4, "SCAN")) {
			bool known = strncmp(scan, "SCAN CONSTANT", 13) == 0;

			for (size_t j = 0; j < COUNT(scans); j++)
				known |= strcmp(scans[j][0], statements[i].name) == 0 &&
					 strncmp(scan, scans[j][1], strlen(scans[j][1])) == 0;
			good = good && known;
		}
		if (!ok(good, "%s looks up what it needs", statements[i].name))
			printf("# %s\n", buf_text(&plan));
	}
	sqlite3_close(db);
	check_forget();
}

/* ---- a full disk ---- */

/* A file system of 1 MiB in the folder; with root or in namespaces of our own. */
static bool
small_disk(void)
{
	char map[32];
	uid_t uid = geteuid();

	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
		return false;
	if (uid && fd_put_at(AT_FDCWD, "/proc/self/uid_map", str_of(map), &e) < 0)
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", check_folder, "tmpfs", 0, "size=1m,mode=0700") == 0;
}

static void
fill_disk(struct store *s, char ret_run[static ID_SIZE], unsigned *ret_runs)
{
	auto_free char *large = xcalloc(30000, 1);
	const char *trouble = NULL;

	memset(large, ' ', 30000);
	for (*ret_runs = 0; !trouble && *ret_runs < 100; (*ret_runs)++) {
		struct store_run_end end = { .status = STR("succeeded"), .at = 2 };

		id_new(ret_run);
		end.id = ret_run;
		end.whole = (struct str){ large, 30000 };
		check_run(s, ret_run, "", 1);
		store_run_end(s, &end);
		store_flush(s);
		trouble = store_trouble(s);
	}
	ok(trouble && strstr(trouble, "full") && strstr(trouble, "not written yet"),
	    "at some time the disk is full: %s", trouble ? trouble : "");
}

static void
put_ballast(size_t bytes)
{
	auto_free char *ballast = xcalloc(bytes, 1);

	check_put("-ballast", (struct str){ ballast, bytes });
}

static void
drop_ballast(void)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s-ballast", check_path);
	unlink(path);
}

static void
lives_with_a_full_disk(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	struct store *s = NULL;
	char ask[120], run[ID_SIZE];
	unsigned runs;

	put_ballast(300000);
	s = check_open();
	fill_disk(s, run, &runs);
	is_int(store_commit(s, &e), -ERR_SYS, "a commit fails");
	is_int(e.sys, ENOSPC, "for that reason");
	is_int(store_list(s, false, 10, &text, &e), 0, "what is there can be listed");
	ok(s->rows > 0, "%zu rows wait", s->rows);
	store_close(check_open());
	ok(true, "and the journal can be opened");
	drop_ballast();
	is_int(store_commit(s, &e), 0, "with space again, a commit writes them");
	no_trouble(s, "none is lost");
	snprintf(ask, sizeof(ask),
	    "SELECT count(*) = %u AND (SELECT count(*) FROM run_blob) = %u FROM run", runs,
	    runs);
	is_str(sql(ask), "1", "all are there");
	check_intact("after a full disk");
	store_close(s);
	check_forget();

	put_ballast(300000);
	s = check_open();
	fill_disk(s, run, &runs);
	store_close(s);
	check_intact("closed on a full disk");
	drop_ballast();
	s = check_open();
	buf_reset(&text);
	is_int(store_prune(s, 100, &text, &e), 0, "with some space again pruning makes more");
	is_str(sql("SELECT count(*) FROM run"), "0", "of all");
	store_close(s);
	check_forget();
}

/* In this process, which has nothing to do afterwards but to go. */
static void
has_a_full_disk(void)
{
	if (!small_disk()) {
		skip("no mountns: a small disk cannot be made");
		return;
	}
	lives_with_a_full_disk();
	ok(umount(check_folder) == 0, "nobody holds anything there");
}

int
main(void)
{
	check_begin();
	is_private();
	is_a_file_of_ours();
	is_writable();
	refuses_others();
	migrates();
	migrates_together();
	outlives_a_migration();
	survives_truncation();
	survives_damage();
	tells_how_to_go_on();
	is_moved_away();
	looks_things_up();
	has_a_full_disk();
	check_end();
	return tap_done();
}
