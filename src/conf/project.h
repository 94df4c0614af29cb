/* SPDX-License-Identifier: MIT */
/* The configuration that a project brings. What it says counts only once it is trusted. */
#ifndef CONF_PROJECT_H
#define CONF_PROJECT_H

#include "base/buf.h"
#include "base/err.h"

#define PROJECT_FILE ".crisol/config.json"

/*
 * Appends its text, read once through one descriptor that no link leads to. ERR_NOTFOUND: the folder has
 * none. ERR_INVALID: it is a link or something else than a file; ERR_LIMIT: too large for ret_text;
 * ERR_SYS.
 */
int project_read(const char *folder, struct buf *ret_text, struct err *e) must_use;

#endif
