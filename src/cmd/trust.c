/* SPDX-License-Identifier: MIT */
/* crisol trust list, add, revoke: which projects' configuration counts. */
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"
#include "conf/project.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static void
list_text(const struct yyjson_val *rows, struct buf *out)
{
	struct str unused;

	if (!json_size(rows))
		buf_add(out, STR("nothing was asked yet\n"));
	for (size_t i = 0; i < json_size(rows); i++) {
		const struct yyjson_val *row = json_nth(rows, i, &unused);
		uint64_t trusted = 0;

		json_u64(json_at(row, "trusted"), 1, &trusted);
		buf_add(out, trusted ? STR("trusted  ") : STR("refused  "));
		utf8_show_message(json_str(json_at(row, "sha256")), out);
		buf_add(out, STR("  "));
		utf8_show_message(json_str(json_at(row, "folder")), out);
		buf_addc(out, '\n');
	}
}

static void
revoked_text(const struct yyjson_val *answer, struct buf *out)
{
	buf_add(out, json_bool(json_at(answer, "revoked"))
			 ? STR("forgotten: its file does not count until it is trusted again\n")
			 : STR("nothing was said of that directory\n"));
}

int
cmd_trust_list(const struct cmd_line *line)
{
	return client_show(line, ASK_TRUST, "", "", list_text);
}

int
cmd_trust_revoke(const struct cmd_line *line)
{
	const char *folder = line->arguments_n ? line->arguments[0] : "";
	char real[PATH_MAX];

	if (!*folder)
		return cmd_fail(CODE_INVALID_INPUT, STR("trust revoke takes a directory"),
		    STR("crisol trust list shows them"));
	/* One that is gone is named as the list names it. */
	return client_show(line, ASK_DISTRUST, "", realpath(folder, real) ? real : folder,
	    revoked_text);
}

/* ---- add ---- */

static int
need(void)
{
	auto_done(buf) struct buf text = buf_max(CONFIG_MAX), message = buf_max(KiB(8));
	char real[PATH_MAX];
	struct err e;

	if (!realpath(".", real) || project_read(real, &text, &e) >= 0)
		return 0;
	buf_addf(&message, "%s/" PROJECT_FILE ": %s", real, e.text);
	return cmd_fail(e.code == ERR_NOTFOUND ? CODE_NOT_FOUND : CODE_INVALID_INPUT,
	    buf_str(&message), STR("a directory without that file needs no trust"));
}

int
cmd_trust_add(const struct cmd_line *line)
{
	static const struct peer_fn_table on = { { CLIENT_HEARS } };
	const char *folder = line->arguments_n ? line->arguments[0] : ".";
	struct client c;
	struct err e;
	int status;

	if (chdir(folder) < 0) {
		err_sys(&e, "'%.200s'", folder);
		return cmd_fail(CODE_INVALID_INPUT, str_of(e.text), (struct str){ NULL, 0 });
	}
	status = need();
	if (status)
		return status;
	if (!term_attended())
		return cmd_fail(CODE_APPROVAL_REQUIRED,
		    STR("only a person at a terminal can trust a project's configuration"),
		    STR("run crisol trust add in a terminal; --trust-project lets it count for "
			"one command"));
	if (client_open(&c, line, &on, NULL, &e) < 0)
		return client_failed(&e);
	if (!c.finished && c.trusted) {
		client_finish(&c, cmd_print(STR("trusted in this directory\n")));
	} else if (!c.finished) {
		client_finish(&c,
		    cmd_fail(CODE_DENIED, STR("the project's configuration is not trusted"),
			STR("crisol trust add asks again")));
	}
	return client_run(&c);
}
