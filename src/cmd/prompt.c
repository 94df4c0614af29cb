/* SPDX-License-Identifier: MIT */
#include "cmd/prompt.h"

#include "base/clock.h"
#include "base/json.h"
#include "gate/command.h"

#include <errno.h>
#include <unistd.h>

/* ---- what is shown ---- */

static void
say(struct dialog *a, const char *what, struct str text)
{
	auto_done(buf) struct buf line = buf_max(KiB(128));

	if (!text.n)
		return;
	buf_addf(&line, "%s%.*s", what, STR_ARG(text));
	dialog_text(a, buf_str(&line));
	if (!buf_ok(&line))
		a->text.full = true;
}

/* One part of a command line, as it was taken apart. */
static void
show_command(struct dialog *a, const struct yyjson_val *command, size_t number)
{
	static const char *const flags[] = {
		"words from a variable, a substitution or a pattern", "a redirection",
		"an assignment", "a wrapper", "not understood"
	};
	const struct yyjson_val *words = json_at(command, "words");
	auto_done(buf) struct buf line = buf_max(MiB(16));
	uint64_t bits = 0;
	struct str unused;

	buf_addf(&line, "  part %zu:", number + 1);
	for (size_t i = 0; i < json_size(words); i++) {
		const struct yyjson_val *word = json_nth(words, i, &unused);

		buf_addc(&line, ' ');
		if (json_is_string(word))
			json_quote(&line, json_str(word));
		else
			buf_add(&line, STR("(unknown)"));
	}
	json_u64(json_at(command, "flags"), UINT64_MAX, &bits);
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (bits & 1u << i)
			buf_addf(&line, " (%s)", flags[i]);
	}
	dialog_text(a, buf_str(&line));
	if (!buf_ok(&line))
		a->text.full = true;
}

static void
show_commands(struct dialog *a, const struct yyjson_val *commands)
{
	struct str unused;

	if (!json_size(commands))
		return;
	dialog_text(a, STR("Would run, as judged:"));
	for (size_t i = 0; i < json_size(commands); i++)
		show_command(a, json_nth(commands, i, &unused), i);
}

/* Every member of the input; texts as they are, line by line. */
static void
show_input(struct dialog *a, struct str input)
{
	auto_obj(json) struct json *doc = NULL;
	const struct yyjson_val *root;
	struct str name;
	struct err e;

	dialog_text(a, STR(""));
	if (json_parse(input, input.n, &doc, &e) < 0 || !json_is_object(json_root(doc))) {
		dialog_text(a, STR("Input:"));
		dialog_quote(a, input);
		return;
	}
	root = json_root(doc);
	dialog_text(a, json_size(root) ? STR("Input:") : STR("Input: none"));
	for (size_t i = 0; i < json_size(root); i++) {
		const struct yyjson_val *v = json_nth(root, i, &name);
		auto_done(buf) struct buf text = buf_max(DIALOG_TEXT_MAX);

		say(a, "  ", name.n ? name : STR("(no name)"));
		if (json_is_string(v)) {
			dialog_quote(a, json_str(v));
			continue;
		}
		json_put_value(&text, NULL, v);
		dialog_quote(a, buf_str(&text));
		if (!buf_ok(&text))
			a->text.full = true;
	}
}

static void
show_call(struct dialog *a, const struct yyjson_val *q, struct str input)
{
	say(a, "Why:    ", json_str(json_at(q, "words")));
	say(a, "By:     ", json_str(json_at(q, "by")));
	say(a, "Tool:   ", json_str(json_at(q, "tool")));
	say(a, "Effect: ", json_str(json_at(q, "effect")));
	say(a, "Path:   ", json_str(json_at(q, "path")));
	say(a, "  from: ", json_str(json_at(q, "given")));
	if (str_eq(json_str(json_at(q, "question")), STR("folder")))
		say(a, "Directory, with all below it: ", json_str(json_at(q, "folder")));
	show_commands(a, json_at(q, "commands"));
	show_input(a, input);
}

