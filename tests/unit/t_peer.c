/* SPDX-License-Identifier: MIT */
#include "ipc/peer.h"

#include "base/clock.h"
#include "base/fd.h"
#include "ipc/frame.h"

#include "leak.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err e;
static struct loop loop;

/* One side of a conversation, and what it heard. */
struct side {
	struct peer peer;
	unsigned heard;
	uint64_t sum;     /* of the numbers heard */
	struct buf text;  /* the strings heard, one behind the other */
	uint64_t at_most; /* numbers must come in order */
	bool disorder;
	int fd; /* the last descriptor taken */
	ino_t inodes[64];
	bool take;
	unsigned closed;
	struct err why;
};

static struct side *
side_of(struct peer *p)
{
	return container_of(p, struct side, peer);
}

/* ---- handlers ---- */

static void
hear(struct side *s, uint64_t number, struct str text)
{
	struct stat st;
	int fd = s->take ? peer_take_fd(&s->peer) : -1;

	s->disorder = s->disorder || number < s->at_most;
	s->at_most = number;
	s->sum += number;
	buf_add(&s->text, text);
	if (fd >= 0 && fstat(fd, &st) == 0 && s->heard < COUNT(s->inodes))
		s->inodes[s->heard] = st.st_ino;
	if (fd >= 0) {
		base_close_fd(&s->fd);
		s->fd = fd;
	}
	s->heard++;
}

static int
on_hello(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_js_hello *m = body;

	(void)ret_e;
	p->state = ST_READY;
	hear(side_of(p), 0, m->engine);
	return 0;
}

static int
on_text(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_text *m = body;

	(void)ret_e;
	hear(side_of(p), m->run, m->text);
	return 0;
}

static int
on_done(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_done *m = body;

	(void)ret_e;
	hear(side_of(p), m->run, m->value);
	return 0;
}

static int
on_cancel(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_cancel *m = body;

	if (m->run == 13)
		return err_set(ret_e, ERR_LIMIT, "thirteen");
	hear(side_of(p), m->run, STR(""));
	return 0;
}

static int
on_start(struct peer *p, const void *body, struct err *ret_e)
{
	const struct msg_vm_start *m = body;

	(void)ret_e;
	hear(side_of(p), m->run, m->source);
	return 0;
}

static int
on_probe(struct peer *p, const void *body, struct err *ret_e)
{
	struct err mine;

	(void)body;
	(void)ret_e;
	err_set(&mine, ERR_DENIED, "dropped by its handler");
	peer_drop(p, &mine);
	peer_drop(p, ret_e);
	return 0;
}

static const struct peer_fn_table core_hears = { {
    [MSG_js_hello] = on_hello,
    [MSG_vm_text] = on_text,
    [MSG_vm_done] = on_done,
} };
static const struct peer_fn_table js_hears = { {
    [MSG_vm_start] = on_start,
    [MSG_vm_cancel] = on_cancel,
    [MSG_probe_ask] = on_probe,
} };

static void
on_closed(struct peer *p, const struct err *why)
{
	struct side *s = side_of(p);

	s->closed++;
	s->why = *why;
}

/* ---- a pair ---- */

static void
side_init(struct side *s, int fd, enum msg_role self, enum msg_role remote,
    const struct peer_fn_table *hears)
{
	*s = (struct side){ .text = buf_max(MiB(64)), .fd = -1 };
	if (peer_init(&s->peer, &loop, fd, self, remote, hears, on_closed, &e) < 0)
		ok(false, "a peer: %s", e.text);
}

static void
side_done(struct side *s)
{
	peer_done(&s->peer);
	buf_done(&s->text);
	base_close_fd(&s->fd);
}

static void
pair_init(struct side *core, struct side *js)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		ok(false, "a socket pair");
	side_init(core, ends[0], ROLE_CORE, ROLE_JS, &core_hears);
	side_init(js, ends[1], ROLE_JS, ROLE_CORE, &js_hears);
	core->peer.state = ST_READY;
	js->peer.state = ST_READY;
	js->peer.pieces = true;
}

