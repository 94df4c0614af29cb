/* SPDX-License-Identifier: MIT */
/*
 * The command's side of the broker: starts it, greets it, hears what it says.
 *
 *	struct job {
 *		struct client client;
 *	};
 *	r = client_open(&job->client, line, &handlers, on_signal, &e);
 *	r = client_send(&job->client, MSG_ask, &ask, &e);
 *	status = client_run(&job->client);
 */
#ifndef CMD_CLIENT_H
#define CMD_CLIENT_H

#include "cmd/cmd.h"
#include "ipc/ask.h"
#include "ipc/peer.h"

#include <sys/types.h>

/* What a client that does not say its errors itself hears instead; CODE_NONE: nothing went wrong. */
struct client_trouble {
	enum code code;
	char text[KiB(1)];
};

struct client {
	struct loop loop;
	struct peer core;
	struct source signals;
	/*
	 * SIGINT, SIGTERM, SIGHUP; a second one ends the command at once. NULL: the first does.
	 */
	void (*on_signal)(struct client *c);
	struct client_trouble *trouble; /* NULL: errors are said on standard error */
	pid_t pid;
	int exit_status;
	bool signalled, finished;
};

/* Messages of the broker go to `on`, which lives as long as the client. */
int client_open(struct client *c, const struct cmd_line *line, const struct peer_fn_table *on,
    void (*on_signal)(struct client *c), struct err *e) must_use;
int client_send(struct client *c, enum msg_type type, const void *body, struct err *e) must_use;
/* Runs until client_finish, then ends the broker; the exit status. */
int client_run(struct client *c);
void client_finish(struct client *c, int exit_status);
/* What most commands do with a refusal: say it, and end. */
int client_on_client_refused(struct peer *p, const void *body, struct err *e);
/*
 * Asks a broker of its own. True with the JSON text in ret_json; false when that failed, which
 * was said then and *ret_exit is the exit status.
 */
bool client_ask(const struct cmd_line *line, enum ask what, const char *name, const char *input,
    struct buf *ret_json, int *ret_exit);
/*
 * The same for ASK_STATUS, and nothing is said: ret_trouble has the first error. The status may
 * come all the same, when only configuration or folders were refused.
 */
bool client_ask_status(const struct cmd_line *line, struct buf *ret_json,
    struct client_trouble *ret_trouble);
/* Says why client_open or client_send failed; the exit status. */
int client_failed(const struct err *e);

#endif