static void
show_trust(struct dialog *a, const struct yyjson_val *q, struct str input)
{
	dialog_text(a,
	    STR("This directory brings configuration of its own. It counts only when you trust "
		"this text in this directory; another text asks again."));
	say(a, "File:      ", json_str(json_at(q, "path")));
	say(a, "Directory: ", json_str(json_at(q, "folder")));
	say(a, "SHA-256:   ", json_str(json_at(q, "sha256")));
	dialog_text(a, STR(""));
	dialog_text(a, STR("What it does:"));
	dialog_quote(a, str_trim(json_str(json_at(q, "does"))));
	dialog_text(a, STR(""));
	dialog_text(a, STR("The whole text:"));
	dialog_quote(a, input);
}

static void
add_choices(struct dialog *a, const struct yyjson_val *answers)
{
	/* Labels last as long as the question; they are our own, by their answer. */
	static const char keys[] = { 0, 'a', 's', 'd' };
	struct str unused;

	for (size_t i = 0; i < json_size(answers); i++) {
		const struct yyjson_val *v = json_nth(answers, i, &unused);
		struct str label = json_str(json_at(v, "label"));
		struct dialog_choice choice = { 0 };
		uint64_t answer = 0;

		if (!json_u64(json_at(v, "answer"), sizeof(keys) - 1, &answer) || !answer ||
		    a->choices_n == DIALOG_CHOICES_MAX)
			continue;
		choice =
		    (struct dialog_choice){ keys[answer], (unsigned)answer, answer != 3, "" };
		dialog_choice(a, choice, label);
	}
}

static int
make(struct prompt *p, const struct msg_client_question *m, struct err *e)
{
	auto_obj(json) struct json *doc = NULL;
	auto_done(buf) struct buf title = buf_max(KiB(8));
	const struct yyjson_val *q;
	bool trust;

	if (json_parse(m->json, QUESTION_MAX, &doc, e) < 0)
		return -1;
	q = json_root(doc);
	trust = str_eq(json_str(json_at(q, "question")), STR("trust"));
	buf_add(&p->tool, trust ? STR("the project's file") : json_str(json_at(q, "tool")));
	buf_addf(&title, "crisol asks: %.*s", STR_ARG(buf_str(&p->tool)));
	dialog_init(&p->dialog, buf_str(&title));
	(trust ? show_trust : show_call)(&p->dialog, q, m->input);
	add_choices(&p->dialog, json_at(q, "answers"));
	return dialog_ok(&p->dialog)
		   ? 0
		   : err_set(e, ERR_LIMIT, "the request is too long to be shown whole");
}

/* ---- its life ---- */

static void
left_behind(const struct prompt *p, unsigned answer)
{
	static const char *const words[] = { "not answered", "allowed once",
		"allowed for this session", "denied" };
	auto_done(buf) struct buf line = buf_max(KiB(8)), shown = buf_max(KiB(8));
	ssize_t n;

	show_line(buf_str(&p->tool), &shown);
	for (size_t i = 0; i < shown.n; i++) {
		if (shown.p[i] == SHOW_MARK || shown.p[i] == SHOW_END)
			shown.p[i] = '\'';
	}
	buf_addf(&line, "%.*s: %s\n", STR_ARG(buf_str(&shown)),
	    words[answer < COUNT(words) ? answer : 0]);
	n = write(STDERR_FILENO, line.p, line.n);
	(void)n; /* the answer itself goes another way */
}

static void
finish(struct prompt *p, unsigned answer, bool interrupted)
{
	prompt_close(p);
	left_behind(p, answer);
	buf_done(&p->tool);
	p->on_end(p, answer, interrupted);
}

static void
wait_on(struct prompt *p, uint64_t ns)
{
	loop_timer(p->loop, &p->timer, clock_now() + ns);
}

static bool
draw(struct prompt *p)
{
	auto_done(buf) struct buf screen = buf_max(DIALOG_TEXT_MAX * 2);
	struct err e;

	dialog_draw(&p->dialog, &screen);
	return buf_ok(&screen) && term_write(&p->term, buf_str(&screen), &e) >= 0;
}

