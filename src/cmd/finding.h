/* SPDX-License-Identifier: MIT */
/*
 * What `crisol doctor` finds: one entry for each thing that is wrong, with what it means and the
 * lines for a shell that mend it. Those that stop scripts come first.
 *
 *	struct findings f;
 *
 *	findings_look(status, &trouble, &machine, &f);
 *	for (size_t i = 0; i < f.n; i++)
 *		...			buf_text(&f.items[i].missing), f.items[i].means
 *	findings_done(&f);
 *
 * It looks at the machine, at paths and at the status; it opens nothing that others wrote.
 */
#ifndef CMD_FINDING_H
#define CMD_FINDING_H

#include "base/json.h"
#include "cmd/client.h"
#include "sandbox/advice.h"

#define FINDINGS_MAX (ADVICE_MAX + 8)

struct finding {
	const char *name; /* stable, for JSON */
	enum advice_weight weight;
	const char *means;
	struct buf missing, mend;
};

struct findings {
	struct finding items[FINDINGS_MAX];
	size_t n;
};

/* status: what ASK_STATUS gave, NULL when it gave nothing; trouble: what was refused. */
void findings_look(const struct yyjson_val *status, const struct client_trouble *trouble,
    struct machine *ret_machine, struct findings *ret_findings);
void findings_done(struct findings *f);

#endif
