/* SPDX-License-Identifier: MIT */
#include "tool/fence.h"

#include "base/json.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES_MAX   16384
#define ABOVE_MAX   256
#define REFUSED_MAX 4
#define EVERYTHING \
	(LANDLOCK_LIST | LANDLOCK_WRITE | LANDLOCK_MAKE | LANDLOCK_SPECIAL | LANDLOCK_DEVICE)
#define CONTENT (LANDLOCK_READ | LANDLOCK_EXEC | LANDLOCK_OPTIONAL)

/* ---- walls ---- */

static bool
is_fenced(const struct runner *r)
{
	return r->profile->want & LAYER_BIT(landlock);
}

struct rules {
	struct landlock_rule *list;
	char **texts; /* paths that were made here */
	size_t n, texts_n;
	bool full;
};

static void
add(struct rules *rules, const char *path, unsigned access)
{
	if (rules->n == RULES_MAX) {
		rules->full = true;
		return;
	}
	rules->list[rules->n++] = (struct landlock_rule){ .path = path, .access = access };
}

static void
add_text(struct rules *rules, const char *path, unsigned access)
{
	if (rules->texts_n < RULES_MAX)
		rules->texts[rules->texts_n] = xstrdup(path);
	if (rules->texts_n < RULES_MAX)
		add(rules, rules->texts[rules->texts_n++], access);
	else
		rules->full = true;
}

static void
free_rules(struct rules *rules)
{
	while (rules->texts_n)
		free(rules->texts[--rules->texts_n]);
	free(rules->texts);
	free(rules->list);
}

/* Whether a folder is above one that is protected, or that folder itself. */
static bool
leads_to_protected(const struct runner *r, struct str path)
{
	for (size_t i = 0; i < r->protected_n; i++)
		if (path_below(str_of(r->protected[i]), path))
			return true;
	return false;
}

/* Everything in a folder but the ways to what is protected. Links count where they lead. */
static void
add_around(const struct runner *r, const char *folder, struct rules *rules)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		auto_done(buf) struct buf path = buf_max(PATH_MAX);

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    entry->d_type == DT_LNK)
			continue;
		buf_addf(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
		if (buf_ok(&path) && !leads_to_protected(r, buf_str(&path)))
			add_text(rules, buf_text(&path), EVERYTHING | CONTENT);
	}
	if (d)
		closedir(d);
}

/* The folders above what is protected, each once, the root first. */
struct above {
	char *list[ABOVE_MAX];
	size_t n;
};

static void
add_above(struct above *a, struct str path)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(str_of(a->list[i]), path))
			return;
	if (a->n < ABOVE_MAX) {
		char *text = xcalloc(path.n + 1, 1);

		memcpy(text, path.p, path.n);
		a->list[a->n++] = text;
	}
}

static bool
find_above(const struct runner *r, struct above *ret_above)
{
	*ret_above = (struct above){ .n = 0 };
	add_above(ret_above, STR("/"));
	for (size_t i = 0; i < r->protected_n; i++) {
		struct str path = str_of(r->protected[i]);

		for (size_t at = 1; at < path.n; at++)
			if (path.p[at] == '/')
				add_above(ret_above, (struct str){ path.p, at });
	}
	return ret_above->n < ABOVE_MAX;
}

static void
above_done(struct above *a)
{
	while (a->n)
		free(a->list[--a->n]);
}

/* Changes when a name comes or goes in one of them. */
static uint64_t
stamp_of(const struct above *a)
{
	uint64_t stamp = 1469598103934665603ULL;

	for (size_t i = 0; i < a->n; i++) {
		struct stat st = { 0 };

		if (lstat(a->list[i], &st) < 0)
			continue;
		stamp = (stamp ^ (uint64_t)st.st_ino) * 1099511628211ULL;
		stamp = (stamp ^ (uint64_t)st.st_mtim.tv_sec) * 1099511628211ULL;
		stamp = (stamp ^ (uint64_t)st.st_mtim.tv_nsec) * 1099511628211ULL;
	}
	return stamp;
}

/* Landlock only allows, so what is to stay out is walked around: from the root down to it. */
static void
walk_around(const struct runner *r, const struct above *above, struct rules *rules)
{
	add(rules, "/", LANDLOCK_LIST);
	for (size_t i = 0; i < above->n; i++)
		add_around(r, above->list[i], rules);
	/* A scratchpad in the state home is meant to be used. */
	for (size_t i = 0; i < r->writable_n; i++)
		if (!leads_to_protected(r, str_of(r->writable[i])))
			add(rules, r->writable[i], EVERYTHING | CONTENT);
}

