/* SPDX-License-Identifier: MIT */
#include "ipc/msg.h"

#include "base/utf8.h"

#define U64(name)        { MSG_U64, #name, 0 },
#define TEXT(name, max)  { MSG_TEXT, #name, max },
#define BYTES(name, max) { MSG_BYTES, #name, max },
#define MSG(name, from, to, state, max, fields) \
	static const struct msg_field fields_##name[] = { fields };
#include "ipc/msg.def"
#undef MSG
#undef U64
#undef TEXT
#undef BYTES

const struct msg_spec msg_specs[MSG_COUNT] = {
#define MSG(name, from, to, state, max, fields)                                    \
	[MSG_##name] = { #name, ROLE_##from, ROLE_##to, state, max, fields_##name, \
		COUNT(fields_##name) },
#include "ipc/msg.def"
#undef MSG
};

/*
 * A struct's members are uint64_t and struct str alone, both aligned to 8 and without padding,
 * so a member's place is the sum of the sizes before it.
 */
static_assert(sizeof(struct str) % 8 == 0 && _Alignof(struct str) == 8,
    "members follow each other");

static size_t
size_of(enum msg_kind kind)
{
	return kind == MSG_U64 ? sizeof(uint64_t) : sizeof(struct str);
}

static void
put_le(struct buf *wire, uint64_t value, size_t bytes)
{
	unsigned char le[8];

	for (size_t i = 0; i < bytes; i++)
		le[i] = (unsigned char)(value >> (8 * i));
	buf_add(wire, (struct str){ (const char *)le, bytes });
}

void
msg_encode(enum msg_type type, const void *body, struct buf *ret_wire)
{
	const struct msg_spec *spec = &msg_specs[type];
	const char *at = body;

	for (size_t i = 0; i < spec->fields_n; i++) {
		const struct msg_field *f = &spec->fields[i];
		uint64_t number;
		struct str s;

		if (f->kind == MSG_U64) {
			memcpy(&number, at, sizeof(number));
			put_le(ret_wire, number, 8);
		} else {
			memcpy(&s, at, sizeof(s));
			assert(s.n <= f->max);
			put_le(ret_wire, s.n, 4);
			buf_add(ret_wire, s);
		}
		at += size_of(f->kind);
	}
}

/* Takes `bytes` little-endian bytes off the front. */
static bool
take_le(struct str *wire, size_t bytes, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (wire->n < bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)wire->p[i] << (8 * i);
	*wire = str_from(*wire, bytes);
	*ret_value = value;
	return true;
}

int
msg_decode(enum msg_type type, struct str wire, void *ret_body, struct err *e)
{
	const struct msg_spec *spec = &msg_specs[type];
	char *at = ret_body;

	for (size_t i = 0; i < spec->fields_n; i++) {
		const struct msg_field *f = &spec->fields[i];
		uint64_t number;
		struct str s;

		if (!take_le(&wire, f->kind == MSG_U64 ? 8 : 4, &number))
			return err_set(e, ERR_PROTO, "%s: cut before %s", spec->name, f->name);
		if (f->kind == MSG_U64) {
			memcpy(at, &number, sizeof(number));
		} else {
			if (number > f->max || number > wire.n)
				return err_set(e, ERR_PROTO, "%s: %s is too long", spec->name,
				    f->name);
			s = (struct str){ wire.p, (size_t)number };
			wire = str_from(wire, s.n);
			if (f->kind == MSG_TEXT && !utf8_valid(s))
				return err_set(e, ERR_PROTO, "%s: %s is not UTF-8", spec->name,
				    f->name);
			memcpy(at, &s, sizeof(s));
		}
		at += size_of(f->kind);
	}
	if (wire.n)
		return err_set(e, ERR_PROTO, "%s: bytes behind the last field", spec->name);
	return 0;
}
