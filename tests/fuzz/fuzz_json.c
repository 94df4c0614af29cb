/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "fuzz.h"

/* Reads every value that is reachable, down to a depth the reader already limits. */
static void
walk(const struct yyjson_val *v, unsigned depth)
{
	struct str name;
	uint64_t number;

	must(v && depth <= JSON_DEPTH_MAX);
	must(!json_is_string(v) || json_str(v).p);
	if (json_u64(v, 1000, &number))
		must(number <= 1000);
	if (!json_is_object(v) && !json_is_array(v))
		return;
	for (size_t i = 0; i < MIN(json_size(v), 64); i++) {
		const struct yyjson_val *member = json_nth(v, i, &name);

		must(!name.p == json_is_array(v));
		walk(member, depth + 1);
	}
	must(!json_nth(v, json_size(v), &name));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_obj(json) struct json *doc = NULL;
	auto_obj(json) struct json *again = NULL;
	auto_done(buf) struct buf quoted = buf_max(MiB(1));
	struct str text = { (const char *)bytes, n };
	struct err e;

	if (json_parse(text, KiB(64), &doc, &e) < 0) {
		must(e.code == ERR_INVALID || e.code == ERR_LIMIT);
		return 0;
	}
	walk(json_root(doc), 0);
	/* What parses is valid UTF-8, so it can be quoted, and the quoted form read back. */
	json_quote(&quoted, text);
	must(json_parse(buf_str(&quoted), MiB(1), &again, &e) == 0);
	must(str_eq(json_str(json_root(again)), text));
	return 0;
}
