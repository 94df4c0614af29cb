/* SPDX-License-Identifier: MIT */
/* crisol runs list, crisol runs cancel. */
#include "base/id.h"
#include "base/json.h"
#include "cmd/client.h"

struct asker {
	struct client client;
	const struct cmd_line *line;
};

static void
list_text(struct str json, struct buf *out)
{
	auto_obj(json) struct json *doc = NULL;
	struct str name;
	struct err e;

	if (json_parse(json, MiB(1), &doc, &e) < 0)
		return;
	for (size_t i = 0; i < json_size(json_root(doc)); i++) {
		const struct yyjson_val *run = json_nth(json_root(doc), i, &name);
		struct str id = json_str(json_at(run, "run")),
			   status = json_str(json_at(run, "status"));
		uint64_t owner = 0;

		json_u64(json_at(run, "owner"), UINT64_MAX, &owner);
		buf_addf(out, "%.*s  %-10.*s  process %llu\n", STR_ARG(id), STR_ARG(status),
		    (unsigned long long)owner);
	}
}

static int
client_on_runs(struct peer *p, const void *body, struct err *e)
{
	const struct msg_runs *m = body;
	struct asker *a =
	    container_of(container_of(p, struct client, core), struct asker, client);
	auto_done(buf) struct buf out = buf_max(MiB(1));

	(void)e;
	if (m->cancelled.n)
		buf_addf(&out, "%.*s has stopped\n", STR_ARG(m->cancelled));
	else if (a->line->set[CMD_json])
		buf_addf(&out, "%.*s\n", STR_ARG(m->json));
	else
		list_text(m->json, &out);
	client_finish(&a->client, cmd_print(buf_str(&out)));
	return 0;
}

static int
ask(const struct cmd_line *line, struct str cancel)
{
	static const struct peer_fn_table on = { { [MSG_runs] = client_on_runs } };
	struct asker a = { .line = line };
	struct msg_runs_ask m = { .cancel = cancel };
	struct err e;

	if (client_open(&a.client, line, &on, NULL, &e) < 0 ||
	    client_send(&a.client, MSG_runs_ask, &m, &e) < 0)
		return client_failed(&e);
	return client_run(&a.client);
}

int
cmd_runs_list(const struct cmd_line *line)
{
	return ask(line, (struct str){ NULL, 0 });
}

int
cmd_runs_cancel(const struct cmd_line *line)
{
	struct str id = str_of(line->arguments_n ? line->arguments[0] : "");

	if (id.n == 0 || id.n >= ID_SIZE)
		return cmd_fail(CODE_INVALID_INPUT, STR("runs cancel takes the id of a run"),
		    STR("crisol runs list shows them"));
	return ask(line, id);
}
