/* SPDX-License-Identifier: MIT */
/*
 * crisol-js gone bad. The program is the real one, object for object; only the call with which
 * a script prints text is caught by the linker, and a text that starts with "!" is taken as an
 * order to the host process itself, as if the engine had been broken out of. What it finds is
 * printed as the script's text.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../escape/sweep.h"
#include "base/fd.h"
#include "js/guest.h"
#include "js/vm.h"
#include "raw.h"
#include "sandbox/probe.h"

#define CHANNEL 3

handle __real_guest_host_call(struct engine *g, struct str name, const handle *arguments,
    uint32_t n);
handle __wrap_guest_host_call(struct engine *g, struct str name, const handle *arguments,
    uint32_t n);

typedef void order_fn(struct engine *g, struct buf *said);

/* Every system call that the profile does not name, with arguments that are nothing. */
static void
order_sweep(struct engine *g, struct buf *said)
{
	int tried = 0;

	(void)g;
	for (int nr = 0; nr < SWEEP_END; nr++) {
		if (sweep_allowed(nr) || SWEEP_PROBES(nr))
			continue;
		tried++;
		errno = 0;
		if (syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L) >= 0 ||
		    (errno != EPERM && errno != ENOSYS))
			buf_addf(said, "call %d came through: errno %d\n", nr, errno);
	}
	buf_addf(said, "%d calls tried\n", tried);
}

static void
order_probe(struct engine *g, struct buf *said)
{
	size_t n;
	const struct sandbox_attempt *list = sandbox_probe_list(&n);

	(void)g;
	for (size_t i = 0; i < n; i++) {
		if (sandbox_probe(&list[i]).reached)
			buf_addf(said, "%s reached\n", list[i].name);
	}
	buf_addf(said, "%zu attacks tried\n", n);
}

/* The descriptors that are open, by trying all numbers. */
static void
order_descriptors(struct engine *g, struct buf *said)
{
	(void)g;
	for (int fd = 0; fd < 4096; fd++) {
		if (syscall(SYS_fcntl, fd, 3 /* F_GETFL */, 0) >= 0)
			buf_addf(said, "%d ", fd);
	}
}

static void
order_memory(struct engine *g, struct buf *said)
{
	size_t took = 0;

	(void)g;
	while (took < GiB(64) && mmap(NULL, MiB(64), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		took += MiB(64);
	buf_addf(said, "%zu MiB taken\n", took >> 20);
}

/* Guest code that stores where nothing of its own is. */
static void
order_wild_guest(struct engine *g, struct buf *said)
{
	(void)said;
	engine_guest(g);
	*(volatile char *)(g->inst.w2c_memory.data + GiB(6)) = 1;
	engine_host(g);
}

static attr_noinline int
deeper(volatile char *above)
{
	volatile char page[4096];

	page[0] = *above;
	return page[0] ? deeper(page) + page[0] : 0;
}

static void
order_deep_guest(struct engine *g, struct buf *said)
{
	char top = 1;

	(void)said;
	engine_guest(g);
	*(volatile int *)&errno = deeper(&top);
	engine_host(g);
}

/* Host code that stores into its own program. */
static void
order_wild_host(struct engine *g, struct buf *said)
{
	extern char __executable_start[]; /* of the linker: the first byte of the program */

	(void)g;
	(void)said;
	*(volatile char *)__executable_start = 1;
}

static void
order_spin_host(struct engine *g, struct buf *said)
{
	volatile bool on = true;

	(void)g;
	(void)said;
	while (on)
		;
}

static void
send(const void *bytes, size_t n)
{
	struct err e;

	if (fd_write_all(CHANNEL, (struct str){ bytes, n }, &e) < 0)
		_exit(9);
}

static void
order_garbage(struct engine *g, struct buf *said)
{
	(void)g;
	(void)said;
	send("GET / HTTP/1.1\r\n\r\n", 18);
}

/* A frame that promises more than may be. */
static void
order_promise(struct engine *g, struct buf *said)
{
	static const unsigned char head[8] = { 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0 };

	(void)g;
	(void)said;
	send(head, sizeof(head));
}

/* What only a client may say. */
static void
order_impostor(struct engine *g, struct buf *said)
{
	static const unsigned char head[8] = { 8, 0, 0, 0, 3, 0, 0, 0 };
	static const unsigned char body[8] = { 1 };

	(void)g;
	(void)said;
	send(head, sizeof(head));
	send(body, sizeof(body));
}

static void
order_quit(struct engine *g, struct buf *said)
{
	(void)g;
	(void)said;
	_exit(0);
}

static const struct {
	const char *name;
	order_fn *fn;
} orders[] = {
	{ "!sweep", order_sweep },
	{ "!probe", order_probe },
	{ "!descriptors", order_descriptors },
	{ "!memory", order_memory },
	{ "!wild guest", order_wild_guest },
	{ "!deep guest", order_deep_guest },
	{ "!wild host", order_wild_host },
	{ "!spin host", order_spin_host },
	{ "!garbage", order_garbage },
	{ "!promise", order_promise },
	{ "!impostor", order_impostor },
	{ "!quit", order_quit },
};

static void
obey(struct engine *g, struct str order)
{
	auto_done(buf) struct buf said = buf_max(KiB(64));

	if (str_starts(order, STR("!raw ")))
		raw_send(str_from(order, 5));
	for (size_t i = 0; i < COUNT(orders); i++) {
		if (str_eq(order, str_of(orders[i].name)))
			orders[i].fn(g, &said);
	}
	g->running->events->on_text(g->running, buf_str(&said));
}

handle
__wrap_guest_host_call(struct engine *g, struct str name, const handle *arguments, uint32_t n)
{
	uint32_t free_at = 0;

	if (g->running && n > 0 && str_eq(name, STR("text"))) {
		struct str text = guest_text(g, arguments[0], &free_at);

		if (text.n && text.p[0] == '!')
			obey(g, text);
		if (free_at)
			q_qjs_free_cstring(g, free_at);
	}
	return __real_guest_host_call(g, name, arguments, n);
}
