/* SPDX-License-Identifier: MIT */
/*
 * Where the code that runs stands in the source that was written: the engine speaks of lines and
 * bytes of the code, a person of lines and characters of the source.
 *
 * The pairs come out of a VM: any bytes. What is out of order or outside of the texts is dropped,
 * so the worst they do is to name a wrong place.
 */
#ifndef JS_PLACES_H
#define JS_PLACES_H

#include "base/buf.h"

#define PLACES_MAX MiB(16) /* bytes of pairs */

/* What stands in the code from `code` on stands in the source from `source` on; bytes. */
struct place_pair {
	uint32_t code, source;
};

struct place {
	uint32_t line, column; /* from 1; columns are code points */
};

/*
 * Appends struct place_pair to ret_pairs, made of pairs of 32-bit offsets that count UTF-16 units.
 */
void places_read(struct str pairs, struct str code, struct str source, struct buf *ret_pairs);
/*
 * The same of the mappings of a source map, of the text that src/js/eraser.h describes. They come
 * out of a guest, too: what is no mapping ends the reading. In the source they may go back.
 */
void places_decode(struct str mappings, struct str code, struct str source,
    struct buf *ret_pairs);
/*
 * The place in the source of a line and a column, from 1 and in bytes, of the code. Without pairs
 * both texts are one.
 */
struct place places_find(struct str pairs, struct str code, struct str source, uint32_t line,
    uint32_t column);

/* How many lines a text has; one that is empty has one. */
uint32_t places_lines(struct str text);

#endif
