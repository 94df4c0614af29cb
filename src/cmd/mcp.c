/* SPDX-License-Identifier: MIT */
/* crisol mcp serve: an MCP server on standard input and output. */
#include "cmd/client.h"
#include "mcp/server.h"

#include <unistd.h>

struct mcp {
	struct client client;
	struct server server;
};

static struct server *
server_of(struct peer *p)
{
	return &container_of(container_of(p, struct client, core), struct mcp, client)->server;
}

#define HANDLER(name, message, call)                                     \
	static int name(struct peer *p, const void *body, struct err *e) \
	{                                                                \
		const struct msg_##message *m = body;                    \
                                                                         \
		(void)e;                                                 \
		call(server_of(p), m);                                   \
		return 0;                                                \
	}

HANDLER(client_on_answer, answer, server_on_answer)
HANDLER(client_on_refused, client_refused, server_on_refused)
HANDLER(client_on_run_started, run_started, server_on_run_started)
HANDLER(client_on_run_text, run_text, server_on_run_text)
HANDLER(client_on_run_event, run_event, server_on_run_event)
HANDLER(client_on_run_done, run_done, server_on_run_done)
HANDLER(client_on_call_done, call_done, server_on_call_done)

static void
on_done(struct server *s)
{
	client_finish(&container_of(s, struct mcp, server)->client, 0);
}

int
cmd_mcp_serve(const struct cmd_line *line)
{
	static const struct peer_fn_table on = { {
	    [MSG_answer] = client_on_answer,
	    [MSG_client_refused] = client_on_refused,
	    [MSG_run_started] = client_on_run_started,
	    [MSG_run_text] = client_on_run_text,
	    [MSG_run_event] = client_on_run_event,
	    [MSG_run_done] = client_on_run_done,
	    [MSG_call_done] = client_on_call_done,
	} };
	struct mcp mcp;
	struct err e;
	int status;

	if (client_open(&mcp.client, line, &on, NULL, &e) < 0)
		return client_failed(&e);
	server_init(&mcp.server, &mcp.client.loop, &mcp.client.core, on_done);
	if (server_open(&mcp.server, STDIN_FILENO, STDOUT_FILENO, &e) < 0)
		client_finish(&mcp.client, client_failed(&e));
	status = client_run(&mcp.client);
	server_done(&mcp.server);
	return status;
}
