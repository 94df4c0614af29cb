/* SPDX-License-Identifier: MIT */
/* git_status: what git says of a repository, a line a file, names written so that one line is one. */
#include "base/utf8.h"
#include "tool/git.h"

#define OUTPUT_MAX KiB(128)

/* As git quotes it, but what is text stays: "a b", "line\nfeed", "\377". */
static void
put_name(struct str name, struct buf *out)
{
	bool plain = name.n > 0 && utf8_valid(name);

	for (size_t i = 0; i < name.n && plain; i++)
		plain = (unsigned char)name.p[i] > ' ' && name.p[i] != '"' &&
			name.p[i] != '\\' && name.p[i] != 0x7f;
	if (plain) {
		buf_add(out, name);
		return;
	}
	buf_addc(out, '"');
	while (name.n) {
		static const char plain_controls[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
		size_t length = utf8_next(name, NULL);
		unsigned char c = (unsigned char)name.p[0];
		const char *control = c ? strchr(plain_controls, c) : NULL;

		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (control)
			buf_addf(out, "\\%c", letters[control - plain_controls]);
		else if (length == 0 || c < ' ' || c == 0x7f)
			buf_addf(out, "\\%03o", c);
		else
			buf_add(out, (struct str){ name.p, length });
		name = str_from(name, MAX(length, 1));
	}
	buf_addc(out, '"');
}

static void
put_entry(char x, char y, struct str old, struct str name, struct buf *out)
{
	buf_addf(out, "%c%c ", x, y);
	if (old.n) {
		put_name(old, out);
		buf_add(out, STR(" -> "));
	}
	put_name(name, out);
	buf_addc(out, '\n');
}

/* A move of which only one end may be shown is that a file came, or went. */
static void
put_half(const char *code, struct str old, struct str name, bool old_hidden, struct buf *out)
{
	bool staged = code[0] == 'R' || code[0] == 'C';

	if (!old_hidden && (code[0] == 'R' || code[1] == 'R'))
		put_entry(staged ? 'D' : ' ', staged ? ' ' : 'D', (struct str){ 0 }, old, out);
	else if (old_hidden)
		put_entry(staged ? 'A' : code[0], staged ? code[1] : 'A', (struct str){ 0 },
		    name, out);
}

static bool
has_old(const char *code)
{
	return strchr("RC", code[0]) || strchr("RC", code[1]);
}

/* Each entry is "XY NAME", NUL, and where it was moved the old name, NUL. */
static size_t
put_entries(const struct tool_call *c, const struct git_repo *r, struct str rest, bool *ret_cut,
    struct buf *out)
{
	size_t hidden = 0;

	while (rest.n && !*ret_cut) {
		struct str entry = str_split(&rest, '\0'), old = { 0 };
		size_t before = out->n;
		bool new_hidden, old_hidden = false;

		if (str_starts(entry, STR("## "))) {
			buf_add(out, entry);
			buf_addc(out, '\n');
			continue;
		}
		if (entry.n < 4)
			continue;
		if (has_old(entry.p)) {
			old = str_split(&rest, '\0');
			old_hidden = git_hides(c, r, old);
		}
		new_hidden = git_hides(c, r, str_from(entry, 3));
		hidden += new_hidden || old_hidden;
		if (new_hidden != old_hidden && old.n)
			put_half(entry.p, old, str_from(entry, 3), old_hidden, out);
		else if (!new_hidden)
			put_entry(entry.p[0], entry.p[1], old, str_from(entry, 3), out);
		if (!buf_ok(out)) {
			out->n = before;
			*ret_cut = true;
		}
	}
	return hidden;
}

/* What came whole. */
static struct str
whole(const struct program_output *o)
{
	struct str s = buf_str(&o->out);

	while (s.n && s.p[s.n - 1] != '\0')
		s.n--;
	return s;
}

bool
tool_git_status(struct tool_call *c)
{
	/* What is in a submodule is asked there: git would start itself for it. */
	static const char *const args[] = { "--no-pager", "status", "--porcelain=v1", "-z",
		"--branch", "--untracked-files=normal", "--ignore-submodules=dirty",
		"--find-renames", NULL };
	auto_done(buf) struct buf text = buf_max(OUTPUT_MAX);
	struct program_output o = { .out = buf_max(OUTPUT_MAX), .err = buf_max(KiB(8)) };
	struct git_repo repo;
	size_t hidden;
	bool ok;

	if (!git_open(c, &repo))
		return false;
	ok = git_run(c, &repo, args, &repo.below, 1, &o);
	if (ok) {
		bool cut = o.cut;

		o.cut = false;
		hidden = put_entries(c, &repo, whole(&o), &o.cut, &text);
		git_result(c, &repo, buf_str(&text), program_said(&o, KiB(8)), hidden,
		    cut || o.cut);
	}
	program_output_done(&o);
	git_close(&repo);
	return ok;
}
