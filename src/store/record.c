/* SPDX-License-Identifier: MIT */
/* Runs, decisions and calls as rows. */
#include "base/utf8.h"
#include "store/inner.h"

#define INPUT_MAX KiB(4)
#define TITLE_MAX KiB(1)

/* At most `max` bytes, without half a character at the end. */
static struct str
head(struct str s, size_t max)
{
	size_t n = max;

	if (s.n <= max)
		return s;
	while (n > max - 4 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	/* No character has more than three bytes of that kind: this is no text. */
	if (((unsigned char)s.p[n] & 0xc0) == 0x80)
		n = max;
	return (struct str){ s.p, n };
}

void
store_run_begin(struct store *s, const struct store_run *run)
{
	store_put(s, SQL_run_begin,
	    VALUES(db_id(run->id), db_id(run->session), db_id(s->self.id),
		db_text(head(run->title, TITLE_MAX)), db_number(run->at)));
	store_put(s, SQL_run_given,
	    VALUES(db_id(run->id), db_text(run->source), db_text(run->args),
		db_text(run->limits)));
}

void
store_decide(struct store *s, const struct store_decision *d)
{
	store_put(s, SQL_decide,
	    VALUES(db_id(d->run), db_id(d->session), db_number(d->n), db_id(d->call),
		db_text(d->tool), db_text(d->effect), db_text(d->decision), db_text(d->code),
		db_text(d->reason), db_text(d->by), db_text(d->policy),
		db_text(d->input_sha256), db_number(d->at), db_text(head(d->words, INPUT_MAX)),
		db_text(d->answer)));
}

/* The beginning of a call: which it is, what both statements have, and its owner last. */
enum { CALL_WHICH = 3, CALL_BOTH = 10, CALL_ENDED = 5 };

void
store_call_begin(struct store *s, const struct store_call *call)
{
	store_put(s, SQL_call_begin,
	    VALUES(db_id(call->run), db_id(call->call), db_number(call->n),
		db_id(call->session), db_text(call->tool), db_text(call->effect),
		db_text(head(call->input, INPUT_MAX)), db_number(call->input.n),
		db_text(call->input_sha256), db_number(call->at), db_id(s->self.id)));
}

/* A call that ends before its beginning was written is written once, whole. */
static bool
end_waiting(struct store *s, const struct value which[CALL_WHICH],
    const struct value ended[CALL_ENDED])
{
	struct row **at = store_waiting(s, SQL_call_begin, which, CALL_WHICH);
	struct value values[CALL_BOTH + CALL_ENDED];

	if (!at)
		return false;
	memcpy(values, (*at)->values, CALL_BOTH * sizeof(*values));
	memcpy(&values[CALL_BOTH], ended, CALL_ENDED * sizeof(*values));
	store_replace(s, at, SQL_call_whole, values, COUNT(values));
	return true;
}

void
store_call_end(struct store *s, const struct store_call_end *end)
{
	bool direct = !end->run || !*end->run;
	const struct value which[] = { db_id(end->run), db_id(end->call), db_number(end->n) };
	const struct value ended[] = { db_text(end->status), db_text(end->code),
		db_text(end->result_sha256), db_number(end->at), db_number(end->ns) };

	if (end_waiting(s, which, ended))
		return;
	store_put(s, direct ? SQL_direct_end : SQL_call_end,
	    VALUES(which[direct ? 1 : 0], which[2], db_id(s->self.id), ended[0], ended[1],
		ended[2], ended[3], ended[4]));
}

void
store_run_end(struct store *s, const struct store_run_end *end)
{
	bool kept = end->envelope.n <= STORE_ENVELOPE_MAX;

	assert(!str_eq(end->status, STR("running")) && !str_eq(end->status, STR("cancelling")));
	store_put(s, SQL_run_blob,
	    VALUES(db_id(end->id), db_id(s->self.id), db_text(end->message),
		db_text(end->engine), db_text(end->usage),
		db_text(kept ? end->envelope : (struct str){ NULL, 0 }), db_text(end->whole)));
	store_put(s, SQL_run_end,
	    VALUES(db_id(end->id), db_id(s->self.id), db_text(end->status), db_text(end->code),
		db_text(end->verdict), db_number(end->at)));
}
