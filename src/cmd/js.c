/* SPDX-License-Identifier: MIT */
/* crisol js: one script, its value on standard output. */
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"
#include "ipc/language.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RUN_TAG           1
#define PROGRESS_AFTER_NS (500 * NS_PER_MS)
#define PROGRESS_STEP_NS  (100 * NS_PER_MS)

struct script {
	struct client client;
	const struct cmd_line *line;
	struct buf source, input;
	const char *name; /* of the script, for error places */
	bool has_input;
	bool unread;              /* nobody takes its events */
	bool mid_line;            /* its text output did not end with a line feed */
	bool progress;            /* a progress line is on the terminal */
	struct buf note;          /* what the script said last of itself */
	double completed, total;  /* likewise; total 0: no fraction */
	uint64_t finished, begun; /* its calls */
	struct timer timer;
	uint64_t started;
};

/* --events without --json has no sense but that. */
static bool
wants_json(const struct script *s)
{
	return s->line->set[CMD_json] || s->line->set[CMD_events];
}

static bool
has_live_line(const struct script *s)
{
	return isatty(STDERR_FILENO) && !wants_json(s);
}

/* ---- standard error ---- */

static size_t
terminal_width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col
										: 80;
}

static void
put_err(struct str text)
{
	struct err e;

	/* A closed standard error must not take the result with it. */
	if (fd_write_all(STDERR_FILENO, text, &e) < 0)
		return;
}

static void
clear_progress(struct script *s)
{
	if (s->progress)
		put_err(STR("\r\033[K"));
	s->progress = false;
}

/* "reading  12/40  3/5 calls  1.2 s (Ctrl-C stops it)", as much of it as there is. */
static void
add_status(const struct script *s, uint64_t now, struct buf *out)
{
	uint64_t tenths = (now - s->started) / PROGRESS_STEP_NS;

	utf8_show(s->note.n ? buf_str(&s->note) : STR("running"), out);
	for (size_t i = 0; i < out->n; i++) {
		if (out->p[i] == '\n' || out->p[i] == '\t') /* it is one line */
			out->p[i] = ' ';
	}
	if (s->total > 0)
		buf_addf(out, "  %.15g/%.15g", s->completed, s->total);
	if (s->begun)
		buf_addf(out, "  %llu/%llu calls", (unsigned long long)s->finished,
		    (unsigned long long)s->begun);
	buf_addf(out, "  %llu.%llu s (Ctrl-C stops it)", (unsigned long long)(tenths / 10),
	    (unsigned long long)(tenths % 10));
}

/* As much as surely has room: what takes three bytes or more may be two columns wide. */
static struct str
that_fits(struct str text, size_t columns)
{
	struct str head = { text.p, 0 };

	while (head.n < text.n) {
		size_t n = utf8_next(str_from(text, head.n), NULL), wide = n >= 3 ? 2 : 1;

		if (n == 0 || wide > columns)
			break;
		head.n += n;
		columns -= wide;
	}
	return head;
}

static void
on_progress(struct timer *t)
{
	struct script *s = container_of(t, struct script, timer);
	auto_done(buf) struct buf line = buf_max(KiB(4)), text = buf_max(KiB(4));
	uint64_t now = clock_now();

	if (!s->mid_line) {
		add_status(s, now, &text);
		buf_add(&line, STR("\r\033[K"));
		buf_add(&line, that_fits(buf_str(&text), terminal_width() - 1));
		put_err(buf_str(&line));
		s->progress = true;
	}
	loop_timer(&s->client.loop, t, now + PROGRESS_STEP_NS);
}

/* ---- what happens ---- */

static void
on_signal(struct client *c)
{
	struct msg_run_cancel m = { .tag = RUN_TAG };
	struct err e;

	if (client_send(c, MSG_run_cancel, &m, &e) < 0)
		peer_drop(&c->core, &e);
}

static double
number(const struct yyjson_val *v)
{
	return json_is_number(v) ? json_double(v) : 0;
}

