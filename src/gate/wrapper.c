/* SPDX-License-Identifier: MIT */
/*
 * Commands that run commands: which, by table, and those of one form. Those with a form of their
 * own are special.c.
 */
#include "gate/special.h"

enum how {
	SEEN = 1 << 0,
	KEPT = 1 << 1,
	COVERS = 1 << 2,
	LINE = 1 << 3,
	SETS = 1 << 4, /* words NAME=VALUE may stand in front of the command */
};

enum what { RUNS, RUNS_LINE, WRITES };

struct wrapper_row {
	struct str name;
	const char *options;
	unsigned skip, how;
};

struct option_row {
	struct str name;
	const char *letters;
	struct str longs;
	enum what what;
};

#define TEXT(literal) { (literal), sizeof(literal) - 1 }

static const struct wrapper_row wrappers[] = {
#define WRAPPER(name, options, skip, how) { TEXT(name), options, skip, how },
#include "gate/wrapper.def"
};

static const struct {
	struct str name;
	unsigned (*see)(struct reading *all, const struct gate_command *c);
} specials[] = {
#define SPECIAL(name, function) { TEXT(name), function },
#include "gate/wrapper.def"
};

static const struct {
	struct str name;
	const char *options;
} interpreters[] = {
#define INTERPRETER(name, options) { TEXT(name), options },
#include "gate/wrapper.def"
};

static const struct {
	struct str name;
	unsigned flags;
} flagged[] = {
#define HIDES(name)   { TEXT(name), COMMAND_WRAPPER },
#define UNCLEAR(name) { TEXT(name), COMMAND_UNCLEAR },
#include "gate/wrapper.def"
};

static const struct option_row options[] = {
#define OPTION(name, letters, longs, what) { TEXT(name), letters, TEXT(longs), what },
#include "gate/wrapper.def"
};

static const struct str variables[] = {
#define VARIABLE(name) TEXT(name),
#include "gate/wrapper.def"
};

static const struct str of_git[] = {
#define GIT(name) TEXT(name),
#include "gate/wrapper.def"
};

bool
wrapper_variable(struct str name)
{
	for (size_t i = 0; i < COUNT(variables); i++) {
		struct str row = variables[i];

		if (str_eq(row, name) ||
		    (row.p[row.n - 1] == '*' &&
			str_starts(name, (struct str){ row.p, row.n - 1 })))
			return true;
	}
	return false;
}

bool
wrapper_of_git(struct str name)
{
	for (size_t i = 0; i < COUNT(of_git); i++) {
		if (str_eq(of_git[i], name))
			return true;
	}
	return false;
}

struct str
wrapper_program(struct str word)
{
	const char *slash = word.n ? memrchr(word.p, '/', word.n) : NULL;
	struct str name = slash ? str_from(word, (size_t)(slash - word.p) + 1) : word;

	if (str_starts(name, STR("ld-linux")) || str_starts(name, STR("ld-musl")))
		return STR("ld.so");
	return name;
}

/* ---- options ---- */

static bool
long_option(struct str word, const char *known, bool *ret_value)
{
	struct str rest = str_of(known), name = str_from(word, 2), value = name;
	bool first = true;

	name = str_split(&value, '=');
	*ret_value = false;
	while (rest.n) {
		struct str row = str_split(&rest, ' ');
		bool valued = row.n && row.p[row.n - 1] == '=';

		/* The first are letters. */
		if (!first && str_eq((struct str){ row.p, row.n - valued }, name)) {
			*ret_value = valued && name.n + 2 == word.n;
			return valued || name.n + 2 == word.n;
		}
		first = false;
	}
	return false;
}

static bool
letters_option(struct str word, const char *known, bool *ret_value)
{
	size_t letters = strcspn(known, " ");

	*ret_value = false;
	for (size_t i = 1; i < word.n; i++) {
		const char *at = memchr(known, word.p[i], letters);

		if (!at || word.p[i] == ':')
			return false;
		if (at[1] == ':') {
			*ret_value = i + 1 == word.n;
			return true;
		}
	}
	return true;
}

size_t
wrapper_options(const struct gate_command *c, size_t at, const char *known)
{
	for (; at < c->argv_n; at++) {
		struct str word = c->argv[at];
		bool value;

		if (!word.p)
			return WRAPPER_LOST;
		if (str_eq(word, STR("--")))
			return at + 1;
		if (word.n < 2 || word.p[0] != '-')
			return at;
		if (!(word.p[1] == '-' ? long_option(word, known, &value)
				       : letters_option(word, known, &value)))
			return WRAPPER_LOST;
		at += value;
		if (value && (at >= c->argv_n || !c->argv[at].p))
			return WRAPPER_LOST;
	}
	return at;
}

bool
wrapper_any_unknown(const struct gate_command *c, size_t from)
{
	for (size_t i = from; i < c->argv_n; i++) {
		if (!c->argv[i].p)
			return true;
	}
	return false;
}