/* After a key, a size, a timer: whether it is over, what is drawn, what is waited for. */
static void
step(struct prompt *p, bool redraw)
{
	struct dialog *a = &p->dialog;

	if (a->end == DIALOG_CHOSEN)
		finish(p, a->chosen, false);
	else if (a->end != DIALOG_OPEN)
		finish(p, 0, a->end == DIALOG_INTERRUPT);
	else if (redraw && !draw(p))
		finish(p, 0, false);
	else if (!a->armed)
		wait_on(p, DIALOG_ARM_NS);
	else if (a->waits || a->settling || keys_inside(&p->keys))
		wait_on(p, DIALOG_QUIET_NS);
}

static void
on_timer(struct timer *t)
{
	struct prompt *p = container_of(t, struct prompt, timer);
	bool redraw = false;
	int key;

	if (!p->dialog.armed) {
		/* What came since the last look came before the keys counted. */
		term_flush(&p->term);
		p->keys = (struct keys){ 0 };
		dialog_arm(&p->dialog);
		step(p, true);
		return;
	}
	key = keys_quiet(&p->keys);
	if (key != KEY_NONE)
		redraw = dialog_key(&p->dialog, key);
	dialog_quiet(&p->dialog);
	step(p, redraw);
}

static void
take(struct prompt *p, struct str bytes)
{
	bool counts = p->dialog.armed, redraw = false;

	for (size_t i = 0; i < bytes.n && p->dialog.end == DIALOG_OPEN; i++) {
		unsigned char byte = (unsigned char)bytes.p[i];
		int key = keys_feed(&p->keys, byte);

		if (byte == 3) /* stops it wherever it stands */
			key = byte;
		if (key == 3 || (counts && key != KEY_NONE))
			redraw |= dialog_key(&p->dialog, key);
	}
	if (!counts)
		dialog_disturbed(&p->dialog);
	step(p, redraw);
}

static void
on_input(struct source *s, uint32_t events)
{
	struct prompt *p = container_of(s, struct prompt, input);
	char bytes[4096];
	ssize_t n = read(s->fd, bytes, sizeof(bytes));

	(void)events;
	if (n > 0)
		take(p, (struct str){ bytes, (size_t)n });
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		finish(p, 0, false); /* the terminal is gone */
}

static void
resize(struct prompt *p)
{
	unsigned width, height;

	term_size(&p->term, &width, &height);
	dialog_size(&p->dialog, width, height);
}

int
prompt_open(struct prompt *p, struct loop *loop, const struct msg_client_question *m,
    struct err *e)
{
	int r;

	buf_done(&p->tool); /* of one that was closed from outside */
	p->loop = loop;
	p->term = (struct term){ .fd = -1 };
	p->keys = (struct keys){ 0 };
	p->tool = buf_max(KiB(4));
	p->open = true;
	p->input = (struct source){ .on_ready = on_input };
	p->timer = (struct timer){ .on_due = on_timer };
	r = make(p, m, e);
	if (r >= 0)
		r = term_open(&p->term, e);
	if (r >= 0) {
		p->dialog.plain = p->term.plain;
		resize(p);
		r = term_take(&p->term, e);
	}
	if (r >= 0)
		r = loop_add(loop, &p->input, p->term.fd, EPOLLIN, e);
	if (r < 0 || !draw(p)) {
		prompt_close(p);
		return r < 0 ? r : err_set(e, ERR_CLOSED, "the terminal takes nothing");
	}
	term_flush(&p->term);
	wait_on(p, DIALOG_ARM_NS);
	return 0;
}

void
prompt_again(struct prompt *p)
{
	struct err e;

	if (!p->open)
		return;
	if (term_take(&p->term, &e) < 0) {
		finish(p, 0, false);
		return;
	}
	resize(p);
	step(p, true);
}

void
prompt_close(struct prompt *p)
{
	if (!p->open)
		return;
	p->open = false;
	loop_timer_cancel(&p->timer);
	loop_remove(&p->input);
	term_close(&p->term);
	dialog_done(&p->dialog);
}
