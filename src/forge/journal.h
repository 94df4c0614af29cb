/* SPDX-License-Identifier: MIT */
/*
 * What is written down of every call: the decision before anything else, its beginning before it
 * begins, its end. A call that may change something begins only when that is on disk.
 */
#ifndef FORGE_JOURNAL_H
#define FORGE_JOURNAL_H

#include "base/sha.h"
#include "gate/gate.h"
#include "ipc/code.h"
#include "store/store.h"

struct journal {
	struct store *store;    /* NULL: nothing can be written */
	char why[ERR_TEXT_MAX]; /* then */
	char session[ID_SIZE];
	struct buf policy;           /* in force, in words */
	char note[8 * ERR_TEXT_MAX]; /* of the last journal_note */
};

/* One call, as its rows know it. */
struct journal_call {
	const char *run; /* "" for a call that no script made */
	uint64_t n;      /* its number there */
	char id[ID_SIZE];
	struct str tool;
	enum gate_effect effect;
	char input[SHA_HEX_SIZE];
	bool begun;
};

/* The effect of a call that may change something outside of crisol. */
bool journal_acts(enum gate_effect effect);

/* run "" and n 0 for a direct call, which gets an id of its own. tool and run are borrowed. */
void journal_call_init(struct journal_call *c, const char *run, uint64_t n, struct str tool,
    struct str input);
/* by, words: as gate/explain.h has them. answer: what a person said before it; "" where nobody was asked. */
void journal_decide(struct journal *j, struct journal_call *c, const struct gate_verdict *v,
    struct str by, struct str words, const char *answer);
/* ERR_* when the call acts and its beginning is not on disk: then it must not begin. */
int journal_begin(struct journal *j, struct journal_call *c, struct str input,
    struct err *e) must_use;
/* A call that was not begun gets its beginning here, too. */
void journal_end(struct journal *j, struct journal_call *c, struct str input,
    const char *status, enum code code, struct str result, uint64_t ns);
/*
 * Writes what waits, unless writing worked a moment ago, and says for whom it is about why it is not recorded, or not whole; NULL when
 * all is well. Stands until it is asked again.
 */
const char *journal_note(struct journal *j);

#endif