static void
pair_done(struct side *core, struct side *js)
{
	side_done(core);
	side_done(js);
}

/* A peer that is core, and the bare other end of its channel. */
static int
bare_init(struct side *core)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		ok(false, "a socket pair");
	side_init(core, ends[0], ROLE_CORE, ROLE_JS, &core_hears);
	core->peer.state = ST_READY;
	return ends[1];
}

static void
settle(void)
{
	for (int i = 0; i < 400; i++) {
		if (loop_turn(&loop, 0, &e) < 0)
			ok(false, "a turn: %s", e.text);
	}
}

static int
say_text(struct side *from, uint64_t number, struct str text)
{
	struct msg_vm_text m = { .run = number, .text = text };

	return peer_send(&from->peer, MSG_vm_text, &m, &e);
}

/* ---- both ways ---- */

static void
talk(void)
{
	struct side core, js;
	struct msg_js_hello hello = { .engine = STR("engine"), .version = STR("v") };
	struct msg_vm_cancel cancel = { .run = 7 };

	pair_init(&core, &js);
	core.peer.state = ST_NEW;
	is_int(peer_send(&js.peer, MSG_js_hello, &hello, &e), 0, "a greeting");
	is_int(say_text(&js, 41, STR("line\n")), 0, "and text in one breath");
	is_int(peer_send(&core.peer, MSG_vm_cancel, &cancel, &e), 0, "and the other way");
	is_int(peer_pending(&js.peer), 0, "nothing waits");
	settle();
	ok(core.heard == 2 && core.sum == 41, "both arrived, the state moved between them");
	is_str(buf_text(&core.text), "engineline\n", "with their strings");
	ok(js.heard == 1 && js.sum == 7, "the other way too");
	pair_done(&core, &js);
	ok(core.closed == 0 && js.closed == 0, "closing by hand calls nobody");
}

/* Bodies at the edge of a frame and far beyond, as sealed memory and in pieces. */
static void
large_bodies(void)
{
	static const size_t sizes[] = { FRAME_BODY_MAX - 100, FRAME_BODY_MAX - 12,
		FRAME_BODY_MAX - 11, FRAME_BODY_MAX, FRAME_BODY_MAX * 2 - 12, MiB(1),
		VALUE_MAX };
	auto_free char *bytes = xcalloc(1, VALUE_MAX);

	for (size_t i = 0; i < VALUE_MAX; i++)
		bytes[i] = (char)('a' + i % 23);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct str body = { bytes, sizes[i] };
		struct msg_vm_done done = { .run = 3, .value = body };
		struct msg_vm_start start = { .run = 4,
			.source = { bytes, MIN(body.n, SOURCE_MAX) } };
		struct side core, js;

		pair_init(&core, &js);
		ok(peer_send(&js.peer, MSG_vm_done, &done, &e) == 0 &&
			peer_send(&core.peer, MSG_vm_start, &start, &e) == 0,
		    "%zu bytes are sent", body.n);
		settle();
		ok(core.heard == 1 && core.sum == 3 && str_eq(buf_str(&core.text), body),
		    "they arrive in pieces");
		ok(js.heard == 1 && js.sum == 4 && str_eq(buf_str(&js.text), start.source),
		    "and as sealed memory");
		ok(peer_pending(&js.peer) == 0 && peer_pending(&core.peer) == 0,
		    "all was taken");
		pair_done(&core, &js);
	}
}

