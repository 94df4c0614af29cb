/* SPDX-License-Identifier: MIT */
/* Many processes on one journal: at once, killed at any moment, asked to end by each other. */
#include "store_check.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define WRITERS 8
#define RUNS    50
#define CALLS   3
#define ROUNDS  50

static pid_t
start(void)
{
	fflush(stdout);
	return fork();
}

static bool
ended_well(pid_t child)
{
	int status = -1;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static unsigned
count(const char *text)
{
	return (unsigned)strtoul(sql(text), NULL, 10);
}

/* ---- eight at once ---- */

static bool
write_run(struct store *s, const char *session, unsigned i)
{
	char id[ID_SIZE];
	bool good = true;

	id_new(id);
	check_run(s, id, session, i);
	for (unsigned n = 1; n <= CALLS; n++) {
		check_decide(s, id, session, n, "", i);
		check_call(s, id, n, "", "write", i);
		if (i % 10 == 0)
			good = store_commit(s, &e) >= 0 && good;
		check_call_end(s, id, n, "", "ok", i);
	}
	check_run_end(s, id, "succeeded", i + 1);
	store_flush(s);
	return good;
}

/* Waits for the gate to close, then makes or opens the journal and writes. */
static int
writer(int gate)
{
	auto_done(buf) struct buf text = buf_max(MiB(4));
	struct store *s = NULL;
	char session[ID_SIZE], c;
	const char *trouble;
	bool good = true;

	if (read(gate, &c, 1) != 0)
		return 1;
	if (store_open(&s, NULL, check_path, &e) < 0 ||
	    store_session(s, STR("shared"), STR("/w"), session, &e) < 0) {
		fprintf(stderr, "# %s\n", e.text);
		return 2;
	}
	for (unsigned i = 0; i < RUNS && good; i++)
		good = write_run(s, session, i);
	good = store_list(s, false, 1000, &text, &e) >= 0 && good;
	trouble = store_trouble(s);
	if (trouble || !good)
		fprintf(stderr, "# %s\n", trouble ? trouble : e.text);
	store_close(s);
	return trouble || !good;
}

static void
writes_at_once(void)
{
	pid_t children[WRITERS];
	unsigned good = 0;
	int gate[2];

	if (pipe2(gate, O_CLOEXEC) < 0)
		abort();
	for (unsigned i = 0; i < WRITERS; i++) {
		children[i] = start();
		if (children[i] == 0) {
			close(gate[1]);
			_exit(writer(gate[0]));
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (unsigned i = 0; i < WRITERS; i++)
		good += ended_well(children[i]);
	is_int(good, WRITERS, "eight processes make one journal and write it without trouble");
	is_int(count("SELECT count(*) FROM run WHERE status = 'succeeded'"), WRITERS * RUNS,
	    "all runs are there");
	is_int(count("SELECT count(*) FROM call WHERE status = 'ok'"), WRITERS * RUNS * CALLS,
	    "all calls");
	is_int(count("SELECT count(*) FROM decision"), WRITERS * RUNS * CALLS, "all decisions");
	is_int(count("SELECT count(*) FROM run_blob"), WRITERS * RUNS, "all results");
	is_int(count("SELECT count(*) FROM session"), 1, "of one session");
	is_int(count("SELECT count(*) FROM owner"), 0, "nobody left his name behind");
	check_intact("after eight processes");
	check_forget();
}

/* ---- killed ---- */

/* What a process that is going to be killed has been told by the journal, on a pipe. */
struct word {
	char run[ID_SIZE];
	char what; /* b: its begin and its act's are committed, e: its end is flushed */
};

static void
say(int fd, const char *run, char what)
{
	struct word w = { .what = what };

	memcpy(w.run, run, ID_SIZE);
	if (write(fd, &w, sizeof(w)) != sizeof(w))
		_exit(9);
}

static void
victim(int fd)
{
	struct store *s = check_open();

	for (;;) {
		char id[ID_SIZE];

		id_new(id);
		check_run(s, id, "", 1);
		check_call(s, id, 1, "", "write", 1);
		check_call(s, id, 2, "", "read", 1);
		if (store_commit(s, &e) < 0)
			_exit(8);
		say(fd, id, 'b');
		check_call_end(s, id, 1, "", "ok", 2);
		check_run_end(s, id, "succeeded", 3);
		/* The read call has no end: a broker that forgot it. */
		store_flush(s);
		say(fd, id, 'e');
	}
}

static bool
holds(const char *run, const char *condition)
{
	char ask[400];

	snprintf(ask, sizeof(ask), "SELECT %s FROM (SELECT '%.26s' AS x)", condition, run);
	return strcmp(sql(ask), "1") == 0;
}

/* After the sweep: every word was true, and what is unknown was begun and not ended. */
static bool
words_hold(const struct word *words, unsigned n)
{
	static const char began[] = "(SELECT count(*) FROM call WHERE run = x AND n = 1) = 1",
			  ended[] = "(SELECT status FROM run WHERE id = x) = 'succeeded' AND"
				    " (SELECT status FROM call WHERE run = x AND n = 1) = 'ok'";
	bool good = true;

	for (unsigned i = 0; i < n; i++)
		good = good && holds(words[i].run, words[i].what == 'b' ? began : ended);
	return good;
}

static bool
round_of_killing(uint64_t wait_ns)
{
	static struct word words[4096];
	struct timespec wait = { .tv_nsec = (long)wait_ns };
	unsigned n = 0;
	bool good;
	int said[2];
	pid_t child;

	if (pipe2(said, O_CLOEXEC) < 0)
		abort();
	child = start();
	if (child == 0)
		victim(said[1]);
	close(said[1]);
	nanosleep(&wait, NULL);
	kill(child, SIGKILL);
	while (
	    n < COUNT(words) && read(said[0], &words[n], sizeof(words[n])) == sizeof(words[n]))
		n++;
	close(said[0]);
	/* It has ended, and stays a zombie: nobody's parent needs to be quick. */
	waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	store_close(check_open());
	good = strcmp(sql("PRAGMA integrity_check"), "ok") == 0 && words_hold(words, n) &&
	       count("SELECT count(*) FROM run WHERE owner IS NOT NULL") == 0 &&
	       count("SELECT count(*) FROM call WHERE owner IS NOT NULL") == 0 &&
	       count("SELECT count(*) FROM owner") == 0;
	if (!good)
		printf("# killed after %llu us and %u words: %s\n",
		    (unsigned long long)wait_ns / 1000, n, sql("PRAGMA integrity_check"));
	waitpid(child, NULL, 0);
	return good;
}

static void
is_killed(void)
{
	uint64_t chance = clock_now() | 1;
	unsigned good = 0;

	printf("# chance %llu\n", (unsigned long long)chance);
	for (unsigned i = 0; i < ROUNDS; i++) {
		chance ^= chance << 13;
		chance ^= chance >> 7;
		chance ^= chance << 17;
		/* Now and then the making of the file itself. */
		if (i % 5 == 0)
			check_forget();
		good += round_of_killing(
		    chance % (i % 2 ? 20 : 200) * NS_PER_MS + chance % NS_PER_MS);
	}
	is_int(good, ROUNDS,
	    "killed at any moment, the journal opens, is intact and holds what it said");
	is_int(count("SELECT count(*) FROM run WHERE status NOT IN ('succeeded', 'lost')"), 0,
	    "every run has ended or is lost");
	is_int(count(
		   "SELECT count(*) FROM call WHERE n = 1 AND status = 'unknown' AND run NOT IN"
		   " (SELECT id FROM run WHERE status = 'lost')"),
	    0, "acts are unknown in lost runs alone");
	is_int(count("SELECT count(*) FROM call WHERE n = 2 AND status != 'cancelled'"), 0,
	    "what only read is cancelled");
	check_forget();
}

/* ---- asked from outside ---- */

static volatile sig_atomic_t woken;

static void
on_signal(int number)
{
	(void)number;
	woken = 1;
}

static void
end_asked(const char *id, void *store)
{
	check_run_end(store, id, "cancelled", 9);
}

static void
owner(int ready)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t usual, blocked;
	struct store *s = check_open();

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &usual);
	sigaction(SIGUSR1, &action, NULL);
	check_run(s, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 1);
	check_run(s, "01BRZ3NDEKTSV4RRFFQ69G5FAV", "", 1);
	store_flush(s);
	if (write(ready, "x", 1) != 1)
		_exit(2);
	while (!woken)
		sigsuspend(&usual);
	store_asked(s, end_asked, s);
	check_run_end(s, "01BRZ3NDEKTSV4RRFFQ69G5FAV", "succeeded", 9);
	store_flush(s);
	_exit(store_trouble(s) != NULL);
}

static void
is_asked_to_end(void)
{
	struct store *s = check_open();
	char id[ID_SIZE], c = 0;
	pid_t child, asked = 0;
	auto_fd int pidfd = -1;
	int ready[2];

	if (pipe2(ready, O_CLOEXEC) < 0)
		abort();
	child = start();
	if (child == 0)
		owner(ready[1]);
	close(ready[1]);
	is_int(read(ready[0], &c, 1), 1, "another process runs something");
	close(ready[0]);
	is_int(store_cancel(s, STR("01A"), id, &asked, &e), 0, "its end is asked for");
	is_int(asked, child, "of that process");
	pidfd = (int)syscall(SYS_pidfd_open, asked, 0);
	ok(pidfd >= 0 && store_is_owner(s, id, asked), "which is pinned, and still the owner");
	is_int(syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0), 0, "then told");
	ok(ended_well(child), "it ends that run, and goes on with the other");
	is_str(sql("SELECT group_concat(status) FROM (SELECT status FROM run ORDER BY id)"),
	    "cancelled,succeeded", "as asked");
	store_close(s);
	check_forget();
}

/* ---- pruning while others write ---- */

static void
prunes_beside_others(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(1));
	struct store *s = check_open();
	pid_t child;
	int gate[2];

	for (unsigned i = 0; i < 400; i++)
		write_run(s, "", 11 + i % 9);
	if (pipe2(gate, O_CLOEXEC) < 0)
		abort();
	child = start();
	if (child == 0) {
		close(gate[1]);
		_exit(writer(gate[0]));
	}
	close(gate[0]);
	close(gate[1]);
	is_int(store_prune(s, 20, &text, &e), 0, "pruning while another process writes");
	ok(ended_well(child), "which has no trouble");
	is_int(count("SELECT count(*) FROM run WHERE at >= 20"), RUNS - 20,
	    "what is new stays");
	no_trouble(s, "pruning");
	check_intact("after pruning beside others");
	store_close(s);
	check_forget();
}

int
main(void)
{
	check_begin();
	writes_at_once();
	is_killed();
	is_asked_to_end();
	prunes_beside_others();
	check_end();
	return tap_done();
}
