/* SPDX-License-Identifier: MIT */
/* search_text: ripgrep's own JSON lines, bounded, its failure told apart from "nothing found". */
#include "base/utf8.h"
#include "tool/rg.h"
#include "tool/roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#define OUTPUT_MAX KiB(160)
#define ERROR_TEXT_MAX KiB(8)

/* ripgrep starts in the workspace's folder and is told the place below it. */
static bool
find_start(struct tool_call *c, struct str path, int *ret_dir, struct buf *ret_where)
{
	const struct root *root = roots_find(c->roots, path);
	auto_fd int there = roots_open(c->roots, path, O_PATH, &c->failed);

	if (there < 0)
		return false;
	*ret_dir = root->fd;
	buf_addf(ret_where, "./%.*s", STR_ARG(path_rest(path, str_of(root->path))));
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

bool
tool_search_text(struct tool_call *c)
{
	auto_done(buf) struct buf path = { 0 };
	auto_done(buf) struct buf where = buf_max(KiB(8));
	auto_done(buf) struct buf pattern = buf_max(KiB(20));
	struct rg_output o = { .out = buf_max(OUTPUT_MAX), .err = buf_max(ERROR_TEXT_MAX) };
	const char *args[] = { "--json", "--max-count=100", "--no-messages", NULL, NULL, "--", NULL, NULL };
	int dir;
	bool ok;

	if (!tool_path(c, "path", &path) || !find_start(c, buf_str(&path), &dir, &where))
		return false;
	/* One argument with its option, so that no pattern is taken for one. */
	buf_add(&pattern, STR("--regexp="));
	buf_add(&pattern, args_text(c->in, "pattern"));
	args[3] = buf_text(&pattern);
	args[4] = args_number(c->in, "literal") ? "--fixed-strings" : "--no-fixed-strings";
	args[6] = buf_text(&where);
	if (memchr(pattern.p, '\0', pattern.n))
		return tool_fail(c, CODE_INVALID_INPUT, "pattern: a NUL cannot be searched for");
	ok = rg_run(c, dir, args, &o);
	if (ok && o.exit_status > 1 && !o.cut)
		ok = tool_fail(c, o.err.n ? CODE_INVALID_INPUT : CODE_TOOL_FAILED, "ripgrep failed: %.*s",
		    (int)MIN(o.err.n, 400), buf_text(&o.err));
	if (ok) {
		json_open(c->out, NULL, '{');
		put_clean(c->out, "stdout", whole_lines(&o));
		put_clean(c->out, "stderr", buf_str(&o.err));
		json_put_u64(c->out, "exitCode", o.cut ? 0 : (uint64_t)o.exit_status);
		json_put_bool(c->out, "truncated", o.cut);
		json_close(c->out, '}');
	}
	buf_done(&o.out);
	buf_done(&o.err);
	return ok;
}
