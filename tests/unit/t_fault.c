/* SPDX-License-Identifier: MIT */
/*
 * Every system call of a conversation, of a VM and of reading a configuration fails once; every
 * one behind it too; every read and write moves one byte; every call that may be is interrupted.
 * Each ends in success or in an error that is told, and leaves nothing behind.
 */
#include "fault.h"

#include "base/fd.h"
#include "conf/conf.h"
#include "ipc/peer.h"

#include "leak.h"
#include "script.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULTS_MAX 100000               /* a loop that long has no end */
#define MAPS_SLACK (SANITIZED ? 32 : 0) /* its allocator takes some */
#define TURNS_MAX  2000000
#define PASSES     (SANITIZED ? 5 : 20)

static struct err e;

/* What a process holds, for before and after. */
struct holdings {
	unsigned fds, maps;
	size_t heap;
};

static struct holdings
held(void)
{
	return (struct holdings){ leak_fds(), leak_maps("memfd:"), leak_heap() };
}

/* The allocator keeps a little here and there; each loop is gone through often enough for a leak. */
static bool
same(struct holdings a, struct holdings b)
{
	return a.fds == b.fds && a.maps == b.maps && b.heap <= a.heap + KiB(4);
}

/* ---- a conversation ---- */

struct side {
	struct peer peer;
	unsigned heard, closed;
	size_t bytes;
	uint64_t last;
	bool took_fd;
};

static int
hear_text(struct peer *p, const void *body, struct err *ret_e)
{
	struct side *s = container_of(p, struct side, peer);
	const struct msg_vm_text *m = body;
	int fd = peer_take_fd(p);

	(void)ret_e;
	s->heard++;
	s->bytes += m->text.n;
	s->took_fd = s->took_fd || fd >= 0;
	base_close_fd(&fd);
	return 0;
}

static int
hear_start(struct peer *p, const void *body, struct err *ret_e)
{
	struct side *s = container_of(p, struct side, peer);
	const struct msg_vm_start *m = body;
	struct msg_vm_text answer = { .run = m->run, .text = STR("answer") };

	s->heard++;
	s->bytes += m->source.n;
	return peer_send(p, MSG_vm_text, &answer, ret_e);
}

static int
hear_hello(struct peer *p, const void *body, struct err *ret_e)
{
	struct side *s = container_of(p, struct side, peer);

	(void)body;
	(void)ret_e;
	p->state = ST_READY;
	s->heard++;
	return 0;
}

static const struct peer_fn_table core_hears = { {
    [MSG_js_hello] = hear_hello,
    [MSG_vm_text] = hear_text,
} };
static const struct peer_fn_table js_hears = { { [MSG_vm_start] = hear_start } };

static void
on_closed(struct peer *p, const struct err *why)
{
	struct side *s = container_of(p, struct side, peer);

	assert(why->code != ERR_NONE && why->text[0]);
	s->closed++;
}

static char large[KiB(200)];

/* What is said; a negative result was told to the one who said it. */
static int
speak(struct side *core, struct side *js)
{
	struct msg_js_hello hello = { .engine = STR("e"), .version = STR("v") };
	struct msg_vm_start start = { .run = 1, .source = { large, sizeof(large) } };
	struct msg_vm_text text = { .run = 1, .text = { large, sizeof(large) } };
	struct msg_vm_text with_fd = { .run = 1, .text = STR("take this") };
	int r = peer_send(&js->peer, MSG_js_hello, &hello, &e);

	if (r >= 0)
		r = peer_send(&core->peer, MSG_vm_start, &start, &e);
	if (r >= 0)
		r = peer_send(&js->peer, MSG_vm_text, &text, &e);
	if (r >= 0)
		r = peer_send_fd(&js->peer, MSG_vm_text, &with_fd, STDIN_FILENO, &e);
	return r;
}

static bool
all_heard(const struct side *core, const struct side *js)
{
	return core->heard == 4 && core->bytes == sizeof(large) + 9 + 6 && core->took_fd &&
	       js->heard == 1 && js->bytes == sizeof(large);
}