/* Through a socket that takes little at a time. */
static void
little_by_little(void)
{
	auto_free char *bytes = xcalloc(1, MiB(2));
	struct msg_vm_done done = { .run = 1, .value = { bytes, MiB(2) } };
	struct side core, js;
	int small = 1;

	memset(bytes, 'x', MiB(2));
	pair_init(&core, &js);
	setsockopt(js.peer.source.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	is_int(peer_send(&js.peer, MSG_vm_done, &done, &e), 0, "a long message");
	ok(js.peer.waiting && peer_pending(&js.peer) > MiB(1), "waits for the other side");
	is_int(say_text(&js, 2, STR("end")), 0, "another behind it");
	for (int i = 0; i < 100000 && core.heard < 2; i++) {
		if (loop_turn(&loop, 0, &e) < 0)
			break;
	}
	ok(core.heard == 2 && core.text.n == MiB(2) + 3 && !core.disorder,
	    "both arrive, in order");
	ok(!js.peer.waiting && peer_pending(&js.peer) == 0, "and the queue is empty");
	pair_done(&core, &js);
}

/* ---- limits ---- */

static void
nobody_reads(void)
{
	auto_free char *bytes = xcalloc(1, TEXT_LINE_MAX);
	struct side core, js;
	uint64_t sent = 0;
	int r = 0;

	memset(bytes, 'q', TEXT_LINE_MAX);
	pair_init(&core, &js);
	while (sent < 1000 && r == 0) {
		r = say_text(&js, sent, (struct str){ bytes, TEXT_LINE_MAX });
		sent += r == 0;
	}
	is_int(r, -ERR_LIMIT, "a queue that nobody empties is full at some time");
	ok(sent > 100 && peer_pending(&js.peer) <= PEER_QUEUE_MAX,
	    "not before, not after: %llu", (unsigned long long)sent);
	ok(!js.peer.dropped, "which drops nobody");
	for (int i = 0; i < 100000 && core.heard < sent; i++) {
		buf_reset(&core.text);
		if (loop_turn(&loop, 0, &e) < 0)
			break;
	}
	ok(core.heard == sent && !core.disorder, "what was taken arrives, in order");
	is_int(say_text(&js, sent, STR("more")), 0, "and there is room again");
	pair_done(&core, &js);
}

/* A reader that is always a little behind is no reader that has stopped. */
static void
always_behind(void)
{
	auto_free char *bytes = xcalloc(1, TEXT_LINE_MAX);
	struct side core, js;
	uint64_t sent = 0, bytes_sent = 0;
	int r = 0;

	memset(bytes, 'q', TEXT_LINE_MAX);
	pair_init(&core, &js);
	while (bytes_sent < 3 * PEER_QUEUE_MAX && r == 0) {
		while (r == 0 && peer_pending(&js.peer) < MiB(1)) {
			r = say_text(&js, sent++, (struct str){ bytes, TEXT_LINE_MAX });
			bytes_sent += TEXT_LINE_MAX;
		}
		buf_reset(&core.text);
		if (loop_turn(&loop, 0, &e) < 0)
			break;
	}
	is_int(r, 0, "three queues full pass through one that is never empty");
	pair_done(&core, &js);
}

static struct side *flooded;
static unsigned flood_seen;

static void
look(struct timer *t)
{
	(void)t;
	flood_seen = flooded->heard;
}

static void
flood(void)
{
	auto_done(buf) struct buf wire = buf_max(MiB(8));
	struct timer timer = { .on_due = look };
	struct side core;
	int fd = bare_init(&core);
	int large = (int)MiB(8);
	size_t frames = 0, at = 0;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large));
	while (wire.n + 100 < MiB(4)) {
		frame_head(&wire, 12, MSG_vm_text, 0, 0);
		buf_add(&wire, STR("\1\0\0\0\0\0\0\0\0\0\0\0"));
		frames++;
	}
	flooded = &core;
	while (core.heard < frames && !core.closed) {
		ssize_t n = at < wire.n ? send(fd, wire.p + at, wire.n - at, MSG_DONTWAIT) : 0;

		at += n > 0 ? (size_t)n : 0;
		if (!flood_seen)
			loop_timer(&loop, &timer, 0);
		if (loop_turn(&loop, 0, &e) < 0)
			break;
	}
	is_int(core.heard, frames, "a flood of small messages is heard");
	ok(flood_seen > 0 && flood_seen < frames, "and others have their turn meanwhile: %u",
	    flood_seen);
	close(fd);
	side_done(&core);
}

