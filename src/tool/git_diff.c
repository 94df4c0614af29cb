/* SPDX-License-Identifier: MIT */
/* git_diff: a patch as git writes it, of files that may be shown, between commits that exist. */
#include "tool/git.h"
#include "tool/hidden.h"

#include <stdio.h>

#define OUTPUT_MAX  200000   /* bytes of the patch */
#define NAMES_MAX   KiB(512) /* bytes of names of changed files */
#define OBJECT_SIZE 65       /* the longest name of an object, and a NUL */

/* ---- which commits ---- */

struct range {
	char from[OBJECT_SIZE], to[OBJECT_SIZE]; /* empty: none */
	bool merge_base;                         /* from where both came from */
};

/*
 * Names of commits and steps back from them, nothing that searches, asks a reflog or names a file in
 * a commit: "HEAD~2", "v1^2", "main@" is none.
 */
static bool
is_plain(struct str side)
{
	if (side.n && strchr("-^.", side.p[0]))
		return false;
	for (size_t i = 0; i < side.n; i++) {
		unsigned char c = (unsigned char)side.p[i];
		unsigned char next = i + 1 < side.n ? (unsigned char)side.p[i + 1] : '\0';

		if (c <= ' ' || c == 0x7f || strchr(":?*[\\{}!", c))
			return false;
		if (c == '^' && next && !strchr("^~0123456789", next))
			return false;
	}
	return true;
}

static bool
no_ref(struct tool_call *c, struct str ref)
{
	return tool_fail(c, CODE_INVALID_INPUT,
	    "ref: a commit was expected, as main, v1.2, HEAD~2 or its hash, or two as a..b or "
	    "a...b, "
	    "not '%.*s'",
	    (int)MIN(ref.n, 100), ref.p);
}

/* The hash of the commit that is meant; HEAD for nothing. */
static bool
find_commit(struct tool_call *c, const struct git_repo *r, struct str side,
    char ret_hash[OBJECT_SIZE])
{
	auto_done(buf) struct buf name = buf_max(KiB(2));
	const char *args[] = { "rev-parse", "--verify", "--quiet", "--end-of-options", NULL,
		NULL };
	struct program_output o = { .out = buf_max(KiB(1)), .err = buf_max(KiB(1)) };
	struct str said, hash;
	bool ok;

	buf_addf(&name, "%.*s^{commit}", STR_ARG(side.n ? side : STR("HEAD")));
	args[4] = buf_text(&name);
	ok = git_try(c, r, args, &o);
	said = buf_str(&o.out);
	hash = str_split(&said, '\n');
	if (ok && o.exit_status > 1)
		ok = git_failed(c, r, &o);
	else if (ok && (o.exit_status != 0 || (hash.n != 40 && hash.n != 64)))
		ok = tool_fail(c, CODE_NOT_FOUND, "ref: the repository has no commit '%.*s'",
		    (int)MIN(side.n ? side.n : 4, 100), side.n ? side.p : "HEAD");
	if (ok)
		snprintf(ret_hash, OBJECT_SIZE, "%.*s", STR_ARG(hash));
	program_output_done(&o);
	return ok;
}

static bool
find_range(struct tool_call *c, const struct git_repo *r, struct str ref,
    struct range *ret_range)
{
	const char *dots = ref.n > 1 ? memmem(ref.p, ref.n, "..", 2) : NULL;
	struct str from = ref, to = { 0 };

	*ret_range = (struct range){ 0 };
	if (!ref.n)
		return true;
	if (dots) {
		ret_range->merge_base =
		    str_starts(str_from(ref, (size_t)(dots - ref.p)), STR("..."));
		from = (struct str){ ref.p, (size_t)(dots - ref.p) };
		to = str_from(ref, from.n + 2 + ret_range->merge_base);
	}
	if (!is_plain(from) || !is_plain(to) || (to.n > 1 && memmem(to.p, to.n, "..", 2)) ||
	    (dots && !from.n && !to.n))
		return no_ref(c, ref);
	if (dots && args_number(c->in, "staged"))
		return tool_fail(c, CODE_INVALID_INPUT,
		    "staged: what is staged is compared with one commit, not with two");
	return find_commit(c, r, from, ret_range->from) &&
	       (!dots || find_commit(c, r, to, ret_range->to));
}

/* ---- which files ---- */

struct files {
	struct buf text;   /* what git said */
	struct str *names; /* below its top, that may be shown; points into text */
	size_t n, hidden;
	bool cut;
};

static void
files_done(struct files *f)
{
	buf_done(&f->text);
	free(f->names);
}

static bool
is_below(struct str path, struct str folder)
{
	return path.n > folder.n && path.p[folder.n] == '/' && str_starts(path, folder);
}

/*
 * Takes away what is hidden, and files that have become a folder with something hidden in it: a
 * name stands for all below it.
 */
