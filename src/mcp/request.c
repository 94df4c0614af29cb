/* SPDX-License-Identifier: MIT */
#include "mcp/request.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "mcp/server.h"
#include "version.h"

#include <stdarg.h>
#include <stdio.h>

#define TELL_PENDING KiB(64) /* who does not read is not told of progress */
#define STEP         0.001   /* progress must grow with each notification */
#define CLIENT_INFO  "io.modelcontextprotocol/serverInfo"

void
request_put_self(enum mcp_version version, const char *name, struct buf *out)
{
	json_open(out, name, '{');
	json_put_str(out, "name", STR("crisol"));
	if (mcp_versions[version].structured)
		json_put_str(out, "title", STR("Crisol"));
	json_put_str(out, "version", STR(CRISOL_VERSION));
	if (mcp_versions[version].described)
		json_put_str(out, "description",
		    STR("Scripts in an isolated VM, and tools that a policy judges"));
	json_close(out, '}');
}

void
request_open(struct request *r, struct buf *out)
{
	json_open(out, NULL, '{');
	if (mcp_versions[r->version].greeted)
		return;
	json_put_str(out, "resultType", STR("complete"));
	json_open(out, "_meta", '{');
	request_put_self(r->version, CLIENT_INFO, out);
	json_close(out, '}');
}

void
request_open_kept(struct request *r, uint64_t ttl_ms, struct buf *out)
{
	request_open(r, out);
	if (mcp_versions[r->version].greeted)
		return;
	json_put_u64(out, "ttlMs", ttl_ms);
	json_put_str(out, "cacheScope", STR("private"));
}

void
batch_release(struct batch *b, struct server *s)
{
	if (--b->left)
		return;
	json_close(&b->answers, ']');
	if (b->answers.n > 2)
		server_say(s, &b->answers);
	buf_done(&b->answers);
	free(b);
}

static void
free_request(struct request *r)
{
	server_forget(r);
	if (r->batch)
		batch_release(r->batch, r->server);
	buf_done(&r->id);
	buf_done(&r->token);
	buf_done(&r->subject);
	buf_done(&r->note);
	free(r);
}

/* Sends a whole answer, in its batch if it has one. */
static void
send_answer(struct request *r, const struct buf *message)
{
	if (r->batch)
		json_put_raw(&r->batch->answers, NULL, buf_str(message));
	else
		server_say(r->server, message);
	free_request(r);
}

static void
open_answer(const struct request *r, struct buf *message)
{
	json_open(message, NULL, '{');
	json_put_str(message, "jsonrpc", STR("2.0"));
	json_put_raw(message, "id", buf_str(&r->id));
}

void
request_answer(struct request *r, struct buf *out)
{
	auto_done(buf) struct buf message = buf_max(RESULT_MAX + KiB(4));

	if (r->cancelled) {
		free_request(r);
		return;
	}
	json_close(out, '}');
	if (!buf_ok(out)) {
		request_fail(r, RPC_INTERNAL, STR("the result is too large to be sent"),
		    (struct str){ NULL, 0 });
		return;
	}
	open_answer(r, &message);
	json_put_raw(&message, "result", buf_str(out));
	json_close(&message, '}');
	send_answer(r, &message);
}

void
request_fail(struct request *r, enum rpc_error code, struct str message, struct str data)
{
	auto_done(buf) struct buf out = buf_max(KiB(128)), clean = buf_max(KiB(16));

	if (r->cancelled) {
		free_request(r);
		return;
	}
	utf8_scrub(message, &clean);
	open_answer(r, &out);
	json_open(&out, "error", '{');
	json_put_raw(&out, "code", (struct str){ NULL, 0 });
	buf_addf(&out, "%d", code);
	json_put_str(&out, "message", buf_str(&clean));
	if (data.n)
		json_put_raw(&out, "data", data);
	json_close(&out, '}');
	json_close(&out, '}');
	send_answer(r, &out);
}

void
request_failf(struct request *r, enum rpc_error code, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	request_fail(r, code, str_of(text), (struct str){ NULL, 0 });
}

void
request_drop(struct request *r)
{
	free_request(r);
}

/* ---- progress ---- */

/* "reading, 3/5 calls, 12 s" */
static void
put_message(const struct request *r, uint64_t now, struct buf *out)
{
	auto_done(buf) struct buf text = buf_max(KiB(1));

	buf_add(&text, r->note.n ? buf_str(&r->note) : STR("running"));
	if (r->begun)
		buf_addf(&text, ", %llu/%llu calls", (unsigned long long)r->finished,
		    (unsigned long long)r->begun);
	buf_addf(&text, ", %llu s", (unsigned long long)((now - r->started) / NS_PER_S));
	json_put_str(out, "message", buf_str(&text));
}

static void
put_number(struct buf *out, const char *name, double value)
{
	json_put_raw(out, name, (struct str){ NULL, 0 });
	buf_addf(out, "%.15g", value);
}

void
request_progress(struct request *r)
{
	auto_done(buf) struct buf out = buf_max(KiB(8));
	double wanted = r->total > 0 ? r->completed : 0;
	uint64_t now = clock_now();

	r->untold = false;
	if (!r->token.n || r->cancelled || server_pending(r->server) > TELL_PENDING)
		return;
	r->told = wanted > r->told ? wanted : r->told + STEP;
	r->told_at = now;
	json_open(&out, NULL, '{');
	json_put_str(&out, "jsonrpc", STR("2.0"));
	json_put_str(&out, "method", STR("notifications/progress"));
	json_open(&out, "params", '{');
	json_put_raw(&out, "progressToken", buf_str(&r->token));
	put_number(&out, "progress", r->told);
	if (r->total >= r->told)
		put_number(&out, "total", r->total);
	put_message(r, now, &out);
	json_close(&out, '}');
	json_close(&out, '}');
	server_say(r->server, &out);
}
