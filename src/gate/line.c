/* SPDX-License-Identifier: MIT */
/*
 * Lines: lists, compound commands, redirections. Read for what would run, so it takes some lines
 * that a shell refuses whole, and never the other way round.
 */
#include "gate/parts.h"

#include "base/utf8.h"

/* Reserved words that end a list of commands. */
static const struct str stops[] = { STR("then"), STR("elif"), STR("else"), STR("fi"), STR("do"),
	STR("done"), STR("esac"), STR("}") };

static void command(struct reader *r);
static struct str list(struct reader *r);

static struct str
text_of(const struct word *w)
{
	return w->text.n ? buf_str(&w->text) : STR("");
}

static bool
reserved(const struct word *w, struct str name)
{
	return !w->quoted && !w->unknown && str_eq(text_of(w), name);
}

/* ---- blanks, here-documents ---- */

static void
skip_blanks(struct reader *r)
{
	for (int c = word_peek(r); c == ' ' || c == '\t'; c = word_peek(r))
		r->at++;
	if (word_peek(r) == '#') {
		while (r->at < r->n && r->p[r->at] != '\n')
			r->at++;
	}
}

static struct str
next_line(struct reader *r)
{
	const char *from = r->p + r->at, *end = memchr(from, '\n', r->n - r->at);
	size_t n = end ? (size_t)(end - from) : r->n - r->at;

	r->at += n + (end != NULL);
	return (struct str){ from, n };
}

/* The body of one, in front of the line that ends it. */
static void
here_body(struct reader *r, const struct here *h)
{
	struct reader body = { .all = r->all, .p = r->p + r->at };
	size_t end = r->at;
	bool joined = false;

	while (r->at < r->n) {
		struct str line = next_line(r);

		while (h->strip && line.n && line.p[0] == '\t')
			line = (struct str){ line.p + 1, line.n - 1 };
		if (str_eq(line, h->end)) {
			/* Whether a line that goes on can be the end is not agreed on. */
			if (joined && !h->plain)
				parts_lose(r->all);
			break;
		}
		joined = line.n && line.p[line.n - 1] == '\\';
		end = r->at;
	}
	body.n = (size_t)(r->p + end - body.p);
	if (!h->plain)
		word_here(&body);
}

static void
newline(struct reader *r)
{
	r->at++;
	for (size_t i = 0; i < r->here_n && !r->all->lost; i++)
		here_body(r, &r->here[i]);
	r->here_n = 0;
}

static void
skip_lines(struct reader *r)
{
	skip_blanks(r);
	while (word_peek(r) == '\n' && !r->all->lost) {
		newline(r);
		skip_blanks(r);
	}
}

/* ---- redirections ---- */

enum redirect {
	TO_READ,
	TO_WRITE,
	TO_DESCRIPTOR,
	TO_BOTH,
	TO_HERE,
	TO_HERE_STRIPPED,
	TO_STRING
};

static const struct {
	struct str sign;
	enum redirect kind;
} signs[] = {
	{ STR("<<<"), TO_STRING },
	{ STR("<<-"), TO_HERE_STRIPPED },
	{ STR("<<"), TO_HERE },
	{ STR("<&"), TO_DESCRIPTOR },
	{ STR("<>"), TO_WRITE },
	{ STR("<"), TO_READ },
	{ STR(">>"), TO_WRITE },
	{ STR(">&"), TO_DESCRIPTOR },
	{ STR(">|"), TO_WRITE },
	{ STR(">"), TO_WRITE },
	{ STR("&>>"), TO_BOTH },
	{ STR("&>"), TO_BOTH },
};

static bool
sign_here(struct reader *r, struct str sign)
{
	size_t at;
	bool here = true;

	word_peek(r);
	at = r->at;
	for (size_t i = 0; i < sign.n && here; i++) {
		here = word_peek(r) == (unsigned char)sign.p[i];
		r->at++;
	}
	if (!here)
		r->at = at;
	return here;
}

static bool
touches_nothing(struct str target)
{
	static const struct str names[] = { STR("/dev/null"), STR("/dev/stdin"),
		STR("/dev/stdout"), STR("/dev/stderr") };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (str_eq(target, names[i]))
			return true;
	}
	return false;
}

