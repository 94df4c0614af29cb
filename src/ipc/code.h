/* SPDX-License-Identifier: MIT */
/* The error codes of codes.def: name, exit status, whether a retry makes sense, and a hint. */
#ifndef IPC_CODE_H
#define IPC_CODE_H

#include "base/str.h"

enum code {
	CODE_NONE,
#define CODE(name, exit, retry, hint) CODE_##name,
#include "ipc/codes.def"
#undef CODE
	CODE_COUNT
};

enum code_retry { RETRY_NEVER, RETRY_AFTER_CHANGE, RETRY_LATER, RETRY_SAFE };

struct code_spec {
	const char *name;
	int exit_status;
	enum code_retry retry;
	const char *hint;
};

extern const struct code_spec code_specs[CODE_COUNT]; /* [CODE_NONE] is success, exit 0 */

/* "never", "after_change", "later", "safe". */
const char *code_retry_name(enum code_retry retry);
/* The code of that name; CODE_NONE for none. */
enum code code_named(struct str name);

#endif
