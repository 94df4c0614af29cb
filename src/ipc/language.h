/* SPDX-License-Identifier: MIT */
/* In which language a script is written, as far as anybody has said. */
#ifndef IPC_LANGUAGE_H
#define IPC_LANGUAGE_H

#include "base/str.h"

enum language {
	LANGUAGE_AUTO, /* JavaScript, and TypeScript where it does not parse as that */
	LANGUAGE_JS,
	LANGUAGE_TS,
	LANGUAGES,
};

/* "auto", "js" or "ts"; LANGUAGES for any other word. */
enum language language_named(struct str name);
/* LANGUAGE_TS for a file whose name ends as those of TypeScript do, else LANGUAGE_AUTO. */
enum language language_of_path(struct str path);
/* LANGUAGE_TS for a word that names it where code is quoted, else LANGUAGE_AUTO. */
enum language language_of_fence(struct str word);

#endif
