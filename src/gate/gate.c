/* SPDX-License-Identifier: MIT */
/*
 * The steps, in order. A step refuses, which ends it, or notes a question and goes on: what a
 * later step refuses need not be asked about. At the end the question that comes first is asked,
 * or, where nobody can be asked, fails the call.
 */
#include "gate/gate.h"

#include "base/path.h"
#include "gate/place.h"
#include "gate/rule.h"

#define BIT(effect) (1u << (effect))
/* Flags that stand beside the modes: picking a mode neither gives nor takes them. */
#define BESIDE_MODES (GATE_ALLOW_ANALYSIS | GATE_ALLOW_MCP | GATE_ALLOW_AGENTS)
#define THREE_FLAGS  (GATE_ALLOW_WRITE | GATE_ALLOW_PROCESS | GATE_ALLOW_EXTERNAL)

const struct gate_mode_spec gate_modes[GATE_MODE_COUNT] = {
	[GATE_MODE_CUSTOM] = { "custom", NULL, 0 },
	[GATE_MODE_ASK] = { "ask", "ask", 0 },
	[GATE_MODE_AUTO] = { "auto", "workspace-write", BIT(GATE_WRITE) },
	[GATE_MODE_FULL] = { "full", "full-access",
	    BIT(GATE_WRITE) | BIT(GATE_PROCESS) | BIT(GATE_EXTERNAL) },
};

