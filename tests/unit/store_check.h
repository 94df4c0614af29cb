/* SPDX-License-Identifier: MIT */
/*
 * What tests of the journal share: a folder of their own, rows in few words, and questions to the
 * file by another connection.
 *
 *	check_begin();
 *	struct store *s = check_open();
 *	check_run(s, id, session, 1000);
 *	is_str(sql("SELECT status FROM run"), "running", "it runs");
 *	check_end();
 */
#ifndef TESTS_STORE_CHECK_H
#define TESTS_STORE_CHECK_H

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "store/inner.h"
#include "store/schema.h"

#include "tap.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err e;
static char check_folder[PATH_MAX - 32];
static char check_path[PATH_MAX];

static inline void
check_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(check_folder, sizeof(check_folder), "%s/crisol-store-XXXXXX",
	    tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(check_folder))
		abort();
	snprintf(check_path, sizeof(check_path), "%s/journal.sqlite", check_folder);
}

/* Takes the file away with all that stands beside it. */
static inline void
check_forget(void)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < COUNT(ends); i++) {
		char path[PATH_MAX + 16];

		snprintf(path, sizeof(path), "%s%s", check_path, ends[i]);
		unlink(path);
	}
}

static inline void
check_end(void)
{
	check_forget();
	if (!ok(rmdir(check_folder) == 0, "nothing else was left in the folder"))
		printf("# %s\n", check_folder);
}

static inline struct store *
check_open(void)
{
	struct store *s = NULL;

	if (store_open(&s, NULL, check_path, &e) < 0) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	return s;
}

/* The first value of some SQL, asked by another connection; "" for none. */
static inline const char *
sql(const char *text)
{
	static char answer[512];
	sqlite3 *other = NULL;
	sqlite3_stmt *statement = NULL;
	const unsigned char *value = NULL;

	answer[0] = '\0';
	if (sqlite3_open_v2(check_path, &other, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
		sqlite3_db_config(other, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		sqlite3_busy_timeout(other, 20000);
		if (sqlite3_prepare_v2(other, text, -1, &statement, NULL) != SQLITE_OK)
			snprintf(answer, sizeof(answer), "%s", sqlite3_errmsg(other));
		else if (sqlite3_step(statement) == SQLITE_ROW)
			value = sqlite3_column_text(statement, 0);
		if (value)
			snprintf(answer, sizeof(answer), "%s", value);
	}
	sqlite3_finalize(statement);
	sqlite3_close(other);
	return answer;
}

/* The bytes of the file, or of what stands beside it. */
static inline void
check_slurp(const char *end, struct buf *ret_bytes)
{
	char path[PATH_MAX + 16];
	struct err none;

	buf_reset(ret_bytes);
	snprintf(path, sizeof(path), "%s%s", check_path, end);
	if (fd_slurp_at(AT_FDCWD, path, ret_bytes, &none) < 0)
		buf_add(ret_bytes, STR("(none)"));
}

static inline void
check_put(const char *end, struct str bytes)
{
	char path[PATH_MAX + 16];
	struct err none;
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "%s%s", check_path, end);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || fd_write_all(fd, bytes, &none) < 0)
		abort();
}

/* Some SQL on the file, which need not be a journal. */
static inline void
check_change(const char *text)
{
	sqlite3 *other = NULL;
	char *why = NULL;

	if (sqlite3_open(check_path, &other) != SQLITE_OK ||
	    sqlite3_exec(other, text, NULL, NULL, &why) != SQLITE_OK)
		printf("# %s\n", why);
	sqlite3_free(why);
	sqlite3_close(other);
}

static inline void
check_run(struct store *s, const char *id, const char *session, uint64_t at)
{
	const struct store_run run = {
		.id = id,
		.session = session,
		.title = STR("a title"),
		.source = STR("return 1"),
		.args = STR("{\"a\":1}"),
		.limits = STR("{\"timeout_ms\":5}"),
		.at = at,
	};

	store_run_begin(s, &run);
}

static inline void
check_decide(struct store *s, const char *run, const char *session, uint64_t n,
    const char *call, uint64_t at)
{
	const struct store_decision d = {
		.run = run,
		.session = session,
		.n = n,
		.call = call,
		.tool = STR("read_file"),
		.effect = STR("read"),
		.decision = STR("allow"),
		.reason = STR("rule"),
		.by = STR("policy"),
		.policy = STR("p1"),
		.input_sha256 = STR("00ff"),
		.at = at,
	};

	store_decide(s, &d);
}

static inline void
check_call(struct store *s, const char *run, uint64_t n, const char *call, const char *effect,
    uint64_t at)
{
	const struct store_call row = {
		.run = run,
		.session = "",
		.call = call,
		.n = n,
		.tool = STR("read_file"),
		.effect = str_of(effect),
		.input = STR("{\"path\":\"x\"}"),
		.input_sha256 = STR("00ff"),
		.at = at,
	};

	store_call_begin(s, &row);
}

static inline void
check_call_end(struct store *s, const char *run, uint64_t n, const char *call,
    const char *status, uint64_t at)
{
	const struct store_call_end end = {
		.run = run,
		.call = call,
		.n = n,
		.status = str_of(status),
		.result_sha256 = STR("aa"),
		.at = at,
		.ns = 1500,
	};

	store_call_end(s, &end);
}

static inline void
check_run_end(struct store *s, const char *id, const char *status, uint64_t at)
{
	const struct store_run_end end = {
		.id = id,
		.status = str_of(status),
		.code = STR("TIMEOUT"),
		.message = STR("a message"),
		.verdict = STR("none"),
		.engine = STR("{\"name\":\"x\"}"),
		.usage = STR("{\"cpu_ms\":1}"),
		.envelope = STR("{\"value\":[1,2]}"),
		.whole = STR("[1,2,3]"),
		.at = at,
	};

	store_run_end(s, &end);
}

/* Nothing was lost and nothing waits. */
static inline void
no_trouble(struct store *s, const char *when)
{
	const char *trouble = store_trouble(s);

	if (!ok(!trouble, "no trouble: %s", when))
		printf("# %s\n", trouble);
}

static inline void
check_intact(const char *when)
{
	is_str(sql("PRAGMA integrity_check"), "ok", when);
	is_str(sql("PRAGMA foreign_key_check"), "", "and every row has what it hangs on");
}

#endif
