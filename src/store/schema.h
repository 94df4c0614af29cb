/* SPDX-License-Identifier: MIT */
/*
 * The schema and how an older one becomes it: numbered migrations, each in one transaction. The
 * number is the file's user_version; the application id says that the file is a journal of ours.
 *
 * A migration only adds (tables, indexes, columns with a default): brokers of the version before
 * may be running and go on writing.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/db.h"

#define SCHEMA_APPLICATION 0x4372736c /* "Crsl" */

extern const char *const schema_migrations[];
extern const unsigned schema_newest;

/*
 * Whether the file is empty or of ours and not newer than `newest`: ERR_INVALID otherwise. Writes
 * nothing.
 */
int schema_check(struct db *d, unsigned newest, struct err *e) must_use;
/* Takes the file from whatever number it has to `newest`, while others may do the same. */
int schema_migrate(struct db *d, const char *const *migrations, unsigned newest,
    struct err *e) must_use;
/* Whether the tables of the newest schema are there. */
int schema_complete(struct db *d, struct err *e) must_use;

#endif
