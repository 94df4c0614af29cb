/* SPDX-License-Identifier: MIT */
/*
 * Crisol's own folders, by the environment: where its configuration, its records and its short-lived
 * files lie. No tool may touch them.
 */
#ifndef CONF_HOME_H
#define CONF_HOME_H

#include "base/buf.h"
#include "base/err.h"

enum home { HOME_CONFIG, HOME_STATE, HOME_RUNTIME, HOME_COUNT };

/* Its path, whether or not it exists; ERR_NOTFOUND when the environment does not lead there. */
int home_path(enum home which, struct buf *ret_path, struct err *e) must_use;
/*
 * Opens the state home, or a folder in it, made where missing, 0700. ERR_DENIED when it is not this
 * person's alone; ERR_SYS.
 */
int home_open_state(const char *folder, int *ret_fd, struct err *e) must_use;

#endif
