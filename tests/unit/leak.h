/* SPDX-License-Identifier: MIT */
/*
 * What a process holds, counted before and after: descriptors, mappings, resident memory.
 *
 *	unsigned fds = leak_fds();
 *	...
 *	is_int(leak_fds(), fds, "no descriptor is left");
 */
#ifndef TESTS_LEAK_H
#define TESTS_LEAK_H

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>

static inline unsigned
leak_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned n = 0;

	if (!folder)
		return 0;
	while (readdir(folder))
		n++;
	closedir(folder);
	return n - 3; /* itself, . and .. */
}

/* Lines of /proc/self/maps whose path has `what` in it; "" counts all. */
static inline unsigned
leak_maps(const char *what)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4600];
	unsigned n = 0;

	while (file && fgets(line, sizeof(line), file))
		n += strstr(line, what) != NULL;
	if (file)
		fclose(file);
	return n;
}

/* Bytes allocated; always 0 where a sanitizer keeps the heap. */
static inline size_t
leak_heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Kilobytes by a key of /proc/self/status. */
static inline unsigned long
leak_kb(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long kb = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) == 0)
			kb = strtoul(line + strlen(key) + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return kb;
}

#endif
