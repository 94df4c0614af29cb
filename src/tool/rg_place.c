/* SPDX-License-Identifier: MIT */
#include "tool/rg_place.h"

#include <stddef.h>
#include <unistd.h>

const char *const rg_places[] = { "/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg", NULL };

const char rg_advice[] =
    "sudo apt install ripgrep (Debian, Ubuntu), brew install ripgrep (macOS), winget "
    "install BurntSushi.ripgrep.MSVC or scoop install ripgrep (Windows)";

const char *
rg_find(void)
{
	for (size_t i = 0; rg_places[i]; i++) {
		if (access(rg_places[i], X_OK) == 0)
			return rg_places[i];
	}
	return NULL;
}