static bool
begin(struct loop *loop, struct side *core, struct side *js, const int ends[2])
{
	int r = peer_init(&core->peer, loop, ends[0], ROLE_CORE, ROLE_JS, &core_hears,
	    on_closed, &e);
	int r2 =
	    peer_init(&js->peer, loop, ends[1], ROLE_JS, ROLE_CORE, &js_hears, on_closed, &e);

	if (r < 0 || r2 < 0)
		return false;
	js->peer.state = ST_READY;
	js->peer.pieces = true;
	return true;
}

enum ended { ENDED_WELL, ENDED_TOLD, ENDED_SILENT };

/* All of it, from the loop to the last message. */
static enum ended
converse(void)
{
	struct side core = { 0 }, js = { 0 };
	struct loop loop;
	enum ended ended = ENDED_TOLD;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return ENDED_SILENT;
	fault.armed = true;
	r = loop_init(&loop, &e);
	if (r < 0) {
		close(ends[0]);
		close(ends[1]);
	} else if (begin(&loop, &core, &js, ends)) {
		r = speak(&core, &js);
		for (unsigned turn = 0; r >= 0 && turn < TURNS_MAX && !all_heard(&core, &js);
		    turn++) {
			r = loop_turn(&loop, 0, &e);
			/* When one is closed the other need not hear of it: its socket is open. */
			if (core.closed || js.closed)
				turn += TURNS_MAX / 100;
		}
		if (all_heard(&core, &js))
			ended = ENDED_WELL;
		else if (r >= 0 && !core.closed && !js.closed)
			ended = ENDED_SILENT;
	}
	fault.armed = false;
	peer_done(&core.peer);
	peer_done(&js.peer);
	loop_done(&loop);
	return ended;
}

static void
conversation_faults(bool on, const char *what)
{
	struct holdings before, after;
	unsigned silent = 0, leaks = 0, well = 0, passes = 0;
	long n = 1;

	fault = (struct fault){ 0 };
	is_int(converse(), ENDED_WELL, "a conversation");
	before = held();
	for (; n < FAULTS_MAX; n++) {
		enum ended ended;

		fault = (struct fault){ .fail_at = n, .on = on };
		ended = converse();
		after = held();
		if (ended == ENDED_SILENT)
			printf("# silent after call %ld, %s\n", n, fault.hit);
		if (!same(before, after))
			printf("# call %ld, %s: %u, %u, %zu; then %u, %u, %zu\n", n,
			    fault.hit ? fault.hit : "-", before.fds, before.maps, before.heap,
			    after.fds, after.maps, after.heap);
		silent += ended == ENDED_SILENT;
		leaks += !same(before, after);
		well += ended == ENDED_WELL;
		if (!fault.hit && ++passes == PASSES)
			break;
		if (!fault.hit)
			n = 0;
	}
	ok(n > 20 && n < FAULTS_MAX && well >= 1, "%s, one of %ld calls at a time", what,
	    n - 1);
	is_int(silent, 0, "each is told to somebody");
	is_int(leaks, 0, "nothing is left behind");
}

static void
conversation_slowly(void)
{
	struct holdings before;

	fault = (struct fault){ 0 };
	converse();
	before = held();
	fault = (struct fault){ .one_byte = true };
	is_int(converse(), ENDED_WELL, "a conversation of single bytes");
	for (long every = 2; every <= 7; every++) {
		fault = (struct fault){ .interrupted = every };
		is_int(converse(), ENDED_WELL,
		    "a conversation that is interrupted again and again");
	}
	fault = (struct fault){ .one_byte = true, .interrupted = 3 };
	is_int(converse(), ENDED_WELL, "both");
	ok(same(before, held()), "nothing is left behind");
}

/* What js says in two messages, taken off the wire. */
static void
take_wire(struct loop *loop, struct buf *ret_wire)
{
	struct msg_js_hello hello = { .engine = STR("e") };
	struct msg_vm_text text = { .run = 1, .text = STR("some text") };
	int pair[2] = { -1, -1 };
	struct side js = { 0 };
	char bytes[300];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 ||
	    peer_init(&js.peer, loop, pair[1], ROLE_JS, ROLE_CORE, &js_hears, on_closed, &e) <
		0 ||
	    peer_send(&js.peer, MSG_js_hello, &hello, &e) < 0 ||
	    peer_send(&js.peer, MSG_vm_text, &text, &e) < 0)
		ok(false, "said: %s", e.text);
	n = recv(pair[0], bytes, sizeof(bytes), MSG_DONTWAIT);
	buf_add(ret_wire, (struct str){ bytes, n > 0 ? (size_t)n : 0 });
	peer_done(&js.peer);
	close(pair[0]);
}

