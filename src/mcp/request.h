/* SPDX-License-Identifier: MIT */
/*
 * One request of an MCP client from its line to its answer. It belongs to the server's list and
 * ends itself with its answer; one that was cancelled ends without.
 *
 *	auto_done(buf) struct buf out = buf_max(RESULT_MAX);
 *	request_open(r, &out);
 *	json_put_str(&out, "name", name);
 *	request_answer(r, &out);		r is gone
 */
#ifndef MCP_REQUEST_H
#define MCP_REQUEST_H

#include "base/id.h"
#include "base/json.h"
#include "mcp/revision.h"

#define REQUEST_ID_MAX 1024    /* bytes of an id or token as JSON */
#define RESULT_MAX     MiB(48) /* of a result as JSON */
#define NOTE_MAX       256     /* of what a script says of itself, in a notification */

/* Codes of JSON-RPC, and of MCP. */
enum rpc_error {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_BUSY = -32000,        /* ours: too many requests at once */
	RPC_NO_RESOURCE = -32002, /* before 2026-07-28 */
	RPC_VERSION = -32022,
};

struct server;

/* Requests of one array, whose answers go in one array. Owned by those of its requests that are left. */
struct batch {
	struct buf answers;
	size_t left;
};

enum request_kind { REQUEST_SHORT, REQUEST_RUN, REQUEST_CALL, REQUEST_ASK, REQUEST_LISTEN };

struct request {
	struct server *server;
	struct request *next;
	struct batch *batch; /* NULL: none */
	struct buf id;       /* as JSON */
	struct buf token;    /* for progress, as JSON; empty: none is wanted */
	enum mcp_version version;
	int log_level; /* what it wants of logging; LOG_NOTHING */
	bool cancelled;

	enum request_kind kind;
	uint64_t tag;      /* of a run or call at the broker */
	char run[ID_SIZE]; /* empty: not known yet */
	/* REQUEST_ASK: what to do with the answer. Ends the request. */
	void (*on_answer)(struct request *r, struct str json);
	struct buf subject; /* what it is about, such as a URI */

	/* what was told of it */
	double told, completed, total; /* total 0: unknown */
	uint64_t finished, begun;      /* its calls */
	struct buf note;
	uint64_t started, told_at, changed_at;
	bool untold; /* something happened since then */
};

/* One of so many messages that were in one array: the last to go sends the answers. */
void batch_release(struct batch *b, struct server *s);
/* The beginning of a result object with what its version wants in each. */
void request_open(struct request *r, struct buf *out);
/* The same for a result that a client may keep: so many milliseconds. */
void request_open_kept(struct request *r, uint64_t ttl_ms, struct buf *out);
/* Closes the result object, sends it. */
void request_answer(struct request *r, struct buf *out);
/* data: JSON, or empty. */
void request_fail(struct request *r, enum rpc_error code, struct str message, struct str data);
void request_failf(struct request *r, enum rpc_error code, const char *format, ...)
    like_printf(3, 4);
/* Ends it without an answer. */
void request_drop(struct request *r);
/* {"name", "version", ...}: who we are. */
void request_put_self(enum mcp_version version, const char *name, struct buf *out);
/* Tells of progress if that is wanted; server_tell is for what may end in the next moment. */
void request_progress(struct request *r);

#endif
