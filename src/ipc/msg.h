/* SPDX-License-Identifier: MIT */
/*
 * Messages as structs, made from msg.def: `struct msg_run_start`, `MSG_run_start`, one field
 * per U64, TEXT or BYTES. Never memcpy'd: encoded and decoded by the table.
 *
 * Wire form of a body: U64 is 8 bytes little-endian; TEXT (valid UTF-8) and BYTES are a 32-bit
 * little-endian length and that many bytes. Nothing may follow the last field.
 *
 *	struct msg_vm_cancel m = { .run = 7 };
 *	msg_encode(MSG_vm_cancel, &m, &out);
 *
 * A decoded struct's strings are views into the wire bytes.
 */
#ifndef IPC_MSG_H
#define IPC_MSG_H

#include "base/buf.h"
#include "base/err.h"
#include "ipc/limits.h"

enum msg_role { ROLE_CLIENT, ROLE_CORE, ROLE_LAUNCH, ROLE_JS, ROLE_TOOL };

/* What a peer may say depends on how far the conversation is. */
enum msg_state {
	ST_NEW = 1,   /* nothing said yet */
	ST_READY = 2, /* greeted */
	ST_ANY = ST_NEW | ST_READY,
};

enum msg_type {
#define MSG(name, from, to, state, max, fields) MSG_##name,
#include "ipc/msg.def"
#undef MSG
	MSG_COUNT
};

#define U64(name)        uint64_t name;
#define TEXT(name, max)  struct str name;
#define BYTES(name, max) struct str name;
#define MSG(name, from, to, state, max, fields) \
	struct msg_##name {                     \
		fields                          \
	};
#include "ipc/msg.def"
#undef MSG
#undef U64
#undef TEXT
#undef BYTES

/* Large enough for any decoded message. */
union msg_any {
#define MSG(name, from, to, state, max, fields) struct msg_##name name;
#include "ipc/msg.def"
#undef MSG
};

enum msg_kind { MSG_U64, MSG_TEXT, MSG_BYTES };

struct msg_field {
	enum msg_kind kind;
	const char *name;
	size_t max; /* bytes, for TEXT and BYTES */
};

struct msg_spec {
	const char *name;
	enum msg_role from, to;
	unsigned states; /* bits of enum msg_state */
	size_t max;      /* bytes of the encoded body */
	const struct msg_field *fields;
	size_t fields_n;
};

extern const struct msg_spec msg_specs[MSG_COUNT];

/* Appends the body to ret_wire. A string over its field's maximum is a programming error. */
void msg_encode(enum msg_type type, const void *body, struct buf *ret_wire);
/*
 * Fills ret_body (the message's struct) from wire; ERR_PROTO on anything the table does not
 * say.
 */
int msg_decode(enum msg_type type, struct str wire, void *ret_body, struct err *e) must_use;

#endif
