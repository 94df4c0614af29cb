/* SPDX-License-Identifier: MIT */
#include "js/guest.h"

#include "base/utf8.h"
#include "js/eraser.h"
#include "js/places.h"
#include "js/vm.h"

#include <sys/random.h>

#define SCRIPT_NAME "script.js"
#define PRELUDE_NAME \
	"prelude.js" /* compiled without source and lines: none of its frames shows */
/* Puts the source one line down; the prelude takes that line off again. */
#define WRAP_HEAD "(async()=>{\n"
#define WRAP_TAIL "\n})()"
/*
 * A source that leaves the first pair of brackets cannot leave this one too, and the reverse.
 */
#define TRY_HEAD "(async()=>{{\n"
#define TRY_TAIL "\n}})"

/* ---- memory ---- */

struct str
guest_bytes(const struct engine *g, uint32_t at, uint64_t n)
{
	const wasm_rt_memory_t *m = &g->inst.w2c_memory;

	if (at > m->size || n > m->size - at)
		return (struct str){ NULL, 0 };
	return (struct str){ (const char *)m->data + at, (size_t)n };
}

bool
guest_random(const struct engine *g, uint32_t at, uint32_t n)
{
	struct str room = guest_bytes(g, at, n);

	return room.p && getrandom(g->inst.w2c_memory.data + at, n, 0) == (ssize_t)n;
}

uint32_t
guest_put(struct engine *g, struct str bytes)
{
	uint32_t at = bytes.n < UINT32_MAX ? q_wasm_malloc(g, (uint32_t)bytes.n + 1) : 0;
	struct str room = at ? guest_bytes(g, at, bytes.n + 1) : (struct str){ NULL, 0 };
	char *to;

	if (!room.p)
		return 0;
	to = (char *)g->inst.w2c_memory.data + at;
	if (bytes.n)
		memcpy(to, bytes.p, bytes.n);
	to[bytes.n] = '\0';
	return at;
}

/*
 * Reads a 32-bit number that the engine wrote below its stack pointer, where nothing else
 * lives.
 */
static uint32_t
scratch(const struct engine *g)
{
	return g->inst.STACK_POINTER - 64;
}

static uint32_t
read_scratch(const struct engine *g)
{
	struct str s = guest_bytes(g, scratch(g), sizeof(uint32_t));
	uint32_t value = 0;

	if (s.p)
		memcpy(&value, s.p, sizeof(value));
	return value;
}

struct str
guest_text(struct engine *g, handle value, uint32_t *ret_free)
{
	uint32_t at = value ? q_qjs_get_string_len(g, value, scratch(g)) : 0;

	*ret_free = at;
	return at ? guest_bytes(g, at, read_scratch(g)) : (struct str){ NULL, 0 };
}

/*
 * Appends a string value as valid UTF-8, cut at the buffer's maximum; its code points before
 * the cut. Nothing when it is no string.
 */
static uint64_t
copy_text(struct engine *g, handle value, struct buf *ret_text)
{
	uint32_t free_at = 0;
	struct str s = { NULL, 0 };
	uint64_t points;

	if (value && q_qjs_is_string(g, value))
		s = guest_text(g, value, &free_at);
	points = utf8_count(s);
	utf8_scrub(s, ret_text);
	if (free_at)
		q_qjs_free_cstring(g, free_at);
	return points;
}

static handle
new_string(struct engine *g, struct str text)
{
	uint32_t at = guest_put(g, text);
	handle h = at ? q_qjs_new_string(g, at, (uint32_t)text.n) : 0;

	if (at)
		q_wasm_free(g, at);
	return h;
}

static void
free_value(struct engine *g, handle h)
{
	if (h)
		q_qjs_free_value(g, h);
}

static handle
property(struct engine *g, handle object, const char *name)
{
	uint32_t at = guest_put(g, str_of(name));
	handle h = at ? q_qjs_get_prop_string(g, object, at) : 0;

	if (at)
		q_wasm_free(g, at);
	return h;
}

