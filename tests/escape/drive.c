/* SPDX-License-Identifier: MIT */
#include "drive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "fault.h"

#define OUT_MAX    KiB(128)
#define WAIT_MS    20000
#define USER_ID    45678U
#define ARGS_MAX   12
#define HIGH_FD    50
#define TRAP_FD    17
#define BACKLOG    1000 /* nobody accepts */
#define NUMBER_MAX 16

static struct {
	int tcp, udp, abstract, path, shm;
	mqd_t queue;
} held;

static void
must(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! canary: %s: %s\n", what, strerror(errno));
	exit(99);
}

static int
listen_at(const void *address, socklen_t n, int family, int type)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	must(fd >= 0 && bind(fd, address, n) == 0, "bind");
	if (type == SOCK_STREAM)
		must(listen(fd, BACKLOG) == 0, "listen");
	return fd;
}

static int
on_port(int type, int *ret_port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(at);
	int fd = listen_at(&at, n, AF_INET, type);

	must(getsockname(fd, (struct sockaddr *)&at, &n) == 0, "port");
	*ret_port = ntohs(at.sin_port);
	return fd;
}

static void
put_file(const char *folder, const char *name, const char *text, mode_t mode)
{
	char path[CANARY_PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	must(fchmod(fd, mode) == 0, path);
	close(fd);
}

static void
make_files(struct canary *c)
{
	char path[CANARY_PATH_MAX + 32];

	snprintf(c->folder, sizeof(c->folder), "/tmp/crisol-canary-XXXXXX");
	must(mkdtemp(c->folder) && chmod(c->folder, 0755) == 0, "folder");
	put_file(c->folder, "secret", "secret", 0644);
	put_file(c->folder, "own", "own", 0600);
	put_file(c->folder, "junk", "junk", 0755);
	snprintf(path, sizeof(path), "%s/drop", c->folder);
	must(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0, path);
}

static void
make_sockets(struct canary *c)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t n;

	held.tcp = on_port(SOCK_STREAM, &c->tcp);
	held.udp = on_port(SOCK_DGRAM, &c->udp);
	snprintf(c->name, sizeof(c->name), "crisol-canary-%d", (int)getpid());
	n = strlen(c->name);
	memcpy(at.sun_path + 1, c->name, n);
	held.abstract = listen_at(&at,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n), AF_UNIX, SOCK_STREAM);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/sock", c->folder);
	held.path = listen_at(&at, sizeof(at), AF_UNIX, SOCK_STREAM);
	must(chmod(at.sun_path, 0666) == 0, "socket file");
}

static void
start_sleeper(struct canary *c)
{
	int ready[2];
	char byte;

	must(pipe2(ready, O_CLOEXEC) == 0, "pipe");
	c->pid = fork();
	must(c->pid >= 0, "fork");
	if (c->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_DUMPABLE, 1); /* a driver that changed its user is not */
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	must(read(ready[0], &byte, 1) == 0, "the sleeper");
	close(ready[0]);
}

void
canary_start(struct canary *c)
{
	char queue[CANARY_PATH_MAX + 1];
	mode_t mask = umask(0);

	*c = (struct canary){ 0 };
	must(gethostname(c->host, sizeof(c->host) - 1) == 0, "host name");
	make_files(c);
	make_sockets(c);
	snprintf(queue, sizeof(queue), "/%s", c->name);
	held.queue = mq_open(queue, O_CREAT | O_RDWR, 0666, NULL);
	must(held.queue != (mqd_t)-1, "message queue");
	c->shm = 0x63720000U + (unsigned)(getpid() & 0xffff);
	held.shm = shmget((key_t)c->shm, 4096, IPC_CREAT | 0666);
	must(held.shm >= 0, "shared memory");
	umask(mask);
	start_sleeper(c);
}

bool
canary_stop(const struct canary *c)
{
	char path[CANARY_PATH_MAX + 32];
	bool alive = waitpid(c->pid, NULL, WNOHANG) == 0;

	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(held.tcp);
	close(held.udp);
	close(held.abstract);
	close(held.path);
	mq_close(held.queue);
	snprintf(path, sizeof(path), "/%s", c->name);
	mq_unlink(path);
	shmctl(held.shm, IPC_RMID, NULL);
	static const char *const names[] = { "secret", "own", "junk", "sock" };
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", c->folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/drop", c->folder);
	alive &= rmdir(path) == 0; /* nobody left anything */
	return rmdir(c->folder) == 0 && alive;
}

/* What a child must not get though nobody says so: groups, a descriptor, an ignored signal. */
static void
leave_traps(void)
{
	static const gid_t groups[] = { 4, 24 };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	must(geteuid() != 0 || setgroups(COUNT(groups), groups) == 0, "groups");
	must(dup2(0, TRAP_FD) == TRAP_FD, "descriptor");
	sigaction(SIGUSR2, &ignore, NULL);
	umask(0);
}