/* The other side says this and is gone. */
static bool
dies_after(struct loop *loop, struct str said, unsigned messages)
{
	int pair[2] = { -1, -1 };
	struct side core = { 0 };
	bool good = true;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 ||
	    peer_init(&core.peer, loop, pair[0], ROLE_CORE, ROLE_JS, &core_hears, on_closed,
		&e) < 0)
		return false;
	good = !said.n || send(pair[1], said.p, said.n, MSG_NOSIGNAL) == (ssize_t)said.n;
	close(pair[1]);
	for (int turn = 0; turn < 10 && !core.closed; turn++)
		good = loop_turn(loop, 0, &e) == 0 && good;
	good = good && core.closed == 1 && core.heard <= messages;
	peer_done(&core.peer);
	return good;
}

static void
deaths(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	struct holdings before = held();
	unsigned wrong = 0;
	struct loop loop;

	fault = (struct fault){ 0 };
	if (loop_init(&loop, &e) < 0)
		ok(false, "a loop: %s", e.text);
	take_wire(&loop, &wire);
	for (size_t n = 0; n <= wire.n; n++)
		wrong += !dies_after(&loop, (struct str){ wire.p, n }, n == wire.n ? 2 : 1);
	loop_done(&loop);
	ok(wire.n > 50 && wrong == 0, "an end after each of %zu bytes is told once", wire.n);
	buf_done(&wire);
	ok(same(before, held()), "nothing is left behind");
}

/* ---- a VM ---- */

static bool
vm_is_well(void)
{
	struct script s = {
		.source =
		    STR("const wait = () => new Promise(r => setTimeout(r, 1)); text('x'); "
			"crypto.randomUUID(); await wait(); const a = []; for (let i = 0; i < "
			"200; i++) "
			"a.push(new Array(1000).fill(i)); await wait(); return a.length"),
		.rests = true,
	};
	bool good;

	script_run(&s);
	good = s.outcome == VM_OK && strcmp(buf_text(&s.vm.value), "200") == 0;
	script_done(&s);
	return good;
}

static void
vm_faults(bool on, const char *what)
{
	struct holdings before;
	unsigned lost = 0, leaks = 0, failed = 0, passes = 0, maps;
	long n = 1;

	fault = (struct fault){ 0 };
	ok(vm_is_well() && vm_is_well(), "a VM");
	before = held();
	maps = leak_maps("");
	for (; n < FAULTS_MAX; n++) {
		fault = (struct fault){ .fail_at = n, .on = on, .armed = true };
		failed += !vm_is_well();
		fault.armed = false;
		if (!same(before, held()) || leak_maps("") > maps + MAPS_SLACK)
			printf("# call %ld, %s: %u descriptors, %u mappings, %zu bytes; before "
			       "%u, %u, %zu\n",
			    n, fault.hit ? fault.hit : "-", leak_fds(), leak_maps(""),
			    leak_heap(), before.fds, maps, before.heap);
		leaks += !same(before, held()) || leak_maps("") > maps + MAPS_SLACK;
		lost += !vm_is_well();
		if (!fault.hit && ++passes == PASSES)
			break;
		if (!fault.hit)
			n = 0;
	}
	ok(n > 5 && n < FAULTS_MAX && failed > 0, "%s, one of %ld calls at a time", what,
	    n - 1);
	is_int(lost, 0, "the next VM is well each time");
	is_int(leaks, 0, "nothing is left behind");
}

