/* SPDX-License-Identifier: MIT */
/* list_files: the files below a folder as ripgrep sees them, sorted, a page at a time. */
#include "base/utf8.h"
#include "tool/hidden.h"
#include "tool/rg.h"
#include "tool/roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#define OUTPUT_MAX 200000 /* bytes of names looked at */

static int
by_name(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int r = memcmp(x->p, y->p, MIN(x->n, y->n));

	return r ? r : (x->n > y->n) - (x->n < y->n);
}

/* Whole names, without the "./" in front; the last is dropped when it was cut. */
static size_t
split_names(const struct program_output *o, struct str **ret_names)
{
	struct str rest = buf_str(&o->out);
	size_t n = 0, room = 0;

	for (size_t i = 0; i < rest.n; i++)
		room += rest.p[i] == '\0';
	*ret_names = xcalloc(room, sizeof(**ret_names));
	while (n < room) {
		struct str name = str_split(&rest, '\0');

		(*ret_names)[n++] = str_starts(name, STR("./")) ? str_from(name, 2) : name;
	}
	qsort(*ret_names, n, sizeof(**ret_names), by_name);
	return n;
}

/* Takes away what must not be shown; how many are left. */
static size_t
drop_hidden(const struct tool_call *c, struct str folder, struct str *names, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		auto_done(buf) struct buf path = buf_max(KiB(16));

		buf_addf(&path, "%.*s/%.*s", STR_ARG(folder), STR_ARG(names[i]));
		if (buf_ok(&path) && !hidden_is(c->hidden, c->in->spec->name, buf_str(&path)))
			names[left++] = names[i];
	}
	return left;
}

/* Takes away what ripgrep met behind a link that stood in a folder's place for a moment. */
static size_t
drop_strays(int dir, struct str *names, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		auto_fd int there = roots_below(dir, names[i], O_PATH);

		if (there >= 0)
			names[left++] = names[i];
	}
	return left;
}

static void
write_page(struct tool_call *c, struct str folder, const struct str *names, size_t n,
    size_t hidden, const struct program_output *o)
{
	uint64_t offset = args_number(c->in, "offset"), limit = args_number(c->in, "limit");
	uint64_t end = MIN(offset + limit, (uint64_t)n);
	bool below = !str_eq(folder, STR("."));

	json_open(c->out, NULL, '{');
	json_open(c->out, "files", '[');
	for (uint64_t i = offset; i < end; i++) {
		auto_done(buf) struct buf name = buf_max(KiB(16));

		if (below) {
			buf_add(&name, folder);
			buf_addc(&name, '/');
		}
		utf8_scrub(names[i], &name);
		json_put_str(c->out, NULL, buf_str(&name));
	}
	json_close(c->out, ']');
	if (end < n)
		json_put_u64(c->out, "nextOffset", end);
	else
		json_put_null(c->out, "nextOffset");
	if (hidden)
		json_put_u64(c->out, "hidden", hidden);
	if (o->unread)
		json_put_bool(c->out, "unread", true);
	json_put_bool(c->out, "truncated", o->cut);
	json_close(c->out, '}');
}

/* A file is there, so "not found" would mislead. */
static void
say_no_folder(struct tool_call *c, struct str path, struct str shown)
{
	struct tool_failure unused;
	auto_fd int there = roots_open(c->roots, path, O_PATH, &unused);

	if (there >= 0 && c->failed.code == CODE_NOT_FOUND)
		tool_fail(c, CODE_INVALID_INPUT,
		    "path: %.*s is a file, and a folder was expected", STR_ARG(shown));
}

bool
tool_list_files(struct tool_call *c)
{
	/* Sorted by ripgrep too: what is left of a listing that is cut is the same every time. */
	static const char *const args[] = { "--files", "--null", "--sort=path",
		"--glob=!node_modules", "--", "./", NULL };
	auto_done(buf) struct buf path = { 0 }, given = { 0 };
	auto_free struct str *names = NULL;
	auto_fd int dir = -1;
	struct program_output o = { .out = buf_max(OUTPUT_MAX), .err = buf_max(KiB(4)) };
	struct rg_globs globs;
	size_t n, shown_n;
	struct str shown;
	bool ok;

	if (!tool_path(c, "path", &path) || !tool_given(c, "path", &given))
		return false;
	shown = tool_shown(c, buf_str(&given));
	dir = roots_open(c->roots, buf_str(&path), O_RDONLY | O_DIRECTORY, &c->failed);
	if (dir < 0) {
		say_no_folder(c, buf_str(&path), shown);
		return false;
	}
	if (!tool_folder(c, dir, shown))
		return false;
	rg_globs(c, buf_str(&path), &globs);
	ok = rg_run(c, dir, -1, &globs, args, &o);
	rg_globs_done(&globs);
	if (ok && o.exit_status > 1 && !o.cut && !o.unread)
		ok = tool_fail(c, CODE_TOOL_FAILED, "ripgrep failed: %.*s",
		    STR_ARG(program_said(&o, 300)));
	if (ok) {
		n = drop_strays(dir, names, split_names(&o, &names));
		shown_n = drop_hidden(c, buf_str(&path), names, n);
		write_page(c, shown, names, shown_n, n - shown_n, &o);
	}
	buf_done(&o.out);
	buf_done(&o.err);
	return ok;
}
