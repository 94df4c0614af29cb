/* SPDX-License-Identifier: MIT */
#include "js/vm.h"

#include "base/clock.h"
#include "js/guest.h"
#include "js/image.h"
#include "js/places.h"

#include <errno.h>
#include <sys/mman.h>

/* ---- the processor ---- */

static void
enter(struct vm *vm)
{
	struct engine *g = vm->engine;
	bool timed = vm->deadline != UINT64_MAX;
	uint64_t cpu_end;

	assert(!g->running);
	rest_give(&vm->rest, &vm->memory);
	g->running = vm;
	g->inst.w2c_memory = vm->memory;
	g->inst.STACK_POINTER = vm->stack_pointer;
	vm->slice_started = clock_now();
	vm->slice_cpu = clock_cpu();
	cpu_end = vm->slice_cpu + (vm->cpu_limit - MIN(vm->cpu_ns, vm->cpu_limit));
	trap_enter(&vm->trap);
	trap_timers(timed ? vm->deadline + VM_HARD_STOP_NS : 0,
	    vm->cpu_limit ? cpu_end + VM_HARD_STOP_NS : 0);
}

static void
leave(struct vm *vm)
{
	struct engine *g = vm->engine;

	trap_enter(NULL);
	trap_timers(0, 0);
	vm->cpu_ns += clock_cpu() - vm->slice_cpu;
	vm->memory = g->inst.w2c_memory;
	vm->stack_pointer = g->inst.STACK_POINTER;
	g->running = NULL;
}

/* Which limit the hard stop was for. */
static enum vm_outcome
limit_reached(const struct vm *vm)
{
	if (vm->stopping)
		return vm->outcome;
	if (clock_now() >= vm->deadline)
		return VM_TIMEOUT;
	if (vm->cpu_limit && vm->cpu_ns + (clock_cpu() - vm->slice_cpu) >= vm->cpu_limit)
		return VM_CPU;
	return VM_CANCELLED;
}

static void
run_guest(void *argument)
{
	struct vm *vm = argument;

	if (vm->strip)
		guest_strip(vm);
	else
		guest_main(vm);
}

static void
fiber_body(void *argument)
{
	struct vm *vm = argument;
	enum trap trap = trap_run(&vm->trap, run_guest, vm);

	switch (trap) {
	case TRAP_NONE:
		break;
	case TRAP_STACK:
		vm->outcome = VM_STACK;
		break;
	case TRAP_STOP:
		vm->outcome = limit_reached(vm);
		break;
	case TRAP_MEMORY:
	case TRAP_CODE:
		vm->outcome = vm->full ? VM_MEMORY : VM_CRASHED;
		break;
	}
	vm->state = VM_DONE;
	fiber_switch(&vm->fiber, &vm->loop);
	abort();
}

void
vm_slice(struct vm *vm)
{
	assert(vm->state == VM_READY);
	enter(vm);
	fiber_switch(&vm->loop, &vm->fiber);
	leave(vm);
}

/* In host code on the VM's stack: lets the loop run until the next slice. */
static void
give_back(struct vm *vm, enum vm_state state)
{
	vm->state = state;
	fiber_switch(&vm->fiber, &vm->loop);
}

bool
vm_interrupt(struct vm *vm)
{
	uint64_t now = clock_now();

	if (now - vm->slice_started >= VM_SLICE_NS) {
		vm_note_heap(vm, q_qjs_get_allocated_size(vm->engine));
		give_back(vm, VM_READY);
		now = vm->slice_started;
	}
	if (vm->stopping)
		return true;
	if (now >= vm->deadline)
		vm->outcome = VM_TIMEOUT;
	else if (vm->cpu_limit && vm->cpu_ns + (clock_cpu() - vm->slice_cpu) >= vm->cpu_limit)
		vm->outcome = VM_CPU;
	else
		return false;
	vm->stopping = true;
	return true;
}

