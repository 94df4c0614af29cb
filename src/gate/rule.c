/* SPDX-License-Identifier: MIT */
/* Reading rules. Which apply to a call is match.c. */
#include "gate/rule.h"

#include "base/json.h"
#include "gate/glob.h"

#include <arpa/inet.h>
#include <ctype.h>

struct reader {
	struct rule *rule;
	const struct rules_file *file;
	char *at; /* where the next string goes in the rule's store */
};

static struct str
keep(struct reader *r, struct str s)
{
	struct str kept = { r->at, s.n };

	if (s.n)
		memcpy(r->at, s.p, s.n);
	r->at += s.n;
	return kept;
}

static int
read_text(const struct yyjson_val *v, struct str *ret_text, struct err *e)
{
	struct str text = json_str(v);

	if (!text.p)
		return err_set(e, ERR_INVALID, "a string was expected, not %s", json_kind(v));
	if (text.n > RULE_TEXT_MAX)
		return err_set(e, ERR_LIMIT, "%zu bytes, at most %d", text.n, RULE_TEXT_MAX);
	if (text.n && memchr(text.p, '\0', text.n))
		return err_set(e, ERR_INVALID, "it holds a NUL");
	*ret_text = text;
	return 0;
}

static int
read_decision(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	static const struct str names[] = {
		[RULE_ALLOW] = STR("allow"),
		[RULE_ASK] = STR("ask"),
		[RULE_DENY] = STR("deny"),
	};

	for (size_t d = 0; d < COUNT(names); d++) {
		if (str_eq(json_str(v), names[d])) {
			r->rule->decision = (enum rule_decision)d;
			return 0;
		}
	}
	return err_set(e, ERR_INVALID, "takes one of: allow ask deny");
}

static int
read_effect(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	for (int effect = GATE_READ; effect < GATE_EFFECT_COUNT; effect++) {
		if (str_eq(json_str(v), str_of(gate_effect_name((enum gate_effect)effect)))) {
			r->rule->effect = (enum gate_effect)effect;
			return 0;
		}
	}
	return err_set(e, ERR_INVALID, "takes one of: read write process external internal");
}

static int
read_name(struct reader *r, const struct yyjson_val *v, struct str *ret_name, struct err *e)
{
	struct str text = { NULL, 0 };
	int code = read_text(v, &text, e);

	if (code == 0)
		code = glob_check_name(text, e);
	if (code == 0)
		*ret_name = keep(r, text);
	return code;
}

static int
read_tool(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	return read_name(r, v, &r->rule->tool, e);
}

static int
read_server(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	return read_name(r, v, &r->rule->server, e);
}

static int
read_path(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	auto_done(buf) struct buf normal = buf_max(GLOB_MAX);
	struct str text = { NULL, 0 };
	int code = read_text(v, &text, e);

	if (code == 0)
		code = glob_normal(text, r->file->home, &normal, e);
	if (code < 0)
		return code;
	r->rule->path = keep(r, buf_str(&normal));
	r->rule->has_path = true;
	return 0;
}

static int
read_command(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	struct str ignored;

	if (!json_is_array(v))
		return err_set(e, ERR_INVALID,
		    "a list of words was expected, such as [\"git\", \"log\"], not %s",
		    json_kind(v));
	if (json_size(v) == 0)
		return err_set(e, ERR_INVALID, "it is empty");
	if (json_size(v) > RULE_COMMAND_MAX)
		return err_set(e, ERR_LIMIT, "%zu words, at most %d", json_size(v),
		    RULE_COMMAND_MAX);
	for (size_t i = 0; i < json_size(v); i++) {
		struct str word = { NULL, 0 };
		int code = read_text(json_nth(v, i, &ignored), &word, e);

		if (code < 0)
			return err_wrap(e, code, "word %zu", i);
		r->rule->command[r->rule->command_n++] = keep(r, word);
	}
	return 0;
}

