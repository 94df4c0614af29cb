/* SPDX-License-Identifier: MIT */
/* UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

/*
 * The length in bytes (1-4) of the well-formed sequence at the start of s, its code point in
 * *ret_point when ret_point is given; 0 when s is empty or does not start with one.
 */
size_t utf8_next(struct str s, uint32_t *ret_point);
bool utf8_valid(struct str s);
/* Code points in valid UTF-8. */
size_t utf8_count(struct str s);
/* The longest part of valid UTF-8 from the start with at most `points` code points. */
struct str utf8_head(struct str s, size_t points);
/* Appends s with each ill-formed byte replaced by U+FFFD; cut where the buffer is full. */
void utf8_scrub(struct str s, struct buf *ret_clean);
/*
 * Appends s for a terminal: line feeds and tabs stay, other control characters, bidirectional
 * overrides and zero-width characters are shown as \xNN or \u{N}; ill-formed bytes as \xNN.
 */
void utf8_show(struct str s, struct buf *ret_shown);
/*
 * The same for a message in a line of ours: without line feeds at its end, and every other line begins
 * with four blanks, so that none looks like one of ours.
 */
void utf8_show_message(struct str s, struct buf *ret_shown);
/*
 * Appends JSON, the same value: what utf8_show would change is written as \uNNNN, so that it neither
 * drives a terminal nor ends a line for anybody. At most three times as long.
 */
void utf8_show_json(struct str s, struct buf *ret_json);

#endif
