/* SPDX-License-Identifier: MIT */
/*
 * Starting our own programs. They stand beside each other: in one folder of a build tree, in
 * libexec/crisol when installed. A child gets its channel as descriptor 3, /dev/null as 0 and
 * 1, our standard error, a session of its own, an empty environment but what is named, and
 * nothing else.
 *
 * posix_spawn, so the size of the caller does not matter.
 */
#ifndef LOOP_CHILD_H
#define LOOP_CHILD_H

#include "base/err.h"

#include <sys/types.h>

#define CHILD_CHANNEL 3

/*
 * Opens a sibling (for reading: its hash, its exec). ERR_NOTFOUND names the places looked at.
 */
int child_open(const char *name, int *ret_fd, struct err *e) must_use;
/*
 * Starts sibling `name` with a new channel to it in *ret_channel; the caller reaps *ret_pid.
 * env ends with NULL.
 */
int child_start(const char *name, char *const env[], int *ret_channel, pid_t *ret_pid,
    struct err *e) must_use;

#endif
