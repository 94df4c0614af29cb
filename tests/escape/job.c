/* SPDX-License-Identifier: MIT */
/*
 * A foreign program: does what its arguments say, one "verb argument" each, and prints a line
 * "verb argument errno [value]" to descriptor 1. Static, so that it needs nothing of a file
 * view.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK    65536
#define FILL_MAX (64L << 20)

static void
say(const char *verb, const char *arg, int sys, long value)
{
	dprintf(1, "%s %s %d %ld\n", verb, arg, sys, value);
}

static void
opened(const char *verb, const char *path, int fd)
{
	say(verb, path, fd < 0 ? errno : 0, 0);
	if (fd >= 0)
		close(fd);
}

static void
do_read(const char *path)
{
	opened("read", path, open(path, O_RDONLY | O_CLOEXEC));
}

static void
do_write(const char *path)
{
	opened("write", path, open(path, O_WRONLY | O_CLOEXEC));
}

static void
do_make(const char *path)
{
	opened("make", path, open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

static void
do_mkdir(const char *path)
{
	say("mkdir", path, mkdir(path, 0700) < 0 ? errno : 0, 0);
}

static void
do_remove(const char *path)
{
	say("remove", path, unlink(path) < 0 ? errno : 0, 0);
}

static void
do_link(const char *path)
{
	say("link", path, symlink("/etc/passwd", path) < 0 ? errno : 0, 0);
}

static void
do_pipe(const char *path)
{
	say("pipe", path, mkfifo(path, 0600) < 0 ? errno : 0, 0);
}

static void
do_stat(const char *path)
{
	struct stat st = { 0 };
	int sys = stat(path, &st) < 0 ? errno : 0;

	say("stat", path, sys, (long)st.st_mode & 07777);
}

static void
do_list(const char *path)
{
	DIR *dir = opendir(path);
	long n = 0;

	if (!dir) {
		say("list", path, errno, 0);
		return;
	}
	while (readdir(dir))
		n++;
	closedir(dir);
	say("list", path, 0, n - 2);
}

/* Grows a file until something stops it; value: KiB. */
static void
do_fill(const char *path)
{
	static const char block[BLOCK];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	long n = 0;
	ssize_t got = -1;

	while (fd >= 0 && n < FILL_MAX && (got = write(fd, block, BLOCK)) > 0)
		n += got;
	say("fill", path, got < 0 ? errno : 0, n / 1024);
	if (fd >= 0)
		close(fd);
}

static void
do_many(const char *path)
{
	char name[256];
	int fd;
	long n;

	for (n = 0; n < 2000; n++) {
		snprintf(name, sizeof(name), "%s/n%ld", path, n);
		fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		close(fd);
	}
	say("many", path, n < 2000 ? errno : 0, n);
}

/* Runs `path` with the arguments "who" "-"; value: its exit status. */
static void
do_run(const char *path)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		char *argv[] = { (char *)(size_t)path, (char *)(size_t)"who",
			(char *)(size_t)"-", NULL };
		char *env[] = { NULL };

		execve(path, argv, env);
		_exit(errno < 100 ? 100 + errno : 99);
	}
	if (pid < 0) {
		say("run", path, errno, 0);
		return;
	}
	waitpid(pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	say("run", path, status >= 100 ? status - 100 : 0, status);
}

static void
do_fork(const char *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	say("fork", arg, pid < 0 ? errno : 0, 0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Leaves processes behind that have left session and parent. */
static void
do_leave(const char *count)
{
	for (long i = strtol(count, NULL, 10); i > 0; i--) {
		pid_t pid = fork();

		if (pid == 0) {
			setsid();
			if (fork() > 0)
				_exit(0);
			for (;;)
				pause();
		}
		if (pid < 0) {
			say("leave", count, errno, i);
			return;
		}
		waitpid(pid, NULL, 0);
	}
	say("leave", count, 0, 0);
}

/* As many processes as it can; value: how many. */
static void
do_bomb(const char *arg)
{
	long n = 0;
	int sys = 0;

	while (n < 2000) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0) {
			sys = errno;
			break;
		}
		n++;
	}
	say("bomb", arg, sys, n);
}

