/* SPDX-License-Identifier: MIT */
#include "ipc/peer.h"

#include "base/fd.h"
#include "ipc/frame.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define READ_STEP      KiB(64)
#define IN_MAX         (KiB(64) + READ_STEP)
#define READS_PER_TURN 16
#define SENT_KEPT      MiB(1) /* sent bytes at the front of a full queue that are worth a move */

union fd_control {
	struct cmsghdr head;
	char space[CMSG_SPACE(sizeof(int) * FRAME_FDS_MAX)];
};

static void
take_down(struct peer *p, const struct err *why)
{
	if (p->dropped)
		return;
	p->dropped = true;
	p->why = *why;
	if (p->source.loop)
		loop_timer(p->source.loop, &p->end, 0);
}

/* Outside of handlers: tells the owner, who may free the peer. */
static void
finish(struct peer *p)
{
	struct err why = p->why;
	peer_closed_fn *on_closed = p->on_closed;

	if (!p->dropped || p->handling)
		return;
	loop_timer_cancel(&p->end);
	loop_remove(&p->source);
	on_closed(p, &why);
}

static void
on_end(struct timer *t)
{
	finish(container_of(t, struct peer, end));
}

void
peer_drop(struct peer *p, const struct err *e)
{
	take_down(p, e);
}

/* ---- reading ---- */

static int
decode_and_handle(struct peer *p, enum msg_type type, struct str wire, struct err *e)
{
	union msg_any body;
	int r = msg_decode(type, wire, &body, e);

	if (r < 0)
		return r;
	if (!p->on->fn[type])
		return err_set(e, ERR_PROTO, "%s is not handled here", msg_specs[type].name);
	p->handling = true;
	r = p->on->fn[type](p, &body, e);
	p->handling = false;
	return r;
}

int
peer_take_fd(struct peer *p)
{
	int fd;

	if (p->fds_own == 0)
		return -1;
	fd = p->fds[0];
	p->fds_own--;
	p->fds_n--;
	memmove(p->fds, p->fds + 1, p->fds_n * sizeof(p->fds[0]));
	return fd;
}

static int
handle_sealed(struct peer *p, const struct frame *f, struct err *e)
{
	auto_fd int fd = peer_take_fd(p);
	struct str body = { NULL, 0 };
	uint64_t size = 0;
	int r;

	for (size_t i = 0; i < 8; i++)
		size |= (uint64_t)(unsigned char)f->body.p[i] << (8 * i);
	r = frame_allowed(f->type, p->remote, p->self, p->state, size, e);
	if (r >= 0)
		r = fd_seal_map(fd, (size_t)size, &body, e);
	if (r >= 0)
		r = decode_and_handle(p, f->type, body, e);
	fd_seal_unmap(&body);
	return r;
}

static int
handle_pieces(struct peer *p, const struct frame *f, struct err *e)
{
	int r = frame_allowed(f->type, p->remote, p->self, p->state, p->body.n + f->body.n, e);

	if (r < 0)
		return r;
	if (p->piece_type < 0 && !(f->flags & FRAME_MORE))
		return decode_and_handle(p, f->type, f->body, e);
	p->body.max = msg_specs[f->type].max;
	buf_add(&p->body, f->body);
	p->piece_type = (int)f->type;
	if (f->flags & FRAME_MORE)
		return 0;
	p->piece_type = -1;
	r = decode_and_handle(p, f->type, buf_str(&p->body), e);
	buf_done(&p->body);
	return r;
}

/* One frame and the descriptors that came with it, those that nobody took are closed. */
static int
handle_frame(struct peer *p, const struct frame *f, struct err *e)
{
	int r;

	if (f->fds > p->fds_n)
		return err_set(e, ERR_PROTO, "%s without its descriptor",
		    msg_specs[f->type].name);
	if (p->piece_type >= 0 && (p->piece_type != (int)f->type || (f->flags & FRAME_SEALED)))
		return err_set(e, ERR_PROTO, "%s inside the pieces of another",
		    msg_specs[f->type].name);
	p->fds_own = f->fds;
	r = (f->flags & FRAME_SEALED) ? handle_sealed(p, f, e) : handle_pieces(p, f, e);
	while (p->fds_own)
		close(peer_take_fd(p));
	return r;
}

