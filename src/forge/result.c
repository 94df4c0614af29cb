/* SPDX-License-Identifier: MIT */
#include "forge/result.h"

#include "base/json.h"
#include "base/utf8.h"
#include "forge/cut.h"
#include "ipc/limits.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_MAX    KiB(24)
#define HINT_MAX       KiB(2)
#define STACK_TEXT_MAX KiB(12)
#define PLACE_MAX      (1u << 30) /* lines and columns beyond are nonsense */

void
result_init(struct run_result *r)
{
	*r = (struct run_result){
		.message = buf_max(MESSAGE_MAX),
		.hint = buf_max(HINT_MAX),
		.name = buf_max(256),
		.stack = buf_max(STACK_TEXT_MAX),
		.value = buf_max(VALUE_MAX),
		.text = buf_max(TEXT_MAX),
		.notes = buf_max(NOTES_MAX),
		.state = buf_max(STATE_MAX),
		.whole = buf_max(VALUE_MAX),
	};
}

void
result_done(struct run_result *r)
{
	buf_done(&r->message);
	buf_done(&r->hint);
	buf_done(&r->name);
	buf_done(&r->stack);
	buf_done(&r->value);
	buf_done(&r->text);
	buf_done(&r->notes);
	buf_done(&r->state);
	buf_done(&r->whole);
}

void
result_fail(struct run_result *r, enum code code, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	r->code = code;
	buf_reset(&r->message);
	buf_reset(&r->hint);
	utf8_scrub(str_of(text), &r->message);
}

/* ---- what the guest made ---- */

void
result_value(struct run_result *r, struct str value, struct str text, uint64_t max,
    uint64_t value_total, uint64_t text_total)
{
	uint64_t text_share = MIN(text_total, MAX(max / 4, max - MIN(max, value_total)));
	enum cut_result cut = CUT_WHOLE;

	r->total = value_total + text_total;
	if (r->has_value)
		cut = cut_json(value, (size_t)(max - text_share), &r->value);
	if (cut == CUT_PART && utf8_count(value) == value_total) /* else its end is not here */
		buf_add(&r->whole, value);
	if (cut == CUT_INVALID) {
		r->has_value = false;
		buf_reset(&r->value);
		result_fail(r, CODE_INTERNAL, "the script's value came as what is no JSON");
	}
	if (r->value.n == 0)
		r->has_value = false;
	r->kept = utf8_count(buf_str(&r->value));
	text = utf8_head(text, (size_t)(max - MIN(max, r->kept)));
	buf_add(&r->text, text);
	r->kept += utf8_count(text);
}

/* As much of s as fits. */
static void
add_cut(struct buf *b, struct str s)
{
	size_t room = b->max - b->n;

	if (s.n > room) {
		while (room && ((unsigned char)s.p[room] & 0xc0) == 0x80)
			room--;
		s.n = room;
	}
	buf_add(b, s);
}

/*
 * The code that the script was given for a call; else the engine's own words for its limits: a
 * script that throws the same words gets the same code.
 */
static enum code
code_of(struct str name, struct str message, enum code given)
{
	if (given)
		return given;
	if (str_eq(name, STR("SyntaxError")))
		return CODE_SYNTAX_ERROR;
	if (str_eq(name, STR("InternalError")) && str_eq(message, STR("out of memory")))
		return CODE_MEMORY_LIMIT;
	if (str_eq(name, STR("RangeError")) &&
	    str_eq(message, STR("Maximum call stack size exceeded")))
		return CODE_STACK_LIMIT;
	return CODE_SCRIPT_ERROR;
}

void
result_error(struct run_result *r, struct str description, uint64_t codes)
{
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *d;
	struct err e;
	struct str name, message;
	enum code given;

	if (json_parse(description, ERROR_MAX, &doc, &e) < 0 ||
	    !json_is_object(json_root(doc))) {
		result_fail(r, CODE_SCRIPT_ERROR,
		    "the script failed in a way that could not be described");
		return;
	}
	d = json_root(doc);
	name = json_str(json_at(d, "name"));
	message = json_str(json_at(d, "message"));
	given = code_named(json_str(json_at(d, "code")));
	if (!(codes >> given & 1))
		given = CODE_NONE;
	result_fail(r, code_of(name, message, given), "%s", "");
	if (given || r->code == CODE_SYNTAX_ERROR || name.n == 0)
		add_cut(&r->message, message);
	else if (message.n == 0)
		add_cut(&r->message, name);
	else
		buf_addf(&r->message, "%.*s: ", STR_ARG(utf8_head(name, 100)));
	if (!given && r->code != CODE_SYNTAX_ERROR && name.n && message.n)
		add_cut(&r->message, message);
	if (!r->message.n)
		add_cut(&r->message, STR("the script threw an error without a text"));
	add_cut(&r->name, utf8_head(name, 60));
	add_cut(&r->stack, json_str(json_at(d, "stack")));
	if (given || r->code == CODE_SCRIPT_ERROR || r->code == CODE_SYNTAX_ERROR)
		add_cut(&r->hint, json_str(json_at(d, "hint")));
	if (json_u64(json_at(d, "line"), PLACE_MAX, &r->line) && r->line &&
	    (!json_u64(json_at(d, "column"), PLACE_MAX, &r->column) || !r->column))
		r->column = 1;
}

void
result_notes(struct run_result *r, struct str notes)
{
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	if (notes.n == 0 || json_parse(notes, NOTES_MAX, &doc, &e) < 0 ||
	    !json_is_array(json_root(doc)))
		return;
	for (size_t i = 0; i < json_size(json_root(doc)); i++) {
		struct str name;

		if (!json_is_string(json_nth(json_root(doc), i, &name)))
			return;
	}
	buf_add(&r->notes, notes);
}