static void
do_who(const char *arg)
{
	dprintf(1, "who %s %u %u %d %d\n", arg, getuid(), geteuid(), getgroups(0, NULL),
	    (int)getpid());
}

static void
do_caps(const char *arg)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2] = { 0 };
	int sys = syscall(SYS_capget, &head, sets) < 0 ? errno : 0;

	say("caps", arg, sys,
	    (long)(sets[0].permitted | (unsigned long)sets[1].permitted << 32));
}

static void
do_limit(const char *arg)
{
	struct rlimit now = { 0 };
	int sys = getrlimit((int)strtol(arg, NULL, 10), &now) < 0 ? errno : 0;

	say("limit", arg, sys, (long)now.rlim_max);
}

static void
do_fds(const char *arg)
{
	long open_now = 0;

	for (int fd = 0; fd < 256; fd++)
		open_now += fcntl(fd, F_GETFD) >= 0;
	say("fds", arg, 0, open_now);
}

static void
do_env(const char *arg)
{
	extern char **environ;
	long n = 0;

	while (environ && environ[n])
		n++;
	say("env", arg, 0, n);
}

static void
do_where(const char *arg)
{
	char path[256];

	(void)arg;
	dprintf(1, "where %s 0 %d\n", getcwd(path, sizeof(path)) ? path : "?",
	    (int)getsid(0) == (int)getpid());
}

/* Takes and touches memory; value: MiB. */
static void
do_memory(const char *arg)
{
	long want = strtol(arg, NULL, 10), n;

	for (n = 0; n < want; n++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			break;
		memset(p, 1, 1 << 20);
	}
	say("memory", arg, n < want ? errno : 0, n);
}

static void
do_spin(const char *arg)
{
	(void)arg;
	for (volatile unsigned long n = 0;; n++)
		;
}

static void
do_wait(const char *arg)
{
	say("wait", arg, 0, 0);
	for (;;)
		pause();
}

/* Whether signals are as they are for a fresh program; value: the umask. */
static void
do_plain(const char *arg)
{
	struct sigaction now;
	sigset_t blocked;
	long changed = 0, mask = (long)umask(077);

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int sig = 1; sig < 32; sig++) {
		if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			changed++;
		if (sigismember(&blocked, sig) == 1)
			changed++;
	}
	say("plain", arg, (int)changed, mask);
}

static void
do_sleep(const char *arg)
{
	long ms = strtol(arg, NULL, 10);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static void
do_signal(const char *arg)
{
	kill(getpid(), (int)strtol(arg, NULL, 10));
}

static void
do_signal_parent(const char *arg)
{
	say("parent", arg, kill(getppid(), (int)strtol(arg, NULL, 10)) < 0 ? errno : 0, 0);
}

static void
do_exit(const char *arg)
{
	_exit((int)strtol(arg, NULL, 10));
}

static const struct {
	const char *name;
	void (*run)(const char *arg);
} verbs[] = {
	{ "read", do_read },
	{ "write", do_write },
	{ "make", do_make },
	{ "mkdir", do_mkdir },
	{ "remove", do_remove },
	{ "link", do_link },
	{ "pipe", do_pipe },
	{ "stat", do_stat },
	{ "list", do_list },
	{ "fill", do_fill },
	{ "many", do_many },
	{ "run", do_run },
	{ "fork", do_fork },
	{ "leave", do_leave },
	{ "bomb", do_bomb },
	{ "who", do_who },
	{ "caps", do_caps },
	{ "limit", do_limit },
	{ "fds", do_fds },
	{ "env", do_env },
	{ "where", do_where },
	{ "memory", do_memory },
	{ "spin", do_spin },
	{ "wait", do_wait },
	{ "plain", do_plain },
	{ "sleep", do_sleep },
	{ "signal", do_signal },
	{ "parent", do_signal_parent },
	{ "exit", do_exit },
};

int
main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		for (size_t k = 0; k < sizeof(verbs) / sizeof(verbs[0]); k++)
			if (strcmp(argv[i], verbs[k].name) == 0)
				verbs[k].run(argv[i + 1]);
	return 0;
}