static bool
host_plausible(struct str host)
{
	if (str_starts(host, STR("*.")))
		host = str_from(host, 2);
	if (!host.n || host.p[0] == '.')
		return false;
	for (size_t i = 0; i < host.n; i++) {
		unsigned char c = (unsigned char)host.p[i];

		if (c >= 0x80 || !(isalnum(c) || strchr("-._", c)) ||
		    (c == '.' && i + 1 < host.n && host.p[i + 1] == '.'))
			return false;
	}
	return true;
}

/* An IPv6 address in its usual form; false when it is none. */
static bool
usual_ip6(struct str host, char ret_text[INET6_ADDRSTRLEN])
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr ip;

	if (!host.n || host.n >= sizeof(text))
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	return inet_pton(AF_INET6, text, &ip) == 1 &&
	       inet_ntop(AF_INET6, &ip, ret_text, INET6_ADDRSTRLEN);
}

static int
read_host(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	char ip[INET6_ADDRSTRLEN];
	struct str text = { NULL, 0 };
	int code = read_text(v, &text, e);

	if (code < 0)
		return code;
	if (usual_ip6(text, ip)) {
		r->rule->host = keep(r, str_of(ip));
		return 0;
	}
	if (text.n > 1 && text.p[text.n - 1] == '.')
		text.n--;
	if (!host_plausible(text))
		return err_set(e, ERR_INVALID,
		    "takes a name such as example.com, *.example.com or xn--bcher-kva.example, "
		    "or an address; no scheme, port or path");
	r->rule->host = keep(r, text);
	return 0;
}

static int
read_reason(struct reader *r, const struct yyjson_val *v, struct err *e)
{
	struct str text = { NULL, 0 };
	int code = read_text(v, &text, e);

	if (code == 0)
		r->rule->reason = keep(r, text);
	return code;
}

/* A field that is there narrows the rule; `reason` alone does not. */
static const struct field {
	const char *name;
	int (*read)(struct reader *r, const struct yyjson_val *v, struct err *e);
	bool narrows;
} fields[] = {
	{ "decision", read_decision, false },
	{ "tool", read_tool, true },
	{ "effect", read_effect, true },
	{ "path", read_path, true },
	{ "command", read_command, true },
	{ "host", read_host, true },
	{ "server", read_server, true },
	{ "reason", read_reason, false },
};

static const struct field *
find_field(struct str name)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (str_eq(name, str_of(fields[i].name)))
			return &fields[i];
	}
	return NULL;
}

/* Enough for all strings of the rule; a path may grow, but not over GLOB_MAX. */
static size_t
store_size(const struct yyjson_val *object, const struct rules_file *file)
{
	size_t n = file->name.n + GLOB_MAX + INET6_ADDRSTRLEN;
	struct str name;

	for (size_t i = 0; i < json_size(object); i++) {
		const struct yyjson_val *v = json_nth(object, i, &name);

		n += json_str(v).n;
		for (size_t k = 0; json_is_array(v) && k < json_size(v); k++)
			n += json_str(json_nth(v, k, &name)).n;
	}
	return n;
}

static int
read_fields(struct reader *r, const struct yyjson_val *object, struct err *e)
{
	size_t narrow = 0;

	for (size_t i = 0; i < json_size(object); i++) {
		struct str name;
		const struct yyjson_val *v = json_nth(object, i, &name);
		const struct field *f = find_field(name);
		int code;

		if (!f)
			return err_set(e, ERR_INVALID,
			    "there is no field '%.*s'; fields: decision tool effect path "
			    "command host "
			    "server reason",
			    (int)MIN(name.n, 40), name.p);
		code = f->read(r, v, e);
		if (code < 0)
			return err_wrap(e, code, "%s", f->name);
		narrow += f->narrows;
	}
	if (!json_at(object, "decision"))
		return err_set(e, ERR_INVALID, "decision is missing: allow, ask or deny");
	if (!narrow)
		return err_set(e, ERR_INVALID,
		    "it names nothing to decide on: tool, effect, path, command, host or "
		    "server");
	return 0;
}

