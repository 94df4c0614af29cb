/* SPDX-License-Identifier: MIT */
/* The run-time half that wasm2c expects from its host: memories, the function table, traps. */
#include "js/engine.h"

#include "js/eraser.h"
#include "js/trap.h"
#include "js/vm.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>

const char engine_name[] = QJS_NAME;
const char engine_version[] = QJS_VERSION;
const char engine_sha256[] = QJS_SHA256;

int
engine_reserve(uint8_t **ret_base, struct err *e)
{
	struct rlimit limit = { 0 };
	void *p = mmap(NULL, ENGINE_SLOT, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED) {
		*ret_base = p;
		return 0;
	}
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		return err_set(e, ERR_LIMIT,
		    "the address space of this process is limited to %llu MiB (ulimit -v), one "
		    "virtual machine "
		    "reserves 8192 MiB of it",
		    (unsigned long long)limit.rlim_cur >> 20);
	return err_sys(e, "reserve 8 GiB of address space for a virtual machine");
}

void
engine_release(uint8_t *base)
{
	munmap(base, ENGINE_SLOT);
}

/* ---- what the generated code calls ---- */

bool
wasm_rt_is_initialized(void)
{
	return true;
}

no_return void
wasm_rt_trap(wasm_rt_trap_t code)
{
	trap_now(code == WASM_RT_TRAP_OOB          ? TRAP_MEMORY
		 : code == WASM_RT_TRAP_EXHAUSTION ? TRAP_STACK
						   : TRAP_CODE);
}

/* Only at boot, where failing is the end of a build tool or of a process that just started. */
static void
first_memory(wasm_rt_memory_t *m, uint32_t pages)
{
	struct err e;
	int r = engine_reserve(&m->data, &e);

	if (r < 0 || mprotect(m->data, pages * WASM_PAGE, PROT_READ | PROT_WRITE) < 0)
		abort();
	m->pages = pages;
	m->max_pages = VM_PAGES_MAX;
	m->size = pages * (uint32_t)WASM_PAGE;
}

/* The memory cap is here: a VM's max_pages is its limit, and a refusal is remembered. */
wasm_pages
wasm_rt_grow_memory(wasm_rt_memory_t *m, wasm_pages delta)
{
	struct engine *g = eraser_engine(m);
	wasm_pages had = m->pages;
	bool grown;

	if (!g)
		g = container_of(container_of(m, qjs_inst, w2c_memory), struct engine, inst);
	engine_host(g);
	grown =
	    delta <= m->max_pages - had &&
	    mprotect(m->data + had * WASM_PAGE, delta * WASM_PAGE, PROT_READ | PROT_WRITE) == 0;
	if (grown) {
		m->pages += delta;
		m->size += delta * (wasm_pages)WASM_PAGE;
	} else if (g->running) {
		vm_note_full(g->running);
	}
	engine_guest(g);
	return grown ? had : WASM_PAGES_BAD;
}

void
wasm_rt_free_memory(wasm_rt_memory_t *m)
{
	engine_release(m->data);
}

void
wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *t, uint32_t elements,
    uint32_t max_elements)
{
	t->data = xcalloc(elements, sizeof(t->data[0]));
	t->size = elements;
	t->max_size = max_elements;
}

void
wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *t)
{
	free(t->data);
}

#if QJS_WABT_ABI == 2

void
wasm_rt_allocate_memory(wasm_rt_memory_t *m, uint64_t pages, uint64_t max_pages, bool is64)
{
	(void)max_pages;
	m->is64 = is64;
	first_memory(m, (uint32_t)pages);
}

#else

void
wasm_rt_allocate_memory(wasm_rt_memory_t *m, uint32_t pages, uint32_t max_pages)
{
	(void)max_pages;
	first_memory(m, pages);
}

#define FUNC_TYPES_MAX  256
#define FUNC_VALUES_MAX 32

/*
 * Equal signatures get equal numbers; filled while the module initialises, constant afterwards.
 */
static struct {
	uint32_t params, results;
	int types[FUNC_VALUES_MAX];
} func_types[FUNC_TYPES_MAX];
static uint32_t func_types_n;

uint32_t
wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
	int types[FUNC_VALUES_MAX] = { 0 };
	va_list ap;

	assert(params + results <= FUNC_VALUES_MAX);
	va_start(ap, results);
	for (uint32_t i = 0; i < params + results; i++)
		types[i] = va_arg(ap, int);
	va_end(ap);
	for (uint32_t i = 0; i < func_types_n; i++) {
		if (func_types[i].params == params && func_types[i].results == results &&
		    memcmp(func_types[i].types, types, sizeof(types)) == 0)
			return i + 1;
	}
	assert(func_types_n < FUNC_TYPES_MAX);
	func_types[func_types_n].params = params;
	func_types[func_types_n].results = results;
	memcpy(func_types[func_types_n].types, types, sizeof(types));
	return ++func_types_n;
}

#endif

/* ---- whose turn it is ---- */

void
engine_guest(struct engine *g)
{
	if (g->running)
		trap_guest(&g->running->trap);
}

void
engine_host(struct engine *g)
{
	if (g->running)
		trap_host(&g->running->trap);
}

/* ---- opening ---- */

int
engine_boot(struct engine *g, struct err *e)
{
	*g = (struct engine){ .image_fd = -1 };
	qjs_instantiate(&g->inst, g);
	QJS_INITIALIZE(&g->inst);
	if (QJS(qjs_init)(&g->inst) != 0)
		return err_set(e, ERR_INVALID, "the engine did not initialise");
	return 0;
}

void
engine_collect(struct engine *g)
{
	QJS(qjs_run_gc)(&g->inst);
}
