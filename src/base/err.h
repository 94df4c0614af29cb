/* SPDX-License-Identifier: MIT */
/*
 * One error object: a code to act on and a sentence to show.
 *
 * It lives on the caller's stack, setting it cannot fail. A function with more than one reason
 * to fail returns int (negative = -code) and takes `struct err *e` last. Library code sets and
 * wraps; a main reports once. Codes are few and mean an action:
 *
 *	SYS	   a system call failed, `sys` is its errno
 *	INVALID	   what was given is wrong: tell whoever gave it
 *	LIMIT	   a maximum was reached
 *	DENIED	   a policy or a wall said no
 *	NOTFOUND   the thing named is not there
 *	CANCELLED  somebody asked to stop
 *	PROTO	   a peer broke the protocol: drop it
 *	CLOSED	   the peer is gone
 *
 *	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
 *	if (fd < 0)
 *		return err_sys(e, "open '%s'", name);
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/base.h"

enum err_code {
	ERR_NONE,
	ERR_SYS,
	ERR_INVALID,
	ERR_LIMIT,
	ERR_DENIED,
	ERR_NOTFOUND,
	ERR_CANCELLED,
	ERR_PROTO,
	ERR_CLOSED,
};

#define ERR_TEXT_MAX 240

struct err {
	enum err_code code;
	int sys;                 /* errno for ERR_SYS, else 0 */
	char text[ERR_TEXT_MAX]; /* one sentence without a full stop; cut at the size */
};

/* Sets code and sentence; returns -code. */
int err_set(struct err *e, enum err_code code, const char *format, ...) like_printf(3, 4);
/* For a failed system call: appends meaning and name of errno; returns -ERR_SYS. */
int err_sys(struct err *e, const char *format, ...) like_printf(2, 3);
/* Puts context before the sentence already there, keeps the code; returns r. */
int err_wrap(struct err *e, int r, const char *format, ...) like_printf(3, 4);
/* The code's name in lower case, for logs. */
const char *err_name(enum err_code code);

#endif
