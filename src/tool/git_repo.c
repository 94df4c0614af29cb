/* SPDX-License-Identifier: MIT */
/*
 * Which repository a path belongs to. Git is not asked: it would believe core.worktree, and go
 * through folders that are none of its business. Names and kinds of files may be looked at anywhere,
 * so that a repository that begins outside can be named; its files are read only inside.
 */
#include "tool/git.h"
#include "tool/hidden.h"
#include "tool/roots.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX       KiB(64)
#define ALTERNATES_MAX 16

/* ---- names and small files ---- */

/* The real path of a name that may be relative to `folder`. False when nothing is there. */
static bool
real_path(struct str folder, struct str name, struct buf *ret_path)
{
	auto_done(buf) struct buf joined = buf_max(2 * PATH_MAX);
	char real[PATH_MAX];

	if (!name.n || name.p[0] != '/')
		buf_addf(&joined, "%.*s/", STR_ARG(folder));
	buf_add(&joined, name);
	if (!buf_ok(&joined) || !realpath(buf_text(&joined), real))
		return false;
	*ret_path = buf_max(PATH_MAX);
	buf_add(ret_path, str_of(real));
	return true;
}

static bool
is_there(struct str folder, const char *name, mode_t kind)
{
	auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);
	struct stat st;

	buf_addf(&path, "%.*s/%s", STR_ARG(folder), name);
	return buf_ok(&path) && stat(buf_text(&path), &st) == 0 &&
	       (!kind || (st.st_mode & S_IFMT) == kind);
}

/* The start of a file that lies in one of the folders; false when it cannot be read. */
static bool
read_small(const struct tool_call *c, struct str path, struct buf *ret_text)
{
	struct tool_failure unused;
	auto_fd int fd = roots_open(c->roots, path, O_RDONLY, &unused);
	struct stat st;
	ssize_t n;

	*ret_text = buf_max(FILE_MAX);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	n = read(fd, buf_space(ret_text, FILE_MAX - 1), FILE_MAX - 1);
	ret_text->n = n < 0 ? 0 : (size_t)n;
	return n >= 0;
}

/* The same for a name in a folder, through links that lead to where it may be read. */
static bool
read_named(const struct tool_call *c, struct str folder, const char *name, struct buf *ret_text)
{
	auto_done(buf) struct buf path = { 0 };

	return real_path(folder, str_of(name), &path) &&
	       read_small(c, buf_str(&path), ret_text);
}

static struct str
parent_of(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] != '/')
		path.n--;
	return (struct str){ path.p, path.n > 1 ? path.n - 1 : path.n };
}

/* ---- may it be read ---- */

/* A part of the repository: it must lie in the folders, and nothing may hide it. */
static bool
may_use(struct tool_call *c, struct str path, const char *what)
{
	struct str shown = tool_shown(c, path);

	if (!roots_find(c->roots, path))
		return tool_fail(c, CODE_OUTSIDE_ROOTS,
		    "%s is %.*s, outside the folders that may be read: give --add-dir with it",
		    what, (int)MIN(path.n, 300), path.p);
	if (hidden_is(c->hidden, c->in->spec->name, path))
		return tool_fail(c, CODE_DENIED,
		    "%s is %.*s, which a rule or crisol itself keeps from being read", what,
		    (int)MIN(shown.n, 300), shown.p);
	return true;
}

