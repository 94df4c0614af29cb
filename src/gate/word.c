/* SPDX-License-Identifier: MIT */
/*
 * Words: quoting, and the expansions, for the commands inside them. Where dash and bash read the
 * same bytes in different ways the reading is given up, so that both are bounded by what was said.
 */
#include "gate/parts.h"

#include <ctype.h>

/* What is asked of an arithmetic expression: its value never, only what else it does. */
#define ARITHMETIC " \t\n0123456789+-*/%<>=!&|^~?:,_"

struct braces {
	bool open, several;
};

void
word_done(struct word *w)
{
	buf_done(&w->text);
}

int
word_peek(struct reader *r)
{
	/* Once lost, positions mean nothing and all loops end. */
	if (r->all->lost)
		return -1;
	while (r->at + 1 < r->n && r->p[r->at] == '\\' && r->p[r->at + 1] == '\n')
		r->at += 2;
	return r->at < r->n ? (unsigned char)r->p[r->at] : -1;
}

static bool
is_name(int c, bool first)
{
	return c > 0 && c < 0x80 && (isalpha(c) || c == '_' || (!first && isdigit(c)));
}

/* Behind a `$(` or `<(`. A here-document begins and ends on the same side of the bracket. */
static void
substitution(struct reader *r)
{
	size_t waiting = r->here_n;

	line_bracket(r);
	if (r->here_n != waiting)
		parts_lose(r->all);
}

/* The text of a backquote without its escapes, read as a line. */
static void
backquote(struct reader *r, bool within)
{
	auto_done(buf) struct buf text = buf_max(GATE_LINE_MAX);

	r->at++;
	while (r->at < r->n && r->p[r->at] != '`') {
		char c = r->p[r->at++];

		if (c == '\\' && r->at < r->n) {
			char next = r->p[r->at];

			if (next == '\n' || (within && next == '"')) {
				parts_lose(r->all);
				return;
			}
			if (strchr("`$\\", next)) {
				c = next;
				r->at++;
			} else {
				buf_addc(&text, c);
				c = next;
				r->at++;
			}
		}
		buf_addc(&text, c);
	}
	if (r->at >= r->n) {
		parts_lose(r->all);
		return;
	}
	r->at++;
	if (parts_enter(r->all))
		line_read(r->all, parts_keep(r->all, buf_str(&text)));
	parts_leave(r->all);
}

static void dollar(struct reader *r, struct word *w, bool within);

/* Behind `$((`. Names may hold expressions that bash expands, so their values are not known. */
static void
arithmetic(struct reader *r, struct word *w)
{
	unsigned open = 0;

	for (int c = word_peek(r); !r->all->lost; c = word_peek(r)) {
		if (c == '$' || c == '`') {
			w->odd = true;
			c == '$' ? dollar(r, w, true) : backquote(r, true);
			continue;
		}
		if (c == ')' && !open)
			break;
		if (c == -1 || !(strchr(ARITHMETIC "()", c) || is_name(c, true))) {
			parts_lose(r->all);
			return;
		}
		/* 16#ff and 0x1f look like names, and may as well be. */
		w->odd = w->odd || is_name(c, true);
		w->sets = w->sets || c == '=';
		open += c == '(';
		open -= c == ')';
		r->at++;
	}
	r->at++;
	if (!r->all->lost && word_peek(r) != ')')
		parts_lose(r->all);
	r->at++;
}

static void
single_quoted(struct reader *r, struct word *w)
{
	const char *end = memchr(r->p + r->at + 1, '\'', r->n - r->at - 1);
	size_t from = r->at + 1;

	if (!end) {
		parts_lose(r->all);
		return;
	}
	buf_add(&w->text, (struct str){ r->p + from, (size_t)(end - r->p) - from });
	r->at = (size_t)(end - r->p) + 1;
	w->quoted = true;
}

/* One byte behind a backslash inside double quotes. */
static void
escaped_within(struct reader *r, struct word *w)
{
	int next = r->n - r->at > 1 ? (unsigned char)r->p[r->at + 1] : -1;

	if (next > 0 && strchr("$`\"\\", next)) {
		buf_addc(&w->text, (char)next);
		r->at += 2;
	} else {
		buf_addc(&w->text, '\\');
		r->at++;
	}
}

