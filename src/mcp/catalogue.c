/* SPDX-License-Identifier: MIT */
#include "mcp/catalogue.h"

#include "ipc/language.h"
#include "mcp/dts.h"

#define KEY "forge.javascript."

/* js_run's arguments, once: schema, checks, and where each goes. */
enum js_kind { JS_TEXT, JS_OBJECT, JS_NUMBER, JS_WORD };

static const struct js_argument {
	const char *name;
	enum js_kind kind;
	const char *key; /* of the configuration, with bounds and default */
	size_t field;    /* of msg_run_start */
	size_t max;      /* bytes of a text */
	const char *text;
} js_arguments[] = {
	{ "code", JS_TEXT, NULL, offsetof(struct msg_run_start, source), SOURCE_MAX,
	    "The script. return gives its value; await works at the top level." },
	{ "codePath", JS_TEXT, NULL, offsetof(struct msg_run_start, code_path), NAME_MAX_BYTES,
	    "In place of code: a script in the session's scratchpad." },
	{ "args", JS_OBJECT, NULL, offsetof(struct msg_run_start, args), ARGS_MAX,
	    "What the script sees as args." },
	{ "language", JS_WORD, NULL, offsetof(struct msg_run_start, language), 0,
	    "Types are taken out, not checked." },
	{ "timeoutMs", JS_NUMBER, KEY "timeoutMs", offsetof(struct msg_run_start, timeout_ms),
	    0, "Stop it after so many milliseconds." },
	{ "cpuMs", JS_NUMBER, KEY "cpuMs", offsetof(struct msg_run_start, cpu_ms), 0,
	    "Stop it after so many milliseconds of processor time." },
	{ "memoryBytes", JS_NUMBER, KEY "memoryBytes",
	    offsetof(struct msg_run_start, memory_bytes), 0, "Memory it may use." },
	{ "maxToolCalls", JS_NUMBER, KEY "maxToolCalls",
	    offsetof(struct msg_run_start, max_tool_calls), 0, "Calls of tools it may make." },
	{ "maxConcurrency", JS_NUMBER, KEY "maxConcurrency",
	    offsetof(struct msg_run_start, max_concurrency), 0,
	    "How many of its calls run at once." },
	{ "maxOutputChars", JS_NUMBER, KEY "maxOutputChars",
	    offsetof(struct msg_run_start, max_output_chars), 0,
	    "Value and text are cut after so many characters." },
};

const struct yyjson_val *
catalogue_key(const struct yyjson_val *config, const char *key)
{
	struct str name;

	for (size_t i = 0; i < json_size(config); i++) {
		const struct yyjson_val *row = json_nth(config, i, &name);

		if (str_eq(json_str(json_at(row, "key")), str_of(key)))
			return row;
	}
	return NULL;
}

bool
catalogue_has_js(const struct yyjson_val *config)
{
	return json_bool(json_at(catalogue_key(config, KEY "enabled"), "value"));
}

const struct yyjson_val *
catalogue_tool(const struct server *s, struct str name)
{
	const struct yyjson_val *tools = json_root(s->tools);
	struct str unused;

	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &unused);

		if (str_eq(json_str(json_at(tool, "name")), name))
			return tool;
	}
	return NULL;
}

void
catalogue_put_nearest(const struct server *s, struct str name, struct buf *out)
{
	const struct yyjson_val *tools = json_root(s->tools);
	struct str nearest = { NULL, 0 }, unused;
	unsigned best = 6;

	for (size_t i = 0; i <= json_size(tools); i++) {
		struct str candidate =
		    i < json_size(tools)
			? json_str(json_at(json_nth(tools, i, &unused), "name"))
			: STR(CATALOGUE_JS_RUN);
		unsigned d = str_distance(name, candidate);

		if (d < best) {
			best = d;
			nearest = candidate;
		}
	}
	if (nearest.n)
		buf_addf(out, "; did you mean %.*s?", STR_ARG(nearest));
}

/* ---- texts ---- */