static bool
is_descriptor(struct str s)
{
	if (s.n && s.p[s.n - 1] == '-')
		s.n--;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return true;
}

static void
add_here(struct reader *r, const struct word *w, bool strip)
{
	if (r->here_n == READER_HERE || w->unknown) {
		parts_lose(r->all);
		return;
	}
	r->here[r->here_n++] =
	    (struct here){ parts_keep(r->all, text_of(w)), strip, w->quoted };
}

static void
add_target(struct reader *r, struct draft *d, const struct word *w, enum redirect kind)
{
	struct str target = w->unknown ? (struct str){ NULL, 0 } : text_of(w);

	if (target.p &&
	    (touches_nothing(target) || (kind == TO_DESCRIPTOR && is_descriptor(target))))
		return;
	if (!target.p)
		d->flags |= COMMAND_REDIRECTION;
	if (target.p)
		target = parts_keep(r->all, target);
	draft_redirect(d, target, kind != TO_READ);
}

static bool
at_redirect(struct reader *r)
{
	int c = word_peek(r);

	return c == '<' || c == '>';
}

static bool
at_any_redirect(struct reader *r)
{
	return at_redirect(r) ||
	       (word_peek(r) == '&' && r->n - r->at > 1 && r->p[r->at + 1] == '>');
}

/* Takes a redirection, if there is one; the number in front of it was a word. */
static bool
redirection(struct reader *r, struct draft *d)
{
	struct word w;
	size_t i = 0;

	if (at_redirect(r) && r->n - r->at > 1 && r->p[r->at + 1] == '(')
		return false; /* a substitution */
	while (i < COUNT(signs) && !sign_here(r, signs[i].sign))
		i++;
	if (i == COUNT(signs))
		return false;
	skip_blanks(r);
	if (!word_read(r, &w)) {
		parts_lose(r->all);
	} else {
		if (w.odd)
			d->flags |= COMMAND_UNCLEAR;
		if (w.sets)
			d->flags |= COMMAND_ASSIGNMENT;
		if (signs[i].kind == TO_HERE || signs[i].kind == TO_HERE_STRIPPED)
			add_here(r, &w, signs[i].kind == TO_HERE_STRIPPED);
		else if (signs[i].kind != TO_STRING)
			add_target(r, d, &w, signs[i].kind);
		/* To one shell it is a command behind `&`. */
		if (signs[i].kind == TO_BOTH) {
			skip_blanks(r);
			if (word_peek(r) != -1 && !strchr("\n;&|)", word_peek(r)))
				d->flags |= COMMAND_UNCLEAR;
		}
	}
	word_done(&w);
	return true;
}

/* ---- simple commands ---- */

static bool
is_number(const struct word *w)
{
	struct str s = text_of(w);

	if (!s.n || w->quoted || w->unknown)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return true;
}

static void
assign(struct reader *r, struct draft *d, const struct word *w)
{
	struct str name = { w->text.p, w->name_n };

	if (name.p[name.n - 1] == '+')
		name.n--;
	d->flags |= COMMAND_ASSIGNMENT;
	if (wrapper_variable(name))
		d->flags |= COMMAND_UNCLEAR;
	/* A list of values, in bash alone. */
	if (w->text.n == w->name_n + 1 && word_peek(r) == '(')
		parts_lose(r->all);
}

static void
add_word(struct reader *r, struct draft *d, const struct word *w)
{
	if (w->odd)
		d->flags |= COMMAND_UNCLEAR;
	if (w->sets)
		d->flags |= COMMAND_ASSIGNMENT;
	if (is_number(w) && at_redirect(r))
		return;
	/* {name}>file gives a variable the number, in bash alone. */
	if (at_redirect(r) && w->text.n && w->text.p[0] == '{' &&
	    w->text.p[w->text.n - 1] == '}')
		d->flags |= COMMAND_UNCLEAR;
	if (!d->argv_n && w->name_n) {
		assign(r, d, w);
		return;
	}
	if (w->unknown) {
		d->flags |= COMMAND_SUBSTITUTION;
		draft_word(d, (struct str){ NULL, 0 });
	} else {
		if (!utf8_valid(text_of(w)))
			d->flags |= COMMAND_UNCLEAR;
		draft_word(d, parts_keep(r->all, text_of(w)));
	}
}