/* ---- descriptors ---- */

static ino_t
inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Each with its own message, also when they wait in a queue between large ones. */
static void
with_descriptors(void)
{
	auto_free char *bytes = xcalloc(1, TEXT_LINE_MAX);
	struct str large = { bytes, KiB(60) };
	struct side core, js;
	ino_t sent[20] = { 0 };
	bool good = true;
	int small = 1;
	unsigned before = leak_fds();

	memset(bytes, 'd', TEXT_LINE_MAX);
	pair_init(&core, &js);
	core.take = true;
	setsockopt(js.peer.source.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (unsigned i = 0; i < COUNT(sent); i++) {
		auto_fd int fd = memfd_create("test", MFD_CLOEXEC);
		struct msg_vm_text m = { .run = i, .text = i % 3 ? large : STR("s") };

		sent[i] = i % 4 == 3 ? 0 : inode_of(fd);
		good =
		    peer_send_fd(&js.peer, MSG_vm_text, &m, sent[i] ? fd : -1, &e) == 0 && good;
	}
	ok(good && js.peer.waiting, "twenty messages wait, fifteen with a descriptor");
	settle();
	for (unsigned i = 0; i < COUNT(sent); i++)
		good = good && core.inodes[i] == sent[i];
	ok(good && core.heard == COUNT(sent), "each arrives with its own");
	pair_done(&core, &js);
	is_int(leak_fds(), before, "none is left behind");
}

static void
not_taken(void)
{
	struct side core, js;
	unsigned before;
	int fd = memfd_create("test", MFD_CLOEXEC);

	pair_init(&core, &js);
	before = leak_fds();
	for (unsigned i = 0; i < 50; i++) {
		struct msg_vm_text m = { .run = i, .text = STR("x") };

		if (peer_send_fd(&js.peer, MSG_vm_text, &m, fd, &e) < 0)
			ok(false, "sent: %s", e.text);
		settle();
	}
	is_int(core.heard, 50, "fifty messages with descriptors");
	is_int(leak_fds(), before, "that nobody takes are closed");
	is_int(peer_take_fd(&core.peer), -1, "there is none to take later");
	pair_done(&core, &js);
	close(fd);
}

static void
left_in_the_queue(void)
{
	struct side core, js;
	unsigned before = leak_fds();
	int fd = memfd_create("test", MFD_CLOEXEC);
	auto_free char *bytes = xcalloc(1, TEXT_LINE_MAX);
	struct msg_vm_text m = { .text = { bytes, KiB(60) } };

	memset(bytes, 'd', TEXT_LINE_MAX);
	pair_init(&core, &js);
	for (unsigned i = 0; i < 30; i++) {
		if (peer_send_fd(&js.peer, MSG_vm_text, &m, fd, &e) < 0)
			ok(false, "sent: %s", e.text);
	}
	ok(js.peer.marks_n > 0, "some wait");
	is_int(peer_send_fd(&js.peer, MSG_vm_text, &m, 12345, &e), -ERR_SYS,
	    "a descriptor that is none is refused");
	pair_done(&core, &js);
	close(fd);
	is_int(leak_fds(), before, "those that were never sent are closed with the peer");
}

/* ---- what drops a peer ---- */

struct wrong {
	const char *what;
	struct str bytes;
	enum msg_state state;
};

#define RUN      "\1\0\0\0\0\0\0\0"
#define NO_BYTES "\0\0\0\0"

/* Written as the other side would: size, type, flags, descriptors, body. */
static void
add_frame(struct buf *wire, enum msg_type type, unsigned flags, size_t fds, struct str body)
{
	frame_head(wire, body.n, type, flags, fds);
	buf_add(wire, body);
}

static bool
send_with_fds(int fd, struct str bytes, const int *fds, size_t n)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int) * 16)];
	} control = { 0 };
	struct iovec iov = { (char *)(uintptr_t)bytes.p, bytes.n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * n);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(&control.head), fds, sizeof(int) * n);
	}
	return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)bytes.n;
}

