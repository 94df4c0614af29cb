/* SPDX-License-Identifier: MIT */
#include "tool/run.h"

#include "base/path.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

tool_fn *const tool_runs[TOOL_COUNT] = {
#define TOOL(name) [TOOL_##name] = tool_##name,
#include "tool/tools.def"
#undef TOOL
};

bool
tool_fail(struct tool_call *c, enum code code, const char *format, ...)
{
	va_list ap;

	c->failed.code = code;
	va_start(ap, format);
	vsnprintf(c->failed.text, sizeof(c->failed.text), format, ap);
	va_end(ap);
	return false;
}

bool
tool_given(struct tool_call *c, const char *field, struct buf *ret_path)
{
	struct str given = args_text(c->in, field);

	*ret_path = buf_max(PATH_MAX);
	if (path_normal(c->cwd, given, ret_path))
		return true;
	return tool_fail(c, CODE_INVALID_INPUT, "%s: '%.*s' is no path that could be opened",
	    field, (int)MIN(given.n, 200), given.p);
}

bool
tool_path(struct tool_call *c, const char *field, struct buf *ret_path)
{
	if (!c->real.n)
		return tool_given(c, field, ret_path);
	*ret_path = buf_max(PATH_MAX);
	buf_add(ret_path, c->real);
	return true;
}

struct str
tool_shown(const struct tool_call *c, struct str path)
{
	return path_below(path, c->cwd) ? path_rest(path, c->cwd) : path;
}
