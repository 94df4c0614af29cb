/* SPDX-License-Identifier: MIT */
#include "ipc/msg.h"

#include "base/utf8.h"

#include "tap.h"

static struct err e;

/* A message's struct by its table: members of 8 or 16 bytes, one behind the other. */
union body {
	union msg_any any;
	char bytes[sizeof(union msg_any)];
};

static char *
member(union body *b, const struct msg_spec *spec, size_t field)
{
	size_t at = 0;

	for (size_t i = 0; i < field; i++)
		at += spec->fields[i].kind == MSG_U64 ? sizeof(uint64_t) : sizeof(struct str);
	return b->bytes + at;
}

static struct str
text_of(union body *b, const struct msg_spec *spec, size_t field)
{
	struct str s;

	memcpy(&s, member(b, spec, field), sizeof(s));
	return s;
}

static uint64_t
number_of(union body *b, const struct msg_spec *spec, size_t field)
{
	uint64_t n;

	memcpy(&n, member(b, spec, field), sizeof(n));
	return n;
}

/* Distinct values everywhere; strings of up to `most` bytes of valid UTF-8 out of pool. */
static void
fill(union body *b, const struct msg_spec *spec, struct str pool, size_t most)
{
	for (size_t i = 0; i < spec->fields_n; i++) {
		uint64_t number = 0x0102030405060708ull * (i + 1);
		struct str s = { pool.p, MIN(spec->fields[i].max, most) };

		if (spec->fields[i].kind == MSG_U64)
			memcpy(member(b, spec, i), &number, sizeof(number));
		else
			memcpy(member(b, spec, i), &s, sizeof(s));
	}
}

static bool
same(union body *a, union body *b, const struct msg_spec *spec)
{
	for (size_t i = 0; i < spec->fields_n; i++) {
		if (spec->fields[i].kind == MSG_U64
			? number_of(a, spec, i) != number_of(b, spec, i)
			: !str_eq(text_of(a, spec, i), text_of(b, spec, i)))
			return false;
	}
	return true;
}

static bool
names_unique(int type)
{
	const struct msg_spec *spec = &msg_specs[type];

	for (int other = 0; other < type; other++) {
		if (strcmp(msg_specs[other].name, spec->name) == 0)
			return false;
	}
	for (size_t i = 0; i < spec->fields_n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (str_eq(str_of(spec->fields[i].name), str_of(spec->fields[k].name)))
				return false;
		}
	}
	return true;
}

static void
table_walk(void)
{
	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		size_t most = 0;
		bool limits = true;

		for (size_t i = 0; i < spec->fields_n; i++) {
			const struct msg_field *f = &spec->fields[i];

			limits = limits && f->name && *f->name &&
				 (f->kind == MSG_U64 ? f->max == 0 : f->max > 0);
			most += f->kind == MSG_U64 ? 8 : 4 + f->max;
		}
		ok(spec->name && *spec->name && names_unique(type),
		    "%s: a name of its own, and its fields", spec->name);
		ok(spec->from != spec->to && (spec->states & ST_ANY) &&
			!(spec->states & ~(unsigned)ST_ANY),
		    "%s: from somebody to somebody else, in some state", spec->name);
		ok(spec->fields_n > 0 && limits, "%s: every field has a limit", spec->name);
		ok(spec->max > 0 && most <= spec->max && spec->max <= PEER_QUEUE_MAX - KiB(64),
		    "%s: %zu bytes at most fit the message's %zu and a queue", spec->name, most,
		    spec->max);
	}
}

static void
reads_back(struct str pool, size_t most, const char *what)
{
	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		auto_done(buf) struct buf wire = buf_max(spec->max);
		union body in = { 0 }, out;

		memset(&out, 0xee, sizeof(out));
		fill(&in, spec, pool, most);
		msg_encode((enum msg_type)type, &in, &wire);
		ok(buf_ok(&wire) &&
			msg_decode((enum msg_type)type, buf_str(&wire), &out, &e) == 0 &&
			same(&in, &out, spec),
		    "%s: %s", spec->name, what);
	}
}

static void
encoding(void)
{
	struct msg_spawned m = { .ticket = 0x0807060504030201ull,
		.pid = 2,
		.report = STR("ab") };
	auto_done(buf) struct buf wire = buf_max(64);

	msg_encode(MSG_spawned, &m, &wire);
	ok(str_eq(buf_str(&wire), STR("\1\2\3\4\5\6\7\10"
				      "\2\0\0\0\0\0\0\0"
				      "\2\0\0\0ab")),
	    "little-endian numbers, 32-bit lengths, nothing else");
}

/* Every part of the wire form is refused, so is a byte more. */
static void
cut_at_every_byte(void)
{
	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		auto_done(buf) struct buf wire = buf_max(spec->max + 1);
		union body in = { 0 }, out;
		bool good = true;

		fill(&in, spec, STR("seven b"), 7);
		msg_encode((enum msg_type)type, &in, &wire);
		for (size_t n = 0; n < wire.n; n++) {
			auto_free char *part = xmalloc(n + 1);

			memcpy(part, wire.p, n);
			good = good &&
			       msg_decode((enum msg_type)type, (struct str){ part, n }, &out,
				   &e) == -ERR_PROTO &&
			       strstr(e.text, spec->name);
		}
		ok(good, "%s: cut anywhere it is refused", spec->name);
		buf_addc(&wire, '\0');
		ok(msg_decode((enum msg_type)type, buf_str(&wire), &out, &e) == -ERR_PROTO,
		    "%s: so is a byte behind it", spec->name);
	}
}

