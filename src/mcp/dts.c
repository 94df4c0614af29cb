/* SPDX-License-Identifier: MIT */
#include "mcp/dts.h"

#include "base/utf8.h"

bool
dts_offered(const struct yyjson_val *tool)
{
	return !str_eq(json_str(json_at(tool, "state")), STR("disabled"));
}

/* A comment's text: one line, and nothing that ends the comment. */
static void
put_comment(struct str text, struct buf *out)
{
	auto_done(buf) struct buf clean = buf_max(KiB(4));

	utf8_scrub(text, &clean);
	for (size_t i = 0; i < clean.n; i++) {
		char c = clean.p[i];

		if ((unsigned char)c < ' ' || c == 0x7f)
			c = ' ';
		if (c == '/' && i && clean.p[i - 1] == '*')
			buf_addc(out, ' ');
		buf_addc(out, c);
	}
}

static bool
is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool letter =
		    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return name.n != 0;
}

static void
put_name(struct str name, struct buf *out)
{
	if (is_name(name))
		buf_add(out, name);
	else
		json_quote(out, name);
}

/* The shapes that tool/spec.c has; what else there may be is unknown to a script, too. */
static void
put_type(const struct yyjson_val *schema, struct buf *out)
{
	static const struct {
		const char *schema, *type;
	} rows[] = {
		{ "string", "string" },
		{ "integer", "number" },
		{ "number", "number" },
		{ "boolean", "boolean" },
		{ "null", "null" },
		{ "object", "object" },
	};
	struct str type = json_str(json_at(schema, "type"));
	const struct yyjson_val *words = json_at(schema, "enum"), *word;
	struct str name;

	for (size_t i = 0; i < json_size(words); i++) {
		word = json_nth(words, i, &name);
		if (i)
			buf_add(out, STR(" | "));
		json_quote(out, json_str(word));
	}
	if (json_size(words))
		return;
	if (str_eq(type, STR("array"))) {
		struct str items = json_str(json_at(json_at(schema, "items"), "type"));

		buf_add(out, str_eq(items, STR("string")) ? STR("string[]") : STR("unknown[]"));
		return;
	}
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (str_eq(type, str_of(rows[i].schema))) {
			buf_add(out, str_of(rows[i].type));
			return;
		}
	}
	buf_add(out, STR("unknown"));
}

/* "/ ** Lines to return. 1..1000, default 200. * / limit?: number" */
static void
put_param(struct str name, const struct yyjson_val *schema, bool required, struct buf *out)
{
	const struct yyjson_val *least = json_at(schema, "minimum"),
				*most = json_at(schema, "maximum"),
				*fallback = json_at(schema, "default");
	auto_done(buf) struct buf value = buf_max(KiB(4));
	uint64_t number;

	buf_add(out, STR("    /** "));
	put_comment(json_str(json_at(schema, "description")), out);
	if (json_u64(most, INT32_MAX - 1, &number) && json_u64(least, INT32_MAX - 1, &number)) {
		json_put_value(&value, NULL, least);
		buf_addf(out, " %s", buf_text(&value));
		buf_reset(&value);
		json_put_value(&value, NULL, most);
		buf_addf(out, "..%s.", buf_text(&value));
	}
	if (fallback) {
		buf_reset(&value);
		json_put_value(&value, NULL, fallback);
		buf_add(out, STR(" Default "));
		put_comment(buf_str(&value), out);
		buf_addc(out, '.');
	}
	buf_add(out, STR(" */\n    "));
	put_name(name, out);
	buf_add(out, required ? STR(": ") : STR("?: "));
	put_type(schema, out);
	buf_add(out, STR(";\n"));
}

static void
put_tool(const struct yyjson_val *tool, struct buf *out)
{
	const struct yyjson_val *schema = json_at(tool, "inputSchema"),
				*params = json_at(schema, "properties"),
				*required = json_at(schema, "required");
	struct str returns = json_str(json_at(tool, "returns")), name;

	buf_add(out, STR("  /** "));
	put_comment(json_str(json_at(tool, "description")), out);
	buf_add(out, STR(" */\n  "));
	put_name(json_str(json_at(tool, "name")), out);
	buf_add(out, json_size(required) ? STR("(input: {\n") : STR("(input?: {\n"));
	for (size_t i = 0; i < json_size(params); i++) {
		const struct yyjson_val *p = json_nth(params, i, &name);

		put_param(name, p, json_has_text(required, name), out);
	}
	buf_add(out, STR("  }): Promise<"));
	buf_add(out, returns.n ? returns : STR("any"));
	buf_add(out, STR(">;\n"));
}

void
dts_write(const struct yyjson_val *tools, struct buf *out)
{
	struct str name;

	buf_add(out, STR("declare const tools: {\n"));
	for (size_t i = 0; i < json_size(tools); i++) {
		const struct yyjson_val *tool = json_nth(tools, i, &name);

		if (dts_offered(tool))
			put_tool(tool, out);
	}
	buf_add(out, STR("};\n"));
}
