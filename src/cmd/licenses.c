/* SPDX-License-Identifier: MIT */
/* crisol --licenses */
#include "base/fd.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define NOTICES_MAX MiB(4)

/* Beside the executable of a build tree, or installed. */
static const char *const places[] = { "../../THIRD-PARTY-NOTICES",
	"../share/doc/crisol/THIRD-PARTY-NOTICES" };

int
cmd_licenses(void)
{
	auto_done(buf) struct buf text = buf_max(NOTICES_MAX);
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct err e;

	if (n > 0) {
		self[n] = '\0';
		strrchr(self, '/')[1] = '\0';
		for (size_t i = 0; i < COUNT(places); i++) {
			auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);

			buf_addf(&path, "%s%s", self, places[i]);
			if (fd_slurp_at(AT_FDCWD, buf_text(&path), &text, &e) >= 0)
				return cmd_print(buf_str(&text));
			buf_reset(&text);
		}
	}
	return cmd_fail(CODE_NOT_FOUND,
	    STR("THIRD-PARTY-NOTICES is not where this program was installed"),
	    STR("make install, in the folder with crisol's source, puts it there"));
}