static void
note_event(struct script *s, struct str json)
{
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root;
	struct err e;

	if (json_parse(json, EVENT_MAX, &doc, &e) < 0)
		return;
	root = json_root(doc);
	if (str_eq(json_str(json_at(root, "event")), STR("call"))) {
		json_u64(json_at(root, "finished"), UINT64_MAX, &s->finished);
		json_u64(json_at(root, "started"), UINT64_MAX, &s->begun);
		return;
	}
	s->completed = number(json_at(root, "completed"));
	s->total = number(json_at(root, "total"));
	buf_reset(&s->note);
	buf_add(&s->note, json_str(json_at(root, "note")));
}

static int
client_on_run_event(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_event *m = body;
	struct script *s =
	    container_of(container_of(p, struct client, core), struct script, client);
	auto_done(buf) struct buf line = buf_max(EVENT_MAX + 1);

	(void)e;
	note_event(s, m->json);
	if (!s->line->set[CMD_events])
		return 0;
	buf_add(&line, m->json);
	buf_addc(&line, '\n');
	if (!s->unread && cmd_print_json(buf_str(&line)) != 0) {
		s->unread = true; /* there is nothing to go on for */
		on_signal(&s->client);
	}
	return 0;
}

static int
client_on_run_text(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_text *m = body;
	struct script *s =
	    container_of(container_of(p, struct client, core), struct script, client);
	auto_done(buf) struct buf shown = buf_max(m->text.n * 8 + 1);

	(void)e;
	if (wants_json(s) || !m->text.n)
		return 0;
	clear_progress(s);
	utf8_show(m->text, &shown);
	put_err(buf_str(&shown));
	s->mid_line = m->text.p[m->text.n - 1] != '\n';
	return 0;
}

/* ---- the end ---- */

/* The source's line with a mark below the column, as far as both can be shown. */
static void
add_place(const struct script *s, const struct msg_run_done *m, struct buf *out)
{
	struct str rest = buf_str(&s->source);
	struct str line = { NULL, 0 };

	buf_add(out, STR("  "));
	utf8_show_message(str_of(s->name), out);
	buf_addf(out, ":%llu:%llu\n", (unsigned long long)m->line,
	    (unsigned long long)m->column);
	for (uint64_t i = 0; i < m->line && rest.n; i++)
		line = str_split(&rest, '\n');
	if (!line.n || line.n > 160 || !utf8_valid(line))
		return;
	buf_add(out, STR("    "));
	utf8_show(line, out);
	if (m->column <= utf8_count(line) + 1) {
		struct str before = utf8_head(line, (size_t)m->column - 1);

		buf_add(out, STR("\n    "));
		for (size_t i = 0; i < before.n; i++) {
			if (((unsigned char)before.p[i] & 0xc0) != 0x80)
				buf_addc(out, before.p[i] == '\t' ? '\t' : ' ');
		}
		buf_addc(out, '^');
	}
	buf_addc(out, '\n');
}

static void
say_error(const struct script *s, const struct msg_run_done *m)
{
	auto_done(buf) struct buf out = buf_max(KiB(128));

	buf_addf(&out, "crisol: %.*s: ", STR_ARG(m->code));
	utf8_show_message(m->message, &out);
	buf_addc(&out, '\n');
	if (m->line)
		add_place(s, m, &out);
	if (m->hint.n) {
		buf_add(&out, STR("  hint: "));
		utf8_show_message(m->hint, &out);
		buf_addc(&out, '\n');
	}
	put_err(buf_str(&out));
}

static void
say_notes(const struct msg_run_done *m)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf out = buf_max(KiB(512));
	struct str name;
	struct err e;

	if (m->notes.n && json_parse(m->notes, NOTES_MAX, &doc, &e) >= 0) {
		for (size_t i = 0; i < json_size(json_root(doc)); i++) {
			buf_add(&out, STR("note: "));
			utf8_show_message(json_str(json_nth(json_root(doc), i, &name)), &out);
			buf_addc(&out, '\n');
		}
	}
	if (m->kept < m->total)
		buf_addf(&out,
		    "note: cut to %llu of %llu characters (--max-output-chars raises it, up to "
		    "48000)\n",
		    (unsigned long long)m->kept, (unsigned long long)m->total);
	put_err(buf_str(&out));
}

