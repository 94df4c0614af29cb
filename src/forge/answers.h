/* SPDX-License-Identifier: MIT */
/* Answers to a client's questions about what people allowed, trusted, and what a policy would do. */
#ifndef FORGE_ANSWERS_H
#define FORGE_ANSWERS_H

#include "forge/front.h"

/* 0 with the answer as JSON, or negative: refused by e. */
typedef int answer_fn(struct front *f, const struct msg_ask *m, struct buf *ret_json,
    struct err *e);

answer_fn answer_permissions, answer_revoke, answer_trust, answer_distrust, answer_replay;

#endif
