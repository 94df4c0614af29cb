/* SPDX-License-Identifier: MIT */
#include "ipc/frame.h"

#include "tap.h"

static struct err e;

struct header {
	uint32_t size;
	unsigned type, flags, fds;
};

static void
put_header(struct header h, unsigned char ret_bytes[static FRAME_HEADER])
{
	for (unsigned i = 0; i < 4; i++)
		ret_bytes[i] = (unsigned char)(h.size >> (8 * i));
	ret_bytes[4] = (unsigned char)h.type;
	ret_bytes[5] = (unsigned char)(h.type >> 8);
	ret_bytes[6] = (unsigned char)h.flags;
	ret_bytes[7] = (unsigned char)h.fds;
}

/* What the header allows, said once more in other words. */
static bool
may_be(struct header h)
{
	if (h.type >= MSG_COUNT || h.size > KiB(64) - 8 || h.fds > 2)
		return false;
	switch (h.flags) {
	case 0:
	case FRAME_MORE:
		return true;
	case FRAME_SEALED:
		return h.size == 8 && h.fds > 0;
	default:
		return false;
	}
}

/* The header alone, then with its whole body: 1 whole, 0 to be continued, negative refused. */
static bool
parses_as(struct header h, char *bytes)
{
	struct frame f = { .flags = 77 };
	size_t used = 99;
	bool good = may_be(h);
	int want = !good ? -ERR_PROTO : h.size ? 0 : 1;

	put_header(h, (unsigned char *)bytes);
	if (frame_parse((struct str){ bytes, FRAME_HEADER }, &f, &used, &e) != want)
		return false;
	if (!good || want == 0) {
		if (f.flags != 77 || used != 99)
			return false;
	}
	if (!good)
		return true;
	if (frame_parse((struct str){ bytes, FRAME_HEADER + h.size + 3 }, &f, &used, &e) != 1)
		return false;
	return f.type == (enum msg_type)h.type && f.flags == h.flags && f.fds == h.fds &&
	       f.body.n == h.size && f.body.p == bytes + FRAME_HEADER &&
	       used == FRAME_HEADER + h.size;
}

static void
headers_at_their_edges(void)
{
	static const uint32_t sizes[] = { 0, 1, 7, 8, 9, 255, 256, FRAME_BODY_MAX - 1,
		FRAME_BODY_MAX, FRAME_BODY_MAX + 1, KiB(64), 0x7fffffff, 0x80000000u,
		UINT32_MAX };
	static const unsigned types[] = { 0, 1, MSG_COUNT - 1, MSG_COUNT, MSG_COUNT + 1, 0x100,
		0x7fff, 0x8000, 0xffff };
	auto_free char *bytes = xcalloc(1, KiB(64) + 16);

	for (size_t s = 0; s < COUNT(sizes); s++) {
		bool good = true;

		for (size_t t = 0; t < COUNT(types); t++) {
			for (unsigned flags = 0; flags < 256; flags++) {
				for (unsigned fds = 0; fds < 256; fds += fds < 5 ? 1 : 25)
					good = good && parses_as((struct header){ sizes[s],
								     types[t], flags, fds },
							   bytes);
			}
		}
		ok(good, "every type, flag and count with a body of %u", sizes[s]);
	}
}

static void
types_that_exist(void)
{
	char bytes[FRAME_HEADER];
	bool good = true;

	for (unsigned type = 0; type <= 0xffff; type++) {
		struct frame f;
		size_t used;
		int r;

		put_header((struct header){ .type = type }, (unsigned char *)bytes);
		r = frame_parse((struct str){ bytes, sizeof(bytes) }, &f, &used, &e);
		good = good && r == (type < MSG_COUNT ? 1 : -ERR_PROTO);
	}
	ok(good, "of all 65536 numbers those in the table are messages");
}

static void
names_what_is_wrong(void)
{
	char bytes[FRAME_HEADER];
	struct frame f;
	size_t used;

	put_header((struct header){ .type = 999 }, (unsigned char *)bytes);
	ok(frame_parse((struct str){ bytes, sizeof(bytes) }, &f, &used, &e) == -ERR_PROTO &&
		strstr(e.text, "999"),
	    "an unknown number: %s", e.text);
	put_header((struct header){ .type = MSG_run_start, .fds = 3 }, (unsigned char *)bytes);
	ok(frame_parse((struct str){ bytes, sizeof(bytes) }, &f, &used, &e) == -ERR_PROTO &&
		strstr(e.text, "run_start"),
	    "a bad header: %s", e.text);
}