void
catalogue_instructions(const struct yyjson_val *config, struct buf *out)
{
	if (catalogue_has_js(config))
		buf_add(out,
		    STR("To combine, filter or page through results, or to fan out over many "
			"items, write one script and pass it to js_run: its tools.* are the "
			"tools "
			"listed here, and only what it returns comes back. For a single call "
			"use "
			"the tool itself. js_run's description has the declarations; the "
			"resource "
			"crisol://guide says how scripts work and fail. "));
	buf_add(out,
	    STR("A policy judges every call and nobody can be asked here: what it refuses "
		"comes "
		"back as an error whose text names the flag or setting with which the person "
		"would start crisol."));
}

enum catalogue_form
catalogue_form(const struct yyjson_val *tools)
{
	auto_done(buf) struct buf declared = buf_max(CATALOGUE_DECLARED_MAX);

	dts_write(tools, &declared);
	return buf_ok(&declared) ? CATALOGUE_DECLARED : CATALOGUE_NAMED;
}

void
catalogue_js_text(const struct yyjson_val *tools, enum catalogue_form form, struct buf *out)
{
	struct str name;

	buf_add(out,
	    STR("Run a JavaScript or TypeScript script in an isolated VM and get back what it "
		"returns. Use it to combine, filter, page through or fan out over tool calls: "
		"intermediate results stay in the script. It has no files, network, modules or "
		"timers beyond its deadline; what it may do it does by `await "
		"tools.NAME(input)`. "
		"Promise.all runs calls side by side. A refused or failed call throws an Error "
		"with "
		"code and hint. console.log and text(...) go to the text output, "
		"progress({note, "
		"completed, total}) reports on the way, state keeps values for the next "
		"script."));
	if (form == CATALOGUE_DECLARED) {
		buf_add(out, STR("\n\n```ts\n"));
		dts_write(tools, out);
		buf_add(out, STR("```"));
		return;
	}
	buf_add(out, STR("\n\nDeclared in the resource crisol://tools:"));
	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &name);

		if (dts_offered(tool))
			buf_addf(out, " tools.%.*s", STR_ARG(json_str(json_at(tool, "name"))));
	}
}

/* "read_file" is shown as "Read file". */
static void
put_title(struct str name, struct buf *out)
{
	auto_done(buf) struct buf title = buf_max(KiB(2));

	buf_add(&title, name);
	for (size_t i = 0; i < title.n; i++) {
		if (title.p[i] == '_')
			title.p[i] = ' ';
		else if (i == 0 && title.p[i] >= 'a' && title.p[i] <= 'z')
			title.p[i] = (char)(title.p[i] - 'a' + 'A');
	}
	json_put_str(out, "title", buf_str(&title));
}

/* ---- the list ---- */

/* What an effect lets a client say of the tool; hints, as the protocol calls them. */
static const struct {
	const char *effect;
	bool read_only, destructive, idempotent, open_world;
} hints[] = {
	{ "read", true, false, true, false },
	{ "write", false, true, false, false },
	{ "process", false, true, false, true },
	{ "external", false, true, false, true },
	{ "internal", false, false, false, false },
};

static void
put_hints(struct str name, struct str effect, struct buf *out)
{
	size_t i = 0;

	while (i < COUNT(hints) - 1 && !str_eq(effect, str_of(hints[i].effect)))
		i++;
	json_open(out, "annotations", '{');
	put_title(name, out);
	json_put_bool(out, "readOnlyHint", hints[i].read_only);
	json_put_bool(out, "destructiveHint", hints[i].destructive);
	json_put_bool(out, "idempotentHint", hints[i].idempotent);
	json_put_bool(out, "openWorldHint", hints[i].open_world);
	json_close(out, '}');
}

/* A script does what the tools do that it may call: the worst of them. */
static struct str
js_effect(const struct yyjson_val *tools)
{
	size_t worst = 0;
	struct str name;

	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &name);
		size_t at = 0;

		while (at < COUNT(hints) - 1 &&
		       !str_eq(json_str(json_at(tool, "effect")), str_of(hints[at].effect)))
			at++;
		if (dts_offered(tool) && !hints[at].read_only &&
		    (!worst || hints[at].open_world))
			worst = at;
	}
	return str_of(hints[worst].effect);
}

