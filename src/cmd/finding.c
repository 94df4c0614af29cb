/* SPDX-License-Identifier: MIT */
/*
 * Every mend is lines for a shell, so that they can be pasted, and tests/integ/t_doctor.py runs
 * them: what only explains stands behind a '#', paths are quoted.
 */
#include "cmd/finding.h"

#include "base/utf8.h"
#include "conf/home.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MEND_MAX   (6 * PATH_MAX)
#define LEAST_FREE MiB(1) /* of the disk with the journal: below that nothing can be kept */

static struct finding *
add(struct findings *f, const char *name, enum advice_weight weight, const char *means)
{
	struct finding *x = &f->items[f->n];

	assert(f->n < FINDINGS_MAX);
	*x = (struct finding){
		.name = name,
		.weight = weight,
		.means = means,
		.missing = buf_max(KiB(16)),
		.mend = buf_max(MEND_MAX),
	};
	f->n++;
	return x;
}

static void
add_quoted(const char *text, struct buf *out)
{
	buf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_add(out, STR("'\\''"));
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

/* ---- the programs ---- */

static const char *const part_names[] = { "crisol-core", "crisol-launch", "crisol-tool",
	"crisol-js" };

/* The folder this program is in, with a slash at its end; false when it is not known. */
static bool
own_folder(char ret_path[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);

	if (n <= 0)
		return false;
	ret_path[n] = '\0';
	strrchr(ret_path, '/')[1] = '\0';
	return true;
}

/* Where the part is, or would be looked for at last. */
static bool
find_part(const char *name, struct buf *ret_path)
{
	static const char *const places[] = { "", "../libexec/crisol/" };
	char own[PATH_MAX];

	if (!own_folder(own))
		return false;
	for (size_t i = 0; i < COUNT(places); i++) {
		buf_reset(ret_path);
		buf_addf(ret_path, "%s%s%s", own, places[i], name);
		if (access(buf_text(ret_path), F_OK) == 0)
			return true;
	}
	return false;
}

/* From a build folder: there is a Makefile four folders up. Else what `make install` left. */
static void
add_install(struct buf *out)
{
	char own[PATH_MAX];
	char real[PATH_MAX];
	auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);

	if (!own_folder(own))
		return;
	buf_addf(&path, "%s../../../../Makefile", own);
	if (realpath(buf_text(&path), real)) {
		*strrchr(real, '/') = '\0';
		buf_add(out, STR("rm -f"));
		for (size_t i = 0; i < COUNT(part_names); i++) {
			buf_addc(out, ' ');
			buf_reset(&path);
			buf_addf(&path, "%s%s", own, part_names[i]);
			add_quoted(buf_text(&path), out);
		}
		buf_add(out, STR(" && make -C "));
		add_quoted(real, out);
		return;
	}
	buf_reset(&path);
	buf_addf(&path, "%s..", own);
	if (!realpath(buf_text(&path), real))
		return;
	buf_addf(out, "# in the folder with crisol's source:\n%smake install PREFIX=",
	    access(real, W_OK) == 0 ? "" : "sudo ");
	add_quoted(real, out);
}

static void
add_clause(struct buf *out, const char *name, struct str what)
{
	buf_add(out, out->n ? STR("; ") : STR("the installation is not whole: "));
	buf_addf(out, "%s%s", name, *name ? " " : "");
	utf8_show(what, out);
}

/* What the broker says of a part that is there: it has the hashes. */
static struct str
said_of(const struct yyjson_val *status, const char *name)
{
	const struct yyjson_val *parts = json_at(status, "parts");
	struct str unused;

	for (size_t i = 0; i < json_size(parts); i++) {
		const struct yyjson_val *part = json_nth(parts, i, &unused);

		if (str_eq(json_str(json_at(part, "name")), str_of(name)))
			return json_str(json_at(part, "why"));
	}
	return (struct str){ NULL, 0 };
}

static void
look_at_parts(const struct yyjson_val *status, const struct client_trouble *trouble,
    struct findings *f)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	bool ready = str_eq(json_str(json_at(js, "state")), STR("ready"));
	auto_done(buf) struct buf what = buf_max(KiB(16)), path = buf_max(2 * PATH_MAX);
	struct finding *x;

	for (size_t i = 0; i < COUNT(part_names); i++) {
		struct str said = said_of(status, part_names[i]);

		if (!find_part(part_names[i], &path))
			add_clause(&what, part_names[i], STR("is not there"));
		else if (access(buf_text(&path), R_OK | X_OK) != 0)
			add_clause(&what, part_names[i], STR("may not be started"));
		else if (said.n)
			add_clause(&what, "", said);
	}
	if (!what.n && trouble->code == CODE_ENGINE_UNAVAILABLE)
		add_clause(&what, "crisol-core", STR("does not work"));
	if (!what.n)
		return;
	x = add(f, "installation", ready ? ADVICE_WEAKENS : ADVICE_STOPS,
	    ready ? "scripts run, but calls of tools may fail"
		  : "scripts cannot run: its programs trust only those they were built with");
	buf_add(&x->missing, buf_str(&what));
	add_install(&x->mend);
}

