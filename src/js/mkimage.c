/* SPDX-License-Identifier: MIT */
/*
 * Build tool: evaluates a prelude once in a fresh engine and writes the heap image from which
 * crisol-js clones its VMs: those of scripts, and those of the compiler of TypeScript.
 *
 *	mkimage PRELUDE OUT
 */
#include "base/fd.h"
#include "js/guest.h"
#include "js/vm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PRELUDE_MAX MiB(8)
#define HEAD_SIZE   KiB(4)

static int
write_image(const struct engine *g, struct image_head *head, const char *path, struct err *e)
{
	const wasm_rt_memory_t *m = &g->inst.w2c_memory;
	char page[HEAD_SIZE] = { 0 };
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return err_sys(e, "create '%s'", path);
	memcpy(head->magic, IMAGE_MAGIC, sizeof(head->magic));
	memcpy(head->build, engine_sha256, sizeof(head->build));
	head->pages = (uint32_t)m->pages;
	head->stack_pointer = g->inst.STACK_POINTER;
	memcpy(page, head, sizeof(*head));
	r = fd_write_all(fd, (struct str){ page, sizeof(page) }, e);
	if (r >= 0)
		r = fd_write_all(fd, (struct str){ (const char *)m->data, m->size }, e);
	return r;
}

static int
make_image(const char *prelude_path, const char *image_path, struct err *e)
{
	auto_done(buf) struct buf prelude = buf_max(PRELUDE_MAX);
	struct image_head head = { 0 };
	static struct engine g,
	    compiler; /* an engine is never taken down, so leak checkers look here */
	int r = fd_slurp_at(AT_FDCWD, prelude_path, &prelude, e);

	if (r >= 0)
		r = engine_boot(&compiler, e);
	if (r >= 0)
		r = engine_boot(&g, e);
	g.compiler = &compiler;
	if (r >= 0)
		r = guest_install(&g, buf_str(&prelude), &head, e);
	if (r >= 0)
		r = write_image(&g, &head, image_path, e);
	return r;
}

int
main(int argc, char **argv)
{
	struct err e;

	if (argc != 3) {
		fprintf(stderr, "usage: mkimage PRELUDE OUT\n");
		return 2;
	}
	if (make_image(argv[1], argv[2], &e) < 0) {
		fprintf(stderr, "mkimage: %s\n", e.text);
		return 1;
	}
	return 0;
}
