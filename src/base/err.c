/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int
err_set(struct err *e, enum err_code code, const char *format, ...)
{
	va_list ap;

	e->code = code;
	e->sys = 0;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	return -(int)code;
}

int
err_sys(struct err *e, const char *format, ...)
{
	int saved = errno;
	const char *name = strerrorname_np(saved);
	const char *meaning = strerrordesc_np(saved);
	va_list ap;
	size_t n;

	e->code = ERR_SYS;
	e->sys = saved;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s (%s)",
	    meaning ? meaning : "unknown error", name ? name : "?");
	errno = saved;
	return -(int)ERR_SYS;
}

int
err_wrap(struct err *e, int r, const char *format, ...)
{
	char whole[2 * ERR_TEXT_MAX];
	va_list ap;
	size_t n;

	va_start(ap, format);
	vsnprintf(whole, ERR_TEXT_MAX, format, ap);
	va_end(ap);
	n = strlen(whole);
	snprintf(whole + n, sizeof(whole) - n, ": %s", e->text);
	whole[ERR_TEXT_MAX - 1] = '\0';
	memcpy(e->text, whole, sizeof(e->text));
	return r;
}

const char *
err_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",
		[ERR_SYS] = "sys",
		[ERR_INVALID] = "invalid",
		[ERR_LIMIT] = "limit",
		[ERR_DENIED] = "denied",
		[ERR_NOTFOUND] = "notfound",
		[ERR_CANCELLED] = "cancelled",
		[ERR_PROTO] = "proto",
		[ERR_CLOSED] = "closed",
	};

	return (size_t)code < COUNT(names) ? names[code] : "unknown";
}
