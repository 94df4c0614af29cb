/* SPDX-License-Identifier: MIT */
/*
 * Rules of `permissions.rules`: what they are, how they are read, and which apply to a call.
 *
 * A call is taken apart into cases, one for each of its simple commands, paths and hosts. A rule
 * matches a case when all its fields do; a rule that denies or asks applies when it matches any
 * case, rules that allow apply when each case has one. So order and specificity do not count, and
 * no part of a command line is carried by another.
 *
 *	auto_done(rules) struct rules rules = { 0 };
 *	struct rules_file file = { STR("~/.config/crisol/config.json"), RULES_USER, home };
 *	r = rules_add(&rules, json_at(permissions, "rules"), &file, &notices, &e);
 *	policy.rules = &rules;
 *
 * The rules own all their strings.
 */
#ifndef GATE_RULE_H
#define GATE_RULE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate.h"

#define RULES_MAX        500
#define RULE_TEXT_MAX    1024 /* bytes of any one string */
#define RULE_COMMAND_MAX 32   /* words */

struct yyjson_val;

enum rule_decision { RULE_ALLOW, RULE_ASK, RULE_DENY };
/* Whose file: the person's own may allow, a project's (and that of --config) may not. */
enum rules_layer { RULES_USER, RULES_PROJECT };

struct rule {
	enum rule_decision decision;
	struct str file; /* where it is written, and the how-manieth it is there, from 0 */
	size_t index;
	/* What must match; empty (or NO_EFFECT) is anything. */
	struct str tool;
	enum gate_effect effect;
	struct str path; /* as glob_normal */
	bool has_path;
	struct str path_real; /* see rules_resolve */
	struct str command[RULE_COMMAND_MAX];
	size_t command_n;
	struct str host; /* lower case, perhaps with "*." in front */
	struct str server;
	struct str reason;
	char *store, *store_real; /* the bytes of the strings above */
};

struct rules {
	struct rule *list;
	size_t n;
};

struct rules_file {
	struct str name;
	enum rules_layer layer;
	struct str home; /* for "~/" in front of a path; empty: refused */
};

/*
 * Adds the rules of one file. `list` may be NULL for none. ERR_INVALID and ERR_LIMIT name the
 * file, the rule and the field, and leave the rules as they were. Those that a project may not make
 * are left out with a line in ret_notices.
 */
int rules_add(struct rules *r, const struct yyjson_val *list, const struct rules_file *file,
    struct buf *ret_notices, struct err *e) must_use;
void rules_done(struct rules *r);

/*
 * The folder in which an absolute path pattern begins: its names up to the first sign. Empty for
 * a rule without one. Whoever may look at the file system resolves its links and tells the rule
 * by rules_resolve, so that the rule holds under both names.
 */
struct str rules_folder(const struct rule *rule);
void rules_resolve(struct rule *rule, struct str real_folder);

struct rules_found {
	const struct rule *deny, *ask;
	const struct rule *unclear; /* denies or asks, if the command is what it may be */
	const struct rule *allow;   /* one of those that together cover the call */
	const struct rule *offers;  /* allows some calls of this tool */
};

/* The rules that apply to a call of this effect. */
void rules_find(const struct rules *r, const struct gate_policy *policy,
    const struct gate_call *call, enum gate_effect effect, struct rules_found *ret_found);
/* Whether a rule denies the call this path, or asks about it. */
bool rules_keep_from(const struct rules *r, const struct gate_policy *policy,
    const struct gate_call *call, const struct gate_path *path);

#endif
