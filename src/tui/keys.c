/* SPDX-License-Identifier: MIT */
#include "tui/keys.h"

enum { GROUND, ESCAPE, CSI, SS3, STRING, STRING_ESCAPE, FOLLOWING, PASTE };

static const char paste_end[] = "\033[201~";

static int
end(struct keys *k, int key)
{
	*k = (struct keys){ GROUND };
	return key;
}

static int
plain(struct keys *k, unsigned char byte)
{
	if (byte == 0x1b) {
		k->state = ESCAPE;
		return KEY_NONE;
	}
	if (byte == 0 || byte == 0x7f)
		return KEY_OTHER;
	if (byte < 0x80)
		return byte;
	/* The rest of a character; bytes that start none are other keys by themselves. */
	k->left = byte > 0xf4 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
	if (!k->left)
		return KEY_OTHER;
	k->state = FOLLOWING;
	return KEY_NONE;
}

static int
escaped(struct keys *k, unsigned char byte)
{
	switch (byte) {
	case '[':
		k->state = CSI;
		return KEY_NONE;
	case 'O':
		k->state = SS3;
		return KEY_NONE;
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		k->state = STRING;
		return KEY_NONE;
	case 0x1b:
		return KEY_NONE;
	default: /* a key with a modifier */
		return end(k, KEY_OTHER);
	}
}

/* A sequence without parameters, or of the kind N~. */
static int
named(struct keys *k, unsigned char last)
{
	static const struct {
		const char *sequence;
		int key;
	} names[] = {
		{ "A", KEY_UP },
		{ "B", KEY_DOWN },
		{ "H", KEY_HOME },
		{ "F", KEY_END },
		{ "1~", KEY_HOME },
		{ "4~", KEY_END },
		{ "5~", KEY_PAGE_UP },
		{ "6~", KEY_PAGE_DOWN },
		{ "7~", KEY_HOME },
		{ "8~", KEY_END },
	};

	k->sequence[MIN(k->n, (unsigned)sizeof(k->sequence) - 2)] = (char)last;
	k->sequence[MIN(k->n, (unsigned)sizeof(k->sequence) - 2) + 1] = '\0';
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(k->sequence, names[i].sequence) == 0)
			return end(k, names[i].key);
	}
	return end(k, KEY_OTHER);
}

static int
sequence(struct keys *k, unsigned char byte)
{
	if (byte == 0x1b) { /* it was broken off */
		k->state = ESCAPE;
		k->n = 0;
		return KEY_NONE;
	}
	if (byte < 0x40 && k->state == CSI) {
		if (k->n < sizeof(k->sequence) - 2)
			k->sequence[k->n++] = (char)byte;
		return KEY_NONE;
	}
	if (k->state == CSI && byte == 'M' && k->n == 0) { /* a mouse: three bytes follow */
		k->state = FOLLOWING;
		k->left = 3;
		return KEY_NONE;
	}
	if (k->state == CSI && byte == '~' && k->n == 3 && memcmp(k->sequence, "200", 3) == 0) {
		*k = (struct keys){ PASTE };
		return KEY_NONE;
	}
	return named(k, byte);
}

static int
pasted(struct keys *k, unsigned char byte)
{
	if (byte == (unsigned char)paste_end[k->matched])
		k->matched++;
	else
		k->matched = byte == 0x1b;
	return k->matched == sizeof(paste_end) - 1 ? end(k, KEY_PASTE) : KEY_NONE;
}

int
keys_feed(struct keys *k, unsigned char byte)
{
	switch (k->state) {
	case ESCAPE:
		return escaped(k, byte);
	case CSI:
	case SS3:
		return sequence(k, byte);
	case STRING:
		if (byte == 0x07)
			return end(k, KEY_OTHER);
		if (byte == 0x1b)
			k->state = STRING_ESCAPE;
		return KEY_NONE;
	case STRING_ESCAPE:
		k->state = STRING;
		return byte == '\\' ? end(k, KEY_OTHER) : KEY_NONE;
	case FOLLOWING:
		return --k->left ? KEY_NONE : end(k, KEY_OTHER);
	case PASTE:
		return pasted(k, byte);
	default:
		return plain(k, byte);
	}
}

int
keys_quiet(struct keys *k)
{
	if (k->state == GROUND || k->state == PASTE)
		return KEY_NONE;
	return end(k, k->state == ESCAPE ? KEY_ESCAPE : KEY_OTHER);
}

bool
keys_inside(const struct keys *k)
{
	return k->state != GROUND;
}
