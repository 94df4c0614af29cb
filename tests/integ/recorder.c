/* SPDX-License-Identifier: MIT */
/*
 * Stands for a program: notes its name and words in the file `record` beside the folder it is in, one line
 * of words that end in US (0x1f), and prints a word. Succeeds, unless its name begins with `no`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	char self[4096], path[4200], line[8192];
	const char *name = strrchr(argv[0], '/');
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t used = 0;
	int fd;

	name = name ? name + 1 : argv[0];
	if (n < 0)
		return 99;
	self[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = '\0';
	}
	snprintf(path, sizeof(path), "%s/record", self);
	for (int i = 0; i < argc; i++) {
		const char *word = i ? argv[i] : name;
		size_t words = strlen(word);

		if (used + words + 2 > sizeof(line))
			return 99;
		for (size_t k = 0; k < words; k++)
			line[used++] = word[k] == '\n' ? '\x1e' : word[k];
		line[used++] = '\x1f';
	}
	line[used++] = '\n';
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, used) != (ssize_t)used)
		return 99;
	puts("w1");
	return strncmp(name, "no", 2) == 0;
}
