/* SPDX-License-Identifier: MIT */
/*
 * One crisol-js as the broker sees it: a closed process that holds the VMs of one session.
 *
 * It is started by the first run and started anew after it ended. The broker decides how a run
 * ends; the process only says what happened inside. At the deadline + 50 ms, or 50 ms after a
 * cancel that was not answered, the process is killed. A run is reported as ended only when its
 * VM is known to be gone: by the process's own word, or by the process's end.
 */
#ifndef FORGE_HOST_H
#define FORGE_HOST_H

#include "forge/launcher.h"
#include "forge/result.h"
#include "ipc/language.h"
#include "sandbox/report.h"

#define HOST_NUDGE_NS (10 * NS_PER_MS) /* after a cancel: the signal that stops native code */
#define HOST_KILL_NS  (50 * NS_PER_MS) /* after a deadline or a cancel: the process */
#define HOST_START_NS (10 * NS_PER_S)  /* to be closed and ready */

struct host_run;

struct host_run_events {
	void (*on_text)(struct host_run *run, struct str text);
	/* Nested call `number`; host_answer gives the script what it came to. */
	void (
	    *on_call)(struct host_run *run, uint64_t number, struct str name, struct str input);
	void (*on_progress)(struct host_run *run, struct str json);
	/* run->result says how. The run is out of the host's hands. */
	void (*on_ended)(struct host_run *run);
};

enum host_run_state { RUN_WAITING, RUN_RUNNING, RUN_STOPPING, RUN_ENDED };

/* One script; embedded in its owner. */
struct host_run {
	const struct host_run_events *events;
	struct str source, args; /* the owner's; needed until on_ended */
	struct str state_in;     /* likewise: the session's state as JSON */
	bool has_state;
	enum language language;
	uint64_t codes; /* bits 1 << enum code: those that its calls failed with so far */
	struct run_limits limits;
	struct run_result result;

	/* private */
	enum host_run_state state;
	struct host *host;
	struct host_run *next;
	struct timer timer;
	uint64_t number, started;
	uint64_t last_call; /* numbers of calls only grow: one names one call in the journal */
	enum code stopping; /* why it is being stopped; CODE_NONE when it is not */
	bool nudged;
	struct buf text;
	uint64_t text_points;
};

enum host_state { HOST_NONE, HOST_STARTING, HOST_READY, HOST_DYING };

struct host {
	struct loop *loop;
	struct launcher *launcher;
	const struct conf *conf;
	enum host_state state;
	struct launched child;
	struct peer peer;
	struct timer timer;
	struct host_run *runs;
	uint64_t next_number;
	unsigned starts; /* how often the process was started */

	/* what it said of itself; kept while it lives and after */
	struct sandbox_report report;
	struct buf name, version, sha256, isolation, reason;
	struct engine_facts facts;
	enum code refused; /* why it may not run anything; CODE_NONE when it may */
	bool distrusted;   /* and never will */
	struct buf refusal;

	struct host_watch *watch; /* who else wants to know; may be NULL */
};

struct host_watch {
	/* The process is ready, or known not to become it, or has gone. */
	void (*on_ready)(struct host_watch *w);
	/* What it says of the attacks that host_probe asked for. */
	void (*on_probed)(struct host_watch *w, struct str results);
};

void host_init(struct host *h, struct loop *loop, struct launcher *launcher,
    const struct conf *conf);
/* Ends the process; runs still in it end as cancelled. What it said of itself stays. */
void host_stop(struct host *h);
void host_done(struct host *h);

/*
 * Makes sure the process is there or on its way; the outcome shows in state, refused, on_ready.
 */
void host_start(struct host *h);
/* Whatever the process says of itself, it may not run anything: what is on disk is not it. */
void host_distrust(struct host *h, const char *why);
/* Queues the run; on_ended follows, never from inside this call. */
void host_run(struct host *h, struct host_run *run);
/* text: the result as JSON, or the error as {code, message, hint, tool}. Ignored once it ended. */
void host_answer(struct host_run *run, uint64_t number, bool ok, struct str text);
/* Asks for its end. on_ended follows, maybe from inside this call when it had not started. */
void host_cancel(struct host_run *run);
/*
 * Asks the closed process to attack its walls; on_probed follows. ERR_INVALID when not ready.
 */
int host_probe(struct host *h, struct err *e) must_use;

#endif
