/* SPDX-License-Identifier: MIT */
#include "forge/commands.h"

#include "base/json.h"
#include "base/path.h"
#include "forge/resolve.h"
#include "ipc/limits.h"

#include <limits.h>

enum fence { FENCE_WORKSPACE, FENCE_NONE }; /* the words of permissions.process.fence */

#define WRITABLE_MAX 16

enum sandbox_profile_id
commands_profile(const struct conf *conf, unsigned flags)
{
	if (conf->value[OPT_process_fence] == FENCE_NONE)
		return PROFILE_runner_open;
	return flags & GATE_ALLOW_EXTERNAL ? PROFILE_runner_net : PROFILE_runner;
}

/* "~/x" is below the home folder, anything else relative to the file that says it. */
static bool
place(const struct conf_list *list, struct str path, struct str cwd, struct resolved *ret_place)
{
	const char *home = getenv("HOME");
	struct str from = buf_str(&list->file);
	bool at_home = path.n >= 2 && path.p[0] == '~' && path.p[1] == '/';

	while (from.n && from.p[from.n - 1] != '/')
		from.n--;
	if (at_home && (!home || *home != '/'))
		return false;
	return at_home ? resolve_path(str_of(home), str_from(path, 2), ret_place)
		       : resolve_path(from.n ? from : cwd, path, ret_place);
}

static bool
touches_protected(const struct gate_policy *policy, struct str path)
{
	for (size_t i = 0; i < policy->protected_n; i++)
		if (path_below(path, policy->protected[i]) ||
		    path_below(policy->protected[i], path))
			return true;
	return false;
}

static int
add_writable(const struct conf_list *list, const struct yyjson_val *v,
    const struct gate_policy *policy, struct str cwd, struct buf *options, struct buf *notices,
    struct err *e)
{
	struct resolved at = { 0 };

	if (!json_is_string(v))
		return err_set(e, ERR_INVALID,
		    "%s: permissions.process.writable takes paths, not %s",
		    buf_text(&list->file), json_kind(v));
	if (!place(list, json_str(v), cwd, &at))
		buf_addf(notices, "%s: permissions.process.writable: '%.*s' is no path\n",
		    buf_text(&list->file), (int)MIN(json_str(v).n, 300), json_str(v).p);
	else if (touches_protected(policy, buf_str(&at.real)))
		buf_addf(notices,
		    "%s: permissions.process.writable: %s is left out: crisol's own folders "
		    "are "
		    "there\n",
		    buf_text(&list->file), buf_text(&at.real));
	else
		buf_addf(options, "--writable=%s%c", buf_text(&at.real), '\0');
	resolved_done(&at);
	return 0;
}

int
commands_options(const struct conf *conf, const struct gate_policy *policy, struct str cwd,
    struct buf *ret_options, struct buf *ret_notices, struct err *e)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < policy->protected_n; i++)
		buf_addf(ret_options, "--protected=%.*s%c", STR_ARG(policy->protected[i]),
		    '\0');
	for (const struct conf_list *list = conf->lists; list && r >= 0; list = list->next) {
		auto_obj(json) struct json *doc = NULL;
		struct str name;

		if (list->option != OPT_process_writable)
			continue;
		r = json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, e);
		for (size_t i = 0; r >= 0 && i < json_size(json_root(doc)); i++) {
			if (++n > WRITABLE_MAX)
				return err_set(e, ERR_INVALID,
				    "%s: permissions.process.writable takes at most %d paths",
				    buf_text(&list->file), WRITABLE_MAX);
			r = add_writable(list, json_nth(json_root(doc), i, &name), policy, cwd,
			    ret_options, ret_notices, e);
		}
	}
	return r;
}

static bool
is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return s.n > 0 && s.n < 256;
}

static void
add_variable(const char *name, struct buf *out)
{
	const char *value = getenv(name);

	if (value)
		buf_addf(out, "%s=%s%c", name, value, '\0');
}

static int
add_named(const struct conf_list *list, struct buf *out, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	struct str key;
	int r = json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, e);

	for (size_t i = 0; r >= 0 && i < json_size(json_root(doc)); i++) {
		struct str name = json_str(json_nth(json_root(doc), i, &key));
		auto_done(buf) struct buf text = buf_max(256);

		if (!is_name(name))
			return err_set(e, ERR_INVALID,
			    "%s: permissions.process.env takes names of variables",
			    buf_text(&list->file));
		buf_add(&text, name);
		if (!str_eq(name, STR("TMPDIR")))
			add_variable(buf_text(&text), out);
	}
	return r;
}

int
commands_environment(const struct conf *conf, struct buf *ret_environment, struct err *e)
{
	static const char *const always[] = { "PATH", "HOME", "LANG" };
	int r = 0;

	for (size_t i = 0; i < COUNT(always); i++)
		add_variable(always[i], ret_environment);
	for (const struct conf_list *list = conf->lists; list && r >= 0; list = list->next)
		if (list->option == OPT_process_env)
			r = add_named(list, ret_environment, e);
	if (r >= 0 && !buf_ok(ret_environment))
		r = err_set(e, ERR_INVALID,
		    "permissions.process.env: the variables are larger than %zu bytes together",
		    ret_environment->max);
	return r;
}

void
commands_tmp(struct buf *ret_path)
{
	const char *own = getenv("CRISOL_TMPDIR"), *tmp = getenv("TMPDIR");
	struct resolved at;

	if (resolve_path(STR("/"),
		str_of(own && *own == '/'   ? own
		       : tmp && *tmp == '/' ? tmp
					    : "/tmp"),
		&at))
		buf_add(ret_path, buf_str(&at.real));
	resolved_done(&at);
}
