/* SPDX-License-Identifier: MIT */
/*
 * The permission decision: every call of every tool, whoever makes it, is judged here.
 *
 * Pure: a policy and a call go in, a verdict comes out. No I/O, no allocation, no clock, nothing
 * is remembered; the same question has the same answer. Only GATE_ALLOW runs. A verdict borrows
 * from policy and call and lives as long as they do. doc/gate.md has the tables and the reasons;
 * explain.h puts a verdict into words.
 *
 *	gate_offer(&policy, &call, &v);         unknown or not offered: refuse
 *	if (v.answer == GATE_ABSENT)
 *		return refuse(&call, &v);
 *	...                                     check the input against its schema, look up paths
 *	gate_decide(&policy, &call, &v);
 *	while (v.answer == GATE_ASK && ask(&policy, &call, &v))
 *		gate_decide(&policy, &call, &v);  the answer is noted in grants or in the call
 *	audit(&call, &v);
 *	if (v.answer == GATE_ALLOW)
 *		run(&call);
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "gate/command.h"

struct rule;
struct rules;

enum gate_effect {
	GATE_NO_EFFECT, /* not declared: judged as external */
	GATE_READ,
	GATE_WRITE,
	GATE_PROCESS,
	GATE_EXTERNAL,
	GATE_INTERNAL,
	GATE_EFFECT_COUNT
};

/* ---- the policy ---- */

/* Where the call's session is: whether there is somebody to ask. */
enum gate_surface {
	GATE_HEADLESS, /* nobody */
	GATE_MCP,      /* another client drives; nobody either */
	GATE_TERMINAL, /* a person at a terminal */
	GATE_SERVE,    /* a person in a browser; the flags are a ceiling for modes and rules */
	GATE_SURFACE_COUNT
};

enum gate_agent { GATE_BUILD, GATE_PLAN };

/* Bits of gate_policy.flags and gate_tool.flags. */
enum gate_flag {
	GATE_ALLOW_WRITE = 1 << 0,
	GATE_ALLOW_PROCESS = 1 << 1,
	GATE_ALLOW_ANALYSIS = 1 << 2,
	GATE_ALLOW_EXTERNAL = 1 << 3,
	GATE_ALLOW_MCP = 1 << 4, /* or mcp.allow of the person's own configuration */
	GATE_ALLOW_AGENTS = 1 << 5,
};

/* A mode is a row of gate_modes; CUSTOM is no mode to pick but what the flags come to otherwise. */
enum gate_mode {
	GATE_MODE_CUSTOM,
	GATE_MODE_ASK,
	GATE_MODE_AUTO,
	GATE_MODE_FULL,
	GATE_MODE_COUNT
};

struct gate_mode_spec {
	const char *name;
	const char *preset; /* its name in a browser; NULL for custom */
	unsigned permits;   /* bits 1 << enum gate_effect that run without a question */
};

extern const struct gate_mode_spec gate_modes[GATE_MODE_COUNT];

/* The mode that flags give before one was picked. */
enum gate_mode gate_first_mode(unsigned flags);

enum gate_root_kind {
	GATE_WORKSPACE, /* one */
	GATE_DECLARED,  /* --add-dir, additionalDirectories */
	GATE_SCRATCH,   /* the session's scratchpad */
};

struct gate_root {
	struct str path; /* absolute, links resolved, normal (base/path.h) */
	enum gate_root_kind kind;
	bool carved; /* made by crisol itself inside a protected folder, and meant to be used */
};

/* What people allowed for the session. Never looked at for calls from js_run. */
struct gate_grants {
	unsigned effects;  /* bits 1 << enum gate_effect */
	bool analysis_run; /* kept with the root session; the others end with the process */
	const struct str *folders; /* as gate_path.folder; each covers all below it */
	size_t folders_n;
};

struct gate_policy {
	enum gate_surface surface;
	enum gate_agent agent;
	enum gate_mode
	    mode; /* picked in an interface; CUSTOM while none was: the flags decide */
	unsigned flags;
	bool read_only;
	bool resumed; /* a headless resume of a root session, with the grants kept with it */
	bool pending; /* the host keeps questions that nobody can answer now for later */
	const struct gate_root *roots;
	size_t roots_n;
	const struct str
	    *protected; /* state home, config home, runtime folder; as roots' paths */
	size_t protected_n;
	const struct rules *rules; /* all layers; may be NULL */
	struct gate_grants grants;
};

/* ---- the call ---- */

enum gate_home { GATE_BUILTIN, GATE_PLUGIN, GATE_MCP_SERVER };

/* Bits of gate_tool.traits; of built-in tools alone. */
enum gate_trait {
	GATE_NO_SCRIPT = 1 << 0, /* not callable from js_run and execute */
	GATE_PLAN_ONLY = 1 << 1, /* of the plan agent alone */
	GATE_NO_PLAN = 1 << 2,   /* never of the plan agent */
	GATE_PUBLISHES = 1 << 3, /* internal, but --read-only removes it */
	GATE_ANALYSIS = 1 << 4,  /* needs analysis.run, which is finer than process */
	GATE_COMMANDS = 1 << 5,  /* runs a command line */
};

/*
 * What a tool is. Of a plugin's or an MCP server's tool only `home` counts: it is external
 * whatever it declares.
 */
struct gate_tool {
	struct str name;
	enum gate_home home;
	enum gate_effect effect;
	unsigned flags; /* any one of these permits it */
	unsigned traits;
};

/* The row of builtin.def; NULL for none, then `(struct gate_tool){ .name = name }` is judged. */
const struct gate_tool *gate_builtin(struct str name);
/* The effect a tool is judged by. */
enum gate_effect gate_effect_of(const struct gate_tool *tool);

