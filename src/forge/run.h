/* SPDX-License-Identifier: MIT */
/*
 * A run from the request to the envelope: one script, its nested calls, its end. It is over when
 * its VM is gone and none of its calls is in flight any more.
 *
 *	struct client_run {
 *		struct run run;
 *	};
 *	r = run_start(&c->run, &session, &request, &events, &e);
 *	...					on_text, on_event, then one on_ended
 *	run_done(&c->run);
 */
#ifndef FORGE_RUN_H
#define FORGE_RUN_H

#include "base/id.h"
#include "forge/calls.h"
#include "forge/scratch.h"

/* What all runs of one session share; the journal, and so its id, is at the desk. */
struct session {
	struct loop *loop;
	const struct conf *conf;
	struct host host;
	struct desk desk;
	struct scratch scratch;
	struct run *runs;
	size_t runs_n;
	const char *host_sha256; /* of the crisol-js that we were built with */
	bool checked;            /* it is that one, or distrusted */
};

#define SESSION_RUNS_MAX 512

struct run;

struct run_events {
	void (*on_text)(struct run *r, struct str text);
	/* One line of JSON: a call begins or ends, or the script reports progress. */
	void (*on_event)(struct run *r, struct str json);
	/* The result is in r->vm.result; envelope by run_envelope. */
	void (*on_ended)(struct run *r);
};

/* 0 takes the configuration's value. */
struct run_request {
	struct str source, args, input;
	struct str code_path; /* of the scratchpad, in place of source */
	bool has_input;
	bool watched; /* on_event is called */
	enum language language;
	struct run_limits limits;
};

struct run {
	const struct run_events *events;
	struct session *session;
	char id[ID_SIZE];
	struct host_run vm;

	/* private */
	struct calls calls;
	struct run *next;
	struct buf source, args, state, progress;
	uint64_t state_version;
	struct timer timer; /* the next report of progress */
	uint64_t progress_at;
	bool watched, vm_ended;
};

void session_init(struct session *s, struct loop *loop, struct launcher *launcher,
    const struct conf *conf, const char *host_sha256);
void session_done(struct session *s);
/* The JavaScript process is on its way, and verified once. */
void session_need_host(struct session *s);
/* All runs. */
void session_cancel(struct session *s);
/* Those whose end another process asked for. */
void session_cancel_asked(struct session *s);

/*
 * Starts it. On ERR_INVALID (wrong args or limits), ERR_LIMIT (too large, too many) and ERR_DENIED
 * (switched off) nothing was started and r needs no run_done.
 */
int run_start(struct run *r, struct session *s, const struct run_request *request,
    const struct run_events *events, struct err *e) must_use;
/* Asks for its end; on_ended follows, maybe from inside this call. */
void run_cancel(struct run *r);
void run_envelope(const struct run *r, struct buf *ret_json);
/* After on_ended. */
void run_done(struct run *r);

#endif
