/* SPDX-License-Identifier: MIT */
/* Questions on a terminal, without one: which bytes are keys, what is shown, and what alone allows. */
#include "tui/dialog.h"

#include "tap.h"

/* ---- keys ---- */

static void
reads_keys(void)
{
	static const struct {
		const char *bytes;
		int keys[4];
	} rows[] = {
		{ "a", { 'a' } },
		{ "ad", { 'a', 'd' } },
		{ "\033[A", { KEY_UP } },
		{ "\033OB", { KEY_DOWN } },
		{ "\033[5~\033[6~", { KEY_PAGE_UP, KEY_PAGE_DOWN } },
		{ "\033[H\033OF", { KEY_HOME, KEY_END } },
		{ "\033[1~\033[4~", { KEY_HOME, KEY_END } },
		{ "\033a", { KEY_OTHER } },
		{ "\033\033a", { KEY_OTHER } },
		{ "\033[97u", { KEY_OTHER } },
		{ "\033[Maaa", { KEY_OTHER } },
		{ "\033[1;5A", { KEY_OTHER } },
		{ "\033]11;a\007", { KEY_OTHER } },
		{ "\033Pa\033\\", { KEY_OTHER } },
		{ "\033_a\033xa\033\\d", { KEY_OTHER, 'd' } },
		{ "\033[200~a\r\033[Aa\033[201~", { KEY_PASTE } },
		{ "\033[200~a\033[201\033[201~d", { KEY_PASTE, 'd' } },
		{ "\033[200~\033\033[201~", { KEY_PASTE } },
		{ "\303\241", { KEY_OTHER } },
		{ "\357\275\201", { KEY_OTHER } },
		{ "\360\237\230\200d", { KEY_OTHER, 'd' } },
		{ "\377d", { KEY_OTHER, 'd' } },
		{ "\003", { 3 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct keys k = { 0 };
		size_t n = 0;
		bool good = true;

		for (const char *p = rows[i].bytes; *p; p++) {
			int key = keys_feed(&k, (unsigned char)*p);

			if (key != KEY_NONE)
				good =
				    good && n < COUNT(rows[i].keys) && key == rows[i].keys[n++];
		}
		ok(good && (n == COUNT(rows[i].keys) || rows[i].keys[n] == 0) &&
			!keys_inside(&k),
		    "row %zu of keys", i);
	}
}

static void
waits_for_more(void)
{
	struct keys k = { 0 };

	keys_feed(&k, 0x1b);
	ok(keys_inside(&k), "an escape may go on");
	is_int(keys_quiet(&k), KEY_ESCAPE, "one that does not is a key");
	is_int(keys_quiet(&k), KEY_NONE, "once");
	keys_feed(&k, 0x1b);
	keys_feed(&k, '[');
	is_int(keys_quiet(&k), KEY_OTHER, "half a sequence is none that means anything");
	for (const char *p = "\033[200~abc"; *p; p++)
		keys_feed(&k, (unsigned char)*p);
	is_int(keys_quiet(&k), KEY_NONE, "pasted text goes on until its end");
	ok(keys_inside(&k), "however long that takes");
}

/* ---- what is shown ---- */

static void
shows(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "plain ~", "plain ~" }, { "\t", "\1\\t\2" }, { "a\nb", "a\1\\n\2b" },
		{ "\033[2J", "\1\\x1b\2[2J" }, { "\1\2", "\1\\x01\2\1\\x02\2" },
		{ "\302\240", "\1\\xa0\2" }, { "\342\200\256", "\1\\u{202e}\2" },
		{ "\342\200\213", "\1\\u{200b}\2" }, { "\357\273\277", "\1\\u{feff}\2" },
		{ "\363\240\201\201", "\1\\u{e0041}\2" }, { "e\314\201", "e\1\\u{301}\2" },
		{ "\303\251", "\303\251" }, { "\344\270\255", "\344\270\255" },
		{ "\327\220", "\1\\u{5d0}\2" }, { "\377", "\1\\xff\2" },
		{ "\302\205", "\1\\x85\2" }, { "\343\200\200", "\1\\u{3000}\2" },
		{ "\342\240\200", "\1\\u{2800}\2" }, { "\356\200\200", "\1\\u{e000}\2" },
		{ "\315\270", "\1\\u{378}\2" }, /* no character yet */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_done(buf) struct buf out = buf_max(256);

		show_line(str_of(rows[i].text), &out);
		is_str(buf_text(&out), rows[i].shown, rows[i].shown);
	}
}

/* ---- what allows ---- */

static struct dialog
make(size_t lines)
{
	struct dialog a;

	dialog_init(&a, STR("asked"));
	for (size_t i = 0; i < lines; i++)
		dialog_text(&a, STR("a line"));
	dialog_choice(&a, (struct dialog_choice){ 'a', 1, true, "" }, STR("Allow once"));
	dialog_choice(&a, (struct dialog_choice){ 's', 2, true, "" }, STR("Allow"));
	dialog_choice(&a, (struct dialog_choice){ 'd', 3, false, "" }, STR("Deny"));
	dialog_size(&a, 80, 24);
	return a;
}

