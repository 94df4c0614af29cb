/* SPDX-License-Identifier: MIT */
#include "forge/answers.h"

#include "base/json.h"

static struct str
workspace(const struct front *f)
{
	return buf_str(&f->session.desk.cwd);
}

int
answer_permissions(struct front *f, const struct msg_ask *m, struct buf *ret_json,
    struct err *e)
{
	auto_done(buf) struct buf list = buf_max(ANSWER_MAX / 2);
	int r = store_permissions(f->store, m->name, workspace(f), &list, e);

	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_str(ret_json, "policy", buf_str(&f->session.desk.journal.policy));
	json_put_raw(ret_json, "permissions", buf_str(&list));
	json_close(ret_json, '}');
	return 0;
}

int
answer_revoke(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	struct store_revoked which = { 0, m->input, m->name, workspace(f) };
	uint64_t n = 0;
	int r;

	if (!m->input.n)
		return err_set(e, ERR_INVALID,
		    "what is to be revoked? a number, write, process, external, analysis.run, "
		    "a folder, or all");
	if (str_u64(m->input, INT64_MAX, &which.id) || str_eq(m->input, STR("all")))
		which.what = (struct str){ NULL, 0 };
	r = store_revoke(f->store, &which, &n, e);
	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_u64(ret_json, "revoked", n);
	json_close(ret_json, '}');
	return 0;
}

int
answer_trust(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	(void)m;
	return store_trust_list(f->store, ret_json, e);
}

int
answer_distrust(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	bool known = false;
	int r = store_trust_set(f->store, m->input, STR(""), TRUST_UNKNOWN, &known, e);

	if (r < 0)
		return r;
	json_open(ret_json, NULL, '{');
	json_put_bool(ret_json, "revoked", known);
	json_close(ret_json, '}');
	return 0;
}

/* Its place in a list of words, the first where it is none of them. */
static unsigned
place(struct str word, const char *const *words, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (str_eq(word, str_of(words[i])))
			return i;
	}
	return 0;
}

int
answer_replay(struct front *f, const struct msg_ask *m, struct buf *ret_json, struct err *e)
{
	static const char *const from[] = { "direct", "js", "execute" };
	static const char *const surface[GATE_SURFACE_COUNT] = { "headless", "mcp", "terminal",
		"serve" };
	auto_obj(json) struct json *doc = NULL;
	struct str unused;
	int r = json_parse(m->input, CALL_INPUT_MAX, &doc, e);

	if (r < 0)
		return r;
	json_open(ret_json, NULL, '[');
	for (size_t i = 0; i < json_size(json_root(doc)); i++) {
		const struct yyjson_val *v = json_nth(json_root(doc), i, &unused);
		const struct desk_case what = {
			.name = json_str(json_at(v, "tool")),
			.input = json_str(json_at(v, "input")),
			.from = (enum gate_from)place(json_str(json_at(v, "from")), from,
			    COUNT(from)),
			.surface = (enum gate_surface)place(json_str(json_at(v, "surface")),
			    surface, COUNT(surface)),
		};

		desk_explain(&f->session.desk, &what, ret_json);
	}
	json_close(ret_json, ']');
	return 0;
}
