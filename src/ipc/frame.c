/* SPDX-License-Identifier: MIT */
#include "ipc/frame.h"

static uint32_t
le(const unsigned char *p, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint32_t)p[i] << (8 * i);
	return value;
}

int
frame_parse(struct str bytes, struct frame *ret_frame, size_t *ret_used, struct err *e)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	uint32_t size, type, flags, fds;

	if (bytes.n < FRAME_HEADER)
		return 0;
	size = le(p, 4);
	type = le(p + 4, 2);
	flags = p[6];
	fds = p[7];
	if (type >= MSG_COUNT)
		return err_set(e, ERR_PROTO, "no message has the number %u", type);
	if (size > FRAME_BODY_MAX || fds > FRAME_FDS_MAX ||
	    (flags & ~(unsigned)(FRAME_MORE | FRAME_SEALED)) ||
	    (flags == (FRAME_MORE | FRAME_SEALED)) ||
	    ((flags & FRAME_SEALED) && (size != 8 || !fds)))
		return err_set(e, ERR_PROTO, "%s: a frame header that cannot be",
		    msg_specs[type].name);
	if (bytes.n - FRAME_HEADER < size)
		return 0;
	*ret_frame = (struct frame){
		.type = (enum msg_type)type,
		.flags = flags,
		.fds = fds,
		.body = { bytes.p + FRAME_HEADER, size },
	};
	*ret_used = FRAME_HEADER + size;
	return 1;
}

void
frame_head(struct buf *ret_wire, size_t size, enum msg_type type, unsigned flags, size_t fds)
{
	unsigned char head[FRAME_HEADER] = {
		(unsigned char)size,
		(unsigned char)(size >> 8),
		(unsigned char)(size >> 16),
		(unsigned char)(size >> 24),
		(unsigned char)type,
		(unsigned char)(type >> 8),
		(unsigned char)flags,
		(unsigned char)fds,
	};

	assert(size <= FRAME_BODY_MAX);
	buf_add(ret_wire, (struct str){ (const char *)head, sizeof(head) });
}

int
frame_allowed(enum msg_type type, enum msg_role from, enum msg_role to, enum msg_state state,
    uint64_t size, struct err *e)
{
	const struct msg_spec *spec = &msg_specs[type];

	if (spec->from != from || spec->to != to)
		return err_set(e, ERR_PROTO, "%s is not this peer's to say", spec->name);
	if (!(spec->states & (unsigned)state))
		return err_set(e, ERR_PROTO, "%s at the wrong time", spec->name);
	if (size > spec->max)
		return err_set(e, ERR_PROTO, "%s of %llu bytes, at most %zu", spec->name,
		    (unsigned long long)size, spec->max);
	return 0;
}
