/* SPDX-License-Identifier: MIT */
/*
 * What each wall is worth by itself. First one wall at a time is left out: the others must
 * still hold what they claim. Then all but one are left out: that one alone must stop what the
 * table says it stops, and everything else must get through, so the table is true both ways. The
 * capabilities are gone in both, except where they are the wall in question.
 *
 *	t_ablation PROGRAM root|root-no-userns|user
 */
#include "rows.h"

#define ALWAYS LAYER_BIT(caps)
/* These two may be put up without privileges only under no_new_privs. */
#define ON_NNP                                                                       \
	(LAYER_BIT(landlock) | LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope) | \
	    LAYER_BIT(seccomp))

static struct drive drive;
static struct canary canary;
static bool as_user;

/* What must be there with these layers. */
static uint32_t
with_needs(uint32_t layers)
{
	if (layers & LAYER_BIT(root))
		layers |= LAYER_BIT(mntns); /* to mount it in */
	if ((layers & LAYER_BIT(rlimits)) && !as_user)
		layers |= LAYER_BIT(ids); /* the kernel counts no processes of its first root */
	if (layers & (LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope)))
		layers |= LAYER_BIT(landlock);
	if (layers & ON_NNP)
		layers |= LAYER_BIT(nnp);
	if (as_user && (layers & LAYERS_NAMESPACES))
		layers |= LAYER_BIT(userns);
	return layers;
}

/* What cannot be there without these layers. */
static uint32_t
with_dependents(uint32_t layers)
{
	if (layers & LAYER_BIT(nnp))
		layers |= ON_NNP;
	if (layers & LAYER_BIT(landlock))
		layers |= LAYER_BIT(landlock_net) | LAYER_BIT(landlock_scope);
	if (layers & LAYER_BIT(mntns))
		layers |= LAYER_BIT(root);
	return layers;
}

static void
leave_out(uint32_t layers)
{
	auto_done(buf) struct buf names = buf_max(KiB(1));

	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (layers & (1U << i))
			buf_addf(&names, "%s%s", names.n ? "," : "",
			    sandbox_layer_name((enum sandbox_layer)i));
	drive_knob(&drive, "CRISOL_TEST_LEAVE_OUT", buf_text(&names));
}

static void
check(const char *what, enum sandbox_layer layer, uint32_t out)
{
	struct sandbox_report report = { 0 };
	struct drive_end end;
	struct str results = { 0 };
	char where[64];

	snprintf(where, sizeof(where), "%s %s", what, sandbox_layer_name(layer));
	leave_out(out);
	drive_closed(&drive, "js", "walls", &canary, &end);
	if (ok(end.spawned == 0 && drive_report(&end, &report, &results), "%s: it closes (%s)",
		where, end.e.text)) {
		ok(!(report.held & out), "%s: nothing left out is claimed", where);
		ok(report.held == report.proved, "%s: what is claimed is proved", where);
		rows_check_claims(where, &report, results);
		rows_check_rest(where, &report, results);
	}
	ok(end.status == 0, "%s: it ran to its end", where);
	drive_end_done(&end);
}

int
main(int argc, char **argv)
{
	struct drive_traces before, after;

	if (argc != 3)
		return 2;
	as_user = strcmp(argv[2], "user") == 0;
	if (!as_user && geteuid() != 0) {
		skip("no root: this variant is about it");
		return tap_done();
	}
	drive_init(&drive, argv[1]);
	if (as_user && !drive_become_user())
		return 2;
	sandbox_host_init(&drive.host);
	canary_start(&canary);
	drive_traces(&drive, &before);
	rows_check_outside(&drive, &canary);
	if (strcmp(argv[2], "root-no-userns") == 0)
		drive_knob(&drive, "CRISOL_TEST_NO_USERNS", "1");
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		check("without", (enum sandbox_layer)i, with_dependents(1U << i));
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		check("only", (enum sandbox_layer)i,
		    LAYERS_ALL & ~with_needs(1U << i | ALWAYS));
	check("nothing, not even", LAYER_caps, LAYERS_ALL);
	drive_traces(&drive, &after);
	ok(after.children == before.children && after.descriptors == before.descriptors &&
		after.mounts == before.mounts && after.groups == before.groups,
	    "nothing is left");
	ok(canary_stop(&canary),
	    "the process outside lives, and nothing was left in its folder");
	drive_done(&drive);
	return tap_done();
}
