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
	va_list ap;
	size_t n;

	e->code = ERR_SYS;
	e->sys = saved;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s (%s)", strerrordesc_np(saved),
	    name ? name : "unknown errno");
	errno = saved;
	return -(int)ERR_SYS;
}

int
err_wrap(struct err *e, int r, const char *format, ...)
{
	char context[ERR_TEXT_MAX];
	char inner[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(context, sizeof(context), format, ap);
	va_end(ap);
	memcpy(inner, e->text, sizeof(inner));
	context[ERR_TEXT_MAX / 2] = '\0';
	snprintf(e->text, sizeof(e->text), "%.*s: %s", ERR_TEXT_MAX / 2, context, inner);
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
