/* SPDX-License-Identifier: MIT */
#include "gate/explain.h"

#include "base/json.h"
#include "base/utf8.h"
#include "gate/place.h"
#include "gate/rule.h"

#define NAME_MAX_SHOWN 80

struct words {
	const struct gate_policy *p;
	const struct gate_call *c;
	const struct gate_verdict *v;
	struct buf *out;
};

static bool
attended(const struct words *w)
{
	return w->p->surface == GATE_TERMINAL || w->p->surface == GATE_SERVE;
}

static void
say(const struct words *w, const char *text)
{
	buf_add(w->out, str_of(text));
}

static void
say_text(const struct words *w, struct str text)
{
	utf8_scrub(text, w->out);
}

static void
say_tool(const struct words *w)
{
	struct str name = w->c->name;

	name.n = MIN(name.n, NAME_MAX_SHOWN);
	say_text(w, name);
}

static void
say_tool_and_effect(const struct words *w)
{
	say_tool(w);
	buf_addf(w->out, " (%s)", gate_effect_name(w->v->effect));
}

/* As one word for a shell. */
static void
say_quoted(const struct words *w, struct str path)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@%,-";
	bool quote = false;

	for (size_t i = 0; i < path.n; i++)
		quote = quote || !memchr(plain, path.p[i], sizeof(plain) - 1);
	if (!quote) {
		say_text(w, path);
		return;
	}
	say(w, "'");
	while (path.n) {
		struct str part = str_split(&path, '\'');

		say_text(w, part);
		if (path.p)
			say(w, "'\\''");
	}
	say(w, "'");
}

/* Flags, with "or" between. */
static void
say_flags(const struct words *w, unsigned flags)
{
	const char *between = "";

	for (unsigned bit = 1; bit && bit <= flags; bit <<= 1) {
		if (!(flags & bit))
			continue;
		buf_addf(w->out, "%s%s", between, gate_flag_name((enum gate_flag)bit));
		between = " or ";
	}
}

/* Those that would permit the tool. */
static void
say_needed(const struct words *w)
{
	say_flags(w, w->v->flags);
	if (w->v->flags & GATE_ALLOW_MCP)
		say(w, " (or mcp.allow in your own configuration)");
}

static void
say_rule(const struct words *w)
{
	buf_addf(w->out, "permissions.rules[%zu] of ", w->v->rule->index);
	say_text(w, w->v->rule->file);
}

static void
say_rule_reason(const struct words *w)
{
	if (!w->v->rule->reason.n)
		return;
	say(w, " (");
	say_text(w, w->v->rule->reason);
	say(w, ")");
}

static const char *
mode_name(const struct gate_policy *p)
{
	return gate_modes[p->mode ? p->mode : gate_first_mode(p->flags)].name;
}

static void
say_path(const struct words *w)
{
	say_text(w, w->v->path->real);
}

/* ---- what permitted it ---- */

static void
allowed(const struct words *w)
{
	switch ((int)w->v->reason) {
	case GATE_BY_FLAG:
		say_flags(w, w->v->flags & w->p->flags);
		say(w, " permits ");
		say_tool(w);
		return;
	case GATE_BY_MODE:
		say(w, "the mode ");
		say(w, mode_name(w->p));
		say(w, " permits ");
		say_tool_and_effect(w);
		return;
	case GATE_BY_SCRATCH:
		say(w, "writes to the scratchpad need no question");
		return;
	case GATE_BY_GRANT:
		say_tool_and_effect(w);
		say(w, " was allowed for this session");
		return;
	case GATE_BY_ONCE:
		say_tool_and_effect(w);
		say(w, " was allowed for this call");
		return;
	case GATE_BY_RULE:
		say_rule(w);
		say(w, " allows ");
		say_tool(w);
		say_rule_reason(w);
		return;
	default:
		say_tool(w);
		say(w, w->v->effect == GATE_READ
			   ? " changes nothing, so it is always permitted"
			   : " changes only what is crisol's own, so it is always permitted");
	}
}

/* ---- what is not there ---- */

static void
absent_for_agent(const struct words *w)
{
	if (w->p->agent == GATE_PLAN) {
		say(w, "the plan agent has no ");
		say_tool_and_effect(w);
		say(w, " in any mode: switch to the build agent");
		return;
	}
	say_tool(w);
	say(w, " is for the plan agent alone");
}

static void
absent_for_flag(const struct words *w)
{
	say_tool_and_effect(w);
	say(w, " is not there without ");
	say_needed(w);
	say(w, ", as there is nobody to ask; a rule in permissions.rules of your own "
	       "configuration "
	       "can allow some of its calls");
}