static void
put_number_schema(const struct js_argument *a, const struct yyjson_val *config, struct buf *out)
{
	const struct yyjson_val *row = catalogue_key(config, a->key);

	json_put_str(out, "type", STR("integer"));
	if (json_at(row, "least"))
		json_put_value(out, "minimum", json_at(row, "least"));
	if (json_at(row, "most"))
		json_put_value(out, "maximum", json_at(row, "most"));
	if (json_at(row, "value"))
		json_put_value(out, "default", json_at(row, "value"));
}

static void
put_js_schema(const struct yyjson_val *config, struct buf *out)
{
	json_open(out, "inputSchema", '{');
	json_put_str(out, "type", STR("object"));
	json_open(out, "properties", '{');
	for (size_t i = 0; i < COUNT(js_arguments); i++) {
		const struct js_argument *a = &js_arguments[i];

		json_open(out, a->name, '{');
		if (a->kind == JS_NUMBER)
			put_number_schema(a, config, out);
		else
			json_put_str(out, "type",
			    a->kind == JS_OBJECT ? STR("object") : STR("string"));
		if (a->kind == JS_WORD)
			json_put_raw(out, "enum", STR("[\"auto\",\"js\",\"ts\"]"));
		json_put_str(out, "description", str_of(a->text));
		json_close(out, '}');
	}
	json_close(out, '}');
	json_put_bool(out, "additionalProperties", false);
	json_close(out, '}');
}

void
catalogue_write_js(const struct yyjson_val *tools, const struct yyjson_val *config,
    enum mcp_version version, enum catalogue_form form, struct buf *ret_json)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	struct buf *out = ret_json;

	catalogue_js_text(tools, form, &text);
	json_open(out, NULL, '{');
	json_put_str(out, "name", STR(CATALOGUE_JS_RUN));
	if (mcp_versions[version].structured)
		json_put_str(out, "title", STR("Run a script"));
	json_put_str(out, "description", buf_str(&text));
	put_js_schema(config, out);
	if (mcp_versions[version].structured)
		json_put_raw(out, "outputSchema",
		    STR("{\"type\":\"object\",\"properties\":{"
			"\"run\":{\"type\":\"string\"},"
			"\"status\":{\"type\":\"string\"},"
			"\"value\":{},"
			"\"text\":{\"type\":\"string\"},"
			"\"error\":{\"type\":[\"object\",\"null\"]},"
			"\"calls\":{\"type\":\"array\"},"
			"\"effects\":{\"type\":\"object\"},"
			"\"usage\":{\"type\":\"object\"},"
			"\"truncated\":{\"type\":[\"object\",\"null\"]},"
			"\"notes\":{\"type\":\"array\"}},\"required\":[\"status\"]}"));
	put_hints(STR("run a script"), js_effect(tools), out);
	json_close(out, '}');
}

void
catalogue_write(const struct yyjson_val *tools, const struct yyjson_val *config,
    enum mcp_version version, struct buf *ret_json)
{
	struct buf *out = ret_json;
	struct str unused;

	json_open(out, "tools", '[');
	if (catalogue_has_js(config))
		catalogue_write_js(tools, config, version, catalogue_form(tools), out);
	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &unused);
		struct str name = json_str(json_at(tool, "name"));

		if (!dts_offered(tool))
			continue;
		json_open(out, NULL, '{');
		json_put_str(out, "name", name);
		if (mcp_versions[version].structured)
			put_title(name, out);
		json_put_value(out, "description", json_at(tool, "description"));
		json_put_value(out, "inputSchema", json_at(tool, "inputSchema"));
		put_hints(name, json_str(json_at(tool, "effect")), out);
		json_close(out, '}');
	}
	json_close(out, ']');
}

/* ---- arguments ---- */

