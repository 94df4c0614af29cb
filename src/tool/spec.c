/* SPDX-License-Identifier: MIT */
#include "tool/spec.h"

#include "base/json.h"

#include <limits.h>

#define PATH_BYTES 4095

const struct tool_spec tool_specs[TOOL_COUNT] = {
	[TOOL_edit_file] = {
		.name = "edit_file",
		.effect = EFFECT_WRITE,
		.text = "Replace one exact, unique text in a file that was read; all other bytes stay.",
		.timeout_s = 60,
		.output_max = MiB(1),
		.returns = "{ path: string; status: \"created\" | \"changed\" | \"unchanged\"; "
			   "sha256: string; was: string | null; bytes: number; "
			   "diff?: { path: string; lang: string; text: string } }",
		.params = {
			{ "path", PARAM_PATH, true, 1, PATH_BYTES, 0, NULL, "File to change." },
			{ "oldText", PARAM_TEXT, true, 0, TOOL_TEXT_MAX, 0, NULL, "Text as it is in the file, byte for byte." },
			{ "newText", PARAM_TEXT, true, 0, TOOL_TEXT_MAX, 0, NULL, "Text to put in its place." },
			{ "expectedHash", PARAM_TEXT, true, 64, 64, 0, NULL, "The sha256 that read_file gave." },
		},
	},
	[TOOL_git_diff] = {
		.name = "git_diff",
		.effect = EFFECT_READ,
		.text = "Show what differs as a patch: files from what is staged, with staged what is "
			"staged from HEAD, with ref from that commit, or between two.",
		.timeout_s = 30,
		.output_max = MiB(2),
		.returns = "{ repository: string; stdout: string; stderr: string; exitCode: number; "
			   "hidden?: number; truncated: boolean }",
		.params = {
			{ "path", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "File or folder of the repository." },
			{ "staged", PARAM_BOOL, false, 0, 1, 0, NULL, "What is staged for the next commit." },
			{ "ref", PARAM_TEXT, false, 1, 512, 0, NULL, "Commit to compare with, or two: a..b, or a...b from where both came from." },
			{ "context", PARAM_INT, false, 0, 1000, 3, NULL, "Unchanged lines around a change." },
		},
	},
	[TOOL_git_status] = {
		.name = "git_status",
		.effect = EFFECT_READ,
		.text = "Show the branch and the files that are changed, staged or new, as git status "
			"--porcelain=v1 does.",
		.timeout_s = 30,
		.output_max = KiB(512),
		.returns = "{ repository: string; stdout: string; stderr: string; exitCode: number; "
			   "hidden?: number; truncated: boolean }",
		.params = {
			{ "path", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "File or folder of the repository." },
		},
	},
	[TOOL_list_files] = {
		.name = "list_files",
		.effect = EFFECT_READ,
		.text = "List the files below a folder, sorted, without those that .gitignore names, "
			"hidden ones and node_modules.",
		.timeout_s = 30,
		.output_max = KiB(256),
		.returns = "{ files: string[]; nextOffset: number | null; truncated: boolean }",
		.params = {
			{ "path", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "Folder to look in." },
			{ "offset", PARAM_INT, false, 0, INT_MAX, 0, NULL, "Files to pass over." },
			{ "limit", PARAM_INT, false, 1, 500, 100, NULL, "Files to return." },
		},
	},
	[TOOL_read_file] = {
		.name = "read_file",
		.effect = EFFECT_READ,
		.text = "Read lines of a text file, numbered, with the file's SHA-256 fingerprint.",
		.timeout_s = 10,
		.output_max = KiB(256),
		.returns = "{ path: string; sha256: string | null; startLine: number; content: string; "
			   "truncated: boolean }",
		.params = {
			{ "path", PARAM_PATH, true, 1, PATH_BYTES, 0, NULL, "File to read." },
			{ "startLine", PARAM_INT, false, 1, INT_MAX, 1, NULL, "First line to return." },
			{ "limit", PARAM_INT, false, 1, 1000, 200, NULL, "Lines to return." },
		},
	},
	[TOOL_run_process] = {
		.name = "run_process",
		.effect = EFFECT_PROCESS,
		.text = "Run one program with an argument array, without a shell. Returns exit code, "
			"both outputs (first and last parts of 32,000 bytes) and duration; what it leaves "
			"running is ended with it.",
		.timeout_s = 140, /* its own comes first, with time to end what it started */
		.output_max = MiB(2),
		.returns = "{ command: string; args: string[]; exitCode: number | null; "
			   "signal: string | null; stdout: string; stderr: string; "
			   "truncated: boolean; durationMs: number; hint?: string }",
		.params = {
			{ "command", PARAM_TEXT, true, 1, PATH_BYTES, 0, NULL, "The program." },
			{ "args", PARAM_LIST, false, 0, RUN_ARGS_MAX, 0, NULL, "Its arguments." },
			{ "cwd", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "Folder to run it in." },
			{ "timeoutMs", PARAM_INT, false, 1, 120000, 30000, NULL, "When it is ended." },
		},
	},
	[TOOL_search_text] = {
		.name = "search_text",
		.effect = EFFECT_READ,
		.text = "Search files for a regular expression with ripgrep, at most 100 matches a file.",
		.timeout_s = 60,
		.output_max = KiB(512),
		.returns = "{ stdout: string; stderr: string; exitCode: number; truncated: boolean }",
		.params = {
			{ "pattern", PARAM_TEXT, true, 1, KiB(16), 0, NULL, "Regular expression." },
			{ "path", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "File or folder to search." },
			{ "literal", PARAM_BOOL, false, 0, 1, 0, NULL, "Take the pattern as plain text." },
		},
	},
	[TOOL_shell] = {
		.name = "shell",
		.effect = EFFECT_PROCESS,
		.text = "Run a command line with /bin/sh, at most 30 seconds. Returns exit code, both outputs "
			"(first and last parts of 32,000 bytes) and duration; what it leaves running is ended "
			"with it.",
		.timeout_s = 50,
		.output_max = MiB(2),
		.returns = "{ command: string; exitCode: number | null; "
			   "signal: string | null; stdout: string; stderr: string; "
			   "truncated: boolean; durationMs: number; hint?: string }",
		.params = {
			{ "command", PARAM_TEXT, true, 1, KiB(64), 0, NULL, "The line." },
			{ "cwd", PARAM_PATH, false, 1, PATH_BYTES, 0, ".", "Folder to run it in." },
		},
	},
	[TOOL_write_file] = {
		.name = "write_file",
		.effect = EFFECT_WRITE,
		.text = "Write a whole file: a new one, with its folders, or one that was read.",
		.timeout_s = 60,
		.output_max = MiB(1),
		.returns = "{ path: string; status: \"created\" | \"changed\" | \"unchanged\"; "
			   "sha256: string; was: string | null; bytes: number; "
			   "diff?: { path: string; lang: string; text: string } }",
		.params = {
			{ "path", PARAM_PATH, true, 1, PATH_BYTES, 0, NULL, "File to write." },
			{ "content", PARAM_TEXT, true, 0, TOOL_TEXT_MAX, 0, NULL, "All of its text." },
			{ "expectedHash", PARAM_TEXT, false, 64, 64, 0, NULL, "The sha256 that read_file gave; left out for a new file." },
		},
	},
};

