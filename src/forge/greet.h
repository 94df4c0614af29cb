/* SPDX-License-Identifier: MIT */
/*
 * How a client begins: its configuration, the project's file as far as it is trusted, the session.
 *
 * A project's file counts only when this very text was trusted in this folder (forge/trust.h). The
 * client reads it once and sends the bytes; what is shown, hashed and loaded are these bytes. Where a
 * person can be asked, the greeting waits for the answer, and nothing else is heard meanwhile.
 */
#ifndef FORGE_GREET_H
#define FORGE_GREET_H

#include "forge/front.h"
#include "gate/gate.h"

#define JOURNAL_FILE "/journal.sqlite" /* in the state home */

int core_on_client_hello(struct peer *p, const void *body, struct err *e);
/* To the question about the project's file. */
int greet_answer(struct front *f, enum gate_reply reply, struct err *e);
void greet_done(struct front *f);
/* Opens the journal; why not is at the desk's journal, and a notice. */
void greet_store(struct front *f);
/* The session of that name in the workspace; with no name one of its own, made once. */
int front_session(struct front *f, struct str name, struct err *e) must_use;

#endif
