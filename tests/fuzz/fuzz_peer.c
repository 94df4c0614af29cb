/* SPDX-License-Identifier: MIT */
/* Bytes from the other end of a channel; the first one says who is listening and when. */
#include "fuzz.h"
#include "ipc/peer.h"

#include <sys/socket.h>
#include <unistd.h>

static unsigned closed, heard;

static int
hear(struct peer *p, const void *body, struct err *ret_e)
{
	(void)p;
	(void)body;
	(void)ret_e;
	heard++;
	return 0;
}

static void
on_closed(struct peer *p, const struct err *why)
{
	(void)p;
	must(why->code != ERR_NONE && why->text[0]);
	closed++;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const enum msg_role roles[][2] = {
		{ ROLE_CORE, ROLE_JS },
		{ ROLE_CORE, ROLE_CLIENT },
		{ ROLE_CORE, ROLE_LAUNCH },
		{ ROLE_JS, ROLE_CORE },
		{ ROLE_CLIENT, ROLE_CORE },
		{ ROLE_LAUNCH, ROLE_CORE },
	};
	static struct peer_fn_table all;
	const enum msg_role *role = roles[n ? bytes[0] % COUNT(roles) : 0];
	struct loop loop;
	struct peer p;
	struct err e;
	int ends[2];

	for (int type = 0; type < MSG_COUNT; type++)
		all.fn[type] = hear;
	closed = heard = 0;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	must(loop_init(&loop, &e) == 0);
	must(peer_init(&p, &loop, ends[0], role[0], role[1], &all, on_closed, &e) == 0);
	p.state = n && (bytes[0] & 0x80) ? ST_NEW : ST_READY;
	if (n > 1)
		must(send(ends[1], bytes + 1, n - 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 0);
	for (int i = 0; i < 4 && !closed; i++)
		must(loop_turn(&loop, 0, &e) == 0);
	close(ends[1]);
	for (int i = 0; i < 40 && !closed; i++)
		must(loop_turn(&loop, 0, &e) == 0);
	must(closed == 1);
	peer_done(&p);
	loop_done(&loop);
	return 0;
}