static void
double_quoted(struct reader *r, struct word *w)
{
	w->quoted = true;
	r->at++;
	for (int c = word_peek(r); !r->all->lost; c = word_peek(r)) {
		switch (c) {
		case -1:
			parts_lose(r->all);
			return;
		case '"':
			r->at++;
			return;
		case '\\':
			escaped_within(r, w);
			break;
		case '$':
			dollar(r, w, true);
			break;
		case '`':
			w->unknown = true;
			backquote(r, true);
			break;
		default:
			buf_addc(&w->text, (char)c);
			r->at++;
		}
	}
}

static void
escaped(struct reader *r, struct word *w)
{
	w->quoted = true;
	r->at++;
	if (r->at == r->n) {
		parts_lose(r->all);
		return;
	}
	buf_addc(&w->text, r->p[r->at++]);
}

/* ---- ${...} ---- */

static struct str
read_name(struct reader *r)
{
	size_t from;

	word_peek(r);
	from = r->at;
	while (r->at < r->n && is_name((unsigned char)r->p[r->at], r->at == from))
		r->at++;
	return (struct str){ r->p + from, r->at - from };
}

/* What the sign behind the name of a parameter does besides giving a value. */
static void
operator(struct reader *r, struct word *w, struct str name)
{
	int c = word_peek(r);

	/* Subscripts and offsets are arithmetic, transformations may expand a value again. */
	if (c == '[' || c == '@') {
		w->odd = true;
		return;
	}
	if (c == ':') {
		r->at++;
		c = word_peek(r);
		w->odd = w->odd || c == -1 || !strchr("-=?+", c);
	}
	if (c == '=') {
		w->sets = true;
		w->odd = w->odd || wrapper_variable(name);
	}
}

static void
parameter_words(struct reader *r, struct word *w, bool within)
{
	for (int c = word_peek(r); !r->all->lost && c != '}'; c = word_peek(r)) {
		switch (c) {
		case -1:
			parts_lose(r->all);
			break;
		case '\'':
			/* Inside double quotes it stands for itself, or not. */
			within ? parts_lose(r->all) : single_quoted(r, w);
			break;
		case '"':
			/* Inside double quotes it ends them, or not. */
			within ? parts_lose(r->all) : double_quoted(r, w);
			break;
		case '\\':
			r->at += r->n - r->at > 1 ? 2 : 1;
			break;
		case '$':
			dollar(r, w, within);
			break;
		case '`':
			backquote(r, within);
			break;
		case '<':
		case '>':
			r->at++;
			if (word_peek(r) == '(')
				parts_lose(r->all);
			break;
		default:
			r->at++;
		}
	}
}

/* Behind `${`. */
static void
parameter(struct reader *r, struct word *w, bool within)
{
	struct str name;
	int c = word_peek(r);

	if (c == '!') /* indirect */
		w->odd = true;
	if (c == '!' || c == '#')
		r->at++;
	name = read_name(r);
	if (!name.n) {
		c = word_peek(r);
		if (c > 0 && isdigit(c)) {
			while (word_peek(r) > 0 && isdigit(word_peek(r)))
				r->at++;
		} else if (c > 0 && strchr("@*#?$!-", c)) {
			r->at++;
		} else if (c != '}') {
			parts_lose(r->all);
			return;
		}
	}
	operator(r, w, name);
	parameter_words(r, w, within);
	r->at++;
}

/* $'...' is a string with escapes, or, in dash, a sign and an ordinary string. */
static void
dollar_quoted(struct reader *r, struct word *w)
{
	const char *end = memchr(r->p + r->at + 1, '\'', r->n - r->at - 1);

	if (!end || memchr(r->p + r->at, '\\', (size_t)(end - r->p) - r->at))
		w->odd = true;
	if (end && end[-1] == '\\')
		parts_lose(r->all);
	else
		single_quoted(r, w);
}