/* Calls entry.name(arguments); takes the arguments over. A handle, 0 without memory. */
static handle
invoke(struct engine *g, const char *name, handle *arguments, uint32_t n)
{
	handle function = property(g, g->running->image->entry, name);
	uint32_t list =
	    guest_put(g, (struct str){ (const char *)arguments, n * sizeof(handle) });
	handle result = 0;
	bool whole = function && list;

	for (uint32_t i = 0; i < n; i++)
		whole = whole && arguments[i];
	if (whole)
		result = q_qjs_call(g, function, g->running->image->undefined, n, list);
	if (list)
		q_wasm_free(g, list);
	for (uint32_t i = 0; i < n; i++)
		free_value(g, arguments[i]);
	free_value(g, function);
	return result;
}

static handle
new_bool(struct engine *g, bool value)
{
	return q_qjs_new_number(g, value ? 1 : 0);
}

#define PLACE_LINE 8388608.0 /* more than a line has columns */
#define TEXT_PIECE KiB(16)
#define RANDOM_MAX KiB(64)

/* ---- what the guest may call ---- */

static handle
undefined(struct engine *g)
{
	return q_qjs_get_undefined(g);
}

static double
number(struct engine *g, const handle *arguments, uint32_t n, uint32_t at)
{
	return at < n ? q_qjs_get_float64(g, arguments[at]) : 0;
}

/* One line, handed on in pieces that fit a message. */
static handle
host_text(struct engine *g, const handle *arguments, uint32_t n)
{
	uint32_t free_at = 0;
	struct str s = { NULL, 0 };

	if (!g->running)
		return undefined(g);
	if (n > 0 && q_qjs_is_string(g, arguments[0]))
		s = guest_text(g, arguments[0], &free_at);
	while (s.n) {
		size_t size = MIN(s.n, TEXT_PIECE);

		/* Not inside a character, so that each piece is whole. */
		while (size > TEXT_PIECE - 4 && size < s.n &&
		       ((unsigned char)s.p[size] & 0xc0) == 0x80)
			size--;
		g->running->events->on_text(g->running, (struct str){ s.p, size });
		s = str_from(s, size);
	}
	g->running->events->on_text(g->running, STR("\n"));
	if (free_at)
		q_qjs_free_cstring(g, free_at);
	return undefined(g);
}

static handle
host_now(struct engine *g, const handle *arguments, uint32_t n)
{
	uint64_t since = g->running ? clock_now() - g->running->started : 0;

	(void)arguments;
	(void)n;
	return q_qjs_new_number(g, (double)since / (double)NS_PER_MS);
}

static handle
host_random(struct engine *g, const handle *arguments, uint32_t n)
{
	double wanted = number(g, arguments, n, 0);
	uint32_t size = wanted >= 0 && wanted <= RANDOM_MAX ? (uint32_t)wanted : 0;
	uint32_t at = q_wasm_malloc(g, MAX(size, 1));
	handle h = 0;

	if (at && guest_random(g, at, size))
		h = q_qjs_new_array_buffer(g, at, size);
	if (at)
		q_wasm_free(g, at);
	return h ? h : undefined(g);
}

static handle
host_wake(struct engine *g, const handle *arguments, uint32_t n)
{
	double ms = number(g, arguments, n, 0);

	if (g->running && ms >= 0)
		g->running->wake = clock_now() + (uint64_t)(MIN(ms, 1e9) * (double)NS_PER_MS);
	else if (g->running)
		g->running->wake = UINT64_MAX;
	return undefined(g);
}

static handle
host_encode(struct engine *g, const handle *arguments, uint32_t n)
{
	uint32_t free_at = 0;
	struct str s = { NULL, 0 };
	handle h = 0;

	if (n > 0)
		s = guest_text(g, arguments[0], &free_at);
	if (s.p)
		h = q_qjs_new_array_buffer(g, free_at, (uint32_t)s.n);
	if (free_at)
		q_qjs_free_cstring(g, free_at);
	return h ? h : undefined(g);
}

static handle
host_decode(struct engine *g, const handle *arguments, uint32_t n)
{
	uint32_t at = n > 0 ? q_qjs_get_array_buffer(g, arguments[0], scratch(g)) : 0;
	struct str s = at ? guest_bytes(g, at, read_scratch(g)) : (struct str){ NULL, 0 };
	handle h = s.p && utf8_valid(s) ? q_qjs_new_string(g, at, (uint32_t)s.n) : 0;

	return h ? h : undefined(g);
}

