/* SPDX-License-Identifier: MIT */
#include "gate/special.h"

static bool
is_any(struct str word, const char *words)
{
	struct str rest = str_of(words);

	while (rest.n) {
		if (str_eq(str_split(&rest, ' '), word))
			return true;
	}
	return false;
}

static bool
holds(struct str text, struct str part)
{
	return text.n >= part.n && memmem(text.p, text.n, part.p, part.n);
}

/* ---- shells ---- */

/* Where the operands of a shell begin; ret_line: behind -c. WRAPPER_LOST for other options. */
static size_t
shell_options(const struct gate_command *c, bool *ret_line)
{
	size_t at = 1;

	*ret_line = false;
	for (; at < c->argv_n && c->argv[at].p; at++) {
		struct str word = c->argv[at];
		bool name = false;

		if (str_eq(word, STR("--")) || str_eq(word, STR("-")))
			return at + 1;
		if (word.n < 2 || (word.p[0] != '-' && word.p[0] != '+'))
			return at;
		if (is_any(word, "--login --noprofile --norc --posix"))
			continue;
		for (size_t i = 1; i < word.n; i++) {
			if (!strchr("ceuxvlfnCo", word.p[i]))
				return WRAPPER_LOST;
			*ret_line = *ret_line || word.p[i] == 'c';
			name = name || word.p[i] == 'o';
		}
		at += name;
	}
	return at < c->argv_n ? WRAPPER_LOST : at;
}

unsigned
see_shell(struct reading *all, const struct gate_command *c)
{
	bool line;
	size_t at = shell_options(c, &line);

	if (at == WRAPPER_LOST || at >= c->argv_n || !wrapper_is_file(c->argv[at]))
		return COMMAND_WRAPPER;
	if (!line)
		return 0;
	return wrapper_line(all, c->argv[at]) ? COMMAND_SEEN : 0;
}

/* What it runs is looked at, but it may read the line in another way. */
unsigned
see_other_shell(struct reading *all, const struct gate_command *c)
{
	unsigned flags = see_shell(all, c);

	return flags & COMMAND_SEEN ? COMMAND_WRAPPER : flags;
}

unsigned
see_trap(struct reading *all, const struct gate_command *c)
{
	size_t at = c->argv_n > 1 && str_eq(c->argv[1], STR("--")) ? 2 : 1;

	if (at >= c->argv_n || is_any(c->argv[at], "- -p -l"))
		return 0;
	if (!c->argv[at].p)
		return COMMAND_WRAPPER;
	return wrapper_line(all, c->argv[at]) ? COMMAND_SEEN : 0;
}

/* Options under which lines are read as they stand here. */
unsigned
see_set(struct reading *all, const struct gate_command *c)
{
	(void)all;
	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		if (!word.p)
			return COMMAND_UNCLEAR;
		if (str_eq(word, STR("--")))
			return 0;
		if (word.n < 2 || (word.p[0] != '-' && word.p[0] != '+')) {
			if (!is_any(word,
				"pipefail errexit nounset xtrace noclobber noglob verbose"))
				return i == 1 ? 0 : COMMAND_UNCLEAR;
			continue;
		}
		for (size_t k = 1; k < word.n; k++) {
			if (!strchr("euxvfCo", word.p[k]))
				return COMMAND_UNCLEAR;
		}
	}
	return 0;
}

/* ---- builtins that set variables, and evaluate subscripts on the way ---- */

static unsigned
setting(struct str word)
{
	struct str rest = word, name;

	if (!word.n)
		return COMMAND_UNCLEAR;
	name = str_split(&rest, '=');
	if (name.n && name.p[name.n - 1] == '+')
		name.n--;
	return (name.n && memchr(name.p, '[', name.n)) || wrapper_variable(name) ||
		       holds(rest, STR("$(")) || holds(rest, STR("`"))
		   ? COMMAND_UNCLEAR
		   : 0;
}

unsigned
see_setting(struct reading *all, const struct gate_command *c)
{
	unsigned flags = 0;

	(void)all;
	/* These set one with an option alone. */
	if (is_any(c->argv[0], "printf wait") && c->argv_n > 1 && c->argv[1].p &&
	    !str_starts(c->argv[1], STR("-")))
		return 0;
	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		flags |= COMMAND_ASSIGNMENT | setting(word);
		/* Names of names, numbers, functions. */
		if (word.p && word.n && word.p[0] == '-' &&
		    (memchr(word.p, 'n', word.n) || memchr(word.p, 'i', word.n) ||
			memchr(word.p, 'f', word.n)))
			flags |= COMMAND_UNCLEAR;
	}
	return flags;
}

