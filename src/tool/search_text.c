/* SPDX-License-Identifier: MIT */
/* search_text: ripgrep's own JSON lines, bounded, its failure told apart from "nothing found". */
#include "base/utf8.h"
#include "tool/hidden.h"
#include "tool/rg.h"
#include "tool/roots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_MAX     KiB(160)
#define ERROR_TEXT_MAX KiB(8)
#define NAME_BYTES_MAX KiB(16)
#define AGAINS_MAX     64 /* files that are searched anew */

/*
 * Where it looks: ripgrep starts in the folder, or gets the file as its standard input. So it opens
 * no path that was judged before, which may be another one by then.
 */
struct place {
	int fd;
	bool folder;
	struct str real, shown;
};

static bool
open_place(struct tool_call *c, struct place *p)
{
	struct stat st;

	p->fd = roots_open(c->roots, p->real, O_RDONLY, &c->failed);
	if (p->fd < 0)
		return false;
	p->folder = fstat(p->fd, &st) == 0 && S_ISDIR(st.st_mode);
	return p->folder ? tool_folder(c, p->fd, p->shown) : tool_file(c, p->fd, p->shown);
}

/* ---- what ripgrep said ---- */

/* Without the last line when it was cut in the middle. */
static struct str
whole_lines(const struct program_output *o)
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