void
vm_wait(struct vm *vm)
{
	give_back(vm, VM_WAITING);
}

void
vm_tick(struct vm *vm)
{
	vm->wake = UINT64_MAX;
	vm->tick = true;
	if (vm->state == VM_WAITING)
		vm->state = VM_READY;
}

void
vm_rest(struct vm *vm)
{
	if (vm->state == VM_WAITING &&
	    rest_take(&vm->rest, &vm->memory, vm->stack_pointer, vm->image))
		fiber_trim(&vm->fiber);
}

void
vm_answer(struct vm *vm, uint64_t number, bool ok, struct str text)
{
	struct vm_answer *a = xcalloc(1, sizeof(*a));

	a->number = number;
	a->ok = ok;
	a->text = buf_max(text.n);
	buf_add(&a->text, text);
	*vm->answers_end = a;
	vm->answers_end = &a->next;
	if (vm->state == VM_WAITING)
		vm->state = VM_READY;
}

struct str
vm_code(const struct vm *vm)
{
	return buf_str(vm->stripped == STRIP_DONE ? &vm->code : &vm->source);
}

static void
strip_over(struct vm *vm, bool ok)
{
	vm->stripped = ok ? STRIP_DONE : STRIP_FAILED;
	if (vm->state == VM_WAITING)
		vm->state = VM_READY;
}

void
vm_not_stripped(struct vm *vm, const char *why)
{
	buf_reset(&vm->strip_error);
	buf_addf(&vm->strip_error,
	    "{\"name\":\"SyntaxError\",\"message\":\"%s\",\"stack\":\"\",\"code\":\"TOO_"
	    "LARGE\"}",
	    why);
	strip_over(vm, false);
}

void
vm_stripped(struct vm *vm, struct vm *compiler)
{
	assert(compiler->strip && compiler->state == VM_DONE);
	vm->cpu_ns += compiler->cpu_ns;
	if (compiler->outcome == VM_OK) {
		buf_add(&vm->code, buf_str(&compiler->value));
		vm->erased = compiler->erased;
		if (vm->erased)
			places_decode(buf_str(&compiler->places), buf_str(&vm->code),
			    buf_str(&vm->source), &vm->places);
		else
			places_read(buf_str(&compiler->places), buf_str(&vm->code),
			    buf_str(&vm->source), &vm->places);
		strip_over(vm, true);
	} else if (compiler->outcome == VM_ERROR && compiler->error.n) {
		buf_add(&vm->strip_error, buf_str(&compiler->error));
		strip_over(vm, false);
	} else if (compiler->outcome == VM_CPU) {
		vm_not_stripped(vm, "reading the source as TypeScript takes too long");
	} else if (compiler->outcome == VM_MEMORY) {
		vm_not_stripped(vm, "reading the source as TypeScript takes too much memory");
	} else {
		vm_not_stripped(vm, "the source is nested too deeply to be read as TypeScript");
	}
}

void
vm_answer_drop(struct vm *vm)
{
	struct vm_answer *a = vm->answers;

	vm->answers = a->next;
	if (!vm->answers)
		vm->answers_end = &vm->answers;
	buf_done(&a->text);
	free(a);
}

void
vm_stop(struct vm *vm, enum vm_outcome why)
{
	if (vm->state == VM_DONE)
		return;
	vm->stopping = true;
	vm->outcome = why;
	vm->state = VM_DONE;
}

void
vm_note_full(struct vm *vm)
{
	vm->full = true;
}

void
vm_note_heap(struct vm *vm, uint32_t bytes)
{
	vm->heap_peak = MAX(vm->heap_peak, bytes - MIN(bytes, vm->heap_base));
}

/* ---- life ---- */

