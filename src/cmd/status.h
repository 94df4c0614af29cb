/* SPDX-License-Identifier: MIT */
/* The broker's status object, fetched and shown in words: for forge status and doctor. */
#ifndef CMD_STATUS_H
#define CMD_STATUS_H

#include "base/json.h"
#include "cmd/cmd.h"

/*
 * Asks a broker of its own. True with the JSON text in ret_json; false when that failed, which
 * was said then and *ret_exit is the exit status.
 */
bool status_fetch(const struct cmd_line *line, bool probe, struct buf *ret_json, int *ret_exit);
/*
 * 0 when the JavaScript engine is ready (or switched off), else the exit status of what keeps
 * it.
 */
int status_exit(const struct yyjson_val *status);
/* The object in words, for people. */
void status_text(const struct yyjson_val *status, struct buf *out);

#endif
