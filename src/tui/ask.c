/* SPDX-License-Identifier: MIT */
#include "tui/ask.h"

#include "base/utf8.h"

#define FRAME_ROWS 5 /* title, rule, position, choices, rule */
#define QUOTE      STR("| ")

void
ask_init(struct ask *a, struct str title)
{
	*a = (struct ask){
		.title = buf_max(KiB(8)),
		.text = buf_max(ASK_TEXT_MAX),
	};
	show_line(title, &a->title);
}

void
ask_done(struct ask *a)
{
	buf_done(&a->title);
	buf_done(&a->text);
	free(a->rows);
	a->rows = NULL;
}

void
ask_text(struct ask *a, struct str text)
{
	show_line(text, &a->text);
	buf_addc(&a->text, '\n');
}

void
ask_quote(struct ask *a, struct str text)
{
	do {
		buf_add(&a->text, QUOTE);
		show_line(str_split(&text, '\n'), &a->text);
		buf_addc(&a->text, '\n');
	} while (text.p);
}

void
ask_choice(struct ask *a, struct ask_choice choice)
{
	assert(a->choices_n < ASK_CHOICES_MAX);
	a->choices[a->choices_n++] = choice;
}

bool
ask_ok(const struct ask *a)
{
	return buf_ok(&a->text) && buf_ok(&a->title) && a->choices_n;
}

/* ---- rows ---- */

static bool
small(const struct ask *a)
{
	return a->width < ASK_WIDTH_LEAST || a->height < ASK_ROWS_LEAST;
}

static size_t
window(const struct ask *a)
{
	return a->height > FRAME_ROWS ? a->height - FRAME_ROWS : 1;
}

/* The length of the sign at the start, and its columns. */
static size_t
sign(struct str s, unsigned *ret_columns)
{
	size_t n = utf8_next(s, NULL);

	*ret_columns = s.p[0] == SHOW_MARK || s.p[0] == SHOW_END ? 0 : n > 1 ? SHOW_WIDE : 1;
	return n ? n : 1;
}

/* Where the row that begins there ends; a line feed is not part of it. */
static size_t
row_end(const struct ask *a, size_t at)
{
	struct str rest = str_from(buf_str(&a->text), at);
	unsigned room = a->width - 1, columns;
	size_t n = 0;

	while (n < rest.n && rest.p[n] != '\n') {
		size_t step = sign(str_from(rest, n), &columns);

		if (columns > room)
			break;
		room -= columns;
		n += step;
	}
	return at + n;
}

static size_t
count_rows(const struct ask *a, size_t *ret_rows)
{
	size_t n = 0, at = 0;

	while (at < a->text.n) {
		if (ret_rows)
			ret_rows[n] = at;
		n++;
		at = row_end(a, at);
		if (at < a->text.n && a->text.p[at] == '\n')
			at++;
	}
	return n;
}

static size_t
last_top(const struct ask *a)
{
	return a->rows_n > window(a) ? a->rows_n - window(a) : 0;
}

void
ask_size(struct ask *a, unsigned width, unsigned height)
{
	size_t at = a->rows && a->rows_n ? a->rows[a->top] : 0;

	a->width = width;
	a->height = height;
	ask_disturbed(a);
	if (small(a))
		return;
	free(a->rows);
	a->rows_n = count_rows(a, NULL);
	a->rows = xcalloc(a->rows_n + 1, sizeof(*a->rows));
	count_rows(a, a->rows);
	a->top = 0;
	while (a->top + 1 < a->rows_n && a->rows[a->top + 1] <= at)
		a->top++;
	a->top = MIN(a->top, last_top(a));
}

/* ---- drawing ---- */

/* Shown text with what is spelled out set off from what is written so. */
static void
put(const struct ask *a, struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == SHOW_MARK)
			buf_add(out, a->plain ? STR("<") : STR("\033[7m"));
		else if (s.p[i] == SHOW_END)
			buf_add(out, a->plain ? STR(">") : STR("\033[27m"));
		else
			buf_addc(out, s.p[i]);
	}
}

static bool
may_choose(const struct ask *a, const struct ask_choice *c)
{
	return a->armed && !small(a) && (a->seen || !c->grants);
}

static void
put_choices(const struct ask *a, struct buf *out)
{
	for (size_t i = 0; i < a->choices_n; i++) {
		const struct ask_choice *c = &a->choices[i];

		if (may_choose(a, c))
			buf_addf(out, "%s[%c] %s", i ? "  " : "", c->key, c->label);
		else
			buf_addf(out, "%s(%c) %s", i ? "  " : "", c->key, c->label);
	}
}

static void
put_position(const struct ask *a, struct buf *out)
{
	size_t end = MIN(a->top + window(a), a->rows_n);

	if (a->rows_n <= window(a))
		buf_add(out, STR("all of it is shown"));
	else
		buf_addf(out, "rows %zu to %zu of %zu: space, b, arrows, Home, End", a->top + 1,
		    end, a->rows_n);
	if (!a->armed)
		buf_add(out, STR("; one moment"));
	else if (!a->seen)
		buf_add(out, STR("; go to the end to be able to allow it"));
}

