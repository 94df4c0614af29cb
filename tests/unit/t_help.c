/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "tap.h"

static bool
has(const struct buf *text, const char *part)
{
	return memmem(text->p, text->n, part, strlen(part)) != NULL;
}

static bool
has_option(const struct buf *text, const char *name)
{
	char part[80];

	snprintf(part, sizeof(part), "--%s", name);
	return has(text, part);
}

/* Lines that a terminal of 120 columns shows whole, without blanks at their ends. */
static bool
reads_well(const struct buf *text)
{
	struct str rest = buf_str(text);

	while (rest.n) {
		struct str line = str_split(&rest, '\n');

		if (line.n > 120 || (line.n && line.p[line.n - 1] == ' ') ||
		    memchr(line.p, '\t', line.n))
			return false;
	}
	return text->n && text->p[text->n - 1] == '\n';
}

static void
help_of_all(void)
{
	auto_done(buf) struct buf text = buf_max(KiB(64));

	cmd_help(NULL, &text);
	ok(buf_ok(&text) && reads_well(&text), "the help of all reads well");
	for (size_t i = 0; i < cmd_specs_n; i++)
		ok(has(&text, cmd_specs[i].words) && has(&text, cmd_specs[i].text), "it has %s",
		    cmd_specs[i].words);
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		bool global =
		    (CMD_GLOBAL_OPTIONS & (1ull << o)) || o == CMD_version || o == CMD_licenses;

		if (global)
			ok(has_option(&text, cmd_options[o].name) &&
				has(&text, cmd_options[o].text),
			    "it has --%s", cmd_options[o].name);
	}
}

static void
help_of_each(void)
{
	for (size_t i = 0; i < cmd_specs_n; i++) {
		const struct cmd_spec *c = &cmd_specs[i];
		auto_done(buf) struct buf text = buf_max(KiB(64));
		bool whole = true;

		cmd_help(c, &text);
		ok(buf_ok(&text) && reads_well(&text), "the help of %s reads well", c->words);
		ok(has(&text, c->words) && has(&text, c->text) && has(&text, c->more) &&
			has(&text, c->arguments),
		    "it says what it does and takes");
		for (int o = 0; o < CMD_OPTION_COUNT; o++) {
			bool taken = c->options & (1ull << o);

			whole = whole && (!taken || (has_option(&text, cmd_options[o].name) &&
							has(&text, cmd_options[o].text)));
			whole = whole && (taken || !has(&text, cmd_options[o].text));
		}
		ok(whole, "its options and no others");
	}
}

/* A line that begins with a request is one that we know; nothing else may begin with . or '. */
static bool
only_known_requests(const struct buf *page)
{
	static const char *const known[] = { ".TH ", ".SH ", ".SS ", ".TP", ".B ", ".I " };
	struct str rest = buf_str(page);

	while (rest.n) {
		struct str line = str_split(&rest, '\n');
		bool good = !line.n || (line.p[0] != '.' && line.p[0] != '\'');

		for (size_t i = 0; i < COUNT(known); i++)
			good = good || str_starts(line, str_of(known[i]));
		if (!good) {
			printf("# %.*s\n", STR_ARG(line));
			return false;
		}
	}
	return true;
}

/* As the page has it: a hyphen is \-. */
static void
roff(const char *text, char *ret_roff)
{
	for (; *text; text++) {
		if (*text == '-')
			*ret_roff++ = '\\';
		*ret_roff++ = *text;
	}
	*ret_roff = '\0';
}

static void
man_page(void)
{
	auto_done(buf) struct buf page = buf_max(KiB(256));
	char part[KiB(4)];

	cmd_man(&page);
	ok(buf_ok(&page) && str_starts(buf_str(&page), STR(".TH CRISOL 1")), "a man page");
	ok(only_known_requests(&page), "without accidental requests");
	for (size_t i = 0; i < cmd_specs_n; i++) {
		roff(cmd_specs[i].more, part);
		ok(has(&page, cmd_specs[i].words) && has(&page, part), "it has %s",
		    cmd_specs[i].words);
	}
	for (int o = 0; o < CMD_OPTION_COUNT; o++) {
		roff(cmd_options[o].name, part);
		ok(has(&page, part), "it has %s", cmd_options[o].name);
		roff(cmd_options[o].text, part);
		ok(has(&page, part), "and what it does");
	}
	for (int c = CODE_NONE + 1; c < CODE_COUNT; c++) {
		roff(code_specs[c].hint, part);
		ok(has(&page, code_specs[c].name) && has(&page, part), "it has %s",
		    code_specs[c].name);
	}
}

int
main(void)
{
	help_of_all();
	help_of_each();
	man_page();
	return tap_done();
}