static int
rebuild(struct runner *r, const struct above *above, struct err *e)
{
	struct rules rules = { xcalloc(RULES_MAX, sizeof(*rules.list)),
		xcalloc(RULES_MAX, sizeof(*rules.texts)), 0, 0, false };
	int n = 0;

	base_close_fd(&r->ruleset);
	r->ruleset = -1;
	if (r->covered || !r->protected_n)
		add(&rules, "/", EVERYTHING | CONTENT);
	else
		walk_around(r, above, &rules);
	if (rules.full)
		n = err_set(e, ERR_LIMIT,
		    "there are more than %d names beside crisol's own folders", RULES_MAX);
	if (n == 0)
		n = landlock_prepare(rules.list, rules.n, &r->ruleset, e);
	free_rules(&rules);
	return n;
}

int
fence_prepare(struct runner *r, struct err *e)
{
	struct above above;
	uint64_t stamp;
	int n = 0;

	if (!is_fenced(r))
		return 0;
	if (!find_above(r, &above))
		n = err_set(e, ERR_LIMIT, "crisol's own folders lie too deep");
	stamp = r->covered ? 1 : stamp_of(&above);
	if (n == 0 && (r->ruleset < 0 || stamp != r->ruleset_stamp))
		n = rebuild(r, &above, e);
	r->ruleset_stamp = stamp;
	above_done(&above);
	return n;
}

int
fence_enter(const struct runner *r, struct err *e)
{
	return is_fenced(r) ? landlock_join(r->ruleset, e) : 0;
}

/* ---- words ---- */

void
fence_write(const struct runner *r, struct buf *ret_json)
{
	const struct sandbox_report *report = &r->report;
	uint32_t lacks = report->want & ~report->held;

	json_open(ret_json, "fence", '{');
	json_put_str(ret_json, "held", is_fenced(r) ? STR("workspace") : STR("none"));
	json_put_bool(ret_json, "network", r->profile->tcp);
	json_open(ret_json, "layers", '[');
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (report->held & (1U << i))
			json_put_str(ret_json, NULL,
			    str_of(sandbox_layer_name((enum sandbox_layer)i)));
	json_close(ret_json, ']');
	json_open(ret_json, "lacks", '[');
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (lacks & (1U << i))
			json_put_str(ret_json, NULL,
			    str_of(sandbox_layer_name((enum sandbox_layer)i)));
	json_close(ret_json, ']');
	json_close(ret_json, '}');
}

/* ---- guesses ---- */

static const char *const path_words[] = { "Permission denied", "Read-only file system",
	"Operation not permitted", "EACCES", "EROFS", "EPERM", "permission denied" };
static const char *const net_words[] = { "Could not resolve host", "Temporary failure in name",
	"Name or service not known", "getaddrinfo", "EAI_AGAIN",
	"socket: ", "Could not connect", "Couldn't connect", "Failed to connect",
	"NewConnectionError", "Network is unreachable", "failed to lookup address",
	"unable to access 'http", "Unable to connect" };

