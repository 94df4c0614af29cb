/* SPDX-License-Identifier: MIT */
/* crisol runs list, show, value, cancel, rm, prune; crisol gate log: what the journal holds. */
#include "base/id.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"

#include <stdio.h>
#include <time.h>

#define INPUT_HEAD 100  /* characters of a call's input in a line */
#define WORDS_HEAD 2000 /* of why it was not allowed */

/* ---- pieces ---- */

static uint64_t
number(const struct yyjson_val *object, const char *name)
{
	uint64_t n = 0;

	json_u64(json_at(object, name), UINT64_MAX, &n);
	return n;
}

static void
add_time(uint64_t ms, struct buf *out)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[32];
	struct tm tm;

	if (localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_add(out, str_of(text));
}

/* A script that names its tools cannot write a line of the log. */
static void
add_head(const struct yyjson_val *object, const char *name, size_t most, struct buf *out)
{
	size_t n = out->n;

	utf8_show(utf8_head(json_str(json_at(object, name)), most), out);
	for (size_t i = n; i < out->n; i++) {
		if (out->p[i] == '\n' || out->p[i] == '\t')
			out->p[i] = ' ';
	}
}

/* A member in a column of its width, or at the end of the line with width 0. */
static void
add_field(const struct yyjson_val *object, const char *name, size_t width, struct buf *out)
{
	size_t n = out->n;

	add_head(object, name, width ? width : 400, out);
	while (out->n - n < width)
		buf_addc(out, ' ');
	if (width)
		buf_addc(out, ' ');
}

/* ---- texts ---- */

static void
list_text(const struct yyjson_val *runs, struct buf *out)
{
	struct str unused;

	for (size_t i = 0; i < json_size(runs); i++) {
		const struct yyjson_val *run = json_nth(runs, i, &unused);

		add_field(run, "run", ID_SIZE - 1, out);
		add_time(number(run, "started"), out);
		buf_addc(out, ' ');
		add_field(run, "status", 10, out);
		buf_addf(out, "%4llu calls ", (unsigned long long)number(run, "calls"));
		if (number(run, "owner"))
			buf_addf(out, " process %llu ",
			    (unsigned long long)number(run, "owner"));
		add_field(run, "code", 0, out);
		buf_addc(out, '\n');
	}
}

static void
calls_text(const struct yyjson_val *calls, struct buf *out)
{
	struct str unused;

	for (size_t i = 0; i < json_size(calls); i++) {
		const struct yyjson_val *call = json_nth(calls, i, &unused);

		buf_addf(out, "  %4llu ", (unsigned long long)number(call, "n"));
		add_field(call, "tool", 16, out);
		add_field(call, "status", 10, out);
		add_field(call, "code", 0, out);
		buf_addc(out, ' ');
		add_head(call, "input", INPUT_HEAD, out);
		buf_addc(out, '\n');
	}
}

static void
decisions_text(const struct yyjson_val *log, struct buf *out)
{
	struct str unused;

	for (size_t i = 0; i < json_size(log); i++) {
		const struct yyjson_val *d = json_nth(log, i, &unused);

		add_time(number(d, "at"), out);
		buf_addc(out, ' ');
		add_field(d, "decision", 7, out);
		add_field(d, "tool", 16, out);
		add_field(d, "effect", 9, out);
		add_field(d, "by", 0, out);
		if (json_str(json_at(d, "answer")).n) {
			buf_add(out, STR("  answered "));
			add_field(d, "answer", 0, out);
		}
		if (json_str(json_at(d, "input")).n) {
			buf_add(out, STR("  "));
			add_head(d, "input", INPUT_HEAD, out);
		}
		buf_addc(out, '\n');
		if (!str_eq(json_str(json_at(d, "decision")), STR("allow")) &&
		    json_str(json_at(d, "words")).n) {
			buf_add(out, STR("    "));
			add_head(d, "words", WORDS_HEAD, out);
			buf_addc(out, '\n');
		}
	}
}

static void
show_text(const struct yyjson_val *run, struct buf *out)
{
	add_field(run, "run", ID_SIZE - 1, out);
	add_field(run, "status", 10, out);
	add_field(run, "code", 0, out);
	buf_addc(out, '\n');
	add_time(number(run, "started"), out);
	if (json_is_number(json_at(run, "ms")))
		buf_addf(out, ", %.15g ms", json_double(json_at(run, "ms")));
	buf_add(out, STR(", session "));
	add_field(run, "session", 0, out);
	buf_addc(out, '\n');
	if (json_str(json_at(run, "message")).n) {
		add_field(run, "message", 0, out);
		buf_addc(out, '\n');
	}
	buf_add(out, STR("script:\n"));
	for (struct str rest = json_str(json_at(run, "source")); rest.n;) {
		buf_add(out, STR("  "));
		utf8_show(str_split(&rest, '\n'), out);
		buf_addc(out, '\n');
	}
	buf_add(out, STR("calls:\n"));
	calls_text(json_at(run, "calls"), out);
	buf_add(out, STR("decisions:\n"));
	decisions_text(json_at(run, "decisions"), out);
}

static void
cancelled_text(const struct yyjson_val *answer, struct buf *out)
{
	add_field(answer, "cancelled", 0, out);
	buf_add(out, STR(" has stopped\n"));
}

static void
removed_text(const struct yyjson_val *answer, struct buf *out)
{
	add_field(answer, "removed", 0, out);
	buf_add(out, STR(" is forgotten\n"));
}

static void
pruned_text(const struct yyjson_val *answer, struct buf *out)
{
	buf_addf(out,
	    "forgot %llu runs with %llu calls, and %llu sessions; %llu bytes are left of "
	    "%llu\n",
	    (unsigned long long)number(answer, "runs"),
	    (unsigned long long)number(answer, "calls"),
	    (unsigned long long)number(answer, "sessions"),
	    (unsigned long long)number(answer, "bytes_after"),
	    (unsigned long long)number(answer, "bytes_before"));
}

/* ---- commands ---- */

/* A command about one run, named by the start of its id. */
static int
one(const struct cmd_line *line, enum ask what, client_text_fn *text)
{
	const char *id = line->arguments_n ? line->arguments[0] : "";

	if (!*id || strlen(id) >= ID_SIZE)
		return cmd_fail(CODE_INVALID_INPUT,
		    STR("the id of a run, or the start of it, is missing"),
		    STR("crisol runs list shows them"));
	return client_show(line, what, id, "", text);
}

int
cmd_runs_list(const struct cmd_line *line)
{
	return client_show(line, line->set[CMD_live] ? ASK_LIVE : ASK_RUNS, "", "", list_text);
}

int
cmd_runs_show(const struct cmd_line *line)
{
	return one(line, ASK_SHOW, show_text);
}

int
cmd_runs_value(const struct cmd_line *line)
{
	return one(line, ASK_WHOLE, NULL);
}

int
cmd_runs_cancel(const struct cmd_line *line)
{
	return one(line, ASK_CANCEL, cancelled_text);
}

int
cmd_runs_rm(const struct cmd_line *line)
{
	return one(line, ASK_REMOVE, removed_text);
}

int
cmd_runs_prune(const struct cmd_line *line)
{
	char days[32];

	snprintf(days, sizeof(days), "%llu",
	    (unsigned long long)(line->set[CMD_days] ? line->number[CMD_days] : 30));
	return client_show(line, ASK_PRUNE, days, "", pruned_text);
}

int
cmd_gate_log(const struct cmd_line *line)
{
	return client_show(line, ASK_LOG, line->arguments_n ? line->arguments[0] : "", "",
	    decisions_text);
}
