/* SPDX-License-Identifier: MIT */
/* Myers' greedy algorithm on lines, forward, with the frontier of every step kept for the way back. */
#include "tool/diff.h"

#define CONTEXT   3
#define STEPS_MAX 1000     /* insertions and deletions that are looked for */
#define LOOKS_MAX 50000000 /* lines that are compared for it */

struct line {
	struct str text; /* with its end */
	uint64_t hash;
};

struct lines {
	struct line *list;
	size_t n;
};

static void
lines_done(struct lines *l)
{
	free(l->list);
}

static uint64_t
hash_of(struct str s)
{
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3U;
	return h;
}

static struct lines
split(struct str text)
{
	struct lines l = { NULL, 0 };
	size_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	l.list = xcalloc(n, sizeof(*l.list));
	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t size = end ? (size_t)(end + 1 - text.p) : text.n;
		struct str one = { text.p, size };

		l.list[l.n++] = (struct line){ one, hash_of(one) };
		text = str_from(text, size);
	}
	return l;
}

static bool
same(const struct line *a, const struct line *b)
{
	return a->hash == b->hash && str_eq(a->text, b->text);
}

/* ---- which lines stay ---- */

struct pair {
	struct lines a, b;
	size_t above;      /* lines before these, the same in both */
	bool *gone, *come; /* a line of a that is not in b, of b that is not in a */
};

/* What both begin and end with stays; *ret_from, *ret_a, *ret_b: the bounds of what is between. */
static void
trim(const struct pair *p, size_t *ret_from, size_t *ret_a, size_t *ret_b)
{
	size_t from = 0, a = p->a.n, b = p->b.n;

	while (from < a && from < b && same(&p->a.list[from], &p->b.list[from]))
		from++;
	while (a > from && b > from && same(&p->a.list[a - 1], &p->b.list[b - 1]))
		a--, b--;
	*ret_from = from;
	*ret_a = a;
	*ret_b = b;
}

/* The frontiers: row d has 2d+1 entries, the furthest x on the diagonals -d, -d+2, .. d. */
struct frontiers {
	int *at[STEPS_MAX + 1];
	int used;
};

static void
frontiers_done(struct frontiers *f)
{
	for (int d = 0; d < f->used; d++)
		free(f->at[d]);
}

static int
start_of(const struct frontiers *f, int d, int k, bool *ret_down)
{
	const int *before = d ? f->at[d - 1] : NULL;

	*ret_down = false;
	if (!before)
		return 0;
	/* Row d-1 has diagonal k at index k+d-1. */
	*ret_down = k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1]);
	return *ret_down ? before[k + 1 + d - 1] : before[k - 1 + d - 1] + 1;
}

/* The number of steps; -1 when it would take too many. */
static int
search(const struct line *a, int n, const struct line *b, int m, struct frontiers *f)
{
	size_t looks = 0;

	for (int d = 0; d <= STEPS_MAX && looks <= LOOKS_MAX; d++) {
		int *row = f->at[d] = xcalloc((size_t)(2 * d + 1), sizeof(*row));

		f->used = d + 1;
		for (int k = -d; k <= d; k += 2) {
			bool down;
			int x = start_of(f, d, k, &down), y = x - k;

			while (x >= 0 && y >= 0 && x < n && y < m && same(&a[x], &b[y]))
				x++, y++, looks++;
			row[k + d] = x;
			if (x >= n && y >= m)
				return d;
		}
	}
	return -1;
}

static void
walk_back(const struct frontiers *f, int steps, int n, int m, bool *gone, bool *come)
{
	int k = n - m;

	for (int d = steps; d > 0; d--) {
		bool down;
		int x = start_of(f, d, k, &down), y = x - k;

		if (down) {
			come[y - 1] = true;
			k++;
		} else {
			gone[x - 1] = true;
			k--;
		}
	}
}

static void
compare(struct pair *p)
{
	attr_cleanup(frontiers_done) struct frontiers f = { .used = 0 };
	size_t from, a, b;
	int steps;

	trim(p, &from, &a, &b);
	steps =
	    search(p->a.list + from, (int)(a - from), p->b.list + from, (int)(b - from), &f);
	if (steps >= 0) {
		walk_back(&f, steps, (int)(a - from), (int)(b - from), p->gone + from,
		    p->come + from);
		return;
	}
	for (size_t i = from; i < a; i++)
		p->gone[i] = true;
	for (size_t i = from; i < b; i++)
		p->come[i] = true;
}

/* ---- what is shown ---- */