/* At a `$`. */
static void
dollar(struct reader *r, struct word *w, bool within)
{
	int c;

	r->at++;
	c = word_peek(r);
	if (!parts_enter(r->all)) {
		parts_leave(r->all);
		return;
	}
	if (c == '(') {
		w->unknown = true;
		r->at++;
		if (word_peek(r) == '(') {
			r->at++;
			arithmetic(r, w);
		} else {
			substitution(r);
		}
	} else if (c == '{') {
		w->unknown = true;
		r->at++;
		parameter(r, w, within);
	} else if (c == '[') {
		parts_lose(r->all);
	} else if (is_name(c, true)) {
		w->unknown = true;
		read_name(r);
	} else if (c > 0 && (isdigit(c) || strchr("@*#?$!-", c))) {
		w->unknown = true;
		r->at++;
	} else if (c == '\'' && !within) {
		w->unknown = true;
		dollar_quoted(r, w);
	} else if (c == '"' && !within) {
		w->unknown = true;
	} else {
		buf_addc(&w->text, '$');
	}
	parts_leave(r->all);
}

/* ---- words ---- */

/* Signs without quotes that make other words of a word: patterns, braces, home folders. */
static void
plain_byte(struct word *w, int c, struct braces *braces)
{
	size_t n = w->text.n;
	char before = n ? w->text.p[n - 1] : '\0';

	switch (c) {
	case '*':
	case '?':
		w->unknown = true;
		break;
	case ']':
		w->unknown = w->unknown || (n && memchr(w->text.p, '[', n));
		break;
	case '{':
		braces->open = true;
		break;
	case ',':
	case '.':
		braces->several =
		    braces->several || (braces->open && (c == ',' || before == '.'));
		break;
	case '}':
		w->unknown = w->unknown || braces->several;
		break;
	case '~':
		w->unknown = w->unknown || !n ||
			     ((before == '=' || before == ':') && memchr(w->text.p, '=', n));
		break;
	case '=':
		if (!w->name_n && !w->quoted && !w->unknown && n &&
		    is_name((unsigned char)w->text.p[0], true))
			w->name_n = n;
		break;
	default:
		break;
	}
	buf_addc(&w->text, (char)c);
}

/* Only NAME= and NAME+= set something. */
static void
check_name(struct word *w)
{
	size_t n = w->name_n;

	if (n && w->text.p[n - 1] == '+')
		n--;
	for (size_t i = 0; i < n; i++) {
		if (!is_name((unsigned char)w->text.p[i], i == 0))
			w->name_n = 0;
	}
}

static void
one(struct reader *r, struct word *w, int c, struct braces *braces)
{
	switch (c) {
	case '\'':
		single_quoted(r, w);
		break;
	case '"':
		double_quoted(r, w);
		break;
	case '\\':
		escaped(r, w);
		break;
	case '$':
		dollar(r, w, false);
		break;
	case '`':
		w->unknown = true;
		backquote(r, false);
		break;
	case '<':
	case '>':
		w->unknown = true;
		r->at += 2;
		substitution(r);
		break;
	default:
		/* No shell has a use for them, and some use them inside. */
		if (c < ' ' || c == 0x7f)
			w->odd = true;
		plain_byte(w, c, braces);
		r->at++;
	}
}

static bool
ends_word(const struct reader *r, int c)
{
	if (c == '<' || c == '>')
		return r->n - r->at < 2 || r->p[r->at + 1] != '(';
	return c == -1 || strchr(" \t\n;&|()", c);
}

bool
word_read(struct reader *r, struct word *ret_word)
{
	struct braces braces = { false, false };
	int c = word_peek(r);

	*ret_word = (struct word){ .text = buf_max(GATE_LINE_MAX) };
	if (ends_word(r, c))
		return false;
	for (; !r->all->lost && !ends_word(r, c); c = word_peek(r))
		one(r, ret_word, c, &braces);
	check_name(ret_word);
	return !r->all->lost;
}

void
word_here(struct reader *r)
{
	struct word w = { .text = buf_max(GATE_LINE_MAX) };

	for (int c = word_peek(r); c != -1 && !r->all->lost; c = word_peek(r)) {
		if (c == '\\')
			r->at += r->n - r->at > 1 ? 2 : 1;
		else if (c == '$')
			dollar(r, &w, true);
		else if (c == '`')
			backquote(r, true);
		else
			r->at++;
	}
	if (w.odd || w.sets)
		parts_flag(r->all, COMMAND_UNCLEAR);
	word_done(&w);
}
