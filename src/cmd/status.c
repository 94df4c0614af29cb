/* SPDX-License-Identifier: MIT */
#include "cmd/status.h"

#include "base/utf8.h"

int
status_exit(const struct yyjson_val *status)
{
	const struct yyjson_val *js = json_at(status, "javascript");

	return code_specs[code_named(json_str(json_at(js, "code")))].exit_status;
}

static void
show(const struct yyjson_val *object, const char *name, struct buf *out)
{
	utf8_show(json_str(json_at(object, name)), out);
}

/*
 * Names of the layers for which held and proved are as asked, and the reasons of those not
 * held.
 */
static void
add_layers(const struct yyjson_val *layers, struct buf *out)
{
	struct str name;

	buf_add(out, STR("  held and proved by trying:"));
	for (size_t i = 0; i < json_size(layers); i++) {
		const struct yyjson_val *l = json_nth(layers, i, &name);

		if (json_bool(json_at(l, "held")) && json_bool(json_at(l, "proved")))
			buf_addf(out, " %.*s", STR_ARG(json_str(json_at(l, "name"))));
	}
	buf_addc(out, '\n');
	for (size_t i = 0; i < json_size(layers); i++) {
		const struct yyjson_val *l = json_nth(layers, i, &name);

		if (!json_bool(json_at(l, "wanted")) || json_bool(json_at(l, "proved")))
			continue;
		buf_addf(out, "  %s: %.*s (",
		    json_bool(json_at(l, "held")) ? "held, not proved" : "missing",
		    STR_ARG(json_str(json_at(l, "name"))));
		show(l, "what", out);
		buf_addc(out, ')');
		if (json_str(json_at(l, "why")).n) {
			buf_add(out, STR(": "));
			show(l, "why", out);
		}
		buf_addc(out, '\n');
	}
}

static void
add_limits(const struct yyjson_val *limits, struct buf *out)
{
	struct str name;

	for (size_t i = 0; i < json_size(limits); i++) {
		const struct yyjson_val *l = json_nth(limits, i, &name);
		uint64_t value = 0, most = 0;

		json_u64(json_at(l, "value"), UINT64_MAX, &value);
		json_u64(json_at(l, "most"), UINT64_MAX, &most);
		buf_addf(out, "  %-34.*s %llu (at most %llu)\n",
		    STR_ARG(json_str(json_at(l, "key"))), (unsigned long long)value,
		    (unsigned long long)most);
	}
}

static void
add_probe(const struct yyjson_val *probe, struct buf *out)
{
	const struct yyjson_val *script = json_at(probe, "script");
	const struct yyjson_val *attacks = json_at(probe, "attacks");
	struct str name;
	size_t blocked = 0;

	if (!json_is_object(probe))
		return;
	buf_add(out, STR("Probe\n  script: "));
	buf_add(out, json_bool(json_at(script, "ok")) ? STR("ran, value ") : STR("FAILED: "));
	show(script, "said", out);
	buf_addc(out, '\n');
	for (size_t i = 0; i < json_size(attacks); i++) {
		const struct yyjson_val *a = json_nth(attacks, i, &name);
		bool held = str_eq(json_str(json_at(a, "verdict")), STR("blocked"));

		blocked += held;
		buf_addf(out, "  %-26.*s %s ", STR_ARG(json_str(json_at(a, "name"))),
		    held ? "blocked" : "REACHED");
		show(a, "detail", out);
		buf_addc(out, '\n');
	}
	buf_addf(out, "  %zu of %zu attacks were blocked\n", blocked, json_size(attacks));
}

void
status_text(const struct yyjson_val *status, struct buf *out)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	const struct yyjson_val *engine = json_at(js, "engine");
	const struct yyjson_val *isolation = json_at(js, "isolation");
	struct str code = json_str(json_at(js, "code"));

	buf_add(out, STR("JavaScript: "));
	show(js, "state", out);
	if (code.n) {
		buf_addf(out, " (%.*s: ", STR_ARG(code));
		show(js, "why", out);
		buf_addc(out, ')');
	}
	buf_add(out, STR("\nEngine\n  "));
	show(engine, "name", out);
	buf_addc(out, ' ');
	show(engine, "version", out);
	buf_add(out, STR("\n  module sha256 "));
	show(engine, "sha256", out);
	buf_add(out, json_bool(json_at(engine, "verified")) ? STR(", as pinned\n")
							    : STR(", NOT the pinned one\n"));
	buf_add(out, STR("Isolation\n  "));
	show(js, "reason", out);
	buf_addc(out, '\n');
	add_layers(json_at(isolation, "layers"), out);
	buf_add(out, STR("Limits of one script\n"));
	add_limits(json_at(js, "limits"), out);
	add_probe(json_at(js, "probe"), out);
	for (size_t i = 0; i < json_size(json_at(status, "notices")); i++) {
		struct str name;

		buf_add(out, STR("Notice: "));
		utf8_show(json_str(json_nth(json_at(status, "notices"), i, &name)), out);
		buf_addc(out, '\n');
	}
}