unsigned
see_test(struct reading *all, const struct gate_command *c)
{
	(void)all;
	for (size_t i = 1; i < c->argv_n; i++) {
		if (str_eq(c->argv[i], STR("-v")) || str_eq(c->argv[i], STR("-R")))
			return COMMAND_UNCLEAR;
	}
	return 0;
}

/* ---- env, xargs, find ---- */

/* The one word behind -S, split where that needs no rules of its own; false where it does. */
static bool
split_words(struct reading *all, struct draft *d, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!text.p[i] || strchr("\\\"'#$", text.p[i]))
			return false;
	}
	text = str_trim(text);
	while (text.n) {
		struct str word = str_split(&text, ' ');

		if (word.n)
			draft_word(d, parts_keep(all, word));
	}
	return true;
}

static unsigned
env_split(struct reading *all, const struct gate_command *c, size_t at)
{
	struct draft d = { 0 };
	struct gate_command again;
	struct str text = c->argv[at];
	unsigned flags = COMMAND_WRAPPER;

	/* "-S TEXT", "-STEXT", "--split-string=TEXT" */
	if (str_starts(text, STR("--")))
		text = str_from(text, STR("--split-string=").n);
	else
		text = str_from(text, 2);
	if (!text.n && at + 1 < c->argv_n)
		text = c->argv[++at];
	draft_word(&d, c->argv[0]);
	if (text.p && split_words(all, &d, text)) {
		for (size_t i = at + 1; i < c->argv_n; i++)
			draft_word(&d, c->argv[i]);
		again = (struct gate_command){ .argv = d.argv, .argv_n = d.argv_n };
		if (parts_enter(all) && wrapper_options(&again, 1, "") == 1)
			flags = see_env(all, &again);
		else
			flags = COMMAND_WRAPPER;
		parts_leave(all);
	}
	draft_done(&d);
	return flags;
}

unsigned
see_env(struct reading *all, const struct gate_command *c)
{
	unsigned flags = 0;
	size_t at =
	    wrapper_options(c, 1, "iu:C:0v ignore-environment unset= chdir= null debug");

	if (at == WRAPPER_LOST) {
		if (c->argv[1].p && (str_starts(c->argv[1], STR("-S")) ||
					str_starts(c->argv[1], STR("--split-string="))))
			return env_split(all, c, 1);
		return COMMAND_WRAPPER;
	}
	/* A single dash is -i. */
	at += at < c->argv_n && str_eq(c->argv[at], STR("-"));
	if (at > 1)
		flags = COMMAND_ASSIGNMENT;
	at = wrapper_settings(c, at, &flags);
	if (at >= c->argv_n)
		return 0;
	if (!c->argv[at].p)
		return COMMAND_WRAPPER;
	wrapper_inner(all, c->argv + at, c->argv_n - at, flags);
	return COMMAND_SEEN;
}

/* Not those whose value is optional, as --replace. */
#define XARGS                                                                            \
	"0rtxopn:P:L:s:d:a:E:I: null no-run-if-empty verbose exit max-args= max-procs= " \
	"delimiter= arg-file="

/* What stands for the input in the words behind -I; p == NULL when any of them may. */
static bool
replaced(const struct gate_command *c, size_t end, struct str *ret_sign)
{
	for (size_t i = 1; i < end; i++) {
		struct str word = c->argv[i];

		if (str_starts(word, STR("-I"))) {
			*ret_sign = str_from(word, 2);
			if (!ret_sign->n && i + 1 < end)
				*ret_sign = c->argv[i + 1];
			return true;
		}
		if (word.n > 2 && word.p[0] == '-' && word.p[1] != '-' &&
		    memchr(word.p, 'I', word.n)) {
			*ret_sign = (struct str){ NULL, 0 };
			return true;
		}
	}
	return false;
}

unsigned
see_xargs(struct reading *all, const struct gate_command *c)
{
	struct draft d = { 0 };
	struct str sign = { NULL, 0 };
	size_t at = wrapper_options(c, 1, XARGS);
	bool replace;

	if (at == WRAPPER_LOST)
		return COMMAND_WRAPPER;
	replace = replaced(c, at, &sign);
	if (at >= c->argv_n)
		return 0;
	for (size_t i = at; i < c->argv_n; i++) {
		bool input = replace && (!sign.n || holds(c->argv[i], sign));

		draft_word(&d, input ? (struct str){ NULL, 0 } : c->argv[i]);
	}
	if (!replace)
		draft_word(&d, (struct str){ NULL, 0 });
	wrapper_inner(all, d.argv, d.argv_n, 0);
	draft_done(&d);
	return COMMAND_SEEN;
}

