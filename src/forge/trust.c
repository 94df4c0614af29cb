/* SPDX-License-Identifier: MIT */
#include "forge/trust.h"

#include "base/json.h"
#include "forge/resolve.h"
#include "gate/rule.h"
#include "ipc/limits.h"

enum trust_step
trust_decide(const struct trust_case *c)
{
	if (!c->file || c->replaced)
		return TRUST_NOTHING;
	if (c->way == TRUST_AGAIN)
		return c->attended && c->valid ? TRUST_QUESTION : TRUST_LEAVE;
	/* What was trusted and is wrong says so when it is loaded. */
	if (c->way == TRUST_THIS_RUN || c->known == TRUST_GIVEN)
		return TRUST_LOAD;
	if (c->way == TRUST_ASK && c->attended && c->valid && c->known == TRUST_UNKNOWN)
		return TRUST_QUESTION;
	return TRUST_LEAVE;
}

struct trust_outcome
trust_answer(enum gate_reply reply)
{
	switch (reply) {
	case GATE_REPLY_ONCE:
		return (struct trust_outcome){ .load = true };
	case GATE_REPLY_SESSION:
		return (struct trust_outcome){ true, true, TRUST_GIVEN };
	case GATE_REPLY_DENY:
		return (struct trust_outcome){ false, true, TRUST_REFUSED };
	case GATE_REPLY_NONE:
	case GATE_REPLY_COUNT:
		break;
	}
	return (struct trust_outcome){ 0 };
}

const char *
trust_label(enum trust_way way, enum gate_reply reply)
{
	switch (reply) {
	case GATE_REPLY_ONCE:
		return way == TRUST_AGAIN ? NULL : "Use it this time only";
	case GATE_REPLY_SESSION:
		return "Trust this file in this directory";
	case GATE_REPLY_DENY:
		return "Do not use it";
	case GATE_REPLY_NONE:
	case GATE_REPLY_COUNT:
		break;
	}
	return NULL;
}

/* ---- what it would do ---- */

static void
describe_value(enum option o, uint64_t before, uint64_t after, struct buf *out)
{
	const struct option_spec *spec = &option_specs[o];

	buf_addf(out, "sets %s to ", spec->key);
	if (spec->kind == OPTION_SWITCH)
		buf_addf(out, "%s (now %s)\n", after ? "true" : "false",
		    before ? "true" : "false");
	else if (spec->kind == OPTION_WORD)
		buf_addf(out, "%.*s (now %.*s)\n", STR_ARG(conf_word(o, after)),
		    STR_ARG(conf_word(o, before)));
	else
		buf_addf(out, "%llu (now %llu)\n", (unsigned long long)after,
		    (unsigned long long)before);
}

static void
describe_folder(struct str folder, const struct yyjson_val *v, struct buf *out)
{
	struct resolved real;

	if (resolve_path(folder, json_str(v), &real))
		buf_addf(out, "lets tools reach %.*s", STR_ARG(buf_str(&real.real)));
	else
		buf_add(out, STR("lets tools reach a folder that is no path"));
	buf_addf(out, " and all below it, from additionalDirectories: \"%.*s\"\n",
	    STR_ARG(json_str(v)));
	resolved_done(&real);
}

/* Of one list: each element in its words. */
static int
describe_list(const struct conf_list *list, struct str path, struct buf *out, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	struct rules rules = { 0 };
	struct rules_file file = { path, RULES_PROJECT, str_of(getenv("HOME")) };
	struct str folder = path, name;
	int r = json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, e);

	while (folder.n && folder.p[folder.n - 1] != '/')
		folder.n--;
	if (r >= 0 && list->option == OPT_rules) {
		auto_done(buf) struct buf notices = buf_max(KiB(256));

		r = rules_add(&rules, json_root(doc), &file, &notices, e);
		buf_add(out, buf_str(&notices));
		rules_done(&rules);
	}
	for (size_t i = 0; r >= 0 && i < json_size(json_root(doc)); i++) {
		const struct yyjson_val *v = json_nth(json_root(doc), i, &name);
		auto_done(buf) struct buf value = buf_max(CONFIG_MAX);

		if (list->option == OPT_directories && json_is_string(v)) {
			describe_folder(folder, v, out);
			continue;
		}
		/* Told as left out. */
		if (list->option == OPT_rules &&
		    str_eq(json_str(json_at(v, "decision")), STR("allow")))
			continue;
		json_put_value(&value, NULL, v);
		buf_addf(out, "adds to %s: %s\n", option_specs[list->option].key,
		    buf_text(&value));
		out->full = out->full || !buf_ok(&value);
	}
	return r;
}

int
trust_describe(const struct conf *before, struct str text, struct str path,
    struct buf *ret_lines, struct err *e)
{
	auto_done(buf) struct buf name = buf_max(NAME_MAX_BYTES + 1),
				  notices = buf_max(KiB(256));
	struct conf scratch = *before;
	int r;

	scratch.lists = NULL;
	memset(scratch.set, 0, sizeof(scratch.set));
	buf_add(&name, path);
	r = conf_apply(&scratch, text, buf_text(&name), CONF_PROJECT, &notices, e);
	for (int o = 0; r >= 0 && o < OPT_COUNT; o++) {
		if (scratch.set[o] && option_specs[o].kind != OPTION_LIST &&
		    option_specs[o].kind != OPTION_TEXT && scratch.value[o] != before->value[o])
			describe_value((enum option)o, before->value[o], scratch.value[o],
			    ret_lines);
	}
	for (const struct conf_list *l = scratch.lists; l && r >= 0; l = l->next)
		r = describe_list(l, path, ret_lines, e);
	buf_add(ret_lines, buf_str(&notices));
	if (r >= 0 && !ret_lines->n)
		buf_add(ret_lines, STR("changes nothing as it is now\n"));
	conf_done(&scratch);
	if (r >= 0 && !buf_ok(ret_lines))
		r = err_set(e, ERR_LIMIT, "%s: what it would do is too long to be shown",
		    buf_text(&name));
	return r;
}
