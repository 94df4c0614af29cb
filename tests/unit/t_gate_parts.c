/* SPDX-License-Identifier: MIT */
/*
 * Says what lines come to, for tests that are not in C: records that end in NUL, "L" and a line,
 * or "A" and words that end in US (0x1f) each; with a list of rules as an argument also the verdict
 * on the tool shell at a terminal. One line of JSON a record.
 */
#include "base/json.h"
#include "gate/line.h"
#include "gate/rule.h"

#include <stdio.h>

#define RECORD_MAX MiB(1)
#define WORDS_MAX  4096

static void
print_text(struct str s)
{
	if (!s.p) {
		printf("null");
		return;
	}
	putchar('"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			printf("\\u%04x", c); /* bytes as latin-1 */
		else
			putchar(c);
	}
	putchar('"');
}

static void
print_part(const struct gate_command *c)
{
	static const char letters[] = "srawun";

	printf("[[");
	for (size_t i = 0; i < c->argv_n; i++) {
		printf(i ? "," : "");
		print_text(c->argv[i]);
	}
	printf("],\"");
	for (size_t i = 0; letters[i]; i++) {
		if (c->flags & 1u << i)
			putchar(letters[i]);
	}
	printf("\",[");
	for (size_t i = 0; i < c->redirects_n; i++) {
		printf("%s[", i ? "," : "");
		print_text(c->redirects[i].target);
		printf(",%s]", c->redirects[i].write ? "true" : "false");
	}
	printf("]]");
}

static void
print_verdict(const struct rules *rules, const struct gate_parts *parts)
{
	struct gate_policy policy = { .surface = GATE_TERMINAL, .rules = rules };
	struct gate_call call = { .name = STR("shell"),
		.tool = gate_builtin(STR("shell")),
		.commands = parts->list,
		.commands_n = parts->n };
	struct gate_verdict v;

	gate_decide(&policy, &call, &v);
	printf("\"%s\"", gate_answer_name(v.answer));
}

static void
answer(const struct rules *rules, struct str record)
{
	static struct str words[WORDS_MAX];
	auto_done(gate_parts) struct gate_parts parts = { 0 };
	struct str rest = str_from(record, 1);
	size_t n = 0;

	if (record.n && record.p[0] == 'A') {
		while (rest.n && n < WORDS_MAX) {
			words[n] = str_split(&rest, '\x1f');
			words[n].p = words[n].p ? words[n].p : "";
			n++;
		}
		gate_argv_parse(words, n, &parts);
	} else {
		gate_line_parse(rest, &parts);
	}
	printf("[");
	print_verdict(rules, &parts);
	printf(",[");
	for (size_t i = 0; i < parts.n; i++) {
		printf(i ? "," : "");
		print_part(&parts.list[i]);
	}
	printf("]]\n");
}

static int
rules_read(struct rules *ret_rules, const char *text)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	struct rules_file file = { STR("config.json"), RULES_USER, STR("/home/u") };
	struct err e = { 0 };
	int r = json_parse(str_of(text), KiB(64), &doc, &e);

	if (r == 0)
		r = rules_add(ret_rules, json_root(doc), &file, &notices, &e);
	if (r < 0)
		fprintf(stderr, "%s\n", e.text);
	return r;
}

int
main(int argc, char **argv)
{
	auto_done(rules) struct rules rules = { 0 };
	auto_done(buf) struct buf record = buf_max(RECORD_MAX);

	if (argc > 1 && rules_read(&rules, argv[1]) < 0)
		return 2;
	for (int c = getchar(); c != EOF; c = getchar()) {
		if (c) {
			buf_addc(&record, (char)c);
			continue;
		}
		answer(&rules, buf_str(&record));
		buf_reset(&record);
	}
	return 0;
}
