/* SPDX-License-Identifier: MIT */
/* Opening the engine on the heap images that are linked into this executable. */
#include "js/image.h"

#include "js/engine.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

struct find {
	uintptr_t address;
	uint64_t offset;
	bool found;
};

/* Where in the executable's file the bytes at an address come from. */
static int
look_in(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct find *f = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || f->address < start ||
		    f->address >= start + h->p_filesz)
			continue;
		f->offset = h->p_offset + (f->address - start);
		f->found = true;
	}
	return 1; /* the executable is the first; libraries do not matter */
}

static int
open_image(const char *bytes, const char *memory, const struct image_head **ret_head,
    uint64_t *ret_offset, struct err *e)
{
	struct find f = { .address = (uintptr_t)memory };
	const struct image_head *head = (const void *)bytes;

	if (memcmp(head->magic, IMAGE_MAGIC, sizeof(head->magic)) != 0 ||
	    strncmp(head->build, engine_sha256, sizeof(head->build)) != 0)
		return err_set(e, ERR_INVALID, "the heap image is not of this engine");
	dl_iterate_phdr(look_in, &f);
	if (!f.found || f.offset % KiB(4) != 0)
		return err_set(e, ERR_INVALID,
		    "the heap image does not stand page-aligned in the executable");
	*ret_head = head;
	*ret_offset = f.offset;
	return 0;
}

int
engine_open(struct engine *g, struct err *e)
{
	uint8_t *first;
	int r;

	*g = (struct engine){ .image_fd = -1 };
	r = open_image(image_bytes, image_memory, &g->image, &g->image_offset, e);
	if (r >= 0)
		r = open_image(strip_bytes, strip_memory, &g->strip_image, &g->strip_offset, e);
	if (r < 0)
		return r;
	g->image_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (g->image_fd < 0)
		return err_sys(e, "open this executable for its heap image");
	r = engine_reserve(&first,
	    e); /* the module takes one when it is made, and cannot say no */
	if (r < 0)
		return r;
	engine_release(first);
	qjs_instantiate(&g->inst, g);
	engine_release(g->inst.w2c_memory.data);
	g->inst.w2c_memory = (wasm_rt_memory_t){ 0 };
	return 0;
}
