/* SPDX-License-Identifier: MIT */
/*
 * The compiled engine and the heap image every VM starts from.
 *
 * The module's code is one, its instance is one: a VM is a linear memory plus a stack pointer,
 * swapped into the instance while it has the processor. A linear memory is a reservation of
 * ENGINE_SLOT bytes of address space, guard pages all of it but what was grown: 32-bit index
 * plus 32-bit offset can reach nothing else, so no access needs a bounds check.
 *
 * crisol-js links it, and the tool that makes the image. One struct engine per process.
 */
#ifndef JS_ENGINE_H
#define JS_ENGINE_H

#include "base/err.h"
#include "js/abi.h"

#define ENGINE_SLOT GiB(8)

struct vm;

/*
 * The image's first page; the linear memory follows at the next page. Little-endian, host
 * order.
 */
struct image_head {
	char magic[8];
	char build[64]; /* sha256 of the engine module it was made with, hexadecimal */
	uint32_t pages; /* of 64 KiB */
	uint32_t stack_pointer;
	uint32_t runtime,
	    context;        /* the engine's own handles, addresses in the linear memory */
	uint32_t entry;     /* the prelude's entry object */
	uint32_t undefined; /* a handle */
};

#define IMAGE_MAGIC "crisolV1"

struct engine {
	qjs_inst inst;
	struct vm *running; /* whose memory the instance holds */
	struct engine
	    *compiler; /* a second one for host.compile, so that the image holds no leavings */
	const struct image_head *image, *strip_image; /* of a script's VM; of the compiler's */
	int image_fd;                                 /* the file both are mapped from */
	uint64_t image_offset, strip_offset;          /* of the linear memories in that file */
};

/* A reservation of ENGINE_SLOT bytes; an error names an address-space limit as what it is. */
int engine_reserve(uint8_t **ret_base, struct err *e) must_use;
void engine_release(uint8_t *base);

/*
 * An instance with a fresh memory, engine initialised, nothing of ours in it: for the image
 * tool.
 */
int engine_boot(struct engine *g, struct err *e) must_use;
/* Collects garbage, so that an image holds none (image tool). */
void engine_collect(struct engine *g);
/*
 * An instance for clones of the images that are linked into this executable. Opens the executable
 * (they are mapped from its file), so before the process closes itself.
 */
int engine_open(struct engine *g, struct err *e) must_use;
/* Mark what follows as the guest's code or ours, see trap.h; nothing while no VM runs. */
void engine_guest(struct engine *g);
void engine_host(struct engine *g);

/* Name, version and sha256 of the module, from the pin. */
extern const char engine_name[], engine_version[], engine_sha256[];

#endif