void
drive_init(struct drive *d, const char *program)
{
	int fd = open(program, O_PATH | O_CLOEXEC);

	/* Away from the numbers that children are given. */
	*d = (struct drive){ .program = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD) };
	must(d->program >= 0, program);
	close(fd);
	leave_traps();
	sandbox_host_init(&d->host);
}

void
drive_done(struct drive *d)
{
	for (size_t i = 0; i < DRIVE_KNOBS_MAX; i++)
		free((char *)(uintptr_t)d->knobs[i]);
	close(d->program);
}

void
drive_knob(struct drive *d, const char *name, const char *value)
{
	size_t n = strlen(name), at = DRIVE_KNOBS_MAX;
	char *line = NULL;

	if (value)
		must(asprintf(&line, "%s=%s", name, value) > 0 && setenv(name, value, 1) == 0,
		    name);
	else
		unsetenv(name);
	for (size_t i = DRIVE_KNOBS_MAX - 1; i > 0; i--)
		if (!d->knobs[i - 1] ||
		    (strncmp(d->knobs[i - 1], name, n) == 0 && d->knobs[i - 1][n] == '='))
			at = i - 1;
	for (size_t i = 0; i < DRIVE_KNOBS_MAX && d->knobs[i]; i++)
		if (strncmp(d->knobs[i], name, n) == 0 && d->knobs[i][n] == '=')
			at = i;
	assert(at < DRIVE_KNOBS_MAX);
	free((char *)(uintptr_t)d->knobs[at]);
	d->knobs[at] = line;
}

static void
arguments(const char *how, const char *what, const struct canary *c,
    char (*numbers)[NUMBER_MAX], const char **ret_argv)
{
	const int values[] = { c->pid, c->tcp, c->udp };
	size_t n = 0;

	ret_argv[n++] = "closed";
	ret_argv[n++] = how;
	ret_argv[n++] = what;
	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(numbers[i], NUMBER_MAX, "%d", values[i]);
		ret_argv[n++] = numbers[i];
	}
	snprintf(numbers[3], NUMBER_MAX, "%u", c->shm);
	ret_argv[n++] = numbers[3];
	ret_argv[n++] = c->folder;
	ret_argv[n++] = c->name;
	ret_argv[n++] = c->host;
	ret_argv[n] = NULL;
}

/* Until the end, or until this was said. */
static void
read_answer(int fd, struct buf *out, const char *until)
{
	while (!until || !out->n || !strstr(out->p, until)) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		char *at;
		ssize_t n;

		if (poll(&ready, 1, WAIT_MS) <= 0)
			return;
		at = buf_space(out, KiB(4));
		if (!at)
			return;
		n = read(fd, at, KiB(4));
		out->n -= KiB(4) - (size_t)MAX(n, 0);
		if (n <= 0)
			return;
		out->p[out->n] = '\0';
	}
}

/* The knobs without holes, as an environment. */
static void
environment(const struct drive *d, const char **ret_env)
{
	size_t n = 0;

	for (size_t i = 0; i < DRIVE_KNOBS_MAX; i++)
		if (d->knobs[i])
			ret_env[n++] = d->knobs[i];
	ret_env[n] = NULL;
}

struct started {
	struct sandbox_child child;
	int talk;
};

/* What to start: a profile, and how the program closes itself. */
struct what {
	const struct sandbox_profile *profile;
	const char *how, *what;
};

static void
start(struct drive *d, const struct what *w, const struct canary *c, struct drive_end *end,
    struct started *ret_started)
{
	char numbers[4][NUMBER_MAX];
	const char *argv[ARGS_MAX], *env[DRIVE_KNOBS_MAX + 1];
	int pair[2];

	*end = (struct drive_end){ .out = buf_max(OUT_MAX) };
	arguments(w->how, w->what, c, numbers, argv);
	environment(d, env);
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair");
	struct sandbox_job job = {
		.profile = w->profile,
		.exe_fd = d->program,
		.argv = argv,
		.env = env,
		.fds = &(struct sandbox_fd){ pair[1], 3 },
		.fd_count = 1,
		.group = { .memory_bytes = MiB(256), .pids = 16 },
	};
	fault_arm();
	end->spawned = sandbox_spawn(&d->host, &job, &ret_started->child, &end->e);
	fault_disarm();
	close(pair[1]);
	ret_started->talk = pair[0];
	if (end->spawned == 0)
		end->launched = ret_started->child.report;
}

static void
finish(struct drive *d, struct started *s, struct drive_end *end)
{
	if (end->spawned == 0) {
		shutdown(s->talk, SHUT_WR);
		read_answer(s->talk, &end->out, NULL);
		if (sandbox_reap(&d->host, &s->child, &end->status, &end->e) < 0)
			end->status = -1;
	}
	close(s->talk);
}

