/* SPDX-License-Identifier: MIT */
/*
 * What a tool promises: the one table from which come its schema for models and clients, the
 * check of its inputs, what the gate judges, and the lists that people see. A review of what can
 * be asked for is a review of spec.c.
 */
#ifndef TOOL_SPEC_H
#define TOOL_SPEC_H

#include "base/buf.h"
#include "base/err.h"

#define TOOL_PARAMS_MAX 8
#define TOOL_TEXT_MAX   MiB(1)   /* one text given as input */
#define RUN_ARGS_MAX    4096     /* arguments of run_process */
#define TOOL_LIST_MAX   KiB(128) /* all texts of a list, a NUL after each */

enum tool_id {
#define TOOL(name) TOOL_##name,
#include "tool/tools.def"
#undef TOOL
	TOOL_COUNT
};

enum tool_effect {
	EFFECT_READ,
	EFFECT_WRITE,
	EFFECT_PROCESS,
	EFFECT_EXTERNAL,
	EFFECT_INTERNAL,
	EFFECT_COUNT
};

enum param_kind {
	PARAM_PATH, /* relative to the workspace, or absolute; checked by the path rules */
	PARAM_TEXT,
	PARAM_LIST, /* texts without NUL, as a program gets its arguments */
	PARAM_INT,
	PARAM_BOOL,
};

struct param_spec {
	const char *name;
	enum param_kind kind;
	bool required;
	uint64_t least, most; /* of a number, of a text's bytes, or of a list's texts */
	uint64_t fallback;    /* a number or switch that is not given */
	const char *fallback_text;
	const char *text;
};

struct tool_spec {
	const char *name;
	enum tool_effect effect;
	const char *text; /* what the model reads */
	unsigned timeout_s;
	size_t output_max;   /* bytes of its result */
	const char *returns; /* its result as a TypeScript type, for scripts; NULL: any */
	struct param_spec params[TOOL_PARAMS_MAX];
};

extern const struct tool_spec tool_specs[TOOL_COUNT];

/* The tool of that name; TOOL_COUNT for none. */
enum tool_id tool_named(struct str name);
/* The known name nearest to it; NULL when none is near. */
const char *tool_nearest(struct str name);
const char *tool_effect_name(enum tool_effect effect);
size_t tool_params_count(const struct tool_spec *spec);
/* The JSON Schema (2020-12) of the tool's input. */
void tool_schema(const struct tool_spec *spec, struct buf *ret_json);

#endif
