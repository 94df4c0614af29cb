/* SPDX-License-Identifier: MIT */
#include "tool/runner.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "sandbox/tmpdir.h"
#include "tool/fence.h"
#include "tool/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FALLBACK_PATH "/usr/local/bin:/usr/bin:/bin"

/* ---- what all commands get ---- */

static struct str
value_of(const struct runner *r, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; r->env[i]; i++)
		if (strncmp(r->env[i], name, n) == 0 && r->env[i][n] == '=')
			return str_of(r->env[i] + n + 1);
	return (struct str){ NULL, 0 };
}

int
runner_init(struct runner *r, struct str environment, struct err *e)
{
	size_t n = 0;

	r->ruleset = -1;
	r->env_text = buf_max(KiB(80));
	buf_add(&r->env_text, environment);
	if (r->tmp)
		buf_addf(&r->env_text, "TMPDIR=%s%c", r->tmp, '\0');
	if (!memmem(r->env_text.p, r->env_text.n, "PATH=", 5))
		buf_addf(&r->env_text, "PATH=" FALLBACK_PATH "%c", '\0');
	if (!buf_ok(&r->env_text))
		return err_set(e, ERR_LIMIT, "the environment of commands is too large");
	for (char *at = r->env_text.p; at < r->env_text.p + r->env_text.n;
	    at += strlen(at) + 1) {
		if (n == RUNNER_ENV_MAX)
			return err_set(e, ERR_LIMIT, "more than %d variables", RUNNER_ENV_MAX);
		r->env[n++] = at;
	}
	r->env[n] = NULL;
	return process_init(e);
}

void
runner_done(struct runner *r)
{
	buf_done(&r->env_text);
	base_close_fd(&r->ruleset);
}

/* What a command leaves in its folder for temporary files is not the next one's. */
static void
clean(struct runner *r)
{
	auto_fd int tmp = -1;

	if (!r->tmp)
		return;
	tmp = open(r->tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tmp >= 0 && fchmod(tmp, 0700) == 0)
		tmpdir_empty(tmp);
}

/* ---- words ---- */

static bool
not_started(struct tool_call *c, const struct process_end *end, const char *program)
{
	const char *meaning = strerrordesc_np(end->sys);

	if (end->step == PROCESS_FENCE)
		return tool_fail(c, CODE_ISOLATION_UNAVAILABLE, "its walls do not stand: %s",
		    end->why);
	if (end->step == PROCESS_FOLDER)
		return tool_fail(c, CODE_NOT_FOUND, "its working folder cannot be entered: %s",
		    meaning);
	if (end->step != PROCESS_EXEC)
		return tool_fail(c, CODE_TOOL_FAILED, "its process could not be prepared: %s",
		    meaning);
	switch (end->sys) {
	case ENOENT:
		return tool_fail(c, CODE_NOT_FOUND,
		    strchr(program, '/')
			? "there is no program %.200s, or not the interpreter "
			  "that its first line names"
			: "no folder of PATH has a program %.200s that can start",
		    program);
	case EACCES:
		return tool_fail(c, CODE_TOOL_FAILED,
		    "%.200s is not executable, or in a place where nothing may be executed",
		    program);
	case ENOEXEC:
		return tool_fail(c, CODE_TOOL_FAILED,
		    "%.200s is no program: a script begins with #! and its interpreter",
		    program);
	case E2BIG:
		return tool_fail(c, CODE_TOO_LARGE,
		    "the arguments are too large for one program: put them into a file");
	default:
		return tool_fail(c, CODE_TOOL_FAILED, "%.200s could not be executed: %s",
		    program, meaning);
	}
}

static void
put_streams(const struct process_end *end, struct buf *out)
{
	uint64_t a = end->out.bytes, b = end->err.bytes;
	size_t for_out = KEPT_HALF, for_err = KEPT_HALF;
	auto_done(buf) struct buf text = buf_max(KEPT_MAX * 3 + KiB(1));

	if (b <= KEPT_HALF)
		for_out = KEPT_MAX - (size_t)b;
	if (a <= KEPT_HALF)
		for_err = KEPT_MAX - (size_t)a;
	kept_write(&end->out, for_out, &text);
	json_put_str(out, "stdout", buf_str(&text));
	buf_reset(&text);
	kept_write(&end->err, for_err, &text);
	json_put_str(out, "stderr", buf_str(&text));
	json_put_bool(out, "truncated", a > for_out || b > for_err);
	json_open(out, "bytes", '{');
	json_put_u64(out, "stdout", a);
	json_put_u64(out, "stderr", b);
	json_close(out, '}');
}

static void
put_exit(const struct process_end *end, struct buf *out)
{
	if (WIFEXITED(end->status)) {
		json_put_u64(out, "exitCode", (uint64_t)WEXITSTATUS(end->status));
		json_put_null(out, "signal");
	} else {
		const char *name = sigabbrev_np(WTERMSIG(end->status));
		auto_done(buf) struct buf text = buf_max(32);

		buf_addf(&text, name ? "SIG%s" : "signal %s", name ? name : "unknown");
		json_put_null(out, "exitCode");
		json_put_str(out, "signal", buf_str(&text));
	}
}