static handle
host_settle(struct engine *g, const handle *arguments, uint32_t n)
{
	struct vm *vm = g->running;
	bool ok = n > 0 && q_qjs_get_bool(g, arguments[0]);

	if (!vm || vm->settled || vm->stopping || n < 2)
		return undefined(g);
	vm->has_value = ok && q_qjs_is_string(g, arguments[1]);
	vm->outcome = ok ? VM_OK : VM_ERROR;
	if (ok)
		vm->value_chars = copy_text(g, arguments[1], &vm->value);
	else
		copy_text(g, arguments[1], &vm->error);
	if (n > 2)
		copy_text(g, arguments[2], &vm->notes);
	vm->has_state_out = n > 3 && q_qjs_is_string(g, arguments[3]);
	if (vm->has_state_out)
		copy_text(g, arguments[3], &vm->state_out);
	if (!buf_ok(&vm->state_out)) /* no part of it is a state; nothing at all says so */
		buf_reset(&vm->state_out);
	vm->settled = true;
	return undefined(g);
}

/* The VM owns the copies: a stop inside the engine leaves this frame for good. */
static handle
host_call(struct engine *g, const handle *arguments, uint32_t n)
{
	struct vm *vm = g->running;
	double number_of = number(g, arguments, n, 0);

	if (n < 3 || !vm || !(number_of >= 1 && number_of < 1e9))
		return undefined(g);
	buf_reset(&vm->call_name);
	buf_reset(&vm->call_input);
	copy_text(g, arguments[1], &vm->call_name);
	copy_text(g, arguments[2], &vm->call_input);
	vm->calls_open++;
	if (buf_ok(&vm->call_input))
		vm->events->on_call(vm, (uint64_t)number_of, buf_str(&vm->call_name),
		    buf_str(&vm->call_input));
	else
		vm_answer(vm, (uint64_t)number_of, false,
		    STR("{\"code\":\"TOO_LARGE\",\"message\":\"the input of a call is at most "
			"1 MiB\",\"hint\":\"hand over less, or a path to it\"}"));
	return undefined(g);
}

static handle
host_progress(struct engine *g, const handle *arguments, uint32_t n)
{
	struct vm *vm = g->running;

	if (n > 0 && vm) {
		buf_reset(&vm->call_input);
		copy_text(g, arguments[0], &vm->call_input);
		vm->events->on_progress(vm,
		    utf8_head(buf_str(&vm->call_input), PROGRESS_MAX / 4));
	}
	return undefined(g);
}

/*
 * The class of an object as the engine knows it, whatever its prototypes say; "Proxy" for one.
 */
static handle
host_kind(struct engine *g, const handle *arguments, uint32_t n)
{
	handle h;

	if (n == 0 || !q_qjs_is_object(g, arguments[0]))
		return undefined(g);
	if (q_qjs_is_proxy(g, arguments[0]))
		return new_string(g, STR("Proxy"));
	h = q_qjs_get_class_name(g, arguments[0]);
	return h && q_qjs_is_string(g, h) ? h : new_string(g, STR("Object"));
}

static handle
host_target(struct engine *g, const handle *arguments, uint32_t n)
{
	return n > 0 && q_qjs_is_proxy(g, arguments[0])
		   ? q_qjs_get_proxy_target(g, arguments[0])
		   : undefined(g);
}

/* The script's own text, for error messages. */
static handle
host_source(struct engine *g, const handle *arguments, uint32_t n)
{
	(void)arguments;
	(void)n;
	return g->running ? new_string(g, buf_str(&g->running->source)) : undefined(g);
}

/*
 * Where in the source the engine's line and column are: the line times PLACE_LINE, and the column.
 * Negative, and the nearest there is, for what stands around a source that is a function's body.
 */
static handle
host_place(struct engine *g, const handle *arguments, uint32_t n)
{
	const struct vm *vm = g->running;
	double line = number(g, arguments, n, 0), column = number(g, arguments, n, 1);
	struct str code;
	struct place place;
	bool outside;

	if (!vm || !(line >= 1 && line < UINT32_MAX) || !(column >= 1 && column <= UINT32_MAX))
		return undefined(g);
	line -= vm->wrapped ? 1 : 0;
	code = vm_code(vm);
	outside = line < 1 || line > places_lines(code);
	place = places_find(buf_str(&vm->places), code, buf_str(&vm->source), (uint32_t)line,
	    (uint32_t)column);
	return q_qjs_new_number(g,
	    (outside ? -1 : 1) * ((double)place.line * PLACE_LINE + place.column));
}

