/* SPDX-License-Identifier: MIT */
/* A stream of frames and the bodies in them, and the input as the body of every message. */
#include "fuzz.h"
#include "ipc/frame.h"

static struct err e;

/* What decodes is valid: it encodes to the same bytes again. */
static void
check_body(enum msg_type type, struct str wire)
{
	auto_done(buf) struct buf again = buf_max(wire.n);
	union msg_any body;
	int r = msg_decode(type, wire, &body, &e);

	must(r == 0 || (r == -ERR_PROTO && e.code == ERR_PROTO && e.text[0]));
	if (r < 0)
		return;
	msg_encode(type, &body, &again);
	must(buf_ok(&again) && str_eq(buf_str(&again), wire));
}

static void
check_stream(struct str bytes)
{
	for (;;) {
		struct frame f;
		size_t used = 0;
		int r = frame_parse(bytes, &f, &used, &e);

		must(r == 1 || r == 0 || r == -ERR_PROTO);
		if (r <= 0)
			return;
		must(used == FRAME_HEADER + f.body.n && used <= bytes.n && f.type < MSG_COUNT);
		must(f.fds <= FRAME_FDS_MAX && f.body.n <= FRAME_BODY_MAX);
		check_body(f.type, f.body);
		bytes = str_from(bytes, used);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str all = { (const char *)bytes, n };

	check_stream(all);
	for (int type = 0; type < MSG_COUNT; type++)
		check_body((enum msg_type)type, all);
	return 0;
}
