/* SPDX-License-Identifier: MIT */
/*
 * Two brokers do at random what brokers do, and a model in memory does the same; what the journal
 * lists, shows and refuses must be what the model has.
 */
#include "store_check.h"

#define STEPS     2500
#define RUNS_MAX  64
#define CALLS_MAX 6
#define BROKERS   2
#define FUTURE    4102444800000ull /* in 2100, so that what lives has lasted 0 ms */

enum call_state { CALL_NONE, CALL_STARTED, CALL_OK, CALL_UNKNOWN, CALL_CANCELLED };

static const char *const call_words[] = { "", "started", "ok", "unknown", "cancelled" };

struct model_run {
	char id[ID_SIZE];
	int session; /* -1: none */
	int broker;  /* -1: none, it has ended */
	const char *status;
	uint64_t at, ended; /* ended 0: when it was found lost, or not at all */
	enum call_state calls[CALLS_MAX];
	bool acts[CALLS_MAX];
	unsigned decisions;
};

static struct {
	struct model_run runs[RUNS_MAX];
	unsigned n;
	struct store *brokers[BROKERS];
	char sessions[2][ID_SIZE];
	uint64_t chance;
	unsigned bad, refused;
} m;

static uint64_t
chance(uint64_t below)
{
	m.chance ^= m.chance << 13;
	m.chance ^= m.chance >> 7;
	m.chance ^= m.chance << 17;
	return (m.chance >> 11) % below;
}

static void
check(bool good, const char *what)
{
	if (!good)
		printf("# %s\n", what);
	m.bad += !good;
}

static struct model_run *
any_run(void)
{
	return m.n ? &m.runs[chance(m.n)] : NULL;
}

/* Brokers see of each other what was written. */
static struct store *
any_broker(int *ret_index)
{
	*ret_index = (int)chance(BROKERS);
	for (int i = 0; i < BROKERS; i++) {
		if (i != *ret_index)
			store_flush(m.brokers[i]);
	}
	return m.brokers[*ret_index];
}

/* What cannot be is told, and stands in the way of an act, once. */
static void
expect(struct store *s, bool possible, const char *what)
{
	if (possible)
		return;
	store_flush(s);
	check(store_trouble(s) != NULL, what);
	check(store_commit(s, &e) == -ERR_INVALID, what);
	m.refused++;
}

/* ---- what brokers do ---- */

static void
do_begin(void)
{
	struct model_run *r = &m.runs[m.n];
	int i;
	struct store *s = any_broker(&i);

	if (m.n == RUNS_MAX)
		return;
	*r = (struct model_run){ .session = (int)chance(3) - 1,
		.broker = i,
		.status = "running",
		.at = FUTURE + chance(20) };
	id_new(r->id);
	check_run(s, r->id, r->session < 0 ? "" : m.sessions[r->session], r->at);
	m.n++;
}

static void
do_decide(void)
{
	struct model_run *r = any_run();
	int i;
	struct store *s = any_broker(&i);

	if (!r)
		return;
	check_decide(s, r->id, "", chance(5), "", r->at);
	r->decisions++;
}

static void
do_call(void)
{
	struct model_run *r = any_run();
	unsigned n = (unsigned)chance(CALLS_MAX);
	bool act = chance(2);

	/* By its owner: a call belongs to who makes it, and the model has one owner a run. */
	if (!r || r->broker < 0)
		return;
	check_call(m.brokers[r->broker], r->id, n, "", act ? "process" : "read", r->at);
	expect(m.brokers[r->broker], r->calls[n] == CALL_NONE, "a call is begun twice");
	if (r->calls[n] != CALL_NONE)
		return;
	r->calls[n] = CALL_STARTED;
	r->acts[n] = act;
}

static void
do_call_end(void)
{
	struct model_run *r = any_run();
	unsigned n = (unsigned)chance(CALLS_MAX);
	int i;
	struct store *s = any_broker(&i);
	bool possible;

	if (!r)
		return;
	possible = r->broker == i && r->calls[n] == CALL_STARTED;
	check_call_end(s, r->id, n, "", "ok", r->at);
	expect(s, possible, "the end of a call that is not ours or not started");
	if (possible)
		r->calls[n] = CALL_OK;
}