enum gate_from { GATE_DIRECT, GATE_FROM_JS, GATE_FROM_EXECUTE };

/*
 * One path that a call names, the working folder of a command included. The caller has
 *   - made it absolute against the workspace, and resolved every link and `..` on the real file
 *     system (what does not exist yet: its nearest existing folder resolved, the rest appended),
 *     holding on to what it resolved so that the tool opens just that;
 *   - said so when a link was on the way, including one at the end that leads nowhere;
 *   - chosen `folder`: the existing folder that holds it, or itself when it is a folder.
 * In which root it is the gate finds by itself.
 */
struct gate_path {
	struct str real;   /* normal (base/path.h) */
	struct str given;  /* absolute and normal by text alone; empty when that is `real` */
	struct str folder; /* what is asked for when `real` is outside; contains it */
	bool write;
	bool linked; /* a symbolic link was followed */
	bool once;   /* the person allowed `folder` for this call */
};

/* Bits of gate_call.once: what a person allowed for this call alone. */
enum gate_once { GATE_ONCE_CALL = 1 << 0, GATE_ONCE_INSTALL = 1 << 1 };

struct gate_call {
	struct str name;              /* as called */
	const struct gate_tool *tool; /* NULL: there is none of that name */
	enum gate_from from;
	struct str off;    /* why the tool is not there at all now, such as a key; else empty */
	struct str server; /* of an MCP tool, or the one that mcp_connect and its like name */
	struct str remote; /* an MCP tool's own name at its server */
	const struct gate_path *paths;
	size_t paths_n;
	const struct gate_command
	    *commands; /* of COMMANDS; none counts as one not understood */
	size_t commands_n;
	const struct str *hosts; /* lower case, no port, IP addresses in their usual form */
	size_t hosts_n;
	struct str extras; /* Python packages that would have to be installed; else empty */
	unsigned once;     /* counts only where somebody can be asked */
};

/* ---- the verdict ---- */

/* By width. ABSENT: as if there were no such tool. */
enum gate_answer { GATE_ABSENT, GATE_DENY, GATE_ASK, GATE_ALLOW, GATE_ANSWER_COUNT };

/* Names are those of the error codes. Of an ASK: what the call fails with if nobody answers. */
enum gate_code {
	GATE_OK,
	GATE_TOOL_UNAVAILABLE,
	GATE_READ_ONLY,
	GATE_DENIED,
	GATE_APPROVAL_REQUIRED,
	GATE_OUTSIDE_ROOTS,
	GATE_CODE_COUNT
};

/* What made the decision; names are for the audit. */
enum gate_reason {
#define REASON(id, name) GATE_BY_##id,
#include "gate/reason.def"
#undef REASON
	GATE_REASON_COUNT
};

/* What is asked, or would be where nobody can be asked. */
enum gate_question {
	GATE_NO_QUESTION,
	GATE_ASK_FOLDER,   /* may paths in `path->folder` be touched */
	GATE_ASK_CALL,     /* this call, whatever was allowed before */
	GATE_ASK_EFFECT,   /* calls of this effect */
	GATE_ASK_ANALYSIS, /* python_run */
	GATE_ASK_INSTALL,  /* installing packages; comes after the others */
	GATE_QUESTION_COUNT
};

struct gate_verdict {
	enum gate_answer answer;
	enum gate_code code;
	enum gate_reason reason;
	enum gate_question question;
	enum gate_effect effect;      /* as judged */
	unsigned flags;               /* any of which would permit, or did permit */
	const struct rule *rule;      /* of RULE and UNCLEAR */
	const struct gate_path *path; /* of PROTECTED, LINK, OUTSIDE, GUARDED */
};

/* What a person says to a question. NONE: nobody said anything; nothing is allowed by it. */
enum gate_reply {
	GATE_REPLY_NONE,
	GATE_REPLY_ONCE,
	GATE_REPLY_SESSION,
	GATE_REPLY_DENY,
	GATE_REPLY_COUNT
};

/* Its label where the question takes it, NULL where it does not; of NONE, always NULL. */
const char *gate_label(enum gate_question question, enum gate_reply reply);
/* The label of the answer that counts on, NULL where only once and deny are offered. */
const char *gate_session_label(enum gate_question question);
/* What gate_call.once becomes by ONCE; 0 for a folder, where it is gate_path.once. */
unsigned gate_once_of(enum gate_question question);
/* What SESSION allows, by name: that of an effect, "analysis.run" or "folder". */
const char *gate_grant_name(const struct gate_verdict *verdict);

/* Judges the call in full. */
void gate_decide(const struct gate_policy *policy, const struct gate_call *call,
    struct gate_verdict *ret_verdict);
/*
 * Judges what is known before there is an input: paths, commands, hosts and extras are not looked
 * at. ABSENT is final. Otherwise it is for lists: what calls of this tool mostly come to.
 */
void gate_offer(const struct gate_policy *policy, const struct gate_call *call,
    struct gate_verdict *ret_verdict);
/*
 * Whether a tool that goes through a folder must leave this path out of what it shows, and say so:
 * it is protected, or a rule refuses it or asks about it.
 */
bool gate_hides(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_path *path);

const char *gate_effect_name(enum gate_effect effect);
const char *gate_answer_name(enum gate_answer answer);
const char *gate_code_name(enum gate_code code);
const char *gate_reason_name(enum gate_reason reason);
const char *gate_reply_name(enum gate_reply reply);
/* "enabled", "ask" or "disabled", for lists of tools. */
const char *gate_state_name(enum gate_answer answer);
/* The flag of one bit, with its dashes. */
const char *gate_flag_name(enum gate_flag flag);

#endif