static void
define(struct reader *r, struct str name)
{
	struct reading *all = r->all;

	if (all->functions_n == READER_FUNCTIONS) {
		parts_lose(all);
		return;
	}
	all->functions[all->functions_n++] = name;
	parts_add(all,
	    &(struct gate_command){ .argv = &name, .argv_n = 1, .flags = COMMAND_UNCLEAR });
	skip_lines(r);
	command(r);
}

static bool
is_function(const struct reading *all, struct str name)
{
	for (size_t i = 0; i < all->functions_n; i++) {
		if (str_eq(all->functions[i], name))
			return true;
	}
	return false;
}

static void
finish(struct reader *r, struct draft *d)
{
	struct gate_command c = { d->argv, d->argv_n, d->flags, d->redirects, d->redirects_n };

	if (c.argv_n && c.argv[0].p && is_function(r->all, c.argv[0]))
		c.flags |= COMMAND_UNCLEAR;
	/* Nothing but a redirection that touches nothing. */
	if (!c.argv_n && !c.flags)
		return;
	wrapper_add(r->all, &c);
}

/* Words and redirections up to the end of a command; `d` may hold the first words. */
static void
rest(struct reader *r, struct draft *d)
{
	while (!r->all->lost) {
		struct word w;

		skip_blanks(r);
		if (redirection(r, d))
			continue;
		if (!word_read(r, &w)) {
			word_done(&w);
			break;
		}
		add_word(r, d, &w);
		word_done(&w);
	}
	if (!r->all->lost)
		finish(r, d);
}

static void
simple(struct reader *r, const struct word *first)
{
	struct draft d = { 0 };

	if (first)
		add_word(r, &d, first);
	skip_blanks(r);
	if (first && !first->quoted && d.argv_n == 1 && d.argv[0].p && word_peek(r) == '(') {
		r->at++;
		skip_blanks(r);
		if (word_peek(r) != ')')
			parts_lose(r->all);
		r->at++;
		if (!r->all->lost)
			define(r, d.argv[0]);
	} else {
		rest(r, &d);
	}
	draft_done(&d);
}

/* ---- compound commands ---- */

/* The redirections behind one count as a part of their own. */
static void
behind(struct reader *r)
{
	struct draft d = { 0 };

	while (!r->all->lost) {
		size_t at;
		struct word w = { 0 };

		skip_blanks(r);
		at = r->at;
		if (redirection(r, &d))
			continue;
		if (word_read(r, &w) && is_number(&w) && at_redirect(r)) {
			word_done(&w);
			continue;
		}
		if (r->at != at)
			parts_lose(r->all);
		word_done(&w);
		break;
	}
	if (!r->all->lost)
		finish(r, &d);
	draft_done(&d);
}

static void
expect(struct reader *r, struct str got, struct str want)
{
	if (!str_eq(got, want))
		parts_lose(r->all);
}

static void
read_if(struct reader *r)
{
	struct str stop;

	do {
		expect(r, list(r), STR("then"));
		stop = list(r);
	} while (!r->all->lost && str_eq(stop, STR("elif")));
	if (str_eq(stop, STR("else")))
		stop = list(r);
	expect(r, stop, STR("fi"));
	behind(r);
}

static void
read_do(struct reader *r)
{
	expect(r, list(r), STR("done"));
	behind(r);
}

static void
read_while(struct reader *r)
{
	expect(r, list(r), STR("do"));
	if (!r->all->lost)
		read_do(r);
}

static void
read_group(struct reader *r)
{
	expect(r, list(r), STR("}"));
	behind(r);
}

/* Its words are nobody's, but what stands in them may run something or not be certain. */
static void
lone_word(struct reader *r, const struct word *w)
{
	unsigned flags = (w->odd ? COMMAND_UNCLEAR : 0) | (w->sets ? COMMAND_ASSIGNMENT : 0);

	if (flags)
		parts_flag(r->all, flags);
}

