/* SPDX-License-Identifier: MIT */
/*
 * What cut_json promises, for any text and limit; shared by its unit test and its fuzz target.
 * The grammar here is RFC 8259's once more, in other words.
 */
#ifndef TESTS_CUT_CHECK_H
#define TESTS_CUT_CHECK_H

#include "base/utf8.h"
#include "forge/cut.h"

enum grammar {
	GRAMMAR_WRONG,
	GRAMMAR_BEGUN, /* the beginning of a text that would be right */
	GRAMMAR_RIGHT,
};

struct grammar_reader {
	struct str s;
	size_t at;
	char stack[4096];
	size_t depth;
};

static inline bool
grammar_end(const struct grammar_reader *r)
{
	return r->at == r->s.n;
}

static inline char
grammar_peek(const struct grammar_reader *r)
{
	return grammar_end(r) ? '\0' : r->s.p[r->at];
}

static inline bool
grammar_is(const struct grammar_reader *r, const char *set)
{
	return !grammar_end(r) && grammar_peek(r) && strchr(set, grammar_peek(r));
}

static inline void
grammar_blanks(struct grammar_reader *r)
{
	while (grammar_is(r, " \t\n\r"))
		r->at++;
}

/* Takes up to n characters of the set; how many. */
static inline size_t
grammar_take(struct grammar_reader *r, const char *set, size_t n)
{
	size_t taken = 0;

	for (; taken < n && grammar_is(r, set); taken++)
		r->at++;
	return taken;
}

static inline enum grammar
grammar_missing(const struct grammar_reader *r)
{
	return grammar_end(r) ? GRAMMAR_BEGUN : GRAMMAR_WRONG;
}

static inline enum grammar
grammar_number(struct grammar_reader *r)
{
	static const char digits[] = "0123456789";

	grammar_take(r, "-", 1);
	if (grammar_take(r, "0", 1) == 0 && grammar_take(r, digits, SIZE_MAX) == 0)
		return grammar_missing(r);
	if (grammar_take(r, ".", 1) && grammar_take(r, digits, SIZE_MAX) == 0)
		return grammar_missing(r);
	if (grammar_take(r, "eE", 1)) {
		grammar_take(r, "+-", 1);
		if (grammar_take(r, digits, SIZE_MAX) == 0)
			return grammar_missing(r);
	}
	return GRAMMAR_RIGHT;
}

static inline enum grammar
grammar_word(struct grammar_reader *r, const char *word)
{
	for (; *word; word++) {
		if (grammar_end(r))
			return GRAMMAR_BEGUN;
		if (grammar_peek(r) != *word)
			return GRAMMAR_WRONG;
		r->at++;
	}
	return GRAMMAR_RIGHT;
}

/* The beginning of a character that is cut at the end of the text. */
static inline bool
grammar_cut_point(struct str s)
{
	static const char *const rest[] = { "\x80", "\x80\x80", "\x80\x80\x80", "\xa0",
		"\xa0\x80", "\x90", "\x90\x80", "\x90\x80\x80" };

	for (size_t i = 0; i < COUNT(rest) && s.n < 4; i++) {
		char whole[8];
		size_t n = strlen(rest[i]);

		memcpy(whole, s.p, s.n);
		memcpy(whole + s.n, rest[i], n);
		if (utf8_next((struct str){ whole, s.n + n }, NULL) == s.n + n)
			return true;
	}
	return false;
}

static inline enum grammar
grammar_string(struct grammar_reader *r)
{
	r->at++;
	for (;;) {
		size_t n;

		if (grammar_end(r))
			return GRAMMAR_BEGUN;
		if (grammar_take(r, "\"", 1))
			return GRAMMAR_RIGHT;
		if (grammar_take(r, "\\", 1)) {
			if (grammar_take(r, "u", 1)) {
				if (grammar_take(r, "0123456789abcdefABCDEF", 4) < 4)
					return grammar_missing(r);
			} else if (!grammar_take(r, "\"\\/bfnrt", 1)) {
				return grammar_missing(r);
			}
			continue;
		}
		n = utf8_next(str_from(r->s, r->at), NULL);
		if (n == 0)
			return grammar_cut_point(str_from(r->s, r->at)) ? GRAMMAR_BEGUN
									: GRAMMAR_WRONG;
		if ((unsigned char)grammar_peek(r) < 0x20)
			return GRAMMAR_WRONG;
		r->at += n;
	}
}

/* A value that is no bracket. */
static inline enum grammar
grammar_scalar(struct grammar_reader *r)
{
	switch (grammar_peek(r)) {
	case '"':
		return grammar_string(r);
	case 't':
		return grammar_word(r, "true");
	case 'f':
		return grammar_word(r, "false");
	case 'n':
		return grammar_word(r, "null");
	default:
		return grammar_number(r);
	}
}

