/* SPDX-License-Identifier: MIT */
/*
 * A script's source before the engine sees it: what models and editors put around code comes off,
 * without moving a line, and what is plainly not JavaScript is told apart. Pure; fuzzed.
 */
#ifndef JS_SOURCE_H
#define JS_SOURCE_H

#include "base/buf.h"
#include "ipc/language.h"

enum source_kind {
	SOURCE_SCRIPT,
	SOURCE_EMPTY, /* nothing but blanks */
	SOURCE_SHELL, /* a shell command */
};

/*
 * Appends the source without a byte order mark, with the lines of a surrounding code fence
 * (``` or ~~~, any language) blanked and an interpreter line made a comment. Never longer than the
 * input.
 */
enum source_kind source_prepare(struct str source, struct buf *ret_source);

/* What a surrounding code fence says of the language. */
enum language source_language(struct str source);

#endif