void
result_note(struct run_result *r, struct str note)
{
	auto_done(buf) struct buf notes = buf_max(NOTES_MAX);
	struct str others = str_trim(buf_str(&r->notes));

	others = str_trim(str_from(others, MIN(others.n, (size_t)1)));
	buf_addc(&notes, '[');
	json_quote(&notes, note);
	if (notes.n + 1 + others.n > NOTES_MAX || others.n < 2)
		others = STR("]");
	else
		buf_addc(&notes, ',');
	buf_add(&notes, others);
	buf_reset(&r->notes);
	buf_add(&r->notes, buf_str(&notes));
}

/* ---- the envelope ---- */

const char *
result_status(const struct run_result *r)
{
	if (r->lost)
		return "lost";
	switch (code_specs[r->code].exit_status) {
	case 0:
		return "succeeded";
	case 3:
		return "limited";
	case 2:
	case 4:
	case 5:
		return "refused";
	case 130:
		return "cancelled";
	default:
		return "failed";
	}
}

static struct str
hint_of(const struct run_result *r)
{
	return r->hint.n ? buf_str(&r->hint) : str_of(code_specs[r->code].hint);
}

static void
put_error(const struct run_result *r, struct buf *out)
{
	if (r->code == CODE_NONE) {
		json_put_null(out, "error");
		return;
	}
	json_open(out, "error", '{');
	json_put_str(out, "code", str_of(code_specs[r->code].name));
	json_put_str(out, "message", buf_str(&r->message));
	json_put_str(out, "hint", hint_of(r));
	json_put_str(out, "retry", str_of(code_retry_name(code_specs[r->code].retry)));
	if (r->line) {
		json_put_u64(out, "line", r->line);
		json_put_u64(out, "column", r->column);
	} else {
		json_put_null(out, "line");
		json_put_null(out, "column");
	}
	if (r->name.n)
		json_put_str(out, "name", buf_str(&r->name));
	if (r->stack.n)
		json_put_str(out, "stack", buf_str(&r->stack));
	json_close(out, '}');
}

static void
put_words(struct buf *out, const char *name, struct str words)
{
	json_open(out, name, '[');
	while (words.n)
		json_put_str(out, NULL, str_split(&words, ' '));
	json_close(out, ']');
}

static void
put_engine(const struct engine_facts *engine, struct buf *out)
{
	if (!engine->name.n) {
		json_put_null(out, "engine");
		return;
	}
	json_open(out, "engine", '{');
	json_put_str(out, "name", engine->name);
	json_put_str(out, "version", engine->version);
	json_put_str(out, "sha256", engine->sha256);
	json_put_str(out, "host", engine->host);
	put_words(out, "isolation", engine->isolation);
	json_put_str(out, "reason", engine->reason);
	json_close(out, '}');
}

void
result_limits(const struct run_limits *limits, struct buf *out)
{
	json_open(out, NULL, '{');
	json_put_u64(out, "timeoutMs", limits->timeout_ms);
	json_put_u64(out, "cpuMs", limits->cpu_ms);
	json_put_u64(out, "memoryBytes", limits->memory_bytes);
	json_put_u64(out, "stackBytes", limits->stack_bytes);
	json_put_u64(out, "maxToolCalls", limits->max_tool_calls);
	json_put_u64(out, "maxConcurrency", limits->max_concurrency);
	json_put_u64(out, "maxOutputChars", limits->max_output_chars);
	json_close(out, '}');
}

void
result_usage(const struct run_result *r, uint64_t calls_n, const char *name,
    struct buf *ret_json)
{
	struct buf *out = ret_json;

	json_open(out, name, '{');
	json_put_ms(out, "wall_ms", r->wall_ns);
	json_put_ms(out, "cpu_ms", r->cpu_ns);
	json_put_u64(out, "heap_peak", r->heap_peak);
	json_put_u64(out, "calls", calls_n);
	json_put_u64(out, "output_chars", r->total);
	json_close(out, '}');
}

void
result_envelope(const struct run_result *r, const char *run, const struct engine_facts *engine,
    const struct run_limits *limits, uint64_t calls_n, struct str calls, struct buf *ret_json)
{
	auto_done(buf) struct buf limits_json = buf_max(KiB(1));
	struct buf *out = ret_json;

	json_open(out, NULL, '{');
	json_put_str(out, "run", str_of(run));
	json_put_str(out, "status", str_of(result_status(r)));
	if (r->has_value)
		json_put_raw(out, "value", buf_str(&r->value));
	json_put_str(out, "text", buf_str(&r->text));
	put_error(r, out);
	buf_addc(out, ',');
	buf_add(out, calls);
	put_engine(engine, out);
	result_limits(limits, &limits_json);
	json_put_raw(out, "limits", buf_str(&limits_json));
	result_usage(r, calls_n, "usage", out);
	if (r->kept < r->total) {
		json_open(out, "truncated", '{');
		json_put_u64(out, "kept", r->kept);
		json_put_u64(out, "total", r->total);
		if (r->whole.n)
			json_put_str(out, "handle", str_of(run));
		else
			json_put_null(out, "handle");
		json_close(out, '}');
	} else {
		json_put_null(out, "truncated");
	}
	json_put_raw(out, "notes", r->notes.n ? buf_str(&r->notes) : STR("[]"));
	json_close(out, '}');
}
