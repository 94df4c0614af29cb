/* SPDX-License-Identifier: MIT */
/*
 * Which tools are shown to an MCP client, and how: js_run with the declarations of what a script may
 * call, and each tool that the policy offers. Made from what the broker says there is.
 */
#ifndef MCP_CATALOGUE_H
#define MCP_CATALOGUE_H

#include "mcp/server.h"

#define CATALOGUE_JS_RUN "js_run"

/*
 * Up to so many bytes of declarations stand in js_run's description; a catalogue with more is named
 * there and declared in the resource crisol://tools.
 */
#define CATALOGUE_DECLARED_MAX KiB(12)

enum catalogue_form { CATALOGUE_DECLARED, CATALOGUE_NAMED, CATALOGUE_FORMS };

/* Whether scripts are switched on. */
bool catalogue_has_js(const struct yyjson_val *config);
/* The tool that the broker has under that name, offered or not: calling it then says why not. */
const struct yyjson_val *catalogue_tool(const struct server *s, struct str name);
/* "; did you mean X?", if there is one. */
void catalogue_put_nearest(const struct server *s, struct str name, struct buf *out);
/* The routing rule, for a client's system prompt. */
void catalogue_instructions(const struct yyjson_val *config, struct buf *out);
/* tools/list's array for that version, from what ASK_TOOLS and ASK_CONFIG answered. */
void catalogue_write(const struct yyjson_val *tools, const struct yyjson_val *config,
    enum mcp_version version, struct buf *ret_json);
/*
 * A call's arguments as a run: m's texts point into them and into ret_args. ERR_INVALID and ERR_LIMIT
 * name the argument, what was expected and what came.
 */
int catalogue_js_arguments(const struct server *s, const struct yyjson_val *arguments,
    struct msg_run_start *m, struct buf *ret_args, struct err *e) must_use;
/* How tools are shown in js_run's description, by their size. */
enum catalogue_form catalogue_form(const struct yyjson_val *tools);
/* js_run's description. */
void catalogue_js_text(const struct yyjson_val *tools, enum catalogue_form form,
    struct buf *out);
/* js_run alone, as it is in the list. */
void catalogue_write_js(const struct yyjson_val *tools, const struct yyjson_val *config,
    enum mcp_version version, enum catalogue_form form, struct buf *ret_json);
/* A row of ASK_CONFIG's answer; NULL for a key that is not there. */
const struct yyjson_val *catalogue_key(const struct yyjson_val *config, const char *key);

#endif