/* The compiler's code, and where of it stands where in the source. */
static handle
host_stripped(struct engine *g, const handle *arguments, uint32_t n)
{
	struct vm *vm = g->running;
	uint32_t at = n > 1 ? q_qjs_get_array_buffer(g, arguments[1], scratch(g)) : 0;
	struct str pairs = at ? guest_bytes(g, at, read_scratch(g)) : (struct str){ NULL, 0 };

	if (!vm || vm->settled || vm->stopping || n < 2)
		return undefined(g);
	if (pairs.p)
		buf_add(&vm->places, pairs);
	copy_text(g, arguments[0], &vm->value);
	vm->outcome = buf_ok(&vm->value) && buf_ok(&vm->places) ? VM_OK : VM_MEMORY;
	vm->settled = true;
	return undefined(g);
}

/* Byte code that host.compile made while the image was made. */
static handle
host_load(struct engine *g, const handle *arguments, uint32_t n)
{
	uint32_t at = n > 0 ? q_qjs_get_array_buffer(g, arguments[0], scratch(g)) : 0;

	return at ? q_qjs_eval_bytecode(g, at, read_scratch(g)) : undefined(g);
}

/*
 * Compiles without running: the byte code's address, its size in scratch; 0 and an exception.
 */
static uint32_t
compile(struct engine *g, struct str source, const char *file)
{
	uint32_t code = guest_put(g, source);
	uint32_t name = guest_put(g, str_of(file));
	uint32_t at = code && name ? q_qjs_compile(g, code, (uint32_t)source.n, name,
					 QJS_TYPE_GLOBAL, QJS_STRIP, scratch(g))
				   : 0;

	if (code)
		q_wasm_free(g, code);
	if (name)
		q_wasm_free(g, name);
	return at;
}

/*
 * Byte code made by the compiler, put into g's memory; its size in g's scratch. 0 on failure.
 */
static uint32_t
compiled_elsewhere(struct engine *g, struct str source)
{
	struct engine *c = g->compiler;
	uint32_t at = compile(c, source, PRELUDE_NAME);
	uint32_t size = read_scratch(c);
	struct str code = at ? guest_bytes(c, at, size) : (struct str){ NULL, 0 };
	uint32_t copy = code.p ? guest_put(g, code) : 0;

	if (copy)
		memcpy(g->inst.w2c_memory.data + scratch(g), &size, sizeof(size));
	if (at)
		q_wasm_free(c, at);
	return copy;
}

/* While the image is made. */
static handle
host_compile(struct engine *g, const handle *arguments, uint32_t n)
{
	uint32_t free_at = 0, code = 0;
	struct str source = n > 0 && g->compiler ? guest_text(g, arguments[0], &free_at)
						 : (struct str){ NULL, 0 };
	handle h;

	if (source.p)
		code = compiled_elsewhere(g, source);
	if (free_at)
		q_qjs_free_cstring(g, free_at);
	h = code ? q_qjs_new_array_buffer(g, code, read_scratch(g))
		 : q_qjs_throw(g, q_qjs_new_error(g));
	if (code)
		q_wasm_free(g, code);
	return h;
}

typedef handle host_fn(struct engine *g, const handle *arguments, uint32_t n);

enum whose { SCRIPT = 1, COMPILER = 2 };

/* All that `host` has, and in whose VM; while an image is made, all. */
static const struct {
	const char *name;
	host_fn *fn;
	unsigned whose;
} host_functions[] = {
	{ "text", host_text, SCRIPT },
	{ "now", host_now, SCRIPT },
	{ "random", host_random, SCRIPT },
	{ "wake", host_wake, SCRIPT },
	{ "encode", host_encode, SCRIPT },
	{ "decode", host_decode, SCRIPT },
	{ "settle", host_settle, SCRIPT | COMPILER },
	{ "place", host_place, SCRIPT },
	{ "stripped", host_stripped, COMPILER },
	{ "call", host_call, SCRIPT },
	{ "progress", host_progress, SCRIPT },
	{ "kind", host_kind, SCRIPT },
	{ "target", host_target, SCRIPT },
	{ "source", host_source, SCRIPT },
	{ "load", host_load, SCRIPT },
	{ "compile", host_compile, SCRIPT },
};

