/* SPDX-License-Identifier: MIT */
/*
 * How a run ended, and the one JSON object in which everybody gets it: the envelope.
 *
 *	{run, status, value, text, error, calls, effects, engine, limits, usage, truncated, notes}
 *
 * `value` is left out when the script's value is undefined. doc/engine.md describes the fields.
 */
#ifndef FORGE_RESULT_H
#define FORGE_RESULT_H

#include "base/buf.h"
#include "conf/conf.h"
#include "ipc/code.h"

/* What a run may use; 0 in a request means the configuration's value. */
struct run_limits {
	uint64_t timeout_ms, cpu_ms, memory_bytes, stack_bytes;
	uint64_t max_tool_calls, max_concurrency, max_output_chars;
};

/* What ran it. Strings are owned by the host process's record. */
struct engine_facts {
	struct str name, version, sha256; /* empty while no engine answered */
	struct str host;                  /* "process" */
	struct str isolation; /* names of the layers that hold, separated by blanks */
	struct str reason;
};

struct run_result {
	enum code code;           /* CODE_NONE: succeeded */
	struct buf message, hint; /* hint empty: the code's own */
	struct buf name, stack;   /* of the script's exception */
	uint64_t line, column;    /* 0: none */
	bool lost;                /* it may have done more than is known */
	bool has_value;
	struct buf value;     /* JSON, cut to the limit */
	struct buf whole;     /* the value as it was, when it was cut and there is all of it */
	struct buf text;      /* cut to the limit */
	struct buf notes;     /* JSON array, or empty */
	bool has_state;       /* it succeeded and used the session's state */
	struct buf state;     /* which is this now, as JSON */
	uint64_t kept, total; /* code points of value and text together */
	uint64_t wall_ns, cpu_ns, heap_peak;
};

void result_init(struct run_result *r);
void result_done(struct run_result *r);
/* Sets code and message; the hint is the code's own. */
void result_fail(struct run_result *r, enum code code, const char *format, ...)
    like_printf(3, 4);
/*
 * Takes what the guest made: its value or its error description, both hostile JSON. Cuts value
 * and text to `max` code points together. value_total and text_total count what there was.
 */
void result_value(struct run_result *r, struct str value, struct str text, uint64_t max,
    uint64_t value_total, uint64_t text_total);
/*
 * An error description {name, message, line, column, stack, hint, code}. A code counts when it is
 * one of those that were given to the script (bits 1 << enum code).
 */
void result_error(struct run_result *r, struct str description, uint64_t codes);
/* Keeps a JSON array of strings, drops anything else. */
void result_notes(struct run_result *r, struct str notes);
/* One of our own, before those of the script. */
void result_note(struct run_result *r, struct str note);

/* "succeeded", "failed", "limited", "refused", "cancelled", "lost". */
const char *result_status(const struct run_result *r);
void result_limits(const struct run_limits *limits, struct buf *ret_json);
/* {wall_ms, cpu_ms, heap_peak, calls, output_chars}; name: as a member of an object, or NULL. */
void result_usage(const struct run_result *r, uint64_t calls_n, const char *name,
    struct buf *ret_json);
/* calls: their number, and the members that calls_write makes. */
void result_envelope(const struct run_result *r, const char *run,
    const struct engine_facts *engine, const struct run_limits *limits, uint64_t calls_n,
    struct str calls, struct buf *ret_json);

#endif