/* Folders of objects that this one borrows from, and those that they borrow from. */
static bool
may_borrow(struct tool_call *c, struct str objects)
{
	struct buf list[ALTERNATES_MAX] = { { 0 } };
	size_t n = 1;
	bool ok = true;

	list[0] = buf_max(PATH_MAX);
	buf_add(&list[0], objects);
	for (size_t i = 0; i < n && ok; i++) {
		auto_done(buf) struct buf text = { 0 };
		struct str rest;

		if (!read_named(c, buf_str(&list[i]), "info/alternates", &text))
			continue;
		rest = buf_str(&text);
		while (rest.n && ok) {
			struct str line = str_split(&rest, '\n');
			struct buf path = { 0 };

			if (!line.n || line.p[0] == '#')
				continue;
			if (line.p[0] == '"' || n == ALTERNATES_MAX)
				ok = tool_fail(c, CODE_TOOL_FAILED,
				    "the repository borrows objects in a way that is not "
				    "followed: more than %d folders, or a name in quotes",
				    ALTERNATES_MAX);
			else if (real_path(buf_str(&list[i]), line, &path)) {
				ok = may_use(c, buf_str(&path),
				    "the folder that the repository borrows objects from");
				list[n++] = path;
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		buf_done(&list[i]);
	return ok;
}

/* ---- finding it ---- */

/* `.git` as a file: "gitdir: FOLDER". */
static bool
follow_file(struct tool_call *c, struct git_repo *r, struct str file)
{
	auto_done(buf) struct buf text = { 0 };
	struct str line, rest;

	if (!may_use(c, file, "what says where the repository is"))
		return false;
	if (!read_small(c, file, &text) || !str_starts(buf_str(&text), STR("gitdir: ")))
		return tool_fail(c, CODE_TOOL_FAILED,
		    "%.*s/.git is a file, and does not say where its repository is",
		    STR_ARG(tool_shown(c, buf_str(&r->top))));
	rest = str_from(buf_str(&text), 8);
	line = str_split(&rest, '\n');
	if (real_path(buf_str(&r->top), line, &r->dir))
		return true;
	return tool_fail(c, CODE_TOOL_FAILED,
	    "%.*s/.git says that its repository is %.*s, and nothing is there",
	    STR_ARG(tool_shown(c, buf_str(&r->top))), (int)MIN(line.n, 300), line.p);
}

/* What several worktrees share lies where the file `commondir` says, if there is one. */
static bool
find_common(struct tool_call *c, struct git_repo *r)
{
	auto_done(buf) struct buf text = { 0 };
	struct str rest, line;

	if (!read_named(c, buf_str(&r->dir), "commondir", &text))
		return real_path(buf_str(&r->dir), STR("."), &r->common);
	rest = buf_str(&text);
	line = str_split(&rest, '\n');
	if (real_path(buf_str(&r->dir), line, &r->common))
		return true;
	return tool_fail(c, CODE_TOOL_FAILED,
	    "the repository says that it shares %.*s, and nothing is there",
	    (int)MIN(line.n, 300), line.p);
}

static bool
check_parts(struct tool_call *c, struct git_repo *r)
{
	static const char *const parts[] = { "objects", "objects/pack", "refs" };
	auto_done(buf) struct buf objects = { 0 };

	if (!may_use(c, buf_str(&r->dir), "the repository") || !find_common(c, r) ||
	    !may_use(c, buf_str(&r->common), "what the repository's worktrees share"))
		return false;
	for (size_t i = 0; i < COUNT(parts); i++) {
		auto_done(buf) struct buf path = { 0 };

		if (real_path(buf_str(&r->common), str_of(parts[i]), &path) &&
		    !may_use(c, buf_str(&path), "a part of the repository"))
			return false;
	}
	if (!real_path(buf_str(&r->common), STR("objects"), &objects))
		return tool_fail(c, CODE_TOOL_FAILED,
		    "%.*s is no repository: it has no objects",
		    STR_ARG(tool_shown(c, buf_str(&r->dir))));
	return may_borrow(c, buf_str(&objects));
}

/* As git sees it: a folder `.git` that is none is gone past, a file is one in any case. */
static bool
is_top(struct str folder)
{
	return is_there(folder, ".git", S_IFREG) ||
	       (is_there(folder, ".git/HEAD", 0) &&
		   is_there(folder, ".git/objects", S_IFDIR)) ||
	       is_there(folder, ".git/commondir", 0);
}

static bool
is_bare(struct str folder)
{
	return is_there(folder, "HEAD", 0) && is_there(folder, "objects", S_IFDIR) &&
	       is_there(folder, "refs", S_IFDIR);
}

/* The nearest folder at or above the path that has a `.git`. */
static bool
find_top(struct tool_call *c, struct git_repo *r)
{
	struct str at = buf_str(&r->path);
	bool bare = false;

	for (;;) {
		if (is_top(at))
			break;
		bare |= is_bare(at);
		if (at.n <= 1)
			return bare ? tool_fail(c, CODE_INVALID_INPUT,
					  "path: this is a bare repository, which has no files "
					  "beside it; git worktree add makes a folder that has")
				    : tool_fail(c, CODE_NOT_FOUND,
					  "path: no folder from %.*s upwards is a git "
					  "repository",
					  STR_ARG(tool_shown(c, buf_str(&r->path))));
		at = parent_of(at);
	}
	if (!roots_find(c->roots, at))
		return tool_fail(c, CODE_OUTSIDE_ROOTS,
		    "the repository begins at %.*s, outside the folders that may be read: "
		    "start "
		    "crisol there, or give --add-dir with it",
		    (int)MIN(at.n, 300), at.p);
	r->top = buf_max(PATH_MAX);
	buf_add(&r->top, at);
	return true;
}

bool
git_open(struct tool_call *c, struct git_repo *ret_repo)
{
	struct git_repo *r = ret_repo;
	auto_done(buf) struct buf git = { 0 };
	struct stat st;
	bool ok;

	*r = (struct git_repo){ .fd = -1 };
	ok = tool_path(c, "path", &r->path) && find_top(c, r);
	if (ok)
		r->fd =
		    roots_open(c->roots, buf_str(&r->top), O_RDONLY | O_DIRECTORY, &c->failed);
	ok = ok && r->fd >= 0 && tool_folder(c, r->fd, tool_shown(c, buf_str(&r->top)));
	if (ok && !real_path(buf_str(&r->top), STR(".git"), &git))
		ok = tool_fail(c, CODE_NOT_FOUND, "path: the repository has just gone");
	if (ok && stat(buf_text(&git), &st) == 0 && S_ISREG(st.st_mode)) {
		ok = follow_file(c, r, buf_str(&git));
	} else if (ok) {
		r->dir = git;
		git = (struct buf){ 0 };
	}
	ok = ok && check_parts(c, r);
	if (ok)
		r->below = path_rest(buf_str(&r->path), buf_str(&r->top));
	else
		git_close(r);
	return ok;
}

void
git_close(struct git_repo *r)
{
	base_close_fd(&r->fd);
	buf_done(&r->top);
	buf_done(&r->dir);
	buf_done(&r->common);
	buf_done(&r->path);
}