static int
map_memory(struct vm *vm, struct err *e)
{
	const struct engine *g = vm->engine;
	size_t size = vm->image->pages * WASM_PAGE;
	uint32_t more = vm->memory_bytes / (uint32_t)WASM_PAGE;
	int r = engine_reserve(&vm->memory.data, e);

	if (r < 0)
		return r;
	if (mmap(vm->memory.data, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, g->image_fd,
		(off_t)(vm->strip ? g->strip_offset : g->image_offset)) == MAP_FAILED)
		return err_sys(e, "map the heap image");
	vm->memory.pages = vm->image->pages;
	vm->memory.size = (uint32_t)size;
	vm->memory.max_pages = MIN(vm->image->pages + more, VM_PAGES_MAX);
	vm->stack_pointer = vm->image->stack_pointer;
	return 0;
}

int
vm_init(struct vm *vm, struct engine *g, const struct vm_job *job,
    const struct vm_events *events, struct err *e)
{
	uint64_t now = clock_now();
	int r;

	*vm = (struct vm){
		.engine = g,
		.state = VM_READY,
		.value = buf_max(VALUE_MAX),
		.error = buf_max(ERROR_MAX),
		.notes = buf_max(NOTES_MAX),
		.source = buf_max(SOURCE_MAX),
		.args = buf_max(ARGS_MAX + STDIN_MAX),
		.code = buf_max(STRIP_CODE_MAX),
		.js_error = buf_max(ERROR_MAX),
		.strip_error = buf_max(ERROR_MAX),
		.places = buf_max(PLACES_MAX),
		.body = buf_max(STRIP_CODE_MAX + KiB(1)),
		.language = job->language,
		.strip = job->strip,
		.careful = job->careful,
		.image = job->strip ? g->strip_image : g->image,
		.state_out = buf_max(STATE_MAX),
		.state_in = buf_max(STATE_MAX),
		.has_state_in = job->has_state,
		.call_name = buf_max(CALL_NAME_MAX),
		.call_input = buf_max(CALL_INPUT_MAX),
		.wake = UINT64_MAX,
		.events = events,
		.started = now,
		.deadline = job->timeout_ns ? now + job->timeout_ns : UINT64_MAX,
		.cpu_limit = job->cpu_ns,
		.memory_bytes = job->memory_bytes,
		.stack_bytes = job->stack_bytes,
	};
	r = map_memory(vm, e);
	if (r >= 0)
		r = fiber_init(&vm->fiber, (size_t)job->stack_bytes * VM_STACK_FACTOR,
		    fiber_body, vm, e);
	if (r < 0) {
		vm_done(vm);
		return r;
	}
	buf_add(&vm->source, job->source);
	buf_add(&vm->state_in, job->state);
	vm->answers_end = &vm->answers;
	buf_add(&vm->args, job->args.n ? job->args : STR("{}"));
	assert(buf_ok(&vm->source) && buf_ok(&vm->args) && buf_ok(&vm->state_in));
	vm->trap.run = job->run;
	vm->trap.memory = (const char *)vm->memory.data;
	vm->trap.memory_size = ENGINE_SLOT;
	vm->trap.guard = vm->fiber.map;
	vm->trap.guard_size = FIBER_GUARD;
	return 0;
}

void
vm_done(struct vm *vm)
{
	assert(!vm->engine || vm->engine->running != vm);
	if (vm->memory.data)
		engine_release(vm->memory.data);
	rest_done(&vm->rest);
	fiber_done(&vm->fiber);
	buf_done(&vm->value);
	buf_done(&vm->error);
	buf_done(&vm->notes);
	buf_done(&vm->state_in);
	buf_done(&vm->state_out);
	buf_done(&vm->call_name);
	buf_done(&vm->call_input);
	while (vm->answers)
		vm_answer_drop(vm);
	buf_done(&vm->source);
	buf_done(&vm->args);
	buf_done(&vm->code);
	buf_done(&vm->js_error);
	buf_done(&vm->strip_error);
	buf_done(&vm->places);
	buf_done(&vm->body);
	*vm = (struct vm){ 0 };
}