static int
wrong(const struct js_argument *a, const char *expected, const struct yyjson_val *got,
    struct err *e)
{
	return err_set(e, ERR_INVALID, "%s: %s was expected, not %s", a->name, expected,
	    json_kind(got));
}

static int
take_number(const struct server *s, const struct js_argument *a, const struct yyjson_val *v,
    uint64_t *ret_value, struct err *e)
{
	const struct yyjson_val *row = catalogue_key(json_root(s->config), a->key);
	uint64_t least = 0, most = UINT64_MAX;

	json_u64(json_at(row, "least"), UINT64_MAX, &least);
	json_u64(json_at(row, "most"), UINT64_MAX, &most);
	least = MAX(least, 1u); /* 0 is how nothing is said */
	if (json_u64(v, most, ret_value) && *ret_value >= least)
		return 0;
	return err_set(e, ERR_INVALID, "%s: a whole number from %llu to %llu was expected%s%s",
	    a->name, (unsigned long long)least, (unsigned long long)most,
	    json_is_number(v) ? "" : ", not ", json_is_number(v) ? "" : json_kind(v));
}

static int
take_text(const struct js_argument *a, const struct yyjson_val *v, struct str *ret_text,
    struct err *e)
{
	if (!json_is_string(v))
		return wrong(a, "a string", v, e);
	*ret_text = json_str(v);
	if (ret_text->n > a->max)
		return err_set(e, ERR_LIMIT, "%s: at most %zu bytes were expected, not %zu",
		    a->name, a->max, ret_text->n);
	return 0;
}

static int
take_argument(const struct server *s, const struct js_argument *a, const struct yyjson_val *v,
    struct msg_run_start *m, struct buf *ret_args, struct err *e)
{
	void *field = (char *)m + a->field;
	enum language language;

	switch (a->kind) {
	case JS_TEXT:
		return take_text(a, v, field, e);
	case JS_NUMBER:
		return take_number(s, a, v, field, e);
	case JS_WORD:
		language = json_is_string(v) ? language_named(json_str(v)) : LANGUAGES;
		if (language == LANGUAGES)
			return err_set(e, ERR_INVALID, "%s: auto, js or ts was expected",
			    a->name);
		*(uint64_t *)field = language;
		return 0;
	case JS_OBJECT:
		break;
	}
	if (!json_is_object(v))
		return wrong(a, "an object", v, e);
	json_put_value(ret_args, NULL, v);
	if (!buf_ok(ret_args))
		return err_set(e, ERR_LIMIT, "%s: at most %zu bytes of JSON were expected",
		    a->name, a->max);
	*(struct str *)field = buf_str(ret_args);
	return 0;
}

static int
unknown(struct str name, struct err *e)
{
	const char *nearest = NULL;
	unsigned best = 4;

	for (size_t i = 0; i < COUNT(js_arguments); i++) {
		unsigned d = str_distance(name, str_of(js_arguments[i].name));

		if (d < best) {
			best = d;
			nearest = js_arguments[i].name;
		}
	}
	return err_set(e, ERR_INVALID, "there is no argument '%.*s'%s%s%s",
	    (int)MIN(name.n, 60u), name.p, nearest ? "; did you mean " : "",
	    nearest ? nearest : "", nearest ? "?" : "");
}

int
catalogue_js_arguments(const struct server *s, const struct yyjson_val *arguments,
    struct msg_run_start *m, struct buf *ret_args, struct err *e)
{
	for (size_t i = 0; i < json_size(arguments); i++) {
		struct str name;
		const struct yyjson_val *v = json_nth(arguments, i, &name);
		size_t at = 0;
		int r;

		while (at < COUNT(js_arguments) && !str_eq(name, str_of(js_arguments[at].name)))
			at++;
		if (at == COUNT(js_arguments))
			return unknown(name, e);
		r = take_argument(s, &js_arguments[at], v, m, ret_args, e);
		if (r < 0)
			return r;
	}
	if (!m->source.n && !m->code_path.n)
		return err_set(e, ERR_INVALID, "code: a script was expected");
	return 0;
}
