/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over its committed corpus: every file whole, and every prefix of it. With
 * clang and -Dfuzz=true the targets are linked with libFuzzer instead, see
 * tests/fuzz/README.md.
 */
#include "fuzz.h"

#include "../unit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define FILE_MAX_BYTES 65536

/* A copy of exactly that size, so that a sanitizer sees a byte read too far. */
static void
run(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void
replay(const char *folder, const char *name)
{
	static uint8_t bytes[FILE_MAX_BYTES];
	char path[4096];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rbe");
	if (file)
		n = fread(bytes, 1, sizeof(bytes), file);
	ok(file && n < sizeof(bytes), "%s", name);
	if (file)
		fclose(file);
	run(bytes, n);
	for (size_t part = n > 2000 ? n - 2000 : 0; part < n; part++)
		run(bytes, part);
}

int
main(int argc, char **argv)
{
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;

	if (!folder) {
		printf("Bail out! no corpus\n");
		return 1;
	}
	run((const uint8_t *)"", 0);
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		if (entry->d_name[0] != '.')
			replay(argv[1], entry->d_name);
	}
	closedir(folder);
	ok(tap_n > 0, "there is a corpus");
	return tap_done();
}
