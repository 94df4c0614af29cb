/* SPDX-License-Identifier: MIT */
#include "tool/git_place.h"

#include <stddef.h>
#include <unistd.h>

const char *const git_places[] = { "/usr/bin/git", "/usr/local/bin/git", "/bin/git", NULL };

const char git_advice[] = "sudo apt install git (Debian, Ubuntu), brew install git (macOS), "
			  "winget install Git.Git (Windows)";

const char *
git_find(void)
{
	for (size_t i = 0; git_places[i]; i++) {
		if (access(git_places[i], X_OK) == 0)
			return git_places[i];
	}
	return NULL;
}
