/* SPDX-License-Identifier: MIT */
#include "cmd/client.h"

#include "base/fd.h"
#include "base/utf8.h"
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
	"XDG_RUNTIME_DIR", "CRISOL_CONFIG_HOME", "CRISOL_STATE_HOME", "CRISOL_TMPDIR",
	"TMPDIR" };

static int
start_broker(struct client *c, int *ret_channel, struct err *e)
{
	char *env[COUNT(passed) + 1];
	size_t n = 0;
	int r;

	for (size_t i = 0; i < COUNT(passed); i++) {
		auto_done(buf) struct buf line = buf_max(KiB(64));
		const char *value = getenv(passed[i]);

		if (!value)
			continue;
		buf_addf(&line, "%s=%s", passed[i], value);
		if (buf_ok(&line))
			env[n++] = xstrdup(buf_text(&line));
	}
	env[n] = NULL;
	r = child_start("crisol-core", env, ret_channel, &c->pid, e);
	while (n)
		free(env[--n]);
	return r;
}

/* ---- what arrives ---- */

int
client_on_client_refused(struct peer *p, const void *body, struct err *e)
{
	const struct msg_client_refused *m = body;
	struct client *c = container_of(p, struct client, core);
	enum code code = code_named(m->code);

	(void)e;
	client_finish(c, cmd_fail(code ? code : CODE_INTERNAL, m->message, m->hint));
	return 0;
}

static void
on_closed(struct peer *p, const struct err *why)
{
	struct client *c = container_of(p, struct client, core);
	auto_done(buf) struct buf text = buf_max(KiB(1));

	if (c->finished)
		return;
	buf_addf(&text, "the broker ended: %s", why->text);
	client_finish(c, cmd_fail(CODE_INTERNAL, buf_str(&text), (struct str){ NULL, 0 }));
}

static void
on_signals(struct source *s, uint32_t events)
{
	struct client *c = container_of(s, struct client, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
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

static int
greet(struct client *c, const struct cmd_line *line, struct err *e)
{
	auto_done(buf) struct buf config = buf_max(CONFIG_MAX), folders = buf_max(FOLDERS_MAX);
	auto_done(buf) struct buf whole = buf_max(NAME_MAX_BYTES);
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
	m.session = str_of(line->set[CMD_session] ? line->text[CMD_session] : "");
	if (m.session.n > SESSION_NAME_MAX || !utf8_valid(m.session) ||
	    (line->set[CMD_session] && !m.session.n))
		return err_set(e, ERR_INVALID, "--session takes a name of 1 to %d bytes",
		    SESSION_NAME_MAX);
	m.read_only = line->set[CMD_read_only];
	m.mcp = line->command && line->command->run == cmd_mcp_serve;
	return client_send(c, MSG_client_hello, &m, e);
}

int
client_open(struct client *c, const struct cmd_line *line, const struct peer_fn_table *on,
    void (*on_signal)(struct client *c), struct err *e)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	int channel = -1, signal_fd = -1;
	int r;

	*c = (struct client){ .on_signal = on_signal, .signals.on_ready = on_signals };
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
	return greet(c, line, e);
}

int
client_send(struct client *c, enum msg_type type, const void *body, struct err *e)
{
	return peer_send(&c->core, type, body, e);
}

void
client_finish(struct client *c, int exit_status)
{
	c->finished = true;
	c->exit_status = exit_status;
	loop_stop(&c->loop);
}

int
client_run(struct client *c)
{
	struct err e;

	if (loop_run(&c->loop, &e) < 0)
		c->exit_status =
		    cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	peer_done(&c->core);
	/* It ends by itself when the channel closes; nothing of it must be left behind us. */
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	loop_done(&c->loop);
	return c->exit_status;
}

int
client_failed(const struct err *e)
{
	enum code code = e->code == ERR_INVALID ? CODE_INVALID_INPUT
			 : e->code == ERR_LIMIT ? CODE_TOO_LARGE
						: CODE_ENGINE_UNAVAILABLE;

	return cmd_fail(code, str_of(e->text), (struct str){ NULL, 0 });
}

/* ---- questions ---- */

struct asker {
	struct client client;
	struct buf *json;
	bool answered;
};

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
	    [MSG_client_refused] = client_on_client_refused,
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
