/* SPDX-License-Identifier: MIT */
/*
 * Where a text is in a file, byte for byte, and, where it is not, what is nearest and why that is
 * another text. Pure; any bytes may be given. Time is bounded: a file of 1 MiB takes milliseconds.
 *
 *	match_find(file, wanted, &found);
 *	if (found.count == 0)
 *		match_explain(file, wanted, &words);
 */
#ifndef TOOL_MATCH_H
#define TOOL_MATCH_H

#include "base/buf.h"

#define MATCH_COUNT_MAX 1000 /* places that are counted */
#define MATCH_LINES_MAX 20   /* of them, those whose lines are told */

struct match_found {
	size_t count; /* also of places that overlap; MATCH_COUNT_MAX: so many or more */
	size_t at;    /* the first one's byte */
	size_t lines[MATCH_LINES_MAX]; /* from 1, where they begin */
};

/* wanted is not empty. */
void match_find(struct str text, struct str wanted, struct match_found *ret_found);
/* Appends one phrase about why wanted is not in text: the line, the byte, what differs there. */
void match_explain(struct str text, struct str wanted, struct buf *ret_words);

#endif
