/* SPDX-License-Identifier: MIT */
/*
 * The nested calls of one run: numbered by the script in order of issue, counted, queued, answered.
 * Calls that read, go out or touch only our own state run side by side up to maxConcurrency; those
 * that write or start processes one at a time, in order. A run is over when none is in flight.
 */
#ifndef FORGE_CALLS_H
#define FORGE_CALLS_H

#include "forge/desk.h"
#include "forge/host.h"

struct calls;
struct nested;

struct calls_events {
	/* One line of JSON for whoever watches, if somebody does: a call begins or ends. */
	void (*on_event)(struct calls *c, struct str json);
	/* After calls_cancel: the last one in flight has ended. */
	void (*on_idle)(struct calls *c);
};

struct calls {
	const struct calls_events *events;
	struct desk *desk;
	struct host_run *run;
	const char *id;                           /* the run's */
	struct nested *first, **end;              /* all there were */
	struct nested *waiting;                   /* none before it waits; NULL: none does */
	uint64_t count, finished, beside, serial; /* so far; running now, by kind */
	size_t input_bytes;                       /* of those that have not ended */
	bool cancelled, starting;
};

void calls_init(struct calls *c, const struct calls_events *events, struct desk *desk,
    struct host_run *run, const char *id);
void calls_done(struct calls *c);
/* A call that the script issued. */
void calls_add(struct calls *c, uint64_t number, struct str name, struct str input);
/* Ends what is in flight or waits; true when nothing was in flight, else on_idle follows. */
bool calls_cancel(struct calls *c);
/* Members of the envelope: "calls", [{n, tool, status, ms, code?}], and "effects". */
void calls_write(const struct calls *c, struct buf *ret_json);
/* "none", "applied", or "unknown" when one that acts may have done so and nobody can tell. */
const char *calls_verdict(const struct calls *c);

#endif
