/* SPDX-License-Identifier: MIT */
/* The journal as its callers see it, in one process. */
#include "store_check.h"

#include "base/utf8.h"

static const char *const no_id = "01BX5ZZKBKACTAV9WEVGEMMVRZ";

/* A list or object from a function that writes JSON. */
static const struct yyjson_val *
read_back(struct buf *text, struct json **ret_doc)
{
	json_free(*ret_doc);
	*ret_doc = NULL;
	if (json_parse(buf_str(text), MiB(64), ret_doc, &e) < 0)
		printf("# %s\n", e.text);
	return json_root(*ret_doc);
}

static uint64_t
number(const struct yyjson_val *v, const char *name)
{
	uint64_t n = UINT64_MAX;

	json_u64(json_at(v, name), UINT64_MAX, &n);
	return n;
}

static bool
text_is(const struct yyjson_val *v, const char *name, const char *want)
{
	return str_eq(json_str(json_at(v, name)), str_of(want));
}

static const struct yyjson_val *
nth(const struct yyjson_val *list, size_t i)
{
	struct str name;

	return json_nth(list, i, &name);
}

/* ---- sessions ---- */

static void
keeps_sessions(void)
{
	struct store *s = check_open();
	char a[ID_SIZE], b[ID_SIZE], c[ID_SIZE], d[ID_SIZE];

	is_int(store_session(s, STR("work"), STR("/w"), a, &e), 0, "a session by name");
	is_int(store_session(s, STR("work"), STR("/w"), b, &e), 0, "and again");
	is_str(b, a, "is the same");
	is_int(store_session(s, STR("work"), STR("/other"), b, &e), 0, "of another workspace");
	ok(strcmp(a, b) != 0, "is another");
	is_int(store_session(s, STR(""), STR("/w"), c, &e), 0, "one without a name");
	is_int(store_session(s, STR(""), STR("/w"), d, &e), 0, "and one more");
	ok(id_valid(str_of(c)) && strcmp(c, d) != 0, "are two");
	store_close(s);
	s = check_open();
	is_int(store_session(s, STR("work"), STR("/w"), b, &e), 0, "opened again");
	is_str(b, a, "the name is known");
	is_str(sql("SELECT count(*) FROM session"), "4", "four in all");
	ok(strcmp(sql("SELECT used >= made AND made > 1600000000000 FROM session"), "1") == 0,
	    "with the times");
	is_int(store_session(s, STR("a\0b"), STR("/w"), b, &e), -ERR_INVALID,
	    "a NUL in a name");
	is_int(store_session(s, STR("\xff"), STR("/w"), b, &e), -ERR_INVALID, "no UTF-8");
	is_int(store_session(s, STR("x"), STR("/\xff\xfe"), b, &e), 0,
	    "a path may be any bytes");
	is_int(store_session(s, STR("x"), STR("/\xff\xfe"), c, &e), 0, "and is known again");
	is_str(c, b, "as the same");
	store_close(s);
	check_forget();
}

static void
keeps_sessions_short(void)
{
	auto_free char *name = xmalloc(STORE_NAME_MAX + 1);
	struct store *s = check_open();
	char id[ID_SIZE];

	memset(name, 'n', STORE_NAME_MAX + 1);
	is_int(store_session(s, (struct str){ name, STORE_NAME_MAX }, STR("/w"), id, &e), 0,
	    "the longest name");
	is_int(store_session(s, (struct str){ name, STORE_NAME_MAX + 1 }, STR("/w"), id, &e),
	    -ERR_LIMIT, "a byte more");
	is_int(store_session(s, STR("n"), (struct str){ name, STORE_NAME_MAX + 1 }, id, &e),
	    -ERR_LIMIT, "of the workspace, too");
	store_close(s);
	check_forget();
}

static void
keeps_state(void)
{
	auto_done(buf) struct buf json = buf_max(KiB(1)), tiny = buf_max(2);
	auto_free char *large = xcalloc(STORE_STATE_MAX + 1, 1);
	struct store *s = check_open();
	char id[ID_SIZE];
	uint64_t version = 99;

	is_int(store_session(s, STR(""), STR("/w"), id, &e), 0, "a session");
	is_int(store_state_get(s, id, &json, &version, &e), 0, "has no state yet");
	ok(json.n == 0 && version == 0, "of version 0");
	is_int(store_state_set(s, id, STR("{\"n\":1}"), 0, &e), 0, "the first state");
	is_int(store_state_set(s, id, STR("{\"n\":9}"), 0, &e), -ERR_CLOSED,
	    "the first again: somebody was first");
	is_int(store_state_get(s, id, &json, &version, &e), 0, "is read");
	is_str(buf_text(&json), "{\"n\":1}", "as it was written");
	is_int(store_state_set(s, id, STR("{\"n\":2}"), version, &e), 0, "the next");
	is_int(store_state_set(s, id, STR("{\"n\":3}"), version, &e), -ERR_CLOSED,
	    "a second next of the same: too late");
	buf_reset(&json);
	is_int(store_state_get(s, id, &json, &version, &e), 0, "then");
	is_str(buf_text(&json), "{\"n\":2}", "the first of them counts");
	is_int(store_state_get(s, id, &tiny, &version, &e), -ERR_LIMIT, "more than fits");
	is_int(store_state_set(s, no_id, STR("{}"), 0, &e), -ERR_NOTFOUND, "no such session");
	is_int(store_state_set(s, no_id, STR("{}"), 1, &e), -ERR_CLOSED, "nor a version of it");
	is_int(store_state_set(s, id, (struct str){ large, STORE_STATE_MAX + 1 }, version, &e),
	    -ERR_LIMIT, "a state that is too large");
	store_close(s);
	check_forget();
}

