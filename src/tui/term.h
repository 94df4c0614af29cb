/* SPDX-License-Identifier: MIT */
/*
 * The terminal that this process belongs to, taken for a question and given back as it was.
 *
 *	r = term_open(&t, &e);
 *	term_take(&t);
 *	...			keys come from t.fd, which does not block
 *	term_give_back(&t);
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include "base/buf.h"
#include "base/err.h"

#include <termios.h>

struct term {
	int fd;
	struct termios before;
	bool taken, plain; /* plain: it cannot place text */
};

/*
 * Whether a person sits before this process: standard error is its controlling terminal, and the
 * process is in the foreground there, so that no other one reads the keys by right.
 */
bool term_attended(void);
int term_open(struct term *t, struct err *e) must_use;
void term_close(struct term *t);
/* Keys one by one, none of them a signal, no echo; another screen where there is one. Drops what was typed. */
int term_take(struct term *t, struct err *e) must_use;
void term_give_back(struct term *t);
/* Drops what was typed and not read. */
void term_flush(struct term *t);
/* Writes, and waits until it has left. */
int term_write(struct term *t, struct str text, struct err *e) must_use;
void term_size(const struct term *t, unsigned *ret_width, unsigned *ret_height);

#endif
