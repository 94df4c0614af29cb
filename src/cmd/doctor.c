/* SPDX-License-Identifier: MIT */
/* crisol doctor: what this machine lacks, what that means, and the mend. */
#include "base/utf8.h"
#include "cmd/client.h"
#include "cmd/status.h"
#include "sandbox/advice.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define STATUS_MAX MiB(1)

/* Where crisol-launch is, for instructions that name it. */
static void
find_launcher(struct buf *ret_path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const places[] = { "crisol-launch", "../libexec/crisol/crisol-launch" };

	if (n <= 0)
		return;
	self[n] = '\0';
	strrchr(self, '/')[1] = '\0';
	for (size_t i = 0; i < COUNT(places); i++) {
		buf_reset(ret_path);
		buf_addf(ret_path, "%s%s", self, places[i]);
		if (access(buf_text(ret_path), X_OK) == 0)
			return;
	}
}

/* What may be missing beside the walls. */
struct findings {
	struct sandbox_advice_list list;
	struct buf journal; /* what is wrong with it */
};

static struct sandbox_advice *
add(struct sandbox_advice_list *list, const char *name, const char *missing, const char *means)
{
	struct sandbox_advice *a = &list->items[list->count];

	if (list->count == ADVICE_MAX)
		return NULL;
	*a = (struct sandbox_advice){ .name = name, .missing = missing, .means = means };
	list->count++;
	return a;
}

/* Programs of others that tools are made of; each is optional. */
static const struct {
	const char *name, *missing, *means;
} programs[] = {
	{ "ripgrep", "ripgrep (rg) is not installed", "list_files and search_text fail" },
	{ "git", "git is not installed", "git_status and git_diff fail" },
};

static void
look_at_programs(const struct yyjson_val *status, struct findings *f)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		const struct yyjson_val *program = json_at(status, programs[i].name);
		struct sandbox_advice *a;

		if (!json_is_object(program) || json_str(json_at(program, "path")).n)
			continue;
		a = add(&f->list, programs[i].name, programs[i].missing, programs[i].means);
		if (a)
			snprintf(a->mend, sizeof(a->mend), "%.*s",
			    STR_ARG(json_str(json_at(program, "mend"))));
	}
}

static void
look_at_journal(const struct yyjson_val *status, struct findings *f)
{
	const struct yyjson_val *journal = json_at(status, "journal");
	struct str why = json_str(json_at(journal, "why"));
	bool there = json_bool(json_at(journal, "there"));
	struct sandbox_advice *a;

	if (!why.n)
		return;
	buf_add(&f->journal, STR("the journal cannot be used: "));
	utf8_show(why, &f->journal);
	a = add(&f->list, "journal", buf_text(&f->journal),
	    "runs that only read work and are not recorded; what changes something is refused, "
	    "and no session is kept");
	if (a)
		snprintf(a->mend, sizeof(a->mend), "%s",
		    there ? "the file stays as it is; mend what is said above, or keep the "
			    "journal "
			    "elsewhere:\n"
			    "export CRISOL_STATE_HOME=/a/folder/of/yours"
			  : "keep it in a folder of yours that can be written:\n"
			    "export CRISOL_STATE_HOME=/a/folder/of/yours");
}

static void
look(const struct yyjson_val *status, struct machine *ret_machine,
    struct findings *ret_findings)
{
	const struct yyjson_val *isolation =
	    json_at(json_at(status, "javascript"), "isolation");
	auto_done(buf) struct buf launcher = buf_max(2 * PATH_MAX);
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_report report;
	struct err e;

	find_launcher(&launcher);
	machine_detect(root, buf_text(&launcher), ret_machine);
	if (sandbox_report_read(json_str(json_at(isolation, "report")), &report, &e) < 0)
		report = (struct sandbox_report){ 0 };
	sandbox_advice(&report, ret_machine, &ret_findings->list);
	look_at_programs(status, ret_findings);
	look_at_journal(status, ret_findings);
}

