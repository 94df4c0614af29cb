/* SPDX-License-Identifier: MIT */
/* Starting a sibling: this program itself, which then says what it was given. */
#include "loop/child.h"

#include "base/fd.h"

#include "leak.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "t_child"

extern char **environ;

static struct err e;

/* ---- as the child ---- */

static bool
is_null(int fd)
{
	char path[64], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target));
	return n == 9 && memcmp(target, "/dev/null", 9) == 0;
}

static bool
no_signal_is_blocked(void)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int s = 1; s < 32; s++) {
		if (sigismember(&blocked, s) == 1)
			return false;
	}
	return true;
}

static bool
every_signal_is_default(void)
{
	static const int ours[] = { SIGTERM, SIGINT, SIGPIPE, SIGUSR1, SIGCHLD, SIGHUP };

	for (size_t i = 0; i < COUNT(ours); i++) {
		struct sigaction action;

		sigaction(ours[i], NULL, &action);
		if (action.sa_handler != SIG_DFL)
			return false;
	}
	return true;
}

static int
say_what_i_have(char **argv)
{
	auto_done(buf) struct buf said = buf_max(KiB(4));

	buf_addf(&said, "argv %s %s\n", argv[0], argv[1] ? argv[1] : "-");
	for (char **variable = environ; *variable; variable++)
		buf_addf(&said, "env %s\n", *variable);
	buf_addf(&said, "fds %u\nnull %d %d\nsession %d\nblocked %d\ndefault %d\n", leak_fds(),
	    is_null(0), is_null(1), getsid(0) == getpid(), !no_signal_is_blocked(),
	    every_signal_is_default());
	return fd_write_all(CHILD_CHANNEL, buf_str(&said), &e) < 0 ? 9 : 7;
}

/* ---- as the parent ---- */

static void
starts(void)
{
	char *env[] = { (char[]){ "GIVEN=value" }, NULL };
	auto_done(buf) struct buf heard = buf_max(KiB(4));
	auto_fd int left_open = open("/dev/null", O_RDONLY); /* not close-on-exec, on purpose */
	auto_fd int channel = -1;
	sigset_t blocked;
	pid_t pid = -1;
	int status = 0;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	is_int(child_start(SELF, env, &channel, &pid, &e), 0, "a sibling is started");
	ok(left_open > CHILD_CHANNEL || left_open >= 0,
	    "beside a descriptor that it must not get");
	ok(fcntl(channel, F_GETFD) & FD_CLOEXEC, "its channel is close-on-exec here");
	while (heard.n < heard.max && fd_slurp(channel, &heard, &e) < 0)
		;
	is_int(waitpid(pid, &status, 0), pid, "it ends");
	is_int(WEXITSTATUS(status), 7, "having said everything");
	is_str(buf_text(&heard),
	    "argv t_child -\nenv GIVEN=value\nfds 4\nnull 1 1\nsession 1\nblocked 0\ndefault "
	    "1\n",
	    "its name, the environment named, nothing else open, a session and signals of its "
	    "own");
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static void
not_there(void)
{
	char *env[] = { NULL };
	unsigned before = leak_fds();
	int channel = -1, fd = -1;
	pid_t pid = -1;

	is_int(child_start("t_child_that_is_not_there", env, &channel, &pid, &e), -ERR_NOTFOUND,
	    "none of that name");
	ok(strstr(e.text, "t_child_that_is_not_there") != NULL, "is named: %s", e.text);
	is_int(child_open("t_child_that_is_not_there", &fd, &e), -ERR_NOTFOUND,
	    "nor can it be opened");
	ok(channel == -1 && fd == -1 && pid == -1, "nothing is given");
	is_int(leak_fds(), before, "nothing is left open");
}

static void
opens(void)
{
	unsigned char magic[4];
	int fd = -1;

	is_int(child_open(SELF, &fd, &e), 0, "a sibling is opened");
	ok(fd_read_all(fd, magic, 4, &e) == 0 && memcmp(magic,
						     "\x7f"
						     "ELF",
						     4) == 0,
	    "to be read");
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "close-on-exec");
	close(fd);
}

/* One that cannot be executed. */
static void
no_program(void)
{
	char *env[] = { NULL };
	unsigned before;
	int channel = -1;
	pid_t pid = -1;

	before = leak_fds();
	is_int(child_start(SELF ".p", env, &channel, &pid, &e), -ERR_SYS,
	    "a folder is no program: the error names it");
	ok(strstr(e.text, SELF ".p") != NULL, "%s", e.text);
	is_int(leak_fds(), before, "nothing is left open");
}

int
main(int argc, char **argv)
{
	(void)argc;
	if (fcntl(CHILD_CHANNEL, F_GETFD) >= 0 && !getenv("PATH"))
		return say_what_i_have(argv);
	starts();
	not_there();
	opens();
	no_program();
	return tap_done();
}
