/* SPDX-License-Identifier: MIT */
/* crisol permissions list, revoke: what people allowed for sessions. */
#include "base/json.h"
#include "base/utf8.h"
#include "cmd/client.h"

#include <limits.h>
#include <stdio.h>

static void
add_name(const struct yyjson_val *row, const char *name, struct buf *out)
{
	utf8_show_message(json_str(json_at(row, name)), out);
}

static uint64_t
number(const struct yyjson_val *row, const char *name)
{
	uint64_t n = 0;

	json_u64(json_at(row, name), UINT64_MAX, &n);
	return n;
}

/* "3  folder /srv/data  session build in /home/me/w  until process 4711 ends" */
static void
list_text(const struct yyjson_val *answer, struct buf *out)
{
	const struct yyjson_val *rows = json_at(answer, "permissions");
	struct str unused;

	buf_add(out, STR("policy: "));
	add_name(answer, "policy", out);
	buf_add(out, json_size(rows) ? STR("\n") : STR("\nnothing is allowed for a session\n"));
	for (size_t i = 0; i < json_size(rows); i++) {
		const struct yyjson_val *row = json_nth(rows, i, &unused);
		bool named = json_is_string(json_at(row, "session_name"));

		buf_addf(out, "%llu  ", (unsigned long long)number(row, "id"));
		add_name(row, "what", out);
		if (json_is_string(json_at(row, "folder"))) {
			buf_addc(out, ' ');
			add_name(row, "folder", out);
		}
		buf_add(out, STR("  session "));
		add_name(row, named ? "session_name" : "session", out);
		buf_add(out, STR(" in "));
		add_name(row, "workspace", out);
		if (number(row, "owner"))
			buf_addf(out, "  until process %llu ends\n",
			    (unsigned long long)number(row, "owner"));
		else
			buf_add(out, STR("  kept with the session\n"));
	}
}

static void
revoked_text(const struct yyjson_val *answer, struct buf *out)
{
	uint64_t n = number(answer, "revoked");

	buf_addf(out, "%llu permission%s taken back\n", (unsigned long long)n,
	    n == 1 ? "" : "s");
}

static const char *
session(const struct cmd_line *line)
{
	return line->set[CMD_session] ? line->text[CMD_session] : "";
}

static int
bad_session(void)
{
	return cmd_fail(CODE_INVALID_INPUT, STR("--session takes a name of 1 to 64 bytes"),
	    STR("crisol permissions list shows the sessions that something was allowed for"));
}

int
cmd_permissions_list(const struct cmd_line *line)
{
	if (line->set[CMD_session] && !*session(line))
		return bad_session();
	return client_show(line, ASK_PERMISSIONS, session(line), "", list_text);
}

int
cmd_permissions_revoke(const struct cmd_line *line)
{
	const char *what = line->arguments_n ? line->arguments[0] : "";
	char real[PATH_MAX];

	if (line->set[CMD_session] && !*session(line))
		return bad_session();
	if (!*what)
		return cmd_fail(CODE_INVALID_INPUT,
		    STR("permissions revoke takes a number, a kind, a directory, or all"),
		    STR("crisol permissions list shows them"));
	if ((strchr(what, '/') || *what == '.') && realpath(what, real))
		what = real;
	return client_show(line, ASK_REVOKE, session(line), what, revoked_text);
}