/* The start of a process: it ends with a message or by abort, never otherwise. */
static void
start_faults(void)
{
	unsigned wrong = 0;
	long n = 1;

	for (; n < 1000; n++) {
		pid_t pid;
		int status = 0;

		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			static struct engine g;
			int r;

			fclose(stderr);
			fault = (struct fault){ .fail_at = n, .armed = true };
			e.text[0] = '\0';
			r = trap_setup(&e);
			if (r >= 0)
				r = engine_open(&g, &e);
			if (!fault.hit)
				_exit(r < 0 ? 9 : 7);
			_exit(r < 0 && e.text[0] ? 0 : 9);
		}
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
			break;
		wrong +=
		    WIFEXITED(status) ? WEXITSTATUS(status) != 0 : WTERMSIG(status) != SIGABRT;
	}
	ok(n > 5 && n < 1000, "the start of an engine, one of %ld calls at a time", n - 1);
	is_int(wrong, 0, "each is an error that is told, or the end");
}

/* ---- a configuration ---- */

static int
read_conf(const char *path, struct conf *ret_conf)
{
	auto_done(buf) struct buf text = buf_max(CONFIG_MAX), notices = buf_max(KiB(1));
	int r;

	conf_defaults(ret_conf);
	r = fd_slurp_at(AT_FDCWD, path, &text, &e);
	return r < 0 ? r : conf_apply(ret_conf, buf_str(&text), path, CONF_USER, &notices, &e);
}

static void
conf_faults(void)
{
	char path[] = "/tmp/t_fault.XXXXXX";
	struct holdings before;
	unsigned wrong = 0, leaks = 0, passes = 0;
	struct conf conf;
	long n = 1;
	int fd = mkstemp(path);

	fault = (struct fault){ 0 };
	ok(fd_write_all(fd, STR("{\"forge\":{\"javascript\":{\"timeoutMs\":77}}}\n"), &e) ==
		    0 &&
		read_conf(path, &conf) == 0 && conf.value[OPT_js_timeout_ms] == 77,
	    "a configuration");
	close(fd);
	before = held();
	for (; n < FAULTS_MAX; n++) {
		int r;

		fault = (struct fault){ .fail_at = n, .armed = true };
		e.text[0] = '\0';
		r = read_conf(path, &conf);
		fault.armed = false;
		wrong += fault.hit ? r >= 0 || !e.text[0] || conf.value[OPT_js_timeout_ms] == 77
				   : r < 0;
		leaks += !same(before, held());
		if (!fault.hit && ++passes == PASSES)
			break;
		if (!fault.hit)
			n = 0;
	}
	ok(n > 2 && n < FAULTS_MAX, "read with one of %ld calls failing", n - 1);
	is_int(wrong, 0, "each is told");
	is_int(leaks, 0, "nothing is left behind");
	fault = (struct fault){ .one_byte = true, .interrupted = 2, .armed = true };
	ok(read_conf(path, &conf) == 0 && conf.value[OPT_js_timeout_ms] == 77,
	    "read byte by byte, interrupted");
	fault.armed = false;
	unlink(path);
}

/* ---- whole reads and writes ---- */

static void
bytes_one_by_one(void)
{
	auto_fd int fd = memfd_create("test", MFD_CLOEXEC);
	auto_fd int sealed = -1;
	auto_done(buf) struct buf text = buf_max(KiB(1));
	struct str body = { NULL, 0 };
	char four[4];

	fault = (struct fault){ .one_byte = true, .interrupted = 3, .armed = true };
	is_int(fd_write_all(fd, STR("abcdef"), &e), 0, "written byte by byte");
	lseek(fd, 0, SEEK_SET);
	is_int(fd_slurp(fd, &text, &e), 0, "and read");
	is_str(buf_text(&text), "abcdef", "whole");
	lseek(fd, 0, SEEK_SET);
	ok(fd_read_all(fd, four, 4, &e) == 0 && memcmp(four, "abcd", 4) == 0, "or a part");
	ok(fd_seal_new(STR("sealed body"), &sealed, &e) == 0 &&
		fd_seal_map(sealed, 11, &body, &e) == 0 && str_eq(body, STR("sealed body")),
	    "sealed memory too");
	fd_seal_unmap(&body);
	fault.armed = false;
}

int
main(void)
{
	memset(large, 'l', sizeof(large));
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	conversation_faults(false, "a conversation");
	conversation_faults(true, "a conversation in which all that follows fails too");
	conversation_slowly();
	deaths();
	start_faults();
	if (!script_setup(&e)) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	vm_faults(false, "a VM");
	vm_faults(true, "a VM in which all that follows fails too");
	conf_faults();
	bytes_one_by_one();
	return tap_done();
}
