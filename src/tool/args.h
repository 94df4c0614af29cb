/* SPDX-License-Identifier: MIT */
/*
 * A call's input, checked against its tool's row: what was given has the right name, kind and
 * size, what was not given has its default, nothing else is there. Errors name the field, what was
 * expected and what came.
 *
 *	auto_done(args) struct args in = { 0 };
 *	r = args_read(&in, &tool_specs[TOOL_read_file], json, &e);
 *	path = args_text(&in, "path");
 */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "base/json.h"
#include "tool/spec.h"

struct args {
	const struct tool_spec *spec;
	struct json *doc;
	struct {
		struct str text;
		uint64_t number;
		const struct yyjson_val *list;
		bool given;
	} value[TOOL_PARAMS_MAX];
};

/* ERR_INVALID or ERR_LIMIT. The args own the parsed text; args_done releases it. */
int args_read(struct args *in, const struct tool_spec *spec, struct str json,
    struct err *e) must_use;
void args_done(struct args *in);
struct str args_text(const struct args *in, const char *name);
uint64_t args_number(const struct args *in, const char *name);
/* The texts of a list: how many, and each. None when it was not given. */
size_t args_list_size(const struct args *in, const char *name);
struct str args_list_text(const struct args *in, const char *name, size_t at);

#endif
