/* SPDX-License-Identifier: MIT */
/* edit_file: one place of a file, found by its exact bytes; every other byte stays. */
#include "tool/change.h"
#include "tool/match.h"

static bool
is_sensible(struct change *ch, struct str old, struct str new)
{
	if (!old.n)
		return tool_fail(ch->c, CODE_INVALID_INPUT,
		    "oldText is empty, which is everywhere: give the text beside the place and "
		    "repeat it in newText; write_file writes a file whole");
	if (str_eq(old, new))
		return tool_fail(ch->c, CODE_INVALID_INPUT,
		    "newText is the same as oldText: nothing would change");
	if (ch->before.n && memchr(ch->before.p, '\0', ch->before.n))
		return tool_fail(ch->c, CODE_NOT_TEXT,
		    "%.*s is binary: it holds NUL bytes, and only text can be edited",
		    (int)MIN(ch->shown.n, 200), ch->shown.p);
	return true;
}

static bool
not_found(struct change *ch, struct str old)
{
	auto_done(buf) struct buf words = buf_max(KiB(1));

	match_explain(buf_str(&ch->before), old, &words);
	return tool_fail(ch->c, CODE_MATCH_NOT_FOUND, "oldText is not in %.*s: %s",
	    (int)MIN(ch->shown.n, 120), ch->shown.p, buf_text(&words));
}

static bool
not_unique(struct change *ch, const struct match_found *found)
{
	auto_done(buf) struct buf lines = buf_max(256);

	for (size_t i = 0; i < MIN(found->count, (size_t)MATCH_LINES_MAX); i++)
		buf_addf(&lines, "%s%zu", i ? ", " : "", found->lines[i]);
	return tool_fail(ch->c, CODE_MATCH_NOT_UNIQUE,
	    "oldText is in %.*s %zu%s times, at lines %s%s: give more of the text around the "
	    "one that is meant",
	    (int)MIN(ch->shown.n, 120), ch->shown.p, found->count,
	    found->count == MATCH_COUNT_MAX ? " or more" : "", buf_text(&lines),
	    found->count > MATCH_LINES_MAX ? " and others" : "");
}

bool
tool_edit_file(struct tool_call *c)
{
	struct str old = args_text(c->in, "oldText"), new = args_text(c->in, "newText");
	auto_done(change) struct change ch = { .folder = -1, .old = -1 };
	auto_done(buf) struct buf after = buf_max(2 * CHANGE_MAX);
	struct match_found found;
	struct str before;

	if (!change_open(&ch, c) || !change_check(&ch, true) || !is_sensible(&ch, old, new))
		return false;
	before = buf_str(&ch.before);
	match_find(before, old, &found);
	if (found.count == 0)
		return not_found(&ch, old);
	if (found.count > 1)
		return not_unique(&ch, &found);
	buf_add(&after, (struct str){ before.p, found.at });
	buf_add(&after, new);
	buf_add(&after, str_from(before, found.at + old.n));
	return change_put(&ch, buf_str(&after));
}