enum tool_id
tool_named(struct str name)
{
	for (int t = 0; t < TOOL_COUNT; t++) {
		if (str_eq(name, str_of(tool_specs[t].name)))
			return (enum tool_id)t;
	}
	return TOOL_COUNT;
}

const char *
tool_nearest(struct str name)
{
	const char *nearest = NULL;
	unsigned best = 6;

	for (int t = 0; t < TOOL_COUNT; t++) {
		unsigned d = str_distance(name, str_of(tool_specs[t].name));

		if (d < best) {
			best = d;
			nearest = tool_specs[t].name;
		}
	}
	return nearest;
}

const char *
tool_effect_name(enum tool_effect effect)
{
	static const char *const names[] = {
		[EFFECT_READ] = "read",
		[EFFECT_WRITE] = "write",
		[EFFECT_PROCESS] = "process",
		[EFFECT_EXTERNAL] = "external",
		[EFFECT_INTERNAL] = "internal",
	};

	return names[effect];
}

size_t
tool_params_count(const struct tool_spec *spec)
{
	size_t n = 0;

	while (n < TOOL_PARAMS_MAX && spec->params[n].name)
		n++;
	return n;
}

static void
put_bounds(const struct param_spec *p, struct buf *out)
{
	switch (p->kind) {
	case PARAM_PATH:
	case PARAM_TEXT:
		json_put_str(out, "type", STR("string"));
		json_put_u64(out, "minLength", p->least);
		json_put_u64(out, "maxLength", p->most);
		if (p->fallback_text)
			json_put_str(out, "default", str_of(p->fallback_text));
		break;
	case PARAM_LIST:
		json_put_str(out, "type", STR("array"));
		json_put_u64(out, "minItems", p->least);
		json_put_u64(out, "maxItems", p->most);
		json_open(out, "items", '{');
		json_put_str(out, "type", STR("string"));
		json_close(out, '}');
		break;
	case PARAM_INT:
		json_put_str(out, "type", STR("integer"));
		json_put_u64(out, "minimum", p->least);
		json_put_u64(out, "maximum", p->most);
		if (!p->required)
			json_put_u64(out, "default", p->fallback);
		break;
	case PARAM_BOOL:
		json_put_str(out, "type", STR("boolean"));
		if (!p->required)
			json_put_bool(out, "default", p->fallback != 0);
		break;
	}
}

void
tool_schema(const struct tool_spec *spec, struct buf *ret_json)
{
	size_t n = tool_params_count(spec);

	json_open(ret_json, NULL, '{');
	json_put_str(ret_json, "type", STR("object"));
	json_open(ret_json, "properties", '{');
	for (size_t i = 0; i < n; i++) {
		json_open(ret_json, spec->params[i].name, '{');
		put_bounds(&spec->params[i], ret_json);
		json_put_str(ret_json, "description", str_of(spec->params[i].text));
		json_close(ret_json, '}');
	}
	json_close(ret_json, '}');
	json_open(ret_json, "required", '[');
	for (size_t i = 0; i < n; i++) {
		if (spec->params[i].required)
			json_put_str(ret_json, NULL, str_of(spec->params[i].name));
	}
	json_close(ret_json, ']');
	json_put_bool(ret_json, "additionalProperties", false);
	json_close(ret_json, '}');
}
