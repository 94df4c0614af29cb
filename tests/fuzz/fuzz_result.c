/* SPDX-License-Identifier: MIT */
/*
 * What a guest says of its error, its value, its text and its notes, four parts between NULs. The
 * envelope made of them is JSON whatever they are.
 */
#include "base/json.h"
#include "base/utf8.h"
#include "forge/result.h"
#include "fuzz.h"
#include "ipc/limits.h"

#define NO_CALLS "\"calls\":[],\"effects\":{\"verdict\":\"none\",\"list\":[]}"

static void
check_texts(const struct run_result *r)
{
	const struct buf *all[] = { &r->message, &r->hint, &r->name, &r->stack, &r->value,
		&r->text, &r->notes };

	for (size_t i = 0; i < COUNT(all); i++)
		must(buf_ok(all[i]) && utf8_valid(buf_str(all[i])));
	must(r->code == CODE_NONE || r->message.n);
	must(!r->line == !r->column);
}

/* As the channel does: text alone, in its maxima. */
static struct str
part_of(struct str *rest, size_t max)
{
	struct str part = str_split(rest, '\0');

	part.n = MIN(part.n, max);
	return utf8_valid(part) ? part : STR("not text");
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct engine_facts engine = { .name = STR("e"), .isolation = STR("a b") };
	static const struct run_limits limits = { 0 };
	struct str rest = { (const char *)bytes, n };
	struct str description = part_of(&rest, ERROR_MAX), value = part_of(&rest, VALUE_MAX);
	struct str text = part_of(&rest, TEXT_MAX), notes = part_of(&rest, NOTES_MAX);
	auto_done(buf) struct buf out = buf_max(ENVELOPE_MAX);
	auto_obj(json) struct json *doc = NULL;
	size_t max = 100 + n % 500;
	struct run_result r;
	struct err e;

	result_init(&r);
	r.has_value = value.n > 0;
	result_value(&r, value, text, max, utf8_count(value), utf8_count(text));
	must(r.kept <= max &&
	     utf8_count(buf_str(&r.value)) + utf8_count(buf_str(&r.text)) == r.kept);
	if (description.n)
		result_error(&r, description, UINT64_MAX);
	result_notes(&r, notes);
	check_texts(&r);
	result_envelope(&r, "01ARZ3NDEKTSV4RRFFQ69G5FAV", &engine, &limits, 0, STR(NO_CALLS),
	    &out);
	must(buf_ok(&out));
	/* The value may be deeper, name a key twice or have half a character, which our reader refuses. */
	if (!r.has_value)
		must(json_parse(buf_str(&out), ENVELOPE_MAX, &doc, &e) == 0);
	result_done(&r);
	return 0;
}
