/* SPDX-License-Identifier: MIT */
/*
 * Text for somebody who decides by what it says: nothing in it is hidden, moved or overdrawn. Letters
 * and signs that take room and stand where they are written are shown; anything else - controls, tabs,
 * blanks that are no space, marks that join the letter before, what is written from right to left, what
 * has no form at all - is spelled out, between SHOW_MARK and SHOW_END.
 */
#ifndef TUI_SHOW_H
#define TUI_SHOW_H

#include "base/buf.h"

/* Around what is spelled out; in no shown text otherwise. */
#define SHOW_MARK '\1'
#define SHOW_END  '\2'

/* One line: line feeds are spelled out, too. */
void show_line(struct str s, struct buf *ret_shown);
/* Columns of shown text, at most: terminals differ about how wide a character beyond ASCII is. */
#define SHOW_WIDE 2

#endif
