/* SPDX-License-Identifier: MIT */
/* What follows from an answer, and whether a project's file counts: each case there is, against what is promised. */
#include "forge/approve.h"
#include "forge/trust.h"

#include "tap.h"

/* ---- trust: G10 ---- */

/* Worked out from the promise alone. */
static enum trust_step
promised(bool file, bool replaced, bool valid, bool person, enum trust_way way,
    enum store_trust known)
{
	bool loads = way != TRUST_AGAIN && (way == TRUST_THIS_RUN || known == TRUST_GIVEN);
	bool asks = person && valid &&
		    (way == TRUST_AGAIN || (way == TRUST_ASK && known == TRUST_UNKNOWN));

	if (!file || replaced)
		return TRUST_NOTHING;
	return loads ? TRUST_LOAD : asks ? TRUST_QUESTION : TRUST_LEAVE;
}

static void
decides_trust(void)
{
	unsigned n = 0, wrong = 0, silent = 0;

	for (unsigned bits = 0; bits < 16; bits++) {
		for (int way = 0; way < TRUST_WAY_COUNT; way++) {
			for (int known = TRUST_UNKNOWN; known <= TRUST_GIVEN; known++) {
				struct trust_case c = { bits & 1, bits & 2, bits & 4, bits & 8,
					(enum trust_way)way, (enum store_trust)known };
				enum trust_step got = trust_decide(&c);

				n++;
				wrong +=
				    got != promised(bits & 1, bits & 2, bits & 4, bits & 8,
					       (enum trust_way)way, (enum store_trust)known);
				/* Never by itself: a person said so, or the command line does. */
				silent += got == TRUST_LOAD && known != TRUST_GIVEN &&
					  way != TRUST_THIS_RUN;
				silent += got == TRUST_QUESTION && !(bits & 8);
			}
		}
	}
	ok(wrong == 0, "%u cases of trust are as promised", n);
	is_int((int)silent, 0, "none counts, and nobody is asked, without a person's word");
	for (int reply = 0; reply < GATE_REPLY_COUNT; reply++) {
		struct trust_outcome o = trust_answer((enum gate_reply)reply);

		ok(o.load == (reply == GATE_REPLY_ONCE || reply == GATE_REPLY_SESSION) &&
			o.keep == (reply == GATE_REPLY_SESSION || reply == GATE_REPLY_DENY) &&
			(!o.keep || (o.trust == TRUST_GIVEN) == o.load),
		    "what %s means", gate_reply_name((enum gate_reply)reply));
	}
}

/* ---- answers: G6 ---- */

static const struct str outside = STR("/o/f"), outer = STR("/o");

struct world {
	struct gate_policy policy;
	struct gate_root root;
	struct gate_path path;
	struct gate_call call;
	struct approvals approvals;
	struct journal journal;
};

static void
begin(struct world *w, const char *tool, bool out)
{
	*w = (struct world){ .root = { STR("/w"), GATE_WORKSPACE, false } };
	w->policy.surface = GATE_TERMINAL;
	w->policy.roots = &w->root;
	w->policy.roots_n = 1;
	w->path = (struct gate_path){ .real = out ? outside : STR("/w/f"),
		.folder = out ? outer : STR("/w") };
	w->call.name = str_of(tool);
	w->call.tool = gate_builtin(w->call.name);
	w->path.write = w->call.tool->effect == GATE_WRITE;
	w->call.paths = &w->path;
	w->call.paths_n = 1;
}

static struct gate_verdict
judge(struct world *w)
{
	struct gate_verdict v;

	gate_decide(&w->policy, &w->call, &v);
	return v;
}

/* Asks until it is decided, with one answer to all; how often it was asked. */
static unsigned
answer_all(struct world *w, enum gate_reply reply, struct gate_verdict *ret_verdict)
{
	unsigned asked = 0;
	struct err e;

	for (*ret_verdict = judge(w); ret_verdict->answer == GATE_ASK && asked < 9;
	    *ret_verdict = judge(w)) {
		asked++;
		if (reply == GATE_REPLY_SESSION &&
		    gate_label(ret_verdict->question, GATE_REPLY_SESSION)) {
			if (approvals_add(&w->approvals, &w->journal, ret_verdict,
				&w->policy.grants, &e) < 0)
				break;
			approvals_load(&w->approvals, &w->journal, &w->policy.grants);
			continue;
		}
		w->call.once |= gate_once_of(ret_verdict->question);
		w->path.once |= ret_verdict->question == GATE_ASK_FOLDER;
	}
	return asked;
}