/* ---- the configuration ---- */

static void
look_at_configuration(const struct client_trouble *trouble, struct findings *f)
{
	auto_done(buf) struct buf own = buf_max(2 * PATH_MAX);
	struct finding *x;
	struct err e;

	if (trouble->code != CODE_CONFIG_ERROR)
		return;
	x = add(f, "configuration", ADVICE_STOPS,
	    "nothing runs with a configuration that is only half understood");
	buf_add(&x->missing, STR("the configuration cannot be used: "));
	utf8_show(str_of(trouble->text), &x->missing);
	if (home_path(HOME_CONFIG, &own, &e) < 0) {
		buf_add(&x->mend, STR("unset CRISOL_CONFIG_HOME   # or give it a whole path"));
		return;
	}
	buf_add(&own, STR("/config.json"));
	if (!strstr(trouble->text, buf_text(&own))) {
		buf_add(&x->mend, STR("# correct what is named there, or leave out --config"));
		return;
	}
	buf_add(&x->mend, STR("# correct the place named, or go on without this file:\nmv "));
	add_quoted(buf_text(&own), &x->mend);
	buf_addc(&x->mend, ' ');
	buf_add(&own, STR(".broken"));
	add_quoted(buf_text(&own), &x->mend);
}

/* ---- the journal ---- */

static uint64_t
free_bytes(const char *path)
{
	struct statvfs vfs;

	return statvfs(path, &vfs) == 0 ? (uint64_t)vfs.f_bavail * vfs.f_frsize : UINT64_MAX;
}

/* A folder that this person could keep the journal in, and is not the one that fails. */
static void
add_elsewhere(const char *failing, struct buf *out)
{
	auto_done(buf) struct buf path = buf_max(PATH_MAX);
	const char *home = getenv("HOME");
	struct stat st;

	buf_add(out, STR("export CRISOL_STATE_HOME="));
	for (int i = 0; i < 2; i++) {
		const char *parent = i ? "/var/tmp" : home ? home : "";

		buf_reset(&path);
		buf_addf(&path, "%s/%scrisol-%u", parent, i ? "" : ".", (unsigned)geteuid());
		if (*parent != '/' || access(parent, W_OK) != 0 ||
		    free_bytes(parent) < 64 * LEAST_FREE ||
		    strcmp(buf_text(&path), failing) == 0)
			continue;
		if (lstat(buf_text(&path), &st) == 0 &&
		    (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077)))
			continue;
		add_quoted(buf_text(&path), out);
		return;
	}
	buf_add(out, STR("/a/folder/of/yours"));
}

static void
add_permission(const char *folder, struct buf *out)
{
	struct stat st;

	if (stat(folder, &st) < 0 || !S_ISDIR(st.st_mode)) {
		add_elsewhere(folder, out);
		return;
	}
	if (geteuid() != 0) {
		buf_addf(out, "sudo chown -R %u ", (unsigned)geteuid());
		add_quoted(folder, out);
		buf_add(out, STR(" && "));
	}
	buf_add(out, STR("chmod -R u+rwX,go-w "));
	add_quoted(folder, out);
}

static void
add_away(const char *folder, struct buf *out)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	auto_done(buf) struct buf path = buf_max(2 * PATH_MAX);
	struct stat st;

	for (size_t i = 0; i < COUNT(ends); i++) {
		buf_reset(&path);
		buf_addf(&path, "%s/journal.sqlite%s", folder, ends[i]);
		if (lstat(buf_text(&path), &st) < 0)
			continue;
		buf_add(out, i ? STR("\nmv ") : STR("mv "));
		add_quoted(buf_text(&path), out);
		buf_addc(out, ' ');
		buf_add(&path, STR(".damaged"));
		add_quoted(buf_text(&path), out);
	}
}

static void
add_space(const char *folder, struct buf *out)
{
	buf_add(out, STR("# make room on this disk, or keep the journal on another:\ndf -h "));
	add_quoted(folder, out);
	buf_addc(out, '\n');
	add_elsewhere(folder, out);
}

static void
add_wait(const char *folder, struct buf *out)
{
	buf_add(out,
	    STR("# another program holds it; wait for it, or keep another journal:\n"));
	add_elsewhere(folder, out);
}

/* By what the store says (store/db.c, schema.c, conf/home.c); all else: keep it elsewhere. */
static const struct {
	const char *words;
	void (*mend)(const char *folder, struct buf *out);
} journal_mends[] = {
	{ "move it away", add_away },
	{ "another form than its schema", add_away },
	{ "is full", add_space },
	{ "No space left", add_space },
	{ "held the journal", add_wait },
	{ "not this user's alone", add_permission },
	{ "may only be read", add_permission },
	{ "may not be opened", add_permission },
	{ "belongs to another user", add_permission },
	{ "a symbolic link", add_away },
	{ "something special", add_away },
	{ "Permission denied", add_permission },
};

static void
mend_journal(const char *folder, struct str why, struct buf *out)
{
	for (size_t i = 0; i < COUNT(journal_mends); i++) {
		const char *words = journal_mends[i].words;

		if (memmem(why.p, why.n, words, strlen(words))) {
			journal_mends[i].mend(folder, out);
			return;
		}
	}
	add_elsewhere(folder, out);
}