/* A member's name and its colon. */
static inline enum grammar
grammar_name(struct grammar_reader *r)
{
	enum grammar g;

	if (!grammar_is(r, "\""))
		return grammar_missing(r);
	g = grammar_string(r);
	if (g != GRAMMAR_RIGHT)
		return g;
	grammar_blanks(r);
	return grammar_take(r, ":", 1) ? GRAMMAR_RIGHT : grammar_missing(r);
}

/* Behind a value: closers, then a comma or the end; *ret_done at the end of everything. */
static inline enum grammar
grammar_behind(struct grammar_reader *r, bool *ret_done)
{
	grammar_blanks(r);
	while (r->depth && grammar_is(r, r->stack[r->depth - 1] == '{' ? "}" : "]")) {
		r->at++;
		r->depth--;
		grammar_blanks(r);
	}
	*ret_done = r->depth == 0;
	if (*ret_done)
		return grammar_end(r) ? GRAMMAR_RIGHT : GRAMMAR_WRONG;
	if (!grammar_take(r, ",", 1))
		return grammar_missing(r);
	grammar_blanks(r);
	return r->stack[r->depth - 1] == '{' ? grammar_name(r) : GRAMMAR_RIGHT;
}

/* Opens a bracket; *ret_empty when it closes again at once. */
static inline enum grammar
grammar_open(struct grammar_reader *r, bool *ret_empty)
{
	char c = grammar_peek(r);

	if (r->depth == CUT_DEPTH_MAX)
		return GRAMMAR_WRONG;
	r->stack[r->depth++] = c;
	r->at++;
	grammar_blanks(r);
	*ret_empty = grammar_is(r, c == '{' ? "}" : "]");
	if (*ret_empty || c == '[')
		return GRAMMAR_RIGHT;
	return grammar_name(r);
}

static inline enum grammar
grammar_of(struct str s)
{
	struct grammar_reader r = { .s = s };
	bool done = false;

	while (!done) {
		bool empty = false;
		enum grammar g;

		grammar_blanks(&r);
		if (grammar_end(&r))
			return GRAMMAR_BEGUN;
		if (grammar_is(&r, "[{")) {
			g = grammar_open(&r, &empty);
			if (g != GRAMMAR_RIGHT)
				return g;
			if (!empty)
				continue;
		} else {
			g = grammar_scalar(&r);
			if (g != GRAMMAR_RIGHT)
				return g;
		}
		g = grammar_behind(&r, &done);
		if (g != GRAMMAR_RIGHT)
			return g;
	}
	return GRAMMAR_RIGHT;
}

/* Whether out is a beginning of text, then perhaps a quote, then closing brackets. */
static inline bool
cut_is_prefix(struct str out, struct str text)
{
	size_t same = 0, closers = out.n;

	while (same < out.n && same < text.n && out.p[same] == text.p[same])
		same++;
	while (closers > same && (out.p[closers - 1] == ']' || out.p[closers - 1] == '}'))
		closers--;
	return closers <= same || (closers == same + 1 && out.p[same] == '"');
}

/*
 * One text, one limit: NULL when all is well, else what is not. *ret_kept is the length of what was
 * kept, in code points.
 */
static inline const char *
cut_check(struct str text, size_t limit, size_t *ret_kept)
{
	auto_done(buf) struct buf out = buf_max(text.n + CUT_DEPTH_MAX + 1);
	enum cut_result result = cut_json(text, limit, &out);
	enum grammar g = grammar_of(text);
	struct str kept = buf_str(&out);

	*ret_kept = utf8_count(kept);
	if (!buf_ok(&out))
		return "more than text and closers";
	switch (result) {
	case CUT_WHOLE:
		if (g != GRAMMAR_RIGHT || !str_eq(kept, text))
			return "whole, but it is not";
		break;
	case CUT_PART:
		if (g == GRAMMAR_RIGHT && utf8_count(text) <= limit)
			return "cut, but it fits";
		if (g == GRAMMAR_WRONG && text.n <= limit / 2)
			return "a part of what is wrong and fits";
		if (kept.n && grammar_of(kept) != GRAMMAR_RIGHT)
			return "a part that is no JSON";
		if (!cut_is_prefix(kept, text))
			return "a part that is no beginning";
		break;
	case CUT_INVALID:
		return g == GRAMMAR_WRONG || !text.n ? NULL
						     : "refused, but it is right or begun";
	}
	return *ret_kept <= limit ? NULL : "more than the limit";
}

#endif
