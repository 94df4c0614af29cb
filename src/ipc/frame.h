/* SPDX-License-Identifier: MIT */
/*
 * The pure part of a channel: bytes to frames and back. No descriptors, no state; fuzzed.
 *
 *	4 bytes  size of the body, little-endian, at most FRAME_BODY_MAX
 *	2 bytes  message type
 *	1 byte   flags
 *	1 byte   descriptors that came with it, at most FRAME_FDS_MAX
 */
#ifndef IPC_FRAME_H
#define IPC_FRAME_H

#include "ipc/msg.h"

enum {
	FRAME_MORE = 1,   /* the body goes on in the next frame of the same type */
	FRAME_SEALED = 2, /* the body is 8 bytes: the size of the sealed memory that holds it */
};

struct frame {
	enum msg_type type;
	unsigned flags;
	size_t fds;
	struct str body; /* a view into the bytes parsed */
};

/*
 * Reads one frame from the start of bytes: 1 and *ret_used when it is whole, 0 when more bytes
 * are needed, ERR_PROTO when it can never become a frame.
 */
int frame_parse(struct str bytes, struct frame *ret_frame, size_t *ret_used,
    struct err *e) must_use;
void frame_head(struct buf *ret_wire, size_t size, enum msg_type type, unsigned flags,
    size_t fds);
/*
 * Whether `type` may come from `from` to `to` in `state` with a body of `size`; else ERR_PROTO.
 */
int frame_allowed(enum msg_type type, enum msg_role from, enum msg_role to,
    enum msg_state state, uint64_t size, struct err *e) must_use;

#endif
