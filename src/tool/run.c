/* SPDX-License-Identifier: MIT */
#include "tool/run.h"

#include "base/path.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

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

/* Files in these are the kernel's answers; some never end, some change things when read. */
static const long made_up[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
	SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC };

static bool
is_made_up(int fd)
{
	struct statfs fs;

	for (size_t i = 0; fstatfs(fd, &fs) == 0 && i < COUNT(made_up); i++) {
		if (fs.f_type == made_up[i])
			return true;
	}
	return false;
}

bool
tool_folder(struct tool_call *c, int fd, struct str shown)
{
	return !is_made_up(fd) ||
	       tool_fail(c, CODE_NOT_TEXT, "%.*s is made up by the kernel and holds no files",
		   STR_ARG(shown));
}

bool
tool_file(struct tool_call *c, int fd, struct str shown)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return tool_fail(c, CODE_TOOL_FAILED, "%.*s cannot be looked at",
		    STR_ARG(shown));
	if (S_ISDIR(st.st_mode))
		return tool_fail(c, CODE_NOT_TEXT,
		    "%.*s is a folder: list_files shows what is in it", STR_ARG(shown));
	if (!S_ISREG(st.st_mode))
		return tool_fail(c, CODE_NOT_TEXT, "%.*s is a %s, no file", STR_ARG(shown),
		    S_ISFIFO(st.st_mode) ? "pipe" : "device");
	return !is_made_up(fd) || tool_fail(c, CODE_NOT_TEXT,
				      "%.*s is made up by the kernel, no file", STR_ARG(shown));
}

struct str
tool_shown(const struct tool_call *c, struct str path)
{
	return path_below(path, c->cwd) ? path_rest(path, c->cwd) : path;
}
