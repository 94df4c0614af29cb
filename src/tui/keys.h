/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a terminal as keys. What a terminal says by itself (reports, answers to queries, mouse,
 * focus), keys with modifiers, characters beyond ASCII and pasted text are no keys that choose
 * anything: they come as KEY_OTHER, pasted text as one KEY_PASTE.
 *
 *	key = keys_feed(&k, byte);	KEY_NONE: more bytes are needed
 *	key = keys_quiet(&k);		nothing has followed for a while: a lone escape is a key
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "base/base.h"

#define KEY_NONE 0 /* and 1 to 126: that character or control character */

enum key {
	KEY_ESCAPE = 256,
	KEY_UP,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_PASTE,
	KEY_OTHER,
};

struct keys {
	int state;
	unsigned left;    /* bytes that belong to what began */
	unsigned matched; /* of the end of a paste */
	char sequence[16];
	unsigned n;
};

int keys_feed(struct keys *k, unsigned char byte);
int keys_quiet(struct keys *k);
/* Whether something has begun and not ended: what comes is not a key of its own. */
bool keys_inside(const struct keys *k);

#endif