/* The value as JSON, or with --raw a string as it is. */
static int
print_value(const struct script *s, const struct msg_run_done *m)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf out = buf_max(ENVELOPE_MAX + 1);
	struct err e;

	if (!m->has_value)
		return 0;
	if (s->line->set[CMD_raw] && json_parse(m->value, ENVELOPE_MAX, &doc, &e) >= 0 &&
	    json_is_string(json_root(doc))) {
		buf_add(&out, json_str(json_root(doc)));
		buf_addc(&out, '\n');
		return cmd_print(buf_str(&out));
	}
	buf_add(&out, m->value);
	buf_addc(&out, '\n');
	return cmd_print_json(buf_str(&out));
}

static int
client_on_run_done(struct peer *p, const void *body, struct err *e)
{
	const struct msg_run_done *m = body;
	struct script *s =
	    container_of(container_of(p, struct client, core), struct script, client);
	int status = code_specs[code_named(m->code)].exit_status;
	int printed;

	(void)e;
	loop_timer_cancel(&s->timer);
	clear_progress(s);
	if (s->mid_line)
		put_err(STR("\n"));
	if (wants_json(s)) {
		auto_done(buf) struct buf out = buf_max(ENVELOPE_MAX + 1);

		buf_add(&out, m->envelope);
		buf_addc(&out, '\n');
		printed = s->unread ? code_specs[CODE_INTERNAL].exit_status
				    : cmd_print_json(buf_str(&out));
	} else {
		if (m->code.n)
			say_error(s, m);
		say_notes(m);
		printed = print_value(s, m);
	}
	client_finish(&s->client, status ? status : printed);
	return 0;
}

static int
client_on_run_started(struct peer *p, const void *body, struct err *e)
{
	(void)p;
	(void)body;
	(void)e;
	return 0;
}

/* ---- the beginning ---- */

static int
too_large(const char *what, size_t max, struct err *e)
{
	return err_set(e, ERR_LIMIT, "%s is larger than %zu bytes", what, max);
}

static int
slurp(int fd, const char *what, struct buf *ret_text, struct err *e)
{
	int r = fd_slurp(fd, ret_text, e);

	if (r < 0 && e->code == ERR_LIMIT)
		return too_large(what, ret_text->max, e);
	if (r < 0)
		return err_wrap(e, r, "%s", what);
	if (!utf8_valid(buf_str(ret_text)))
		return err_set(e, ERR_INVALID, "%s is not UTF-8 text", what);
	return 0;
}

static int
read_script(struct script *s, struct err *e)
{
	const struct cmd_line *line = s->line;
	const char *path = line->arguments_n ? line->arguments[0] : NULL;
	auto_fd int fd = -1;

	if (line->set[CMD_code_path]) {
		if (path || line->set[CMD_eval])
			return err_set(e, ERR_INVALID,
			    "the script comes from --code-path alone");
		if (!*line->text[CMD_code_path])
			return err_set(e, ERR_INVALID, "--code-path is empty");
		s->name = line->text[CMD_code_path];
		return 0;
	}
	if (line->set[CMD_eval]) {
		if (path)
			return err_set(e, ERR_INVALID,
			    "the script comes from -e or from %s, not from both", path);
		s->name = "-e";
		buf_add(&s->source, str_of(line->text[CMD_eval]));
		if (!buf_ok(&s->source))
			return too_large("the script", SOURCE_MAX, e);
		return utf8_valid(buf_str(&s->source))
			   ? 0
			   : err_set(e, ERR_INVALID, "the script is not UTF-8 text");
	}
	if (!path && isatty(STDIN_FILENO))
		return err_set(e, ERR_INVALID,
		    "no script: give a FILE, -e CODE, or - for standard input");
	s->name = path && strcmp(path, "-") != 0 ? path : "stdin";
	if (!path || strcmp(path, "-") == 0)
		return slurp(STDIN_FILENO, "the script", &s->source, e);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_sys(e, "the script %s cannot be opened", path);
	return slurp(fd, path, &s->source, e);
}