static int
handle_frames(struct peer *p, struct err *e)
{
	size_t at = 0;
	int r = 0;

	while (!p->dropped) {
		struct frame f;
		size_t used;

		r = frame_parse(str_from(buf_str(&p->in), at), &f, &used, e);
		if (r <= 0)
			break;
		r = handle_frame(p, &f, e);
		if (r < 0)
			break;
		at += used;
	}
	buf_drop(&p->in, at);
	return r;
}

static void
keep_fds(struct peer *p, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (p->fds_n < PEER_FDS_MAX)
				p->fds[p->fds_n++] = fd;
			else
				close(fd);
		}
	}
}

/* One read; *ret_more says whether it may be worth another. */
static int
read_some(struct peer *p, bool *ret_more, struct err *e)
{
	union fd_control control;
	size_t had = p->in.n;
	char *space = buf_space(&p->in, READ_STEP);
	struct iovec iov = { space, READ_STEP };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	assert(space);
	n = recvmsg(p->source.fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	p->in.n = had + (n > 0 ? (size_t)n : 0);
	*ret_more = n == READ_STEP;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno == ECONNRESET)
		return err_set(e, ERR_CLOSED, "the other side is gone");
	if (n < 0)
		return err_sys(e, "read a channel");
	keep_fds(p, &m);
	if (m.msg_flags & MSG_CTRUNC)
		return err_set(e, ERR_PROTO, "more descriptors than a message may carry");
	if (n == 0)
		return err_set(e, ERR_CLOSED, "the other side closed the channel");
	return 0;
}

/* ---- writing ---- */

struct peer_fd_mark {
	size_t at; /* byte of out it goes with */
	int fd;
};