static void
do_end(void)
{
	struct model_run *r = any_run();
	int i;
	struct store *s = any_broker(&i);
	bool possible;

	if (!r)
		return;
	possible = r->broker == i;
	/* Brokers end the calls of a run before it. */
	for (unsigned n = 0; possible && n < CALLS_MAX; n++) {
		if (r->calls[n] != CALL_STARTED)
			continue;
		check_call_end(s, r->id, n, "", "cancelled", r->at);
		r->calls[n] = CALL_CANCELLED;
	}
	check_run_end(s, r->id, "failed", r->at + 7);
	expect(s, possible, "the end of a run that is not ours or not live");
	if (!possible)
		return;
	r->status = "failed";
	r->broker = -1;
	r->ended = r->at + 7;
}

static void
do_cancel(void)
{
	struct model_run *r = any_run();
	int i;
	struct store *s = any_broker(&i);
	char id[ID_SIZE];
	pid_t owner = 0;
	int result;

	if (!r)
		return;
	result = store_cancel(s, str_of(r->id), id, &owner, &e);
	check(result == (r->broker < 0 ? -ERR_INVALID : 0), "a cancel");
	if (r->broker < 0)
		return;
	check(owner == getpid() && strcmp(id, r->id) == 0, "whom a cancel tells");
	r->status = "cancelling";
}

/* One broker dies, and another takes its place. */
static void
do_die(void)
{
	int i;
	struct store *s = any_broker(&i);
	char ask[160];

	store_flush(s);
	snprintf(ask, sizeof(ask), "UPDATE owner SET started = started + 1 WHERE id = '%s'",
	    s->self.id);
	sql(ask);
	store_close(s);
	m.brokers[i] = check_open();
	for (unsigned j = 0; j < m.n; j++) {
		struct model_run *r = &m.runs[j];

		if (r->broker != i)
			continue;
		r->status = "lost";
		r->broker = -1;
		for (unsigned n = 0; n < CALLS_MAX; n++) {
			if (r->calls[n] == CALL_STARTED)
				r->calls[n] = r->acts[n] ? CALL_UNKNOWN : CALL_CANCELLED;
		}
	}
}

static void
do_sweep(void)
{
	int i;
	struct store *s = any_broker(&i);

	check(store_sweep(s, &e) == 0, "a sweep");
}

static void
forget(struct model_run *r)
{
	*r = m.runs[--m.n];
}

static void
do_remove(void)
{
	struct model_run *r = any_run();
	int i;
	struct store *s = any_broker(&i);
	char id[ID_SIZE];

	if (!r)
		return;
	check(store_remove(s, str_of(r->id), id, &e) == (r->broker < 0 ? 0 : -ERR_INVALID),
	    "a removal");
	if (r->broker < 0)
		forget(r);
}

static void
do_prune(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(1));
	uint64_t before = FUTURE + chance(8);
	int i;
	struct store *s = any_broker(&i);

	check(store_prune(s, before, &text, &e) == 0, "pruning");
	for (unsigned j = m.n; j-- > 0;) {
		if (m.runs[j].at < before && m.runs[j].broker < 0)
			forget(&m.runs[j]);
	}
}

/* ---- what is seen ---- */

static int
newest_first(const void *a, const void *b)
{
	const struct model_run *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? 1 : -1;
	return strcmp(y->id, x->id);
}

static void
expected_run(const struct model_run *r, struct buf *out)
{
	uint64_t calls = 0;

	for (unsigned n = 0; n < CALLS_MAX; n++)
		calls += r->calls[n] != CALL_NONE;
	json_open(out, NULL, '{');
	json_put_str(out, "run", str_of(r->id));
	if (r->session < 0)
		json_put_null(out, "session");
	else
		json_put_str(out, "session", str_of(m.sessions[r->session]));
	json_put_str(out, "status", str_of(r->status));
	if (r->ended)
		json_put_str(out, "code", STR("TIMEOUT"));
	else
		json_put_null(out, "code");
	json_put_str(out, "title", STR("a title"));
	json_put_u64(out, "started", r->at);
	json_put_u64(out, "ms", r->ended ? r->ended - r->at : 0);
	json_put_u64(out, "calls", calls);
	if (r->broker < 0)
		json_put_null(out, "owner");
	else
		json_put_u64(out, "owner", (uint64_t)getpid());
	json_close(out, '}');
}