/* ---- what is inside ---- */

bool
wrapper_inner(struct reading *all, const struct str *argv, size_t n, unsigned flags)
{
	struct gate_command inner = { .argv = argv, .argv_n = n, .flags = flags };

	if (!n)
		return false;
	if (wrapper_any_unknown(&inner, 0))
		inner.flags |= COMMAND_SUBSTITUTION;
	wrapper_add(all, &inner);
	return true;
}

bool
wrapper_line(struct reading *all, struct str line)
{
	size_t n = all->parts->n;

	if (!utf8_valid(line)) {
		parts_lose(all);
		return false;
	}
	if (parts_enter(all))
		line_read(all, parts_keep(all, line));
	parts_leave(all);
	return all->parts->n > n;
}

/* Words that the program joins with blanks. */
static unsigned
joined(struct reading *all, const struct gate_command *c, size_t from)
{
	auto_done(buf) struct buf line = buf_max(GATE_LINE_MAX);

	if (wrapper_any_unknown(c, from))
		return COMMAND_WRAPPER;
	for (size_t i = from; i < c->argv_n; i++) {
		buf_add(&line, c->argv[i]);
		buf_addc(&line, ' ');
	}
	return wrapper_line(all, buf_str(&line)) ? COMMAND_SEEN : 0;
}

/* NAME=VALUE words from `at` on; where they end. */
size_t
wrapper_settings(const struct gate_command *c, size_t at, unsigned *ret_flags)
{
	for (; at < c->argv_n && c->argv[at].p; at++) {
		struct str rest = c->argv[at], name = str_split(&rest, '=');

		if (name.n == c->argv[at].n)
			break;
		*ret_flags |= COMMAND_ASSIGNMENT;
		if (!name.n || wrapper_variable(name))
			*ret_flags |= COMMAND_UNCLEAR;
	}
	return at;
}

static unsigned
see(struct reading *all, const struct gate_command *c, const struct wrapper_row *w,
    size_t words)
{
	unsigned flags = 0, found;
	size_t at = wrapper_options(c, words, w->options);

	if (str_eq(w->name, STR("command")) && c->argv_n > 1 &&
	    (str_eq(c->argv[1], STR("-v")) || str_eq(c->argv[1], STR("-V"))))
		return 0; /* only says where it is */
	for (unsigned i = 0; i < w->skip && at < c->argv_n; i++) {
		if (!c->argv[at++].p)
			at = WRAPPER_LOST;
	}
	if (at < c->argv_n && w->skip && c->argv[at].p && str_eq(c->argv[at], STR("--")))
		at++;
	if (at != WRAPPER_LOST && w->how & SETS)
		at = wrapper_settings(c, at, &flags);
	if (at == WRAPPER_LOST)
		return COMMAND_WRAPPER;
	if (at >= c->argv_n)
		return flags;
	if (w->how & LINE)
		found = joined(all, c, at);
	else
		found = wrapper_inner(all, c->argv + at, c->argv_n - at,
			    w->how & COVERS ? COMMAND_SEEN : 0)
			    ? COMMAND_SEEN
			    : 0;
	return flags | (w->how & SEEN ? found : found & ~(unsigned)COMMAND_SEEN);
}

/* ---- tables ---- */

/* How many words a row's name takes of the command; 0 when it is another. */
static size_t
named(struct str name, const struct gate_command *c, struct str program, unsigned *ret_flags)
{
	struct str first = str_split(&name, ' ');
	size_t words = 1;

	if (!str_eq(first, program))
		return 0;
	while (name.n) {
		struct str word = str_split(&name, ' ');

		if (words == c->argv_n)
			return 0;
		/* Options in front of the word that says what it does are git's own alone. */
		if (!c->argv[words].p || (c->argv[words].n && c->argv[words].p[0] == '-')) {
			if (!str_eq(program, STR("git")) &&
			    (!c->argv[words].p || words + 1 < c->argv_n))
				*ret_flags |= COMMAND_WRAPPER;
			return 0;
		}
		if (!str_eq(c->argv[words++], word))
			return 0;
	}
	return words;
}

/* Long names may be cut short; one dash will do for some. */
static bool
long_hit(struct str word, struct str names, struct str *ret_value)
{
	struct str rest = word, name;
	size_t dashes = str_starts(word, STR("--")) ? 2 : 1;

	name = str_from(str_split(&rest, '='), dashes);
	if (name.n < (dashes == 2 ? 1u : 3u))
		return false;
	while (names.n) {
		if (str_starts(str_split(&names, ' '), name)) {
			*ret_value = rest;
			return true;
		}
	}
	return false;
}

static bool
option_hit(const struct gate_command *c, size_t i, const struct option_row *row,
    struct str *ret_value)
{
	struct str word = c->argv[i];
	bool old = i == 1 && str_eq(row->name, STR("tar"));

