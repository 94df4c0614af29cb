/* SPDX-License-Identifier: MIT */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT_MAX   KiB(64)
#define WORDS_MAX 80
#define END_MS    20000

const struct jobs_mode jobs_modes[] = {
	{ "root", NULL, true, false, SANDBOX_USERNS },
	{ "root-no-userns", "CRISOL_TEST_NO_USERNS", true, false, SANDBOX_ROOT },
	{ "root-bare", "CRISOL_TEST_NO_NAMESPACES", true, false, SANDBOX_BARE },
	{ "user", NULL, false, true, SANDBOX_USERNS },
	{ "user-bare", "CRISOL_TEST_NO_NAMESPACES", false, true, SANDBOX_BARE },
};
const size_t jobs_mode_count = COUNT(jobs_modes);

static void
must(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(99);
}

void
jobs_init(struct jobs *j, const char *program, const struct jobs_mode *mode)
{
	*j = (struct jobs){ 0 };
	drive_init(&j->drive, program);
	must(!mode->user || drive_become_user(), "become an ordinary user");
	sandbox_host_init(&j->drive.host);
	if (mode->knob)
		drive_knob(&j->drive, mode->knob, "1");
	snprintf(j->folder, sizeof(j->folder), "/tmp/crisol-jobs-XXXXXX");
	must(mkdtemp(j->folder) && chmod(j->folder, 0755) == 0, "folder");
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

void
jobs_done(struct jobs *j)
{
	nftw(j->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	drive_done(&j->drive);
}

const char *
jobs_path(struct jobs *j, const char *name)
{
	static char paths[8][128];
	static unsigned next;
	char *path = paths[next++ % COUNT(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", j->folder, name);
	return path;
}

const char *
jobs_folder(struct jobs *j, const char *name, unsigned mode)
{
	const char *path = jobs_path(j, name);

	must((mkdir(path, 0700) == 0 || errno == EEXIST) && chmod(path, mode) == 0, path);
	return path;
}

const char *
jobs_file(struct jobs *j, const char *name, const char *text, unsigned mode)
{
	const char *path = jobs_path(j, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
		 fchmod(fd, mode) == 0,
	    path);
	close(fd);
	return path;
}

static void
environment(const struct drive *d, const char **ret_env)
{
	size_t n = 0;

	for (size_t i = 0; i < DRIVE_KNOBS_MAX; i++)
		if (d->knobs[i])
			ret_env[n++] = d->knobs[i];
	ret_env[n] = NULL;
}

void
jobs_start(struct jobs *j, const struct sandbox_job *like, const char *words, struct running *r)
{
	const char *argv[WORDS_MAX + 2] = { "/bin/job" }, *env[DRIVE_KNOBS_MAX + 1];
	struct sandbox_fd fds[2] = { { .to = 1 } };
	struct sandbox_job job = *like;
	char *copy = xstrdup(words);
	size_t n = 1;
	int ends[2];

	*r = (struct running){ 0 };
	for (char *save, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		must(n <= WORDS_MAX, "words");
		argv[n++] = w;
	}
	must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	fds[0].from = ends[1];
	environment(&j->drive, env);
	if (job.exe_fd == 0)
		job.exe_fd = j->drive.program;
	job.argv = argv;
	job.env = env;
	job.fds = fds;
	job.fd_count = 1;
	r->spawned = sandbox_spawn(&j->drive.host, &job, &r->child, &r->e);
	close(ends[1]);
	r->out = ends[0];
	free(copy);
}

/* Everything until nobody holds the other end any more. */
static void
read_all(int fd, struct buf *out)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char block[4096];
	ssize_t n;

	while (poll(&ready, 1, END_MS) > 0 && (n = read(fd, block, sizeof(block))) > 0)
		buf_add(out, (struct str){ block, (size_t)n });
}

void
jobs_finish(struct jobs *j, struct running *r, struct ended *end)
{
	*end = (struct ended){ .spawned = r->spawned, .status = -1, .out = buf_max(OUT_MAX) };
	end->e = r->e;
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++)
		end->sent[i] = -1;
	if (r->spawned < 0) {
		close(r->out);
		return;
	}
	end->report = r->child.report;
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++)
		end->sent[i] = steal_fd(&r->child.sent[i]);
	if (sandbox_reap(&j->drive.host, &r->child, &end->status, &end->e) < 0)
		end->status = -1;
	end->memory_kills = r->child.memory_kills;
	read_all(r->out, &end->out);
	close(r->out);
}

void
jobs_run(struct jobs *j, const struct sandbox_job *like, const char *words, struct ended *end)
{
	struct running r;

	jobs_start(j, like, words, &r);
	jobs_finish(j, &r, end);
}

void
ended_done(struct ended *end)
{
	for (size_t i = 0; i < SANDBOX_SENT_MAX; i++)
		base_close_fd(&end->sent[i]);
	buf_done(&end->out);
}

int
ended_result(const struct ended *end, const char *verb, const char *arg, long *ret_value)
{
	struct str rest = buf_str(&end->out);

	while (rest.n) {
		struct str line = str_split(&rest, '\n');
		struct str first = str_split(&line, ' ');
		struct str second = str_split(&line, ' ');
		uint64_t sys, value;

		if (!str_eq(first, str_of(verb)) || !str_eq(second, str_of(arg)))
			continue;
		if (!str_u64(str_split(&line, ' '), INT32_MAX, &sys))
			return -1;
		if (ret_value && str_u64(str_split(&line, ' '), INT64_MAX, &value))
			*ret_value = (long)value;
		return (int)sys;
	}
	return -1;
}