static void
place(unsigned row, struct buf *out)
{
	buf_addf(out, "\033[%u;1H\033[0m\033[2K", row);
}

/* Of our own words, as much as fits one row. */
static void
put_row(const struct ask *a, struct str text, struct buf *out)
{
	unsigned room = a->width - 1, columns;

	while (text.n) {
		size_t n = sign(text, &columns);

		if (columns > room)
			break;
		room -= columns;
		put(a, (struct str){ text.p, n }, out);
		text = str_from(text, n);
	}
}

/* A spelled-out sign may have begun in the row before. */
static bool
begins_marked(const struct ask *a, size_t at)
{
	while (at > 0) {
		char c = a->text.p[--at];

		if (c == '\n' || c == SHOW_END)
			return false;
		if (c == SHOW_MARK)
			return true;
	}
	return false;
}

static void
draw_screen(struct ask *a, struct buf *out)
{
	auto_done(buf) struct buf position = buf_max(KiB(1)), choices = buf_max(KiB(2));
	size_t n = window(a);

	buf_add(out, STR("\033[?7l\033[?25l"));
	place(1, out);
	buf_add(out, STR("\033[1m"));
	put_row(a, buf_str(&a->title), out);
	place(2, out);
	for (size_t i = 0; i < n; i++) {
		size_t row = a->top + i;

		place((unsigned)(3 + i), out);
		if (row >= a->rows_n)
			continue;
		if (begins_marked(a, a->rows[row]))
			buf_add(out, STR("\033[7m"));
		put(a,
		    (struct str){ a->text.p + a->rows[row],
			row_end(a, a->rows[row]) - a->rows[row] },
		    out);
	}
	if (a->top + n >= a->rows_n)
		a->seen = true;
	put_position(a, &position);
	put_choices(a, &choices);
	place((unsigned)(3 + n), out);
	place((unsigned)(4 + n), out);
	buf_add(out, STR("\033[1m"));
	put_row(a, buf_str(&choices), out);
	place((unsigned)(5 + n), out);
	put_row(a, buf_str(&position), out);
	buf_add(out, STR("\033[0m"));
}

static void
draw_plain(struct ask *a, struct buf *out)
{
	buf_add(out, STR("\r\n"));
	put(a, buf_str(&a->title), out);
	buf_add(out, STR("\r\n"));
	for (struct str rest = buf_str(&a->text); rest.n;) {
		put(a, str_split(&rest, '\n'), out);
		buf_add(out, STR("\r\n"));
	}
	a->seen = true;
	put_choices(a, out);
	buf_add(out, a->armed ? STR("\r\n") : STR("; one moment\r\n"));
}

void
ask_draw(struct ask *a, struct buf *ret_screen)
{
	if (a->plain)
		draw_plain(a, ret_screen);
	else if (small(a))
		buf_addf(ret_screen,
		    "\033[?7l\033[0m\033[2J\033[1;1Hcrisol asks: enlarge me\033[2;1Hor Ctrl-C");
	else
		draw_screen(a, ret_screen);
}

/* ---- keys ---- */

void
ask_disturbed(struct ask *a)
{
	a->armed = false;
	a->waits = false;
}

void
ask_arm(struct ask *a)
{
	a->armed = true;
}

void
ask_quiet(struct ask *a)
{
	if (!a->waits || !a->armed)
		return;
	a->waits = false;
	a->chosen = a->candidate;
	a->end = ASK_CHOSEN;
}

static bool
choose(struct ask *a, int key)
{
	for (size_t i = 0; i < a->choices_n; i++) {
		const struct ask_choice *c = &a->choices[i];

		if (c->key != key || !may_choose(a, c))
			continue;
		a->waits = true;
		a->candidate = c->answer;
		return true;
	}
	return false;
}

static bool
scroll(struct ask *a, int key)
{
	size_t page = window(a) > 1 ? window(a) - 1 : 1, last = last_top(a);
	size_t top = a->top;

	switch (key) {
	case KEY_UP:
	case 'k':
		top -= top > 0;
		break;
	case KEY_DOWN:
	case 'j':
		top++;
		break;
	case KEY_PAGE_UP:
	case 'b':
		top -= MIN(top, page);
		break;
	case KEY_PAGE_DOWN:
	case ' ':
		top += page;
		break;
	case KEY_HOME:
	case 'g':
		top = 0;
		break;
	case KEY_END:
	case 'G':
		top = last;
		break;
	default:
		return false;
	}
	a->top = MIN(top, last);
	return true;
}

bool
ask_key(struct ask *a, int key)
{
	if (key == 3) {
		a->end = ASK_INTERRUPT;
		return false;
	}
	if (key == 4) {
		a->end = ASK_LEFT;
		return false;
	}
	if (a->waits) { /* it came behind another: neither was meant by itself */
		ask_disturbed(a);
		return true;
	}
	if (!a->armed || small(a))
		return false;
	if (key == 12) /* draws it again */
		return true;
	if (key == KEY_PASTE) {
		ask_disturbed(a);
		return true;
	}
	return !choose(a, key) && !a->plain && scroll(a, key);
}
