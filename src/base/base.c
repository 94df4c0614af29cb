/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <errno.h>
#include <unistd.h>

void
base_free_ptr(void *ret_p)
{
	void **p = ret_p;

	free(*p);
	*p = NULL;
}

void
base_close_fd(int *ret_fd)
{
	int saved = errno;

	if (*ret_fd >= 0)
		close(*ret_fd);
	*ret_fd = -1;
	errno = saved;
}

static void *
or_abort(void *p)
{
	if (!p)
		abort();
	return p;
}

void *
xmalloc(size_t n)
{
	return or_abort(malloc(n ? n : 1));
}

void *
xcalloc(size_t n, size_t size)
{
	return or_abort(calloc(n ? n : 1, size ? size : 1));
}

void *
xrealloc(void *p, size_t n)
{
	return or_abort(realloc(p, n ? n : 1));
}

char *
xstrdup(const char *text)
{
	return or_abort(strdup(text));
}
