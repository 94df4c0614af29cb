/* SPDX-License-Identifier: MIT */
#include "tui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WRITE_WAIT_MS 2000 /* for a terminal that takes nothing */

/* Another screen, pasted text marked. */
#define ENTER "\033[?1049h\033[?2004h\033[2J"
#define LEAVE "\033[?2004l\033[?25h\033[?7h\033[0m\033[2J\033[?1049l"

static int
open_own(void)
{
	return open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

bool
term_attended(void)
{
	auto_fd int fd = open_own();
	unsigned own = 0, shown = 1;

	return fd >= 0 && ioctl(fd, TIOCGDEV, &own) == 0 &&
	       ioctl(STDERR_FILENO, TIOCGDEV, &shown) == 0 && own == shown &&
	       tcgetpgrp(fd) == getpgrp();
}

int
term_open(struct term *t, struct err *e)
{
	const char *kind = getenv("TERM");

	*t = (struct term){ .fd = open_own() };
	t->plain = !kind || !*kind || strcmp(kind, "dumb") == 0;
	if (t->fd < 0)
		return err_sys(e, "open the terminal");
	if (tcgetattr(t->fd, &t->before) < 0) {
		term_close(t);
		return err_sys(e, "look at the terminal");
	}
	return 0;
}

void
term_close(struct term *t)
{
	term_give_back(t);
	base_close_fd(&t->fd);
}

int
term_write(struct term *t, struct str text, struct err *e)
{
	while (text.n) {
		ssize_t n = write(t->fd, text.p, text.n);
		struct pollfd ready = { .fd = t->fd, .events = POLLOUT };

		if (n >= 0)
			text = str_from(text, (size_t)n);
		else if (errno == EAGAIN && poll(&ready, 1, WRITE_WAIT_MS) == 0)
			return err_set(e, ERR_CLOSED, "the terminal takes nothing");
		else if (errno != EAGAIN && errno != EINTR)
			return err_sys(e, "write to the terminal");
	}
	while (tcdrain(t->fd) < 0) {
		if (errno != EINTR)
			return err_sys(e, "write to the terminal");
	}
	return 0;
}

void
term_flush(struct term *t)
{
	tcflush(t->fd, TCIFLUSH);
}

int
term_take(struct term *t, struct err *e)
{
	struct termios raw = t->before;

	cfmakeraw(&raw);
	raw.c_oflag |= OPOST | ONLCR;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(t->fd, TCSAFLUSH, &raw) < 0)
		return err_sys(e, "take the terminal");
	t->taken = true;
	return t->plain ? 0 : term_write(t, STR(ENTER), e);
}

void
term_give_back(struct term *t)
{
	struct err e;

	if (!t->taken)
		return;
	t->taken = false;
	if (!t->plain && term_write(t, STR(LEAVE), &e) < 0)
		t->plain = true; /* it is gone, or nobody looks */
	/* What was typed meanwhile was for the question, not for what comes behind it. */
	tcsetattr(t->fd, TCSAFLUSH, &t->before);
}

void
term_size(const struct term *t, unsigned *ret_width, unsigned *ret_height)
{
	struct winsize size;
	bool known = ioctl(t->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;

	*ret_width = known ? size.ws_col : 80;
	*ret_height = known ? size.ws_row : 24;
}
