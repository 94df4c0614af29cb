/* SPDX-License-Identifier: MIT */
#include "forge/greet.h"

#include "base/fd.h"
#include "base/json.h"
#include "base/sha.h"
#include "base/utf8.h"
#include "conf/home.h"
#include "forge/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* What the client said, for as long as it is needed. */
struct greeting {
	struct buf cwd, folders, config, config_path, session, project, project_path;
	unsigned flags;
	bool read_only, attended, mcp;
	enum trust_way way;
	char sha256[SHA_HEX_SIZE]; /* of the project's file */
};

/* The session of that name in the workspace; with no name one of its own, made once. */
int
front_session(struct front *f, struct str name, struct err *e)
{
	struct journal *j = &f->session.desk.journal;

	if (!f->store || *j->session)
		return 0;
	return store_session(f->store, name, buf_str(&f->session.desk.cwd), j->session, e);
}

/* <config home>/config.json; a missing file is no error. */
static int
read_user_file(struct front *f, struct err *e)
{
	auto_done(buf) struct buf path = buf_max(KiB(5));
	auto_done(buf) struct buf text = buf_max(CONFIG_MAX);
	int r = home_path(HOME_CONFIG, &path, e);

	if (r < 0)
		return e->code == ERR_NOTFOUND ? 0 : r;
	buf_add(&path, STR("/config.json"));
	r = fd_slurp_at(AT_FDCWD, buf_text(&path), &text, e);
	if (r < 0)
		return e->code == ERR_SYS && e->sys == ENOENT ? 0 : r;
	return conf_apply(&f->conf, buf_str(&text), buf_text(&path), CONF_USER, &f->notices, e);
}

/* Without a journal what only reads works, and is said to be unrecorded. */
void
greet_store(struct front *f)
{
	auto_done(buf) struct buf path = buf_max(KiB(5));
	auto_fd int folder = -1;
	struct err e;
	int r = home_open_state("", &folder, &e);

	if (r >= 0)
		r = home_path(HOME_STATE, &path, &e);
	buf_add(&path, STR(JOURNAL_FILE));
	if (r >= 0)
		r = store_open(&f->store, f->loop, buf_text(&path), &e);
	if (r >= 0)
		return;
	snprintf(f->session.desk.journal.why, sizeof(e.text), "%s", e.text);
	buf_addf(&f->notices,
	    "no journal: %s. Runs are not recorded, and cannot be listed or cancelled "
	    "from another process; what changes something is refused\n",
	    e.text);
}

/* The session by its name; one of its own is made with its first run or call. */
static int
open_session(struct front *f, struct str name, struct err *e)
{
	struct journal *j = &f->session.desk.journal;

	if (!f->store)
		greet_store(f);
	if (!f->store)
		return name.n ? err_set(e, ERR_SYS, "no session can be kept: %s", j->why) : 0;
	j->store = f->store;
	return name.n ? front_session(f, name, e) : 0;
}

/* Scripts of a session that lasts have a place for files. */
static void
open_scratch(struct front *f)
{
	auto_done(buf) struct buf base = buf_max(KiB(5));
	struct scratch *scratch = &f->session.scratch;
	const char *own = getenv("CRISOL_TMPDIR");
	struct err e;

	if (own && *own == '/')
		buf_add(&base, str_of(own));
	else
		conf_text(&f->conf, OPT_scratch_root, &base);
	if (scratch_open(scratch, buf_str(&base), buf_str(&f->session.desk.cwd),
		f->session.desk.journal.session, &e) < 0) {
		buf_addf(&f->notices, "there is no scratchpad: %s\n", e.text);
		return;
	}
	if (*scratch->why)
		buf_addf(&f->notices, "the scratchpad is %s: %s\n", buf_text(&scratch->path),
		    scratch->why);
	scratch_sweep(scratch, f->conf.value[OPT_scratch_days]);
}

/* ---- the project's file ---- */

static void
notice(struct front *f, const char *what, const char *why)
{
	auto_done(buf) struct buf line = buf_max(KiB(16)), text = buf_max(KiB(12));
	struct msg_client_notice m;

	buf_addf(&line, "%s is not used: %s", what, why);
	utf8_scrub(buf_str(&line), &text);
	m.text = buf_str(&text);
	front_say(f, MSG_client_notice, &m);
	buf_addf(&f->notices, "%s\n", buf_text(&text));
}

