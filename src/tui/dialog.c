/* SPDX-License-Identifier: MIT */
#include "tui/dialog.h"

#include "base/utf8.h"

#include <stdio.h>

#define FRAME_ROWS 4 /* title, two empty ones, position; and one for each choice */
#define QUOTE      STR("| ")
#define GOES_ON    STR(": ") /* before the rest of a line: nothing begins a row but we */

void
dialog_init(struct dialog *a, struct str title)
{
	*a = (struct dialog){
		.title = buf_max(KiB(8)),
		.text = buf_max(DIALOG_TEXT_MAX),
	};
	show_line(title, &a->title);
}

void
dialog_done(struct dialog *a)
{
	buf_done(&a->title);
	buf_done(&a->text);
	free(a->rows);
	a->rows = NULL;
}

void
dialog_text(struct dialog *a, struct str text)
{
	show_line(text, &a->text);
	buf_addc(&a->text, '\n');
}

void
dialog_quote(struct dialog *a, struct str text)
{
	do {
		buf_add(&a->text, QUOTE);
		show_line(str_split(&text, '\n'), &a->text);
		buf_addc(&a->text, '\n');
	} while (text.p);
}

void
dialog_choice(struct dialog *a, struct dialog_choice choice, struct str label)
{
	assert(a->choices_n < DIALOG_CHOICES_MAX);
	snprintf(choice.label, sizeof(choice.label), "%.*s", STR_ARG(label));
	a->choices[a->choices_n++] = choice;
}

bool
dialog_ok(const struct dialog *a)
{
	return buf_ok(&a->text) && buf_ok(&a->title) && a->choices_n;
}

/* ---- rows ---- */

static bool
small(const struct dialog *a)
{
	return a->width < DIALOG_WIDTH_LEAST || a->height < DIALOG_ROWS_LEAST;
}

static size_t
window(const struct dialog *a)
{
	size_t frame = FRAME_ROWS + a->choices_n;

	return a->height > frame ? a->height - frame : 1;
}

/* The length of the sign at the start, and its columns. */
static size_t
sign(struct str s, unsigned *ret_columns)
{
	size_t n = utf8_next(s, NULL);

	*ret_columns = s.p[0] == SHOW_MARK || s.p[0] == SHOW_END ? 0 : n > 1 ? SHOW_WIDE : 1;
	return n ? n : 1;
}

/* A line began in the row before. */
static bool
goes_on(const struct dialog *a, size_t at)
{
	return at > 0 && a->text.p[at - 1] != '\n';
}

