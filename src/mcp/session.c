/* SPDX-License-Identifier: MIT */
/* How a conversation begins, and what is about it alone. */
#include "mcp/catalogue.h"
#include "mcp/method.h"

#define KEPT_MS 300000 /* nothing of it changes while we live */

static void
put_capabilities(enum mcp_version version, struct buf *out)
{
	json_open(out, "capabilities", '{');
	json_put_raw(out, "logging", STR("{}"));
	if (mcp_versions[version].greeted) {
		json_put_raw(out, "tools", STR("{\"listChanged\":false}"));
		json_put_raw(out, "prompts", STR("{\"listChanged\":false}"));
		json_put_raw(out, "resources",
		    STR("{\"subscribe\":false,\"listChanged\":false}"));
	} else {
		json_put_raw(out, "tools", STR("{}"));
		json_put_raw(out, "prompts", STR("{}"));
		json_put_raw(out, "resources", STR("{}"));
	}
	json_close(out, '}');
}

static void
put_instructions(const struct server *s, struct buf *out)
{
	auto_done(buf) struct buf text = buf_max(KiB(8));

	catalogue_instructions(json_root(s->config), &text);
	json_put_str(out, "instructions", buf_str(&text));
}

void
method_initialize(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(32));
	struct server *s = r->server;
	enum mcp_version version;
	struct str wanted;

	if (!method_text(r, params, "protocolVersion", 100, &wanted))
		return;
	if (s->version != MCP_VERSIONS) {
		request_failf(r, RPC_REQUEST, "this connection is initialized already");
		return;
	}
	version = mcp_version_named(wanted);
	if (version == MCP_VERSIONS || !mcp_versions[version].greeted)
		version = MCP_NEWEST_GREETED; /* a client that cannot speak it leaves */
	s->version = version;
	r->version = version;
	request_open(r, &out);
	json_put_str(&out, "protocolVersion", str_of(mcp_versions[version].name));
	put_capabilities(version, &out);
	request_put_self(version, "serverInfo", &out);
	put_instructions(s, &out);
	request_answer(r, &out);
}

void
method_ping(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(1));

	(void)params;
	request_open(r, &out);
	request_answer(r, &out);
}

void
method_set_level(struct request *r, const struct yyjson_val *params)
{
	enum log_level level;
	struct str name;

	if (!method_text(r, params, "level", 100, &name))
		return;
	level = server_log_level(name);
	if (level == LOG_NOTHING) {
		request_failf(r, RPC_PARAMS,
		    "level: one of debug, info, notice, warning, error, critical, alert, "
		    "emergency was expected");
		return;
	}
	r->server->log_level = level;
	method_ping(r, params);
}

void
method_discover(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(32));

	(void)params;
	request_open_kept(r, KEPT_MS, &out);
	json_open(&out, "supportedVersions", '[');
	for (int v = MCP_VERSIONS - 1; v >= 0; v--) {
		if (!mcp_versions[v].greeted)
			json_put_str(&out, NULL, str_of(mcp_versions[v].name));
	}
	json_close(&out, ']');
	put_capabilities(r->version, &out);
	put_instructions(r->server, &out);
	request_answer(r, &out);
}

/* None of our lists changes, so there is nothing to agree to; it stays open until it is cancelled. */
void
method_listen(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(KiB(4));

	if (!json_is_object(json_at(params, "notifications"))) {
		request_failf(r, RPC_PARAMS, "notifications: an object was expected");
		return;
	}
	if (!method_room(r))
		return;
	r->kind = REQUEST_LISTEN;
	json_open(&out, NULL, '{');
	json_put_str(&out, "jsonrpc", STR("2.0"));
	json_put_str(&out, "method", STR("notifications/subscriptions/acknowledged"));
	json_open(&out, "params", '{');
	json_open(&out, "_meta", '{');
	json_put_raw(&out, "io.modelcontextprotocol/subscriptionId", buf_str(&r->id));
	json_close(&out, '}');
	json_put_raw(&out, "notifications", STR("{}"));
	json_close(&out, '}');
	json_close(&out, '}');
	server_say(r->server, &out);
}

void
method_tools(struct request *r, const struct yyjson_val *params)
{
	auto_done(buf) struct buf out = buf_max(MiB(16));
	struct server *s = r->server;

	if (!method_whole(r, params))
		return;
	request_open_kept(r, KEPT_MS, &out);
	catalogue_write(json_root(s->tools), json_root(s->config), r->version, &out);
	request_answer(r, &out);
}

bool
method_text(struct request *r, const struct yyjson_val *params, const char *name, size_t most,
    struct str *ret_text)
{
	const struct yyjson_val *v = json_at(params, name);

	*ret_text = json_str(v);
	if (!json_is_string(v))
		request_failf(r, RPC_PARAMS, "%s: a string was expected, not %s", name,
		    v ? json_kind(v) : "nothing");
	else if (ret_text->n > most)
		request_failf(r, RPC_PARAMS, "%s: at most %zu bytes were expected, not %zu",
		    name, most, ret_text->n);
	else
		return true;
	return false;
}

bool
method_room(struct request *r)
{
	bool room = r->server->requests_n <= SERVER_REQUESTS_MAX;

	if (!room)
		request_failf(r, RPC_BUSY,
		    "%d requests are in flight; send it again when one is answered",
		    SERVER_REQUESTS_MAX);
	return room;
}

bool
method_whole(struct request *r, const struct yyjson_val *params)
{
	const struct yyjson_val *cursor = json_at(params, "cursor");

	if (cursor)
		request_failf(r, RPC_PARAMS,
		    "cursor: this list comes whole, no cursor was given out");
	return !cursor;
}