/* Bytes and descriptors that core must drop the peer for; ends with the same descriptors open.
 */
static void
drops(const char *what, struct str bytes, const int *fds, size_t n, enum msg_state state)
{
	unsigned before = leak_fds();
	unsigned maps = leak_maps("memfd:");
	struct side core;
	int fd = bare_init(&core);

	core.peer.state = state;
	if (!send_with_fds(fd, bytes, fds, n))
		ok(false, "%s: sent", what);
	settle();
	ok(core.closed == 1 && core.why.code == ERR_PROTO && core.heard == 0, "%s: %s", what,
	    core.closed ? core.why.text : "not dropped");
	is_int(say_text(&core, 1, STR("x")), -ERR_CLOSED, "nothing is sent to it any more");
	side_done(&core);
	close(fd);
	is_int(leak_fds(), before, "and nothing of it stays open");
	is_int(leak_maps("memfd:"), maps, "or mapped");
}

static void
drops_frame(const char *what, enum msg_type type, unsigned flags, size_t fds, struct str body,
    enum msg_state state)
{
	auto_done(buf) struct buf wire = buf_max(KiB(256));

	add_frame(&wire, type, flags, fds, body);
	drops(what, buf_str(&wire), NULL, 0, state);
}

static void
wrong_messages(void)
{
	static const struct str garbage = STR("GET / HTTP/1.1\r\n\r\n");

	drops("another protocol", garbage, NULL, 0, ST_READY);
	drops_frame("a message of another role", MSG_run_start, 0, 0, STR(""), ST_READY);
	drops_frame("one that core itself says", MSG_vm_cancel, 0, 0, STR(RUN), ST_READY);
	drops_frame("text before the greeting", MSG_vm_text, 0, 0, STR(RUN NO_BYTES), ST_NEW);
	drops_frame("a second greeting", MSG_js_hello, 0, 0,
	    STR(NO_BYTES NO_BYTES NO_BYTES NO_BYTES), ST_READY);
	drops_frame("a body that is cut", MSG_vm_text, 0, 0, STR(RUN "\5\0\0\0abcd"), ST_READY);
	drops_frame("a body with more behind it", MSG_vm_text, 0, 0, STR(RUN NO_BYTES "x"),
	    ST_READY);
	drops_frame("text that is not UTF-8", MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0\xff"),
	    ST_READY);
	drops_frame("a descriptor that did not come", MSG_vm_text, 0, 1, STR(RUN NO_BYTES),
	    ST_READY);
	drops_frame("a message that is not handled here", MSG_probe_reply, 0, 0, STR(NO_BYTES),
	    ST_READY);
}

