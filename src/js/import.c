/* SPDX-License-Identifier: MIT */
/*
 * Everything the module can call: twelve imports. A review of what a VM can reach is a review
 * of this file and of the table in guest_host_call. Each begins by taking the host's turn and
 * ends by giving the guest's back; addresses are checked before they are used.
 */
#include "js/guest.h"
#include "js/vm.h"

#include <time.h>

#define WASI_EBADF    8u
#define WASI_EINVAL   28u
#define ARGUMENTS_MAX 8u

static struct engine *
engine_of(void *self)
{
	return self;
}

u32
QJS_ENV(host_call)(ENV_SELF, u32 name, u32 name_n, u32 this_value, u32 n, u32 list)
{
	struct engine *g = engine_of(self);
	handle arguments[ARGUMENTS_MAX] = { 0 };
	struct str named, given;
	handle result;

	(void)this_value;
	engine_host(g);
	n = MIN(n, ARGUMENTS_MAX);
	named = guest_bytes(g, name, name_n);
	given = guest_bytes(g, list, (uint64_t)n * sizeof(handle));
	if (given.n)
		memcpy(arguments, given.p, given.n);
	result = guest_host_call(g, named, arguments, given.p ? n : 0);
	engine_guest(g);
	return result;
}

u32
QJS_ENV(host_interrupt)(ENV_SELF)
{
	struct engine *g = engine_of(self);
	bool stop;

	engine_host(g);
	stop = g->running && vm_interrupt(g->running);
	engine_guest(g);
	return stop;
}

void
QJS_ENV(host_promise_rejection)(ENV_SELF, u32 promise, u32 reason, u32 handled)
{
	struct engine *g = engine_of(self);

	engine_host(g);
	if (g->running)
		guest_rejection(g, promise, reason, handled != 0);
	engine_guest(g);
}

/* A script lives in UTC: where the machine stands is nothing it was handed. */
u32
QJS_ENV(host_get_timezone_offset)(ENV_SELF, u32 low, u32 high)
{
	(void)self;
	(void)low;
	(void)high;
	return 0;
}

/* There are no modules. */
u32
QJS_ENV(host_module_load)(ENV_SELF, u32 name, u32 ret_size)
{
	(void)self;
	(void)name;
	(void)ret_size;
	return 0;
}

u32
QJS_ENV(host_module_normalize)(ENV_SELF, u32 base, u32 name)
{
	(void)self;
	(void)base;
	(void)name;
	return 0;
}

/* The monotonic clock starts with the run; it stands still while the image is made. */
u32
QJS_WASI(clock_time_get)(WASI_SELF, u32 id, u64 precision, u32 ret_time)
{
	struct engine *g = engine_of(self);
	uint32_t result = WASI_EINVAL;
	uint64_t now;

	(void)precision;
	engine_host(g);
	now = id == 0 ? clock_wall() : g->running ? clock_now() - g->running->started : 0;
	if (guest_bytes(g, ret_time, sizeof(now)).p) {
		memcpy(g->inst.w2c_memory.data + ret_time, &now, sizeof(now));
		result = 0;
	}
	engine_guest(g);
	return result;
}

u32
QJS_WASI(random_get)(WASI_SELF, u32 at, u32 n)
{
	struct engine *g = engine_of(self);
	bool ok;

	engine_host(g);
	ok = guest_random(g, at, n);
	engine_guest(g);
	return ok ? 0 : WASI_EINVAL;
}

/* The C library of the module knows files; there are none. */

u32
QJS_WASI(fd_close)(WASI_SELF, u32 fd)
{
	(void)self;
	(void)fd;
	return WASI_EBADF;
}

u32
QJS_WASI(fd_fdstat_get)(WASI_SELF, u32 fd, u32 ret_stat)
{
	(void)self;
	(void)fd;
	(void)ret_stat;
	return WASI_EBADF;
}

u32
QJS_WASI(fd_seek)(WASI_SELF, u32 fd, u64 offset, u32 whence, u32 ret_offset)
{
	(void)self;
	(void)fd;
	(void)offset;
	(void)whence;
	(void)ret_offset;
	return WASI_EBADF;
}

u32
QJS_WASI(fd_write)(WASI_SELF, u32 fd, u32 list, u32 n, u32 ret_size)
{
	(void)self;
	(void)fd;
	(void)list;
	(void)n;
	(void)ret_size;
	return WASI_EBADF;
}