/* Where the row that begins there ends; a line feed is not part of it. */
static size_t
row_end(const struct dialog *a, size_t at)
{
	struct str rest = str_from(buf_str(&a->text), at);
	unsigned room = a->width - 1 - (goes_on(a, at) ? (unsigned)GOES_ON.n : 0), columns;
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
count_rows(const struct dialog *a, size_t *ret_rows)
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
last_top(const struct dialog *a)
{
	return a->rows_n > window(a) ? a->rows_n - window(a) : 0;
}

void
dialog_size(struct dialog *a, unsigned width, unsigned height)
{
	size_t at = a->rows && a->rows_n ? a->rows[a->top] : 0;

	/* What cannot place text is never too small for it. */
	a->width = a->plain ? MAX(width, (unsigned)DIALOG_WIDTH_LEAST) : width;
	a->height = a->plain ? MAX(height, (unsigned)DIALOG_ROWS_LEAST) : height;
	dialog_disturbed(a);
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
put(const struct dialog *a, struct str s, struct buf *out)
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
may_choose(const struct dialog *a, const struct dialog_choice *c)
{
	return a->armed && !small(a) && (a->seen || !c->grants);
}

/* Round brackets: it does not count now. */
static void
put_choice(const struct dialog *a, const struct dialog_choice *c, struct buf *out)
{
	buf_addf(out, may_choose(a, c) ? "[%c] %s" : "(%c) %s", c->key, c->label);
}

static void
put_position(const struct dialog *a, struct buf *out)
{
	size_t end = MIN(a->top + window(a), a->rows_n);

	if (!a->armed)
		buf_add(out, STR("one moment; "));
	else if (!a->seen)
		buf_add(out, STR("go to the end to be able to allow it; "));
	if (a->rows_n <= window(a))
		buf_add(out, STR("all of it is shown"));
	else
		buf_addf(out, "rows %zu to %zu of %zu: space, b, arrows, Home, End", a->top + 1,
		    end, a->rows_n);
}

static void
place(unsigned row, struct buf *out)
{
	buf_addf(out, "\033[%u;1H\033[0m\033[2K", row);
}

/* Of our own words, as much as fits one row. */
static void
put_row(const struct dialog *a, struct str text, struct buf *out)
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
begins_marked(const struct dialog *a, size_t at)
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
put_text_row(const struct dialog *a, size_t row, struct buf *out)
{
	size_t at = a->rows[row];

	if (goes_on(a, at))
		buf_add(out, GOES_ON);
	if (begins_marked(a, at))
		buf_add(out, a->plain ? STR("<") : STR("\033[7m"));
	put(a, (struct str){ a->text.p + at, row_end(a, at) - at }, out);
}

static void
draw_screen(struct dialog *a, struct buf *out)
{
	auto_done(buf) struct buf position = buf_max(KiB(1));
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
		put_text_row(a, row, out);
	}
	if (a->top + n >= a->rows_n)
		a->seen = true;
	put_position(a, &position);
	place((unsigned)(3 + n), out);
	for (size_t i = 0; i < a->choices_n; i++) {
		auto_done(buf) struct buf line = buf_max(256);

		place((unsigned)(4 + n + i), out);
		buf_add(out, STR("\033[1m"));
		put_choice(a, &a->choices[i], &line);
		put_row(a, buf_str(&line), out);
	}
	place((unsigned)(4 + n + a->choices_n), out);
	put_row(a, buf_str(&position), out);
	buf_add(out, STR("\033[0m"));
}

static void
draw_plain(struct dialog *a, struct buf *out)
{
	if (!a->drawn) {
		buf_add(out, STR("\r\n"));
		put(a, buf_str(&a->title), out);
		buf_add(out, STR("\r\n"));
	}
	for (size_t row = 0; !a->drawn && row < a->rows_n; row++) {
		put_text_row(a, row, out);
		buf_add(out, STR("\r\n"));
	}
	a->drawn = a->seen = true;
	for (size_t i = 0; i < a->choices_n; i++) {
		put_choice(a, &a->choices[i], out);
		buf_add(out, STR("\r\n"));
	}
	if (!a->armed)
		buf_add(out, STR("one moment\r\n"));
}

void
dialog_draw(struct dialog *a, struct buf *ret_screen)
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
dialog_disturbed(struct dialog *a)
{
	a->armed = false;
	a->waits = false;
	a->settling = false;
}

void
dialog_arm(struct dialog *a)
{
	a->armed = true;
}

void
dialog_quiet(struct dialog *a)
{
	a->settling = false;
	if (!a->waits || !a->armed)
		return;
	a->waits = false;
	a->chosen = a->candidate;
	a->end = DIALOG_CHOSEN;
}

/* Whether it was a key of a choice. */
static bool
choose(struct dialog *a, int key)
{
	if (key == KEY_ESCAPE)
		key = 'd';
	for (size_t i = 0; i < a->choices_n; i++) {
		const struct dialog_choice *c = &a->choices[i];

		if (c->key != key)
			continue;
		if (a->settling)
			dialog_disturbed(a);
		else if (may_choose(a, c))
			a->waits = true;
		else
			a->settling = true;
		a->candidate = c->answer;
		return true;
	}
	return false;
}

static bool
scroll(struct dialog *a, int key)
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
dialog_key(struct dialog *a, int key)
{
	if (key == 3) {
		a->end = DIALOG_INTERRUPT;
		return false;
	}
	if (key == 4) {
		a->end = DIALOG_LEFT;
		return false;
	}
	if (a->waits) { /* it came behind another: neither was meant by itself */
		dialog_disturbed(a);
		return true;
	}
	if (!a->armed || small(a))
		return false;
	if (choose(a, key))
		return !a->armed;
	if (!a->plain && (key == 12 || scroll(a, key))) { /* 12 draws it again */
		a->settling = true;
		return true;
	}
	dialog_disturbed(a);
	return true;
}
