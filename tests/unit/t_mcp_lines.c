/* SPDX-License-Identifier: MIT */
#include "mcp/lines.h"

#include "base/fd.h"

#include "tap.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_LINE 10

static struct err e;
static struct loop loop;

struct reader {
	struct lines_in in;
	struct buf heard; /* each line in brackets, ! for one too long, . for the end */
	bool pausing;     /* after each line */
	bool closing;     /* at the first line */
};

static void
on_line(struct lines_in *in, struct str line)
{
	struct reader *r = container_of(in, struct reader, in);

	buf_addf(&r->heard, "[%.*s]", STR_ARG(line));
	if (r->pausing)
		lines_pause(in);
	if (r->closing)
		lines_in_close(in);
}

static void
on_long(struct lines_in *in)
{
	buf_addc(&container_of(in, struct reader, in)->heard, '!');
}

static void
on_end(struct lines_in *in)
{
	buf_addc(&container_of(in, struct reader, in)->heard, '.');
}

static const struct lines_in_events in_events = { on_line, on_long, on_end };

static void
turn(void)
{
	for (int i = 0; i < 20; i++)
		(void)!loop_turn(&loop, 0, &e);
}

/* What is heard when the pieces come one after the other. */
static void
hears(const char *const *pieces, const char *want, const char *name)
{
	struct reader r = { .heard = buf_max(KiB(4)) };
	int fds[2];

	(void)!pipe2(fds, O_CLOEXEC);
	ok(lines_in_open(&r.in, &loop, fds[0], MAX_LINE, &in_events, &e) == 0, "opened");
	for (size_t i = 0; pieces[i]; i++) {
		(void)!fd_write_all(fds[1], str_of(pieces[i]), &e);
		turn();
	}
	close(fds[1]);
	turn();
	is_str(buf_text(&r.heard), want, name);
	lines_in_close(&r.in);
	close(fds[0]);
	buf_done(&r.heard);
}

#define P(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
cuts_lines(void)
{
	hears(P(""), ".", "nothing");
	hears(P("a\n"), "[a].", "one");
	hears(P("a\nb\nc\n"), "[a][b][c].", "three at once");
	hears(P("a", "b", "\n", "c\n"), "[ab][c].", "in pieces");
	hears(P("a\r\nb\r\n"), "[a][b].", "carriage returns");
	hears(P("\n\r\n \t\na\n"), "[a].", "empty ones");
	hears(P("\xef\xbb\xbf"
		"a\n\xef\xbb\xbf"
		"b\n"),
	    "[a][\xef\xbb\xbf"
	    "b].",
	    "a mark at the very beginning alone");
	hears(P("a\nb"), "[a][b].", "none at the end");
	hears(P("0123456789\n"), "[0123456789].", "as long as may be");
	hears(P("0123456789a\nb\n"), "![b].", "one longer");
	hears(P("0123456789a", "bcdefgh", "ijkl\nm\n"), "![m].", "told of once, and skipped");
	hears(P("0123456789abcdefghijkl"), "!.", "no end of it");
	hears(P("0123456789", "\n", "0123456789", "a", "\n"), "[0123456789]!.",
	    "the maximum in pieces");
}

static void
pauses(void)
{
	struct reader r = { .heard = buf_max(KiB(4)), .pausing = true };
	int fds[2];

	(void)!pipe2(fds, O_CLOEXEC);
	(void)!lines_in_open(&r.in, &loop, fds[0], MAX_LINE, &in_events, &e);
	(void)!fd_write_all(fds[1], STR("a\nb\nc\nd"), &e);
	close(fds[1]);
	turn();
	is_str(buf_text(&r.heard), "[a]", "after a line it is paused");
	turn();
	is_str(buf_text(&r.heard), "[a]", "and stays so, though the other end is closed");
	lines_resume(&r.in);
	lines_resume(&r.in);
	turn();
	is_str(buf_text(&r.heard), "[a][b]", "what was read comes next");
	r.pausing = false;
	lines_resume(&r.in);
	turn();
	is_str(buf_text(&r.heard), "[a][b][c][d].", "nothing is lost");
	lines_in_close(&r.in);
	close(fds[0]);
	buf_reset(&r.heard);
	r.closing = true;
	(void)!pipe2(fds, O_CLOEXEC);
	(void)!lines_in_open(&r.in, &loop, fds[0], MAX_LINE, &in_events, &e);
	(void)!fd_write_all(fds[1], STR("a\nb\n"), &e);
	turn();
	is_str(buf_text(&r.heard), "[a]", "closed from inside");
	close(fds[0]);
	close(fds[1]);
	buf_done(&r.heard);
}

struct writer {
	struct lines_out out;
	unsigned broken, drained;
};

static void
on_broken(struct lines_out *out)
{
	container_of(out, struct writer, out)->broken++;
}

static void
on_drained(struct lines_out *out)
{
	container_of(out, struct writer, out)->drained++;
}

static const struct lines_out_events out_events = { on_broken, on_drained };

/* All that the other end has now. */
static size_t
take(int fd, struct buf *ret_text)
{
	char piece[4096];
	size_t all = 0;
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT)) > 0) {
		buf_add(ret_text, (struct str){ piece, (size_t)n });
		all += (size_t)n;
	}
	return all;
}

static void
waits_for_room(void)
{
	struct writer w = { 0 };
	auto_done(buf) struct buf got = buf_max(MiB(4));
	char line[1000];
	size_t lines = 0;
	int fds[2];

	memset(line, 'x', sizeof(line));
	(void)!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	ok(lines_out_open(&w.out, &loop, fds[0], MiB(4), &out_events, &e) == 0, "opened");
	while (lines_pending(&w.out) < MiB(1)) {
		lines_put(&w.out, (struct str){ line, sizeof(line) });
		lines++;
	}
	ok(w.broken == 0 && w.drained == 0, "nobody reads: it is kept");
	while (lines_pending(&w.out)) {
		take(fds[1], &got);
		turn();
	}
	take(fds[1], &got);
	is_int(got.n, lines * (sizeof(line) + 1), "all came");
	ok(w.drained >= 1, "and it is told when all is gone");
	for (size_t i = sizeof(line); i < got.n; i += sizeof(line) + 1) {
		if (got.p[i] != '\n')
			lines = 0;
	}
	ok(lines != 0, "line for line");
	while (!w.broken)
		lines_put(&w.out, (struct str){ line, sizeof(line) });
	is_int(w.broken, 1, "over the maximum it is broken, once");
	lines_put(&w.out, STR("more"));
	is_int(w.broken, 1, "and takes nothing more");
	lines_out_close(&w.out);
	close(fds[0]);
	close(fds[1]);
}

static void
notices_the_end(void)
{
	struct writer w = { 0 };
	int fds[2];

	(void)!pipe2(fds, O_CLOEXEC);
	(void)!lines_out_open(&w.out, &loop, fds[1], KiB(4), &out_events, &e);
	turn();
	is_int(w.broken, 0, "the reading end is there");
	close(fds[0]);
	turn();
	is_int(w.broken, 1, "it is closed: told of without a write");
	lines_out_close(&w.out);
	close(fds[1]);
}

int
main(void)
{
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	(void)!loop_init(&loop, &e);
	cuts_lines();
	pauses();
	waits_for_room();
	notices_the_end();
	loop_done(&loop);
	return tap_done();
}
