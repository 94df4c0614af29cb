/* SPDX-License-Identifier: MIT */
/*
 * Where every call of a tool is judged and handed on, direct ones and those of scripts alike: known
 * name, offered by policy, input as its schema wants it, folders, effect, rules, then the worker.
 *
 *	desk_init(&desk, loop, &launcher, &conf, &request, &e);
 *	desk_call(&desk, &call);
 *
 * on_done comes once, maybe from inside desk_call (a refusal), with code and text in the call.
 */
#ifndef FORGE_DESK_H
#define FORGE_DESK_H

#include "conf/conf.h"
#include "conf/home.h"
#include "forge/approve.h"
#include "forge/journal.h"
#include "forge/pool.h"
#include "forge/resolve.h"
#include "gate/gate.h"
#include "gate/rule.h"
#include "sandbox/profile.h"

struct desk_call;

struct desk_call_events {
	void (*on_done)(struct desk_call *c);
	/*
	 * A person must be asked (desk_question), and desk_answer says what came of it; maybe from
	 * inside desk_call or desk_answer, and more than once a call. Of calls that scripts make never.
	 */
	void (*on_ask)(struct desk_call *c);
};

struct own_pool;

/* One call; embedded in its owner. desk_call_done releases what it holds. */
struct desk_call {
	const struct desk_call_events *events;
	const char *run; /* the script's, borrowed; "" for a direct call */
	uint64_t number; /* within its run; 0 for a direct one */
	enum gate_from from;
	struct buf name, input;

	/* the end */
	enum code code;  /* CODE_NONE: done */
	struct buf text; /* the result as JSON, or the message */
	struct buf hint; /* of a failure; empty: the code's own */
	uint64_t began, ended;
	bool unknown; /* its worker was lost in the middle: it may have acted */

	/* private */
	struct desk *desk;
	struct journal_call row;
	struct work work;
	struct resolved path;
	enum tool_id tool;
	bool asking; /* on_ask was called, and desk_answer was not yet */
	enum gate_question question;
	unsigned once; /* what a person allowed for it alone: bits of enum gate_once */
	struct buf folders_once; /* likewise, each with its NUL */
	enum gate_reply reply;   /* what was said last, not yet written down */
	struct own_pool *own;
	bool running;
	bool handed; /* to a worker: from here on it may act */
};

/* What a client asks the policy to be. */
struct desk_request {
	struct str cwd;     /* absolute; empty: none, then no call may name a path */
	struct str folders; /* declared ones, absolute or relative to cwd, a line each */
	unsigned flags;     /* bits of enum gate_flag */
	bool read_only;
	bool attended; /* a person at a terminal can be asked */
	bool resumed;  /* a session that was there before: what is kept with it counts */
	bool mcp;      /* another program drives the client */
};

#define DESK_FOLDERS_MAX 30

struct desk {
	const struct conf *conf;
	struct gate_policy policy;
	struct gate_root roots[DESK_FOLDERS_MAX];
	struct str protected[HOME_COUNT];
	struct buf cwd;
	char *texts[DESK_FOLDERS_MAX + HOME_COUNT]; /* what roots and protected point into */
	size_t texts_n;
	struct rules rules;
	struct pool pools[EFFECT_COUNT]; /* those of desk.c's table */
	struct buf options, environment; /* of workers that run commands */
	struct journal journal;
	struct approvals approvals;
	struct own_pool *own; /* workers for one call, with folders that were allowed for it */
	struct loop *loop;
	struct launcher *launcher;
	bool ready;
};

/* "ok", "failed", "refused" or "cancelled": of a call that has ended. */
const char *desk_call_status(const struct desk_call *c);

/*
 * Judges by this policy from now on. ERR_INVALID for a rule or a folder that is wrong, ERR_LIMIT for
 * too many, ERR_NOTFOUND for one that is not there. Notices, one a line, go to ret_notices.
 */
int desk_init(struct desk *d, const struct conf *conf, const struct desk_request *request,
    struct buf *ret_notices, struct err *e) must_use;
/* The session's scratchpad, if it has one, and the workers: calls may come now. */
int desk_ready(struct desk *d, struct loop *loop, struct launcher *launcher, struct str scratch,
    struct err *e) must_use;
void desk_done(struct desk *d);

void desk_call_init(struct desk_call *c, const struct desk_call_events *events);
void desk_call_done(struct desk_call *c);
/* Judges and starts it: name, input, from and number are set. */
void desk_call(struct desk *d, struct desk_call *c);
/* Ends it before it is judged, by its owner's word; on_done comes from inside. */
void desk_fail(struct desk *d, struct desk_call *c, enum code code, const char *text);
/*
 * What is asked about a call whose on_ask came, as JSON: {tool, effect, question, words, by, path,
 * given, folder, commands, answers: [{answer, label}]}. False when it need not be asked any more: it has
 * gone on.
 */
bool desk_question(struct desk_call *c, struct buf *ret_json);
/* What was said; on_done or another on_ask may come from inside. The question must take it. */
void desk_answer(struct desk_call *c, enum gate_reply reply);
bool desk_takes(const struct desk_call *c, enum gate_reply reply);
/* Asks for its end; on_done follows when nothing of it goes on. */
void desk_cancel(struct desk_call *c);
/* So many calls of one run may go side by side: from now on there may be workers for them. */
void desk_widen(struct desk *d, uint64_t most);
/* Whether calls of this tool may run beside others; the rest goes one at a time, in order. */
bool desk_runs_beside(struct str name);

/* A call that is not made. */
struct desk_case {
	struct str name, input;
	enum gate_from from;
	enum gate_surface surface; /* where it would be made */
};

/* The verdict on it, in words: for gate explain and gate test. */
void desk_explain(const struct desk *d, const struct desk_case *what, struct buf *ret_json);
/* Every tool with effect and state ("enabled", "ask", "disabled"), as JSON. */
void desk_tools(const struct desk *d, struct buf *ret_json);

#endif
