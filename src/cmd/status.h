/* SPDX-License-Identifier: MIT */
/* The broker's status object (ASK_STATUS) in words: for forge status and doctor. */
#ifndef CMD_STATUS_H
#define CMD_STATUS_H

#include "base/json.h"
#include "cmd/cmd.h"

/*
 * 0 when the JavaScript engine is ready (or switched off), else the exit status of what keeps
 * it.
 */
int status_exit(const struct yyjson_val *status);
/* The object in words, for people. */
void status_text(const struct yyjson_val *status, struct buf *out);

#endif