/*
 * Standard input is read only for a script that mentions it: the programs that start us often
 * leave a pipe open there that never ends.
 */
static int
read_input(struct script *s, struct err *e)
{
	struct str source = buf_str(&s->source);

	if (strcmp(s->name, "stdin") == 0 || isatty(STDIN_FILENO) || !source.n ||
	    !memmem(source.p, source.n, "stdin", 5))
		return 0;
	s->has_input = true;
	return slurp(STDIN_FILENO, "standard input", &s->input, e);
}

/* The flag's word, else what the file's name says. */
static int
take_language(const struct script *s, enum language *ret_language, struct err *e)
{
	const struct cmd_line *line = s->line;

	*ret_language = line->set[CMD_language]
			    ? language_named(str_of(line->text[CMD_language]))
			    : LANGUAGE_AUTO;
	if (*ret_language == LANGUAGES)
		return err_set(e, ERR_INVALID, "--language takes ts, js or auto");
	if (*ret_language == LANGUAGE_AUTO && line->arguments_n)
		*ret_language = language_of_path(str_of(s->name));
	return 0;
}

static int
start(struct script *s, struct err *e)
{
	const struct cmd_line *line = s->line;
	struct msg_run_start m = {
		.tag = RUN_TAG,
		.source = buf_str(&s->source),
		.args = str_of(line->set[CMD_args] ? line->text[CMD_args] : ""),
		.input = buf_str(&s->input),
		.code_path = str_of(line->set[CMD_code_path] ? line->text[CMD_code_path] : ""),
		.has_input = s->has_input,
		.timeout_ms = line->number[CMD_timeout_ms],
		.cpu_ms = line->number[CMD_cpu_ms],
		.memory_bytes = line->number[CMD_memory_bytes],
		.stack_bytes = line->number[CMD_stack_bytes],
		.max_tool_calls = line->number[CMD_max_tool_calls],
		.max_concurrency = line->number[CMD_max_concurrency],
		.max_output_chars = line->number[CMD_max_output_chars],
		.watched = line->set[CMD_events] || has_live_line(s),
	};

	enum language language;

	if (take_language(s, &language, e) < 0)
		return -1;
	m.language = language;
	if (m.code_path.n > NAME_MAX_BYTES || !utf8_valid(m.code_path))
		return err_set(e, ERR_INVALID, "--code-path takes a path of at most %d bytes",
		    (int)NAME_MAX_BYTES);
	if (m.args.n > ARGS_MAX)
		return too_large("--args", ARGS_MAX, e);
	if (!utf8_valid(m.args))
		return err_set(e, ERR_INVALID, "--args is not UTF-8 text");
	return client_send(&s->client, MSG_run_start, &m, e);
}

int
cmd_js(const struct cmd_line *line)
{
	static const struct peer_fn_table on = { {
	    [MSG_client_refused] = client_on_client_refused,
	    [MSG_run_started] = client_on_run_started,
	    [MSG_run_text] = client_on_run_text,
	    [MSG_run_event] = client_on_run_event,
	    [MSG_run_done] = client_on_run_done,
	} };
	struct script s = {
		.line = line,
		.source = buf_max(SOURCE_MAX),
		.input = buf_max(STDIN_MAX),
		.note = buf_max(KiB(4)),
		.timer.on_due = on_progress,
		.started = clock_now(),
	};
	struct err e;
	int status;

	if (read_script(&s, &e) < 0 || read_input(&s, &e) < 0) {
		if (e.code == ERR_SYS)
			e.code = ERR_INVALID;
		status = client_failed(&e);
	} else if (client_open(&s.client, line, &on, on_signal, &e) < 0) {
		status = client_failed(&e);
	} else if (start(&s, &e) < 0) {
		client_finish(&s.client, client_failed(&e));
		status = client_run(&s.client);
	} else {
		if (has_live_line(&s))
			loop_timer(&s.client.loop, &s.timer, s.started + PROGRESS_AFTER_NS);
		status = client_run(&s.client);
	}
	buf_done(&s.source);
	buf_done(&s.input);
	buf_done(&s.note);
	return status;
}