static bool
lone_read(struct reader *r, struct word *ret_word)
{
	if (word_read(r, ret_word)) {
		lone_word(r, ret_word);
		return true;
	}
	word_done(ret_word);
	return false;
}

/* for NAME [in WORDS] ; do ... */
static void
read_for(struct reader *r)
{
	struct word w;

	skip_blanks(r);
	if (!lone_read(r, &w)) {
		parts_lose(r->all);
		return;
	}
	if (w.unknown || w.quoted || wrapper_variable(text_of(&w)))
		parts_flag(r->all, COMMAND_UNCLEAR | COMMAND_ASSIGNMENT);
	word_done(&w);
	skip_lines(r);
	if (lone_read(r, &w)) {
		bool in = reserved(&w, STR("in")), now = reserved(&w, STR("do"));

		word_done(&w);
		if (now) {
			read_do(r);
			return;
		}
		if (!in)
			parts_lose(r->all);
		for (skip_blanks(r); lone_read(r, &w); skip_blanks(r))
			word_done(&w);
	}
	if (word_peek(r) == ';')
		r->at++;
	read_while(r);
}

/* One branch; true when there may be another. */
static bool
read_branch(struct reader *r)
{
	struct word w;

	skip_lines(r);
	if (word_peek(r) == '(') {
		r->at++;
		skip_blanks(r);
	}
	for (;;) {
		bool last;

		if (!lone_read(r, &w)) {
			parts_lose(r->all);
			return false;
		}
		last = reserved(&w, STR("esac"));
		word_done(&w);
		if (last)
			return false;
		skip_blanks(r);
		if (word_peek(r) != '|')
			break;
		r->at++;
		skip_blanks(r);
	}
	if (word_peek(r) != ')') {
		parts_lose(r->all);
		return false;
	}
	r->at++;
	if (str_eq(list(r), STR("esac")) || r->all->lost)
		return false;
	if (!sign_here(r, STR(";;&")) && !sign_here(r, STR(";;")) && !sign_here(r, STR(";&")))
		parts_lose(r->all);
	return !r->all->lost;
}

static void
read_case(struct reader *r)
{
	struct word w;

	skip_blanks(r);
	if (!lone_read(r, &w)) {
		parts_lose(r->all);
		return;
	}
	word_done(&w);
	skip_lines(r);
	if (!lone_read(r, &w)) {
		parts_lose(r->all);
		return;
	}
	if (!reserved(&w, STR("in")))
		parts_lose(r->all);
	word_done(&w);
	while (!r->all->lost && read_branch(r))
		;
	behind(r);
}

/* bash's own way to define one, and a command to dash. */
static void
read_function(struct reader *r)
{
	struct word w;
	struct str name;

	skip_blanks(r);
	if (!lone_read(r, &w)) {
		parts_lose(r->all);
		return;
	}
	name = parts_keep(r->all, text_of(&w));
	word_done(&w);
	skip_blanks(r);
	if (word_peek(r) == '(') {
		r->at++;
		skip_blanks(r);
		if (word_peek(r) != ')')
			parts_lose(r->all);
		r->at++;
	}
	define(r, name);
}

/* Words that to one of the shells are reserved and to the other a program. */
static void
read_either(struct reader *r)
{
	parts_flag(r->all, COMMAND_UNCLEAR);
	skip_blanks(r);
	command(r);
}

static void
read_select(struct reader *r)
{
	parts_flag(r->all, COMMAND_UNCLEAR);
	read_for(r);
}

static void
read_not(struct reader *r)
{
	skip_blanks(r);
	command(r);
}

/* time [-p] COMMAND: it runs the same either way, and prints how long it took. */
static void
read_time(struct reader *r)
{
	size_t at;
	struct word w;
	/* A program to one shell, and what follows its words. */
	const struct str argv[] = { STR("time"), { NULL, 0 } };

	parts_add(r->all, &(struct gate_command){ .argv = argv,
			      .argv_n = 2,
			      .flags = COMMAND_SEEN | COMMAND_SUBSTITUTION });
	skip_blanks(r);
	at = r->at;
	if (!word_read(r, &w) || !reserved(&w, STR("-p")))
		r->at = at;
	word_done(&w);
	skip_blanks(r);
	if (word_peek(r) == -1 || strchr("-\n;&|)", word_peek(r)))
		parts_flag(r->all, COMMAND_UNCLEAR);
	else
		command(r);
}