/* Said of the text and the folder before. Without a journal nothing is known, and nothing can be kept. */
static enum store_trust
known_trust(struct front *f, const struct greeting *g)
{
	enum store_trust trust = TRUST_UNKNOWN;
	struct err e;

	if (!f->store ||
	    store_trust_get(f->store, buf_str(&g->cwd), str_of(g->sha256), &trust, &e) < 0)
		return TRUST_UNKNOWN;
	return trust;
}

static void
ask_trust(struct front *f, const struct greeting *g, struct str lines)
{
	auto_done(buf) struct buf json = buf_max(QUESTION_MAX), clean = buf_max(KiB(600));
	struct msg_client_question m = { .number = ++f->questions,
		.input = buf_str(&g->project) };

	json_open(&json, NULL, '{');
	json_put_str(&json, "question", STR("trust"));
	utf8_scrub(buf_str(&g->project_path), &clean);
	json_put_str(&json, "path", buf_str(&clean));
	buf_reset(&clean);
	utf8_scrub(buf_str(&g->cwd), &clean);
	json_put_str(&json, "folder", buf_str(&clean));
	json_put_str(&json, "sha256", str_of(g->sha256));
	buf_reset(&clean);
	utf8_scrub(lines, &clean);
	json_put_str(&json, "does", buf_str(&clean));
	json_open(&json, "answers", '[');
	for (int reply = GATE_REPLY_ONCE; reply < GATE_REPLY_COUNT; reply++) {
		const char *label = trust_label(g->way, (enum gate_reply)reply);

		if (!label)
			continue;
		json_open(&json, NULL, '{');
		json_put_u64(&json, "answer", (uint64_t)reply);
		json_put_str(&json, "label", str_of(label));
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	m.json = buf_str(&json);
	front_say(f, MSG_client_question, &m);
}

/* Why it is left, for the person. */
static void
leave_project(struct front *f, const struct greeting *g, const struct trust_case *c,
    const struct err *wrong)
{
	if (!c->valid)
		notice(f, buf_text(&g->project_path), wrong->text);
	else if (!f->store)
		notice(f, buf_text(&g->project_path),
		    "there is no journal to keep in it that it is trusted");
	else if (c->known == TRUST_REFUSED)
		notice(f, buf_text(&g->project_path),
		    "it was refused in this directory (crisol trust add . asks again)");
	else
		notice(f, buf_text(&g->project_path),
		    "this text is not trusted in this directory (crisol trust add . in a "
		    "terminal shows it and asks, --trust-project uses it this time)");
}

/* ---- the greeting ---- */

static void
refuse_greeting(struct front *f, enum code code, const struct err *bad)
{
	f->refused = true;
	/* What is asked of the machine all the same is asked without those files. */
	conf_unset(&f->conf);
	code = bad->code == ERR_NOTFOUND ? CODE_INVALID_INPUT : code;
	front_refuse(f, 0, code, bad->text, front_hint(code));
}

/* All that is left when it is known whether the project's file counts. */
static void
finish(struct front *f, bool project)
{
	struct greeting *g = f->greeting;
	struct desk_request request = {
		.cwd = buf_str(&g->cwd),
		.folders = buf_str(&g->folders),
		.flags = g->flags,
		.read_only = g->read_only,
		.attended = g->attended,
		.mcp = g->mcp,
		.resumed = g->session.n && !g->attended,
	};
	bool waits = g->way == TRUST_ASK || g->way == TRUST_AGAIN;
	struct msg_client_ready ready = { .trusted = project };
	enum code code = CODE_CONFIG_ERROR;
	struct err bad;
	int r = 0;

	if (g->config_path.n)
		r = conf_apply(&f->conf, buf_str(&g->config), buf_text(&g->config_path),
		    CONF_PROJECT, &f->notices, &bad);
	else if (project)
		r = conf_apply(&f->conf, buf_str(&g->project), buf_text(&g->project_path),
		    CONF_PROJECT, &f->notices, &bad);
	if (r >= 0)
		r = desk_init(&f->session.desk, &f->conf, &request, &f->notices, &bad);
	if (r >= 0) {
		r = open_session(f, buf_str(&g->session), &bad);
		if (r == -ERR_SYS)
			code = CODE_INTERNAL;
	}
	if (r >= 0 && g->session.n && f->conf.value[OPT_scratch_enabled])
		open_scratch(f);
	if (r >= 0)
		r = desk_ready(&f->session.desk, f->loop, f->launcher,
		    buf_str(&f->session.scratch.path), &bad);
	if (r >= 0 && g->mcp && f->conf.value[OPT_js_enabled])
		loop_timer(f->loop, &f->warm, 0);
	greet_done(f);
	f->client.state = ST_READY;
	if (r < 0)
		refuse_greeting(f, code, &bad);
	else if (waits)
		front_say(f, MSG_client_ready, &ready);
}

static void
see_project(struct front *f)
{
	struct greeting *g = f->greeting;
	auto_done(buf) struct buf lines = buf_max(KiB(512));
	struct err wrong;
	struct trust_case c = { .file = g->project_path.n != 0,
		.replaced = g->config_path.n != 0 };

	if (c.file && !c.replaced) {
		greet_store(f);
		sha_bytes(buf_str(&g->project), g->sha256);
		c.known = known_trust(f, g);
		c.way = g->way;
		c.attended = g->attended && f->store;
		c.valid = trust_describe(&f->conf, buf_str(&g->project),
			      buf_str(&g->project_path), &lines, &wrong) >= 0;
	}
	switch (trust_decide(&c)) {
	case TRUST_QUESTION:
		ask_trust(f, g, buf_str(&lines));
		return;
	case TRUST_LEAVE:
		leave_project(f, g, &c, &wrong);
		finish(f, false);
		return;
	case TRUST_LOAD:
		finish(f, true);
		return;
	case TRUST_NOTHING:
	case TRUST_STEP_COUNT:
		finish(f, false);
	}
}

int
greet_answer(struct front *f, enum gate_reply reply, struct err *e)
{
	struct greeting *g = f->greeting;
	struct trust_outcome outcome = trust_answer(reply);
	bool known;
	struct err bad;

	if (reply != GATE_REPLY_NONE && !trust_label(g->way, reply))
		return err_set(e, ERR_PROTO, "an answer that the question does not take");
	if (outcome.keep && store_trust_set(f->store, buf_str(&g->cwd), str_of(g->sha256),
				outcome.trust, &known, &bad) < 0)
		notice(f, "the answer about the project's file", bad.text);
	if (reply == GATE_REPLY_NONE)
		notice(f, buf_text(&g->project_path), "nobody answered the question about it");
	finish(f, outcome.load);
	return 0;
}

static void
keep(struct buf *b, size_t max, struct str text)
{
	*b = buf_max(max + 1);
	buf_add(b, text);
}

int
core_on_client_hello(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_hello *m = body;
	struct front *f = container_of(p, struct front, client);
	struct greeting *g;
	struct err bad;

	if (f->greeted || m->trust >= TRUST_WAY_COUNT)
		return err_set(e, ERR_PROTO, "a second greeting, or one that cannot be");
	f->greeted = true;
	f->greeting = g = xcalloc(1, sizeof(*g));
	keep(&g->cwd, NAME_MAX_BYTES, m->cwd);
	keep(&g->folders, FOLDERS_MAX, m->folders);
	keep(&g->config, CONFIG_MAX, m->config);
	keep(&g->config_path, NAME_MAX_BYTES, m->config_path);
	keep(&g->session, SESSION_NAME_MAX, m->session);
	keep(&g->project, CONFIG_MAX, m->project);
	keep(&g->project_path, NAME_MAX_BYTES, m->project_path);
	g->flags = (unsigned)m->flags;
	g->read_only = m->read_only != 0;
	g->attended = m->attended != 0;
	g->mcp = m->mcp != 0;
	g->way = (enum trust_way)m->trust;
	if (read_user_file(f, &bad) >= 0) {
		see_project(f);
		return 0;
	}
	greet_done(f);
	p->state = ST_READY;
	refuse_greeting(f, CODE_CONFIG_ERROR, &bad);
	return 0;
}

void
greet_done(struct front *f)
{
	struct greeting *g = f->greeting;

	if (!g)
		return;
	buf_done(&g->cwd);
	buf_done(&g->folders);
	buf_done(&g->config);
	buf_done(&g->config_path);
	buf_done(&g->session);
	buf_done(&g->project);
	buf_done(&g->project_path);
	free(g);
	f->greeting = NULL;
}
