/* SPDX-License-Identifier: MIT */
#include "mcp/lines.h"

#include "base/fd.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MAX KiB(64) /* in one turn */
#define DROP_MAX MiB(1)  /* sent bytes that stay at the front of the queue */

/* What a peer has the other end of. Files and terminals are shared with others, who may want to block. */
static bool
has_peer(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* ---- in ---- */

static void
read_on(struct lines_in *in)
{
	if (in->loop && in->plain && !in->paused && !in->ended)
		loop_timer(in->loop, &in->again, 0);
}

static void
give(struct lines_in *in, struct str line)
{
	if (!in->begun && str_starts(line, STR("\xef\xbb\xbf")))
		line = str_from(line, 3);
	in->begun = true;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (in->skipping)
		in->skipping = false;
	else if (line.n > in->line_max)
		in->events->on_long(in);
	else if (str_trim(line).n)
		in->events->on_line(in, line);
}

/* Every whole line that is there, until a pause. */
static void
give_lines(struct lines_in *in)
{
	size_t at = 0;

	in->handling = true;
	while (in->loop && !in->paused) {
		size_t from = MAX(at, in->looked);
		const char *end = in->held.n > from
				      ? memchr(in->held.p + from, '\n', in->held.n - from)
				      : NULL;
		size_t next;

		if (!end)
			break;
		next = (size_t)(end - in->held.p) + 1;
		give(in, (struct str){ in->held.p + at, next - 1 - at });
		at = next;
		in->looked = at;
	}
	in->handling = false;
	if (!in->loop) {
		buf_done(&in->held);
		return;
	}
	buf_drop(&in->held, at);
	in->looked = in->paused ? 0 : in->held.n;
	/* What is too long is told of as soon as it is, and not kept. */
	if (!in->paused && (in->skipping || in->held.n > in->line_max)) {
		if (!in->skipping)
			in->events->on_long(in);
		in->skipping = true;
		in->begun = true;
		in->looked = 0;
		buf_reset(&in->held);
	}
}

static void
end(struct lines_in *in)
{
	loop_remove(&in->source);
	in->ended = true;
	in->handling = true;
	if (in->held.n)
		give(in, buf_str(&in->held));
	in->handling = false;
	buf_done(&in->held);
	if (in->loop)
		in->events->on_end(in);
}

static void
read_some(struct lines_in *in)
{
	char *room = buf_space(&in->held, READ_MAX);
	ssize_t n;

	assert(room); /* give_lines leaves at most line_max */
	do
		n = read(in->fd, room, READ_MAX);
	while (n < 0 && errno == EINTR);
	in->held.n -= READ_MAX - (size_t)MAX(n, 0);
	if (n > 0)
		give_lines(in);
	else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		end(in);
	read_on(in);
}

static void
on_readable(struct source *s, uint32_t events)
{
	(void)events;
	read_some(container_of(s, struct lines_in, source));
}

/* What is held comes first, then the descriptor is waited for again. */
static void
on_again(struct timer *t)
{
	struct lines_in *in = container_of(t, struct lines_in, again);
	struct err e;

	if (in->held.n)
		give_lines(in);
	if (!in->loop || in->paused || in->ended)
		return;
	if (in->plain)
		read_some(in);
	else if (!in->source.loop && loop_add(in->loop, &in->source, in->fd, EPOLLIN, &e) < 0)
		end(in);
}

int
lines_in_open(struct lines_in *in, struct loop *loop, int fd, size_t line_max,
    const struct lines_in_events *events, struct err *e)
{
	int r = has_peer(fd) ? fd_nonblock(fd, e) : 0;

	*in = (struct lines_in){
		.events = events,
		.loop = loop,
		.source.on_ready = on_readable,
		.again.on_due = on_again,
		.fd = fd,
		.line_max = line_max,
		.held = buf_max(line_max + READ_MAX + KiB(1)),
	};
	if (r < 0)
		return r;
	r = loop_add(loop, &in->source, fd, EPOLLIN, e);
	if (r < 0 && e->sys == EPERM) {
		in->plain = true;
		r = 0;
	}
	read_on(in);
	return r;
}

void
lines_in_close(struct lines_in *in)
{
	if (!in->loop)
		return;
	loop_remove(&in->source);
	loop_timer_cancel(&in->again);
	in->loop = NULL;
	if (!in->handling)
		buf_done(&in->held);
}

void
lines_pause(struct lines_in *in)
{
	in->paused = true;
	loop_remove(&in->source); /* a closed one would be ready all the time */
}

void
lines_resume(struct lines_in *in)
{
	if (!in->paused)
		return;
	in->paused = false;
	if (in->loop && !in->ended)
		loop_timer(in->loop, &in->again, 0);
}

/* ---- out ---- */

static void
breaks(struct lines_out *out)
{
	if (out->broken)
		return;
	out->broken = true;
	loop_remove(&out->source);
	out->events->on_broken(out);
}

static void
write_some(struct lines_out *out)
{
	struct err e;
	bool waits = false;

	while (out->sent < out->queue.n && !waits && !out->broken) {
		ssize_t n = write(out->fd, out->queue.p + out->sent, out->queue.n - out->sent);

		if (n > 0)
			out->sent += (size_t)n;
		else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			waits = true;
		else if (n < 0 && errno != EINTR)
			breaks(out);
	}
	if (out->broken)
		return;
	if (out->sent == out->queue.n) {
		buf_reset(&out->queue);
		out->sent = 0;
	} else if (out->sent > DROP_MAX) {
		buf_drop(&out->queue, out->sent);
		out->sent = 0;
	}
	if (!out->plain && waits != out->waiting) {
		out->waiting = waits;
		if (loop_change(&out->source, waits ? EPOLLOUT : 0, &e) < 0)
			breaks(out);
	}
}

static void
on_writable(struct source *s, uint32_t events)
{
	struct lines_out *out = container_of(s, struct lines_out, source);

	if (events & (EPOLLERR | EPOLLHUP))
		breaks(out);
	else
		write_some(out);
	if (!out->broken && !lines_pending(out))
		out->events->on_drained(out);
}

int
lines_out_open(struct lines_out *out, struct loop *loop, int fd, size_t queue_max,
    const struct lines_out_events *events, struct err *e)
{
	int r = has_peer(fd) ? fd_nonblock(fd, e) : 0;

	*out = (struct lines_out){
		.events = events,
		.source.on_ready = on_writable,
		.queue = buf_max(queue_max),
		.fd = fd,
	};
	if (r < 0)
		return r;
	r = loop_add(loop, &out->source, fd, 0, e);
	if (r < 0 && e->sys == EPERM) {
		out->plain = true;
		r = 0;
	}
	return r;
}

void
lines_out_close(struct lines_out *out)
{
	loop_remove(&out->source);
	buf_done(&out->queue);
}

void
lines_put(struct lines_out *out, struct str line)
{
	if (out->broken)
		return;
	buf_add(&out->queue, line);
	buf_addc(&out->queue, '\n');
	if (!buf_ok(&out->queue))
		breaks(out);
	else if (!out->waiting)
		write_some(out);
}

size_t
lines_pending(const struct lines_out *out)
{
	return out->queue.n - out->sent;
}
