/* SPDX-License-Identifier: MIT */
#include "gate/gate.h"

const char *
gate_effect_name(enum gate_effect effect)
{
	static const char *const names[GATE_EFFECT_COUNT] = {
		[GATE_NO_EFFECT] = "none",
		[GATE_READ] = "read",
		[GATE_WRITE] = "write",
		[GATE_PROCESS] = "process",
		[GATE_EXTERNAL] = "external",
		[GATE_INTERNAL] = "internal",
	};

	return names[effect];
}

const char *
gate_answer_name(enum gate_answer answer)
{
	static const char *const names[GATE_ANSWER_COUNT] = {
		[GATE_ABSENT] = "absent",
		[GATE_DENY] = "deny",
		[GATE_ASK] = "ask",
		[GATE_ALLOW] = "allow",
	};

	return names[answer];
}

const char *
gate_state_name(enum gate_answer answer)
{
	static const char *const names[GATE_ANSWER_COUNT] = {
		[GATE_ABSENT] = "disabled",
		[GATE_DENY] = "disabled",
		[GATE_ASK] = "ask",
		[GATE_ALLOW] = "enabled",
	};

	return names[answer];
}

const char *
gate_code_name(enum gate_code code)
{
	static const char *const names[GATE_CODE_COUNT] = {
		[GATE_OK] = "",
		[GATE_TOOL_UNAVAILABLE] = "TOOL_UNAVAILABLE",
		[GATE_READ_ONLY] = "READ_ONLY",
		[GATE_DENIED] = "DENIED",
		[GATE_APPROVAL_REQUIRED] = "APPROVAL_REQUIRED",
		[GATE_OUTSIDE_ROOTS] = "OUTSIDE_ROOTS",
	};

	return names[code];
}

const char *
gate_reason_name(enum gate_reason reason)
{
	static const char *const names[GATE_REASON_COUNT] = {
#define REASON(id, name) [GATE_BY_##id] = (name),
#include "gate/reason.def"
#undef REASON
	};

	return names[reason];
}

const char *
gate_reply_name(enum gate_reply reply)
{
	static const char *const names[GATE_REPLY_COUNT] = {
		[GATE_REPLY_NONE] = "none",
		[GATE_REPLY_ONCE] = "once",
		[GATE_REPLY_SESSION] = "session",
		[GATE_REPLY_DENY] = "deny",
	};

	return names[reply];
}

const char *
gate_flag_name(enum gate_flag flag)
{
	switch (flag) {
	case GATE_ALLOW_WRITE:
		return "--allow-write";
	case GATE_ALLOW_PROCESS:
		return "--allow-process";
	case GATE_ALLOW_ANALYSIS:
		return "--allow-analysis";
	case GATE_ALLOW_EXTERNAL:
		return "--allow-external";
	case GATE_ALLOW_MCP:
		return "--allow-mcp";
	case GATE_ALLOW_AGENTS:
		return "--allow-agents";
	}
	return "";
}
