/* SPDX-License-Identifier: MIT */
/* search_text: ripgrep's own JSON lines, bounded, its failure told apart from "nothing found". */
#include "base/utf8.h"
#include "tool/hidden.h"
#include "tool/rg.h"
#include "tool/roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#define OUTPUT_MAX KiB(160)
#define ERROR_TEXT_MAX KiB(8)

/* ripgrep starts in the workspace's folder and is told the place below it. */
static bool
find_start(struct tool_call *c, struct str path, const struct root **ret_root, struct buf *ret_where)
{
	const struct root *root = roots_find(c->roots, path);
	struct str rest;
	auto_fd int there = roots_open(c->roots, path, O_PATH, &c->failed);

	if (there < 0)
		return false;
	*ret_root = root;
	rest = path_rest(path, str_of(root->path));
	buf_addf(ret_where, "./%.*s", (int)rest.n, str_eq(rest, STR(".")) ? "" : rest.p);
	return true;
}

/* Without the last line when it was cut in the middle. */
static struct str
whole_lines(const struct rg_output *o)
{
	struct str s = buf_str(&o->out);

	while (o->cut && s.n && s.p[s.n - 1] != '\n')
		s.n--;
	return s;
}

static void
put_clean(struct buf *out, const char *name, struct str text)
{
	auto_done(buf) struct buf clean = buf_max(text.n * 3 + 1);

	utf8_scrub(text, &clean);
	json_put_str(out, name, buf_str(&clean));
}

enum line { LINE_SHOWN, LINE_HIDDEN, LINE_DROPPED };

/*
 * Whether a line may be shown where there are rules about paths. A summary counts what was in hidden
 * files, too, and so would answer questions about them: it is dropped.
 */
static enum line
judge(const struct tool_call *c, const struct root *root, struct str line)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf path = buf_max(KiB(16));
	const struct yyjson_val *where;
	struct str name;
	struct err e;

	if (json_parse(line, OUTPUT_MAX, &doc, &e) < 0)
		return LINE_DROPPED;
	where = json_at(json_at(json_root(doc), "data"), "path");
	name = json_str(json_at(where, "text"));
	/* A name that is no text stands there in another form; no rule can be about it. */
	if (!where || (!name.n && !json_is_string(json_at(where, "bytes"))))
		return LINE_DROPPED;
	if (str_starts(name, STR("./")))
		name = str_from(name, 2);
	buf_addf(&path, "%s/%.*s", root->path, STR_ARG(name));
	return name.n && hidden_is(c->hidden, c->in->spec->name, buf_str(&path)) ? LINE_HIDDEN : LINE_SHOWN;
}

/* The lines that may be shown; returns whether some were not. */
static bool
show_lines(const struct tool_call *c, const struct root *root, struct str lines, struct buf *ret_shown)
{
	bool rules = hidden_by_rules(c->hidden);
	bool hidden = false;

	while (lines.n) {
		struct str line = str_split(&lines, '\n');
		enum line shown = rules ? judge(c, root, line) : LINE_SHOWN;

		hidden = hidden || shown == LINE_HIDDEN;
		if (shown != LINE_SHOWN || !line.n)
			continue;
		buf_add(ret_shown, line);
		buf_addc(ret_shown, '\n');
	}
	return hidden;
}

static void
write_result(struct tool_call *c, const struct root *root, const struct rg_output *o)
{
	auto_done(buf) struct buf shown = buf_max(OUTPUT_MAX + 1);
	bool hidden = show_lines(c, root, whole_lines(o), &shown);

	json_open(c->out, NULL, '{');
	put_clean(c->out, "stdout", buf_str(&shown));
	put_clean(c->out, "stderr", buf_str(&o->err));
	json_put_u64(c->out, "exitCode", o->cut ? 0 : (uint64_t)o->exit_status);
	if (hidden)
		json_put_bool(c->out, "hidden", true);
	json_put_bool(c->out, "truncated", o->cut);
	json_close(c->out, '}');
}

bool
tool_search_text(struct tool_call *c)
{
	auto_done(buf) struct buf path = { 0 };
	auto_done(buf) struct buf where = buf_max(KiB(8));
	auto_done(buf) struct buf pattern = buf_max(KiB(20));
	struct rg_output o = { .out = buf_max(OUTPUT_MAX), .err = buf_max(ERROR_TEXT_MAX) };
	const char *args[] = { "--json", "--max-count=100", "--no-messages", NULL, NULL, "--", NULL, NULL };
	const struct root *root;
	struct rg_globs globs;
	bool ok;

	if (!tool_path(c, "path", &path) || !find_start(c, buf_str(&path), &root, &where))
		return false;
	/* One argument with its option, so that no pattern is taken for one. */
	buf_add(&pattern, STR("--regexp="));
	buf_add(&pattern, args_text(c->in, "pattern"));
	args[3] = buf_text(&pattern);
	args[4] = args_number(c->in, "literal") ? "--fixed-strings" : "--no-fixed-strings";
	args[6] = buf_text(&where);
	if (memchr(pattern.p, '\0', pattern.n))
		return tool_fail(c, CODE_INVALID_INPUT, "pattern: a NUL cannot be searched for");
	rg_globs(c, str_of(root->path), &globs);
	ok = rg_run(c, root->fd, &globs, args, &o);
	rg_globs_done(&globs);
	if (ok && o.exit_status > 1 && !o.cut)
		ok = tool_fail(c, o.err.n ? CODE_INVALID_INPUT : CODE_TOOL_FAILED, "ripgrep failed: %.*s",
		    (int)MIN(o.err.n, 400), buf_text(&o.err));
	if (ok)
		write_result(c, root, &o);
	buf_done(&o.out);
	buf_done(&o.err);
	return ok;
}
