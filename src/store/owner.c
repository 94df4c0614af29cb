/* SPDX-License-Identifier: MIT */
#include "store/owner.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields 3 and 22 of /proc/PID/stat: state, and when it was started. */
static bool
look_up(pid_t pid, char *ret_state, uint64_t *ret_started)
{
	auto_done(buf) struct buf stat = buf_max(KiB(2));
	char path[32];
	struct str rest;
	const char *close;
	struct err e;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (fd_slurp_at(AT_FDCWD, path, &stat, &e) < 0)
		return false;
	close = stat.n ? memrchr(stat.p, ')', stat.n) : NULL;
	if (!close)
		return false;
	rest = str_from(buf_str(&stat), (size_t)(close - stat.p) + 2);
	*ret_state = rest.n ? rest.p[0] : '?';
	for (int field = 3; field < 22; field++)
		str_split(&rest, ' ');
	return str_u64(str_split(&rest, ' '), UINT64_MAX, ret_started);
}

void
owner_init(struct owner *ret_self)
{
	auto_done(buf) struct buf boot = buf_max(OWNER_BOOT_SIZE - 1);
	struct stat space;
	struct str id;
	char state;
	struct err e;

	*ret_self = (struct owner){ .pid = getpid() };
	id_new(ret_self->id);
	if (!look_up(ret_self->pid, &state, &ret_self->started))
		ret_self->started = 0;
	if (stat("/proc/self/ns/pid", &space) == 0)
		ret_self->space = space.st_ino;
	if (fd_slurp_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &boot, &e) < 0)
		return;
	id = str_trim(buf_str(&boot));
	memcpy(ret_self->boot, id.p, id.n);
}

bool
owner_near(const struct owner *o, const struct owner *self)
{
	return strcmp(o->boot, self->boot) == 0 && o->space == self->space;
}

bool
owner_gone(const struct owner *o, const struct owner *self)
{
	uint64_t started;
	char state;

	if (strcmp(o->boot, self->boot) != 0)
		return *o->boot && *self->boot;
	if (!owner_near(o, self))
		return false;
	if (kill(o->pid, 0) < 0 && errno == ESRCH)
		return true;
	if (!look_up(o->pid, &state, &started))
		return false;
	return (o->started && started != o->started) || state == 'Z' || state == 'X';
}
