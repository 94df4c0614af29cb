/* SPDX-License-Identifier: MIT */
#include "sandbox/enter.h"

#include <errno.h>
#include <sys/personality.h>

#include "sandbox/caps.h"
#include "sandbox/handoff.h"
#include "sandbox/sys.h"
#include "sandbox/test.h"

#define FDS_LOOKED_AT    256
#define ONE_THREAD_LINKS 3 /* of /proc/self/task: itself, its parent and one thread */

struct closing {
	const struct sandbox_profile *profile;
	const struct sandbox_enter_opts *opts;
	struct handoff handoff;
	struct sandbox_report *report; /* the handoff's */
	struct landlock_aim aim;
	int keyctl_before;
};

/* A program started by hand has no handoff: it looks as if it had no namespaces of its own. */
static int
start(struct closing *c, struct err *e)
{
	int r = handoff_take(&c->handoff, e);

	if (r == -ERR_NOTFOUND) {
		c->handoff = (struct handoff){ 0 };
		r = 0;
	}
	c->report->want = c->profile->want;
	return r;
}

/* A filter and a Landlock domain are one thread's. */
static int
check_threads(struct closing *c, struct err *e)
{
	struct stat st;

	(void)c;
	if (stat("/proc/self/task", &st) == 0 && st.st_nlink > ONE_THREAD_LINKS)
		return err_set(e, ERR_INVALID, "the process has threads already");
	return 0;
}

/*
 * The descriptors are the holes that are left on purpose. A folder is never one of them:
 * through it every path would be open again where Landlock and the root are missing.
 */
static int
check_descriptors(struct closing *c, struct err *e)
{
	(void)c;
	for (int fd = 0; fd < FDS_LOOKED_AT; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)))
			return err_set(e, ERR_INVALID, "descriptor %d is a folder or a disk",
			    fd);
	}
	if (sys_close_from(FDS_LOOKED_AT, 0) < 0)
		return err_sys(e, "close descriptors from %d on", FDS_LOOKED_AT);
	return 0;
}

/* With this old compatibility switch every readable page would be executable. */
static int
check_personality(struct closing *c, struct err *e)
{
	int now = personality(0xffffffff);

	(void)c;
	if (now < 0 || (now & READ_IMPLIES_EXEC))
		return err_set(e, ERR_INVALID,
		    "memory of this process is executable by default");
	return 0;
}

static int
look_around(struct closing *c, struct err *e)
{
	(void)e;
	userns_look(&c->handoff.outside, c->profile->want & LAYERS_NAMESPACES, c->report);
	return 0;
}

static int
leave_tree(struct closing *c, struct err *e)
{
	if (c->profile->open_tree || !(c->profile->want & LAYER_BIT(root)) ||
	    (sandbox_test()->leave_out & LAYER_BIT(root)))
		return 0;
	if (!(c->report->held & LAYER_BIT(mntns))) {
		report_lack(c->report, LAYER_root, 0, "there is no mount namespace");
		return 0;
	}
	if (mount_empty_root(e) < 0)
		report_lack(c->report, LAYER_root, e->sys, "%s", e->text);
	else
		mount_prove_root(true, c->report);
	return 0;
}

/* Where there is a namespace for it, the person's tree stays as it is but for what must not change. */
static int
settle_tree(struct closing *c, struct err *e)
{
	struct tree_plan plan;

	if (!c->profile->commands || !c->opts->tree || !(c->report->held & LAYER_BIT(mntns)))
		return 0;
	plan = *c->opts->tree;
	plan.proc = c->report->held & LAYER_BIT(pidns);
	return tree_settle(&plan, e);
}

static int
set_limits(struct closing *c, struct err *e)
{
	const struct sandbox_profile *p = c->profile;
	const struct rlimit_row processes = { RLIMIT_NPROC, p->processes };
	int r = rlimit_enter(p->limits, p->limit_count, e);

	if (r == 0 && p->processes && (c->report->held & LAYER_BIT(userns)))
		r = rlimit_enter(&processes, 1, e);
	if (r == 0)
		r = rlimit_enter(c->opts->limits, c->opts->limit_count, e);
	return r;
}

static int
drop_privileges(struct closing *c, struct err *e)
{
	int r = caps_enter(c->profile->caps, c->report, e);

	if (r == 0)
		r = caps_no_new_privs(c->report, e);
	if (r == 0 && (c->profile->want & LAYER_BIT(dumpable)))
		r = caps_not_dumpable(c->report, e);
	return r;
}

/* After the capabilities are gone: they would answer for walls that do not stand. */
static int
prove_own(struct closing *c, struct err *e)
{
	(void)e;
	rlimit_prove(c->profile->limits, c->profile->limit_count, c->report);
	caps_prove(c->profile->caps, c->report);
	if (c->profile->want & LAYER_BIT(ids))
		caps_look_ids(c->handoff.own_id, c->report);
	return 0;
}

static int
enter_landlock(struct closing *c, struct err *e)
{
	const struct sandbox_profile *p = c->profile;
	const struct landlock_group groups[] = {
		{ p->rules, p->rule_count },
		{ c->opts->rules, c->opts->rule_count },
	};
	bool closed = p->rule_count + c->opts->rule_count == 0;
	int r;

	if (!(p->want & LAYER_BIT(landlock)))
		return 0;
	landlock_aim(&c->aim);
	r = landlock_enter(groups, COUNT(groups), !p->tcp, c->report, e);
	landlock_prove(&c->aim, closed, !p->tcp, c->report);
	return r;
}

static int
enter_filter(struct closing *c, struct err *e)
{
	int r;

	if (!c->profile->filter)
		return 0;
	c->keyctl_before = seccomp_aim();
	r = seccomp_enter(c->profile->filter, c->report, e);
	if (r == 0)
		seccomp_prove(c->keyctl_before, c->report);
	return r;
}

static int
insist(struct closing *c, struct err *e)
{
	uint32_t lacks = (c->profile->must | c->opts->need | c->handoff.need) &
			 ~c->report->held & ~sandbox_test()->leave_out;

	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (lacks & (1U << i))
			return err_set(e, ERR_DENIED,
			    "the layer '%s' is insisted on but not there: %s",
			    sandbox_layer_name((enum sandbox_layer)i), c->report->why[i].text);
	return 0;
}

int
sandbox_enter(const struct sandbox_profile *profile, const struct sandbox_enter_opts *opts,
    struct sandbox_report *ret_report, struct err *e)
{
	static int (*const steps[])(struct closing *c, struct err *e) = {
		start,
		check_threads,
		check_descriptors,
		check_personality,
		look_around,
		leave_tree,
		settle_tree,
		set_limits,
		drop_privileges,
		prove_own,
		enter_landlock,
		enter_filter,
		insist,
	};
	struct closing c = { .profile = profile, .opts = opts };

	c.report = &c.handoff.report;
	for (size_t i = 0; i < COUNT(steps); i++) {
		int r = steps[i](&c, e);

		if (r < 0)
			return err_wrap(e, r, "close the process '%s'", profile->name);
	}
	*ret_report = c.handoff.report;
	return 0;
}