static void
drop_hidden(const struct tool_call *c, const struct git_repo *r, struct files *f)
{
	auto_free struct str *hidden = xcalloc(f->n + 1, sizeof(*hidden));
	size_t left = 0, hidden_n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (git_hides(c, r, f->names[i]))
			hidden[hidden_n++] = f->names[i];
		else
			f->names[left++] = f->names[i];
	}
	f->n = left;
	f->hidden = hidden_n;
	left = 0;
	for (size_t i = 0; i < f->n; i++) {
		bool holds = false;

		for (size_t k = 0; k < hidden_n && !holds; k++)
			holds = is_below(hidden[k], f->names[i]);
		if (holds)
			f->hidden++;
		else
			f->names[left++] = f->names[i];
	}
	f->n = left;
}

/* "X", NUL, name, NUL; where it was moved both names. */
static void
split_names(struct files *f)
{
	struct str rest = buf_str(&f->text);
	size_t room = 1;

	while (rest.n && rest.p[rest.n - 1] != '\0')
		rest.n--;
	for (size_t i = 0; i < rest.n; i++)
		room += rest.p[i] == '\0';
	f->names = xcalloc(room, sizeof(*f->names));
	while (rest.n) {
		struct str kind = str_split(&rest, '\0');
		int names = kind.n && strchr("RC", kind.p[0]) ? 2 : 1;

		for (int i = 0; i < names && rest.n; i++)
			f->names[f->n++] = str_split(&rest, '\0');
	}
}

/* ---- the patch ---- */

struct order {
	const char *args[24];
	size_t n;
	char context[32], range[2 * OBJECT_SIZE + 8];
};

/* Every setting that would change the form of a patch, or run something, is given. */
static void
build(const struct tool_call *c, const struct range *range, bool names_only,
    struct order *ret_order)
{
	static const char *const always[] = { "--no-pager", "diff", "--no-ext-diff",
		"--no-textconv", "--no-color", "--no-color-moved", "--no-relative",
		"--find-renames", "--submodule=short", "--ignore-submodules=dirty",
		"--diff-algorithm=default", "--src-prefix=a/", "--dst-prefix=b/",
		"-O/dev/null" };
	struct order *o = ret_order;

	*o = (struct order){ 0 };
	for (size_t i = 0; i < COUNT(always); i++)
		o->args[o->n++] = always[i];
	if (names_only) {
		o->args[o->n++] = "--name-status";
		o->args[o->n++] = "-z";
	} else {
		snprintf(o->context, sizeof(o->context), "--unified=%u",
		    (unsigned)args_number(c->in, "context"));
		o->args[o->n++] = "--patch";
		o->args[o->n++] = o->context;
	}
	if (args_number(c->in, "staged"))
		o->args[o->n++] = "--cached";
	if (*range->from) {
		snprintf(o->range, sizeof(o->range), "%s%s%s", range->from,
		    !*range->to         ? ""
		    : range->merge_base ? "..."
					: "..",
		    range->to);
		o->args[o->n++] = o->range;
	}
}

static bool
find_files(struct tool_call *c, const struct git_repo *r, const struct range *range,
    struct files *ret_files)
{
	struct program_output o = { .out = buf_max(NAMES_MAX), .err = buf_max(KiB(4)) };
	struct order order;
	bool ok;

	build(c, range, true, &order);
	ok = git_run(c, r, order.args, &r->below, 1, &o);
	*ret_files = (struct files){ .text = o.out, .cut = o.cut };
	o.out = (struct buf){ 0 };
	if (ok) {
		split_names(ret_files);
		drop_hidden(c, r, ret_files);
	}
	program_output_done(&o);
	return ok;
}

/* Whole lines. */
static struct str
whole(const struct program_output *o)
{
	struct str s = buf_str(&o->out);

	while (o->cut && s.n && s.p[s.n - 1] != '\n')
		s.n--;
	return s;
}

/*
 * Where something may be hidden git is asked first which files differ, and then for the patch of
 * those of them that may be shown.
 */
static bool
diff(struct tool_call *c, const struct git_repo *r, const struct range *range)
{
	struct program_output o = { .out = buf_max(OUTPUT_MAX), .err = buf_max(KiB(8)) };
	struct files f = { 0 };
	struct order order;
	bool some = git_may_hide(c, r), ok = true;

	if (some)
		ok = find_files(c, r, range, &f);
	build(c, range, false, &order);
	/* No names at all would mean every file. */
	if (ok && (!some || f.n))
		ok = git_run(c, r, order.args, some ? f.names : &r->below, some ? f.n : 1, &o);
	if (ok)
		git_result(c, r, whole(&o), program_said(&o, KiB(8)), f.hidden, o.cut || f.cut);
	files_done(&f);
	program_output_done(&o);
	return ok;
}

bool
tool_git_diff(struct tool_call *c)
{
	struct git_repo repo;
	struct range range;
	bool ok;

	if (!git_open(c, &repo))
		return false;
	ok = find_range(c, &repo, args_text(c->in, "ref"), &range) && diff(c, &repo, &range);
	git_close(&repo);
	return ok;
}
