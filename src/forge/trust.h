/* SPDX-License-Identifier: MIT */
/*
 * Whether the file that a project brings, .crisol/config.json, counts. It says what tools may do, and
 * whoever wrote the project wrote it: it counts when a person has trusted this very text in this very
 * folder. Another text, or the same one in another folder, is another question.
 */
#ifndef FORGE_TRUST_H
#define FORGE_TRUST_H

#include "conf/conf.h"
#include "gate/gate.h"
#include "store/store.h"

/* What a client wants. */
enum trust_way {
	TRUST_AS_KNOWN, /* what was said before counts; nobody is asked */
	TRUST_ASK,      /* a person is asked, once for each text */
	TRUST_THIS_RUN, /* it counts for this run, and nothing is remembered */
	TRUST_AGAIN,    /* a person is asked whatever was said before */
	TRUST_WAY_COUNT
};

enum trust_step {
	TRUST_NOTHING, /* there is no such file, or --config stands in its place */
	TRUST_LOAD,
	TRUST_QUESTION,
	TRUST_LEAVE, /* it does not count, and that is said */
	TRUST_STEP_COUNT
};

struct trust_case {
	bool file;     /* there is one */
	bool replaced; /* by --config */
	bool valid;    /* it could be loaded */
	bool attended; /* a person can be asked, and the answer be kept */
	enum trust_way way;
	enum store_trust known;
};

/* Pure: what to do with the file. */
enum trust_step trust_decide(const struct trust_case *c);

/* What one of these answers means: whether it counts now, and what is remembered. */
struct trust_outcome {
	bool load;
	bool keep; /* `trust` is written down */
	enum store_trust trust;
};

struct trust_outcome trust_answer(enum gate_reply reply);
/* Its label; NULL where the question does not take it. */
const char *trust_label(enum trust_way way, enum gate_reply reply);

/*
 * Appends what the text would do, one sentence a line, on top of `before`, what the person's own file
 * says; what would be left out of it too. ERR_INVALID, ERR_LIMIT when it could not be loaded. path is
 * the file's.
 */
int trust_describe(const struct conf *before, struct str text, struct str path,
    struct buf *ret_lines, struct err *e) must_use;

#endif
