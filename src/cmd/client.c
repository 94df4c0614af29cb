/* SPDX-License-Identifier: MIT */
#include "cmd/client.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "conf/conf.h"
#include "conf/home.h"
#include "conf/project.h"
#include "forge/trust.h"
#include "gate/gate.h"
#include "loop/child.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* What of our environment the broker gets. */
static const char *const passed[] = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
	"XDG_RUNTIME_DIR", "CRISOL_CONFIG_HOME", "CRISOL_STATE_HOME", "CRISOL_TMPDIR", "TMPDIR",
	"PATH", "LANG" };

#define NAMED_MAX 64 /* more of our environment, named by permissions.process.env */

struct environment {
	char *list[COUNT(passed) + NAMED_MAX + 1];
	size_t n;
};

static void
pass(struct environment *env, const char *name)
{
	auto_done(buf) struct buf line = buf_max(KiB(64));
	const char *value = getenv(name);

	if (!value || env->n + 1 == COUNT(env->list))
		return;
	buf_addf(&line, "%s=%s", name, value);
	if (buf_ok(&line))
		env->list[env->n++] = xstrdup(buf_text(&line));
}

static void
pass_listed(struct environment *env, const struct conf_list *list)
{
	auto_obj(json) struct json *doc = NULL;
	struct str key;
	struct err e;

	if (json_parse(buf_str(&list->json), CONFIG_MAX * 2, &doc, &e) < 0)
		return;
	for (size_t i = 0; i < json_size(json_root(doc)); i++) {
		struct str name = json_str(json_nth(json_root(doc), i, &key));
		auto_done(buf) struct buf text = buf_max(256);

		buf_add(&text, name);
		if (name.n && buf_ok(&text) && !memchr(name.p, '=', name.n))
			pass(env, buf_text(&text));
	}
}

/* What commands get beside the usual, by the person's own file; the broker says what is wrong in it. */
static void
pass_named(struct environment *env)
{
	auto_done(buf) struct buf path = buf_max(KiB(5)), text = buf_max(CONFIG_MAX);
	auto_done(buf) struct buf notices = buf_max(KiB(64));
	auto_done(conf) struct conf conf;
	struct err e;

	conf_defaults(&conf);
	if (home_path(HOME_CONFIG, &path, &e) < 0)
		return;
	buf_add(&path, STR("/config.json"));
	if (fd_slurp_at(AT_FDCWD, buf_text(&path), &text, &e) < 0 ||
	    conf_apply(&conf, buf_str(&text), buf_text(&path), CONF_USER, &notices, &e) < 0)
		return;
	for (const struct conf_list *list = conf.lists; list; list = list->next)
		if (list->option == OPT_process_env)
			pass_listed(env, list);
}

static int
start_broker(struct client *c, int *ret_channel, struct err *e)
{
	struct environment env = { .n = 0 };
	int r;

	for (size_t i = 0; i < COUNT(passed); i++)
		pass(&env, passed[i]);
	pass_named(&env);
	env.list[env.n] = NULL;
	r = child_start("crisol-core", env.list, ret_channel, &c->pid, e);
	while (env.n)
		free(env.list[--env.n]);
	return r;
}

/* ---- what arrives ---- */

static void
note(struct client *c, enum code code, struct str text)
{
	if (c->trouble->code != CODE_NONE)
		return;
	c->trouble->code = code;
	snprintf(c->trouble->text, sizeof(c->trouble->text), "%.*s", STR_ARG(text));
}

int
client_on_client_refused(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_refused *m = body;
	struct client *c = container_of(p, struct client, core);
	enum code code = code_named(m->code);

	(void)e;
	code = code ? code : CODE_INTERNAL;
	if (c->trouble)
		note(c, code, m->message);
	else
		client_finish(c, cmd_fail(code, m->message, m->hint));
	return 0;
}

int
client_on_client_ready(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_ready *m = body;
	struct client *c = container_of(p, struct client, core);

	(void)e;
	c->ready = true;
	c->trusted = m->trusted != 0;
	return 0;
}

int
client_on_client_notice(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_notice *m = body;

	(void)p;
	(void)e;
	cmd_note(m->text);
	return 0;
}

static void
on_prompt_end(struct prompt *prompt, unsigned answer, bool interrupted)
{
	struct client *c = container_of(prompt, struct client, prompt);
	struct msg_client_reply m = { .number = c->question, .answer = answer };
	struct err e;

	if (interrupted && c->on_signal && c->ready && !c->signalled) {
		c->signalled = true;
		c->on_signal(c);
	} else if (interrupted) {
		client_finish(c, code_specs[CODE_CANCELLED].exit_status);
	} else if (client_send(c, MSG_client_reply, &m, &e) < 0) {
		peer_drop(&c->core, &e);
	}
}

