/* SPDX-License-Identifier: MIT */
/*
 * Which process a live row belongs to: pid and start time, so that a reused pid is not taken for
 * it; the boot, since both start again with it; and the pid namespace, since a pid says nothing in
 * another one.
 */
#ifndef STORE_OWNER_H
#define STORE_OWNER_H

#include "base/id.h"

#include <sys/types.h>

#define OWNER_BOOT_SIZE 64

struct owner {
	char id[ID_SIZE]; /* one an open store */
	pid_t pid;
	uint64_t started; /* clock ticks since boot; 0 when /proc does not tell */
	uint64_t space;   /* number of the pid namespace; 0 when /proc does not tell */
	char boot[OWNER_BOOT_SIZE];
};

/* This process, with a new id. */
void owner_init(struct owner *ret_self);
/*
 * Whether the process is surely gone. One that cannot be seen from here (another pid namespace of
 * this boot, a hidden /proc) is not.
 */
bool owner_gone(const struct owner *o, const struct owner *self);
/* Whether its pid means the same process to us. */
bool owner_near(const struct owner *o, const struct owner *self);

#endif