/* Where a field's length stands in the wire form of a filled body. */
static size_t
wire_offset(union body *b, const struct msg_spec *spec, size_t field)
{
	size_t at = 0;

	for (size_t i = 0; i < field; i++)
		at += spec->fields[i].kind == MSG_U64 ? 8 : 4 + text_of(b, spec, i).n;
	return at;
}

static void
lengths_that_lie(void)
{
	static const uint32_t lies[] = { 0, 1, 6, 8, 0x7f, 0xffff, 0x7fffffff, 0xfffffffc,
		UINT32_MAX };

	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		auto_done(buf) struct buf wire = buf_max(spec->max);
		union body in = { 0 }, out;
		bool good = true;

		fill(&in, spec, STR("seven b"), 7);
		msg_encode((enum msg_type)type, &in, &wire);
		for (size_t i = 0; i < spec->fields_n; i++) {
			char *at = wire.p + wire_offset(&in, spec, i);
			uint32_t truth;

			if (spec->fields[i].kind == MSG_U64)
				continue;
			memcpy(&truth, at, sizeof(truth));
			for (size_t l = 0; l < COUNT(lies); l++) {
				memcpy(at, &lies[l], sizeof(lies[l]));
				/* Lengths are little-endian; these read as wrong either way. */
				good = good && msg_decode((enum msg_type)type, buf_str(&wire),
						   &out, &e) == -ERR_PROTO;
			}
			memcpy(at, &truth, sizeof(truth));
		}
		ok(good, "%s: lengths that are not so", spec->name);
	}
}

/* A body of zeros and empty strings but for one string that is a byte too long. */
static void
add_too_long(const struct msg_spec *spec, size_t field, struct str pool, struct buf *ret_wire)
{
	for (size_t i = 0; i < spec->fields_n; i++) {
		size_t n = i == field ? spec->fields[i].max + 1 : 0;
		char length[8] = { (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24) };

		buf_add(ret_wire,
		    (struct str){ length, spec->fields[i].kind == MSG_U64 ? 8 : 4 });
		buf_add(ret_wire, (struct str){ pool.p, n });
	}
}

static void
over_the_maximum(struct str pool)
{
	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		bool good = true;

		for (size_t i = 0; i < spec->fields_n; i++) {
			auto_done(buf) struct buf wire = buf_max(MiB(64));
			union body out;

			if (spec->fields[i].kind == MSG_U64)
				continue;
			add_too_long(spec, i, pool, &wire);
			good = good &&
			       msg_decode((enum msg_type)type, buf_str(&wire), &out, &e) ==
				   -ERR_PROTO &&
			       strstr(e.text, spec->fields[i].name);
		}
		ok(good, "%s: a string over its own maximum", spec->name);
	}
}

static void
wrong_text(void)
{
	static const struct str bad[] = { STR("\xff"), STR("a\x80"), STR("\xc0\x80"),
		STR("\xed\xa0\x80"), STR("\xf4\x90\x80\x80"), STR("cut\xe2\x82") };

	for (int type = 0; type < MSG_COUNT; type++) {
		const struct msg_spec *spec = &msg_specs[type];
		bool good = true;

		for (size_t i = 0; i < spec->fields_n; i++) {
			bool refused = spec->fields[i].kind == MSG_TEXT;

			for (size_t k = 0; k < COUNT(bad) && spec->fields[i].kind != MSG_U64;
			    k++) {
				auto_done(buf) struct buf wire = buf_max(spec->max);
				union body in = { 0 }, out;

				fill(&in, spec, STR("x"), 1);
				memcpy(member(&in, spec, i), &bad[k], sizeof(bad[k]));
				msg_encode((enum msg_type)type, &in, &wire);
				good = good && msg_decode((enum msg_type)type, buf_str(&wire),
						   &out, &e) == (refused ? -ERR_PROTO : 0);
			}
		}
		ok(good, "%s: text that is not UTF-8", spec->name);
	}
}

int
main(void)
{
	size_t most = 0;
	char *zeros;

	for (int type = 0; type < MSG_COUNT; type++) {
		for (size_t i = 0; i < msg_specs[type].fields_n; i++)
			most = MAX(most, msg_specs[type].fields[i].max);
	}
	zeros = xcalloc(1, most + 1);
	table_walk();
	encoding();
	reads_back(STR(""), 0, "empty strings");
	reads_back(STR("a\0b\xc3\xa9"), 5, "short strings, a NUL in them");
	reads_back((struct str){ zeros, most }, most, "every string at its maximum");
	cut_at_every_byte();
	lengths_that_lie();
	over_the_maximum((struct str){ zeros, most + 1 });
	wrong_text();
	free(zeros);
	return tap_done();
}
