/* SPDX-License-Identifier: MIT */
/*
 * ripgrep gone bad: put where the worker finds the real one, it makes every attempt of tests/escape
 * and a few of its own, and answers as if it had found lines: "PLACE NAME RESULT".
 * RESULT is 0 for what got through, an errno for what did not, or what was found.
 *
 * Asked for a pattern "!HOW" it says wrong things instead. It reads its targets from `canary` in the folder it starts in, a line a place:
 *	PLACE PID TCP UDP SHM FOLDER NAME HOST
 * With an argument "outside PLACE" that place alone, without the file's others.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../escape/canary.h"

#define BOMB    2000 /* more than any bound */
#define ARENA   MiB(64)
#define FDS_MAX 2048

extern char **environ;

static void
tell(const char *place, const char *name, const char *result)
{
	printf("{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"-\"},\"absolute_offset\":0,"
	       "\"lines\":{\"text\":\"%s %s %s\"}}}\n",
	    place, name, result);
	fflush(stdout);
}

static void
tell_number(const char *place, const char *name, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	tell(place, name, text);
}

static int
look(const char *path)
{
	char piece[16];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return errno;
	n = read(fd, piece, sizeof(piece));
	close(fd);
	return n < 0 && errno != EISDIR ? errno : 0;
}

/* Files that the test names, a line each. */
static void
read_paths(void)
{
	char text[8192], *save, *line;
	int fd = open("paths", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[MAX(n, 0)] = '\0';
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		tell_number("path", line, look(line));
}

/* Whoever started it: memory, environment, descriptors, the end. */
static void
attack_parent(void)
{
	static const char *const files[] = { "mem", "environ", "maps", "fd", "root", "cwd" };
	char byte, path[64];
	struct iovec ours = { &byte, 1 }, theirs = { NULL, 1 };
	pid_t up = getppid();

	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)up, files[i]);
		tell_number("parent", files[i], look(path));
	}
	for (int sig = 0; sig < 2; sig++)
		tell_number("parent", sig ? "cont" : "kill0",
		    kill(up, sig ? SIGCONT : 0) < 0 ? errno : 0);
	tell_number("parent", "tgkill", syscall(SYS_tgkill, up, up, 0) < 0 ? errno : 0);
	tell_number("parent", "vm_read",
	    process_vm_readv(up, &ours, 1, &theirs, 1, 0) < 0 && errno != EFAULT ? errno : 0);
	tell_number("parent", "everybody", kill(-1, 0) < 0 ? errno : 0);
	tell_number("parent", "brother",
	    syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0) < 0 ? errno : 0);
}

static void
tell_inheritance(void)
{
	long n = 0;
	char text[64];

	for (int fd = 0; fd < FDS_MAX; fd++)
		n += fcntl(fd, F_GETFL) >= 0;
	tell_number("own", "descriptors", n);
	for (char **one = environ; *one; one++) {
		snprintf(text, sizeof(text), "%s", *one);
		tell("environment", "variable", text);
	}
}

static void
bomb_processes(void)
{
	int hold[2];
	long n = 0;
	char byte;

	if (pipe(hold) < 0)
		return;
	while (n < BOMB) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

		if (pid < 0)
			break;
		if (pid == 0) {
			close(hold[1]);
			_exit((int)read(hold[0], &byte, 1));
		}
		n++;
	}
	tell_number("own", "processes", n);
	close(hold[1]);
	while (wait(NULL) > 0)
		;
}

static void
bomb_memory(void)
{
	long n = 0;

	while (n < BOMB && mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		n++;
	tell_number("own", "mebibytes", n * (long)(ARENA / MiB(1)));
}

/* Leaves one behind that nobody waits for. */
static void
stay_behind(void)
{
	pid_t pid = fork();
	int nothing;

	if (pid != 0) {
		waitpid(pid, NULL, 0); /* then it is there */
		return;
	}
	setsid();
	prctl(PR_SET_PDEATHSIG, 0);
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++)
		dup3(nothing, fd, 0);
	if (fork() == 0)
		for (;;)
			pause();
	_exit(0);
}

/* ---- when it is asked to search: what it says and how it ends ---- */

static void
say_for_ever(const char *line)
{
	while (puts(line) >= 0)
		;
	_exit(1);
}

static void
say_odd(void)
{
	static const char *const lines[] = { "{", "[]", "\"", "null", "{\"type\":\"match\"}",
		"\xff\xfe", "{\"type\":\"match\",\"data\":{\"path\":5}}",
		"{\"type\":\"match\",\"data\":{\"path\":{}}}",
		"{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"\"}}}",
		"{\"type\":\"match\",\"data\":{\"path\":{\"bytes\":\"!!!\"}}}",
		"{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"a\",\"bytes\":\"YQ==\"}}}",
		"{\"a\":{\"z\":1,\"data\":{\"path\":5}},\"data\":{\"path\":{\"text\":\"q\"}}}",
		"{\"z\":0,\"data\":{\"path\":{\"text\":\"../../../etc/passwd\\\\\"}}}",
		"{\"z\":0,\"data\":{\"path\":{\"text\":\"\\\"\\\"\\\"\"}},\"type\":\"match\"}",
		"{\"z\":0,\"data\":{\"path\":{ \"text\" : \"x\\\\\" } , \"y\" : [] } }" };

	for (size_t i = 0; i < COUNT(lines); i++)
		puts(lines[i]);
	for (int i = 0; i < 100; i++)
		putchar('[');
	putchar('\n');
}

static void
search(const char *how)
{
	if (strcmp(how, "bytes") == 0)
		say_for_ever("x");
	if (strcmp(how, "matches") == 0)
		say_for_ever("{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"a\"},"
			     "\"lines\":{},\"absolute_offset\":0}}");
	if (strcmp(how, "odd") == 0)
		say_odd();
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "mute") == 0) {
		close(1);
		close(2);
		for (;;)
			pause();
	}
	exit(0);
}

static void
attempt_all(const char *place, const struct canary *c)
{
	pid_t pid = fork();

	if (pid == 0) {
		attempts_prepare();
		for (size_t i = 0; i < attempt_count; i++)
			tell_number(place, attempts[i].name, attempts[i].run(c));
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	const char *only = argc == 3 && strcmp(argv[1], "outside") == 0 ? argv[2] : NULL;
	FILE *f = fopen("canary", "re");
	struct canary c;
	char place[16];

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--regexp=!", 10) == 0)
			search(argv[i] + 10);
	while (f && fscanf(f, "%15s %d %d %d %u %63s %63s %63s", place, &c.pid, &c.tcp, &c.udp,
			&c.shm, c.folder, c.name, c.host) == 8)
		if (!only || strcmp(only, place) == 0)
			attempt_all(place, &c);
	if (f)
		fclose(f);
	if (only)
		return 0;
	tell_inheritance();
	read_paths();
	attack_parent();
	bomb_memory();
	bomb_processes();
	stay_behind();
	return 0;
}