static const struct {
	struct str name;
	void (*read)(struct reader *r);
} compounds[] = {
	{ STR("!"), read_not },
	{ STR("{"), read_group },
	{ STR("if"), read_if },
	{ STR("while"), read_while },
	{ STR("until"), read_while },
	{ STR("for"), read_for },
	{ STR("case"), read_case },
	{ STR("function"), read_function },
	{ STR("select"), read_select },
	{ STR("coproc"), read_either },
	{ STR("time"), read_time },
};

static void
subshell(struct reader *r)
{
	r->at++;
	/* Arithmetic to one shell, two subshells to the other. */
	if (r->at < r->n && r->p[r->at] == '(')
		parts_flag(r->all, COMMAND_UNCLEAR);
	line_bracket(r);
	behind(r);
}

static void
command_word(struct reader *r)
{
	struct word w;

	if (!word_read(r, &w)) {
		word_done(&w);
		if (r->all->lost || !at_any_redirect(r))
			parts_lose(r->all);
		else
			simple(r, NULL);
		return;
	}
	for (size_t i = 0; i < COUNT(compounds); i++) {
		if (reserved(&w, compounds[i].name)) {
			word_done(&w);
			compounds[i].read(r);
			return;
		}
	}
	if (reserved(&w, STR("[[")))
		parts_flag(r->all, COMMAND_UNCLEAR);
	simple(r, &w);
	word_done(&w);
}

static void
command(struct reader *r)
{
	if (parts_enter(r->all)) {
		if (word_peek(r) == '(')
			subshell(r);
		else
			command_word(r);
	}
	parts_leave(r->all);
}

/* ---- lists ---- */

/* A word that ends the list, which is then read; else empty. */
static struct str
stop_word(struct reader *r)
{
	size_t at = r->at;
	int c = word_peek(r);

	if (c == -1 || !strchr("tefd}", c))
		return (struct str){ NULL, 0 };
	for (size_t i = 0; i < COUNT(stops); i++) {
		if (sign_here(r, stops[i])) {
			c = word_peek(r);
			if (c == -1 || strchr(" \t\n;&|()<>", c))
				return stops[i];
		}
		r->at = at;
	}
	return (struct str){ NULL, 0 };
}

/* Takes what is between two commands; false at the end of the list. */
static bool
separator(struct reader *r)
{
	size_t at;
	int c;

	skip_blanks(r);
	c = word_peek(r);
	at = r->at;
	if (c == '\n') {
		newline(r);
		return true;
	}
	if (c == '&' || c == '|') {
		r->at++;
		if (word_peek(r) == c || (c == '|' && word_peek(r) == '&'))
			r->at++;
		return true;
	}
	if (c != ';')
		return false;
	r->at++;
	if (word_peek(r) == ';' || word_peek(r) == '&') {
		r->at = at;
		return false;
	}
	return true;
}

/* Commands up to a reserved word, which is read and returned, or to what cannot go on a list. */
static struct str
list(struct reader *r)
{
	do {
		struct str stop;
		int c;

		skip_lines(r);
		c = word_peek(r);
		if (c == -1 || c == ')' || c == ';' || r->all->lost)
			break;
		stop = stop_word(r);
		if (stop.p)
			return stop;
		command(r);
	} while (!r->all->lost && separator(r));
	return (struct str){ NULL, 0 };
}

void
line_bracket(struct reader *r)
{
	if (list(r).p || word_peek(r) != ')')
		parts_lose(r->all);
	r->at++;
}

void
line_read(struct reading *all, struct str text)
{
	struct reader r = { .all = all, .p = text.p, .n = text.n };

	all->work += text.n;
	if (all->work > GATE_WORK_MAX)
		parts_lose(all);
	if (all->lost || !text.n)
		return;
	if (list(&r).p || word_peek(&r) != -1)
		parts_lose(all);
}