static void
rule_done(struct rule *rule)
{
	free(rule->store);
	free(rule->store_real);
}

static int
read_rule(struct rule *rule, const struct yyjson_val *v, const struct rules_file *file,
    struct err *e)
{
	struct reader r = { .rule = rule, .file = file };

	if (!json_is_object(v))
		return err_set(e, ERR_INVALID, "an object was expected, not %s", json_kind(v));
	rule->store = xmalloc(store_size(v, file));
	r.at = rule->store;
	rule->file = keep(&r, file->name);
	return read_fields(&r, v, e);
}

static int
wrap(const struct rules_file *file, size_t i, int code, struct err *e)
{
	return err_wrap(e, code, "%.*s: permissions.rules[%zu]", (int)MIN(file->name.n, 80),
	    file->name.p, i);
}

/* Reads them behind what is there; how many there are then in *ret_n also on failure. */
static int
read_all(struct rules *r, const struct yyjson_val *list, const struct rules_file *file,
    struct buf *ret_notices, struct err *e)
{
	struct str ignored;

	for (size_t i = 0; i < json_size(list); i++) {
		struct rule *rule = &r->list[r->n];
		int code;

		*rule = (struct rule){ .index = i };
		code = read_rule(rule, json_nth(list, i, &ignored), file, e);
		if (code < 0) {
			rule_done(rule);
			return wrap(file, i, code, e);
		}
		if (file->layer == RULES_PROJECT && rule->decision == RULE_ALLOW) {
			buf_addf(ret_notices,
			    "%.*s: permissions.rules[%zu] is left out: only your own "
			    "configuration "
			    "may allow\n",
			    STR_ARG(file->name), i);
			rule_done(rule);
			continue;
		}
		r->n++;
	}
	return 0;
}

int
rules_add(struct rules *r, const struct yyjson_val *list, const struct rules_file *file,
    struct buf *ret_notices, struct err *e)
{
	size_t n = r->n;
	int code;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return err_set(e, ERR_INVALID,
		    "%.*s: permissions.rules: a list was expected, not %s",
		    (int)MIN(file->name.n, 80), file->name.p, json_kind(list));
	if (json_size(list) > RULES_MAX - n)
		return err_set(e, ERR_LIMIT,
		    "%.*s: permissions.rules: more than %d rules in all",
		    (int)MIN(file->name.n, 80), file->name.p, RULES_MAX);
	if (json_size(list) == 0)
		return 0;
	r->list = xrealloc(r->list, (n + json_size(list)) * sizeof(*r->list));
	code = read_all(r, list, file, ret_notices, e);
	while (code < 0 && r->n > n)
		rule_done(&r->list[--r->n]);
	return code;
}

void
rules_done(struct rules *r)
{
	while (r->n)
		rule_done(&r->list[--r->n]);
	free(r->list);
	*r = (struct rules){ 0 };
}

struct str
rules_folder(const struct rule *rule)
{
	struct str folder = { NULL, 0 }, path = rule->path;

	if (!path.n || path.p[0] != '/')
		return folder;
	for (size_t i = 0; i <= path.n; i++) {
		if (i == path.n || path.p[i] == '/')
			folder = (struct str){ path.p, MAX(i, 1) };
		else if (strchr("*?[", path.p[i]))
			break;
	}
	return folder;
}

void
rules_resolve(struct rule *rule, struct str real_folder)
{
	auto_done(buf) struct buf real = buf_max(GLOB_MAX + 3 * real_folder.n);
	struct str folder = rules_folder(rule), rest;

	if (!folder.n || str_eq(folder, real_folder))
		return;
	rest = folder.n == 1 ? rule->path : str_from(rule->path, folder.n);
	if (real_folder.n > 1)
		glob_add_plain(&real, real_folder);
	if (rest.n > 1 || !real.n)
		buf_add(&real, rest.n ? rest : STR("/"));
	free(rule->store_real);
	rule->store_real = xstrdup(buf_text(&real));
	rule->path_real = str_of(rule->store_real);
}
