/* SPDX-License-Identifier: MIT */
/*
 * What the broker asks the person at the terminal. The command shows it and passes the answer on;
 * nothing is decided here.
 */
#ifndef CMD_PROMPT_H
#define CMD_PROMPT_H

#include "ipc/msg.h"
#include "loop/loop.h"
#include "tui/dialog.h"
#include "tui/term.h"

struct prompt;

struct prompt {
	struct term term;
	struct dialog dialog;
	struct keys keys;
	struct source input;
	struct timer timer; /* until keys count, or until nothing follows a key */
	struct loop *loop;
	/* The answer as the question numbers it, 0 for none; interrupted: the person wants all to stop. */
	void (*on_end)(struct prompt *p, unsigned answer, bool interrupted);
	struct buf tool; /* what was asked about, for the line that is left of it */
	bool open;
};

/* Shows it. Negative: it could not be shown, and nothing was allowed. */
int prompt_open(struct prompt *p, struct loop *loop, const struct msg_client_question *m,
    struct err *e) must_use;
/* The terminal has another size, or was somebody else's in between. */
void prompt_again(struct prompt *p);
/* Without an answer; on_end is not called. */
void prompt_close(struct prompt *p);

#endif