handle
guest_host_call(struct engine *g, struct str name, const handle *arguments, uint32_t n)
{
	unsigned whose = !g->running         ? SCRIPT | COMPILER
			 : g->running->strip ? COMPILER
					     : SCRIPT;

	for (size_t i = 0; i < COUNT(host_functions); i++) {
		if (str_eq(name, str_of(host_functions[i].name)) &&
		    (host_functions[i].whose & whose))
			return host_functions[i].fn(g, arguments, n);
	}
	return undefined(g);
}

/* ---- a script's life ---- */

/* An exception was thrown outside of any script code of ours: ask the prelude what it is. */
static void
take_exception(struct engine *g)
{
	struct vm *vm = g->running;
	handle arguments[] = { q_qjs_get_exception(g) };
	handle text = invoke(g, "describe", arguments, COUNT(arguments));

	if (vm->stopping)
		return;
	vm->outcome = VM_ERROR;
	copy_text(g, text, &vm->error);
	free_value(g, text);
	vm->settled = true;
}

void
guest_rejection(struct engine *g, handle promise, handle reason, bool handled)
{
	handle arguments[] = { promise, reason, new_bool(g, handled) };

	free_value(g, invoke(g, "rejection", arguments, COUNT(arguments)));
}

static handle
evaluate(struct engine *g, struct str source, uint32_t flags)
{
	uint32_t code = guest_put(g, source);
	uint32_t name = guest_put(g, STR(SCRIPT_NAME));
	handle h = code && name ? q_qjs_eval(g, code, (uint32_t)source.n, name, flags) : 0;

	if (code)
		q_wasm_free(g, code);
	if (name)
		q_wasm_free(g, name);
	return h;
}

static bool
is_exception(struct engine *g, handle h)
{
	return h && q_qjs_is_exception(g, h);
}

/* The parser stopped at a `return` outside of any function: the source is a function's body. */
static bool
is_return_refused(struct engine *g)
{
	handle exception = q_qjs_get_exception(g);
	handle message = exception ? property(g, exception, "message") : 0;
	uint32_t free_at = 0;
	bool refused =
	    message && q_qjs_is_string(g, message) &&
	    str_eq(guest_text(g, message, &free_at), STR("return not in a function"));

	if (free_at)
		q_qjs_free_cstring(g, free_at);
	free_value(g, message);
	free_value(g, refused ? exception : q_qjs_throw(g, exception));
	return refused;
}

/* As the body of an async function, if it is one and does not close it itself. */
static handle
evaluate_body(struct engine *g, struct str source)
{
	struct buf *body = &g->running->body;
	uint32_t tried;
	handle h;

	buf_reset(body); /* a body that was tried before */
	buf_add(body, STR(TRY_HEAD));
	buf_add(body, source);
	buf_add(body, STR(TRY_TAIL));
	tried = compile(g, buf_str(body), SCRIPT_NAME);
	if (!tried)
		return 0;
	q_wasm_free(g, tried);
	buf_reset(body);
	buf_add(body, STR(WRAP_HEAD));
	buf_add(body, source);
	buf_add(body, STR(WRAP_TAIL));
	h = evaluate(g, buf_str(body), QJS_TYPE_GLOBAL);
	buf_done(body);
	return h;
}

/* The script's promise, or an exception, as a script or else as a function's body. */
static handle
evaluate_code(struct engine *g)
{
	struct vm *vm = g->running;
	handle promise;

	vm->wrapped = false;
	promise = evaluate(g, vm_code(vm), QJS_ASYNC);
	if (!is_exception(g, promise) || !is_return_refused(g))
		return promise;
	free_value(g, promise);
	vm->wrapped = true;
	return evaluate_body(g, vm_code(vm));
}

/* The parser's word on what it could not read; nothing of the script has run. */
static bool
is_syntax_error(struct engine *g)
{
	handle exception = q_qjs_get_exception(g);
	bool object = exception && q_qjs_is_object(g, exception);
	handle name = object ? property(g, exception, "name") : 0;
	uint32_t free_at = 0;
	bool syntax = name && q_qjs_is_string(g, name) &&
		      str_eq(guest_text(g, name, &free_at), STR("SyntaxError"));

	if (free_at)
		q_qjs_free_cstring(g, free_at);
	free_value(g, name);
	free_value(g, q_qjs_throw(g, exception));
	return syntax;
}