static const struct gate_tool builtins[] = {
#define NO_SCRIPT      GATE_NO_SCRIPT
#define PLAN_ONLY      GATE_PLAN_ONLY
#define NO_PLAN        GATE_NO_PLAN
#define PUBLISHES      GATE_PUBLISHES
#define ANALYSIS       GATE_ANALYSIS
#define COMMANDS       GATE_COMMANDS
#define ALLOW_WRITE    GATE_ALLOW_WRITE
#define ALLOW_PROCESS  GATE_ALLOW_PROCESS
#define ALLOW_ANALYSIS GATE_ALLOW_ANALYSIS
#define ALLOW_EXTERNAL GATE_ALLOW_EXTERNAL
#define ALLOW_MCP      GATE_ALLOW_MCP
#define ALLOW_AGENTS   GATE_ALLOW_AGENTS
#define TOOL(name, effect, flags, traits) \
	{ { #name, sizeof(#name) - 1 }, GATE_BUILTIN, GATE_##effect, flags, traits },
#include "gate/builtin.def"
#undef TOOL
};

const struct gate_tool *
gate_builtin(struct str name)
{
	for (size_t i = 0; i < COUNT(builtins); i++) {
		if (str_eq(builtins[i].name, name))
			return &builtins[i];
	}
	return NULL;
}

enum gate_effect
gate_effect_of(const struct gate_tool *tool)
{
	if (tool->home != GATE_BUILTIN || tool->effect == GATE_NO_EFFECT)
		return GATE_EXTERNAL;
	return tool->effect;
}

enum gate_mode
gate_first_mode(unsigned flags)
{
	switch (flags & THREE_FLAGS) {
	case 0:
		return GATE_MODE_ASK;
	case GATE_ALLOW_WRITE:
		return GATE_MODE_AUTO;
	case THREE_FLAGS:
		return GATE_MODE_FULL;
	default:
		return GATE_MODE_CUSTOM;
	}
}

/* ---- what is being judged ---- */

struct judge {
	const struct gate_policy *p;
	const struct gate_call *c;
	struct gate_verdict *v;       /* what permitted it so far, or the refusal */
	struct gate_verdict question; /* the first in the order of enum gate_question */
	struct rules_found rules;
	bool listing; /* without an input */
};

static bool
has(const struct judge *j, unsigned traits)
{
	return j->c->tool->home == GATE_BUILTIN && (j->c->tool->traits & traits);
}

static bool
harmless(const struct judge *j)
{
	return j->v->effect == GATE_READ || j->v->effect == GATE_INTERNAL;
}

static bool
nested(const struct judge *j)
{
	return j->c->from != GATE_DIRECT;
}

/* Somebody sits before the session. */
static bool
attended(const struct judge *j)
{
	return j->p->surface == GATE_TERMINAL || j->p->surface == GATE_SERVE;
}

/* A question about this call reaches somebody. */
static bool
answerable(const struct judge *j)
{
	return j->p->pending || (attended(j) && !nested(j));
}

static bool
once(const struct judge *j, unsigned what)
{
	return answerable(j) && (j->c->once & what);
}

static bool
refuse(struct judge *j, enum gate_answer answer, enum gate_code code, enum gate_reason reason)
{
	j->v->answer = answer;
	j->v->code = code;
	j->v->reason = reason;
	return false;
}

static bool
absent(struct judge *j, enum gate_reason reason)
{
	bool read_only = reason == GATE_BY_READ_ONLY && !nested(j);

	return refuse(j, GATE_ABSENT, read_only ? GATE_READ_ONLY : GATE_TOOL_UNAVAILABLE,
	    reason);
}

static bool
permit(struct judge *j, enum gate_reason reason)
{
	j->v->reason = reason;
	return true;
}

/* Notes a question; true, as the steps go on. */
static bool
ask(struct judge *j, enum gate_question question, struct gate_verdict why)
{
	if (j->question.question != GATE_NO_QUESTION && j->question.question <= question)
		return true;
	j->question = why;
	j->question.question = question;
	return true;
}

/* ---- offered ---- */

static bool
known(struct judge *j)
{
	if (!j->c->tool)
		return absent(j, GATE_BY_NAME);
	j->v->effect = gate_effect_of(j->c->tool);
	switch (j->c->tool->home) {
	case GATE_BUILTIN:
		j->v->flags = j->c->tool->effect == GATE_NO_EFFECT ? GATE_ALLOW_EXTERNAL
								   : j->c->tool->flags;
		break;
	case GATE_PLUGIN:
		j->v->flags = GATE_ALLOW_EXTERNAL;
		break;
	case GATE_MCP_SERVER:
		j->v->flags = GATE_ALLOW_MCP;
		break;
	}
	rules_find(j->p->rules, j->p, j->c, j->v->effect, &j->rules);
	return true;
}

/* Tools of outside are external, so they go with that. */
static bool
read_only_removes(const struct judge *j)
{
	return !harmless(j) || has(j, GATE_PUBLISHES);
}

/* A headless resume goes on with the grant that is kept with a root session. */
static bool
kept(const struct judge *j)
{
	return j->p->surface == GATE_HEADLESS && j->p->resumed && j->p->grants.analysis_run &&
	       has(j, GATE_ANALYSIS) && !nested(j);
}

static bool
offered_headless(struct judge *j)
{
	if (harmless(j) || (j->p->flags & j->v->flags) || j->rules.allow || kept(j) ||
	    (j->listing && j->rules.offers))
		return true;
	j->v->rule = j->rules.offers;
	return absent(j, j->rules.offers ? GATE_BY_RULE : GATE_BY_HEADLESS);
}

static bool
offered(struct judge *j)
{
	bool plan = j->p->agent == GATE_PLAN;

	if (j->c->off.n)
		return absent(j, GATE_BY_OFF);
	if (nested(j) && has(j, GATE_NO_SCRIPT))
		return absent(j, GATE_BY_SCRIPT);
	if (has(j, plan ? GATE_NO_PLAN : GATE_PLAN_ONLY))
		return absent(j, GATE_BY_AGENT);
	if (j->p->read_only && read_only_removes(j))
		return absent(j, GATE_BY_READ_ONLY);
	if (plan && !harmless(j))
		return absent(j, GATE_BY_AGENT);
	return attended(j) || offered_headless(j);
}

/* ---- places ---- */

static bool
folder_allowed(const struct judge *j, const struct gate_path *path)
{
	const struct gate_grants *grants = &j->p->grants;

	if (path->once && answerable(j))
		return true;
	if (!attended(j) || j->c->from == GATE_FROM_JS)
		return false;
	for (size_t i = 0; i < grants->folders_n; i++) {
		if (path_below(path->real, grants->folders[i]))
			return true;
	}
	return false;
}

static bool
refuse_path(struct judge *j, enum gate_code code, enum gate_reason reason,
    const struct gate_path *path)
{
	j->v->path = path;
	return refuse(j, GATE_DENY, code, reason);
}

static bool
place(struct judge *j, const struct gate_path *path)
{
	struct gate_verdict why = { .path = path };

	assert(path_below(path->real, path->folder));
	if (path->write && path->linked)
		return refuse_path(j, GATE_DENIED, GATE_BY_LINK, path);
	if (!place_inside(j->p, path->real)) {
		if (j->p->read_only)
			return refuse_path(j, GATE_OUTSIDE_ROOTS, GATE_BY_OUTSIDE, path);
		if (!folder_allowed(j, path)) {
			if (!attended(j))
				return refuse_path(j, GATE_OUTSIDE_ROOTS, GATE_BY_OUTSIDE,
				    path);
			why.reason = GATE_BY_OUTSIDE;
			ask(j, GATE_ASK_FOLDER, why);
		}
	}
	if (path->write && place_guarded(j->p, path->real) && !once(j, GATE_ONCE_CALL)) {
		why.reason = GATE_BY_GUARDED;
		ask(j, GATE_ASK_CALL, why);
	}
	return true;
}

static bool
places(struct judge *j)
{
	if (j->listing)
		return true;
	for (size_t i = 0; i < j->c->paths_n; i++) {
		if (place_protected(j->p, j->c->paths[i].real))
			return refuse_path(j, GATE_DENIED, GATE_BY_PROTECTED, &j->c->paths[i]);
	}
	for (size_t i = 0; i < j->c->paths_n; i++) {
		if (!place(j, &j->c->paths[i]))
			return false;
	}
	return true;
}

/* ---- effect ---- */

/* There are written paths, and all are in the scratchpad or, where that will do, the workspace. */
static bool
writes_within(const struct judge *j, bool workspace)
{
	bool any = false;

	for (size_t i = 0; i < j->c->paths_n; i++) {
		struct str path = j->c->paths[i].real;

		if (!j->c->paths[i].write)
			continue;
		if (!place_in(j->p, path, GATE_SCRATCH) &&
		    !(workspace && place_in(j->p, path, GATE_WORKSPACE)))
			return false;
		any = true;
	}
	return any;
}

static bool
mode_permits(const struct judge *j, enum gate_mode mode)
{
	if (!(gate_modes[mode].permits & BIT(j->v->effect)))
		return false;
	return mode != GATE_MODE_AUTO || j->listing || writes_within(j, true);
}

/* The start-up flags permit this much to a mode or a rule. */
static bool
under_ceiling(const struct judge *j)
{
	static const unsigned flags[GATE_EFFECT_COUNT] = {
		[GATE_WRITE] = GATE_ALLOW_WRITE,
		[GATE_PROCESS] = GATE_ALLOW_PROCESS,
		[GATE_EXTERNAL] = GATE_ALLOW_EXTERNAL,
	};

	return j->p->surface != GATE_SERVE || (j->p->flags & flags[j->v->effect]);
}

/*
 * Flags and modes; GATE_BY_EFFECT when neither permits it, GATE_BY_CEILING when a mode may not.
 * Nobody picks a mode where nobody sits, so there flags alone count.
 */
static enum gate_reason
by_policy(const struct judge *j)
{
	unsigned flags = j->p->flags & j->v->flags;
	bool picked = attended(j) && j->p->mode != GATE_MODE_CUSTOM;
	enum gate_mode mode = picked ? j->p->mode : gate_first_mode(j->p->flags);

	if (flags & BESIDE_MODES || (flags && !picked))
		return GATE_BY_FLAG;
	/* Of the flags' own modes the others say no more than the flags did. */
	if (!attended(j) || (!picked && mode != GATE_MODE_FULL) || !mode_permits(j, mode))
		return GATE_BY_EFFECT;
	return under_ceiling(j) ? GATE_BY_MODE : GATE_BY_CEILING;
}

/* What people allowed before, as far as it counts here; not for python_run from execute. */
static bool
granted(const struct judge *j)
{
	const struct gate_grants *grants = &j->p->grants;

	if (j->c->from == GATE_FROM_JS)
		return false;
	if (!attended(j))
		return kept(j);
	return (grants->effects & BIT(j->v->effect)) ||
	       (has(j, GATE_ANALYSIS) && grants->analysis_run);
}

/* What lets it run without a question, or why it needs one: EFFECT, CEILING or EXECUTE. */
static enum gate_reason
permitted_by(struct judge *j)
{
	const struct rule *rule = j->rules.allow;
	enum gate_reason by = by_policy(j);
	bool policy = by == GATE_BY_FLAG || by == GATE_BY_MODE;

	/* From execute python_run goes by a flag and by nothing else. */
	if (j->c->from == GATE_FROM_EXECUTE && has(j, GATE_ANALYSIS))
		return policy && (j->p->flags & j->v->flags) ? GATE_BY_FLAG : GATE_BY_EXECUTE;
	if (policy)
		return by;
	if (j->v->effect == GATE_WRITE && writes_within(j, false))
		return GATE_BY_SCRATCH;
	if (!rule && j->listing && !attended(j))
		rule = j->rules.offers;
	if (rule && under_ceiling(j)) {
		j->v->rule = rule;
		return GATE_BY_RULE;
	}
	return granted(j) ? GATE_BY_GRANT : by;
}

static bool
effects(struct judge *j)
{
	struct gate_verdict why = { 0 };

	if (harmless(j))
		return permit(j, GATE_BY_EFFECT);
	why.reason = permitted_by(j);
	if (why.reason != GATE_BY_EFFECT && why.reason != GATE_BY_CEILING &&
	    why.reason != GATE_BY_EXECUTE)
		return permit(j, why.reason);
	if (once(j, GATE_ONCE_CALL))
		return permit(j, GATE_BY_ONCE);
	return ask(j, has(j, GATE_ANALYSIS) ? GATE_ASK_ANALYSIS : GATE_ASK_EFFECT, why);
}

static bool
installs(struct judge *j)
{
	struct gate_verdict why = { .reason = GATE_BY_INSTALL };

	if (j->listing || !j->c->extras.n || once(j, GATE_ONCE_INSTALL))
		return true;
	return ask(j, GATE_ASK_INSTALL, why);
}

/* ---- rules ---- */

static bool
by_rules(struct judge *j)
{
	struct gate_verdict why = { .reason = GATE_BY_RULE, .rule = j->rules.ask };

	if (j->rules.deny) {
		j->v->rule = j->rules.deny;
		return refuse(j, GATE_DENY, GATE_DENIED, GATE_BY_RULE);
	}
	if (once(j, GATE_ONCE_CALL))
		return true;
	if (j->rules.ask)
		return ask(j, GATE_ASK_CALL, why);
	if (j->rules.unclear && !j->listing) {
		why = (struct gate_verdict){ .reason = GATE_BY_UNCLEAR,
			.rule = j->rules.unclear };
		return ask(j, GATE_ASK_CALL, why);
	}
	return true;
}

/* ---- all of it ---- */

static void
finish(struct judge *j)
{
	struct gate_verdict *v = j->v;

	if (j->question.question == GATE_NO_QUESTION) {
		v->answer = GATE_ALLOW;
		v->code = GATE_OK;
		return;
	}
	v->answer = answerable(j) ? GATE_ASK : GATE_DENY;
	v->code = GATE_APPROVAL_REQUIRED;
	v->reason = j->question.reason;
	v->question = j->question.question;
	v->rule = j->question.rule;
	v->path = j->question.path;
}

static void
decide(const struct gate_policy *policy, const struct gate_call *call, bool listing,
    struct gate_verdict *ret_verdict)
{
	static bool (*const steps[])(struct judge *j) = {
		known,
		offered,
		places,
		effects,
		installs,
		by_rules,
	};
	struct judge j = { .p = policy, .c = call, .v = ret_verdict, .listing = listing };

	*ret_verdict = (struct gate_verdict){ .code = GATE_TOOL_UNAVAILABLE };
	for (size_t i = 0; i < COUNT(steps); i++) {
		if (!steps[i](&j))
			return;
	}
	finish(&j);
}

void
gate_decide(const struct gate_policy *policy, const struct gate_call *call,
    struct gate_verdict *ret_verdict)
{
	decide(policy, call, false, ret_verdict);
}

void
gate_offer(const struct gate_policy *policy, const struct gate_call *call,
    struct gate_verdict *ret_verdict)
{
	struct gate_call bare = *call;

	bare.paths_n = bare.commands_n = bare.hosts_n = 0;
	decide(policy, &bare, true, ret_verdict);
}

bool
gate_hides(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_path *path)
{
	return place_protected(policy, path->real) ||
	       rules_keep_from(policy->rules, policy, call, path);
}
