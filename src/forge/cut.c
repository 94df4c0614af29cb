/* SPDX-License-Identifier: MIT */
/*
 * One pass over the text with a stack of open brackets. After each place where the text could
 * end if its brackets were closed, that place is remembered as long as it and the closers fit.
 * What is read plus what is to be closed never gets less, so the first place that does not fit
 * ends the search: the result is the text up to the last one that did, and its closers.
 */
#include "forge/cut.h"

#include "base/utf8.h"

enum expect { EXPECT_VALUE, EXPECT_FIRST, EXPECT_NAME, EXPECT_COLON, EXPECT_MORE, EXPECT_END };

struct scan {
	struct str text;
	size_t at;     /* bytes read */
	size_t points; /* code points read */
	size_t limit;
	unsigned depth;
	char stack[CUT_DEPTH_MAX]; /* open brackets */
	enum expect expect;

	/* the last place to end */
	size_t good_at;
	bool good_quote; /* inside a string: its quote is to be closed too */
	unsigned good_depth;
	bool any;
};

static void
remember(struct scan *s, bool in_string)
{
	if (s->points + s->depth + (in_string ? 1 : 0) > s->limit)
		return;
	s->good_at = s->at;
	s->good_quote = in_string;
	s->good_depth = s->depth;
	s->any = true;
}