/*
 * For every tool, inside and outside: an answer ends the question it answers, once counts for this
 * call alone, and what is allowed for the session covers exactly its effect, or its folder.
 */
static void
follows_from_answers(void)
{
	static const char *const tools[] = { "read_file", "write_file", "shell", "webfetch",
		"python_run", "artifact_create" };
	unsigned n = 0, wrong = 0;

	for (size_t t = 0; t < COUNT(tools); t++) {
		for (int out = 0; out < 2; out++) {
			for (int reply = GATE_REPLY_ONCE; reply <= GATE_REPLY_SESSION;
			    reply++) {
				struct gate_verdict v;
				struct world w;
				unsigned want, asked;
				bool effect;

				begin(&w, tools[t], out);
				effect = w.call.tool->effect != GATE_READ &&
					 w.call.tool->effect != GATE_INTERNAL;
				want = (unsigned)out + effect;
				asked = answer_all(&w, (enum gate_reply)reply, &v);
				wrong += asked != want || v.answer != GATE_ALLOW;
				/* The next call of the same kind. */
				w.call.once = 0;
				w.path.once = false;
				asked = answer_all(&w, GATE_REPLY_ONCE, &v);
				wrong += asked != (reply == GATE_REPLY_SESSION ? 0 : want);
				/* A script's. */
				w.call.once = 0;
				w.path.once = false;
				w.call.from = GATE_FROM_JS;
				v = judge(&w);
				wrong += (v.answer == GATE_ALLOW) != (want == 0);
				n += 3;
				approvals_done(&w.approvals);
			}
		}
	}
	ok(wrong == 0, "%u calls after answers", n);
}

/* What one permission covers, of every other tool. */
static void
covers_no_more(void)
{
	static const struct {
		const char *given, *covers;
	} rows[] = {
		{ "write_file", "write_file edit_file " },
		{ "shell", "shell run_process python_run " },
		{ "python_run", "python_run " },
		{ "webfetch", "webfetch websearch " },
	};
	static const char *const all[] = { "write_file", "edit_file", "shell", "run_process",
		"python_run", "webfetch", "websearch" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf covered = buf_max(256);
		struct gate_verdict v;
		struct world w;

		begin(&w, rows[i].given, false);
		answer_all(&w, GATE_REPLY_SESSION, &v);
		for (size_t t = 0; t < COUNT(all); t++) {
			w.call.name = str_of(all[t]);
			w.call.tool = gate_builtin(w.call.name);
			w.path.write = w.call.tool->effect == GATE_WRITE;
			if (judge(&w).answer == GATE_ALLOW)
				buf_addf(&covered, "%s ", all[t]);
		}
		is_str(buf_text(&covered), rows[i].covers, rows[i].given);
		approvals_done(&w.approvals);
	}
}

static void
has_labels(void)
{
	for (int q = GATE_ASK_FOLDER; q < GATE_QUESTION_COUNT; q++) {
		const char *session = gate_label((enum gate_question)q, GATE_REPLY_SESSION);
		bool lasting =
		    q == GATE_ASK_FOLDER || q == GATE_ASK_EFFECT || q == GATE_ASK_ANALYSIS;

		is_str(gate_label((enum gate_question)q, GATE_REPLY_ONCE), "Allow once",
		    "once");
		is_str(gate_label((enum gate_question)q, GATE_REPLY_DENY), "Deny", "deny");
		ok((session != NULL) == lasting, "question %d lasts or does not", q);
		ok(!gate_label((enum gate_question)q, GATE_REPLY_NONE),
		    "no answer has no label");
	}
	ok(!gate_label(GATE_NO_QUESTION, GATE_REPLY_ONCE), "no question takes no answer");
}

int
main(void)
{
	decides_trust();
	follows_from_answers();
	covers_no_more();
	has_labels();
	return tap_done();
}
