/* SPDX-License-Identifier: MIT */
#include "forge/journal.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdio.h>

static uint64_t
now_ms(void)
{
	return clock_wall() / NS_PER_MS;
}

bool
journal_acts(enum gate_effect effect)
{
	return effect != GATE_READ && effect != GATE_INTERNAL;
}

void
journal_call_init(struct journal_call *c, const char *run, uint64_t n, struct str tool,
    struct str input)
{
	*c = (struct journal_call){ .run = run, .n = n, .tool = tool };
	if (!*run)
		id_new(c->id);
	sha_bytes(input, c->input);
}

void
journal_decide(struct journal *j, struct journal_call *c, const struct gate_verdict *v,
    struct str by, struct str words, const char *answer)
{
	struct store_decision d = {
		.run = c->run,
		.session = j->session,
		.n = c->n,
		.call = c->id,
		.tool = c->tool,
		.effect = str_of(gate_effect_name(v->effect)),
		.decision = str_of(gate_answer_name(v->answer)),
		.code = str_of(gate_code_name(v->code)),
		.reason = str_of(gate_reason_name(v->reason)),
		.by = by,
		.policy = buf_str(&j->policy),
		.input_sha256 = str_of(c->input),
		.at = now_ms(),
		.words = words,
		.answer = str_of(answer),
	};

	c->effect = v->effect;
	if (j->store)
		store_decide(j->store, &d);
}

static void
put_begin(struct journal *j, struct journal_call *c, struct str input)
{
	struct store_call row = {
		.run = c->run,
		.session = j->session,
		.call = c->id,
		.n = c->n,
		.tool = c->tool,
		.effect = str_of(gate_effect_name(c->effect)),
		.input = input,
		.input_sha256 = str_of(c->input),
		.at = now_ms(),
	};

	c->begun = true;
	store_call_begin(j->store, &row);
}

int
journal_begin(struct journal *j, struct journal_call *c, struct str input, struct err *e)
{
	if (j->store)
		put_begin(j, c, input);
	if (!journal_acts(c->effect))
		return 0;
	return j->store ? store_commit(j->store, e)
			: err_set(e, ERR_DENIED, "there is no journal: %s", j->why);
}

void
journal_end(struct journal *j, struct journal_call *c, struct str input, const char *status,
    enum code code, struct str result, uint64_t ns)
{
	char digest[SHA_HEX_SIZE];
	struct store_call_end end = {
		.run = c->run,
		.call = c->id,
		.n = c->n,
		.status = str_of(status),
		.code = str_of(code_specs[code].name),
		.at = now_ms(),
		.ns = ns,
	};

	if (!j->store)
		return;
	if (!c->begun)
		put_begin(j, c, input);
	sha_bytes(result, digest);
	end.result_sha256 = str_of(digest);
	store_call_end(j->store, &end);
}

/* Paths in it may be any bytes, and errors are cut where they are too long. */
static const char *
say(struct journal *j, const char *what, const char *why)
{
	auto_done(buf) struct buf text = buf_max(3 * sizeof(j->note));

	utf8_scrub(str_of(why), &text);
	snprintf(j->note, sizeof(j->note), "%s: %s (crisol doctor says what to do)", what,
	    buf_text(&text));
	return j->note;
}

const char *
journal_note(struct journal *j)
{
	const char *trouble;

	if (!j->store)
		return say(j, "not recorded: there is no journal", j->why);
	if (!store_works(j->store))
		store_flush(j->store);
	trouble = store_trouble(j->store);
	return trouble ? say(j, "not recorded whole", trouble) : NULL;
}
