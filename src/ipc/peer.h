/* SPDX-License-Identifier: MIT */
/*
 * The other end of a channel: one connected SOCK_STREAM descriptor, frames in both directions.
 *
 * A frame is 4 bytes body size, 2 bytes message type, 1 byte flags, 1 byte number of
 * descriptors, then the body. A body over FRAME_BODY_MAX travels in one of two ways: as sealed
 * memory (the frame holds its size, the first descriptor is the memory), or, between the broker
 * and a closed process, which may make no memory files, in pieces (all but the last frame
 * flagged MORE). Before a body is decoded msg.def has said that this peer may say it, now, at
 * this size; anything else drops the peer.
 *
 *	static const peer_fn *const on[MSG_COUNT] = { [MSG_vm_done] = core_on_vm_done };
 *	r = peer_init(&js->peer, loop, fd, ROLE_CORE, ROLE_JS, on, on_closed, &e);
 *
 * The peer owns its descriptor and every descriptor received with a message that the handler
 * did not take. on_closed is called once, at the end of a turn of reading or writing, and may
 * free the peer's owner. Handlers must not free it.
 */
#ifndef IPC_PEER_H
#define IPC_PEER_H

#include "ipc/msg.h"
#include "loop/loop.h"

struct peer;

/* body is the message's struct; a negative return drops the peer with e. */
typedef int peer_fn(struct peer *p, const void *body, struct err *e);
typedef void peer_closed_fn(struct peer *p, const struct err *why);

struct peer {
	struct source source;
	enum msg_role self, remote;
	enum msg_state state; /* what the remote may say; the owner moves it on */
	bool pieces;          /* send large bodies in pieces, not as sealed memory */
	bool dropped;
	bool held; /* queue, do not write */
	struct timer
	    end; /* a drop from outside of its handlers comes back to the owner by it */
	bool handling;
	const struct peer_fn_table *on;
	peer_closed_fn *on_closed;
	struct buf in;   /* bytes not yet a whole frame */
	struct buf body; /* pieces of a body so far */
	int piece_type;  /* its type, or -1 */
	int fds[PEER_FDS_MAX];
	size_t fds_n;
	size_t fds_own; /* of them, from the front, those of the message being handled */
	struct buf out;
	size_t sent;                /* bytes of out already taken by the socket */
	bool waiting;               /* for the socket to take more */
	struct peer_fd_mark *marks; /* descriptors to go with a byte of out */
	size_t marks_n;
	struct err why;
};

struct peer_fn_table {
	peer_fn *fn[MSG_COUNT];
};

int peer_init(struct peer *p, struct loop *loop, int fd, enum msg_role self,
    enum msg_role remote, const struct peer_fn_table *on, peer_closed_fn *on_closed,
    struct err *e) must_use;
/* Closes everything; safe on a zeroed peer and more than once. on_closed is not called. */
void peer_done(struct peer *p);

/*
 * Queues a message and writes what the socket takes. fds are duplicated by the kernel; the
 * caller keeps its own. ERR_LIMIT when the other side does not read; ERR_CLOSED when it is
 * gone.
 */
int peer_send(struct peer *p, enum msg_type type, const void *body, struct err *e) must_use;
int peer_send_fd(struct peer *p, enum msg_type type, const void *body, int fd,
    struct err *e) must_use;
/*
 * Between the two, messages are only queued; peer_release sends them in one go. For many small
 * ones at once.
 */
void peer_hold(struct peer *p);
int peer_release(struct peer *p, struct err *e) must_use;
/* The next descriptor that came with the message being handled; -1 when there is none. */
int peer_take_fd(struct peer *p);
/* Bytes queued and not yet taken by the socket. */
size_t peer_pending(const struct peer *p);
/* Ends the conversation: on_closed follows with e, at the latest in the next turn. */
void peer_drop(struct peer *p, const struct err *e);

#endif
