/* SPDX-License-Identifier: MIT */
/*
 * An MCP server over lines: reads JSON-RPC of one client, asks the broker for what needs it, answers.
 * It decides nothing that the broker decides. What the client sends may be any bytes: a line has a
 * maximum, JSON is strict, requests in flight are limited, and nothing but protocol goes out.
 *
 *	server_init(&s, loop, &client->core, on_done);
 *	server_open(&s, STDIN_FILENO, STDOUT_FILENO, &e);	reads when the broker has said what there is
 *	...							messages of the broker to server_on_X
 *	server_done(&s);
 *
 * When the client is gone (end of input, closed output) all it started is cancelled, and on_done
 * follows.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "ipc/ask.h"
#include "ipc/peer.h"
#include "mcp/lines.h"
#include "mcp/request.h"

#define SERVER_LINE_MAX     MiB(10)  /* of one message of the client */
#define SERVER_QUEUE_MAX    MiB(128) /* answers that the client has not read */
#define SERVER_QUEUE_HIGH   MiB(4)   /* from here on nothing more is read of it */
#define SERVER_REQUESTS_MAX 256      /* in flight */
#define SERVER_BATCH_MAX    256      /* messages in one array */
#define SERVER_RUNS_KEPT    64       /* runs of this connection that can be read as resources */

/* Levels of logging, least first. */
enum log_level {
	LOG_DEBUG,
	LOG_INFO,
	LOG_NOTICE,
	LOG_WARNING,
	LOG_ERROR,
	LOG_CRITICAL,
	LOG_ALERT,
	LOG_EMERGENCY,
	LOG_NOTHING,
};

struct server {
	struct loop *loop;
	struct peer *core;
	/* status: 0, or that of codes.def for what ended it, which was said then. */
	void (*on_done)(struct server *s);
	struct lines_in in;
	struct lines_out out;
	bool opened, leaving, done;

	enum mcp_version version; /* of the connection; MCP_VERSIONS before initialize */
	int log_level;
	struct request *requests, **requests_end;
	size_t requests_n;
	uint64_t tags;

	/* What the broker said at the start. */
	struct buf tools_json, config_json;
	struct json *tools, *config;
	struct buf trouble; /* why it answers nothing, as an error's data; empty: it does */
	struct buf trouble_text;

	char runs[SERVER_RUNS_KEPT][ID_SIZE];
	size_t runs_n; /* so many there were */
	unsigned complaints;
	struct timer tell;   /* of progress */
	struct timer beat;   /* for what is in flight and silent */
	struct timer linger; /* the longest a leaving one waits */
};

void server_init(struct server *s, struct loop *loop, struct peer *core,
    void (*on_done)(struct server *s));
int server_open(struct server *s, int in, int out, struct err *e) must_use;
void server_done(struct server *s);

/* Messages of the broker. */
void server_on_answer(struct server *s, const struct msg_answer *m);
void server_on_refused(struct server *s, const struct msg_client_refused *m);
void server_on_run_started(struct server *s, const struct msg_run_started *m);
void server_on_run_text(struct server *s, const struct msg_run_text *m);
void server_on_run_event(struct server *s, const struct msg_run_event *m);
void server_on_run_done(struct server *s, const struct msg_run_done *m);
void server_on_call_done(struct server *s, const struct msg_call_done *m);

/* ---- for requests and methods ---- */

/* One message to the client. */
void server_say(struct server *s, const struct buf *message);
size_t server_pending(const struct server *s);
/* The one of that kind and tag; NULL when it is gone. */
struct request *server_find(struct server *s, enum request_kind kind, uint64_t tag);
/* After whatever may have been the last in flight: a leaving server may be done now. */
void server_check(struct server *s);
/* Its progress, in a moment if it is still in flight. */
void server_tell(struct request *r);
/* Off the list; what it was waiting for at the broker is let go. */
void server_forget(struct request *r);
/* A message to the broker; false when it is gone (then everything ends). */
bool server_send(struct server *s, enum msg_type type, const void *body);
/* A question to the broker: answered in order, one after the other. */
void server_ask(struct request *r, enum ask what, struct str name,
    void (*on_answer)(struct request *r, struct str json));
/* Level, logger and text to who wants them. */
void server_log(struct server *s, const struct request *about, enum log_level level,
    const char *logger, struct str text);
/* The level of that name; LOG_NOTHING for none. */
enum log_level server_log_level(struct str name);

#endif