struct sink {
	struct buf *out;
	size_t kept, total;
};

static void
put(struct sink *s, char sign, struct str line)
{
	bool whole = line.n && line.p[line.n - 1] == '\n';
	static const struct str no_end = STR("\n\\ No newline at end of file\n");
	size_t size = (sign != 0) + line.n + (whole ? 0 : no_end.n);

	if (s->kept == s->total && s->total + size <= DIFF_MAX) {
		if (sign)
			buf_addc(s->out, sign);
		buf_add(s->out, line);
		if (!whole)
			buf_add(s->out, no_end);
		s->kept += size;
	}
	s->total += size;
}

static void
put_range(struct buf *out, char sign, size_t first, size_t n)
{
	buf_addf(out, "%c%zu", sign, n ? first + 1 : first);
	if (n != 1)
		buf_addf(out, ",%zu", n);
}

/* One hunk of the window: from (i, j) up to (i_end, j_end), context included. */
static void
put_hunk(const struct pair *p, size_t i, size_t j, size_t i_end, size_t j_end, struct sink *s)
{
	auto_done(buf) struct buf head = buf_max(128);

	buf_add(&head, STR("@@ "));
	put_range(&head, '-', p->above + i, i_end - i);
	buf_addc(&head, ' ');
	put_range(&head, '+', p->above + j, j_end - j);
	buf_add(&head, STR(" @@\n"));
	put(s, 0, buf_str(&head));
	while (i < i_end || j < j_end) {
		if (i < i_end && p->gone[i])
			put(s, '-', p->a.list[i++].text);
		else if (j < j_end && p->come[j])
			put(s, '+', p->b.list[j++].text);
		else {
			put(s, ' ', p->a.list[i].text);
			i++;
			j++;
		}
	}
}

static bool
stays(const struct pair *p, size_t i, size_t j)
{
	return i < p->a.n && j < p->b.n && !p->gone[i] && !p->come[j];
}

static void
put_hunks(const struct pair *p, struct sink *s)
{
	size_t i = 0, j = 0;

	for (;;) {
		size_t quiet = 0, before, i_end, j_end;

		while (stays(p, i, j))
			i++, j++, quiet++;
		if (i == p->a.n && j == p->b.n)
			return;
		before = MIN(quiet, (size_t)CONTEXT);
		i_end = i;
		j_end = j;
		for (quiet = 0; (i_end < p->a.n || j_end < p->b.n) && quiet <= 2 * CONTEXT;) {
			if (stays(p, i_end, j_end)) {
				i_end++, j_end++, quiet++;
				continue;
			}
			quiet = 0;
			if (i_end < p->a.n && p->gone[i_end])
				i_end++;
			else
				j_end++;
		}
		if (quiet > CONTEXT) {
			i_end -= quiet - CONTEXT;
			j_end -= quiet - CONTEXT;
		}
		put_hunk(p, i - before, j - before, i_end, j_end, s);
		i = i_end;
		j = j_end;
	}
}

/* As git quotes it: only where a line of the diff could be read wrong otherwise. */
static void
put_name(struct buf *out, const char *side, struct str name)
{
	bool odd = false;

	for (size_t i = 0; i < name.n; i++)
		odd = odd || (unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f ||
		      name.p[i] == '"' || name.p[i] == '\\';
	buf_addf(out, odd ? "\"%s" : "%s", side);
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c == '\n' || c == '\t')
			buf_add(out, c == '\n' ? STR("\\n") : STR("\\t"));
		else if (odd && (c < 0x20 || c == 0x7f))
			buf_addf(out, "\\%03o", c);
		else if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else
			buf_addc(out, (char)c);
	}
	if (odd)
		buf_addc(out, '"');
	buf_addc(out, '\n');
}

/* ---- the part that matters ---- */

