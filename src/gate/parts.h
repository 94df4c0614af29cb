/* SPDX-License-Identifier: MIT */
/*
 * What the readers of lines, words and wrappers share: the parts so far, and how much may still be
 * read. For line.c, word.c, wrapper.c and parts.c alone.
 */
#ifndef GATE_PARTS_H
#define GATE_PARTS_H

#include "base/buf.h"
#include "gate/line.h"

#define READER_FUNCTIONS 16 /* names of functions kept in mind */
#define READER_HERE      8  /* here-documents that wait for the end of their line */

/* One taking apart. */
struct reading {
	struct gate_parts *parts;
	unsigned depth;
	size_t work;
	bool lost; /* not understood: nothing more is read, and the last part says so */
	struct str functions[READER_FUNCTIONS];
	size_t functions_n;
};

struct here {
	struct str end;
	bool strip; /* of tabs in front of lines */
	bool plain; /* nothing in it is expanded */
};

/* One text of it. */
struct reader {
	struct reading *all;
	const char *p;
	size_t n, at;
	struct here here[READER_HERE];
	size_t here_n;
};

/* A word as read. */
struct word {
	struct buf text;
	bool unknown;  /* text is not what the program gets */
	bool quoted;   /* some of it: no reserved word, no name of a function */
	bool odd;      /* what it does is not certain at all */
	bool sets;     /* an expansion in it sets a variable */
	size_t name_n; /* of NAME=: the bytes of NAME, + included */
};

/* A command while it is read. */
struct draft {
	struct str *argv;
	size_t argv_n, argv_room;
	struct gate_redirect *redirects;
	size_t redirects_n, redirects_room;
	unsigned flags;
};

/* Gives up. */
void parts_lose(struct reading *all);
/* Memory that lives as long as the parts. */
void *parts_alloc(struct reading *all, size_t n);
struct str parts_keep(struct reading *all, struct str s);
/* One level further in; false past the limit, which is then lost. */
bool parts_enter(struct reading *all);
void parts_leave(struct reading *all);
/* `argv` and `redirects` are copied, the words themselves are not. NULL past the limit. */
struct gate_command *parts_add(struct reading *all, const struct gate_command *command);
void parts_flag(struct reading *all, unsigned flags);

void draft_done(struct draft *d);
void draft_word(struct draft *d, struct str word);
void draft_redirect(struct draft *d, struct str target, bool write);

void word_done(struct word *w);
/* The next byte without continued lines; -1 at the end. */
int word_peek(struct reader *r);
/* Reads one word; false when there is none here. */
bool word_read(struct reader *r, struct word *ret_word);
/* What an expanded here-document runs. */
void word_here(struct reader *r);

/* All of a text; parts are added to `all`. */
void line_read(struct reading *all, struct str text);
/* Commands up to a closing bracket, which is read as well. */
void line_bracket(struct reader *r);

/* Adds a command, and what it runs in turn. */
void wrapper_add(struct reading *all, const struct gate_command *command);
/* A variable that changes what commands do. */
bool wrapper_variable(struct str name);

#endif