/* ---- rows ---- */

/* A run with a call and a decision, told in full. */
static void
shows_a_run(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1)), small = buf_max(100);
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *v, *row;
	struct store *s = check_open();
	char session[ID_SIZE], id[ID_SIZE];

	id_new(id);
	is_int(store_session(s, STR(""), STR("/w"), session, &e), 0, "a session");
	check_run(s, id, session, 1000);
	check_decide(s, id, session, 1, "", 1001);
	check_call(s, id, 1, "", "write", 1002);
	is_int(store_show(s, str_of(id), &text, &e), 0, "what is queued is seen when asked");
	v = read_back(&text, &doc);
	ok(text_is(v, "run", id) && text_is(v, "session", session) &&
		text_is(v, "status", "running"),
	    "it runs");
	ok(number(v, "owner") == (uint64_t)getpid(), "here");
	row = nth(json_at(v, "calls"), 0);
	ok(text_is(row, "status", "started") && text_is(row, "tool", "read_file") &&
		text_is(row, "effect", "write") && number(row, "n") == 1 &&
		text_is(row, "input", "{\"path\":\"x\"}") && number(row, "input_bytes") == 12 &&
		number(row, "started") == 1002,
	    "its call has begun");
	row = nth(json_at(v, "decisions"), 0);
	ok(text_is(row, "decision", "allow") && text_is(row, "by", "policy") &&
		text_is(row, "policy", "p1") && text_is(row, "reason", "rule") &&
		text_is(row, "input_sha256", "00ff") && number(row, "at") == 1001,
	    "after a decision");
	check_call_end(s, id, 1, "", "ok", 1003);
	check_run_end(s, id, "limited", 1500);
	buf_reset(&text);
	is_int(store_show(s, (struct str){ id, 20 }, &text, &e), 0, "by the start of its id");
	v = read_back(&text, &doc);
	ok(text_is(v, "status", "limited") && text_is(v, "code", "TIMEOUT") &&
		text_is(v, "message", "a message") && text_is(v, "verdict", "none") &&
		number(v, "started") == 1000 && number(v, "ended") == 1500 &&
		number(v, "whole_bytes") == 7 && text_is(v, "title", "a title") &&
		text_is(v, "source", "return 1"),
	    "it has ended");
	ok(number(json_at(v, "args"), "a") == 1 &&
		number(json_at(v, "limits"), "timeout_ms") == 5 &&
		text_is(json_at(v, "engine"), "name", "x") &&
		number(json_at(v, "usage"), "cpu_ms") == 1 &&
		json_size(json_at(json_at(v, "envelope"), "value")) == 2,
	    "what is JSON is shown as JSON");
	row = nth(json_at(v, "calls"), 0);
	ok(text_is(row, "status", "ok") && number(row, "ended") == 1003 &&
		number(row, "ns") == 1500 && text_is(row, "result_sha256", "aa"),
	    "so has the call");
	is_int(store_show(s, str_of(id), &small, &e), -ERR_LIMIT, "more than fits");
	no_trouble(s, "all of it");
	store_close(s);
	check_forget();
}

