/* SPDX-License-Identifier: MIT */
/* Which rules apply to a call. How they are read is rule.c. */
#include "base/path.h"
#include "gate/glob.h"
#include "gate/rule.h"

#include <strings.h>

/* More cases than this are not looked through one by one: then no rule allows. */
#define CASES_MAX 4096

enum match { NO, MAYBE, YES };

/* ---- one field against one thing ---- */

static bool
any_unknown(const struct gate_command *c)
{
	for (size_t i = 0; i < c->argv_n; i++) {
		if (!c->argv[i].p)
			return true;
	}
	return false;
}

/* What refuses a program refuses it in any folder. */
static bool
word_matches(struct str pattern, struct str word, bool program)
{
	const char *slash = word.n ? memrchr(word.p, '/', word.n) : NULL;

	if (str_eq(pattern, STR("*")) || str_eq(pattern, word))
		return true;
	return program && slash && !memchr(pattern.p, '/', pattern.n) &&
	       str_eq(pattern, str_from(word, (size_t)(slash - word.p) + 1));
}

/* Positions behind a "**" are reached along with the one before it. */
static uint64_t
with_empty(const struct rule *rule, uint64_t at)
{
	for (size_t i = 0; i < rule->command_n; i++) {
		if (at >> i & 1 && str_eq(rule->command[i], STR("**")))
			at |= (uint64_t)2 << i;
	}
	return at;
}

/* The positions after one more word; NULL is a word that is not known, which "**" alone takes. */
static uint64_t
after_word(const struct rule *rule, uint64_t at, const struct str *word, bool program)
{
	uint64_t next = 0;

	for (size_t i = 0; i < rule->command_n; i++) {
		if (!(at >> i & 1))
			continue;
		if (str_eq(rule->command[i], STR("**")))
			next |= (uint64_t)1 << i;
		else if (word && word_matches(rule->command[i], *word, program))
			next |= (uint64_t)2 << i;
	}
	return with_empty(rule, next);
}

/*
 * The rule's words against the first words of the command: bit i of `at` says that the first i
 * words of the rule stand for what was read so far. A word that is not known may be any number of
 * words, so whatever could go on there is possible, and certain only where "**" takes it in.
 */
static enum match
words_match(const struct rule *rule, const struct gate_command *c, bool any_folder)
{
	uint64_t end = (uint64_t)1 << rule->command_n, at = with_empty(rule, 1);
	bool possible = false;

	for (size_t w = 0; w < c->argv_n && at && !(at & end); w++) {
		const struct str *word = c->argv[w].p ? &c->argv[w] : NULL;

		possible = possible || !word;
		at = after_word(rule, at, word, any_folder && w == 0);
	}
	return at & end ? YES : possible ? MAYBE : NO;
}

/*
 * Words that are not known may be any, and so may those that the rule leaves open: it is a match
 * whatever they are, or none. What a substitution runs is in the list by itself.
 */
static bool
command_covered(const struct rule *rule, const struct gate_command *c)
{
	unsigned flags = c->flags & ~(unsigned)COMMAND_SUBSTITUTION;

	/* What it runs is in the list, and covered or not by itself. */
	if (flags == COMMAND_SEEN)
		return true;
	if (flags || (c->flags && !any_unknown(c)))
		return false;
	return words_match(rule, c, false) == YES;
}

static enum match
command_refused(const struct rule *rule, const struct gate_command *c)
{
	enum match match = words_match(rule, c, true);

	if (match != NO || !(c->flags & COMMAND_HIDES))
		return match;
	/* Substitution alone hides the words that are marked, and all when none is. */
	return c->flags & COMMAND_HIDES & ~(unsigned)COMMAND_SUBSTITUTION || !any_unknown(c)
		   ? MAYBE
		   : NO;
}

static struct str
workspace_of(const struct gate_policy *p)
{
	for (size_t i = 0; i < p->roots_n; i++) {
		if (p->roots[i].kind == GATE_WORKSPACE)
			return p->roots[i].path;
	}
	return (struct str){ NULL, 0 };
}

static bool
pattern_matches(const struct gate_policy *p, struct str pattern, struct str path, bool above)
{
	struct str workspace = workspace_of(p);

	if (!pattern.n || pattern.p[0] != '/') {
		if (!workspace.n || !path_below(path, workspace))
			return false;
		path = path_rest(path, workspace);
		if (str_eq(path, STR(".")))
			path = (struct str){ NULL, 0 };
	}
	return above ? glob_match_above(pattern, path) : glob_match(pattern, path);
}

static bool
either_matches(const struct gate_policy *p, const struct rule *rule, struct str path,
    bool above)
{
	return pattern_matches(p, rule->path, path, above) ||
	       (rule->path_real.n && pattern_matches(p, rule->path_real, path, above));
}

static bool
path_covered(const struct gate_policy *p, const struct rule *rule, const struct gate_path *path)
{
	return either_matches(p, rule, path->real, false);
}

static bool
path_refused(const struct gate_policy *p, const struct rule *rule, const struct gate_path *path)
{
	return either_matches(p, rule, path->real, true) ||
	       (path->given.n && either_matches(p, rule, path->given, true));
}

