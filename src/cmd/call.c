/* SPDX-License-Identifier: MIT */
/* crisol call: one tool, its result on standard output. */
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"

#include <unistd.h>

#define CALL_TAG 1

struct caller {
	struct client client;
	const struct cmd_line *line;
};

static int
print_json(const struct msg_call_done *m)
{
	auto_done(buf) struct buf out = buf_max(MiB(5));

	json_open(&out, NULL, '{');
	json_put_str(&out, "status", m->code.n ? STR("failed") : STR("ok"));
	if (m->code.n) {
		json_open(&out, "error", '{');
		json_put_str(&out, "code", m->code);
		json_put_str(&out, "message", m->message);
		json_put_str(&out, "hint", m->hint);
		json_close(&out, '}');
	} else {
		json_put_raw(&out, "result", m->result);
	}
	if (m->note.n)
		json_put_str(&out, "note", m->note);
	json_close(&out, '}');
	buf_addc(&out, '\n');
	return cmd_print_json(buf_str(&out));
}

/* A closed standard error must not take the result with it. */
static void
say_note(struct str note)
{
	auto_done(buf) struct buf out = buf_max(KiB(8));
	struct err e;

	if (!note.n)
		return;
	buf_add(&out, STR("note: "));
	utf8_show_message(note, &out);
	buf_addc(&out, '\n');
	if (fd_write_all(STDERR_FILENO, buf_str(&out), &e) < 0)
		return;
}

static int
client_on_call_done(struct peer *p, const void *body, struct err *e)
{
	const struct msg_call_done *m = body;
	struct caller *c =
	    container_of(container_of(p, struct client, core), struct caller, client);
	enum code code = code_named(m->code);
	int status = code_specs[code].exit_status, printed;

	(void)e;
	if (!c->line->set[CMD_json])
		say_note(m->note);
	if (c->line->set[CMD_json]) {
		printed = print_json(m);
	} else if (code) {
		printed = cmd_fail(code, m->message, m->hint);
	} else {
		auto_done(buf) struct buf out = buf_max(MiB(5));

		buf_add(&out, m->result);
		buf_addc(&out, '\n');
		printed = cmd_print_json(buf_str(&out));
	}
	client_finish(&c->client, status ? status : printed);
	return 0;
}

static void
on_signal(struct client *c)
{
	struct msg_run_cancel m = { .tag = CALL_TAG };
	struct err e;

	if (client_send(c, MSG_run_cancel, &m, &e) < 0)
		peer_drop(&c->core, &e);
}

static int
read_input(const struct cmd_line *line, struct buf *ret_input, struct err *e)
{
	const char *given = line->arguments_n > 1 ? line->arguments[1] : "{}";
	bool whole = true;

	if (strcmp(given, "-") != 0) {
		buf_add(ret_input, str_of(given));
	} else {
		int r = fd_slurp(STDIN_FILENO, ret_input, e);

		whole = r >= 0;
		if (!whole && e->code != ERR_LIMIT)
			return r;
	}
	if (!whole || !buf_ok(ret_input))
		return err_set(e, ERR_LIMIT, "the input is larger than %zu bytes",
		    CALL_INPUT_MAX);
	if (!utf8_valid(buf_str(ret_input)))
		return err_set(e, ERR_INVALID, "the input is not UTF-8 text");
	return 0;
}

int
cmd_call(const struct cmd_line *line)
{
	static const struct peer_fn_table on = { {
	    [MSG_call_done] = client_on_call_done,
	    [MSG_client_refused] = client_on_client_refused,
	} };
	auto_done(buf) struct buf input = buf_max(CALL_INPUT_MAX);
	struct caller c = { .line = line };
	struct msg_call_start m = { .tag = CALL_TAG };
	struct err e;

	if (!line->arguments_n)
		return cmd_fail(CODE_INVALID_INPUT, STR("call takes the name of a tool"),
		    STR("crisol tools shows the tools there are: crisol call TOOL '{...}'"));
	m.tool = str_of(line->arguments[0]);
	if (m.tool.n > CALL_NAME_MAX || !utf8_valid(m.tool))
		return cmd_fail(CODE_INVALID_INPUT,
		    STR("no tool has a name of that length, or one that is not UTF-8 text"),
		    STR("crisol tools shows the names there are"));
	if (read_input(line, &input, &e) < 0)
		return client_failed(&e);
	m.input = buf_str(&input);
	if (client_open(&c.client, line, &on, on_signal, &e) < 0)
		return client_failed(&e);
	if (client_send(&c.client, MSG_call_start, &m, &e) < 0)
		client_finish(&c.client, client_failed(&e));
	return client_run(&c.client);
}