static char
peek(const struct scan *s)
{
	return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

/* Moves over n bytes of ASCII. */
static void
step(struct scan *s, size_t n)
{
	s->at += n;
	s->points += n;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of the escape at the read position, or of its beginning where the text ends; 0: none. */
static size_t
escape_length(const struct scan *s, bool *ret_whole)
{
	struct str rest = str_from(s->text, s->at);
	size_t n = 2;

	*ret_whole = rest.n >= 2 && rest.p[1] != 'u';
	if (rest.n < 2)
		return rest.n;
	if (*ret_whole)
		return memchr("\"\\/bfnrt", rest.p[1], 8) ? 2 : 0;
	while (n < 6 && n < rest.n && is_hex(rest.p[n]))
		n++;
	*ret_whole = n == 6;
	return n == 6 || n == rest.n ? n : 0;
}

/* Whether the text ends inside the character at the read position: some bytes would complete it. */
static bool
ends_in_character(const struct scan *s)
{
	static const unsigned char fillers[] = { 0x80, 0xbf };
	struct str rest = str_from(s->text, s->at);

	for (size_t i = 0; i < COUNT(fillers) && rest.n < 4; i++) {
		char whole[4];

		memset(whole, fillers[i], sizeof(whole));
		memcpy(whole, rest.p, rest.n);
		if (utf8_next((struct str){ whole, sizeof(whole) }, NULL) > rest.n)
			return true;
	}
	return false;
}

/* The text ends here, in the middle of something: what was remembered counts. */
static bool
end_early(struct scan *s)
{
	s->at = s->text.n;
	return false;
}

/* A high surrogate and its other half are one character: no cut between them. */
static bool
is_high_surrogate(const struct scan *s)
{
	const char *p = s->text.p + s->at;

	return (p[2] == 'd' || p[2] == 'D') && memchr("89abAB", p[3], 6) != NULL;
}

/* A character or an escape of a string; *ret_half where it is the first half of a character. */
static bool
scan_point(struct scan *s, bool *ret_half)
{
	bool whole = true;
	size_t n;

	*ret_half = false;
	if (peek(s) == '\\') {
		n = escape_length(s, &whole);
		if (!whole && n)
			return end_early(s);
		*ret_half = n == 6 && is_high_surrogate(s);
		step(s, n);
		return n > 0;
	}
	n = utf8_next(str_from(s->text, s->at), NULL);
	if (n == 0 && ends_in_character(s))
		return end_early(s);
	if (n == 0 || (unsigned char)peek(s) < 0x20)
		return false;
	s->at += n;
	s->points++;
	return true;
}

/* The string at the read position; may_cut where it is a value. */
static bool
scan_string(struct scan *s, bool may_cut)
{
	step(s, 1);
	while (s->at < s->text.n && peek(s) != '"') {
		bool half;

		if (!scan_point(s, &half))
			return false;
		if (may_cut && !half)
			remember(s, true);
	}
	if (s->at >= s->text.n)
		return false;
	step(s, 1);
	return true;
}

static size_t
digits(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n;
}

/* Moves *ret_n over digits; false when there are none. */
static bool
take_digits(struct str s, size_t *ret_n)
{
	size_t n = digits(str_from(s, *ret_n));

	*ret_n += n;
	return n > 0;
}

/* Whether a number by JSON's grammar is at the start of s; *ret_n is how far one could be read. */
static bool
is_number(struct str s, size_t *ret_n)
{
	size_t n = s.n && s.p[0] == '-' ? 1 : 0;
	bool good = true;

	if (n < s.n && s.p[n] == '0')
		n++;
	else
		good = take_digits(s, &n);
	if (good && n < s.n && s.p[n] == '.') {
		n++;
		good = take_digits(s, &n);
	}
	if (good && n < s.n && (s.p[n] == 'e' || s.p[n] == 'E')) {
		n++;
		if (n < s.n && (s.p[n] == '+' || s.p[n] == '-'))
			n++;
		good = take_digits(s, &n);
	}
	*ret_n = n;
	return good;
}

/* Likewise for one of JSON's words. */
static bool
is_word(struct str s, size_t *ret_n)
{
	static const char *const words[] = { "true", "false", "null" };

	*ret_n = 0;
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = 0;

		while (n < s.n && words[i][n] && s.p[n] == words[i][n])
			n++;
		*ret_n = MAX(*ret_n, n);
		if (!words[i][n])
			return true;
	}
	return false;
}

/* A number that the text ends with may have had more digits; inside of brackets it does not count. */
static bool
scan_atom(struct scan *s)
{
	struct str rest = str_from(s->text, s->at);
	size_t n = 0;
	bool number = rest.p[0] == '-' || digits(rest) > 0;
	bool good = number ? is_number(rest, &n) : is_word(rest, &n);

	if (n == rest.n && (!good || (number && s->depth)))
		return end_early(s);
	step(s, good ? n : 0);
	return good;
}

static void
after_value(struct scan *s)
{
	s->expect = s->depth ? EXPECT_MORE : EXPECT_END;
	remember(s, false);
}

static bool
open_bracket(struct scan *s, char c)
{
	if (s->depth == CUT_DEPTH_MAX)
		return false;
	s->stack[s->depth++] = c;
	step(s, 1);
	s->expect = EXPECT_FIRST;
	remember(s, false);
	return true;
}

static bool
close_bracket(struct scan *s, char c)
{
	char open = c == '}' ? '{' : c == ']' ? '[' : '\0';

	if (s->depth == 0 || s->stack[s->depth - 1] != open)
		return false;
	s->depth--;
	step(s, 1);
	after_value(s);
	return true;
}

static bool
scan_value(struct scan *s, char c)
{
	if (c == '{' || c == '[')
		return open_bracket(s, c);
	if (c == '"' ? !scan_string(s, true) : !scan_atom(s))
		return false;
	after_value(s);
	return true;
}

static bool
scan_name(struct scan *s, char c)
{
	if (c != '"' || !scan_string(s, false))
		return false;
	s->expect = EXPECT_COLON;
	return true;
}

/* One token; false where the text is wrong or ends inside it. */
static bool
scan_token(struct scan *s)
{
	char c = peek(s);
	bool in_object = s->depth && s->stack[s->depth - 1] == '{';

	switch (s->expect) {
	case EXPECT_VALUE:
		return scan_value(s, c);
	case EXPECT_FIRST:
		if (c == '}' || c == ']')
			return close_bracket(s, c);
		return in_object ? scan_name(s, c) : scan_value(s, c);
	case EXPECT_NAME:
		return scan_name(s, c);
	case EXPECT_COLON:
		if (c != ':')
			return false;
		step(s, 1);
		s->expect = EXPECT_VALUE;
		return true;
	case EXPECT_MORE:
		if (c != ',')
			return close_bracket(s, c);
		step(s, 1);
		s->expect = in_object ? EXPECT_NAME : EXPECT_VALUE;
		return true;
	case EXPECT_END:
		break;
	}
	return false;
}

static void
write_part(const struct scan *s, struct buf *ret_out)
{
	if (!s->any)
		return;
	buf_add(ret_out, (struct str){ s->text.p, s->good_at });
	if (s->good_quote)
		buf_addc(ret_out, '"');
	for (unsigned i = s->good_depth; i > 0; i--)
		buf_addc(ret_out, s->stack[i - 1] == '{' ? '}' : ']');
}

enum cut_result
cut_json(struct str json, size_t points, struct buf *ret_out)
{
	struct scan s = { .text = json, .limit = points, .expect = EXPECT_VALUE };

	for (;;) {
		while (s.at < json.n && memchr(" \t\r\n", json.p[s.at], 4))
			step(&s, 1);
		if (s.at >= json.n)
			break;
		if (s.points + s.depth > points) {
			write_part(&s, ret_out);
			return CUT_PART;
		}
		if (!scan_token(&s) && s.at < json.n)
			return CUT_INVALID;
	}
	if (s.expect == EXPECT_END && s.points <= points) {
		buf_add(ret_out, json);
		return CUT_WHOLE;
	}
	write_part(&s, ret_out);
	return json.n ? CUT_PART : CUT_INVALID;
}
