/* SPDX-License-Identifier: MIT */
/* What may be said to a question, and what follows from it. */
#include "gate/gate.h"

const char *
gate_session_label(enum gate_question question)
{
	switch (question) {
	case GATE_ASK_FOLDER:
		return "Always allow this directory in this session";
	case GATE_ASK_EFFECT:
	case GATE_ASK_ANALYSIS:
		return "Allow for this session";
	case GATE_NO_QUESTION:
	case GATE_ASK_CALL:
	case GATE_ASK_INSTALL:
	case GATE_QUESTION_COUNT:
		break;
	}
	return NULL;
}

const char *
gate_label(enum gate_question question, enum gate_reply reply)
{
	if (question == GATE_NO_QUESTION)
		return NULL;
	switch (reply) {
	case GATE_REPLY_ONCE:
		return "Allow once";
	case GATE_REPLY_SESSION:
		return gate_session_label(question);
	case GATE_REPLY_DENY:
		return "Deny";
	case GATE_REPLY_NONE:
	case GATE_REPLY_COUNT:
		break;
	}
	return NULL;
}

unsigned
gate_once_of(enum gate_question question)
{
	switch (question) {
	case GATE_ASK_CALL:
	case GATE_ASK_EFFECT:
	case GATE_ASK_ANALYSIS:
		return GATE_ONCE_CALL;
	case GATE_ASK_INSTALL:
		return GATE_ONCE_INSTALL;
	case GATE_NO_QUESTION:
	case GATE_ASK_FOLDER:
	case GATE_QUESTION_COUNT:
		break;
	}
	return 0;
}

const char *
gate_grant_name(const struct gate_verdict *verdict)
{
	switch (verdict->question) {
	case GATE_ASK_FOLDER:
		return "folder";
	case GATE_ASK_ANALYSIS:
		return "analysis.run";
	case GATE_NO_QUESTION:
	case GATE_ASK_CALL:
	case GATE_ASK_EFFECT:
	case GATE_ASK_INSTALL:
	case GATE_QUESTION_COUNT:
		break;
	}
	return gate_effect_name(verdict->effect);
}