/* The words behind -exec, with the path's in place of {}; where they end. */
static size_t
find_exec(struct reading *all, const struct gate_command *c, size_t at)
{
	struct draft d = { 0 };

	for (; at < c->argv_n; at++) {
		bool path = holds(c->argv[at], STR("{}"));

		if (str_eq(c->argv[at], STR(";")) ||
		    (str_eq(c->argv[at], STR("+")) && d.argv_n && !d.argv[d.argv_n - 1].p))
			break;
		draft_word(&d, path ? (struct str){ NULL, 0 } : c->argv[at]);
	}
	wrapper_inner(all, d.argv, d.argv_n, 0);
	draft_done(&d);
	return at;
}

unsigned
see_find(struct reading *all, const struct gate_command *c)
{
	unsigned flags = 0;

	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		if (!word.p)
			flags |= COMMAND_WRAPPER;
		else if (is_any(word, "-exec -execdir -ok -okdir"))
			i = find_exec(all, c, i + 1);
		else if (is_any(word, "-delete -fprint -fprint0 -fprintf -fls"))
			flags |= COMMAND_REDIRECTION;
	}
	return flags;
}

/* ---- git ---- */

#define GIT_HARMLESS                                                               \
	"--no-pager -P --no-optional-locks --literal-pathspecs --icase-pathspecs " \
	"--glob-pathspecs"

/* An option in front of git's command: how many words it takes, 0 for none. */
static size_t
git_option(const struct gate_command *c, size_t at, unsigned *ret_flags)
{
	struct str word = c->argv[at];

	if (word.n < 2 || word.p[0] != '-')
		return 0;
	if (is_any(word, GIT_HARMLESS))
		return 1;
	*ret_flags &= ~(unsigned)COMMAND_SEEN;
	/* A value that is not known may be several words. */
	if (at + 1 < c->argv_n && !c->argv[at + 1].p)
		*ret_flags |= COMMAND_WRAPPER;
	if (is_any(word, "-C --git-dir --work-tree --namespace"))
		return 2;
	if (str_starts(word, STR("--git-dir=")) || str_starts(word, STR("--work-tree=")) ||
	    str_eq(word, STR("--bare")))
		return 1;
	*ret_flags |= COMMAND_WRAPPER;
	return is_any(word, "-c --config-env --exec-path --attr-source --super-prefix") ? 2 : 1;
}

unsigned
see_git(struct reading *all, const struct gate_command *c)
{
	struct draft d = { 0 };
	unsigned flags = COMMAND_SEEN;
	size_t at = 1, words = 0;

	if (c->argv_n == 2 && c->argv[1].p && wrapper_of_git(c->argv[1]))
		return 0;
	do {
		if (at >= c->argv_n || !c->argv[at].p)
			return at >= c->argv_n && at == 1 ? 0 : COMMAND_WRAPPER;
		words = git_option(c, at, &flags);
		at += words;
	} while (words);
	if (!wrapper_of_git(c->argv[at]))
		return COMMAND_WRAPPER;
	for (size_t i = at; i < c->argv_n; i++) {
		/* A transport that is a command. */
		if (str_starts(c->argv[i], STR("ext::")))
			flags |= COMMAND_WRAPPER;
	}
	if (at == 1)
		return flags & ~(unsigned)COMMAND_SEEN;
	draft_word(&d, STR("git"));
	for (size_t i = at; i < c->argv_n; i++)
		draft_word(&d, c->argv[i]);
	wrapper_inner(all, d.argv, d.argv_n, 0);
	draft_done(&d);
	return flags;
}

/* ---- languages in words ---- */

/* Past a delimited text that starts behind text[at]; past the end when it does not end. */
static size_t
past_delimited(struct str text, size_t at, char delimiter)
{
	for (at++; at < text.n && text.p[at] != delimiter; at++)
		at += text.p[at] == '\\';
	return at;
}

static size_t
past_address(struct str s, size_t at)
{
	while (at < s.n && s.p[at] && strchr("0123456789$,~+! \t/\\", s.p[at])) {
		if (s.p[at] == '\\')
			at++;
		if (at < s.n && (s.p[at] == '/' || s.p[at - (at > 0)] == '\\'))
			at = past_delimited(s, at, s.p[at]);
		at++;
		/* Signs behind a pattern. */
		while (at < s.n && at > 1 && s.p[at - 1] == '/' && s.p[at] &&
		       strchr("IM", s.p[at]))
			at++;
	}
	return at;
}

/* Whether a script of sed does nothing but edit. */
static bool
sed_edits(struct str s)
{
	size_t at = 0;

	while (at < s.n) {
		char c;

		at = past_address(s, at);
		if (at >= s.n)
			return true;
		c = s.p[at];
		if (c == 's' || c == 'y') {
			char delimiter = at + 1 < s.n ? s.p[at + 1] : '\0';

			at = past_delimited(s, at + 1, delimiter);
			at = past_delimited(s, at, delimiter) + 1;
			while (at < s.n && s.p[at] && strchr("gpiIM0123456789", s.p[at]))
				at++;
		} else if (c && strchr("pdqQDPNnhHGgx=l{};\n", c)) {
			at++;
		} else {
			return false;
		}
		if (at < s.n && (!s.p[at] || !strchr("};\n \t", s.p[at])) &&
		    !strchr("{};\n", c))
			return false;
	}
	return true;
}