static ssize_t
send_part(struct peer *p, size_t n, const int *fd)
{
	union fd_control control;
	struct iovec iov = { p->out.p + p->sent, n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(int));
		memset(&control, 0, sizeof(control));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), fd, sizeof(int));
	}
	return sendmsg(p->source.fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
drop_mark(struct peer *p)
{
	close(p->marks[0].fd);
	p->marks_n--;
	memmove(p->marks, p->marks + 1, p->marks_n * sizeof(p->marks[0]));
}

static int
wait_for_room(struct peer *p, bool wait, struct err *e)
{
	if (wait == p->waiting || !p->source.loop)
		return 0;
	p->waiting = wait;
	return loop_change(&p->source, EPOLLIN | (wait ? EPOLLOUT : 0u), e);
}

/* Each write ends where the next descriptor goes, so that it travels with its own message. */
static int
flush(struct peer *p, struct err *e)
{
	while (p->sent < p->out.n) {
		bool with_fd = p->marks_n && p->marks[0].at == p->sent;
		size_t next = with_fd ? 1 : 0;
		size_t end = p->marks_n > next ? p->marks[next].at : p->out.n;
		ssize_t n = send_part(p, end - p->sent, with_fd ? &p->marks[0].fd : NULL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return wait_for_room(p, true, e);
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
			return err_set(e, ERR_CLOSED, "the other side is gone");
		if (n < 0)
			return err_sys(e, "write a channel");
		if (with_fd)
			drop_mark(p);
		p->sent += (size_t)n;
	}
	buf_reset(&p->out);
	p->sent = 0;
	return wait_for_room(p, false, e);
}

static void
mark_fd(struct peer *p, int fd)
{
	p->marks = xrealloc(p->marks, (p->marks_n + 1) * sizeof(p->marks[0]));
	p->marks[p->marks_n++] = (struct peer_fd_mark){ p->out.n, fd };
}

static int
queue_sealed(struct peer *p, enum msg_type type, struct str wire, struct err *e)
{
	unsigned char size[8];
	int fd = -1;
	int r = fd_seal_new(wire, &fd, e);

	if (r < 0)
		return r;
	mark_fd(p, fd);
	for (size_t i = 0; i < sizeof(size); i++)
		size[i] = (unsigned char)((uint64_t)wire.n >> (8 * i));
	frame_head(&p->out, sizeof(size), type, FRAME_SEALED, 1);
	buf_add(&p->out, (struct str){ (const char *)size, sizeof(size) });
	return 0;
}

static void
queue_frames(struct peer *p, enum msg_type type, struct str wire, size_t fds)
{
	do {
		struct str piece = { wire.p, MIN(wire.n, (size_t)FRAME_BODY_MAX) };

		wire = str_from(wire, piece.n);
		frame_head(&p->out, piece.n, type, wire.n ? FRAME_MORE : 0, fds);
		buf_add(&p->out, piece);
		fds = 0;
	} while (wire.n);
}

static void
drop_sent(struct peer *p)
{
	buf_drop(&p->out, p->sent);
	for (size_t i = 0; i < p->marks_n; i++)
		p->marks[i].at -= p->sent;
	p->sent = 0;
}

/* Whether n bytes in frames fit the queue. */
static bool
has_room(struct peer *p, size_t n)
{
	size_t with_heads = n + KiB(64);

	if (p->out.n + with_heads > p->out.max && p->sent >= SENT_KEPT)
		drop_sent(p);
	return p->out.n + with_heads <= p->out.max;
}

int
peer_send_fd(struct peer *p, enum msg_type type, const void *body, int fd, struct err *e)
{
	auto_done(buf) struct buf wire = buf_max(msg_specs[type].max);
	int r = 0;

	if (p->dropped)
		return err_set(e, ERR_CLOSED, "the channel is closed");
	msg_encode(type, body, &wire);
	assert(buf_ok(&wire));
	/* The first piece of several would take it along, and nobody could take it there. */
	assert(fd < 0 || wire.n <= FRAME_BODY_MAX);
	if (!has_room(p, wire.n))
		return err_set(e, ERR_LIMIT, "%s: the other side does not read",
		    msg_specs[type].name);
	if (wire.n > FRAME_BODY_MAX && !p->pieces) {
		r = queue_sealed(p, type, buf_str(&wire), e);
	} else {
		int copy = fd < 0 ? -1 : dup(fd);

		if (fd >= 0 && copy < 0)
			return err_sys(e, "duplicate a descriptor");
		if (copy >= 0)
			mark_fd(p, copy);
		queue_frames(p, type, buf_str(&wire), copy >= 0);
	}
	return r < 0 || p->waiting || p->held ? r : flush(p, e);
}

void
peer_hold(struct peer *p)
{
	p->held = true;
}

int
peer_release(struct peer *p, struct err *e)
{
	p->held = false;
	return p->dropped || p->waiting || p->sent == p->out.n ? 0 : flush(p, e);
}

int
peer_send(struct peer *p, enum msg_type type, const void *body, struct err *e)
{
	return peer_send_fd(p, type, body, -1, e);
}

size_t
peer_pending(const struct peer *p)
{
	return p->out.n - p->sent;
}

/* ---- life ---- */

static void
on_ready(struct source *s, uint32_t events)
{
	struct peer *p = container_of(s, struct peer, source);
	struct err e;
	bool more = (events & ~(uint32_t)EPOLLOUT) != 0;
	int r = (events & EPOLLOUT) ? flush(p, &e) : 0;

	for (int i = 0; i < READS_PER_TURN && r >= 0 && more && !p->dropped; i++) {
		r = read_some(p, &more, &e);
		if (r >= 0)
			r = handle_frames(p, &e);
	}
	if (r < 0)
		take_down(p, &e);
	finish(p);
}

int
peer_init(struct peer *p, struct loop *loop, int fd, enum msg_role self, enum msg_role remote,
    const struct peer_fn_table *on, peer_closed_fn *on_closed, struct err *e)
{
	int r;

	*p = (struct peer){
		.source = { .on_ready = on_ready, .fd = fd },
		.end.on_due = on_end,
		.self = self,
		.remote = remote,
		.state = ST_NEW,
		.on = on,
		.on_closed = on_closed,
		.in = buf_max(IN_MAX),
		.out = buf_max(PEER_QUEUE_MAX),
		.piece_type = -1,
	};
	r = fd_nonblock(fd, e);
	return r < 0 ? r : loop_add(loop, &p->source, fd, EPOLLIN, e);
}

void
peer_done(struct peer *p)
{
	if (!p->on)
		return;
	loop_timer_cancel(&p->end);
	loop_remove(&p->source);
	base_close_fd(&p->source.fd);
	for (size_t i = 0; i < p->fds_n; i++)
		close(p->fds[i]);
	p->fds_n = 0;
	while (p->marks_n)
		drop_mark(p);
	free(p->marks);
	buf_done(&p->in);
	buf_done(&p->body);
	buf_done(&p->out);
	*p = (struct peer){ .source.fd = -1 };
}