/* Of the error as JavaScript, if it was tried, and the one as TypeScript, the one that helps. */
static void
choose_error(struct engine *g, const struct buf *first, const struct buf *second)
{
	struct vm *vm = g->running;
	handle arguments[] = { first->n ? new_string(g, buf_str(first)) : undefined(g),
		new_string(g, buf_str(second)) };
	handle text = invoke(g, "choose", arguments, COUNT(arguments));

	if (vm->stopping)
		return;
	buf_reset(&vm->error);
	vm->outcome = VM_ERROR;
	copy_text(g, text, &vm->error);
	free_value(g, text);
	vm->settled = true;
}

/* Waits until the compiler has been over the source; false when it made no code of it. */
static bool
strip(struct engine *g)
{
	struct vm *vm = g->running;

	vm->stripped = STRIP_ASKED;
	vm->events->on_strip(vm);
	do { /* the question may take a turn, in which the answer comes */
		if (vm_interrupt(vm))
			return false;
		if (vm->stripped == STRIP_ASKED)
			vm_wait(vm);
	} while (vm->stripped == STRIP_ASKED);
	if (vm_interrupt(vm))
		return false;
	if (vm->stripped == STRIP_FAILED)
		choose_error(g, &vm->js_error, &vm->strip_error);
	return vm->stripped == STRIP_DONE;
}

/*
 * The promise of a source that is TypeScript, or that is no JavaScript; 0 when it ended at once. What
 * the engine refuses of the quick way's code goes the careful way, which says why.
 */
static handle
evaluate_stripped(struct engine *g)
{
	struct vm *vm = g->running;
	handle promise;

	if (!strip(g))
		return 0;
	promise = evaluate_code(g);
	if (promise && !is_exception(g, promise))
		return promise;
	if (vm->erased && !vm->careful && is_syntax_error(g)) {
		free_value(g, promise);
		free_value(g, q_qjs_get_exception(g));
		vm->careful = true;
		vm->erased = false;
		buf_reset(&vm->code);
		buf_reset(&vm->places);
		return evaluate_stripped(g);
	}
	take_exception(g);
	if (!vm->stopping && vm->error.n) {
		buf_add(&vm->strip_error, buf_str(&vm->error));
		choose_error(g, &vm->js_error, &vm->strip_error);
	}
	return 0;
}

/* Starts the script: false when it ended at once. */
static bool
start(struct engine *g)
{
	struct vm *vm = g->running;
	bool has_compiler = vm->events->on_strip != NULL;
	handle begin[] = { new_string(g, buf_str(&vm->args)),
		vm->has_state_in ? new_string(g, buf_str(&vm->state_in)) : undefined(g) };
	handle promise = 0;

	vm->heap_base = q_qjs_get_allocated_size(g);
	q_qjs_set_max_stack_size(g, vm->stack_bytes);
	free_value(g, invoke(g, "begin", begin, COUNT(begin)));
	if (!has_compiler || vm->language != LANGUAGE_TS) {
		promise = evaluate_code(g);
		if (!promise || is_exception(g, promise)) {
			bool again =
			    has_compiler && vm->language == LANGUAGE_AUTO && is_syntax_error(g);

			take_exception(g);
			if (!again || vm->stopping)
				return false;
			vm->settled = false;
			buf_add(&vm->js_error, buf_str(&vm->error));
			buf_reset(&vm->error);
			free_value(g, promise);
			promise = 0;
		}
	}
	if (!promise)
		promise = evaluate_stripped(g);
	if (!promise)
		return false;
	handle watch[] = { promise, new_bool(g, vm->wrapped) };

	free_value(g, invoke(g, "watch", watch, COUNT(watch)));
	return true;
}

static void
give_answer(struct engine *g)
{
	struct vm *vm = g->running;
	const struct vm_answer *a = vm->answers;
	handle arguments[] = { q_qjs_new_number(g, (double)a->number), new_bool(g, a->ok),
		new_string(g, buf_str(&a->text)) };

	vm->calls_open--;
	vm_answer_drop(vm);
	free_value(g, invoke(g, "answer", arguments, COUNT(arguments)));
}

/* Answers, timers that are due, or one job; false when there is nothing to do now. */
static bool
work(struct engine *g)
{
	struct vm *vm = g->running;

	if (vm->answers) {
		give_answer(g);
		return true;
	}
	if (vm->tick) {
		vm->tick = false;
		free_value(g, invoke(g, "tick", NULL, 0));
		return true;
	}
	if (!q_qjs_is_job_pending(g))
		return false;
	if ((int32_t)q_qjs_execute_pending_job(g) < 0 && !vm->stopping)
		take_exception(g);
	return true;
}