static void
do_list(void)
{
	auto_done(buf) struct buf got = buf_max(MiB(1)), want = buf_max(MiB(1));
	bool live = chance(2);
	uint64_t most = chance(2) ? 1000 : chance(10), shown = 0;
	int i;
	struct store *s = any_broker(&i);

	qsort(m.runs, m.n, sizeof(m.runs[0]), newest_first);
	json_open(&want, NULL, '[');
	for (unsigned j = 0; j < m.n && shown < most; j++) {
		if (live && m.runs[j].broker < 0)
			continue;
		expected_run(&m.runs[j], &want);
		shown++;
	}
	json_close(&want, ']');
	check(store_list(s, live, most, &got, &e) == 0, "a list");
	check(str_eq(buf_str(&got), buf_str(&want)), "what is in a list");
}

static void
do_show(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	auto_obj(json) struct json *doc = NULL;
	struct model_run *r = any_run();
	const struct yyjson_val *calls, *call;
	unsigned at = 0;
	struct str name;
	int i;
	struct store *s = any_broker(&i);

	if (!r)
		return;
	check(store_show(s, str_of(r->id), &text, &e) == 0 &&
		  json_parse(buf_str(&text), MiB(1), &doc, &e) == 0,
	    "a run is shown");
	check(str_eq(json_str(json_at(json_root(doc), "status")), str_of(r->status)),
	    "its status");
	check(json_size(json_at(json_root(doc), "decisions")) == r->decisions, "its decisions");
	calls = json_at(json_root(doc), "calls");
	for (unsigned n = 0; n < CALLS_MAX; n++) {
		if (r->calls[n] == CALL_NONE)
			continue;
		call = json_nth(calls, at++, &name);
		check(str_eq(json_str(json_at(call, "status")),
			  str_of(call_words[r->calls[n]])),
		    "its calls");
	}
	check(json_size(calls) == at, "no call more");
}

static void
count_asked(const char *id, void *counter)
{
	unsigned *n = counter;

	for (unsigned j = 0; j < m.n; j++)
		*n += strcmp(m.runs[j].id, id) == 0 &&
		      strcmp(m.runs[j].status, "cancelling") == 0;
}

static void
do_asked(void)
{
	unsigned got = 0, want = 0;
	int i;
	struct store *s = any_broker(&i);

	for (unsigned j = 0; j < m.n; j++)
		want += m.runs[j].broker == i && strcmp(m.runs[j].status, "cancelling") == 0;
	store_asked(s, count_asked, &got);
	check(got == want, "whose end is asked for");
}

static void
do_write(void)
{
	int i;
	struct store *s = any_broker(&i);

	if (chance(20))
		store_flush(s);
	else
		check(store_commit(s, &e) == 0, "a commit");
	check(!store_trouble(s), "no trouble");
}

static void
play(uint64_t seed)
{
	static void (*const acts[])(void) = { do_begin, do_begin, do_begin, do_decide, do_call,
		do_call, do_call, do_call_end, do_call_end, do_call_end, do_end, do_end,
		do_cancel, do_sweep, do_remove, do_list, do_list, do_show, do_show, do_asked,
		do_write };
	unsigned step = 0;

	m.chance = seed;
	m.n = m.bad = m.refused = 0;
	for (int i = 0; i < BROKERS; i++)
		m.brokers[i] = check_open();
	for (int i = 0; i < 2; i++)
		check(store_session(m.brokers[0], i ? STR("a") : STR("b"), STR("/w"),
			  m.sessions[i], &e) == 0,
		    "a session");
	for (; step < STEPS && !m.bad; step++) {
		uint64_t rare = chance(100);

		if (rare == 0)
			do_die();
		else if (rare == 1)
			do_prune();
		else
			acts[chance(COUNT(acts))]();
	}
	for (int i = 0; i < BROKERS; i++)
		store_close(m.brokers[i]);
	ok(m.bad == 0 && m.refused > 20,
	    "chance %llu: the same for %u steps, %u of them refused", (unsigned long long)seed,
	    step, m.refused);
	check_intact("at its end");
	check_forget();
}

int
main(void)
{
	check_begin();
	for (uint64_t seed = 1; seed <= 4; seed++)
		play(seed * 0x9e3779b97f4a7c15ull);
	play(clock_now() | 1);
	check_end();
	return tap_done();
}