static void
write_json(const struct yyjson_val *status, const struct machine *m,
    const struct sandbox_advice_list *list, struct buf *out)
{
	const struct yyjson_val *js = json_at(status, "javascript");

	json_open(out, NULL, '{');
	json_put_str(out, "state", json_str(json_at(js, "state")));
	json_put_str(out, "code", json_str(json_at(js, "code")));
	json_put_str(out, "why", json_str(json_at(js, "why")));
	json_put_str(out, "reason", json_str(json_at(js, "reason")));
	json_put_str(out, "machine", str_of(machine_name(m->kind)));
	json_open(out, "advice", '[');
	for (size_t i = 0; i < list->count; i++) {
		const struct sandbox_advice *a = &list->items[i];

		json_open(out, NULL, '{');
		json_put_str(out, "name", str_of(a->name));
		json_put_str(out, "missing", str_of(a->missing));
		json_put_str(out, "means", str_of(a->means));
		json_put_str(out, "mend", str_of(a->mend));
		json_close(out, '}');
	}
	json_close(out, ']');
	json_put_value(out, "journal", json_at(status, "journal"));
	for (size_t i = 0; i < COUNT(programs); i++)
		json_put_value(out, programs[i].name, json_at(status, programs[i].name));
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
		struct str path = json_str(json_at(json_at(status, programs[i].name), "path"));

		buf_addf(out, "%s: ", programs[i].name);
		utf8_show(path.n ? path : STR("not installed"), out);
		buf_addc(out, '\n');
	}
}

static void
write_text(const struct yyjson_val *status, const struct machine *m,
    const struct sandbox_advice_list *list, struct buf *out)
{
	const struct yyjson_val *js = json_at(status, "javascript");

	buf_add(out, STR("JavaScript: "));
	utf8_show(json_str(json_at(js, "state")), out);
	if (json_str(json_at(js, "why")).n) {
		buf_add(out, STR("\n  "));
		utf8_show(json_str(json_at(js, "why")), out);
	}
	if (json_str(json_at(js, "reason")).n) {
		buf_add(out, STR("\n  "));
		utf8_show(json_str(json_at(js, "reason")), out);
	}
	buf_addf(out, "\nMachine: %s, Linux %u.%u, Landlock ABI %u\n", machine_name(m->kind),
	    m->kernel_major, m->kernel_minor, m->landlock_abi);
	write_parts(status, out);
	if (list->count == 0)
		buf_add(out, STR("Nothing is missing.\n"));
	for (size_t i = 0; i < list->count; i++) {
		const struct sandbox_advice *a = &list->items[i];

		buf_addf(out, "\n  %s\n    %s\n", a->missing, a->means);
		if (*a->mend) {
			buf_add(out, STR("    mend:\n"));
			add_indented(a->mend, out);
		}
	}
	buf_add(out,
	    STR("\n`crisol forge status --probe` shows every layer, and attacks them.\n"));
}

int
cmd_doctor(const struct cmd_line *line)
{
	auto_done(buf) struct buf json = buf_max(STATUS_MAX);
	auto_done(buf) struct buf out = buf_max(STATUS_MAX);
	auto_obj(json) struct json *doc = NULL;
	struct findings findings = { .journal = buf_max(KiB(16)) };
	struct machine machine;
	struct err e;
	int status;

	if (!client_ask(line, ASK_STATUS, "", "", &json, &status))
		return status;
	if (json_parse(buf_str(&json), STATUS_MAX, &doc, &e) < 0)
		return cmd_fail(CODE_INTERNAL, str_of(e.text), (struct str){ NULL, 0 });
	look(json_root(doc), &machine, &findings);
	if (line->set[CMD_json])
		write_json(json_root(doc), &machine, &findings.list, &out);
	else
		write_text(json_root(doc), &machine, &findings.list, &out);
	buf_done(&findings.journal);
	status = line->set[CMD_json] ? cmd_print_json(buf_str(&out)) : cmd_print(buf_str(&out));
	return status ? status : status_exit(json_root(doc));
}
