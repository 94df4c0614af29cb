/* SPDX-License-Identifier: MIT */
/*
 * The programs that were built together. The broker knows the hash of each that it starts, so that
 * an installation in which one is missing, damaged or of another version is named as such.
 *
 *	static const struct part parts[PART_COUNT] = { [PART_js] = { "crisol-js", "<64 digits>" } };
 *	parts_write(parts, &json);	[{"name": "crisol-js", "why": ""}, ...]
 */
#ifndef FORGE_PARTS_H
#define FORGE_PARTS_H

#include "base/buf.h"

enum part_id { PART_launch, PART_tool, PART_js, PART_COUNT };

struct part {
	const char *name;   /* of the file */
	const char *sha256; /* lower-case hexadecimal digits of the whole file */
	const char *
	    installed; /* the same when `make install` has changed where its library is looked for */
};

/* A JSON array, in the order in which they are needed; why is "" for one that is as it was built. */
void parts_write(const struct part parts[static PART_COUNT], struct buf *out);

#endif