/* Something had to be ended: the command itself, or what it left behind. */
static void
put_ended(const struct process_end *end, struct buf *out)
{
	if (end->how == PROCESS_ENDED && !end->left)
		return;
	json_open(out, "ended", '{');
	json_put_str(out, "why", end->how == PROCESS_TIMEOUT ? STR("timeout") : STR("left"));
	json_put_u64(out, "processes", end->left);
	json_put_str(out, "by", end->killed ? STR("SIGKILL") : STR("SIGTERM"));
	if (end->how == PROCESS_ENDED)
		json_put_str(out, "note",
		    STR("processes it had left in the background were ended with it; bg_run "
			"starts "
			"what is to go on"));
	json_close(out, '}');
}

static void
put_result(struct tool_call *c, const struct process_end *end)
{
	struct buf *out = c->out;

	json_open(out, NULL, '{');
	json_put_str(out, "command", args_text(c->in, "command"));
	if (c->in->spec == &tool_specs[TOOL_run_process]) {
		json_open(out, "args", '[');
		for (size_t i = 0; i < args_list_size(c->in, "args"); i++)
			json_put_str(out, NULL, args_list_text(c->in, "args", i));
		json_close(out, ']');
	}
	put_exit(end, out);
	put_streams(end, out);
	json_put_ms(out, "durationMs", end->took);
	put_ended(end, out);
	fence_write(c->runner, out);
}

/* ---- running ---- */

static struct runner *current; /* the one of this process, for the child */

static int
enter(const struct process_order *order, struct err *e)
{
	(void)order;
	return fence_enter(current, e);
}

/*
 * The folder it may work in is still the one of that name. After another has taken its place, none of
 * the walls fits: the next worker is made for the one that is there.
 */
static bool
is_same(struct tool_call *c, struct str path)
{
	const struct root *root = roots_find(c->roots, path);
	struct stat was, now;

	if (root && fstat(root->fd, &was) == 0 && lstat(root->path, &now) == 0 &&
	    was.st_dev == now.st_dev && was.st_ino == now.st_ino)
		return true;
	c->runner->spoiled = true;
	return tool_fail(c, CODE_NOT_FOUND,
	    "%.*s is not the folder any more that it was: call again, for the one that is "
	    "there now",
	    (int)MIN(path.n, 300), path.p);
}

/* The folder that was judged, opened the way every path is. */
static bool
open_cwd(struct tool_call *c, int *ret_dir, struct buf *ret_path)
{
	if (!tool_path(c, "cwd", ret_path))
		return false;
	*ret_dir = roots_open(c->roots, buf_str(ret_path), O_PATH | O_DIRECTORY, &c->failed);
	return *ret_dir >= 0 && is_same(c, buf_str(ret_path));
}

static bool
finish(struct tool_call *c, const struct process_end *end, const char *program, struct str cwd)
{
	auto_done(buf) struct buf said = buf_max(KEPT_MAX * 3 + KiB(1));

	if (end->how == PROCESS_CANCELLED)
		return tool_fail(c, CODE_CANCELLED,
		    "it was cancelled; the command and all it had started were ended");
	if (end->step != PROCESS_RAN)
		return not_started(c, end, program);
	put_result(c, end);
	kept_write(&end->err, KEPT_MAX, &said);
	if (!WIFEXITED(end->status) || WEXITSTATUS(end->status) != 0)
		fence_explain(c->runner, buf_str(&said), cwd, c->out);
	json_close(c->out, '}');
	return true;
}

bool
runner_run(struct tool_call *c, char *const argv[], uint64_t timeout_ns)
{
	static struct process_end end; /* large, and one command at a time */
	struct runner *r = c->runner;
	auto_done(buf) struct buf path = { 0 };
	auto_fd int dir = -1;
	struct err e;
	bool ok;

	if (!open_cwd(c, &dir, &path))
		return false;
	struct process_order order = {
		.argv = argv,
		.env = r->env,
		.path = value_of(r, "PATH"),
		.dir = dir,
		.cancel = r->channel,
		.timeout = timeout_ns,
		.alone = r->report.held & LAYER_BIT(pidns),
		.fence = enter,
	};
	current = r;
	if (fence_prepare(r, &e) < 0)
		return tool_fail(c, CODE_ISOLATION_UNAVAILABLE, "its walls cannot be made: %s",
		    e.text);
	if (process_run(&order, &end, &e))
		ok = finish(c, &end, argv[0], buf_str(&path));
	else
		ok = tool_fail(c, CODE_TOOL_FAILED, "it could not be started: %s", e.text);
	r->spoiled |= end.stuck;
	clean(r);
	return ok;
}