static void
wrong_pieces(void)
{
	auto_done(buf) struct buf wire = buf_max(MiB(2));
	auto_free char *bytes = xcalloc(1, FRAME_BODY_MAX);
	int sealed = -1;

	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR(RUN));
	add_frame(&wire, MSG_vm_done, 0, 0, STR(NO_BYTES));
	drops("another message inside the pieces of one", buf_str(&wire), NULL, 0, ST_READY);

	buf_reset(&wire);
	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR(RUN));
	add_frame(&wire, MSG_vm_done, FRAME_MORE, 0, STR(NO_BYTES));
	drops("the pieces of two messages mixed", buf_str(&wire), NULL, 0, ST_READY);

	buf_reset(&wire);
	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR(RUN));
	add_frame(&wire, MSG_vm_text, FRAME_SEALED, 1, STR("\14\0\0\0\0\0\0\0"));
	if (fd_seal_new(STR(RUN NO_BYTES), &sealed, &e) < 0)
		ok(false, "sealed: %s", e.text);
	drops("sealed memory inside the pieces of a message", buf_str(&wire), &sealed, 1,
	    ST_READY);
	close(sealed);

	buf_reset(&wire);
	for (int i = 0; i < 9; i++)
		add_frame(&wire, MSG_vm_text, FRAME_MORE, 0,
		    (struct str){ bytes, FRAME_BODY_MAX });
	{
		struct side core;
		int fd = bare_init(&core);
		size_t at = 0;

		while (at < wire.n && !core.closed) {
			ssize_t n =
			    send(fd, wire.p + at, wire.n - at, MSG_DONTWAIT | MSG_NOSIGNAL);

			at += n > 0 ? (size_t)n : 0;
			if (loop_turn(&loop, 0, &e) < 0)
				break;
		}
		settle();
		ok(core.closed == 1 && core.why.code == ERR_PROTO,
		    "pieces that go over the maximum: %s", core.why.text);
		side_done(&core);
		close(fd);
	}
}

#define SIZE_12 "\14\0\0\0\0\0\0\0"

static void
wrong_memory(void)
{
	static const struct str size_12 = STR(SIZE_12);
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	auto_fd int unsealed = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	auto_fd int half = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	auto_fd int sealed = -1;
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct str body = STR(RUN NO_BYTES);

	ok(fd_write_all(unsealed, body, &e) == 0 && fd_write_all(half, body, &e) == 0 &&
		fcntl(half, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW) == 0 &&
		fd_seal_new(body, &sealed, &e) == 0,
	    "memory without seals, with some, with all");
	add_frame(&wire, MSG_vm_text, FRAME_SEALED, 1, size_12);
	drops("memory without seals", buf_str(&wire), &unsealed, 1, ST_READY);
	drops("memory with some seals", buf_str(&wire), &half, 1, ST_READY);
	drops("a descriptor that is no memory", buf_str(&wire), &null, 1, ST_READY);
	drops("sealed memory that did not come", buf_str(&wire), NULL, 0, ST_READY);
	drops("sealed memory at the wrong time", buf_str(&wire), &sealed, 1, ST_NEW);
	buf_reset(&wire);
	add_frame(&wire, MSG_vm_text, FRAME_SEALED, 1, STR("\13\0\0\0\0\0\0\0"));
	drops("sealed memory that is larger than was said", buf_str(&wire), &sealed, 1,
	    ST_READY);
	buf_reset(&wire);
	add_frame(&wire, MSG_vm_text, FRAME_SEALED, 1, STR("\15\0\0\0\0\0\0\0"));
	drops("sealed memory that is smaller", buf_str(&wire), &sealed, 1, ST_READY);
	buf_reset(&wire);
	add_frame(&wire, MSG_vm_text, FRAME_SEALED, 1, STR("\0\0\0\0\0\0\0\200"));
	drops("sealed memory of an absurd size", buf_str(&wire), &sealed, 1, ST_READY);
	buf_reset(&wire);
	add_frame(&wire, MSG_run_start, FRAME_SEALED, 1, size_12);
	drops("sealed memory with another role's message", buf_str(&wire), &sealed, 1,
	    ST_READY);
	buf_reset(&wire);
	buf_add(&wire, STR("\10\0\0\0"));
	buf_addc(&wire, (char)MSG_vm_text);
	buf_add(&wire, STR("\0\2\0" SIZE_12));
	drops("sealed memory that says it has no descriptor", buf_str(&wire), &sealed, 1,
	    ST_READY);
}

