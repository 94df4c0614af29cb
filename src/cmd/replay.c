/* SPDX-License-Identifier: MIT */
/* crisol gate test: recorded calls judged by the policy in force now. */
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"

#include <fcntl.h>
#include <unistd.h>

#define BATCH_MAX  200
#define BATCH_ROOM KiB(256)
#define LOG_MAX    MiB(64)

struct replay {
	struct client client;
	const struct cmd_line *line;
	struct json *log;               /* newest first, as it was printed */
	const struct yyjson_val **rows; /* those that are judged, oldest first */
	size_t rows_n, sent, heard;
	struct buf out; /* what is printed in the end */
	uint64_t same, changed, unknown;
};

/* ---- which rows ---- */

static struct str
text(const struct yyjson_val *row, const char *name)
{
	return json_str(json_at(row, name));
}

/* "direct" calls have an id of their own, calls of scripts a run and a number. */
static bool
same_call(const struct yyjson_val *a, const struct yyjson_val *b)
{
	uint64_t n = 0, m = 0;

	if (text(a, "call").n || text(b, "call").n)
		return str_eq(text(a, "call"), text(b, "call"));
	json_u64(json_at(a, "n"), UINT64_MAX, &n);
	json_u64(json_at(b, "n"), UINT64_MAX, &m);
	return n == m && str_eq(text(a, "run"), text(b, "run"));
}

/*
 * The first verdict on each call: those behind it followed from what a person said. They stand close
 * together; one that is further away than that is compared by what it is, an answer.
 */
static bool
is_first(const struct replay *r, const struct yyjson_val *row)
{
	if (text(row, "answer").n)
		return false;
	for (size_t i = r->rows_n; i > 0 && r->rows_n - i < BATCH_MAX; i--) {
		if (same_call(r->rows[i - 1], row))
			return false;
	}
	return true;
}

static void
pick(struct replay *r)
{
	const struct yyjson_val *root = json_root(r->log);
	size_t n = json_size(root);
	const struct yyjson_val **all = xcalloc(n + 1, sizeof(*all));
	struct str unused;

	r->rows = xcalloc(n + 1, sizeof(*r->rows));
	for (size_t i = 0; i < n; i++)
		all[n - 1 - i] = json_nth(root, i, &unused);
	for (size_t i = 0; i < n; i++) {
		if (text(all[i], "tool").n && text(all[i], "decision").n && is_first(r, all[i]))
			r->rows[r->rows_n++] = all[i];
	}
	free(all);
}

/* ---- what changes ---- */

/* What a person allowed, once or for the session, was a question before. */
static struct str
recorded(const struct yyjson_val *row)
{
	struct str reason = text(row, "reason");

	if (str_eq(reason, STR("grant")) || str_eq(reason, STR("once")))
		return STR("ask");
	return text(row, "decision");
}

static void
put_change(struct replay *r, const struct yyjson_val *row, const struct yyjson_val *now)
{
	struct buf *out = &r->out;
	struct str before = recorded(row), after = text(now, "decision");

	if (r->line->set[CMD_json]) {
		json_open(out, NULL, '{');
		json_put_str(out, "tool", text(row, "tool"));
		json_put_str(out, "input", text(row, "input"));
		json_put_str(out, "run", text(row, "run"));
		json_put_str(out, "call", text(row, "call"));
		json_put_str(out, "was", before);
		json_put_str(out, "was_by", text(row, "by"));
		json_put_str(out, "was_words", text(row, "words"));
		json_put_str(out, "is", after);
		json_put_str(out, "is_by", text(now, "by"));
		json_put_str(out, "is_words", text(now, "words"));
		json_close(out, '}');
		return;
	}
	buf_addf(out, "%.*s -> %.*s  ", STR_ARG(before), STR_ARG(after));
	utf8_show_message(text(row, "tool"), out);
	buf_add(out, STR("  "));
	utf8_show_message(utf8_head(text(row, "input"), 200), out);
	buf_add(out, STR("\n  was: "));
	utf8_show_message(text(row, "words").n ? text(row, "words") : text(row, "by"), out);
	buf_add(out, STR("\n  is:  "));
	utf8_show_message(text(now, "words"), out);
	buf_addc(out, '\n');
}

/* A wrong input never came as far as a verdict about what it names. */
static bool
judged(const struct yyjson_val *row, const struct yyjson_val *now)
{
	return !text(now, "input").n || str_eq(text(now, "decision"), STR("absent")) ||
	       str_eq(text(row, "decision"), STR("absent"));
}

static void
compare(struct replay *r, const struct yyjson_val *row, const struct yyjson_val *now)
{
	if (!judged(row, now)) {
		r->unknown++;
	} else if (str_eq(recorded(row), text(now, "decision"))) {
		r->same++;
	} else {
		r->changed++;
		put_change(r, row, now);
	}
}

/* ---- the conversation ---- */

static bool
asked_at_terminal(const struct yyjson_val *row)
{
	return str_starts(text(row, "policy"), STR("terminal"));
}

