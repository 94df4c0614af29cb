/* SPDX-License-Identifier: MIT */
#include "tool/hidden.h"

#include "base/json.h"
#include "base/path.h"

static int
add_rules(struct hidden *h, struct str json, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf notices = buf_max(KiB(64)); /* the broker has told them */
	struct str unused;
	int r = json_parse(json, MiB(1), &doc, e);

	const struct yyjson_val *files = json_at(json_root(doc), "files"),
				*real = json_at(json_root(doc), "real");
	struct str carved = json_str(json_at(json_root(doc), "carved"));

	for (size_t i = 0; i < h->policy.roots_n; i++)
		h->roots[i].carved = carved.n && str_eq(h->roots[i].path, carved);
	for (size_t i = 0; r >= 0 && i < json_size(files); i++) {
		const struct yyjson_val *file = json_nth(files, i, &unused);
		struct rules_file from = {
			.name = json_str(json_at(file, "file")),
			.layer =
			    json_bool(json_at(file, "project")) ? RULES_PROJECT : RULES_USER,
			.home = json_str(json_at(file, "home")),
		};

		r = rules_add(&h->rules, json_at(file, "rules"), &from, &notices, e);
	}
	for (size_t i = 0; r >= 0 && i < json_size(real) && i < h->rules.n; i++) {
		struct str folder = json_str(json_nth(real, i, &unused));

		if (folder.n)
			rules_resolve(&h->rules.list[i], folder);
	}
	return r;
}

int
hidden_init(struct hidden *h, const struct gate_root *roots, size_t roots_n,
    struct str protected, struct str rules, struct err *e)
{
	struct str rest;
	int r;

	*h = (struct hidden){ .text = buf_max(KiB(32)) };
	buf_add(&h->text, protected);
	rest = buf_str(&h->text);
	while (rest.n) {
		struct str folder = str_split(&rest, '\n');

		if (!folder.n)
			continue;
		if (h->policy.protected_n == HIDDEN_FOLDERS_MAX)
			return err_set(e, ERR_LIMIT, "more than %d protected folders",
			    HIDDEN_FOLDERS_MAX);
		h->protected[h->policy.protected_n++] = folder;
	}
	if (roots_n > HIDDEN_ROOTS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d folders", HIDDEN_ROOTS_MAX);
	for (size_t i = 0; i < roots_n; i++)
		h->roots[i] = roots[i];
	h->policy.roots = h->roots;
	h->policy.roots_n = roots_n;
	r = rules.n ? add_rules(h, rules, e) : 0;
	h->policy.protected = h->protected;
	h->policy.rules = &h->rules;
	return r;
}

bool
hidden_is(const struct hidden *h, const char *tool, struct str real)
{
	struct gate_call call = { .name = str_of(tool), .tool = gate_builtin(str_of(tool)) };
	struct gate_path path = { .real = real, .folder = real };

	return gate_hides(&h->policy, &call, &path);
}

bool
hidden_by_rules(const struct hidden *h)
{
	for (size_t i = 0; i < h->rules.n; i++) {
		if (h->rules.list[i].decision != RULE_ALLOW && h->rules.list[i].has_path)
			return true;
	}
	return false;
}

bool
hidden_glob(const struct hidden *h, size_t i, struct str folder, struct buf *ret_option)
{
	static const char *const kernel[] = { "/proc", "/sys", "/dev" };
	struct str hidden, rest;

	static_assert(HIDDEN_GLOBS_MAX == HIDDEN_FOLDERS_MAX + COUNT(kernel),
	    "each has an option");
	if (i >= HIDDEN_FOLDERS_MAX)
		hidden = str_of(kernel[i - HIDDEN_FOLDERS_MAX]);
	else if (i < h->policy.protected_n)
		hidden = h->protected[i];
	else
		return false;
	if (!path_below(hidden, folder) || str_eq(hidden, folder))
		return false;
	rest = path_rest(hidden, folder);
	buf_add(ret_option, STR("--glob=!/"));
	for (size_t at = 0; at < rest.n; at++) {
		if (memchr("*?[]{}\\!,", rest.p[at], 9))
			buf_addc(ret_option, '\\');
		buf_addc(ret_option, rest.p[at]);
	}
	return buf_ok(ret_option);
}