static void
too_many_descriptors(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	int fds[16];

	for (size_t i = 0; i < COUNT(fds); i++)
		fds[i] = memfd_create("test", MFD_CLOEXEC);
	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN));
	drops("three descriptors at once", buf_str(&wire), fds, 3, ST_READY);
	drops("sixteen", buf_str(&wire), fds, 16, ST_READY);
	{
		unsigned before = leak_fds();
		struct side core;
		int fd = bare_init(&core);

		buf_reset(&wire);
		add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN NO_BYTES));
		for (int i = 0; i < 40; i++) {
			if (!send_with_fds(fd, buf_str(&wire), fds, 2))
				ok(false, "sent");
			settle();
		}
		ok(core.peer.fds_n <= PEER_FDS_MAX && leak_fds() <= before + 2 + PEER_FDS_MAX,
		    "descriptors that no frame names pile up to a maximum");
		side_done(&core);
		close(fd);
		is_int(leak_fds(), before, "and go with the peer");
	}
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
}

/* What came whole before the fault is heard, what comes behind it is not. */
static void
before_and_behind(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	struct side core;
	int fd = bare_init(&core);

	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0a"));
	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0\xff"));
	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0b"));
	ok(send_with_fds(fd, buf_str(&wire), NULL, 0), "three messages, the second is wrong");
	settle();
	ok(core.closed == 1 && core.heard == 1, "the first is heard alone");
	is_str(buf_text(&core.text), "a", "that one");
	side_done(&core);
	close(fd);
}

/* ---- the end ---- */

static void
other_side_closes(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	struct side core;
	int fd = bare_init(&core);

	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0a"));
	buf_add(&wire, STR("\1\0"));
	ok(send_with_fds(fd, buf_str(&wire), NULL, 0), "a message and a part of one");
	close(fd);
	settle();
	ok(core.heard == 1 && core.closed == 1 && core.why.code == ERR_CLOSED,
	    "the message is heard, then the end: %s", core.why.text);
	is_int(say_text(&core, 1, STR("x")), -ERR_CLOSED, "it is closed for sending");
	side_done(&core);

	fd = bare_init(&core);
	close(fd);
	is_int(peer_send(&core.peer, MSG_vm_cancel, &(struct msg_vm_cancel){ .run = 1 }, &e),
	    -ERR_CLOSED, "sending to one that has gone");
	settle();
	ok(core.closed == 1, "is told once");
	side_done(&core);
}

static void
handlers_that_refuse(void)
{
	struct msg_vm_cancel cancel = { .run = 13 };
	struct msg_probe_ask probe = { .number = 1 };
	struct side core, js;

	pair_init(&core, &js);
	is_int(peer_send(&core.peer, MSG_vm_cancel, &cancel, &e), 0,
	    "a message its handler refuses");
	is_int(peer_send(&core.peer, MSG_vm_cancel, &cancel, &e), 0, "and another");
	settle();
	ok(js.closed == 1 && js.why.code == ERR_LIMIT && js.heard == 0, "drops the peer: %s",
	    js.why.text);
	pair_done(&core, &js);

	pair_init(&core, &js);
	is_int(peer_send(&core.peer, MSG_probe_ask, &probe, &e), 0,
	    "a message whose handler drops");
	cancel.run = 1;
	is_int(peer_send(&core.peer, MSG_vm_cancel, &cancel, &e), 0, "and one behind it");
	settle();
	ok(js.closed == 1 && js.why.code == ERR_DENIED && js.heard == 0,
	    "the first reason counts: %s", js.why.text);
	pair_done(&core, &js);
}

/* From outside of its handlers, with an other side that says nothing and reads nothing. */
static void
dropped_from_outside(void)
{
	auto_free char *bytes = xcalloc(1, TEXT_LINE_MAX);
	struct side core, js;
	struct err mine;

	memset(bytes, 'q', TEXT_LINE_MAX);
	err_set(&mine, ERR_CANCELLED, "enough");
	pair_init(&core, &js);
	loop_remove(&js.peer.source);
	peer_drop(&core.peer, &mine);
	settle();
	ok(core.closed == 1 && core.why.code == ERR_CANCELLED,
	    "a silent peer that is dropped is closed");
	pair_done(&core, &js);

	pair_init(&core, &js);
	loop_remove(&core.peer.source);
	while (say_text(&js, 1, (struct str){ bytes, TEXT_LINE_MAX }) == 0)
		;
	peer_drop(&js.peer, &mine);
	is_int(js.closed, 0, "not at once");
	settle();
	ok(js.closed == 1 && js.why.code == ERR_CANCELLED, "so is one that does not read");
	pair_done(&core, &js);

	pair_init(&core, &js);
	peer_drop(&core.peer, &mine);
	pair_done(&core, &js);
	settle();
	is_int(core.closed, 0, "one that is done meanwhile calls nobody");
}

