/* SPDX-License-Identifier: MIT */
/*
 * Lines of an MCP client, beside a broker that answers nothing after its first answers. Every line that
 * comes out must be a JSON-RPC message, and what stays in flight within its limit.
 */
#include "base/fd.h"
#include "fuzz.h"
#include "mcp/server.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOOLS                                                                                 \
	"[{\"name\":\"read_file\",\"effect\":\"read\",\"state\":\"enabled\",\"description\":" \
	"\"Read.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":"  \
	"\"string\"}},\"required\":[\"path\"]}},{\"name\":\"shell\",\"state\":\"disabled\"}]"
#define CONFIG                                                             \
	"[{\"key\":\"forge.javascript.enabled\",\"value\":true},{\"key\":" \
	"\"forge.javascript.timeoutMs\",\"value\":30000,\"least\":1,\"most\":300000}]"

static unsigned done;

static void
on_done(struct server *s)
{
	(void)s;
	done++;
}

static void
on_closed(struct peer *p, const struct err *why)
{
	(void)p;
	(void)why;
}

/* What was written, line for line. */
static void
look_at(int out)
{
	auto_done(buf) struct buf text = buf_max(MiB(64));
	struct str rest;
	struct err e;

	must(lseek(out, 0, SEEK_SET) == 0);
	must(fd_slurp(out, &text, &e) == 0);
	must(text.n == 0 || text.p[text.n - 1] == '\n');
	for (rest = buf_str(&text); rest.n;) {
		auto_obj(json) struct json *doc = NULL;
		struct str line = str_split(&rest, '\n');

		must(json_parse(line, MiB(64), &doc, &e) == 0);
		must(json_is_array(json_root(doc)) ||
		     str_eq(json_str(json_at(json_root(doc), "jsonrpc")), STR("2.0")));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct peer_fn_table none;
	struct msg_answer tools = { .json = STR(TOOLS) }, config = { .json = STR(CONFIG) };
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	struct loop loop;
	struct server s;
	struct peer core;
	struct err e;
	int ends[2];

	done = 0;
	must(in >= 0 && out >= 0 && (n == 0 || write(in, bytes, n) == (ssize_t)n));
	must(lseek(in, 0, SEEK_SET) == 0);
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	must(loop_init(&loop, &e) == 0);
	must(peer_init(&core, &loop, ends[0], ROLE_CLIENT, ROLE_CORE, &none, on_closed, &e) ==
	     0);
	core.state = ST_READY;
	server_init(&s, &loop, &core, on_done);
	s.complaints = UINT16_MAX; /* nobody wants to read them */
	must(server_open(&s, in, out, &e) == 0);
	server_on_answer(&s, &tools);
	server_on_answer(&s, &config);
	for (int i = 0; i < 200 && !s.leaving; i++) {
		must(loop_turn(&loop, 0, &e) == 0);
		must(s.requests_n <= SERVER_REQUESTS_MAX);
	}
	must(s.leaving && done == !s.requests_n);
	server_done(&s);
	look_at(out);
	peer_done(&core);
	loop_done(&loop);
	close(ends[1]);
	close(in);
	close(out);
	return 0;
}