static int
digit64(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void
decode64(struct str text, struct buf *out)
{
	unsigned bits = 0, n = 0;

	for (size_t i = 0; i < text.n && digit64(text.p[i]) >= 0; i++) {
		bits = bits << 6 | (unsigned)digit64(text.p[i]);
		n += 6;
		if (n >= 8) {
			n -= 8;
			buf_addc(out, (char)(bits >> n & 0xff));
		}
	}
}

/*
 * One line: `head`, the path's object, `tail`; name as bytes. No name: it is about no file. A match
 * has what was found, and where in the file.
 */
struct line {
	struct str head, tail;
	struct buf name, bytes;
	uint64_t offset;
	bool begins, match;
};

static void
line_done(struct line *l)
{
	buf_done(&l->name);
	buf_done(&l->bytes);
}

/* {"text": string} or, what is no UTF-8, {"bytes": base64}. */
static void
add_bytes(const struct yyjson_val *v, struct buf *out)
{
	if (json_is_string(json_at(v, "text")))
		buf_add(out, json_str(json_at(v, "text")));
	else
		decode64(json_str(json_at(v, "bytes")), out);
}

#define MATCH_AT STR("{\"type\":\"match\"")
#define PATH_AT  STR(",\"data\":{\"path\":")

/* False when it is none of ripgrep's, or was cut. */
static bool
take_apart(struct str text, struct line *ret_line)
{
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *data, *path;
	const char *at = memmem(text.p, text.n, PATH_AT.p, PATH_AT.n), *end;
	struct err e;

	*ret_line =
	    (struct line){ .name = buf_max(NAME_BYTES_MAX), .bytes = buf_max(OUTPUT_MAX) };
	if (json_parse(text, OUTPUT_MAX, &doc, &e) < 0)
		return false;
	data = json_at(json_root(doc), "data");
	path = json_at(data, "path");
	if (!path)
		return true;
	add_bytes(path, &ret_line->name);
	add_bytes(json_at(data, "lines"), &ret_line->bytes);
	ret_line->begins = str_eq(json_str(json_at(json_root(doc), "type")), STR("begin"));
	ret_line->match = str_eq(json_str(json_at(json_root(doc), "type")), STR("match"));
	if (!at || (ret_line->match && !json_u64(json_at(data, "absolute_offset"), INT64_MAX,
					   &ret_line->offset)))
		return false;
	ret_line->head = (struct str){ text.p, (size_t)(at - text.p) + PATH_AT.n };
	end = ret_line->head.p + ret_line->head.n;
	/* {"text":"..."}: the object ends behind the first quote that closes its value. */
	for (int quotes = 0; end < text.p + text.n && quotes < 4; end++) {
		if (*end == '\\')
			end++;
		else if (*end == '"')
			quotes++;
	}
	ret_line->tail = str_from(text, (size_t)(end - text.p) + 1);
	return ret_line->name.n > 0 && buf_ok(&ret_line->name);
}

/* The line with the file's name as it is shown, and read again. */
static void
put_line(const struct place *p, const struct line *l, struct buf *out)
{
	auto_done(buf) struct buf name = buf_max(2 * NAME_BYTES_MAX);
	struct str below = buf_str(&l->name);

	if (str_starts(below, STR("./")))
		below = str_from(below, 2);
	buf_add(&name, p->shown);
	if (p->folder) {
		buf_addc(&name, '/');
		utf8_scrub(below, &name);
	}
	buf_add(out, l->head);
	json_open(out, NULL, '{');
	json_put_str(out, "text", buf_str(&name));
	json_close(out, '}');
	buf_add(out, l->tail);
	buf_addc(out, '\n');
}

/* A file that the call names itself was judged by the gate. */
static bool
is_hidden(const struct tool_call *c, const struct place *p, const struct line *l)
{
	auto_done(buf) struct buf path = buf_max(KiB(24));
	struct str below = buf_str(&l->name);

	if (!p->folder)
		return false;
	if (str_starts(below, STR("./")))
		below = str_from(below, 2);
	buf_addf(&path, "%.*s/%.*s", STR_ARG(p->real), STR_ARG(below));
	return !buf_ok(&path) || hidden_is(c->hidden, c->in->spec->name, buf_str(&path));
}

/* ---- what is shown of it ---- */

/*
 * Ripgrep opens by name what it has met in a folder; a link that stood there for a moment has led it
 * elsewhere. So each file is opened again with no link on the way, and what was found must be in it.
 * If not (it has changed, or ripgrep has turned UTF-16 into UTF-8), it is searched anew, as its input.
 */
struct showing {
	struct tool_call *call;
	const struct place *place;
	const char *const *again; /* arguments for a file that is the input */
	unsigned agains;
	struct buf *out;
	struct buf
	    name; /* of the file that the lines are about; empty: its lines are dropped */
	int fd;
	size_t mark; /* where its lines begin in `out` */
	bool unread, changed;
};

static bool
is_there(int fd, const struct line *l)
{
	auto_free char *piece = xmalloc(l->bytes.n);

	return pread(fd, piece, l->bytes.n, (off_t)l->offset) == (ssize_t)l->bytes.n &&
	       str_eq((struct str){ piece, l->bytes.n }, buf_str(&l->bytes));
}

static void show_lines(struct showing *s, struct str lines);

/* The file once more, by its descriptor. What is shown of it then is in it. */
static void
search_again(struct showing *s)
{
	auto_done(buf) struct buf shown = buf_max(2 * NAME_BYTES_MAX);
	struct program_output o = { .out = buf_max(OUTPUT_MAX),
		.err = buf_max(ERROR_TEXT_MAX) };
	struct rg_globs none = { 0 };
	struct str below = buf_str(&s->name);
	struct stat st;

	s->out->n = s->mark;
	s->changed = true;
	buf_addf(&shown, "%.*s/", STR_ARG(s->place->shown));
	utf8_scrub(str_starts(below, STR("./")) ? str_from(below, 2) : below, &shown);
	struct place place = { .fd = s->fd, .shown = buf_str(&shown) };
	struct showing anew = { .call = s->call, .place = &place, .out = s->out, .fd = -1 };
	if (s->agains++ >= AGAINS_MAX || fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    lseek(s->fd, 0, SEEK_SET) < 0 ||
	    !rg_run(s->call, s->call->roots->list[0].fd, s->fd, &none, s->again, &o))
		s->unread = true;
	else
		show_lines(&anew, whole_lines(&o));
	buf_done(&o.out);
	buf_done(&o.err);
}

/* The first line about a file. */
static void
begin_file(struct showing *s, const struct line *l)
{
	base_close_fd(&s->fd);
	buf_reset(&s->name);
	s->mark = s->out->n;
	s->fd = roots_below(s->place->fd, buf_str(&l->name), O_RDONLY);
	if (s->fd >= 0)
		buf_add(&s->name, buf_str(&l->name));
	else
		s->changed = true;
}

static void
show_line(struct showing *s, const struct line *l)
{
	if (s->place->folder && l->begins)
		begin_file(s, l);
	if (s->place->folder && !str_eq(buf_str(&s->name), buf_str(&l->name)))
		return;
	if (s->place->folder && l->match && !is_there(s->fd, l)) {
		search_again(s);
		buf_reset(&s->name);
		return;
	}
	put_line(s->place, l, s->out);
}

/*
 * The lines that may be shown. A summary counts what was in hidden files too, and so would answer
 * questions about them: where files may be hidden there is none.
 */
static void
show_lines(struct showing *s, struct str lines)
{
	bool rules = hidden_by_rules(s->call->hidden);

	while (lines.n) {
		struct str text = str_split(&lines, '\n');
		struct line l = { 0 };

		if (text.n && take_apart(text, &l)) {
			if (l.name.n && !is_hidden(s->call, s->place, &l)) {
				show_line(s, &l);
			} else if (!l.name.n && !rules && !s->changed && s->place->real.n) {
				buf_add(s->out, text);
				buf_addc(s->out, '\n');
			}
		}
		line_done(&l);
	}
	base_close_fd(&s->fd);
	buf_done(&s->name);
}

/* Nothing in it may depend on what is in files that are hidden. */
static void
write_result(struct tool_call *c, const struct place *p, const struct program_output *o,
    const char *const again[])
{
	auto_done(buf) struct buf shown = buf_max(2 * OUTPUT_MAX);
	struct showing s = { .call = c,
		.place = p,
		.again = again,
		.out = &shown,
		.name = buf_max(NAME_BYTES_MAX),
		.fd = -1 };
	bool match;

	show_lines(&s, whole_lines(o));
	/* Text in a line has no bare quotes, so this is none. */
	match = shown.n && memmem(shown.p, shown.n, MATCH_AT.p, MATCH_AT.n);
	json_open(c->out, NULL, '{');
	put_clean(c->out, "stdout", buf_str(&shown));
	put_clean(c->out, "stderr", buf_str(&o->err));
	json_put_u64(c->out, "exitCode", match || o->cut ? 0 : 1);
	if (hidden_by_rules(c->hidden))
		json_put_bool(c->out, "hidden", true);
	if (o->unread || s.unread)
		json_put_bool(c->out, "unread", true);
	json_put_bool(c->out, "truncated", o->cut || !buf_ok(&shown));
	json_close(c->out, '}');
}

static bool
search(struct tool_call *c, const struct place *p)
{
	auto_done(buf) struct buf pattern = buf_max(KiB(20));
	struct program_output o = { .out = buf_max(OUTPUT_MAX),
		.err = buf_max(ERROR_TEXT_MAX) };
	const char *args[] = { "--json", "--max-count=100", NULL, NULL, "--",
		p->folder ? "./" : "-", NULL };
	struct rg_globs globs = { 0 };
	bool ok;

	/* One argument with its option, so that no pattern is taken for one. */
	buf_add(&pattern, STR("--regexp="));
	buf_add(&pattern, args_text(c->in, "pattern"));
	args[2] = buf_text(&pattern);
	args[3] = args_number(c->in, "literal") ? "--fixed-strings" : "--no-fixed-strings";
	if (memchr(pattern.p, '\0', pattern.n))
		return tool_fail(c, CODE_INVALID_INPUT,
		    "pattern: a NUL cannot be searched for");
	if (p->folder)
		rg_globs(c, p->real, &globs);
	ok = rg_run(c, p->folder ? p->fd : c->roots->list[0].fd, p->folder ? -1 : p->fd, &globs,
	    args, &o);
	rg_globs_done(&globs);
	if (ok && o.exit_status > 1 && !o.cut && !o.unread)
		ok = tool_fail(c, o.err.n ? CODE_INVALID_INPUT : CODE_TOOL_FAILED,
		    "ripgrep failed: %.*s", STR_ARG(program_said(&o, 400)));
	args[5] = "-";
	if (ok)
		write_result(c, p, &o, args);
	buf_done(&o.out);
	buf_done(&o.err);
	return ok;
}

bool
tool_search_text(struct tool_call *c)
{
	auto_done(buf) struct buf path = { 0 }, given = { 0 };
	struct place p = { .fd = -1 };
	bool ok;

	if (!tool_path(c, "path", &path) || !tool_given(c, "path", &given))
		return false;
	p.real = buf_str(&path);
	p.shown = tool_shown(c, buf_str(&given));
	ok = open_place(c, &p) && search(c, &p);
	base_close_fd(&p.fd);
	return ok;
}
