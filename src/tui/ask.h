/* SPDX-License-Identifier: MIT */
/*
 * A question on a terminal: a text that can be gone through, and keys that answer. No terminal is
 * touched here: keys, sizes and time come in, a screen comes out.
 *
 * What may be allowed is allowed by one key alone, pressed when its row was on the screen for
 * ASK_ARM_NS without a key before it, followed by ASK_QUIET_NS without another byte, and after the end
 * of the text was on the screen. So nothing that was typed ahead, pasted or sent by the terminal itself
 * allows anything.
 *
 *	ask_text(&a, STR("why it is asked"));
 *	ask_quote(&a, hostile);
 *	ask_choice(&a, 'a', 1, "Allow once", true);
 *	ask_size(&a, 80, 24);
 *	ask_draw(&a, &screen);
 */
#ifndef TUI_ASK_H
#define TUI_ASK_H

#include "tui/keys.h"
#include "tui/show.h"

#define ASK_ARM_NS      400000000ull
#define ASK_QUIET_NS    80000000ull
#define ASK_CHOICES_MAX 4
#define ASK_ROWS_LEAST  8
#define ASK_WIDTH_LEAST 30
#define ASK_TEXT_MAX    MiB(64)

enum ask_end {
	ASK_OPEN,
	ASK_CHOSEN,   /* `chosen` is what */
	ASK_LEFT,     /* without an answer */
	ASK_INTERRUPT /* the person wants all of it to stop */
};

struct ask_choice {
	char key;
	unsigned answer;
	bool grants; /* else it may be chosen before the end of the text was seen */
	const char *label;
};

struct ask {
	struct buf title;
	struct buf text; /* lines, as show_line has them */
	struct ask_choice choices[ASK_CHOICES_MAX];
	size_t choices_n;
	bool plain; /* a terminal that cannot place text: all of it is written at once */
	unsigned width, height;
	size_t *rows; /* where each row of the screen's width begins in text */
	size_t rows_n, top;
	bool armed;
	bool seen;  /* the end of the text was on the screen */
	bool waits; /* for quiet behind the key of `candidate` */
	unsigned candidate;
	unsigned chosen;
	enum ask_end end;
};

void ask_init(struct ask *a, struct str title);
void ask_done(struct ask *a);
/* Words of our own, which may name what is not; an empty line with nothing. */
void ask_text(struct ask *a, struct str text);
/* Text of somebody else: each line behind a bar that it cannot write. */
void ask_quote(struct ask *a, struct str text);
/* label is borrowed. */
void ask_choice(struct ask *a, struct ask_choice choice);
/* False when the text was too much to be shown: then it must not be asked. */
bool ask_ok(const struct ask *a);

/* The terminal's size, as it is from now on; what was pressed before does not count. */
void ask_size(struct ask *a, unsigned width, unsigned height);
/* Everything, for a screen with nothing else on it. */
void ask_draw(struct ask *a, struct buf *ret_screen);
/*
 * One key, true when the screen must be drawn again. *ret_more: bytes have come behind it already, or
 * are part of something larger.
 */
bool ask_key(struct ask *a, int key);
/* Something came that is no key of its own, or came before keys count: it chooses nothing. */
void ask_disturbed(struct ask *a);
/* ASK_ARM_NS after it was drawn, with nothing typed in between. */
void ask_arm(struct ask *a);
/* ASK_QUIET_NS after a key, with nothing behind it. */
void ask_quiet(struct ask *a);

#endif
