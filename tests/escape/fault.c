/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

static struct shared {
	bool armed;
	long count, fail_at, call;
	int code;
} *shared;

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

long
__wrap_syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (shared && shared->armed && ++shared->count == shared->fail_at) {
		shared->call = nr;
		errno = shared->code;
		return -1;
	}
	return __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void
fault_order(long n, int code)
{
	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		abort();
	*shared = (struct shared){ .fail_at = n, .code = code, .call = -1 };
}

void
fault_order_from_env(void)
{
	const char *order = getenv(FAULT_NAME);
	char *rest;
	long n;

	if (!order)
		return;
	n = strtol(order, &rest, 10);
	fault_order(n, (int)strtol(rest, NULL, 10));
}

void
fault_arm(void)
{
	if (shared)
		shared->armed = true;
}

void
fault_disarm(void)
{
	if (shared)
		shared->armed = false;
}

bool
fault_hit(long *ret_call)
{
	*ret_call = shared ? shared->call : -1;
	return shared && shared->call >= 0;
}
