/* SPDX-License-Identifier: MIT */
/*
 * Configuration: the table options.def and its one reader.
 *
 * A file is one strict JSON object, nested by the dots of the keys. What is in the table with a
 * value in its range counts; anything else is an error naming file, key and what is allowed.
 * Files are applied in order, the user's own first. A project's file may only lower a number or
 * switch something off, and only where the table says so: another value is left out with a
 * notice.
 *
 *	struct conf conf;
 *	conf_defaults(&conf);
 *	r = conf_apply(&conf, text, "/home/me/.config/crisol/config.json", CONF_USER, &notices, &e);
 *	ms = conf.value[OPT_js_timeout_ms];
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include "base/buf.h"
#include "base/err.h"

enum option {
#define OPTION(id, key, kind, fallback, least, most, project, words) OPT_##id,
#include "conf/options.def"
#undef OPTION
	OPT_COUNT
};

/*
 * LISTs add up over the files; whoever uses one reads its JSON (conf_list). Of TEXTs the last counts
 * (conf_text).
 */
enum option_kind { OPTION_NUMBER, OPTION_SWITCH, OPTION_WORD, OPTION_LIST, OPTION_TEXT };
/* ADD: what a project's list has counts too, as far as the list's owner lets it. */
enum option_project { PROJECT_NOTHING, PROJECT_LOWER, PROJECT_ADD };
enum conf_layer { CONF_USER, CONF_PROJECT };

struct option_spec {
	const char *key;
	enum option_kind kind;
	uint64_t fallback, least, most;
	enum option_project project;
	const char *words; /* of a WORD, by its value, separated by blanks */
};

extern const struct option_spec option_specs[OPT_COUNT];

/* A list or text as one file has it. */
struct conf_list {
	struct conf_list *next;
	enum option option;
	enum conf_layer layer;
	struct buf file, json;
};

struct conf {
	uint64_t value[OPT_COUNT];
	bool set[OPT_COUNT];     /* by a file */
	struct conf_list *lists; /* in order of the files */
};

void conf_defaults(struct conf *ret_conf);
/* Every key as if no file had been read; lists that were read stay in memory until conf_done. */
void conf_unset(struct conf *conf);
void conf_done(struct conf *conf);
/*
 * Adds a file's values. `name` is for messages. Notices, one a line, go to ret_notices. On
 * ERR_INVALID or ERR_LIMIT conf is unchanged.
 */
int conf_apply(struct conf *conf, struct str text, const char *name, enum conf_layer layer,
    struct buf *ret_notices, struct err *e) must_use;
/* [{key, value, default, least, most, words, set, project}] as JSON; lists are there as a whole. */
void conf_write(const struct conf *conf, struct buf *ret_json);
/* Appends the text of a TEXT option, nothing when it is not set. */
void conf_text(const struct conf *conf, enum option o, struct buf *ret_text);
/* The word a WORD option's value stands for. */
struct str conf_word(enum option o, uint64_t value);

#endif