static bool
holds_any(struct str line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memmem(line.p, line.n, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Whether the person could write it if there were no fence: attributes alone are asked. */
static bool
person_may(struct str path)
{
	auto_done(buf) struct buf at = buf_max(PATH_MAX);

	buf_add(&at, path);
	while (at.n > 1 && faccessat(AT_FDCWD, buf_text(&at), F_OK, AT_EACCESS) < 0 &&
	       errno == ENOENT) {
		while (at.n > 1 && at.p[at.n - 1] != '/')
			at.n--;
		at.n -= at.n > 1;
		at.p[at.n] = '\0';
	}
	return faccessat(AT_FDCWD, buf_text(&at), W_OK, AT_EACCESS) == 0 || errno == EROFS;
}

static bool
is_writable(const struct runner *r, struct str path)
{
	for (size_t i = 0; i < r->writable_n; i++)
		if (path_below(path, str_of(r->writable[i])))
			return true;
	return false;
}

static bool
is_protected(const struct runner *r, struct str path)
{
	for (size_t i = 0; i < r->protected_n; i++)
		if (path_below(path, str_of(r->protected[i])))
			return true;
	return false;
}

static bool
ends_path(struct str rest, char quote)
{
	if (quote)
		return rest.p[0] == quote || str_starts(rest, STR("\xe2\x80\x99"));
	return memchr(" \t:\"'`,;)]>", rest.p[0], 11) || str_starts(rest, STR("\xe2\x80\x99"));
}

/* The next absolute path in a line; moves the line behind it. */
static bool
next_path(struct str *line, struct str *ret_path)
{
	for (size_t i = 0; i < line->n; i++) {
		char before = i ? line->p[i - 1] : ' ';
		bool curly = i >= 3 && memcmp(line->p + i - 3, "\xe2\x80\x98", 3) == 0;
		size_t n = 1;

		if (line->p[i] != '/' || !(curly || memchr(" \t\"'`=([<", before, 9)))
			continue;
		while (i + n < line->n && !ends_path(str_from(*line, i + n),
					      memchr("\"'`", before, 3) ? before : 0))
			n++;
		*ret_path = (struct str){ line->p + i, n };
		*line = str_from(*line, i + n);
		return true;
	}
	return false;
}

/* "sh: 1: cannot create out/x: Permission denied": the words before the last colon but one. */
static bool
relative_path(struct str line, struct str *ret_path)
{
	const char *end = NULL;
	size_t start;

	for (size_t i = 0; i < COUNT(path_words) && !end; i++)
		end = memmem(line.p, line.n, path_words[i], strlen(path_words[i]));
	if (!end || end - line.p < 3)
		return false;
	line.n = (size_t)(end - line.p) - 2;
	start = line.n;
	while (start && !memchr(" '\"", line.p[start - 1], 3))
		start--;
	*ret_path = str_from(line, start);
	return ret_path->n > 0;
}

struct guess {
	const struct runner *runner;
	struct str cwd;
	struct buf *out;
	struct buf hint;
	struct buf seen; /* paths, a line each */
	unsigned n;
	bool network;
};

static void
begin_guess(struct guess *g)
{
	if (!g->n++)
		json_open(g->out, "refused", '[');
	json_open(g->out, NULL, '{');
}

static void
guess_path(struct guess *g, struct str path)
{
	auto_done(buf) struct buf normal = buf_max(PATH_MAX), line = buf_max(PATH_MAX + 2);
	struct str at;

	if (g->n == REFUSED_MAX || !path_normal(g->cwd, path, &normal))
		return;
	at = buf_str(&normal);
	buf_addf(&line, "\n%.*s\n", STR_ARG(at));
	if (g->seen.n && memmem(g->seen.p, g->seen.n, line.p, line.n))
		return;
	if (!is_protected(g->runner, at) && (is_writable(g->runner, at) || !person_may(at)))
		return;
	buf_add(&g->seen, buf_str(&line));
	begin_guess(g);
	json_put_str(g->out, "path", at);
	json_put_str(g->out, "wanted",
	    is_protected(g->runner, at) ? STR("access") : STR("write"));
	json_put_bool(g->out, "probably", true);
	json_close(g->out, '}');
	if (is_protected(g->runner, at))
		buf_addf(&g->hint, "%.*s is crisol's own and stays closed. ", STR_ARG(at));
	else
		buf_addf(&g->hint,
		    "Writing %.*s was probably refused by the fence: --add-dir of its folder "
		    "for "
		    "this run, or permissions.process.writable in your own configuration, "
		    "allows it. ",
		    STR_ARG(at));
}

static void
guess_network(struct guess *g)
{
	if (g->network || g->runner->profile->tcp || g->n == REFUSED_MAX)
		return;
	g->network = true;
	begin_guess(g);
	json_put_str(g->out, "wanted", STR("network"));
	json_put_bool(g->out, "probably", true);
	json_close(g->out, '}');
	buf_add(&g->hint,
	    STR("The network was probably refused by the fence: --allow-external allows it. "));
}

void
fence_explain(const struct runner *r, struct str said, struct str cwd, struct buf *ret_json)
{
	struct guess g = { .runner = r,
		.cwd = cwd,
		.out = ret_json,
		.hint = buf_max(KiB(24)),
		.seen = buf_max(KiB(32)) };

	while (said.n && is_fenced(r)) {
		struct str line = str_split(&said, '\n'), rest = line, path;
		bool absolute = false;

		if (holds_any(line, net_words, COUNT(net_words)))
			guess_network(&g);
		if (!holds_any(line, path_words, COUNT(path_words)))
			continue;
		while (next_path(&rest, &path)) {
			absolute = true;
			guess_path(&g, path);
		}
		if (!absolute && relative_path(line, &path))
			guess_path(&g, path);
	}
	if (g.n) {
		json_close(ret_json, ']');
		json_put_str(ret_json, "hint", str_trim(buf_str(&g.hint)));
	}
	buf_done(&g.hint);
	buf_done(&g.seen);
}