static void
draw(struct dialog *a)
{
	auto_done(buf) struct buf screen = buf_max(MiB(1));

	dialog_draw(a, &screen);
}

/* Every key there is, in a question that is ready for it. */
static void
takes_its_keys_alone(void)
{
	bool good = true;

	for (int key = 1; key <= KEY_OTHER; key++) {
		struct dialog a = make(3);
		unsigned want = key == 'a' ? 1 : key == 's' ? 2 : 0;

		want = key == 'd' || key == KEY_ESCAPE ? 3 : want;
		draw(&a);
		dialog_arm(&a);
		dialog_key(&a, key);
		dialog_quiet(&a);
		good = good && (want ? a.end == DIALOG_CHOSEN && a.chosen == want
				     : a.end != DIALOG_CHOSEN);
		good = good && (key != 3 || a.end == DIALOG_INTERRUPT) &&
		       (key != 4 || a.end == DIALOG_LEFT);
		dialog_done(&a);
	}
	ok(good, "each key does what it is for, and no other answers");
}

/* What has happened to a question, told apart from it. */
struct history {
	enum { NOTHING, KEY, QUIET, ARM, DISTURB } before, before_key;
	int key; /* the last */
	bool armed, end_drawn;
};

static void
happen(struct dialog *a, struct history *h, uint64_t chance)
{
	static const int keys[] = { 'a', 's', 'd', KEY_ESCAPE, ' ', 'b', KEY_END, KEY_HOME,
		KEY_UP, 'j', 'x', KEY_PASTE, KEY_OTHER, 12 };
	uint64_t more = chance >> 7;

	switch (chance % 6) {
	case 0:
	case 1:
		h->before_key = h->armed ? h->before : NOTHING;
		h->key = keys[more % COUNT(keys)];
		h->before = KEY;
		dialog_key(a, h->key);
		h->armed = h->armed && a->armed;
		break;
	case 2:
		h->before = h->before == KEY ? QUIET : h->before;
		dialog_quiet(a);
		break;
	case 3:
		if (h->armed) /* it is done once */
			break;
		dialog_arm(a);
		h->armed = true;
		h->before = ARM;
		break;
	case 4:
		dialog_size(a, more % 3 ? 80 : 20, 24);
		h->armed = false;
		h->before = DISTURB;
		break;
	default:
		draw(a);
		h->end_drawn = h->end_drawn || (a->width == 80 && a->top + 17 >= a->rows_n);
	}
}

/* It was allowed by the last key, pressed after keys counted or after quiet, with quiet behind it. */
static bool
meant(const struct dialog *a, const struct history *h)
{
	return h->key == (a->chosen == 1 ? 'a' : 's') && h->before == QUIET &&
	       (h->before_key == ARM || h->before_key == QUIET) && h->end_drawn;
}

static void
holds_in_any_order(void)
{
	uint64_t seed = 7, allowed = 0, denied = 0, wrong = 0;

	for (unsigned run = 0; run < 20000; run++) {
		struct dialog a = make(run % 3 ? 100 : 3);
		struct history h = { NOTHING, NOTHING, 0, false, false };
		bool allows;

		for (unsigned step = 0; step < 40 && a.end == DIALOG_OPEN; step++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			happen(&a, &h, seed >> 33);
		}
		allows = a.end == DIALOG_CHOSEN && a.chosen != 3;
		allowed += allows;
		wrong += allows && !meant(&a, &h);
		denied += a.end == DIALOG_CHOSEN && a.chosen == 3;
		dialog_done(&a);
	}
	ok(allowed > 50 && denied > 50, "%llu allowed, %llu denied",
	    (unsigned long long)allowed, (unsigned long long)denied);
	is_int((int)wrong, 0, "none by anything else");
}

/* ---- rows ---- */

/* At any size the rows together are the text, and only what we say begins one. */
static void
shows_all_of_it(void)
{
	bool whole = true, marked = true;

	for (unsigned width = DIALOG_WIDTH_LEAST; width < 120; width += 7) {
		struct dialog a = make(0);
		size_t at = 0;

		for (unsigned i = 0; i < 200; i++) {
			auto_done(buf) struct buf line = buf_max(KiB(1));

			for (unsigned n = 0; n < i; n++)
				buf_add(&line, n % 7   ? STR("x")
					       : n % 2 ? STR("\344\270\255")
						       : STR("\033"));
			dialog_quote(&a, buf_str(&line));
		}
		dialog_size(&a, width, 24);
		for (size_t row = 0; row < a.rows_n; row++) {
			size_t end = row + 1 < a.rows_n ? a.rows[row + 1] : a.text.n;

			whole = whole && a.rows[row] == at && end > at;
			marked =
			    marked && (a.text.p[at] == '|' || (at && a.text.p[at - 1] != '\n'));
			at = end;
		}
		whole = whole && at == a.text.n;
		dialog_done(&a);
	}
	ok(whole, "every byte of the text is in one row, at any width");
	ok(marked, "a row begins with our bar, or is marked as going on");
}

int
main(void)
{
	reads_keys();
	waits_for_more();
	shows();
	takes_its_keys_alone();
	holds_in_any_order();
	shows_all_of_it();
	return tap_done();
}