/* One at a time comes. What cannot be shown is not allowed. */
int
client_on_client_question(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_question *m = body;
	struct client *c = container_of(p, struct client, core);
	struct err why;

	if (c->prompt.open)
		return err_set(e, ERR_PROTO, "two questions at once");
	c->question = m->number;
	c->prompt.on_end = on_prompt_end;
	if (prompt_open(&c->prompt, &c->loop, m, &why) < 0) {
		cmd_note(str_of(why.text));
		on_prompt_end(&c->prompt, 0, false);
	}
	return 0;
}

static void
on_closed(struct peer *p, const struct err *why)
{
	struct client *c = container_of(p, struct client, core);
	auto_done(buf) struct buf text = buf_max(KiB(1));

	if (c->finished)
		return;
	buf_addf(&text, "crisol-core, the broker, ended: %s", why->text);
	if (c->trouble) {
		note(c, CODE_ENGINE_UNAVAILABLE, buf_str(&text));
		client_finish(c, 0);
		return;
	}
	client_finish(c, cmd_fail(CODE_INTERNAL, buf_str(&text), (struct str){ NULL, 0 }));
}

static void
on_signals(struct source *s, uint32_t events)
{
	struct client *c = container_of(s, struct client, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH || info.ssi_signo == SIGCONT) {
			prompt_again(&c->prompt);
			continue;
		}
		prompt_close(&c->prompt);
		if (c->signalled || !c->on_signal) {
			client_finish(c, code_specs[CODE_CANCELLED].exit_status);
			return;
		}
		c->signalled = true;
		c->on_signal(c);
	}
}

/* ---- life ---- */

static uint64_t
flags_of(const struct cmd_line *line)
{
	static const struct {
		enum cmd_option option;
		enum gate_flag flag;
	} rows[] = {
		{ CMD_allow_write, GATE_ALLOW_WRITE },
		{ CMD_allow_process, GATE_ALLOW_PROCESS },
		{ CMD_allow_analysis, GATE_ALLOW_ANALYSIS },
		{ CMD_allow_external, GATE_ALLOW_EXTERNAL },
		{ CMD_allow_mcp, GATE_ALLOW_MCP },
		{ CMD_allow_agents, GATE_ALLOW_AGENTS },
	};
	uint64_t flags = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (line->set[rows[i].option])
			flags |= rows[i].flag;
	}
	return flags;
}

/*
 * The workspace is the current folder; the whole machine or the whole home folder only for who says
 * so by --cwd.
 */
static const char *
workspace(const struct cmd_line *line, char path[static PATH_MAX])
{
	char home[PATH_MAX];

	if (!realpath(".", path))
		return "";
	if (line->set[CMD_cwd])
		return path;
	if (strcmp(path, "/") == 0 ||
	    (getenv("HOME") && realpath(getenv("HOME"), home) && strcmp(path, home) == 0))
		return "";
	return path;
}

static int
add_folders(const struct cmd_line *line, struct buf *out, struct err *e)
{
	for (int i = 0; i < line->many_n; i++) {
		char path[PATH_MAX];

		if (line->many[i].option != CMD_add_dir)
			continue;
		if (!realpath(line->many[i].value, path))
			return err_set(e, ERR_INVALID, "--add-dir: '%.200s': %s",
			    line->many[i].value, strerror(errno));
		if (strchr(path, '\n'))
			return err_set(e, ERR_INVALID,
			    "--add-dir: a line feed in a path is not taken");
		buf_addf(out, "%s\n", path);
	}
	return buf_ok(out)
		   ? 0
		   : err_set(e, ERR_INVALID, "--add-dir: the paths are too long together");
}

/* Whole, as the paths in it are relative to where it is. */
static void
config_path(const char *path, struct buf *ret_path)
{
	char cwd[PATH_MAX];

	if (*path && *path != '/' && getcwd(cwd, sizeof(cwd)))
		buf_addf(ret_path, "%s/", strcmp(cwd, "/") == 0 ? "" : cwd);
	buf_add(ret_path, str_of(path));
}

/*
 * The project's own file, read once. One that is a link or is reached by one, or is no plain file, is
 * none of the project's: it is said and left.
 */
static void
read_project(struct str cwd, struct buf *ret_path, struct buf *ret_text)
{
	auto_done(buf) struct buf line = buf_max(KiB(8));
	struct err e;

	if (!cwd.n || project_read(cwd.p, ret_text, &e) < 0) {
		if (cwd.n && e.code != ERR_NOTFOUND) {
			buf_addf(&line, "%.*s/%s is not used: %s", STR_ARG(cwd), PROJECT_FILE,
			    e.text);
			cmd_note(buf_str(&line));
		}
		buf_reset(ret_text);
		return;
	}
	buf_addf(ret_path, "%s/%s", cwd.n > 1 ? cwd.p : "", PROJECT_FILE);
}