#define SED                                                                                 \
	"nErsuze:i expression= regexp-extended quiet silent separate null-data unbuffered " \
	"posix"

/* One word of letters; false when it holds a script that does more. *ret_i: the next word is taken. */
static bool
sed_letters(const struct gate_command *c, size_t *ret_i, unsigned *ret_flags, bool *ret_script)
{
	struct str word = c->argv[*ret_i], text;
	const char *e = memchr(word.p, 'e', word.n);

	if (memchr(word.p, 'i', word.n))
		*ret_flags |= COMMAND_REDIRECTION;
	if (!e)
		return true;
	/* Its text is the rest of the word, or the next. */
	text = str_from(word, (size_t)(e - word.p) + 1);
	*ret_script = true;
	if (!text.n && *ret_i + 1 < c->argv_n)
		text = c->argv[++*ret_i];
	return sed_edits(text);
}

unsigned
see_sed(struct reading *all, const struct gate_command *c)
{
	size_t at = wrapper_options(c, 1, SED);
	unsigned flags = 0;
	bool script = false;

	(void)all;
	if (at == WRAPPER_LOST)
		return COMMAND_WRAPPER;
	for (size_t i = 1; i < at; i++) {
		if (str_starts(c->argv[i], STR("--expression")))
			return COMMAND_WRAPPER;
		if (!str_starts(c->argv[i], STR("--")) && !sed_letters(c, &i, &flags, &script))
			return COMMAND_WRAPPER;
	}
	/* Options may stand behind files as well. */
	for (size_t i = at; i < c->argv_n; i++) {
		if (!c->argv[i].p || (c->argv[i].n > 1 && c->argv[i].p[0] == '-'))
			return COMMAND_WRAPPER;
	}
	if (!script && (at >= c->argv_n || !sed_edits(c->argv[at])))
		return COMMAND_WRAPPER;
	return flags;
}

unsigned
see_awk(struct reading *all, const struct gate_command *c)
{
	size_t at = wrapper_options(c, 1, "F:v: field-separator= assign=");
	struct str text;

	(void)all;
	if (at == WRAPPER_LOST || at >= c->argv_n || !c->argv[at].p)
		return COMMAND_WRAPPER;
	text = c->argv[at];
	if (holds(text, STR("system")) || holds(text, STR("@")))
		return COMMAND_WRAPPER;
	for (size_t i = 0; i < text.n; i++) {
		bool twice = i + 1 < text.n && text.p[i + 1] == '|';

		if (text.p[i] == '|' && !twice)
			return COMMAND_WRAPPER;
		i += text.p[i] == '|';
	}
	if (holds(text, STR("getline")) || (holds(text, STR("print")) && holds(text, STR(">"))))
		return COMMAND_REDIRECTION;
	return 0;
}

/* ---- editors, pagers, make ---- */

/* Words that begin with a plus are commands, unless they are the number of a line. */
unsigned
see_plus(struct reading *all, const struct gate_command *c)
{
	unsigned flags = 0;

	(void)all;
	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		if (!word.p ||
		    (word.n > 1 && word.p[0] == '+' && (word.p[1] < '0' || word.p[1] > '9')))
			flags = COMMAND_WRAPPER;
	}
	return flags;
}

unsigned
see_dots(struct reading *all, const struct gate_command *c)
{
	(void)all;
	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		if (!word.p || (word.n && word.p[0] == '.') || holds(word, STR("\n.")) ||
		    is_any(word, "-cmd --cmd -init --init") ||
		    holds(word, STR("load_extension")) || holds(word, STR("writefile")) ||
		    holds(word, STR("edit(")))
			return COMMAND_WRAPPER;
	}
	/* Without a statement it reads its input. */
	return c->argv_n < 3 ? COMMAND_WRAPPER : 0;
}

unsigned
see_make(struct reading *all, const struct gate_command *c)
{
	(void)all;
	for (size_t i = 1; i < c->argv_n; i++) {
		struct str word = c->argv[i];

		if (!word.p || str_starts(word, STR("SHELL")) ||
		    str_starts(word, STR("--ev")) || str_starts(word, STR("-E")) ||
		    str_starts(word, STR(".SHELL")) || holds(word, STR("$(")) ||
		    holds(word, STR("`")))
			return COMMAND_WRAPPER;
	}
	return 0;
}
