/* SPDX-License-Identifier: MIT */
/*
 * What the journal costs, and whether that grows with what is in it: the same on one with a million
 * calls and on an empty one, turn about.
 *
 *	bench-journal FOLDER [RUNS]	RUNS of ten calls fill the first one; default 100000
 *
 * A line of JSON for each thing: the median microseconds in both.
 */
#include "base/clock.h"
#include "base/json.h"
#include "store/store.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS  10
#define TURNS  401
#define SLOW   51 /* turns of what waits for the disk or reads a lot */
#define DIGEST STR("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")

static struct err e;

static struct {
	struct store *store;
	char path[PATH_MAX], session[ID_SIZE], run[ID_SIZE];
} at[2]; /* full, empty */

static void
must(int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "bench-journal: %s\n", e.text);
	exit(1);
}

/* ---- what is measured ---- */

static void
begin(unsigned i)
{
	struct store_run run = {
		.id = at[i].run,
		.session = at[i].session,
		.title = STR("counts the lines of every file"),
		.source =
		    STR("const t = await tools.read_file({ path: 'a' }); return t.length"),
		.args = STR("{}"),
		.limits = STR("{\"timeout_ms\":30000,\"memory_bytes\":33554432}"),
		.at = clock_wall() / NS_PER_MS,
	};

	id_new(at[i].run);
	store_run_begin(at[i].store, &run);
}

static void
call(unsigned i, uint64_t n)
{
	struct store_decision d = {
		.run = at[i].run,
		.session = at[i].session,
		.n = n,
		.tool = STR("read_file"),
		.effect = STR("read"),
		.decision = STR("allow"),
		.reason = STR("mode"),
		.policy = DIGEST,
		.input_sha256 = DIGEST,
		.at = clock_wall() / NS_PER_MS,
	};
	struct store_call c = {
		.run = at[i].run,
		.session = at[i].session,
		.n = n,
		.tool = STR("read_file"),
		.effect = STR("read"),
		.input = STR("{\"path\":\"src/store/store.h\"}"),
		.input_sha256 = DIGEST,
		.at = d.at,
	};
	struct store_call_end end = {
		.run = at[i].run,
		.n = n,
		.status = STR("ok"),
		.result_sha256 = DIGEST,
		.at = d.at,
		.ns = 1000,
	};

	store_decide(at[i].store, &d);
	store_call_begin(at[i].store, &c);
	store_call_end(at[i].store, &end);
}

static void
end(unsigned i)
{
	struct store_run_end ended = {
		.id = at[i].run,
		.status = STR("succeeded"),
		.verdict = STR("none"),
		.envelope = STR(
		    "{\"run\":\"x\",\"status\":\"succeeded\",\"value\":4711,\"text\":\"\"}"),
		.at = clock_wall() / NS_PER_MS,
	};

	store_run_end(at[i].store, &ended);
}

static void
whole_run(unsigned i)
{
	begin(i);
	for (uint64_t n = 1; n <= CALLS; n++)
		call(i, n);
	end(i);
	store_flush(at[i].store);
}

static void
ten_rows(unsigned i)
{
	for (uint64_t n = 0; n < 10; n++) {
		struct store_decision d = { .session = at[i].session,
			.tool = STR("x"),
			.at = n };

		store_decide(at[i].store, &d);
	}
	store_flush(at[i].store);
}

static void
one_act(unsigned i)
{
	struct store_decision d = { .session = at[i].session, .tool = STR("x"), .at = 1 };

	store_decide(at[i].store, &d);
	must(store_commit(at[i].store, &e));
}

static void
list(unsigned i)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));

	must(store_list(at[i].store, false, 20, &text, &e));
}

static void
list_live(unsigned i)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));

	must(store_list(at[i].store, true, 20, &text, &e));
}

static void
show(unsigned i)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));

	must(store_show(at[i].store, str_of(at[i].run), &text, &e));
}

static void
log_session(unsigned i)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));

	must(store_log(at[i].store, str_of(at[i].session), 20, &text, &e));
}

static void
remove_run(unsigned i)
{
	char id[ID_SIZE];

	must(store_remove(at[i].store, str_of(at[i].run), id, &e));
	whole_run(i);
}

static void
sizes(unsigned i)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));

	must(store_sizes(at[i].store, &text, &e));
}

static void
open_again(unsigned i)
{
	store_close(at[i].store);
	must(store_open(&at[i].store, NULL, at[i].path, &e));
}

/* ---- measuring ---- */

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
put_us(struct buf *out, const char *name, uint64_t ns)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%.1f", (double)ns / 1e3);

	json_put_raw(out, name, (struct str){ text, (size_t)n });
}

static void
measure(const char *name, void (*what)(unsigned i), unsigned turns)
{
	static uint64_t ns[2][TURNS];
	auto_done(buf) struct buf out = buf_max(KiB(1));

	for (unsigned turn = 0; turn < turns; turn++) {
		for (unsigned i = 0; i < 2; i++) {
			uint64_t since = clock_now();

			what(i);
			ns[i][turn] = clock_now() - since;
		}
	}
	for (unsigned i = 0; i < 2; i++)
		qsort(ns[i], turns, sizeof(ns[i][0]), by_value);
	json_open(&out, NULL, '{');
	json_put_str(&out, "name", str_of(name));
	put_us(&out, "full_us", ns[0][turns / 2]);
	put_us(&out, "empty_us", ns[1][turns / 2]);
	put_us(&out, "full_p99_us", ns[0][turns * 99 / 100]);
	put_us(&out, "empty_p99_us", ns[1][turns * 99 / 100]);
	json_close(&out, '}');
	puts(buf_text(&out));
	fflush(stdout);
}

static void
forget(unsigned i)
{
	static const char *const ends[] = { "", "-wal", "-shm" };

	for (size_t j = 0; j < COUNT(ends); j++) {
		char path[PATH_MAX + 8];

		snprintf(path, sizeof(path), "%s%s", at[i].path, ends[j]);
		unlink(path);
	}
}

int
main(int argc, char **argv)
{
	unsigned long runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;

	if (argc < 2) {
		fprintf(stderr, "usage: bench-journal FOLDER [RUNS]\n");
		return 2;
	}
	for (unsigned i = 0; i < 2; i++) {
		snprintf(at[i].path, sizeof(at[i].path), "%s/journal-%u.sqlite", argv[1], i);
		forget(i);
		must(store_open(&at[i].store, NULL, at[i].path, &e));
		must(store_session(at[i].store, STR("bench"), STR("/w"), at[i].session, &e));
	}
	for (unsigned long n = 0; n < runs; n++)
		whole_run(0);
	measure("a run with ten calls", whole_run, TURNS);
	measure("a flush of ten rows", ten_rows, TURNS);
	measure("a commit of one row", one_act, SLOW);
	measure("the list of 20 runs", list, TURNS);
	measure("the list of live runs", list_live, TURNS);
	measure("showing a run", show, TURNS);
	measure("the audit of a session, 20 rows", log_session, TURNS);
	measure("removing a run, and a new one", remove_run, TURNS);
	measure("opening", open_again, SLOW);
	measure("sizes", sizes, SLOW);
	for (unsigned i = 0; i < 2; i++) {
		const char *trouble = store_trouble(at[i].store);

		if (trouble)
			fprintf(stderr, "bench-journal: %s\n", trouble);
		store_close(at[i].store);
		forget(i);
	}
	return 0;
}