/* Each prefix of a good frame asks for more; a bad header is refused as soon as it is whole. */
static void
cut_at_every_byte(void)
{
	struct header good = { .size = 300,
		.type = MSG_vm_text,
		.flags = FRAME_MORE,
		.fds = 2 };
	char bytes[FRAME_HEADER + 300];
	struct frame f;
	size_t used;
	bool waits = true, refuses = true;

	memset(bytes, 'b', sizeof(bytes));
	put_header(good, (unsigned char *)bytes);
	for (size_t n = 0; n < sizeof(bytes); n++) {
		auto_free char *part = xmalloc(n + 1);

		memcpy(part, bytes, n);
		waits = waits && frame_parse((struct str){ part, n }, &f, &used, &e) == 0;
	}
	ok(waits, "every part of a frame asks for more");
	is_int(frame_parse((struct str){ bytes, sizeof(bytes) }, &f, &used, &e), 1,
	    "the whole");
	good.flags = 4;
	put_header(good, (unsigned char *)bytes);
	for (size_t n = 0; n < sizeof(bytes); n++)
		refuses = refuses && frame_parse((struct str){ bytes, n }, &f, &used, &e) ==
					 (n < FRAME_HEADER ? 0 : -ERR_PROTO);
	ok(refuses, "a bad header is refused once it is whole, not after its body");
	is_int(frame_parse((struct str){ NULL, 0 }, &f, &used, &e), 0, "no bytes at all");
}

static void
heads_read_back(void)
{
	static const size_t sizes[] = { 0, 1, 255, 256, 65535, FRAME_BODY_MAX };
	auto_free char *body = xcalloc(1, FRAME_BODY_MAX);
	bool good = true;

	for (size_t s = 0; s < COUNT(sizes); s++) {
		for (int type = 0; type < MSG_COUNT; type++) {
			auto_done(buf) struct buf wire = buf_max(KiB(64));
			struct frame f;
			size_t used;

			if (sizes[s] > FRAME_BODY_MAX)
				continue;
			frame_head(&wire, sizes[s], (enum msg_type)type, FRAME_MORE, 1);
			good = good && wire.n == FRAME_HEADER;
			buf_add(&wire, (struct str){ body, sizes[s] });
			good = good && frame_parse(buf_str(&wire), &f, &used, &e) == 1 &&
			       (int)f.type == type && f.flags == FRAME_MORE && f.fds == 1 &&
			       f.body.n == sizes[s] && used == wire.n;
		}
	}
	ok(good, "what frame_head writes, frame_parse reads");
}

static void
several_in_a_row(void)
{
	auto_done(buf) struct buf wire = buf_max(KiB(1));
	struct str rest;
	struct frame f;
	size_t used = 0;

	frame_head(&wire, 2, MSG_run_text, 0, 0);
	buf_add(&wire, STR("ab"));
	frame_head(&wire, 0, MSG_run_cancel, 0, 0);
	frame_head(&wire, 1, MSG_vm_text, 0, 0);
	buf_add(&wire, STR("c"));
	rest = buf_str(&wire);
	ok(frame_parse(rest, &f, &used, &e) == 1 && f.type == MSG_run_text &&
		str_eq(f.body, STR("ab")),
	    "the first");
	rest = str_from(rest, used);
	ok(frame_parse(rest, &f, &used, &e) == 1 && f.type == MSG_run_cancel && f.body.n == 0,
	    "the second, empty");
	rest = str_from(rest, used);
	ok(frame_parse(rest, &f, &used, &e) == 1 && f.type == MSG_vm_text &&
		str_eq(f.body, STR("c")),
	    "the third");
	rest = str_from(rest, used);
	is_int(frame_parse(rest, &f, &used, &e), 0, "then nothing");
}

/* A message from one to another in a state, at and over its maximum: what the table says, no more. */
static bool
as_the_table_says(enum msg_type type, enum msg_role from, enum msg_role to,
    enum msg_state state)
{
	const struct msg_spec *spec = &msg_specs[type];
	bool may = spec->from == from && spec->to == to && (spec->states & (unsigned)state);
	int want = may ? 0 : -ERR_PROTO;

	return frame_allowed(type, from, to, state, 0, &e) == want &&
	       frame_allowed(type, from, to, state, spec->max, &e) == want &&
	       frame_allowed(type, from, to, state, spec->max + 1, &e) == -ERR_PROTO &&
	       frame_allowed(type, from, to, state, UINT64_MAX, &e) == -ERR_PROTO;
}

static void
allowed_by_the_table(void)
{
	for (int type = 0; type < MSG_COUNT; type++) {
		bool good = true;

		for (int from = ROLE_CLIENT; from <= ROLE_JS; from++) {
			for (int to = ROLE_CLIENT; to <= ROLE_JS; to++) {
				good = good &&
				       as_the_table_says((enum msg_type)type,
					   (enum msg_role)from, (enum msg_role)to, ST_NEW) &&
				       as_the_table_says((enum msg_type)type,
					   (enum msg_role)from, (enum msg_role)to, ST_READY);
			}
		}
		ok(good, "%s: from, to, when and how large", msg_specs[type].name);
	}
}

int
main(void)
{
	headers_at_their_edges();
	types_that_exist();
	names_what_is_wrong();
	cut_at_every_byte();
	heads_read_back();
	several_in_a_row();
	allowed_by_the_table();
	return tap_done();
}
