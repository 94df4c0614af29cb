/* SPDX-License-Identifier: MIT */
/*
 * Every system call of the broker's forge fails once, and every one behind it too: the launcher's
 * start, the policy, the JavaScript process, workers, calls of a client and of scripts, a cancel, the
 * scratchpad; and what src/loop and src/base/fd.h have beside that. Whatever was begun ends once, with a
 * code and a sentence where it did not go well, and nothing is left behind.
 */
#include "fault.h"

#include "base/clock.h"
#include "base/fd.h"
#include "forge/run.h"
#include "ipc/code.h"
#include "loop/child.h"
#include "loop/helper.h"

#include "leak.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULTS_MAX 5000
#define SILENCE_NS (5 * NS_PER_S)

static struct err e;
static char folder[] = "/tmp/t_forge_fault.XXXXXX";

struct holdings {
	unsigned fds;
	size_t heap;
};

static struct holdings
held(void)
{
	return (struct holdings){ leak_fds(), leak_heap() };
}

static bool
same(struct holdings a, struct holdings b)
{
	return a.fds == b.fds && b.heap <= a.heap + KiB(4);
}

/* ---- what is begun, and how it ends ---- */

static unsigned begun, ended, well, untold;
static bool launcher_gone;

static void
note_end(enum code code, const struct buf *message)
{
	ended++;
	well += code == CODE_NONE;
	untold += code >= CODE_COUNT || (code != CODE_NONE && !message->n);
}

static void
on_call_done(struct desk_call *c)
{
	note_end(c->code, &c->text);
}

static void
on_run_text(struct run *r, struct str text)
{
	(void)r;
	(void)text;
}

static void
on_run_ended(struct run *r)
{
	auto_done(buf) struct buf envelope = buf_max(MiB(1));

	run_envelope(r, &envelope);
	note_end(r->vm.result.code, &r->vm.result.message);
	run_done(r);
	free(r);
}

static const struct desk_call_events call_events = { on_call_done };
static const struct run_events run_events = { on_run_text, on_run_text, on_run_ended };

static void
on_launcher_closed(struct peer *p, const struct err *why)
{
	(void)p;
	untold += !why->text[0];
	launcher_gone = true;
}

/* ---- a session ---- */

struct world {
	struct conf conf;
	struct loop loop;
	struct launcher launcher;
	struct session session;
	struct desk_call call, second;
	struct run *waits; /* until it is cancelled */
};

/* A run ends later than run_start: it is still there when that returns. */
static struct run *
start(struct world *w, struct str source)
{
	struct run_request request = { .source = source, .watched = true };
	struct run *r = xcalloc(1, sizeof(*r));

	if (run_start(r, &w->session, &request, &run_events, &e) < 0) {
		untold += !e.text[0];
		free(r);
		return NULL;
	}
	begun++;
	untold += !r->id[0];
	return r;
}

static bool
turns(struct world *w, unsigned until)
{
	uint64_t end = clock_now() + SILENCE_NS;

	while (ended < until && !launcher_gone && clock_now() < end) {
		if (loop_turn(&w->loop, end, &e) < 0)
			return false;
	}
	return ended >= until;
}

static int
open_session(struct world *w)
{
	auto_done(buf) struct buf notices = buf_max(KiB(64));
	struct desk_request request = { .cwd = str_of(folder) };
	int r = scratch_open(&w->session.scratch, str_of(folder), str_of(folder), "s", &e);

	untold += r < 0 && !e.text[0];
	r = desk_init(&w->session.desk, &w->conf, &request, &notices, &e);
	if (r >= 0)
		r = desk_ready(&w->session.desk, &w->loop, &w->launcher,
		    (struct str){ NULL, 0 }, &e);
	return r;
}

static void
call(struct world *w, struct desk_call *c, struct str input)
{
	desk_call_init(c, &call_events);
	c->run = "";
	c->from = GATE_DIRECT;
	buf_add(&c->name, STR("read_file"));
	buf_add(&c->input, input);
	begun++;
	desk_call(&w->session.desk, c);
}