	*ret_value = (struct str){ NULL, 0 };
	if (!word.n || (word.p[0] != '-' && !old))
		return false;
	if (word.p[0] == '-' && long_hit(word, row->longs, ret_value))
		return true;
	if (str_starts(word, STR("--")))
		return false;
	for (size_t k = word.p[0] == '-'; k < word.n; k++) {
		if (strchr(row->letters, word.p[k]) && word.p[k]) {
			*ret_value = str_from(word, k + 1);
			return true;
		}
	}
	return false;
}

static unsigned
see_options(struct reading *all, const struct gate_command *c, const struct option_row *row,
    size_t words)
{
	unsigned flags = 0;

	for (size_t i = words; i < c->argv_n; i++) {
		struct str value;

		if (!c->argv[i].p) {
			flags |= row->what == WRITES ? 0 : COMMAND_WRAPPER;
			continue;
		}
		if (!option_hit(c, i, row, &value))
			continue;
		flags |= row->what == WRITES ? COMMAND_REDIRECTION : COMMAND_WRAPPER;
		if (!value.n && i + 1 < c->argv_n)
			value = c->argv[i + 1];
		if (row->what == RUNS_LINE && value.n)
			wrapper_line(all, value);
	}
	return flags;
}

/* A module of Python's is a file like another, unless it runs the words behind it. */
static bool
is_module(const struct gate_command *c)
{
	static const struct str runs[] = { STR("timeit"), STR("pdb"), STR("code"), STR("trace"),
		STR("profile"), STR("cProfile"), STR("runpy"), STR("doctest") };

	if (c->argv_n < 3 || !str_eq(c->argv[1], STR("-m")) || !c->argv[2].p ||
	    !str_starts(wrapper_program(c->argv[0]), STR("python")))
		return false;
	for (size_t i = 0; i < COUNT(runs); i++) {
		if (str_eq(runs[i], c->argv[2]))
			return false;
	}
	return true;
}

static unsigned
see_interpreter(const struct gate_command *c, const char *known)
{
	static const struct str about[] = { STR("--version"), STR("-V"), STR("--help"),
		STR("-h") };
	size_t at = wrapper_options(c, 1, known);

	for (size_t i = 0; c->argv_n == 2 && c->argv[1].p && i < COUNT(about); i++) {
		if (str_eq(c->argv[1], about[i]))
			return 0;
	}
	if (at == WRAPPER_LOST && is_module(c))
		return 0;
	if (at == WRAPPER_LOST || at >= c->argv_n || !wrapper_is_file(c->argv[at]))
		return COMMAND_WRAPPER;
	return 0;
}

/* Not the program's own input. */
bool
wrapper_is_file(struct str word)
{
	return word.p && !str_eq(word, STR("-")) && !str_starts(word, STR("/dev/")) &&
	       !str_starts(word, STR("/proc/"));
}

static unsigned
by_tables(struct reading *all, const struct gate_command *c)
{
	struct str program = wrapper_program(c->argv[0]);
	unsigned flags = 0;
	size_t words;

	for (size_t i = 0; i < COUNT(flagged); i++) {
		if (named(flagged[i].name, c, program, &flags))
			flags |= flagged[i].flags;
	}
	for (size_t i = 0; i < COUNT(interpreters); i++) {
		if (str_eq(interpreters[i].name, program))
			flags |= see_interpreter(c, interpreters[i].options);
	}
	for (size_t i = 0; i < COUNT(options); i++) {
		words = named(options[i].name, c, program, &flags);
		if (words)
			flags |= see_options(all, c, &options[i], words);
	}
	for (size_t i = 0; i < COUNT(specials); i++) {
		if (str_eq(specials[i].name, program))
			flags |= specials[i].see(all, c);
	}
	for (size_t i = 0; i < COUNT(wrappers); i++) {
		words = named(wrappers[i].name, c, program, &flags);
		if (words)
			flags |= see(all, c, &wrappers[i], words);
	}
	return flags;
}

/* By its name alone, or where the system has it: elsewhere it may be another program. */
static bool
is_the_systems(struct str word)
{
	struct str name = wrapper_program(word);

	return name.n == word.n || (word.n == name.n + 5 && str_starts(word, STR("/bin/"))) ||
	       (word.n == name.n + 9 && str_starts(word, STR("/usr/bin/")));
}

void
wrapper_add(struct reading *all, const struct gate_command *command)
{
	size_t at = all->parts->n;
	unsigned flags = 0;

	if (!parts_add(all, command))
		return;
	if (command->argv_n && command->argv[0].p) {
		if (parts_enter(all))
			flags = by_tables(all, command);
		parts_leave(all);
		if (!is_the_systems(command->argv[0]))
			flags &= ~(unsigned)COMMAND_SEEN;
	}
	all->parts->list[at].flags |= flags;
}
