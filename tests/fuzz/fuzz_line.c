/* SPDX-License-Identifier: MIT */
/* A command line; its bytes also as one word, and as what a shell is told to run. */
#include "fuzz.h"
#include "gate/line.h"

#include "base/buf.h"
#include "base/utf8.h"

#define OUT KiB(512)

static void
check_bounds(const struct gate_parts *parts, size_t n)
{
	must(parts->n >= 1 && parts->n <= GATE_PARTS_MAX + 1);
	for (size_t i = 0; i < parts->n; i++) {
		const struct gate_command *c = &parts->list[i];

		for (size_t k = 0; k < c->argv_n; k++)
			must(!c->argv[k].p || c->argv[k].n <= n + 8);
		must(!c->redirects_n || c->flags & COMMAND_REDIRECTION);
		/* None that only runs others stands alone. */
		must(!(c->flags & COMMAND_SEEN) || parts->n > 1);
	}
}

static bool
same(const struct gate_command *a, const struct gate_command *b)
{
	if (a->flags != b->flags || a->argv_n != b->argv_n)
		return false;
	for (size_t i = 0; i < a->argv_n; i++) {
		if (!a->argv[i].p != !b->argv[i].p || !str_eq(a->argv[i], b->argv[i]))
			return false;
	}
	return true;
}

static void
add_quoted(struct buf *out, struct str text)
{
	buf_addc(out, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\'')
			buf_add(out, STR("'\\''"));
		else
			buf_addc(out, text.p[i]);
	}
	buf_addc(out, '\'');
}

static void
add_double_quoted(struct buf *out, struct str text)
{
	buf_addc(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (memchr("$`\"\\", text.p[i], 4))
			buf_addc(out, '\\');
		buf_addc(out, text.p[i]);
	}
	buf_addc(out, '"');
}

/* However it is quoted, it is the one word behind the first. */
static void
check_quoted(struct str text, void (*add)(struct buf *out, struct str text))
{
	auto_done(gate_parts) struct gate_parts parts = { 0 };
	auto_done(buf) struct buf line = buf_max(OUT);

	buf_add(&line, STR("program "));
	add(&line, text);
	gate_line_parse(buf_str(&line), &parts);
	must(parts.n == 1 && parts.list[0].argv_n == 2);
	must(str_eq(parts.list[0].argv[1], text) && parts.list[0].argv[1].p);
	must((parts.list[0].flags & ~(unsigned)COMMAND_UNCLEAR) == 0);
	must(!utf8_valid(text) || !parts.list[0].flags);
}

static bool
gave_up(const struct gate_parts *parts)
{
	const struct gate_command *last = &parts->list[parts->n - 1];

	return !last->argv_n && last->flags == COMMAND_UNCLEAR;
}

/* Told to a shell, it comes to the same behind the shell itself. */
static void
check_wrapped(struct str text, const struct gate_parts *parts)
{
	auto_done(gate_parts) struct gate_parts inner = { 0 };
	const struct str argv[] = { STR("sh"), STR("-c"), text };

	gate_argv_parse(argv, 3, &inner);
	check_bounds(&inner, text.n);
	if (gave_up(&inner) || gave_up(parts) || !utf8_valid(text) || inner.n == 1)
		return;
	must(inner.n == parts->n + 1);
	for (size_t i = 0; i < parts->n; i++)
		must(same(&parts->list[i], &inner.list[i + 1]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = { n ? (const char *)bytes : "", n };
	auto_done(gate_parts) struct gate_parts parts = { 0 };

	gate_line_parse(text, &parts);
	check_bounds(&parts, n);
	if (n && memchr(bytes, '\0', n)) {
		must(parts.n == 1 && gave_up(&parts));
		return 0;
	}
	if (n < KiB(8)) {
		check_quoted(text, add_quoted);
		if (!memmem(bytes, n, "\\\n", 2))
			check_quoted(text, add_double_quoted);
		check_wrapped(text, &parts);
	}
	return 0;
}