static bool
use_session(struct world *w)
{
	call(w, &w->call, STR("{\"path\":\"a\"}"));
	start(w, STR("calls"));
	if (!turns(w, begun))
		return false;
	w->waits = start(w, STR("w"));
	if (w->waits)
		run_cancel(w->waits);
	start(w, STR("calls"));
	return turns(w, begun);
}

enum result { WENT_WELL, TOLD, SILENT };

static bool
begin(struct world *w)
{
	int r;

	*w = (struct world){ 0 };
	begun = ended = well = 0;
	launcher_gone = false;
	conf_defaults(&w->conf);
	r = loop_init(&w->loop, &e);
	if (r >= 0)
		r = launcher_init(&w->launcher, &w->loop, on_launcher_closed, &e);
	if (r >= 0) {
		session_init(&w->session, &w->loop, &w->launcher, &w->conf, "");
		w->session.checked = true; /* the process is none of ours here */
		r = open_session(w);
	}
	untold += r < 0 && !e.text[0];
	return r >= 0;
}

static void
finish(struct world *w)
{
	fault.armed = false;
	if (w->session.loop)
		session_done(&w->session);
	if (w->launcher.loop)
		launcher_done(&w->launcher);
	loop_done(&w->loop);
	for (struct desk_call *c = &w->call; c <= &w->second; c++) {
		if (c->events)
			desk_call_done(c);
	}
	conf_done(&w->conf);
}

static enum result
go_through(void)
{
	static struct world w;
	uint64_t since = clock_now();
	bool done;

	fault.armed = true;
	done = begin(&w) && use_session(&w);
	finish(&w);
	if (done && well == begun - 1)
		return WENT_WELL;
	return clock_now() - since < SILENCE_NS ? TOLD : SILENT;
}

struct tally {
	unsigned silent, leaks, lost;
	long calls;
};

/* Once for each system call. */
static struct tally
pass(bool on)
{
	struct tally t = { 0 };
	long n = 1;

	for (; n < FAULTS_MAX; n++) {
		unsigned fds = leak_fds();
		enum result came;

		/* without random numbers there are no ids, and the broker ends itself */
		fault = (struct fault){ .fail_at = n, .on = on, .spared = "getrandom" };
		came = go_through();
		if (came == SILENT || fds != leak_fds() || begun != ended || untold)
			printf("# call %ld, %s: %d, %u begun, %u ended, %u untold; %u "
			       "descriptors, "
			       "then %u\n",
			    n, fault.hit ? fault.hit : "-", came, begun, ended, untold, fds,
			    leak_fds());
		t.silent += came == SILENT;
		t.leaks += fds != leak_fds();
		t.lost += begun != ended;
		if (!fault.hit)
			break;
	}
	t.calls = n - 1;
	return t;
}

static void
session_faults(bool on, const char *what)
{
	struct tally t;
	size_t heap;

	fault = (struct fault){ 0 };
	untold = 0;
	is_int(go_through(), WENT_WELL, "a session");
	for (int i = 0; i < 3; i++)
		pass(on); /* the allocator keeps a little of each size */
	heap = leak_heap();
	t = pass(on);
	ok(t.calls > 60 && t.calls < FAULTS_MAX - 1, "%s, one of %ld calls at a time", what,
	    t.calls);
	is_int(t.silent, 0, "nobody waits for nothing");
	is_int(t.lost, 0, "whatever was begun ends once");
	is_int(untold, 0, "with a code and a sentence");
	is_int(t.leaks, 0, "no descriptor is left");
	ok(leak_heap() <= heap + KiB(4), "and no memory: %zu, then %zu bytes", heap,
	    leak_heap());
}

