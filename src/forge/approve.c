/* SPDX-License-Identifier: MIT */
#include "forge/approve.h"

void
approvals_done(struct approvals *a)
{
	while (a->folders_n)
		free(a->folders[--a->folders_n]);
	*a = (struct approvals){ 0 };
}

static void
take(struct str what, struct str folder, void *userdata)
{
	struct approvals *a = userdata;

	if (str_eq(what, STR("analysis.run"))) {
		a->analysis_run = true;
		return;
	}
	if (str_eq(what, STR("folder")) && folder.n && a->folders_n < APPROVALS_FOLDERS_MAX) {
		char *text = xmalloc(folder.n + 1);

		memcpy(text, folder.p, folder.n);
		text[folder.n] = '\0';
		a->views[a->folders_n] = (struct str){ text, folder.n };
		a->folders[a->folders_n++] = text;
		return;
	}
	for (int effect = GATE_READ; effect < GATE_EFFECT_COUNT; effect++) {
		if (str_eq(what, str_of(gate_effect_name((enum gate_effect)effect))))
			a->effects |= 1u << effect;
	}
}

static void
show(const struct approvals *a, struct gate_grants *ret_grants)
{
	*ret_grants = (struct gate_grants){
		.effects = a->effects,
		.analysis_run = a->analysis_run,
		.folders = a->views,
		.folders_n = a->folders_n,
	};
}

static bool
same_folders(const struct approvals *a, const struct approvals *b)
{
	if (a->folders_n != b->folders_n)
		return false;
	for (size_t i = 0; i < a->folders_n; i++) {
		if (!str_eq(a->views[i], b->views[i]))
			return false;
	}
	return true;
}

bool
approvals_load(struct approvals *a, struct journal *j, struct gate_grants *ret_grants)
{
	struct approvals now = { 0 };
	bool changed;
	struct err e;

	if (!j->store) {
		changed = a->changed;
		a->changed = false;
		show(a, ret_grants);
		return changed;
	}
	if (store_permitted(j->store, j->session, APPROVALS_FOLDERS_MAX + GATE_EFFECT_COUNT,
		take, &now, &e) < 0)
		approvals_done(&now);
	changed = !same_folders(a, &now);
	approvals_done(a);
	*a = now;
	show(a, ret_grants);
	return changed;
}

int
approvals_add(struct approvals *a, struct journal *j, const struct gate_verdict *v,
    struct gate_grants *ret_grants, struct err *e)
{
	struct str what = str_of(gate_grant_name(v));
	bool folder = v->question == GATE_ASK_FOLDER;
	struct str path = folder ? v->path->folder : (struct str){ NULL, 0 };
	int r = 0;

	if (folder && a->folders_n == APPROVALS_FOLDERS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d folders allowed in one session",
		    APPROVALS_FOLDERS_MAX);
	if (j->store)
		r = store_permit(j->store, j->session, what, path,
		    v->question == GATE_ASK_ANALYSIS, e);
	if (r < 0)
		return r;
	if (!j->store) {
		take(what, path, a);
		a->changed = folder;
		show(a, ret_grants);
	}
	return 0;
}
