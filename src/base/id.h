/* SPDX-License-Identifier: MIT */
/* ULIDs: 26 characters of Crockford's base 32, 48 bits of time, 80 of chance; they sort by
 * time. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/str.h"

#define ID_SIZE 27 /* with the NUL */

/* A new id. Aborts when the kernel has no randomness to give. */
void id_new(char ret_id[static ID_SIZE]);
/* Whether the text is one. */
bool id_valid(struct str text);

#endif
