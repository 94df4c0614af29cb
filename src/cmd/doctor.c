/* SPDX-License-Identifier: MIT */
/* crisol doctor: what this machine lacks, what that means, and the mend. */
#include "base/utf8.h"
#include "cmd/finding.h"
#include "cmd/status.h"

#include <stdio.h>

#define STATUS_MAX MiB(1)

static const struct {
	const char *word, *title;
} weights[] = {
	[ADVICE_STOPS] = { "stops", "Scripts cannot run until this is mended:" },
	[ADVICE_WEAKENS] = { "weakens", "Scripts run, but something is missing:" },
	[ADVICE_BETTER] = { "better", "Nothing is wrong with this, it could be better:" },
};

static void
write_json(const struct yyjson_val *status, const struct client_trouble *trouble,
    const struct machine *m, const struct findings *f, struct buf *out)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	bool bad = trouble->code != CODE_NONE;

	json_open(out, NULL, '{');
	json_put_str(out, "state", bad ? STR("not ready") : json_str(json_at(js, "state")));
	json_put_str(out, "code",
	    bad ? str_of(code_specs[trouble->code].name) : json_str(json_at(js, "code")));
	json_put_str(out, "why", bad ? str_of(trouble->text) : json_str(json_at(js, "why")));
	json_put_str(out, "reason", json_str(json_at(js, "reason")));
	json_put_str(out, "machine", str_of(machine_name(m->kind)));
	json_open(out, "advice", '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->items[i];

		json_open(out, NULL, '{');
		json_put_str(out, "name", str_of(x->name));
		json_put_str(out, "weight", str_of(weights[x->weight].word));
		json_put_str(out, "missing", buf_str(&x->missing));
		json_put_str(out, "means", str_of(x->means));
		json_put_str(out, "mend", buf_str(&x->mend));
		json_close(out, '}');
	}
	json_close(out, ']');
	json_put_value(out, "journal", json_at(status, "journal"));
	json_put_value(out, "ripgrep", json_at(status, "ripgrep"));
	json_put_value(out, "git", json_at(status, "git"));
	json_put_value(out, "parts", json_at(status, "parts"));
	json_close(out, '}');
	buf_addc(out, '\n');
}

/* A text of several lines, each behind the same blanks. */
static void
add_indented(const char *text, struct buf *out)
{
	struct str rest = str_of(text);

	while (rest.n) {
		struct str line = str_split(&rest, '\n');

		buf_addf(out, "      %.*s\n", STR_ARG(line));
	}
}

static unsigned long long
number(const struct yyjson_val *object, const char *name)
{
	uint64_t n = 0;

	json_u64(json_at(object, name), UINT64_MAX, &n);
	return n;
}

static void
write_parts(const struct yyjson_val *status, struct buf *out)
{
	const struct yyjson_val *journal = json_at(status, "journal"),
				*sizes = json_at(journal, "sizes");
	static const char *const programs[] = { "ripgrep", "git" };

	buf_add(out, STR("Journal: "));
	utf8_show(json_str(json_at(journal, "path")), out);
	if (json_is_object(sizes))
		buf_addf(out,
		    "\n  schema %llu, %llu runs, %llu calls, %llu sessions, %llu bytes\n",
		    number(sizes, "schema"), number(sizes, "runs"), number(sizes, "calls"),
		    number(sizes, "sessions"), number(sizes, "bytes"));
	else
		buf_add(out, STR(", which cannot be used\n"));
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct str path = json_str(json_at(json_at(status, programs[i]), "path"));

		buf_addf(out, "%s: ", programs[i]);
		utf8_show(path.n ? path : STR("not installed"), out);
		buf_addc(out, '\n');
	}
}

static void
write_state(const struct yyjson_val *status, const struct client_trouble *trouble,
    const struct machine *m, struct buf *out)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	const char *const rest[] = { "why", "reason" };

	buf_add(out, STR("JavaScript: "));
	if (trouble->code)
		buf_addf(out, "not ready (%s)", code_specs[trouble->code].name);
	else
		utf8_show(json_str(json_at(js, "state")), out);
	for (size_t i = 0; i < COUNT(rest); i++) {
		if (!json_str(json_at(js, rest[i])).n)
			continue;
		buf_add(out, STR("\n  "));
		utf8_show(json_str(json_at(js, rest[i])), out);
	}
	buf_addf(out, "\nMachine: %s, Linux %u.%u, Landlock ABI %u\n", machine_name(m->kind),
	    m->kernel_major, m->kernel_minor, m->landlock_abi);
	if (status)
		write_parts(status, out);
}

static void
write_findings(const struct findings *f, struct buf *out)
{
	if (f->n == 0 || f->items[0].weight == ADVICE_BETTER)
		buf_add(out, STR("Nothing is missing.\n"));
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->items[i];

		if (i == 0 || f->items[i - 1].weight != x->weight)
			buf_addf(out, "\n%s\n", weights[x->weight].title);
		buf_addf(out, "\n  %zu. %s\n    %s\n", i + 1, buf_text(&x->missing), x->means);
		if (!x->mend.n)
			continue;
		buf_add(out, STR("    mend:\n"));
		add_indented(buf_text(&x->mend), out);
	}
	buf_add(out,
	    STR("\n`crisol forge status --probe` shows every layer, and attacks them.\n"));
}

/* 0: nothing is missing; 1: something is, scripts run; else the status of what stops them. */
static int
exit_of(const struct yyjson_val *status, const struct client_trouble *trouble,
    const struct findings *f)
{
	if (trouble->code)
		return code_specs[trouble->code].exit_status;
	if (status_exit(status))
		return status_exit(status);
	if (f->n == 0 || f->items[0].weight == ADVICE_BETTER)
		return 0;
	return f->items[0].weight == ADVICE_WEAKENS
		   ? 1
		   : code_specs[CODE_ENGINE_UNAVAILABLE].exit_status;
}

int
cmd_doctor(const struct cmd_line *line)
{
	static struct findings findings;
	auto_done(buf) struct buf json = buf_max(STATUS_MAX);
	auto_done(buf) struct buf out = buf_max(STATUS_MAX);
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *status = NULL;
	struct client_trouble trouble;
	struct machine machine;
	struct err e;
	int printed, ending;

	if (client_ask_status(line, &json, &trouble)) {
		if (json_parse(buf_str(&json), STATUS_MAX, &doc, &e) < 0)
			return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
		status = json_root(doc);
	}
	findings_look(status, &trouble, &machine, &findings);
	if (line->set[CMD_json]) {
		write_json(status, &trouble, &machine, &findings, &out);
	} else {
		write_state(status, &trouble, &machine, &out);
		write_findings(&findings, &out);
	}
	ending = exit_of(status, &trouble, &findings);
	findings_done(&findings);
	printed =
	    line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
	return printed ? printed : ending;
}
