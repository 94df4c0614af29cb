/* SPDX-License-Identifier: MIT */
/*
 * A verdict in words: one sentence, without a full stop, that says what was decided, by what, and
 * what would change it - a flag, a key, a direct call, the folder to declare. The same sentence goes
 * to a person, to a model and into the audit. Names and paths in it are as they came: whoever
 * shows it escapes it. Commands to type are quoted for a shell.
 *
 *	auto_done(buf) struct buf words = buf_max(EXPLAIN_MAX);
 *	explain_verdict(&policy, &call, &verdict, &words);
 */
#ifndef GATE_EXPLAIN_H
#define GATE_EXPLAIN_H

#include "base/buf.h"
#include "gate/gate.h"

#define EXPLAIN_MAX KiB(64) /* room for every sentence with paths at their longest */

void explain_verdict(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_verdict *verdict, struct buf *ret_words);
/* What made it, short: "flag --allow-write", "mode auto", "permissions.rules[2] of FILE". */
void explain_source(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_verdict *verdict, struct buf *ret_words);

#endif
