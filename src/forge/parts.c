/* SPDX-License-Identifier: MIT */
#include "forge/parts.h"

#include "base/json.h"
#include "base/sha.h"
#include "base/utf8.h"
#include "loop/child.h"

static void
look_at(const struct part *part, struct buf *ret_why)
{
	char hex[SHA_HEX_SIZE];
	auto_fd int fd = -1;
	struct err e;
	int r = child_open(part->name, &fd, &e);

	if (r >= 0)
		r = sha_file(fd, hex, &e);
	if (r < 0)
		utf8_scrub(str_of(e.text), ret_why);
	else if (strcmp(hex, part->sha256) != 0 && strcmp(hex, part->installed) != 0)
		buf_addf(ret_why,
		    "%s is not the one this crisol was built with: sha256 %.16s..., not "
		    "%.16s...",
		    part->name, hex, part->sha256);
}

void
parts_write(const struct part parts[static PART_COUNT], struct buf *out)
{
	json_open(out, NULL, '[');
	for (int i = 0; i < PART_COUNT; i++) {
		auto_done(buf) struct buf why = buf_max(KiB(8));

		look_at(&parts[i], &why);
		json_open(out, NULL, '{');
		json_put_str(out, "name", str_of(parts[i].name));
		json_put_str(out, "why", buf_str(&why));
		json_close(out, '}');
	}
	json_close(out, ']');
}