static void
finds_runs(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	struct store *s = check_open();
	static const char one[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			  two[] = "01ARZ3NDEKTSV4RRFFQ69G5FAW";

	check_run(s, one, "", 1);
	check_run(s, two, "", 2);
	is_int(store_show(s, str_of(one), &text, &e), 0, "by the whole id");
	is_int(store_show(s, STR("01ARZ3NDEKTSV4RRFFQ69G5FA"), &text, &e), -ERR_INVALID,
	    "two start so");
	is_int(store_show(s, STR("02"), &text, &e), -ERR_NOTFOUND, "none starts so");
	is_int(store_show(s, STR(""), &text, &e), -ERR_INVALID, "nothing is no id");
	is_int(store_show(s, STR("01ARZ3NDEKTSV4RRFFQ69G5FAVX"), &text, &e), -ERR_NOTFOUND,
	    "longer than any id");
	is_int(store_show(s, STR("%"), &text, &e), -ERR_NOTFOUND, "no patterns");
	is_int(store_show(s, STR("0\0"), &text, &e), -ERR_NOTFOUND, "no NUL");
	is_int(store_show(s, STR("\xff"), &text, &e), -ERR_NOTFOUND, "no bytes");
	is_int(store_show(s, STR("' OR 1=1 --"), &text, &e), -ERR_NOTFOUND, "no SQL");
	buf_reset(&text);
	is_int(store_run_status(s, two, &text, &e), 0, "a status");
	is_str(buf_text(&text), "running", "by the whole id");
	is_int(store_run_status(s, no_id, &text, &e), -ERR_NOTFOUND, "of no run");
	is_int(store_whole(s, str_of(one), &text, &e), -ERR_NOTFOUND,
	    "a value that is not there yet");
	check_run_end(s, one, "succeeded", 3);
	buf_reset(&text);
	is_int(store_whole(s, str_of(one), &text, &e), 0, "a whole value");
	is_str(buf_text(&text), "[1,2,3]", "is what was given");
	check_run_end(s, two, "succeeded", 3);
	store_close(s);
	check_forget();
}

static void
lists_runs(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *v;
	struct store *s = check_open();
	char ids[5][ID_SIZE];

	is_int(store_list(s, false, 10, &text, &e), 0, "an empty list");
	is_str(buf_text(&text), "[]", "is a list");
	for (unsigned i = 0; i < 5; i++) {
		id_new(ids[i]);
		check_run(s, ids[i], "", 1000 + i);
		check_call(s, ids[i], 1, "", "read", 1000 + i);
		if (i % 2 == 0) {
			check_call_end(s, ids[i], 1, "", "ok", 1000 + i);
			check_run_end(s, ids[i], "failed", 1500 + i);
		}
	}
	buf_reset(&text);
	is_int(store_list(s, false, 4, &text, &e), 0, "the four newest");
	v = read_back(&text, &doc);
	is_int(json_size(v), 4, "are four");
	for (unsigned i = 0; i < 4; i++)
		ok(text_is(nth(v, i), "run", ids[4 - i]), "newest first: %u", i);
	ok(number(nth(v, 0), "ms") == 500 && number(nth(v, 0), "calls") == 1 &&
		text_is(nth(v, 0), "code", "TIMEOUT") &&
		text_is(nth(v, 0), "title", "a title") && number(nth(v, 0), "started") == 1004,
	    "with their figures");
	ok(number(nth(v, 1), "owner") == (uint64_t)getpid() &&
		strcmp(json_kind(json_at(nth(v, 0), "owner")), "null") == 0,
	    "an owner while they live");
	buf_reset(&text);
	is_int(store_list(s, true, UINT64_MAX, &text, &e), 0, "those that live");
	v = read_back(&text, &doc);
	ok(json_size(v) == 2 && text_is(nth(v, 0), "run", ids[3]) &&
		text_is(nth(v, 1), "run", ids[1]),
	    "are two");
	ok(number(nth(v, 0), "ms") > 1600000000000, "their time is up to now");
	store_close(s);
	check_forget();
}

static void
logs_decisions(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *v;
	struct store *s = check_open();
	static const char run[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
	char session[ID_SIZE], direct[ID_SIZE];

	is_int(store_session(s, STR(""), STR("/w"), session, &e), 0, "a session");
	id_new(direct);
	check_run(s, run, session, 1000);
	check_decide(s, run, session, 1, "", 1001);
	check_call(s, run, 1, "", "read", 1001);
	check_call_end(s, run, 1, "", "failed", 1002);
	check_decide(s, "", session, 0, direct, 1003);
	check_call(s, "", 0, direct, "read", 1003);
	check_call_end(s, "", 0, direct, "ok", 1004);
	check_decide(s, "", "", 0, "", 1005);
	is_int(store_log(s, STR(""), 10, &text, &e), 0, "the whole audit");
	v = read_back(&text, &doc);
	ok(json_size(v) == 3 && number(nth(v, 0), "at") == 1005 &&
		number(nth(v, 2), "at") == 1001,
	    "newest first");
	ok(text_is(nth(v, 1), "call", direct) && text_is(nth(v, 1), "status", "ok") &&
		text_is(nth(v, 2), "run", run) && text_is(nth(v, 2), "status", "failed"),
	    "with what became of the calls");
	ok(json_is_string(json_at(nth(v, 1), "input")) &&
		!json_is_string(json_at(nth(v, 0), "input")),
	    "and what they asked for");
	buf_reset(&text);
	is_int(store_log(s, str_of(session), 10, &text, &e), 0, "of a session");
	ok(json_size(read_back(&text, &doc)) == 2, "two");
	buf_reset(&text);
	is_int(store_log(s, STR("01ARZ3"), 10, &text, &e), 0, "of a run");
	ok(json_size(read_back(&text, &doc)) == 1, "one");
	buf_reset(&text);
	is_int(store_log(s, STR(""), 1, &text, &e), 0, "at most one");
	ok(json_size(read_back(&text, &doc)) == 1, "is one");
	is_int(store_log(s, STR("zz"), 1, &text, &e), -ERR_NOTFOUND, "of nothing");
	is_int(store_log(s, STR("01"), 1, &text, &e), -ERR_INVALID, "of several");
	check_run_end(s, run, "succeeded", 1010);
	no_trouble(s, "direct calls as well");
	store_close(s);
	check_forget();
}

/* ---- compare and set ---- */

static const char *
status_of(struct store *s, const char *id)
{
	static char status[64];
	auto_done(buf) struct buf text = buf_max(sizeof(status) - 1);

	snprintf(status, sizeof(status), "%s",
	    store_run_status(s, id, &text, &e) < 0 ? "none" : buf_text(&text));
	return status;
}

static void
expect_lost(struct store *s, const char *what)
{
	store_flush(s);
	ok(store_trouble(s) != NULL, "%s: is told", what);
	no_trouble(s, "and told once");
	is_int(store_commit(s, &e), -ERR_INVALID, "the next commit fails");
	is_int(store_commit(s, &e), 0, "and the one after it does not");
}

static void
ends_once(void)
{
	struct store *s = check_open(), *other = check_open();
	static const char id[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

	check_run(s, id, "", 1);
	check_call(s, id, 1, "", "read", 1);
	check_call_end(s, id, 1, "", "failed", 2);
	store_flush(s);
	no_trouble(s, "a call that ends");
	check_call_end(s, id, 1, "", "ok", 3);
	expect_lost(s, "a call that ends again");
	is_str(sql("SELECT status FROM call"), "failed", "it ended as it first did");
	check_call(s, id, 1, "", "read", 1);
	expect_lost(s, "a call of the same number");
	check_call_end(s, id, 2, "", "ok", 3);
	expect_lost(s, "the end of a call that was not begun");
	check_run(s, id, "", 1);
	store_flush(s);
	ok(store_trouble(s) != NULL, "a run of the same id: is told");
	is_int(store_commit(s, &e), -ERR_INVALID, "once");
	check_run_end(other, id, "failed", 4);
	expect_lost(other, "the end by somebody who does not own it");
	is_str(status_of(s, id), "running", "it goes on");
	check_run_end(s, id, "succeeded", 4);
	store_flush(s);
	no_trouble(s, "its end");
	check_run_end(s, id, "failed", 5);
	expect_lost(s, "a run that ends again");
	is_str(status_of(s, id), "succeeded", "it ended as it first did");
	is_str(sql("SELECT count(*) FROM run_blob"), "1", "with one result");
	check_call(s, no_id, 1, "", "read", 1);
	expect_lost(s, "a call of no run");
	check_run(s, no_id, "01ARZ3NDEKTSV4RRFFQ69G5FAV", 1);
	store_flush(s);
	ok(store_trouble(s) != NULL, "a run of no session: is told");
	check_intact("after all that");
	store_close(s);
	store_close(other);
	check_forget();
}

static void
note_id(const char *id, void *list)
{
	struct buf *ids = list;

	buf_addf(ids, "%s ", id);
}

static void
cancels(void)
{
	auto_done(buf) struct buf ids = buf_max(KiB(1));
	struct store *s = check_open(), *other = check_open();
	static const char a[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			  b[] = "01BRZ3NDEKTSV4RRFFQ69G5FAV";
	char id[ID_SIZE];
	pid_t owner = 0;

	check_run(s, a, "", 1);
	check_run(s, b, "", 1);
	store_flush(s);
	store_asked(s, note_id, &ids);
	is_int(ids.n, 0, "nobody asked yet");
	is_int(store_cancel(other, STR("01"), id, &owner, &e), -ERR_INVALID,
	    "several start so");
	is_int(store_cancel(other, STR("02"), id, &owner, &e), -ERR_NOTFOUND, "none starts so");
	is_int(store_cancel(other, STR(""), id, &owner, &e), -ERR_INVALID, "nothing is no id");
	is_int(store_cancel(other, STR("01A"), id, &owner, &e), 0, "one is asked to end");
	ok(strcmp(id, a) == 0 && owner == getpid(), "it and its owner are told");
	ok(store_is_owner(other, a, owner), "that is its owner");
	ok(!store_is_owner(other, a, getppid()), "another process is not");
	is_str(status_of(s, a), "cancelling", "so it is");
	is_int(store_cancel(other, STR("01A"), id, &owner, &e), 0, "asking again does no harm");
	store_asked(s, note_id, &ids);
	is_str(buf_text(&ids), "01ARZ3NDEKTSV4RRFFQ69G5FAV ",
	    "the owner is asked for that one");
	buf_reset(&ids);
	store_asked(other, note_id, &ids);
	is_int(ids.n, 0, "another broker is not");
	check_run_end(s, a, "cancelled", 9);
	is_str(status_of(s, a), "cancelled", "it ends as asked");
	ok(!store_is_owner(other, a, owner), "and has no owner then");
	is_int(store_cancel(other, STR("01A"), id, &owner, &e), -ERR_INVALID, "it has ended");
	ok(strstr(e.text, "cancelled") != NULL, "and how: %s", e.text);
	is_int(store_cancel(s, STR("01B"), id, &owner, &e), 0,
	    "one's own run may be asked, too");
	check_run_end(s, b, "succeeded", 9);
	is_str(status_of(s, b), "succeeded", "an end that came first counts");
	no_trouble(s, "cancelling");
	store_close(s);
	store_close(other);
	check_forget();
}

/* Makes the owner of all that is live somebody who is gone. */
static void
kill_owners(void)
{
	is_str(sql("UPDATE owner SET started = started + 1 RETURNING 'dead'"), "dead",
	    "their owner is gone");
}

static void
sweeps(void)
{
	struct store *s = check_open(), *other = check_open();
	static const char a[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			  b[] = "01BRZ3NDEKTSV4RRFFQ69G5FAV";
	static const char *const effects[] = { "read", "internal", "write", "process",
		"external", "", "something new" };
	char id[ID_SIZE];
	pid_t owner;

	check_run(s, a, "", 1);
	check_run(s, b, "", 1);
	for (unsigned i = 0; i < COUNT(effects); i++)
		check_call(s, a, i + 1, "", effects[i], 2);
	check_call(s, "", 0, no_id, "write", 2);
	check_call(s, b, 1, "", "write", 2);
	check_call_end(s, b, 1, "", "ok", 3);
	store_flush(s);
	is_int(store_sweep(other, &e), 0, "a sweep while the owner is there");
	is_str(sql("SELECT count(*) FROM run WHERE status = 'running'"), "2",
	    "changes nothing");
	is_int(store_cancel(other, STR("01B"), id, &owner, &e), 0, "one is asked to end");
	kill_owners();
	is_int(store_sweep(other, &e), 0, "a sweep afterwards");
	is_str(sql("SELECT group_concat(status) FROM run"), "lost,lost", "loses both");
	is_str(sql("SELECT group_concat(status) FROM (SELECT status FROM call WHERE run LIKE "
		   "'01A%'"
		   " ORDER BY n)"),
	    "cancelled,cancelled,unknown,unknown,unknown,unknown,unknown",
	    "what may have had an effect is unknown");
	is_str(sql("SELECT status FROM call WHERE run IS NULL"), "unknown",
	    "so is a direct call");
	is_str(sql("SELECT status FROM call WHERE run LIKE '01B%'"), "ok",
	    "what had ended stays");
	is_str(sql("SELECT count(*) FROM owner"), "0", "the owner is forgotten");
	check_run_end(s, a, "succeeded", 9);
	expect_lost(s, "an end after it was given up");
	is_str(status_of(s, a), "lost", "it stays lost");
	check_run(s, no_id, "", 1);
	store_flush(s);
	no_trouble(s, "an owner that was forgotten and is there can go on");
	is_int(store_cancel(other, STR("01A"), id, &owner, &e), -ERR_INVALID,
	    "a lost run has ended");
	kill_owners();
	is_int(store_cancel(other, str_of(no_id), id, &owner, &e), -ERR_INVALID,
	    "one whose owner is gone is not asked");
	is_str(status_of(other, no_id), "lost", "but lost");
	check_intact("after sweeps");
	store_close(s);
	store_close(other);
	check_forget();
}

/* Each part of what an owner is. */
static void
knows_owners(void)
{
	struct owner self, o;

	owner_init(&self);
	ok(id_valid(str_of(self.id)) && self.pid == getpid() && self.started && self.space &&
		strlen(self.boot) > 30,
	    "this process");
	ok(!owner_gone(&self, &self) && owner_near(&self, &self), "is here");
	o = self;
	o.started++;
	ok(owner_gone(&o, &self), "the same pid started at another time is gone");
	o.started = 0;
	ok(!owner_gone(&o, &self), "where the time is not known the pid decides");
	o = self;
	o.pid = 0x3fffffff;
	ok(owner_gone(&o, &self), "a pid that nobody has is gone");
	o = self;
	o.boot[0] = o.boot[0] == 'x' ? 'y' : 'x';
	ok(owner_gone(&o, &self) && !owner_near(&o, &self),
	    "another boot is gone, equal numbers or not");
	o = self;
	o.pid = 0x3fffffff;
	o.space++;
	ok(!owner_gone(&o, &self) && !owner_near(&o, &self),
	    "of another pid namespace nothing can be said");
	o = self;
	o.boot[0] = '\0';
	ok(!owner_gone(&o, &self), "nor where the boot is not known");
}

/* ---- what hangs on a run goes with it ---- */

static void
removes(void)
{
	struct store *s = check_open();
	static const char a[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			  b[] = "01BRZ3NDEKTSV4RRFFQ69G5FAV";
	char id[ID_SIZE];

	check_run(s, a, "", 1);
	check_run(s, b, "", 1);
	check_decide(s, a, "", 1, "", 1);
	check_call(s, a, 1, "", "read", 1);
	is_int(store_remove(s, STR("01A"), id, &e), -ERR_INVALID, "a run that goes on stays");
	check_call_end(s, a, 1, "", "ok", 2);
	check_run_end(s, a, "succeeded", 2);
	is_int(store_remove(s, STR("01"), id, &e), -ERR_INVALID, "several start so");
	is_int(store_remove(s, STR("01C"), id, &e), -ERR_NOTFOUND, "none starts so");
	is_int(store_remove(s, STR("01A"), id, &e), 0, "one that has ended goes");
	is_str(id, a, "it was this one");
	is_str(sql("SELECT (SELECT count(*) FROM run_given) + (SELECT count(*) FROM run_blob)"
		   " + (SELECT count(*) FROM call) + (SELECT count(*) FROM decision)"),
	    "1", "with all that hung on it");
	is_int(store_remove(s, STR("01A"), id, &e), -ERR_NOTFOUND, "it is gone");
	check_run_end(s, b, "succeeded", 2);
	store_close(s);
	check_forget();
}

static void
put_old(struct store *s, const char *session, uint64_t at, unsigned runs)
{
	auto_free char *large = xcalloc(20000, 1);

	memset(large, ' ', 20000);
	for (unsigned i = 0; i < runs; i++) {
		struct store_run_end end = { .status = STR("succeeded"), .at = at + 1 };
		char id[ID_SIZE];

		id_new(id);
		check_run(s, id, session, at);
		check_decide(s, id, session, 1, "", at);
		check_call(s, id, 1, "", "read", at);
		check_call_end(s, id, 1, "", "ok", at);
		end.id = id;
		end.whole = (struct str){ large, 20000 };
		store_run_end(s, &end);
	}
}

static void
prunes(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(4));
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *v;
	struct store *s = check_open();
	char kept[ID_SIZE], named[ID_SIZE], empty[ID_SIZE], old[ID_SIZE], live[ID_SIZE],
	    id[ID_SIZE];

	is_int(store_session(s, STR(""), STR("/w"), kept, &e), 0, "a session with state");
	is_int(store_state_set(s, kept, STR("{}"), 0, &e), 0, "which it has");
	is_int(store_session(s, STR("n"), STR("/w"), named, &e), 0, "one with a name");
	is_int(store_session(s, STR(""), STR("/w"), empty, &e), 0, "one with nothing");
	is_int(store_session(s, STR(""), STR("/w"), old, &e), 0, "one with runs");
	put_old(s, old, 1000, 100);
	put_old(s, named, 5000, 3);
	id_new(live);
	check_run(s, live, "", 500);
	id_new(id);
	check_call(s, "", 0, id, "read", 600);
	check_call_end(s, "", 0, id, "ok", 601);
	check_decide(s, "", "", 0, id, 600);
	id_new(id);
	check_call(s, "", 0, id, "read", 600);
	check_decide(s, "", kept, 0, id, 599);
	store_close(s);

	s = check_open();
	is_int(store_session(s, STR(""), STR("/w"), id, &e), 0, "a new one, in use");
	is_int(store_prune(s, 5000, &text, &e), 0, "what is older than 5000 goes");
	v = read_back(&text, &doc);
	is_int(number(v, "runs"), 100, "a hundred runs");
	is_int(number(v, "calls"), 101, "with their calls, and a direct one");
	is_int(number(v, "sessions"), 0, "their sessions belong to a process that is there");
	ok(number(v, "bytes_after") < number(v, "bytes_before") / 4,
	    "space comes back: %llu of %llu", (unsigned long long)number(v, "bytes_after"),
	    (unsigned long long)number(v, "bytes_before"));
	is_str(sql("PRAGMA freelist_count"), "0", "all of it");
	is_str(sql("SELECT count(*) FROM run"), "4", "what is new or runs stays");
	is_str(sql("SELECT count(*) FROM call WHERE run IS NULL"), "1",
	    "a direct call that runs, too");
	is_str(sql("SELECT count(*) FROM decision"), "4", "and decisions of then");
	kill_owners();
	buf_reset(&text);
	is_int(store_prune(s, 5000, &text, &e), 0, "again, when their owner is gone");
	v = read_back(&text, &doc);
	ok(number(v, "runs") == 1 && number(v, "calls") == 1,
	    "the run that was lost, and its calls");
	is_int(number(v, "sessions"), 2, "and what was empty");
	is_str(sql("SELECT count(*) FROM session"), "3",
	    "with name, state, or in use: these stay");
	check_run(s, no_id, id, 1);
	store_flush(s);
	no_trouble(s, "the session that is in use is there");
	check_run_end(s, no_id, "succeeded", 2);
	buf_reset(&text);
	is_int(store_sizes(s, &text, &e), 0, "sizes");
	v = read_back(&text, &doc);
	ok(number(v, "schema") == schema_newest && number(v, "runs") == 4 &&
		number(v, "calls") == 3 && number(v, "sessions") == 3 &&
		number(v, "bytes") >= 4096 && text_is(v, "path", check_path),
	    "tell what is there");
	check_intact("after pruning");
	store_close(s);
	check_forget();
}

/* ---- any bytes ---- */

static void
keeps_any_bytes(void)
{
	static const struct str hostile[] = {
		{ "'; DROP TABLE run; --", 21 },
		{ "a\0b", 3 },
		{ "\0", 1 },
		{ "\xff\xfe\xfd", 3 },
		{ "\xed\xa0\x80", 3 },
		{ "\xc3", 1 },
		{ "\"\\\n\x1b[31m", 8 },
		{ "{\"a\":", 5 },
		{ "\xe2\x80\xae", 3 },
	};
	auto_done(buf) struct buf text = buf_max(MiB(1)), whole = buf_max(KiB(1));
	auto_obj(json) struct json *doc = NULL;
	struct store *s = check_open();

	for (size_t i = 0; i < COUNT(hostile); i++) {
		struct str h = hostile[i];
		char id[ID_SIZE];
		struct store_run run = { id, "", h, h, h, h, 1 };
		struct store_decision d = { id, "", 1, "", h, h, h, h, h, h, h, h, 1 };
		struct store_call call = { id, "", "", 1, h, h, h, h, 1 };
		struct store_call_end ended = { id, "", 1, STR("ok"), h, h, 1, 1 };
		struct store_run_end end = { id, h, h, h, h, h, h, h, h, 2 };

		id_new(id);
		store_run_begin(s, &run);
		store_decide(s, &d);
		store_call_begin(s, &call);
		store_call_end(s, &ended);
		/* A status is our own word. */
		end.status = STR("succeeded");
		store_run_end(s, &end);
		buf_reset(&text);
		buf_reset(&whole);
		ok(store_show(s, str_of(id), &text, &e) == 0 &&
			json_is_object(read_back(&text, &doc)),
		    "bytes %zu: shown as JSON", i);
		ok(store_whole(s, str_of(id), &whole, &e) == 0 && str_eq(buf_str(&whole), h),
		    "kept as they are");
		if (utf8_valid(h))
			ok(str_eq(json_str(json_at(json_root(doc), "source")), h),
			    "and shown as they are");
	}
	buf_reset(&text);
	ok(store_list(s, false, 100, &text, &e) == 0 && json_size(read_back(&text, &doc)) == 9,
	    "listed");
	buf_reset(&text);
	ok(store_log(s, STR(""), 100, &text, &e) == 0 && json_size(read_back(&text, &doc)) == 9,
	    "logged");
	is_str(sql("SELECT count(*) FROM run WHERE typeof(title) = 'text'"), "4",
	    "text without NUL bytes is text in the file");
	no_trouble(s, "any bytes");
	check_intact("with any bytes");
	store_close(s);
	check_forget();
}

static void
cuts_inputs(void)
{
	auto_done(buf) struct buf input = buf_max(KiB(32)), envelope = buf_max(MiB(2));
	struct store *s = check_open();
	static const char run[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
	static const struct {
		const char *head, *fill;
		unsigned kept;
	} rows[] = {
		{ "", "a", 4096 },
		{ "", "\xc3\xa9", 4096 },
		{ "a", "\xc3\xa9", 4095 },
		{ "aa", "\xf0\x9f\x98\x80", 4094 },
		{ "aaa", "\xf0\x9f\x98\x80", 4095 },
		{ "a", "\xe2\x82\xac", 4096 },
		{ "", "\x80", 4096 },
	};

	check_run(s, run, "", 1);
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct store_call call = { run, "", "", i + 1, STR("t"), STR("read"), STR(""),
			STR("digest"), 1 };
		char ask[120];

		buf_reset(&input);
		buf_add(&input, str_of(rows[i].head));
		while (input.n < 9000)
			buf_add(&input, str_of(rows[i].fill));
		call.input = buf_str(&input);
		store_call_begin(s, &call);
		store_flush(s);
		snprintf(ask, sizeof(ask),
		    "SELECT length(CAST(input AS BLOB)) FROM call WHERE n = %u", i + 1);
		is_int(strtol(sql(ask), NULL, 10), rows[i].kept,
		    "an input is cut between characters");
	}
	is_str(sql("SELECT input_bytes > 8999 AND input_sha256 = 'digest' FROM call"), "1",
	    "its size and digest are of the whole");
	is_str(sql("SELECT count(*) FROM call WHERE typeof(input) = 'text'"), "6",
	    "what was text is text");
	while (envelope.n < STORE_ENVELOPE_MAX)
		buf_addc(&envelope, ' ');
	for (unsigned i = 0; i < 2; i++) {
		char id[ID_SIZE];
		struct store_run_end end = { .id = id, .status = STR("succeeded"), .at = 1 };

		id_new(id);
		check_run(s, id, "", 1);
		end.envelope = buf_str(&envelope);
		store_run_end(s, &end);
		buf_addc(&envelope, ' ');
	}
	store_flush(s);
	is_str(sql("SELECT count(*) || ' ' || count(envelope) FROM run_blob"), "2 1",
	    "an envelope over the limit is not kept, the row is");
	no_trouble(s, "long inputs");
	store_close(s);
	check_forget();
}

/* ---- the queue ---- */

static void
writes_in_groups(void)
{
	struct store *s = NULL;
	struct loop loop;
	uint64_t began;

	is_int(loop_init(&loop, &e), 0, "a loop");
	is_int(store_open(&s, &loop, check_path, &e), 0, "a store on it");
	began = clock_now();
	check_run(s, no_id, "", 1);
	is_str(sql("SELECT count(*) FROM run"), "0", "what is queued is not there yet");
	while (s->rows && clock_now() < began + 10 * NS_PER_S) {
		if (loop_turn(&loop, began + 10 * NS_PER_S, &e) < 0)
			break;
	}
	is_str(sql("SELECT count(*) FROM run"), "1", "the timer writes it");
	ok(clock_now() - began >= STORE_GROUP_NS, "not before its time");
	check_decide(s, no_id, "", 1, "", 1);
	store_flush(s);
	is_str(sql("SELECT count(*) FROM decision"), "1", "a flush writes at once");
	ok(!s->timer.loop, "and leaves no timer");
	check_decide(s, no_id, "", 2, "", 1);
	store_close(s);
	is_str(sql("SELECT count(*) FROM decision"), "2", "closing writes");
	ok(!loop.timers, "and leaves no timer");
	loop_done(&loop);
	store_close(NULL);
	check_forget();
}

static void
queues_many(void)
{
	struct store *s = check_open();

	check_run(s, no_id, "", 1);
	for (unsigned i = 1; i <= 10000; i++)
		check_decide(s, no_id, "", i, "", i);
	ok(s->rows < 10000, "a full queue is written");
	store_flush(s);
	is_str(sql("SELECT count(*) FROM decision"), "10000", "ten thousand rows");
	no_trouble(s, "ten thousand rows");
	store_close(s);
	check_forget();
}

/* Another process holds the file for as long as it likes. */
static void
waits_and_drops(void)
{
	struct store *s = check_open();
	sqlite3 *other = NULL;
	uint64_t began;

	check_run(s, no_id, "", 1);
	store_flush(s);
	ok(sqlite3_open(check_path, &other) == SQLITE_OK &&
		sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK,
	    "somebody else writes");
	began = clock_now();
	for (unsigned i = 1; i <= 8191; i++)
		check_decide(s, no_id, "", i, "", i);
	ok(clock_now() - began < NS_PER_S, "queueing does not wait");
	check_decide(s, no_id, "", 8192, "", 1);
	began = clock_now();
	check_decide(s, no_id, "", 8193, "", 1);
	check_decide(s, no_id, "", 8194, "", 1);
	ok(clock_now() - began < NS_PER_S, "nor does a full queue, for long");
	ok(store_trouble(s) != NULL, "the oldest are lost, and told");
	ok(strstr(s->trouble, "2 rows") && strstr(s->trouble, "lost") &&
		strstr(s->trouble, "other"),
	    "how many and why: %s", s->trouble);
	ok(store_trouble(s) && strstr(s->trouble, "8192 rows") &&
		strstr(s->trouble, "not written yet"),
	    "what waits is told as well: %s", s->trouble);
	is_int(store_commit(s, &e), -ERR_SYS, "a commit waits, and fails");
	is_int(e.sys, 16, "as busy");
	sqlite3_close(other);
	is_int(store_commit(s, &e), -ERR_INVALID, "then it tells once what was lost");
	is_int(store_commit(s, &e), 0, "and all is well");
	no_trouble(s, "after that");
	is_str(sql("SELECT count(*) || ' ' || min(n) FROM decision"), "8192 3",
	    "the rest was written");
	store_close(s);
	check_forget();
}

/* ---- what people allowed ---- */

static void
note_permission(struct str what, struct str folder, void *userdata)
{
	buf_addf(userdata, "%.*s %.*s;", STR_ARG(what), (int)folder.n,
	    folder.n ? folder.p : "");
}

static const char *
permitted(struct store *s, const char *session)
{
	static struct buf all;

	buf_done(&all);
	all = buf_max(KiB(1));
	is_int(store_permitted(s, session, 9, note_permission, &all, &e), 0, "asked");
	return buf_text(&all);
}

static void
keeps_permissions(void)
{
	struct store *s = check_open(), *other = check_open();
	char one[ID_SIZE], two[ID_SIZE];
	auto_done(buf) struct buf json = buf_max(KiB(4));
	uint64_t n = 0;

	is_int(store_session(s, STR("one"), STR("/w"), one, &e), 0, "a named session");
	is_int(store_session(s, STR(""), STR("/w"), two, &e), 0, "and one of its own");
	is_str(permitted(s, one), "", "nothing is allowed at first");
	is_int(store_permit(s, one, STR("write"), STR(""), false, &e), 0, "an effect");
	is_int(store_permit(s, one, STR("write"), STR(""), false, &e), 0, "twice is once");
	is_int(store_permit(s, one, STR("folder"), STR("/etc\xff"), false, &e), 0,
	    "any folder");
	is_int(store_permit(s, one, STR("analysis.run"), STR(""), true, &e), 0,
	    "one that is kept");
	is_int(store_permit(s, two, STR("process"), STR(""), false, &e), 0,
	    "of another session");
	is_str(permitted(s, one), "write ;folder /etc\xff;analysis.run ;", "in order");
	is_str(permitted(other, one), "analysis.run ;",
	    "another process has what is kept alone");
	is_int(store_permissions(other, STR("one"), STR("/w"), &json, &e), 0, "listed");
	ok(strstr(buf_text(&json), "\"what\":\"write\"") && !strstr(buf_text(&json), "process"),
	    "those of one name: %s", buf_text(&json));
	is_int(store_revoke(other,
		   &(struct store_revoked){ 0, STR("write"), STR("one"), STR("/elsewhere") },
		   &n, &e),
	    0, "revoked in another workspace");
	is_int((int)n, 0, "nothing of that name is there");
	is_int(store_revoke(other,
		   &(struct store_revoked){ 0, STR("write"), STR("one"), STR("/w") }, &n, &e),
	    0, "revoked");
	is_int((int)n, 1, "one");
	is_int(store_revoke(other,
		   &(struct store_revoked){ 0, STR("/etc\xff"), STR(""), STR("") }, &n, &e),
	    0, "a folder");
	is_int((int)n, 1, "by its path");
	is_str(permitted(s, one), "analysis.run ;", "the owner finds them gone");
	store_close(s);
	is_str(permitted(other, two), "", "with its process the rest ends");
	is_str(sql("SELECT count(*) FROM permission"), "1", "for good");
	is_int(store_revoke(other, &(struct store_revoked){ 0, STR(""), STR(""), STR("") }, &n,
		   &e),
	    0, "all");
	is_int((int)n, 1, "are gone");
	store_close(other);
	check_forget();
}

static void
keeps_trust(void)
{
	struct store *s = check_open();
	enum store_trust t = TRUST_GIVEN;
	bool known = true;

	is_int(store_trust_get(s, STR("/w"), STR("aa"), &t, &e), 0, "asked");
	is_int(t, TRUST_UNKNOWN, "nothing is said at first");
	is_int(store_trust_set(s, STR("/w"), STR("aa"), TRUST_GIVEN, &known, &e), 0, "trusted");
	is_int(store_trust_get(s, STR("/w"), STR("aa"), &t, &e), 0, "asked");
	is_int(t, TRUST_GIVEN, "this file is");
	is_int(store_trust_get(s, STR("/w"), STR("ab"), &t, &e), 0, "asked");
	is_int(t, TRUST_UNKNOWN, "another is not");
	is_int(store_trust_get(s, STR("/w/sub"), STR("aa"), &t, &e), 0, "asked");
	is_int(t, TRUST_UNKNOWN, "nor is a folder below");
	is_int(store_trust_set(s, STR("/w"), STR("ab"), TRUST_REFUSED, &known, &e), 0,
	    "refused");
	is_int(store_trust_get(s, STR("/w"), STR("aa"), &t, &e), 0, "asked");
	is_int(t, TRUST_UNKNOWN, "one answer a folder");
	is_int(store_trust_set(s, STR("/w"), STR(""), TRUST_UNKNOWN, &known, &e), 0,
	    "forgotten");
	ok(known, "it was there");
	is_int(store_trust_set(s, STR("/w"), STR(""), TRUST_UNKNOWN, &known, &e), 0, "again");
	ok(!known, "it was not");
	store_close(s);
	check_forget();
}

int
main(void)
{
	check_begin();
	keeps_permissions();
	keeps_trust();
	keeps_sessions();
	keeps_sessions_short();
	keeps_state();
	shows_a_run();
	finds_runs();
	lists_runs();
	logs_decisions();
	ends_once();
	cancels();
	sweeps();
	knows_owners();
	removes();
	prunes();
	keeps_any_bytes();
	cuts_inputs();
	writes_in_groups();
	queues_many();
	waits_and_drops();
	check_end();
	return tap_done();
}
