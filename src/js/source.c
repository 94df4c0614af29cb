/* SPDX-License-Identifier: MIT */
#include "js/source.h"

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct str
first_word(struct str s)
{
	size_t n = 0;

	while (n < s.n && (is_word_char(s.p[n]) || s.p[n] == '-'))
		n++;
	return (struct str){ s.p, n };
}

static bool
is_one_of(struct str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(word, str_of(list[i])))
			return true;
	}
	return false;
}

/* NAME=, as in `export NAME=value`; after JavaScript's export there is a word or a bracket. */
static bool
is_assignment(struct str s)
{
	size_t n = first_word(s).n;

	return n && n < s.n && s.p[n] == '=';
}

/*
 * A known command's name and then what an argument looks like, or nothing and then no operator on
 * the line behind. As the first thing in a script that name would be an undeclared variable, so no
 * script that could run is taken for a command.
 */
static bool
is_command(struct str line, struct str behind)
{
	static const char *const commands[] = { "apt", "apt-get", "awk", "bash", "brew",
		"cargo", "cat", "cd", "chmod", "chown", "cp", "curl", "cut", "df", "diff",
		"docker", "du", "echo", "env", "find", "gcc", "git", "go", "grep", "head", "jq",
		"kill", "less", "ln", "ls", "make", "mkdir", "mv", "node", "npm", "npx", "pip",
		"pip3", "ps", "pwd", "pytest", "python", "python3", "rg", "rm", "rmdir", "sed",
		"sh", "sort", "ssh", "sudo", "tail", "tar", "tee", "touch", "tree", "uniq",
		"unzip", "wc", "wget", "which", "whoami", "xargs", "yarn", "zip" };
	static const char *const operators[] = { "in", "of", "instanceof", "as" };
	struct str word = first_word(line);
	struct str rest = str_from(line, word.n);
	struct str next;

	if (str_eq(word, STR("export")))
		return is_assignment(str_trim(rest));
	if (!is_one_of(word, commands, COUNT(commands)))
		return false;
	if (rest.n == 0)
		return !behind.n || is_word_char(behind.p[0]) || behind.p[0] == '$';
	if (rest.p[0] != ' ' && rest.p[0] != '\t')
		return false;
	next = str_trim(rest);
	if (next.p[0] == '-')
		return next.n > 1 && (is_word_char(next.p[1]) || next.p[1] == '-');
	if (is_word_char(next.p[0]))
		return !is_one_of(first_word(next), operators, COUNT(operators));
	return memchr("./~$\"'{", next.p[0], 7) != NULL && !str_starts(next, STR("/="));
}

/* sh, bash, env zsh: a word of the path or behind it that ends in sh. */
static bool
names_shell(struct str line)
{
	while (line.n) {
		struct str word = str_split(&line, ' ');

		while (word.n) {
			struct str part = str_split(&word, '/');

			if (part.n >= 2 && memcmp(part.p + part.n - 2, "sh", 2) == 0)
				return true;
		}
	}
	return false;
}

static bool
is_shell(struct str source)
{
	struct str rest = str_trim(source);
	struct str line = str_trim(str_split(&rest, '\n'));

	if (str_starts(line, STR("#!")))
		return names_shell(line);
	if (str_starts(line, STR("$ ")))
		line = str_trim(str_from(line, 2));
	return is_command(line, str_trim(rest));
}

/* How many of the fence's characters a line starts with; 0 when it is no fence. */
static size_t
fence_length(struct str line)
{
	size_t n = 0;

	line = str_trim(line);
	if (line.n == 0 || (line.p[0] != '`' && line.p[0] != '~'))
		return 0;
	while (n < line.n && line.p[n] == line.p[0])
		n++;
	return n >= 3 ? n : 0;
}

/* After an opening fence there may be one word, the language. */
static bool
opens_fence(struct str line)
{
	size_t n = fence_length(line);
	struct str language;

	if (!n)
		return false;
	language = str_trim(str_from(str_trim(line), n));
	for (size_t i = 0; i < language.n; i++) {
		if (!is_word_char(language.p[i]) && !memchr("+-.#{}", language.p[i], 6))
			return false;
	}
	return true;
}

static bool
closes_fence(struct str line, struct str opening)
{
	struct str a = str_trim(line), b = str_trim(opening);
	size_t n = fence_length(line);

	return n && n == a.n && n >= fence_length(opening) && a.p[0] == b.p[0];
}

/* Cuts the last line that is not blank off the end: what is before it, and the line. */
static struct str
last_line(struct str s, struct str *ret_before)
{
	size_t start;

	while (s.n && memchr(" \t\r\n", s.p[s.n - 1], 4))
		s.n--;
	start = s.n;
	while (start && s.p[start - 1] != '\n')
		start--;
	*ret_before = (struct str){ s.p, start };
	return str_from(s, start);
}

/* An interpreter line is JavaScript only as the very first thing; a comment may stand anywhere. */
static void
comment_out(struct buf *source, struct str body)
{
	char *at = source->p + source->n - body.n;

	while (body.n && memchr(" \t\r\n", body.p[0], 4)) {
		body = str_from(body, 1);
		at++;
	}
	if (str_starts(body, STR("#!")))
		at[0] = at[1] = '/';
}

/* A source taken apart: blanks, the line of an opening fence, what is fenced. */
struct parts {
	struct str lead, opening, body;
	bool fenced;
};

static struct parts
take_apart(struct str source)
{
	struct parts p;
	struct str rest, closing;
	size_t lead = 0;

	while (lead < source.n && memchr(" \t\r\n", source.p[lead], 4))
		lead++;
	p.lead = (struct str){ source.p, lead };
	rest = str_from(source, lead);
	p.opening = str_split(&rest, '\n');
	closing = last_line(rest, &p.body);
	p.fenced = opens_fence(p.opening) && closes_fence(closing, p.opening);
	return p;
}

static struct str
without_mark(struct str source)
{
	return str_starts(source, STR("\xef\xbb\xbf")) ? str_from(source, 3) : source;
}

enum language
source_language(struct str source)
{
	struct parts p = take_apart(without_mark(source));
	struct str opening = str_trim(p.opening);
	size_t n = 0;

	if (!p.fenced)
		return LANGUAGE_AUTO;
	opening = str_trim(str_from(opening, fence_length(opening)));
	while (n < opening.n && is_word_char(opening.p[n]))
		n++;
	return language_of_fence((struct str){ opening.p, n });
}

enum source_kind
source_prepare(struct str source, struct buf *ret_source)
{
	struct parts p;

	source = without_mark(source);
	p = take_apart(source);
	if (p.fenced) {
		/* The blanks before it hold line feeds that count. */
		buf_add(ret_source, p.lead);
		buf_addc(ret_source, '\n');
		buf_add(ret_source, p.body);
		source = p.body;
	} else {
		buf_add(ret_source, source);
	}
	if (str_trim(source).n == 0)
		return SOURCE_EMPTY;
	/* A hashbang line is a comment at the very start alone, and a script may become a body. */
	if (str_starts(buf_str(ret_source), STR("#!")))
		memcpy(ret_source->p, "//", 2);
	if (is_shell(source))
		return SOURCE_SHELL;
	if (buf_ok(ret_source))
		comment_out(ret_source, source);
	return SOURCE_SCRIPT;
}
