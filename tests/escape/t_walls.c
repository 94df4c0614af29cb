/* SPDX-License-Identifier: MIT */
/*
 * Every attempt against the walls as they stand together, in each kind of machine: as root, as
 * an ordinary user, where namespaces are refused, and with older Landlocks. An attempt must fail
 * where one of its walls holds and get through where none does; outside it must get through.
 *
 *	t_walls PROGRAM VARIANT
 */
#include <signal.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "drive.h"
#include "rows.h"

#define LAYERS_USER (LAYERS_ALL & ~(LAYER_BIT(ids) | LAYER_BIT(cgroup)))
#define LAYERS_BARE (LAYERS_USER & ~(LAYERS_NAMESPACES | LAYER_BIT(root)))

static const struct variant {
	const char *name;
	bool root;
	const char *knob, *value;
	enum sandbox_mode mode;
	uint32_t least; /* layers that must hold */
	uint32_t never; /* layers that must not be claimed */
} variants[] = {
	{ "root", true, NULL, NULL, SANDBOX_USERNS, LAYERS_ALL & ~LAYER_BIT(cgroup), 0 },
	{ "root-no-userns", true, "CRISOL_TEST_NO_USERNS", "1", SANDBOX_ROOT,
	    LAYERS_ALL & ~(LAYER_BIT(cgroup) | LAYER_BIT(userns)), LAYER_BIT(userns) },
	{ "root-bare", true, "CRISOL_TEST_NO_NAMESPACES", "1", SANDBOX_BARE,
	    LAYERS_BARE | LAYER_BIT(ids), LAYERS_NAMESPACES | LAYER_BIT(root) },
	{ "root-no-clone3", true, "CRISOL_TEST_NO_CLONE3", "1", SANDBOX_USERNS,
	    LAYERS_ALL & ~LAYER_BIT(cgroup), 0 },
	{ "user", false, NULL, NULL, SANDBOX_USERNS, LAYERS_USER, LAYER_BIT(ids) },
	{ "user-bare", false, "CRISOL_TEST_NO_USERNS", "1", SANDBOX_BARE, LAYERS_BARE,
	    LAYERS_NAMESPACES | LAYER_BIT(root) | LAYER_BIT(ids) },
	{ "abi-0", false, "CRISOL_TEST_ABI", "0", SANDBOX_USERNS,
	    LAYERS_USER &
		~(LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope)),
	    LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope) },
	{ "abi-2", false, "CRISOL_TEST_ABI", "2", SANDBOX_USERNS,
	    LAYERS_USER & ~(LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope)),
	    LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope) },
	{ "abi-4", false, "CRISOL_TEST_ABI", "4", SANDBOX_USERNS,
	    LAYERS_USER & ~LAYER_BIT(landlock_scope), LAYER_BIT(landlock_scope) },
	{ "abi-6", false, "CRISOL_TEST_ABI", "6", SANDBOX_USERNS, LAYERS_USER, 0 },
	/* For the product's own build of everything, which must not know the knobs. */
	{ "sealed", true, "CRISOL_TEST_LEAVE_OUT", "seccomp,landlock,caps,root,nnp",
	    SANDBOX_USERNS, LAYERS_ALL & ~LAYER_BIT(cgroup), 0 },
	{ "sealed-user", false, "CRISOL_TEST_NO_NAMESPACES", "1", SANDBOX_USERNS, LAYERS_USER,
	    LAYER_BIT(ids) },
};

static struct drive drive;
static struct canary canary;

static void
check_report(const struct variant *v, const struct sandbox_report *report)
{
	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		const char *name = sandbox_layer_name((enum sandbox_layer)i);
		uint32_t bit = 1U << i;

		if (v->least & bit)
			ok(report->held & bit, "%s: %s holds (%s)", v->name, name,
			    report->why[i].text);
		if (v->never & bit)
			ok(!(report->held & bit), "%s: %s is not claimed", v->name, name);
		if (report->held & bit)
			ok(report->proved & bit, "%s: %s is proved", v->name, name);
		else
			ok(report->why[i].text[0], "%s: %s has a reason", v->name, name);
	}
	is_int(report->mode, v->mode, "the mode is the one expected");
}

static void
check_inside(const struct variant *v)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str results = { 0 };

	drive_closed(&drive, "js", "walls", &canary, &end);
	is_int(end.spawned, 0, "the process starts");
	if (ok(drive_report(&end, &report, &results), "%s: it closes (%s)", v->name,
		end.e.text)) {
		check_report(v, &report);
		rows_check_claims(v->name, &report, results);
		rows_check_rest(v->name, &report, results);
	}
	is_int(end.status, 0, "it ran to its end");
	drive_end_done(&end);
}

static void
check_doors(const char *what)
{
	struct drive_end end;

	drive_closed(&drive, "js", what, &canary, &end);
	ok(end.out.n && !strstr(end.out.p, "survived"), "a call by %s is not survived", what);
	is_int(end.status & 0x7f, SIGSYS, "it is killed for it");
	drive_end_done(&end);
}

static void
check_probe(void)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str rest = { 0 };
	unsigned rows_seen = 0;

	drive_closed(&drive, "js", "probe", &canary, &end);
	ok(drive_report(&end, &report, &rest), "the probing process closes");
	while (rest.n) {
		struct str line = str_split(&rest, '\n');
		struct str name = str_split(&line, ' ');

		rows_seen++;
		ok(line.n && line.p[0] == '0', "probe %.*s is stopped", STR_ARG(name));
	}
	ok(rows_seen >= 25, "the probe list was run");
	drive_end_done(&end);
	drive_open(&drive, "probe", &canary, &end);
	rest = buf_str(&end.out);
	while (rest.n) {
		struct str line = str_split(&rest, '\n');
		struct str name = str_split(&line, ' ');

		if (geteuid() == 0)
			ok(line.n && line.p[0] == '1', "probe %.*s is reached outside",
			    STR_ARG(name));
	}
	drive_end_done(&end);
}

static const struct variant *
find(const char *name)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct variant *v = argc == 3 ? find(argv[2]) : NULL;
	struct drive_traces before, after;

	if (!v)
		return 2;
	if (v->root && geteuid() != 0) {
		skip("no root: this variant is about it");
		return tap_done();
	}
	drive_init(&drive, argv[1]);
	if (!v->root && !drive_become_user())
		return 2;
	sandbox_host_init(&drive.host);
	canary_start(&canary);
	drive_traces(&drive, &before);
	rows_check_outside(&drive, &canary);
	if (v->knob)
		drive_knob(&drive, v->knob, v->value);
	check_inside(v);
	check_doors("int80");
	check_doors("x32");
	check_probe();
	drive_traces(&drive, &after);
	is_int(after.children, before.children, "no process is left");
	is_int(after.descriptors, before.descriptors, "no descriptor is left");
	is_int(after.mounts, before.mounts, "no mount is left");
	is_int(after.groups, before.groups, "no control group is left");
	ok(canary_stop(&canary),
	    "the process outside lives, and nothing was left in its folder");
	drive_done(&drive);
	return tap_done();
}