static unsigned freed;

static void
free_owner(struct peer *p, const struct err *why)
{
	struct side *s = side_of(p);

	(void)why;
	side_done(s);
	free(s);
	freed++;
}

static void
freed_when_closed(void)
{
	struct side *core = xcalloc(1, sizeof(*core));
	struct err mine;
	int fd = bare_init(core);

	err_set(&mine, ERR_CANCELLED, "enough");
	core->peer.on_closed = free_owner;
	if (!send_with_fds(fd, STR("garbage, and more of it"), NULL, 0))
		ok(false, "sent");
	settle();
	is_int(freed, 1, "an owner may free the peer when it is closed by a fault");
	close(fd);
	core = xcalloc(1, sizeof(*core));
	fd = bare_init(core);
	core->peer.on_closed = free_owner;
	peer_drop(&core->peer, &mine);
	settle();
	is_int(freed, 2, "and by itself");
	close(fd);
	core = xcalloc(1, sizeof(*core));
	fd = bare_init(core);
	core->peer.on_closed = free_owner;
	close(fd);
	settle();
	is_int(freed, 3, "and by the other side");
}

static void
byte_by_byte(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(4));
	struct side core;
	int fd = bare_init(&core);
	bool good = true;

	core.peer.state = ST_NEW;
	add_frame(&wire, MSG_js_hello, 0, 0, STR("\1\0\0\0e" NO_BYTES NO_BYTES NO_BYTES));
	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR(RUN "\3\0\0\0"));
	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR(""));
	add_frame(&wire, MSG_vm_text, FRAME_MORE, 0, STR("ab"));
	add_frame(&wire, MSG_vm_text, 0, 0, STR("c"));
	add_frame(&wire, MSG_vm_text, 0, 0, STR(RUN "\1\0\0\0d"));
	for (size_t i = 0; i < wire.n; i++) {
		good = send(fd, wire.p + i, 1, MSG_NOSIGNAL) == 1 && good;
		good = loop_turn(&loop, 0, &e) == 0 && good;
	}
	ok(good && core.heard == 3 && !core.closed, "a conversation of single bytes is heard");
	is_str(buf_text(&core.text), "eabcd", "as it was meant");
	side_done(&core);
	close(fd);
}

static void
beginnings(void)
{
	struct peer p = { 0 };

	peer_done(&p);
	is_int(peer_init(&p, &loop, -1, ROLE_CORE, ROLE_JS, &core_hears, on_closed, &e),
	    -ERR_SYS, "no peer without a descriptor");
	peer_done(&p);
	peer_done(&p);
	ok(true, "a peer that never was is done safely");
}

int
main(void)
{
	unsigned before = leak_fds();

	if (loop_init(&loop, &e) < 0)
		return 1;
	talk();
	large_bodies();
	little_by_little();
	nobody_reads();
	always_behind();
	flood();
	with_descriptors();
	not_taken();
	left_in_the_queue();
	wrong_messages();
	wrong_pieces();
	wrong_memory();
	too_many_descriptors();
	before_and_behind();
	other_side_closes();
	handlers_that_refuse();
	dropped_from_outside();
	freed_when_closed();
	byte_by_byte();
	beginnings();
	loop_done(&loop);
	is_int(leak_fds(), before, "every descriptor is closed");
	return tap_done();
}