/* Who may be asked about what, by the command and its options. */
static void
attend(struct client *c, const struct cmd_line *line, struct msg_client_hello *m)
{
	bool adds = line->command->run == cmd_trust_add;
	bool begins = line->command->run == cmd_js || line->command->run == cmd_call;

	m->attended = !line->set[CMD_no_ask] && !line->set[CMD_json] &&
		      !line->set[CMD_events] && term_attended();
	if (line->set[CMD_trust_project])
		m->trust = TRUST_THIS_RUN;
	else if (adds)
		m->trust = TRUST_AGAIN;
	else if (begins && m->attended)
		m->trust = TRUST_ASK;
	c->ready = m->trust != TRUST_ASK && m->trust != TRUST_AGAIN;
}

/* Others name one without taking part in it. */
static bool
opens_session(const struct cmd_line *line)
{
	return line->set[CMD_session] &&
	       (line->command->run == cmd_js || line->command->run == cmd_call ||
		   line->command->run == cmd_mcp_serve);
}

static int
greet(struct client *c, const struct cmd_line *line, struct err *e)
{
	auto_done(buf) struct buf config = buf_max(CONFIG_MAX), folders = buf_max(FOLDERS_MAX);
	auto_done(buf) struct buf whole = buf_max(NAME_MAX_BYTES);
	auto_done(buf) struct buf project = buf_max(CONFIG_MAX), at = buf_max(NAME_MAX_BYTES);
	char cwd[PATH_MAX];
	const char *path = line->set[CMD_config] ? line->text[CMD_config] : "";
	struct msg_client_hello m = { .version = STR(CRISOL_VERSION) };
	struct err unread;

	if (*path) {
		if (fd_slurp_at(AT_FDCWD, path, &config, &unread) < 0)
			return err_set(e, ERR_INVALID, "--config: %s", unread.text);
		config_path(path, &whole);
		if (!buf_ok(&whole))
			return err_set(e, ERR_INVALID, "the path of --config is too long");
	}
	if (add_folders(line, &folders, e) < 0)
		return -1;
	m.config = buf_str(&config);
	m.config_path = buf_str(&whole);
	m.folders = buf_str(&folders);
	m.cwd = str_of(workspace(line, cwd));
	m.flags = flags_of(line);
	m.session = str_of(opens_session(line) ? line->text[CMD_session] : "");
	if (m.session.n > SESSION_NAME_MAX || !utf8_valid(m.session) ||
	    (opens_session(line) && !m.session.n))
		return err_set(e, ERR_INVALID, "--session takes a name of 1 to %d bytes",
		    SESSION_NAME_MAX);
	m.read_only = line->set[CMD_read_only];
	if (!line->set[CMD_config])
		read_project(m.cwd, &at, &project);
	if (buf_ok(&at)) {
		m.project_path = buf_str(&at);
		m.project = buf_str(&project);
	}
	attend(c, line, &m);
	m.mcp = line->command && line->command->run == cmd_mcp_serve;
	return client_send(c, MSG_client_hello, &m, e);
}

int
client_open(struct client *c, const struct cmd_line *line, const struct peer_fn_table *on,
    void (*on_signal)(struct client *c), struct err *e)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT };
	int channel = -1, signal_fd = -1;
	int r;

	*c = (struct client){
		.on_signal = on_signal,
		.signals.on_ready = on_signals,
		.trouble = c->trouble,
	};
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	r = loop_init(&c->loop, e);
	if (r >= 0)
		r = loop_signals(signals, COUNT(signals), &signal_fd, e);
	if (r >= 0)
		r = loop_add(&c->loop, &c->signals, signal_fd, EPOLLIN, e);
	if (r >= 0)
		r = start_broker(c, &channel, e);
	if (r >= 0)
		r = peer_init(&c->core, &c->loop, channel, ROLE_CLIENT, ROLE_CORE, on,
		    on_closed, e);
	if (r < 0)
		return r;
	c->core.state = ST_READY;
	r = greet(c, line, e);
	/* Until the person has said whether the project's file counts. */
	while (r >= 0 && !c->ready && !c->finished)
		r = loop_turn(&c->loop, UINT64_MAX, e);
	return r == -ERR_CLOSED ? err_set(e, ERR_CLOSED, "crisol-core ended at once") : r;
}

int
client_send(struct client *c, enum msg_type type, const void *body, struct err *e)
{
	return peer_send(&c->core, type, body, e);
}