static void
absent_for_rule(const struct words *w)
{
	say_tool_and_effect(w);
	say(w, " is there only for what rules allow, and they do not allow this call: see ");
	say_rule(w);
	say(w, ", or start crisol with ");
	say_needed(w);
}

static void
absent(const struct words *w)
{
	switch ((int)w->v->reason) {
	case GATE_BY_NAME:
		say(w, "there is no tool named '");
		say_tool(w);
		say(w, "': crisol tools lists those there are");
		return;
	case GATE_BY_OFF:
		say_tool(w);
		say(w, " is switched off here: ");
		say_text(w, w->c->off);
		return;
	case GATE_BY_SCRIPT:
		say_tool(w);
		say(w, " cannot be called from a script: call it directly");
		return;
	case GATE_BY_AGENT:
		absent_for_agent(w);
		return;
	case GATE_BY_READ_ONLY:
		say(w, "--read-only removes ");
		say_tool_and_effect(w);
		say(w, ": start crisol without --read-only");
		return;
	case GATE_BY_RULE:
		absent_for_rule(w);
		return;
	default:
		absent_for_flag(w);
	}
}

/* ---- what is asked, or would be ---- */

static void
asks_because(const struct words *w)
{
	switch ((int)w->v->reason) {
	case GATE_BY_OUTSIDE:
		say_path(w);
		say(w, " is outside the workspace and the declared directories");
		return;
	case GATE_BY_GUARDED:
		say_path(w);
		say(w, " is in .git or .crisol, where every write asks");
		return;
	case GATE_BY_INSTALL:
		say(w, "installing the Python packages of '");
		say_text(w, w->c->extras);
		say(w, "' asks every time");
		return;
	case GATE_BY_RULE:
		say_rule(w);
		say(w, " asks about this call");
		say_rule_reason(w);
		return;
	case GATE_BY_UNCLEAR:
		say(w, "what the command would run is not certain, and it may be what ");
		say_rule(w);
		say(w, w->v->rule->decision == RULE_DENY ? " denies" : " asks about");
		say_rule_reason(w);
		return;
	case GATE_BY_CEILING:
		say(w, "crisol serve was started without the flag for it, so ");
		say_tool_and_effect(w);
		say(w, " asks in every mode");
		return;
	case GATE_BY_EXECUTE:
		say_tool(w);
		say(w, " runs from execute only by a flag");
		return;
	default:
		say_tool_and_effect(w);
		say(w, " asks first");
	}
}

static void
say_setup(const struct words *w)
{
	say(w, "crisol analysis setup --extras ");
	say_quoted(w, w->c->extras);
}

/* What makes the question go away, behind `lead`; nothing where no flag or setting does. */
static void
say_remedy(const struct words *w, const char *lead)
{
	switch (w->v->question) {
	case GATE_ASK_FOLDER:
		say(w, lead);
		say(w, "start crisol with --add-dir ");
		say_quoted(w, w->v->path->folder);
		return;
	case GATE_ASK_EFFECT:
	case GATE_ASK_ANALYSIS:
		say(w, lead);
		say(w, "start crisol with ");
		say_needed(w);
		return;
	case GATE_ASK_INSTALL:
		say(w, lead);
		say(w, "run ");
		say_setup(w);
		return;
	case GATE_NO_QUESTION:
	case GATE_ASK_CALL:
	case GATE_QUESTION_COUNT:
		return;
	}
}

static void
asked(const struct words *w)
{
	asks_because(w);
	if (w->v->question == GATE_ASK_FOLDER) {
		say(w, ": allow ");
		say_text(w, w->v->path->folder);
	} else {
		say(w, gate_session_label(w->v->question)
			   ? ": allow it once or for this session"
			   : ": allow it once");
	}
	say_remedy(w, ", or ");
}

static void
cannot_ask(const struct words *w)
{
	asks_because(w);
	if (w->c->from != GATE_DIRECT && attended(w)) {
		say(w, ", and a script cannot ask: call ");
		say_tool(w);
		say(w, " directly");
		say_remedy(w, ", or ");
		return;
	}
	say(w, ", and there is nobody to ask here: use crisol in a terminal");
	say_remedy(w, ", or ");
}

/* ---- what is refused ---- */

static void
outside(const struct words *w)
{
	auto_done(buf) struct buf clean = buf_max(EXPLAIN_MAX);

	say_path(w);
	say(w, " is outside the workspace");
	if (w->p->read_only) {
		say(w, ", and --read-only lets nothing outside in: start crisol without it and "
		       "with "
		       "--add-dir ");
		say_quoted(w, w->v->path->folder);
		return;
	}
	say(w, " and the declared directories: start crisol with --add-dir ");
	say_quoted(w, w->v->path->folder);
	say(w, ", or add ");
	utf8_scrub(w->v->path->folder, &clean);
	json_quote(w->out, buf_str(&clean));
	say(w, " to additionalDirectories in your configuration");
}