/* While the only worker there is has a call, no other can be started. */
static void
no_second_worker(void)
{
	static struct world w;
	bool good;

	fault = (struct fault){ 0 };
	good = begin(&w);
	call(&w, &w.call, STR("{\"path\":\"slow\"}"));
	while (good && !w.call.work.worker)
		good = loop_turn(&w.loop, clock_now() + SILENCE_NS, &e) >= 0;
	fault = (struct fault){ .fail_at = 1, .on = true, .only = "socketpair", .armed = true };
	call(&w, &w.second, STR("{\"path\":\"a\"}"));
	ok(good && turns(&w, 2) && well == 2,
	    "the second call waits for the first one's worker");
	ok(fault.calls == 1, "and no other is tried again and again: %ld", fault.calls);
	finish(&w);
}

/* ---- one function at a time ---- */

static int
try_signals(void)
{
	static const int signals[] = { SIGUSR2 };
	auto_fd int fd = -1;

	return loop_signals(signals, COUNT(signals), &fd, &e);
}

static int
try_child(void)
{
	char *env[] = { NULL };
	auto_fd int channel = -1;
	pid_t pid = -1;
	int r = child_start("crisol-launch", env, &channel, &pid, &e);

	if (r >= 0) {
		base_close_fd(&channel);
		waitpid(pid, NULL, 0);
	}
	return r;
}

static int
try_helper(void)
{
	char *argv[] = { (char *)(uintptr_t)"true", NULL }, *env[] = { NULL };
	struct helper_order order = { "/bin/true", argv, env, AT_FDCWD, -1, NULL };
	struct helper h;
	int r;

	order.dir = open("/", O_PATH | O_CLOEXEC);
	if (order.dir < 0)
		return err_sys(&e, "open /");
	r = helper_start(&order, &h, &e);
	close(order.dir);
	if (r >= 0)
		helper_done(&h);
	return r;
}

static int
try_scratch(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(4));
	struct scratch s = { .fd = -1 };
	int r = scratch_open(&s, str_of(folder), str_of(folder), "s", &e);

	if (r >= 0 && !s.why[0])
		r = scratch_read(&s, STR("script.js"), &text, &e);
	scratch_sweep(&s, 1);
	scratch_done(&s);
	return r;
}

static int
try_put(void)
{
	auto_fd int dir = open(folder, O_PATH | O_CLOEXEC);

	if (dir < 0)
		return err_sys(&e, "open the folder");
	return fd_put_at(dir, "a", STR("text"), &e);
}

static void
one_faults(const char *what, int (*attempt)(void))
{
	struct holdings before;
	unsigned leaks = 0, silent = 0;
	long n = 1;

	fault = (struct fault){ 0 };
	ok(attempt() >= 0 && attempt() >= 0, "%s: %s", what, e.text);
	before = held();
	for (; n < FAULTS_MAX; n++) {
		int r;

		e.text[0] = '\0';
		fault = (struct fault){ .fail_at = n, .armed = true };
		r = attempt();
		fault.armed = false;
		silent += r < 0 && !e.text[0];
		leaks += !same(before, held());
		if (!fault.hit)
			break;
	}
	ok(n > 1 && n < FAULTS_MAX && !silent, "%s, one of %ld calls at a time: told", what,
	    n - 1);
	is_int(leaks, 0, "nothing is left behind");
}

/* The script that try_scratch reads. */
static void
put_script(void)
{
	struct scratch s = { .fd = -1 };
	int fd;

	if (scratch_open(&s, str_of(folder), str_of(folder), "s", &e) < 0)
		return;
	fd = openat(s.fd, "script.js", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	scratch_done(&s);
}

int
main(void)
{
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	if (!mkdtemp(folder) || setenv("HOME", folder, 1) < 0)
		return 1;
	put_script();
	one_faults("a descriptor for signals", try_signals);
	one_faults("a child", try_child);
	one_faults("a helper", try_helper);
	one_faults("a scratchpad", try_scratch);
	{
		int fd = open(folder, O_PATH | O_CLOEXEC);
		int file = openat(fd, "a", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		close(file);
		close(fd);
	}
	one_faults("a word put into a file", try_put);
	no_second_worker();
	session_faults(false, "a session");
	session_faults(true, "a session in which all that follows fails too");
	return tap_done();
}