static size_t
lines_above(struct str text, size_t at)
{
	size_t n = 0;
	const char *end = text.p + at;

	for (const char *p = text.p; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	return n;
}

/* Where the line that has byte `at` begins, `more` lines above. */
static size_t
line_start(struct str text, size_t at, unsigned more)
{
	for (;;) {
		const char *end = at ? memrchr(text.p, '\n', at) : NULL;

		at = end ? (size_t)(end + 1 - text.p) : 0;
		if (!at || !more--)
			return at;
		at--;
	}
}

/* How many bytes at the end, whole lines, are the same; none of the first `from`. */
static size_t
same_end(struct str a, struct str b, size_t from)
{
	size_t n = 0, most = MIN(a.n, b.n) - from;
	const char *end;

	while (n < most && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
		n++;
	end = n ? memchr(a.p + a.n - n, '\n', n) : NULL;
	n = end ? (size_t)(a.p + a.n - end) - 1 : 0;
	/* So many lines of it are shown. */
	for (unsigned line = 0; n && line < CONTEXT; line++) {
		end = memchr(a.p + a.n - n, '\n', n);
		n = end ? (size_t)(a.p + a.n - end) - 1 : 0;
	}
	return n;
}

/* Leaves out what is the same at both ends, context excepted; the number of lines above. */
static size_t
narrow(struct str *ret_a, struct str *ret_b)
{
	struct str a = *ret_a, b = *ret_b;
	size_t from = 0, most = MIN(a.n, b.n), end, above;

	while (from < most && a.p[from] == b.p[from])
		from++;
	end = same_end(a, b, from);
	from = line_start(a, from, CONTEXT);
	above = from ? lines_above(a, from) : 0;
	*ret_a = (struct str){ a.p + from, a.n - from - end };
	*ret_b = (struct str){ b.p + from, b.n - from - end };
	return above;
}

void
diff_unified(struct str before, struct str after, struct str name, bool created,
    struct buf *ret_diff)
{
	attr_cleanup(lines_done) struct lines a = { NULL, 0 }, b = { NULL, 0 };
	auto_free bool *gone = NULL, *come = NULL;
	struct pair p;
	struct sink s = { .out = ret_diff };
	size_t above;

	if (!created && str_eq(before, after))
		return;
	if (created)
		buf_add(ret_diff, STR("--- /dev/null\n"));
	else
		buf_add(ret_diff, STR("--- ")), put_name(ret_diff, "a/", name);
	buf_add(ret_diff, STR("+++ "));
	put_name(ret_diff, "b/", name);
	if ((before.n && memchr(before.p, '\0', before.n)) ||
	    (after.n && memchr(after.p, '\0', after.n))) {
		buf_add(ret_diff, STR("Binary files differ\n"));
		return;
	}
	above = narrow(&before, &after);
	a = split(before);
	b = split(after);
	gone = xcalloc(a.n + 1, sizeof(*gone));
	come = xcalloc(b.n + 1, sizeof(*come));
	p = (struct pair){ a, b, above, gone, come };
	compare(&p);
	put_hunks(&p, &s);
	if (s.kept < s.total)
		buf_addf(ret_diff, "[the diff is cut here: %zu of %zu bytes are shown]\n",
		    s.kept, s.total);
}

/* ---- languages ---- */

const char *
diff_language(struct str name)
{
	static const struct {
		const char *ending, *language;
	} rows[] = {
		{ ".c", "c" },
		{ ".h", "c" },
		{ ".cc", "cpp" },
		{ ".cpp", "cpp" },
		{ ".cxx", "cpp" },
		{ ".hpp", "cpp" },
		{ ".cs", "csharp" },
		{ ".css", "css" },
		{ ".csv", "csv" },
		{ ".diff", "diff" },
		{ ".patch", "diff" },
		{ ".go", "go" },
		{ ".html", "html" },
		{ ".htm", "html" },
		{ ".ini", "ini" },
		{ ".java", "java" },
		{ ".js", "javascript" },
		{ ".mjs", "javascript" },
		{ ".cjs", "javascript" },
		{ ".jsx", "jsx" },
		{ ".json", "json" },
		{ ".kt", "kotlin" },
		{ ".lua", "lua" },
		{ ".md", "markdown" },
		{ ".php", "php" },
		{ ".pl", "perl" },
		{ ".py", "python" },
		{ ".r", "r" },
		{ ".rb", "ruby" },
		{ ".rs", "rust" },
		{ ".scala", "scala" },
		{ ".scss", "scss" },
		{ ".sh", "bash" },
		{ ".bash", "bash" },
		{ ".sql", "sql" },
		{ ".svg", "xml" },
		{ ".swift", "swift" },
		{ ".toml", "toml" },
		{ ".ts", "typescript" },
		{ ".tsx", "tsx" },
		{ ".txt", "text" },
		{ ".vue", "vue" },
		{ ".xml", "xml" },
		{ ".yaml", "yaml" },
		{ ".yml", "yaml" },
		{ ".zig", "zig" },
		{ "Makefile", "makefile" },
		{ "Dockerfile", "dockerfile" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str ending = str_of(rows[i].ending);

		if (name.n >= ending.n && str_eq(str_from(name, name.n - ending.n), ending))
			return rows[i].language;
	}
	return "";
}
