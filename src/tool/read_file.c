/* SPDX-License-Identifier: MIT */
/* read_file: numbered lines of a text file, and the fingerprint that an edit needs. */
#include "base/fd.h"
#include "base/sha.h"
#include "base/utf8.h"
#include "tool/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define SCAN_MAX    MiB(1) /* looked at from the start of the file */
#define CONTENT_MAX 28000  /* characters returned */

/* How much of it are whole characters: a cut may have gone through the last one. */
static size_t
whole_end(struct str text)
{
	for (size_t back = 1; back <= 3 && back <= text.n; back++) {
		unsigned char c = (unsigned char)text.p[text.n - back];
		size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if ((c & 0xc0) != 0x80)
			return length > back ? text.n - back : text.n;
	}
	return text.n;
}

/* The first SCAN_MAX bytes; *ret_more says whether there are others. */
static bool
scan(struct tool_call *c, int fd, struct str shown, struct buf *ret_text, bool *ret_more)
{
	char *space = buf_space(ret_text, SCAN_MAX + 1);
	size_t n = 0;

	while (n < SCAN_MAX + 1) {
		ssize_t got = read(fd, space + n, SCAN_MAX + 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return tool_fail(c, CODE_TOOL_FAILED, "%.*s could not be read",
			    STR_ARG(shown));
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*ret_more = n > SCAN_MAX;
	ret_text->n = MIN(n, SCAN_MAX);
	if (*ret_more)
		ret_text->n = whole_end(buf_str(ret_text));
	if (ret_text->n && memchr(ret_text->p, '\0', ret_text->n))
		return tool_fail(c, CODE_NOT_TEXT, "%.*s is binary: it holds NUL bytes",
		    STR_ARG(shown));
	return true;
}

struct window {
	struct buf content;
	uint64_t start, limit;
	bool cut; /* not all of the lines from start on are in it */
};

/* Adds the lines wanted as far as they fit, whole characters, each with its number. */
static void
take_lines(struct window *w, struct str text)
{
	size_t points = 0;

	for (uint64_t number = 1; text.n; number++) {
		auto_done(buf) struct buf line = buf_max(SCAN_MAX * 3 + 64);
		struct str raw = str_split(&text, '\n');
		struct str fits;

		if (number < w->start)
			continue;
		if (number >= w->start + w->limit) {
			w->cut = true;
			return;
		}
		buf_addf(&line, "%llu: ", (unsigned long long)number);
		utf8_scrub(raw, &line);
		buf_addc(&line, '\n');
		fits = utf8_head(buf_str(&line), CONTENT_MAX - points);
		buf_add(&w->content, fits);
		points += utf8_count(fits);
		if (fits.n < line.n) {
			w->cut = true;
			return;
		}
	}
}

bool
tool_read_file(struct tool_call *c)
{
	auto_done(buf) struct buf path = { 0 }, given = { 0 };
	auto_done(buf) struct buf text = buf_max(SCAN_MAX + 2);
	auto_fd int fd = -1;
	char hash[SHA_HEX_SIZE];
	struct window w = {
		.content = buf_max(CONTENT_MAX * 4 + KiB(1)),
		.start = args_number(c->in, "startLine"),
		.limit = args_number(c->in, "limit"),
	};
	struct str shown;
	bool more = false;

	if (!tool_path(c, "path", &path) || !tool_given(c, "path", &given))
		return false;
	shown = tool_shown(c, buf_str(&given));
	fd = roots_open(c->roots, buf_str(&path), O_RDONLY, &c->failed);
	if (fd < 0 || !tool_file(c, fd, shown) || !scan(c, fd, shown, &text, &more))
		return false;
	take_lines(&w, buf_str(&text));
	sha_bytes(buf_str(&text), hash);
	json_open(c->out, NULL, '{');
	json_put_str(c->out, "path", shown);
	if (more)
		json_put_null(c->out, "sha256");
	else
		json_put_str(c->out, "sha256", str_of(hash));
	json_put_u64(c->out, "startLine", w.start);
	json_put_str(c->out, "content", buf_str(&w.content));
	json_put_bool(c->out, "truncated", w.cut || more);
	json_close(c->out, '}');
	buf_done(&w.content);
	return true;
}