/*
 * With no memory to make an error of, the engine throws null, and the guest may not get to
 * describe or even to hear of it. That memory was refused is known here.
 */
static void
judge(struct vm *vm)
{
	static const char *const helpless[] = { "\"message\":\"null\"",
		"the error could not be described" };
	bool told = vm->outcome == VM_ERROR && vm->error.n > 0;

	for (size_t i = 0; i < COUNT(helpless) && told; i++)
		told = !memmem(vm->error.p, vm->error.n, helpless[i], strlen(helpless[i]));
	if (told || (vm->outcome != VM_ERROR && vm->outcome != VM_STALLED))
		return;
	if (vm->full)
		vm->outcome = VM_MEMORY;
	else if (vm->outcome == VM_ERROR && vm->error.n == 0)
		vm->outcome = VM_STACK;
}

void
guest_main(struct vm *vm)
{
	struct engine *g = vm->engine;

	start(g);
	while (!vm->settled && !vm_interrupt(vm)) {
		if (work(g))
			continue;
		if (vm->wake == UINT64_MAX && !vm->calls_open) {
			vm->outcome = VM_STALLED;
			break;
		}
		vm_wait(vm);
	}
	vm_note_heap(vm, q_qjs_get_allocated_size(g));
	judge(vm);
}

/* The garbage of one source is thrown away with the VM. */
#define STRIP_NO_GC STRIP_MEMORY_BYTES

void
guest_strip(struct vm *vm)
{
	struct engine *g = vm->engine;

	vm->erased = !vm->careful && eraser_strip(vm);
	if (vm->erased) {
		vm->outcome = VM_OK;
		return;
	}
	buf_reset(&vm->value);
	vm->full = false;
	q_qjs_set_max_stack_size(g, vm->stack_bytes);
	q_qjs_set_gc_threshold(g, STRIP_NO_GC);
	handle arguments[] = { new_string(g, buf_str(&vm->source)) };

	free_value(g, invoke(g, "strip", arguments, COUNT(arguments)));
	if (!vm->settled && !vm->stopping)
		vm->outcome = VM_ERROR;
	judge(vm);
}

/* ---- the image ---- */

static handle
new_host(struct engine *g)
{
	handle host = q_qjs_new_object(g);

	for (size_t i = 0; i < COUNT(host_functions); i++) {
		struct str text = str_of(host_functions[i].name);
		uint32_t name = guest_put(g, text);

		q_qjs_set_prop_string(g, host, name,
		    q_qjs_new_host_function(g, name, (uint32_t)text.n, 0));
		q_wasm_free(g, name);
	}
	return host;
}

static int
prelude_failed(struct engine *g, bool compiling, struct err *e)
{
	auto_done(buf) struct buf text = buf_max(KiB(4));
	handle exception;

	g = compiling ? g->compiler : g;
	exception = q_qjs_get_exception(g);
	copy_text(g, property(g, exception, "message"), &text);
	copy_text(g, property(g, exception, "stack"), &text);
	return err_set(e, ERR_INVALID, "the prelude failed: %s", buf_text(&text));
}

int
guest_install(struct engine *g, struct str prelude, struct image_head *ret_head, struct err *e)
{
	handle host = new_host(g), undefined_value = undefined(g);
	uint32_t code = compiled_elsewhere(g, prelude);
	handle function = code ? q_qjs_eval_bytecode(g, code, read_scratch(g)) : 0;
	uint32_t list = guest_put(g, (struct str){ (const char *)&host, sizeof(host) });
	handle entry;

	if (!function || is_exception(g, function))
		return prelude_failed(g, !code, e);
	entry = q_qjs_call(g, function, undefined_value, 1, list);
	if (!entry || is_exception(g, entry))
		return prelude_failed(g, false, e);
	q_wasm_free(g, list);
	q_wasm_free(g, code);
	free_value(g, function);
	free_value(g, host);
	q_qjs_set_interrupt_handler(g, 1);
	q_qjs_set_promise_rejection_handler(g, 1);
	engine_collect(g);
	ret_head->undefined = undefined_value;
	ret_head->entry = entry;
	ret_head->runtime = q_qjs_get_runtime_ptr(g);
	ret_head->context = q_qjs_get_context_ptr(g);
	return 0;
}
