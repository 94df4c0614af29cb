/* SPDX-License-Identifier: MIT */
/*
 * A question on a terminal: a text that can be gone through, and keys that answer. No terminal is
 * touched here: keys, sizes and time come in, a screen comes out.
 *
 * What may be allowed is allowed by one key alone, pressed when its row was on the screen for
 * DIALOG_ARM_NS without a key before it, followed by DIALOG_QUIET_NS without another byte, and after the end
 * of the text was on the screen. So nothing that was typed ahead, pasted or sent by the terminal itself
 * allows anything.
 *
 *	dialog_text(&a, STR("why it is asked"));
 *	dialog_quote(&a, hostile);
 *	dialog_choice(&a, (struct dialog_choice){ 'a', 1, true }, STR("Allow once"));
 *	dialog_size(&a, 80, 24);
 *	dialog_draw(&a, &screen);
 */
#ifndef TUI_DIALOG_H
#define TUI_DIALOG_H

#include "tui/keys.h"
#include "tui/show.h"

#define DIALOG_ARM_NS      400000000ull
#define DIALOG_QUIET_NS    80000000ull
#define DIALOG_CHOICES_MAX 4
#define DIALOG_ROWS_LEAST  10
#define DIALOG_WIDTH_LEAST 30
#define DIALOG_TEXT_MAX    MiB(64)

enum dialog_end {
	DIALOG_OPEN,
	DIALOG_CHOSEN,   /* `chosen` is what */
	DIALOG_LEFT,     /* without an answer */
	DIALOG_INTERRUPT /* the person wants all of it to stop */
};

struct dialog_choice {
	char key;
	unsigned answer;
	bool grants; /* else it may be chosen before the end of the text was seen */
	char label[64];
};

struct dialog {
	struct buf title;
	struct buf text; /* lines, as show_line has them */
	struct dialog_choice choices[DIALOG_CHOICES_MAX];
	size_t choices_n;
	bool plain; /* a terminal that cannot place text: all of it is written at once */
	unsigned width, height;
	size_t *rows; /* where each row of the screen's width begins in text */
	size_t rows_n, top;
	bool armed;
	bool seen;     /* the end of the text was on the screen */
	bool waits;    /* for quiet behind the key of `candidate` */
	bool settling; /* a key that goes through the text was pressed just now */
	bool drawn;
	unsigned candidate;
	unsigned chosen;
	enum dialog_end end;
};

void dialog_init(struct dialog *a, struct str title);
void dialog_done(struct dialog *a);
/* Words of our own, which may name what is not; an empty line with nothing. */
void dialog_text(struct dialog *a, struct str text);
/* Text of somebody else: each line behind a bar that it cannot write. */
void dialog_quote(struct dialog *a, struct str text);
/* The choice with this label. */
void dialog_choice(struct dialog *a, struct dialog_choice choice, struct str label);
/* False when the text was too much to be shown: then it must not be asked. */
bool dialog_ok(const struct dialog *a);

/* The terminal's size, as it is from now on; what was pressed before does not count. */
void dialog_size(struct dialog *a, unsigned width, unsigned height);
/* Everything, for a screen with nothing else on it. */
void dialog_draw(struct dialog *a, struct buf *ret_screen);
/* One key; true when the screen must be drawn again. */
bool dialog_key(struct dialog *a, int key);
/* Something came that chooses nothing, or came before keys count: they count again later. */
void dialog_disturbed(struct dialog *a);
/* DIALOG_ARM_NS after it was drawn, with nothing typed in between. */
void dialog_arm(struct dialog *a);
/* DIALOG_QUIET_NS after a key, with nothing behind it. */
void dialog_quiet(struct dialog *a);

#endif
