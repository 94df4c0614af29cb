/* SPDX-License-Identifier: MIT */
/*
 * What to do about walls that are missing: for a report and the machine it was made on, one
 * piece of advice a cause. Pure: no look at the machine, no allocation that outlives the list.
 *
 *	struct machine machine;
 *	struct sandbox_advice_list list;
 *
 *	machine_detect(root, launcher, &machine);
 *	sandbox_advice(&report, &machine, &list);
 *	for (size_t i = 0; i < list.count; i++)
 *		...				list.items[i].missing, .means, .mend
 */
#ifndef SANDBOX_ADVICE_H
#define SANDBOX_ADVICE_H

#include "sandbox/machine.h"

#define ADVICE_MAX      16
#define ADVICE_MEND_MAX KiB(6)

enum advice_weight {
	ADVICE_STOPS,   /* scripts cannot run */
	ADVICE_WEAKENS, /* they run, with a wall or a tool less */
	ADVICE_BETTER,  /* nothing is wrong, it could be better */
};

struct sandbox_advice {
	const char *name; /* stable, for JSON: "userns-sysctl" */
	enum advice_weight weight;
	const char *missing; /* what is missing, one clause */
	const char *means;   /* what that means for the person */
	/* Lines for a shell, those that only explain behind a '#'; "" when nothing can be done here. */
	char mend[ADVICE_MEND_MAX];
};

struct sandbox_advice_list {
	struct sandbox_advice items[ADVICE_MAX];
	size_t count;
};

void sandbox_advice(const struct sandbox_report *report, const struct machine *machine,
    struct sandbox_advice_list *ret_list);

#endif
