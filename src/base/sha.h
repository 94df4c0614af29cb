/* SPDX-License-Identifier: MIT */
/* SHA-256 by libcrypto. Apart from base proper, so that only those who name it link that
 * library. */
#ifndef BASE_SHA_H
#define BASE_SHA_H

#include "base/err.h"
#include "base/str.h"

#define SHA_HEX_SIZE 65 /* with the NUL */

/* Lower-case hexadecimal digits of the hash of some bytes. Aborts when libcrypto has no SHA-256. */
void sha_bytes(struct str bytes, char ret_hex[static SHA_HEX_SIZE]);
/* The same of a whole regular file. */
int sha_file(int fd, char ret_hex[static SHA_HEX_SIZE], struct err *e) must_use;

#endif
