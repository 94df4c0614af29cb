/* SPDX-License-Identifier: MIT */
/*
 * What `crisol forge status`, `crisol doctor` and later the web page show of the engines: one
 * JSON object from one place. With a probe a real script runs, and the closed process attacks
 * its own walls, before the answer is given.
 */
#ifndef FORGE_STATUS_H
#define FORGE_STATUS_H

#include "forge/host.h"

struct status;
typedef void status_fn(struct status *s);

struct status {
	status_fn *on_done;
	struct host *host;
	struct host_watch watch;
	struct host_run script; /* the probe's */
	bool busy, probe;
	bool script_ran, script_ok, attacked;
	struct buf script_said; /* its value, or its error */
	uint64_t script_ns;
	struct buf
	    attacks; /* the closed process's lines: name, verdict, detail, separated by tabs */
};

/* on_done follows, maybe from inside this call. ERR_INVALID while one is on its way. */
int status_start(struct status *s, struct host *host, bool probe, status_fn *on_done,
    struct err *e) must_use;
/* journal, parts: as JSON; notices: a line each. */
void status_write(const struct status *s, struct str journal, struct str parts,
    struct str notices, struct buf *ret_json);

#endif