/* The next rows, as many as one question takes. */
static int
send_batch(struct replay *r, struct err *e)
{
	auto_done(buf) struct buf json = buf_max(CALL_INPUT_MAX);
	struct msg_ask ask = { .what = ASK_REPLAY };
	size_t first = r->sent;

	json_open(&json, NULL, '[');
	while (r->sent < r->rows_n && r->sent - first < BATCH_MAX && json.n < BATCH_ROOM) {
		const struct yyjson_val *row = r->rows[r->sent++];

		json_open(&json, NULL, '{');
		json_put_str(&json, "tool", text(row, "tool"));
		json_put_str(&json, "input", text(row, "input"));
		json_put_str(&json, "from", text(row, "run").n ? STR("js") : STR("direct"));
		json_put_str(&json, "surface",
		    asked_at_terminal(row) ? STR("terminal") : STR("headless"));
		json_close(&json, '}');
	}
	json_close(&json, ']');
	if (!buf_ok(&json))
		return err_set(e, ERR_LIMIT, "an input in the file is too large");
	ask.input = buf_str(&json);
	return client_send(&r->client, MSG_ask, &ask, e);
}

static int
print_all(struct replay *r)
{
	auto_done(buf) struct buf all = buf_max(2 * LOG_MAX);
	unsigned long long judged_n = r->same + r->changed;

	if (r->line->set[CMD_json]) {
		json_close(&r->out, ']');
		json_open(&all, NULL, '{');
		json_put_u64(&all, "same", r->same);
		json_put_u64(&all, "changed", r->changed);
		json_put_u64(&all, "unknown", r->unknown);
		json_put_raw(&all, "changes", buf_str(&r->out));
		json_close(&all, '}');
		buf_addc(&all, '\n');
		return cmd_print_json(buf_str(&all));
	}
	buf_add(&all, buf_str(&r->out));
	buf_addf(&all, "%llu calls judged anew: %llu the same, %llu changed", judged_n,
	    (unsigned long long)r->same, (unsigned long long)r->changed);
	if (r->unknown)
		buf_addf(&all, "; %llu cannot be judged, as their input was cut or wrong",
		    (unsigned long long)r->unknown);
	buf_addc(&all, '\n');
	return cmd_print(buf_str(&all));
}

static void
finish(struct replay *r)
{
	int status = print_all(r);

	client_finish(&r->client, status ? status : r->changed ? 1 : 0);
}

static void
go_on(struct replay *r)
{
	struct err e;

	if (r->sent == r->rows_n)
		finish(r);
	else if (send_batch(r, &e) < 0)
		client_finish(&r->client, client_failed(&e));
}

/* Without a file the first answer is the journal itself. */
static int
take_log(struct replay *r, struct str json, struct err *e)
{
	if (json_parse(json, LOG_MAX, &r->log, e) < 0)
		return -1;
	if (!json_is_array(json_root(r->log)))
		return err_set(e, ERR_INVALID,
		    "a list is expected, as crisol gate log --json prints it, not %s",
		    json_kind(json_root(r->log)));
	pick(r);
	return 0;
}

static int
client_on_answer(struct peer *p, const void *body, struct err *e)
{
	const struct msg_answer *m = body;
	struct replay *r =
	    container_of(container_of(p, struct client, core), struct replay, client);
	auto_obj(json) struct json *doc = NULL;
	struct str unused;

	if (!r->log) {
		if (take_log(r, m->json, e) < 0)
			return -1;
		go_on(r);
		return 0;
	}
	if (json_parse(m->json, ANSWER_MAX, &doc, e) < 0)
		return -1;
	for (size_t i = 0; i < json_size(json_root(doc)) && r->heard < r->sent; i++)
		compare(r, r->rows[r->heard++], json_nth(json_root(doc), i, &unused));
	go_on(r);
	return 0;
}

static int
read_file(struct replay *r, const char *path, struct err *e)
{
	auto_done(buf) struct buf json = buf_max(LOG_MAX);
	auto_fd int fd = -1;
	int n;

	if (strcmp(path, "-") != 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			return err_sys(e, "open '%.200s'", path);
	}
	n = fd_slurp(fd < 0 ? STDIN_FILENO : fd, &json, e);
	return n < 0 ? err_wrap(e, n, "'%.200s'", path) : take_log(r, buf_str(&json), e);
}

static int
start(struct replay *r, struct err *e)
{
	static const struct peer_fn_table on = { {
	    [MSG_answer] = client_on_answer,
	    CLIENT_HEARS,
	} };
	struct msg_ask log = { .what = ASK_LOG };

	if (client_open(&r->client, r->line, &on, NULL, e) < 0)
		return -1;
	if (!r->log)
		return client_send(&r->client, MSG_ask, &log, e);
	go_on(r);
	return 0;
}

int
cmd_gate_test(const struct cmd_line *line)
{
	struct replay r = { .line = line, .out = buf_max(LOG_MAX) };
	struct err e;
	int status;

	if (line->set[CMD_json])
		json_open(&r.out, NULL, '[');
	if (line->arguments_n && read_file(&r, line->arguments[0], &e) < 0) {
		e.code = e.code == ERR_SYS ? ERR_INVALID : e.code;
		status = client_failed(&e);
	} else if (start(&r, &e) < 0) {
		client_finish(&r.client, client_failed(&e));
		status = client_run(&r.client);
	} else {
		status = client_run(&r.client);
	}
	json_free(r.log);
	free(r.rows);
	buf_done(&r.out);
	return status;
}