/* Hosts know no case. "*.a.b" is every name that ends in ".a.b". */
static bool
host_matches(const struct rule *rule, struct str host)
{
	const char *domain = rule->host.p;
	size_t n = rule->host.n;

	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	if (domain[0] != '*')
		return host.n && host.n == n && strncasecmp(host.p, domain, n) == 0;
	return host.n >= n && strncasecmp(host.p + host.n - (n - 1), domain + 1, n - 1) == 0;
}

static bool
about_tool(const struct rule *rule, const struct gate_call *call, enum gate_effect effect)
{
	if (rule->effect != GATE_NO_EFFECT && rule->effect != effect)
		return false;
	if (rule->server.n && !(call->server.n && glob_match(rule->server, call->server)))
		return false;
	/* With the server named, its tools may go by their own names. */
	return !rule->tool.n || glob_match(rule->tool, call->name) ||
	       (rule->server.n && call->remote.n && glob_match(rule->tool, call->remote));
}

/* ---- all fields against a call ---- */

static const struct gate_command *
commands_of(const struct gate_call *call, size_t *ret_n)
{
	static const struct gate_command unclear = { .flags = COMMAND_UNCLEAR };

	*ret_n = call->commands_n;
	if (call->commands_n || call->tool->home != GATE_BUILTIN ||
	    !(call->tool->traits & GATE_COMMANDS))
		return call->commands;
	*ret_n = 1;
	return &unclear;
}

/* For a rule that denies or asks: fields are independent, so any of each will do. */
static enum match
refuses(const struct rule *rule, const struct gate_policy *p, const struct gate_call *call)
{
	size_t n;
	const struct gate_command *commands = commands_of(call, &n);
	enum match match = rule->command_n ? NO : YES;
	bool path = !rule->has_path, host = !rule->host.n;

	for (size_t i = 0; !path && i < call->paths_n; i++)
		path = path_refused(p, rule, &call->paths[i]);
	for (size_t i = 0; !host && i < call->hosts_n; i++)
		host = host_matches(rule, call->hosts[i]);
	if (!path || !host)
		return NO;
	for (size_t i = 0; match != YES && i < n; i++) {
		enum match one = command_refused(rule, &commands[i]);

		match = one == NO ? match : one;
	}
	return match;
}

/* One case of a call: NULL where the call has none of a kind. */
struct one {
	const struct gate_command *command;
	const struct gate_path *path;
	const struct str *host;
};

static bool
covers(const struct rule *rule, const struct gate_policy *p, const struct one *one)
{
	if (rule->command_n && !(one->command && command_covered(rule, one->command)))
		return false;
	if (rule->has_path && !(one->path && path_covered(p, rule, one->path)))
		return false;
	return !rule->host.n || (one->host && host_matches(rule, *one->host));
}

static const struct rule *
covering(const struct rules *r, const struct gate_policy *p, const struct gate_call *call,
    enum gate_effect effect, const struct one *one)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct rule *rule = &r->list[i];

		if (rule->decision == RULE_ALLOW && about_tool(rule, call, effect) &&
		    covers(rule, p, one))
			return rule;
	}
	return NULL;
}

static const struct rule *
find_allow(const struct rules *r, const struct gate_policy *p, const struct gate_call *call,
    enum gate_effect effect)
{
	size_t commands_n;
	const struct gate_command *commands = commands_of(call, &commands_n);
	size_t a = MAX(commands_n, 1), b = MAX(call->paths_n, 1), c = MAX(call->hosts_n, 1);
	const struct rule *found = NULL;

	if (a > CASES_MAX || b > CASES_MAX / a || c > CASES_MAX / (a * b))
		return NULL;
	for (size_t i = 0; i < a * b * c; i++) {
		struct one one = {
			commands_n ? &commands[i % a] : NULL,
			call->paths_n ? &call->paths[i / a % b] : NULL,
			call->hosts_n ? &call->hosts[i / a / b] : NULL,
		};

		found = covering(r, p, call, effect, &one);
		if (!found)
			return NULL;
	}
	return found;
}

void
rules_find(const struct rules *r, const struct gate_policy *p, const struct gate_call *call,
    enum gate_effect effect, struct rules_found *ret_found)
{
	*ret_found = (struct rules_found){ 0 };
	for (size_t i = 0; r && i < r->n; i++) {
		const struct rule *rule = &r->list[i], **slot;
		enum match match;

		if (!about_tool(rule, call, effect))
			continue;
		if (rule->decision == RULE_ALLOW) {
			ret_found->offers = ret_found->offers ? ret_found->offers : rule;
			continue;
		}
		match = refuses(rule, p, call);
		slot = match == MAYBE                ? &ret_found->unclear
		       : rule->decision == RULE_DENY ? &ret_found->deny
						     : &ret_found->ask;
		if (match != NO && !*slot)
			*slot = rule;
	}
	if (ret_found->offers)
		ret_found->allow = find_allow(r, p, call, effect);
}

bool
rules_keep_from(const struct rules *r, const struct gate_policy *p,
    const struct gate_call *call, const struct gate_path *path)
{
	enum gate_effect effect = gate_effect_of(call->tool);

	for (size_t i = 0; r && i < r->n; i++) {
		const struct rule *rule = &r->list[i];

		if (rule->decision != RULE_ALLOW && rule->has_path && !rule->command_n &&
		    !rule->host.n && about_tool(rule, call, effect) &&
		    path_refused(p, rule, path))
			return true;
	}
	return false;
}
