/* SPDX-License-Identifier: MIT */
/*
 * crisol-core: the broker. It decides; it opens no workspace file, no socket of the network,
 * and runs no code of a guest or a tool. One client speaks on descriptor 3.
 */
#include "forge/front.h"
#include "js-hash.h"
#include "launch-hash.h"
#include "loop/child.h"
#include "tool-hash.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const struct part parts[PART_COUNT] = {
	[PART_launch] = { "crisol-launch", CRISOL_LAUNCH_SHA256,
	    CRISOL_LAUNCH_INSTALLED_SHA256 },
	[PART_tool] = { "crisol-tool", CRISOL_TOOL_SHA256, CRISOL_TOOL_INSTALLED_SHA256 },
	[PART_js] = { "crisol-js", CRISOL_JS_SHA256, CRISOL_JS_INSTALLED_SHA256 },
};

struct core {
	struct loop loop;
	struct launcher launcher;
	struct front front;
	struct source signals;
};

/* Another process asks for the end of a run of ours. */
static void
on_asked(struct source *s, uint32_t events)
{
	struct core *core = container_of(s, struct core, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		front_cancel_asked(&core->front);
}

static void
on_left(struct front *f)
{
	loop_stop(f->loop);
}

static void
on_launcher_closed(struct peer *p, const struct err *why)
{
	struct core *core = container_of(p, struct core, launcher.peer);

	(void)why;
	if (core->launcher.answered)
		loop_stop(&core->loop);
	else
		launcher_missing(&core->launcher, "crisol-launch ended at once");
}

static int
run(struct core *core, struct err *e)
{
	static const int signals[] = { FRONT_SIGNAL };
	int signal_fd = -1;
	int r = loop_init(&core->loop, e);

	core->signals.on_ready = on_asked;
	if (r >= 0)
		r = loop_signals(signals, COUNT(signals), &signal_fd, e);
	if (r >= 0)
		r = loop_add(&core->loop, &core->signals, signal_fd, EPOLLIN, e);
	/* Without it nothing runs, but what there is to say is still said. */
	if (r >= 0 && launcher_init(&core->launcher, &core->loop, on_launcher_closed, e) < 0)
		launcher_missing(&core->launcher, e->text);
	if (r >= 0)
		r = front_init(&core->front, &core->loop, &core->launcher, CHILD_CHANNEL, parts,
		    on_left, e);
	if (r < 0)
		return r;
	r = loop_run(&core->loop, e);
	front_done(&core->front);
	launcher_done(&core->launcher);
	return r;
}

int
main(void)
{
	static struct core core;
	struct err e;

	prctl(PR_SET_DUMPABLE, 0);
	if (run(&core, &e) < 0) {
		fprintf(stderr, "crisol-core: %s\n", e.text);
		return 1;
	}
	return 0;
}
