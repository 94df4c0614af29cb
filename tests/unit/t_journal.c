/* SPDX-License-Identifier: MIT */
/* What acts begins only when that is on disk; what reads is never kept from it; who asks is told. */
#include "forge/journal.h"

#include "store_check.h"

#include <time.h>

#define WHY "nowhere/ \xff to write"

static const char moved_away[] = ".away";

/* One call up to its beginning; the decision before it. */
static int
begin(struct journal *j, struct journal_call *c, enum gate_effect effect)
{
	struct gate_verdict v = { .answer = GATE_ALLOW, .effect = effect };

	journal_call_init(c, "", 0, STR("t"), STR("{}"));
	journal_decide(j, c, &v, STR("test"), STR("a sentence"), "");
	return journal_begin(j, c, STR("{}"), &e);
}

static void
end(struct journal *j, struct journal_call *c, const char *status)
{
	journal_end(j, c, STR("{}"), status, CODE_NONE, STR("1"), 1);
}

static const char *
count(const char *table, const struct journal_call *c)
{
	char ask[200];

	snprintf(ask, sizeof(ask), "SELECT count(*) FROM %s WHERE call = '%s'", table, c->id);
	return sql(ask);
}

static void
without_a_journal(void)
{
	for (int effect = 0; effect < GATE_EFFECT_COUNT; effect++) {
		struct journal j = { .why = WHY };
		struct journal_call c;
		bool acts = effect != GATE_READ && effect != GATE_INTERNAL;
		int r = begin(&j, &c, (enum gate_effect)effect);

		ok(r == (acts ? -ERR_DENIED : 0), "no journal: %s %s",
		    gate_effect_name((enum gate_effect)effect),
		    acts ? "is refused" : "goes on");
		ok(!acts || strstr(e.text, "no journal: " WHY), "and why is said");
		end(&j, &c, "ok");
		ok(strstr(journal_note(&j), "not recorded: ") &&
			strstr(journal_note(&j), "nowhere/ \xef\xbf\xbd to write"),
		    "and noted, as text: %s", j.note);
	}
}

static void
on_disk_before_it_begins(void)
{
	for (int effect = 0; effect < GATE_EFFECT_COUNT; effect++) {
		struct journal j = { .store = check_open() };
		struct journal_call c;
		bool acts = effect != GATE_READ && effect != GATE_INTERNAL;

		ok(begin(&j, &c, (enum gate_effect)effect) == 0, "a journal: %s begins",
		    gate_effect_name((enum gate_effect)effect));
		is_str(count("call", &c), acts ? "1" : "0", "its row is there if it acts");
		is_str(count("decision", &c), acts ? "1" : "0", "and its decision");
		end(&j, &c, "ok");
		ok(!journal_note(&j), "all is well");
		is_str(count("call", &c), "1", "at the end it is there");
		is_str(count("decision", &c), "1", "with its decision");
		store_close(j.store);
		check_forget();
	}
}

static void
in_trouble(void)
{
	struct journal j = { .store = check_open() };
	struct journal_call c;
	char away[PATH_MAX + 16];

	is_int(begin(&j, &c, GATE_WRITE), 0, "it is there");
	end(&j, &c, "ok");
	store_flush(j.store);
	snprintf(away, sizeof(away), "%s%s", check_path, moved_away);
	ok(rename(check_path, away) == 0, "it is moved away");
	while (store_works(j.store)) /* for a moment it counts on that */
		nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NS_PER_MS }, NULL);
	is_int(begin(&j, &c, GATE_READ), 0, "what reads goes on");
	end(&j, &c, "ok");
	ok(strstr(journal_note(&j), "not recorded whole: "), "and is told: %s", j.note);
	is_int(begin(&j, &c, GATE_WRITE), -ERR_DENIED, "what acts is refused");
	end(&j, &c, "failed");
	ok(rename(away, check_path) == 0, "it is moved back");
	ok(!journal_note(&j), "what waited is written");
	is_str(sql("SELECT group_concat(status) FROM (SELECT status FROM call ORDER BY id)"),
	    "ok,ok,failed", "with what was refused");
	store_close(j.store);
	check_forget();
}

int
main(void)
{
	check_begin();
	without_a_journal();
	on_disk_before_it_begins();
	in_trouble();
	check_end();
	return tap_done();
}