void
client_finish(struct client *c, int exit_status)
{
	prompt_close(&c->prompt);
	c->finished = true;
	c->exit_status = exit_status;
	loop_stop(&c->loop);
}

int
client_run(struct client *c)
{
	struct err e;

	if (!c->finished && loop_run(&c->loop, &e) < 0)
		c->exit_status =
		    cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	prompt_close(&c->prompt);
	peer_done(&c->core);
	/* It ends by itself when the channel closes; nothing of it must be left behind us. */
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	loop_done(&c->loop);
	return c->exit_status;
}

static enum code
code_of(const struct err *e)
{
	return e->code == ERR_INVALID ? CODE_INVALID_INPUT
	       : e->code == ERR_LIMIT ? CODE_TOO_LARGE
				      : CODE_ENGINE_UNAVAILABLE;
}

int
client_failed(const struct err *e)
{
	enum code code = code_of(e);

	return cmd_fail(code, str_of(e->text), (struct str){ NULL, 0 });
}

/* ---- questions ---- */

struct asker {
	struct client client;
	struct timer timer;
	struct buf *json;
	bool answered;
};

#define STATUS_WAIT_NS (30 * NS_PER_S) /* the engine has 10 s to start */

static int
client_on_answer(struct peer *p, const void *body, struct err *e)
{
	const struct msg_answer *m = body;
	struct asker *a =
	    container_of(container_of(p, struct client, core), struct asker, client);

	(void)e;
	buf_add(a->json, m->json);
	a->answered = true;
	client_finish(&a->client, 0);
	return 0;
}

bool
client_ask(const struct cmd_line *line, enum ask what, const char *name, const char *input,
    struct buf *ret_json, int *ret_exit)
{
	static const struct peer_fn_table on = { {
	    [MSG_answer] = client_on_answer,
	    CLIENT_HEARS,
	} };
	struct asker a = { .json = ret_json };
	struct msg_ask ask = { .what = what, .name = str_of(name), .input = str_of(input) };
	struct err e;
	int r = 0;

	if (ask.name.n > CALL_NAME_MAX)
		r = err_set(&e, ERR_INVALID, "'%.60s...' is too long", name);
	else if (ask.input.n > CALL_INPUT_MAX)
		r = err_set(&e, ERR_LIMIT, "the input is larger than %zu bytes",
		    CALL_INPUT_MAX);
	if (r >= 0)
		r = client_open(&a.client, line, &on, NULL, &e);
	if (r >= 0)
		r = client_send(&a.client, MSG_ask, &ask, &e);
	if (r < 0) {
		*ret_exit = client_failed(&e);
		return false;
	}
	*ret_exit = client_run(&a.client);
	return a.answered;
}

static void
on_no_answer(struct timer *t)
{
	struct asker *a = container_of(t, struct asker, timer);

	note(&a->client, CODE_INTERNAL, STR("crisol-core, the broker, does not answer"));
	client_finish(&a->client, 0);
}

bool
client_ask_status(const struct cmd_line *line, struct buf *ret_json,
    struct client_trouble *ret_trouble)
{
	static const struct peer_fn_table on = { {
	    [MSG_answer] = client_on_answer,
	    [MSG_client_refused] = client_on_client_refused,
	} };
	struct asker a = {
		.client.trouble = ret_trouble,
		.timer.on_due = on_no_answer,
		.json = ret_json,
	};
	struct msg_ask ask = { .what = ASK_STATUS };
	struct err e;
	int r;

	*ret_trouble = (struct client_trouble){ 0 };
	r = client_open(&a.client, line, &on, NULL, &e);
	if (r >= 0)
		r = client_send(&a.client, MSG_ask, &ask, &e);
	if (r < 0) {
		note(&a.client, code_of(&e), str_of(e.text));
		return false;
	}
	loop_timer(&a.client.loop, &a.timer, clock_now() + STATUS_WAIT_NS);
	client_run(&a.client);
	return a.answered;
}

int
client_show(const struct cmd_line *line, enum ask what, const char *name, const char *input,
    client_text_fn *text)
{
	auto_done(buf) struct buf json = buf_max(ANSWER_MAX + 1), out = buf_max(2 * ANSWER_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct err e;
	int status;

	if (!client_ask(line, what, name, input, &json, &status))
		return status;
	if (line->set[CMD_json] || !text)
		buf_addf(&out, "%s\n", buf_text(&json));
	else if (json_parse(buf_str(&json), ANSWER_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	else
		text(json_root(doc), &out);
	return line->set[CMD_json] || !text ? cmd_print_json(buf_str(&out))
					    : cmd_print(buf_str(&out));
}
