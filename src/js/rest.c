/* SPDX-License-Identifier: MIT */
#include "js/rest.h"

#include "base/buf.h"

#include <sys/mman.h>

#define PAGE KiB(4) /* the image's granule, whatever the machine's is */
#define WORD sizeof(uint64_t)

struct run {
	uint32_t at, size; /* bytes, whole words */
};

static const char zeros[PAGE];

static bool
differs(const char *a, const char *b, size_t at)
{
	return memcmp(a + at, b + at, WORD) != 0;
}

/* Appends the runs of one page that is not as it was. */
static void
add_page(struct buf *runs, size_t page, const char *now, const char *was)
{
	for (size_t i = 0; i < PAGE; i += WORD) {
		size_t start = i;
		struct run run;

		while (i < PAGE && differs(now, was, i))
			i += WORD;
		if (i == start)
			continue;
		run = (struct run){ (uint32_t)(page + start), (uint32_t)(i - start) };
		buf_add(runs, (struct str){ (const char *)&run, sizeof(run) });
		buf_add(runs, (struct str){ now + start, run.size });
	}
}

bool
rest_take(struct rest *r, const wasm_rt_memory_t *m, uint32_t stack_pointer,
    const struct image_head *image)
{
	auto_done(buf) struct buf runs = buf_max(REST_MAX);
	const char *first = (const char *)image + PAGE; /* behind the head's page */
	const char *data = (const char *)m->data;
	size_t known = image->pages * WASM_PAGE;

	if (r->runs || m->size > known + REST_GROWN * WASM_PAGE)
		return false;
	for (size_t at = stack_pointer & ~(PAGE - 1); at < m->size && buf_ok(&runs);
	    at += PAGE) {
		const char *was = at < known ? first + at : zeros;

		if (memcmp(data + at, was, PAGE) != 0)
			add_page(&runs, at, data + at, was);
	}
	if (!buf_ok(&runs) || madvise(m->data, m->size, MADV_DONTNEED) < 0)
		return false;
	r->n = runs.n;
	r->runs = xcalloc(MAX(runs.n, 1), 1);
	if (runs.n)
		memcpy(r->runs, runs.p, runs.n);
	return true;
}

void
rest_give(struct rest *r, const wasm_rt_memory_t *m)
{
	for (size_t at = 0; at < r->n;) {
		struct run run;

		memcpy(&run, r->runs + at, sizeof(run));
		at += sizeof(run);
		assert(run.at + run.size <= m->size);
		memcpy(m->data + run.at, r->runs + at, run.size);
		at += run.size;
	}
	rest_done(r);
}

void
rest_done(struct rest *r)
{
	free(r->runs);
	*r = (struct rest){ 0 };
}