void
drive_closed(struct drive *d, const char *how, const char *what, const struct canary *c,
    struct drive_end *end)
{
	struct started s;

	start(d, &(struct what){ &sandbox_profiles[PROFILE_js], how, what }, c, end, &s);
	finish(d, &s, end);
}

void
drive_profile(struct drive *d, const struct sandbox_profile *profile, const char *how,
    const char *what, const struct canary *c, struct drive_end *end)
{
	struct started s;

	start(d, &(struct what){ profile, how, what }, c, end, &s);
	finish(d, &s, end);
}

void
drive_watched(struct drive *d, const char *what, const struct canary *c, struct drive_end *end,
    uint32_t (*look)(int pid), uint32_t *ret_seen)
{
	struct started s;

	start(d, &(struct what){ &sandbox_profiles[PROFILE_js], "js", what }, c, end, &s);
	if (end->spawned == 0) {
		read_answer(s.talk, &end->out, "here ");
		*ret_seen = look(s.child.pid);
	}
	finish(d, &s, end);
}

void
drive_open(struct drive *d, const char *what, const struct canary *c, struct drive_end *end)
{
	char numbers[4][NUMBER_MAX];
	const char *argv[ARGS_MAX];
	int pair[2];
	pid_t pid;

	*end = (struct drive_end){ .out = buf_max(OUT_MAX) };
	arguments("open", what, c, numbers, argv);
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair");
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		char *none[] = { NULL };

		setsid();
		/* Root's attempts get through; this one thing should not be seen by others. */
		if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
			mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
		if (pair[1] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(pair[1], 3);
		fexecve(d->program, (char **)(uintptr_t)argv, none);
		_exit(126);
	}
	close(pair[1]);
	read_answer(pair[0], &end->out, NULL);
	close(pair[0]);
	waitpid(pid, &end->status, 0);
}

void
drive_end_done(struct drive_end *end)
{
	buf_done(&end->out);
}

bool
drive_report(struct drive_end *end, struct sandbox_report *ret_report, struct str *ret_rest)
{
	struct str text = buf_str(&end->out);
	const char *at = text.n ? strstr(text.p, "end\n") : NULL;
	size_t n = at ? (size_t)(at - text.p) : 0;

	if (!at || sandbox_report_read((struct str){ text.p, n }, ret_report, &end->e) < 0)
		return false;
	*ret_rest = str_from(text, n + 4);
	return true;
}

int
drive_result(struct str lines, const char *name)
{
	while (lines.n) {
		struct str line = str_split(&lines, '\n');
		struct str first = str_split(&line, ' ');
		uint64_t value;

		if (str_eq(first, str_of(name)))
			return str_u64(str_split(&line, ' '), INT32_MAX, &value) ? (int)value
										 : -1;
	}
	return -1;
}

static unsigned
count_in(const char *folder, const char *prefix)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir)))
		n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (dir)
		closedir(dir);
	return n;
}

static unsigned
count_words(const char *path, char sep)
{
	auto_done(buf) struct buf text = buf_max(KiB(256));
	struct err e;
	struct str rest;
	unsigned n = 0;

	if (fd_slurp_at(AT_FDCWD, path, &text, &e) < 0)
		return 0;
	rest = buf_str(&text);
	while (rest.n) {
		str_split(&rest, sep);
		n++;
	}
	return n;
}

/* Of ours: stacked on the root, or anywhere below a test's folder. Others mount too. */
static unsigned
count_mounts(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(256));
	struct err e;
	struct str rest;
	unsigned n = 0;

	if (fd_slurp_at(AT_FDCWD, "/proc/self/mountinfo", &text, &e) < 0)
		return 0;
	rest = buf_str(&text);
	while (rest.n) {
		struct str line = str_split(&rest, '\n'), at = line;

		for (int i = 0; i < 4; i++)
			str_split(&at, ' ');
		at = str_split(&at, ' ');
		n += str_eq(at, STR("/")) || memmem(at.p, at.n, "crisol", 6);
	}
	return n;
}

void
drive_traces(const struct drive *d, struct drive_traces *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	t->children = count_words(path, ' ');
	t->descriptors = count_in("/proc/self/fd", "");
	t->mounts = count_mounts();
	t->groups = d->host.group.version == CGROUP_NONE
			? 0
			: count_in(d->host.group.memory, d->host.group.owner) +
			      (d->host.group.version == CGROUP_V1
				      ? count_in(d->host.group.pids, d->host.group.owner)
				      : 0);
}

bool
drive_become_user(void)
{
	if (geteuid() != 0)
		return true;
	return setgroups(0, NULL) == 0 && setresgid(USER_ID, USER_ID, USER_ID) == 0 &&
	       setresuid(USER_ID, USER_ID, USER_ID) == 0;
}