static void
look_at_journal(const struct yyjson_val *status, struct findings *f)
{
	struct str why = json_str(json_at(json_at(status, "journal"), "why"));
	auto_done(buf) struct buf folder = buf_max(PATH_MAX);
	bool known, full;
	struct finding *x;
	struct err e;

	known = home_path(HOME_STATE, &folder, &e) >= 0;
	full = known && !why.n && free_bytes(buf_text(&folder)) < LEAST_FREE;
	if (!why.n && !full)
		return;
	x = add(f, "journal", ADVICE_WEAKENS,
	    "runs that only read work and are not recorded; what changes something is refused, "
	    "and no session is kept");
	buf_add(&x->missing, STR("the journal cannot be used: "));
	if (full)
		buf_addf(&x->missing, "the disk with %s is full", buf_text(&folder));
	else
		utf8_show(why, &x->missing);
	if (full)
		add_space(buf_text(&folder), &x->mend);
	else
		mend_journal(known ? buf_text(&folder) : "", why, &x->mend);
}

/* ---- everything ---- */

/* Programs of others that tools run; each is optional. */
static const struct {
	const char *name, *missing, *means, *mend;
} programs[] = {
	{ "ripgrep", "ripgrep (rg) is not installed",
	    "the tools list_files and search_text fail, as they run it",
	    "sudo apt install ripgrep" },
	{ "git", "git is not installed",
	    "the tools git_status and git_diff fail, as they run it", "sudo apt install git" },
};

static void
look_at_programs(const struct yyjson_val *status, struct findings *f)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		const struct yyjson_val *program = json_at(status, programs[i].name);
		struct finding *x;

		if (!json_is_object(program) || json_str(json_at(program, "path")).n)
			continue;
		x = add(f, programs[i].name, ADVICE_WEAKENS, programs[i].means);
		buf_add(&x->missing, str_of(programs[i].missing));
		buf_addf(&x->mend, "%s\n# or as your system does it: %.*s", programs[i].mend,
		    STR_ARG(json_str(json_at(program, "mend"))));
	}
}

static void
look_at_walls(const struct yyjson_val *status, struct machine *ret_machine, struct findings *f)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	bool insisted = str_eq(json_str(json_at(js, "code")), STR("ISOLATION_UNAVAILABLE"));
	auto_done(buf) struct buf launcher = buf_max(2 * PATH_MAX);
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_advice_list list;
	struct sandbox_report report;
	struct err e;

	find_part("crisol-launch", &launcher);
	machine_detect(root, buf_text(&launcher), ret_machine);
	if (sandbox_report_read(json_str(json_at(json_at(js, "isolation"), "report")), &report,
		&e) < 0)
		report = (struct sandbox_report){ 0 };
	sandbox_advice(&report, ret_machine, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct sandbox_advice *a = &list.items[i];
		enum advice_weight weight =
		    insisted && a->weight == ADVICE_WEAKENS ? ADVICE_STOPS : a->weight;
		struct finding *x = add(f, a->name, weight, a->means);

		buf_add(&x->missing, str_of(a->missing));
		buf_add(&x->mend, str_of(a->mend));
	}
}

/* Scripts do not run, and nothing above says why. */
static void
look_at_rest(const struct yyjson_val *status, const struct client_trouble *trouble,
    struct findings *f)
{
	const struct yyjson_val *js = json_at(status, "javascript");
	bool not_ready = str_eq(json_str(json_at(js, "state")), STR("not ready"));
	struct finding *x;

	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].weight == ADVICE_STOPS)
			return;
	}
	if (trouble->code == CODE_NONE && !not_ready)
		return;
	x = add(f, "engine", ADVICE_STOPS, "scripts cannot run here");
	utf8_show(trouble->code ? str_of(trouble->text) : json_str(json_at(js, "why")),
	    &x->missing);
	if (trouble->code)
		buf_addf(&x->mend, "# %s", code_specs[trouble->code].hint);
	else
		add_install(&x->mend);
}

/* Those that stop scripts first, else in the order in which they were found. */
static void
sort(struct findings *f)
{
	for (size_t i = 1; i < f->n; i++) {
		struct finding x = f->items[i];
		size_t at = i;

		for (; at > 0 && f->items[at - 1].weight > x.weight; at--)
			f->items[at] = f->items[at - 1];
		f->items[at] = x;
	}
}

void
findings_look(const struct yyjson_val *status, const struct client_trouble *trouble,
    struct machine *ret_machine, struct findings *ret_findings)
{
	ret_findings->n = 0;
	look_at_parts(status, trouble, ret_findings);
	look_at_configuration(trouble, ret_findings);
	look_at_walls(status, ret_machine, ret_findings);
	look_at_journal(status, ret_findings);
	look_at_programs(status, ret_findings);
	look_at_rest(status, trouble, ret_findings);
	sort(ret_findings);
}

void
findings_done(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		buf_done(&f->items[i].missing);
		buf_done(&f->items[i].mend);
	}
	f->n = 0;
}