/* Why it was asked, of a question that was answered. */
static enum gate_reason
asked_by(const struct gate_verdict *v)
{
	switch (v->question) {
	case GATE_ASK_FOLDER:
		return GATE_BY_OUTSIDE;
	case GATE_ASK_INSTALL:
		return GATE_BY_INSTALL;
	case GATE_ASK_CALL:
		if (!v->rule)
			return GATE_BY_GUARDED;
		return v->rule->decision == RULE_DENY ? GATE_BY_UNCLEAR : GATE_BY_RULE;
	case GATE_NO_QUESTION:
	case GATE_ASK_EFFECT:
	case GATE_ASK_ANALYSIS:
	case GATE_QUESTION_COUNT:
		break;
	}
	return GATE_BY_EFFECT;
}

/* Somebody was asked about it. */
static void
answered(const struct words *w, const char *said)
{
	struct gate_verdict v = *w->v;
	struct words before = { w->p, w->c, &v, w->out };

	v.reason = asked_by(&v);
	asks_because(&before);
	say(w, said);
	say_remedy(w, "; to be asked no more, ");
}

static void
denied(const struct words *w)
{
	switch ((int)w->v->reason) {
	case GATE_BY_PERSON:
		answered(w, ", and the person who was asked denied it");
		return;
	case GATE_BY_SILENCE:
		answered(w, ", and nobody answered the question");
		return;
	case GATE_BY_PROTECTED:
		say_path(w);
		say(w, " is in a folder of crisol's own, which no tool reads or writes");
		return;
	case GATE_BY_LINK:
		say_text(w, w->v->path->given.n ? w->v->path->given : w->v->path->real);
		say(w, " leads through a symbolic link, and nothing is written through one: "
		       "name ");
		say_path(w);
		say(w, " itself");
		return;
	case GATE_BY_OUTSIDE:
		if (w->v->question == GATE_NO_QUESTION)
			outside(w);
		else
			cannot_ask(w);
		return;
	case GATE_BY_RULE:
		if (w->v->question != GATE_NO_QUESTION) {
			cannot_ask(w);
			return;
		}
		say_rule(w);
		say(w, " denies this call");
		say_rule_reason(w);
		return;
	default:
		cannot_ask(w);
	}
}

void
explain_verdict(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_verdict *verdict, struct buf *ret_words)
{
	struct words w = { policy, call, verdict, ret_words };
	static void (*const by_answer[GATE_ANSWER_COUNT])(const struct words *w) = {
		[GATE_ABSENT] = absent,
		[GATE_DENY] = denied,
		[GATE_ASK] = asked,
		[GATE_ALLOW] = allowed,
	};

	by_answer[verdict->answer](&w);
}

static void
source(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_verdict *verdict, struct buf *ret_words)
{
	struct words w = { policy, call, verdict, ret_words };

	if (verdict->rule) {
		say_rule(&w);
		return;
	}
	switch ((int)verdict->reason) {
	case GATE_BY_FLAG:
		say(&w, "flag ");
		say_flags(&w, verdict->flags & policy->flags);
		return;
	case GATE_BY_READ_ONLY:
		say(&w, "flag --read-only");
		return;
	case GATE_BY_MODE:
		buf_addf(ret_words, "mode %s", mode_name(policy));
		return;
	case GATE_BY_AGENT:
		say(&w, policy->agent == GATE_PLAN ? "agent plan" : "agent build");
		return;
	case GATE_BY_EFFECT:
	case GATE_BY_GRANT:
		buf_addf(ret_words, "%s %s", gate_reason_name(verdict->reason),
		    gate_effect_name(verdict->effect));
		return;
	default:
		say(&w, gate_reason_name(verdict->reason));
	}
}

void
explain_source(const struct gate_policy *policy, const struct gate_call *call,
    const struct gate_verdict *verdict, struct buf *ret_words)
{
	struct words w = { policy, call, verdict, ret_words };

	source(policy, call, verdict, ret_words);
	for (size_t i = 0; verdict->answer == GATE_ALLOW && i < call->paths_n; i++) {
		if (place_inside(policy, call->paths[i].real))
			continue;
		say(&w, call->paths[i].once ? "; folder once " : "; folder grant ");
		say_text(&w, call->paths[i].folder);
	}
}
