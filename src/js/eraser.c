/* SPDX-License-Identifier: MIT */
/*
 * The module was made for a browser and handles JavaScript values by number. It gets the few it
 * needs: a source, the options, keys, and an object to put its answer into. What it could ask for
 * besides is a trap (tools/engine). Addresses and numbers are the guest's: checked before use.
 */
#include "js/eraser.h"

#include "js/trap.h"
#include "js/vm.h"
#include "swc-info.h"
#include "swc-names.h"
#include "swc.h"

#include <sys/mman.h>

#if SWC_WABT_ABI == 2
typedef w2c_swc swc_inst;
#define SELF struct w2c_0x5F__wbindgen__placeholder__0x5F *self
#else
typedef Z_swc_instance_t swc_inst;
#define SELF struct Z___wbindgen_placeholder___instance_t *self
#endif

#define TAIL         "\n}"
#define PRINTED_TAIL "};\n"
#define VALUES_MAX   256u /* numbers in use at once; about thirty are */
#define STACK_SHARE  16   /* what its own stack pointer moves by for a result */

/* The numbers of these are known to the module. */
enum { V_UNDEFINED = 128, V_NULL, V_TRUE, V_FALSE, V_OWN };

enum kind { K_FREE, K_NUMBER, K_STRING, K_OPTIONS, K_PARSER, K_OBJECT };

struct value {
	enum kind kind;
	struct buf text;
};

static struct {
	swc_inst inst;
	struct vm *vm; /* whose source it reads; NULL: it has no memory */
	bool print;    /* not only blank */
	bool ok;
	struct value values[VALUES_MAX];
	struct buf wrapped, code, map;
} eraser;

struct engine *
eraser_engine(const wasm_rt_memory_t *m)
{
	return m == &eraser.inst.w2c_memory && eraser.vm ? eraser.vm->engine : NULL;
}

/* ---- values ---- */

static struct value *
value_at(uint32_t number)
{
	uint32_t i = number - V_OWN;

	return number >= V_OWN && i < VALUES_MAX && eraser.values[i].kind != K_FREE
		   ? &eraser.values[i]
		   : NULL;
}

/* A text's is copied; 0 when there is no number left. */
static uint32_t
value_new(enum kind kind, struct str text)
{
	for (uint32_t i = 0; i < VALUES_MAX; i++) {
		struct value *v = &eraser.values[i];

		if (v->kind != K_FREE)
			continue;
		v->kind = kind;
		v->text = buf_max(STRIP_CODE_MAX * 4);
		buf_add(&v->text, text);
		return V_OWN + i;
	}
	return 0;
}

static void
value_drop(struct value *v)
{
	buf_done(&v->text);
	*v = (struct value){ 0 };
}

static struct str
value_text(uint32_t number)
{
	const struct value *v = value_at(number);

	if (!v || v->kind != K_STRING)
		return (struct str){ NULL, 0 };
	return v->text.n ? buf_str(&v->text) : STR("");
}

/* What a field of the options is: everything that is not here is not given. */
static uint32_t
option(uint32_t object, struct str key)
{
	const struct value *v = value_at(object);

	if (!v || !key.p)
		return V_UNDEFINED;
	if (v->kind == K_OPTIONS && str_eq(key, STR("mode")))
		return value_new(K_STRING, eraser.print ? STR("transform") : STR("strip-only"));
	if (v->kind == K_OPTIONS && str_eq(key, STR("module")))
		return V_TRUE;
	if (v->kind == K_OPTIONS && str_eq(key, STR("sourceMap")))
		return eraser.print ? V_TRUE : V_UNDEFINED;
	if (v->kind == K_OPTIONS && str_eq(key, STR("parser")))
		return value_new(K_PARSER, STR(""));
	if (v->kind == K_PARSER && str_eq(key, STR("syntax")))
		return value_new(K_STRING, STR("typescript"));
	return V_UNDEFINED;
}

/* ---- memory ---- */

static struct str
bytes(uint32_t at, uint64_t n)
{
	const wasm_rt_memory_t *m = &eraser.inst.w2c_memory;

	if (at > m->size || n > m->size - at)
		return (struct str){ NULL, 0 };
	return (struct str){ (const char *)m->data + at, (size_t)n };
}

static void
put_pair(uint32_t at, uint32_t first, uint32_t second)
{
	uint32_t pair[] = { first, second };

	if (bytes(at, sizeof(pair)).p)
		memcpy(eraser.inst.w2c_memory.data + at, pair, sizeof(pair));
}

/* ---- imports: each takes the host's turn and gives the guest's back ---- */

static void
host(void)
{
	trap_host(&eraser.vm->trap);
}

static uint32_t
guest(uint32_t result)
{
	trap_guest(&eraser.vm->trap);
	return result;
}

u32
SWC_IMPORT___wbindgen_string_new(SELF, u32 at, u32 n)
{
	struct str text;

	(void)self;
	host();
	text = bytes(at, n);
	return guest(text.p ? value_new(K_STRING, text) : 0);
}

void
SWC_IMPORT___wbindgen_string_get(SELF, u32 ret, u32 number)
{
	struct str text;
	uint32_t at;

	(void)self;
	host();
	text = value_text(number);
	if (!text.p) {
		put_pair(ret, 0, 0);
		guest(0);
		return;
	}
	guest(0);
	at = SWC_EXPORT___wbindgen_export_2(&eraser.inst, (uint32_t)text.n, 1);
	host();
	if (bytes(at, text.n).p && text.n)
		memcpy(eraser.inst.w2c_memory.data + at, text.p, text.n);
	put_pair(ret, at, (uint32_t)text.n);
	guest(0);
}

u32
SWC_IMPORT___wbindgen_object_clone_ref(SELF, u32 number)
{
	const struct value *v;
	uint32_t copy = number;

	(void)self;
	host();
	v = value_at(number);
	if (v)
		copy = value_new(v->kind, buf_str(&v->text));
	return guest(copy);
}

void
SWC_IMPORT___wbindgen_object_drop_ref(SELF, u32 number)
{
	struct value *v;

	(void)self;
	host();
	v = value_at(number);
	if (v)
		value_drop(v);
	guest(0);
}

u32
SWC_IMPORT___wbg_getwithrefkey_1dc361bd10053bfe(SELF, u32 object, u32 key)
{
	(void)self;
	host();
	return guest(option(object, value_text(key)));
}

u32
SWC_IMPORT___wbindgen_in(SELF, u32 key, u32 object)
{
	uint32_t found;
	struct value *v;

	(void)self;
	host();
	found = option(object, value_text(key));
	v = value_at(found);
	if (v)
		value_drop(v);
	return guest(found != V_UNDEFINED);
}

/* Of its answers two are wanted. */
void
SWC_IMPORT___wbg_set_3f1d0b984ed272ed(SELF, u32 object, u32 key, u32 given)
{
	struct value *k, *v;

	(void)self;
	(void)object;
	host();
	k = value_at(key);
	v = value_at(given);
	if (v && v->kind == K_STRING && str_eq(value_text(key), STR("code")))
		buf_add(&eraser.code, buf_str(&v->text));
	else if (v && v->kind == K_STRING && str_eq(value_text(key), STR("map")))
		buf_add(&eraser.map, buf_str(&v->text));
	if (k)
		value_drop(k);
	if (v && v != k)
		value_drop(v);
	guest(0);
}

u32
SWC_IMPORT___wbg_new_405e22f390576ce2(SELF)
{
	(void)self;
	host();
	return guest(value_new(K_OBJECT, STR("")));
}

u32
SWC_IMPORT___wbindgen_number_new(SELF, f64 number)
{
	(void)self;
	(void)number;
	host();
	return guest(value_new(K_NUMBER, STR("")));
}

u32
SWC_IMPORT___wbindgen_boolean_get(SELF, u32 number)
{
	(void)self;
	return number == V_TRUE ? 1 : number == V_FALSE ? 0 : 2;
}

u32
SWC_IMPORT___wbindgen_is_undefined(SELF, u32 number)
{
	(void)self;
	return number == V_UNDEFINED;
}

u32
SWC_IMPORT___wbindgen_is_falsy(SELF, u32 number)
{
	(void)self;
	return number == V_UNDEFINED || number == V_NULL || number == V_FALSE;
}

u32
SWC_IMPORT___wbindgen_is_object(SELF, u32 number)
{
	const struct value *v = value_at(number);

	(void)self;
	return v && v->kind != K_STRING && v->kind != K_NUMBER;
}

u32
SWC_IMPORT___wbindgen_is_string(SELF, u32 number)
{
	(void)self;
	return value_text(number).p != NULL;
}

/* It asks for null this way, and for nothing else. */
u32
SWC_IMPORT___wbindgen_jsval_loose_eq(SELF, u32 a, u32 b)
{
	(void)self;
	return a == b ||
	       ((a == V_UNDEFINED || a == V_NULL) && (b == V_UNDEFINED || b == V_NULL));
}

/* ---- one source ---- */

static void
transform(void *argument)
{
	uint32_t source = value_new(K_STRING, buf_str(&eraser.wrapped));
	uint32_t options = value_new(K_OPTIONS, STR(""));
	uint32_t ret, answer[3] = { 0 };
	struct str given;

	(void)argument;
	guest(0);
	ret = SWC_EXPORT___wbindgen_add_to_stack_pointer(&eraser.inst, -(uint32_t)STACK_SHARE);
	SWC_EXPORT_transformSync(&eraser.inst, ret, source, options);
	SWC_EXPORT___wbindgen_add_to_stack_pointer(&eraser.inst, STACK_SHARE);
	host();
	given = bytes(ret, sizeof(answer));
	if (given.p)
		memcpy(answer, given.p, sizeof(answer));
	eraser.ok = given.p && !answer[2] && buf_ok(&eraser.code) && buf_ok(&eraser.map);
}

/* Whether it made code of the source. A stop is the VM's to take. */
static bool
attempt(bool print)
{
	struct trap_point *p = &eraser.vm->trap;
	enum trap why;

	eraser.print = print;
	eraser.ok = false;
	buf_reset(&eraser.code);
	buf_reset(&eraser.map);
	why = trap_try(p, (const char *)eraser.inst.w2c_memory.data, ENGINE_SLOT, transform,
	    NULL);
	for (size_t i = 0; i < VALUES_MAX && why != TRAP_NONE; i++)
		value_drop(&eraser.values[i]);
	if (why != TRAP_NONE)
		eraser.ok = false;
	return eraser.ok;
}

/* What stands between `head` and `tail`, into the VM's value. */
static bool
take(struct str head, struct str tail)
{
	struct str code = buf_str(&eraser.code);

	if (!str_starts(code, head) || code.n < head.n + tail.n ||
	    memcmp(code.p + code.n - tail.n, tail.p, tail.n) != 0)
		return false;
	buf_reset(&eraser.vm->value);
	buf_add(&eraser.vm->value, (struct str){ code.p + head.n, code.n - head.n - tail.n });
	return buf_ok(&eraser.vm->value);
}

/*
 * Where the module is known to read other than TypeScript: a word that may be a name at the end of a
 * line (declare, a line break, const), and a modifier before a bracket, which it takes off without a
 * semicolon. Such a source, and one that only looks like it, goes the careful way.
 */
static bool
may_blank(struct str source)
{
	static const char *const words[] = { "abstract", "declare", "interface", "module",
		"namespace", "override", "private", "protected", "public", "readonly", "type" };

	for (size_t i = 0; i < COUNT(words); i++) {
		struct str rest = source;
		const char *at;

		while (rest.n && (at = memmem(rest.p, rest.n, words[i], strlen(words[i])))) {
			rest = str_from(rest, (size_t)(at - rest.p) + strlen(words[i]));
			while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t'))
				rest = str_from(rest, 1);
			if (rest.n && strchr("\r\n\v\f/[*\xc2\xe2", rest.p[0]) && rest.p[0])
				return false;
		}
	}
	return true;
}

static bool
blank(void)
{
	return attempt(false) && eraser.code.n == eraser.wrapped.n &&
	       take(STR(ERASER_HEAD), STR(TAIL));
}

/* Printed anew, a namespace becomes code, and is to be refused. */
static bool
may_print(struct str source)
{
	static const char *const scopes[] = { "namespace", "module" };

	for (size_t i = 0; i < COUNT(scopes); i++) {
		if (memmem(source.p, source.n, scopes[i], strlen(scopes[i])))
			return false;
	}
	return true;
}

static bool
print(void)
{
	static const char key[] = "\"mappings\":\"";
	struct str map;
	const char *at, *end;

	if (!may_print(buf_str(&eraser.vm->source)) || !attempt(true) ||
	    !take(STR(ERASER_PRINTED_HEAD), STR(PRINTED_TAIL)))
		return false;
	/* Within the source's text, which stands in there too, a quote has a backslash. */
	map = buf_str(&eraser.map);
	at = map.n ? memmem(map.p, map.n, key, strlen(key)) : NULL;
	if (!at)
		return false;
	at += strlen(key);
	end = memchr(at, '"', (size_t)(map.p + map.n - at));
	buf_reset(&eraser.vm->places);
	if (end)
		buf_add(&eraser.vm->places, (struct str){ at, (size_t)(end - at) });
	return end && buf_ok(&eraser.vm->places);
}

static void
open_instance(void)
{
#if SWC_WABT_ABI == 2
	wasm2c_swc_instantiate(&eraser.inst, NULL);
#else
	Z_swc_init_module();
	Z_swc_instantiate(&eraser.inst, NULL);
#endif
	eraser.inst.w2c_memory.max_pages =
	    MIN((uint32_t)eraser.inst.w2c_memory.pages +
		    eraser.vm->memory_bytes / (uint32_t)WASM_PAGE,
		VM_PAGES_MAX);
}

static void
close_instance(void)
{
#if SWC_WABT_ABI == 2
	wasm2c_swc_free(&eraser.inst);
#else
	Z_swc_free(&eraser.inst);
#endif
	for (size_t i = 0; i < VALUES_MAX; i++)
		value_drop(&eraser.values[i]);
	buf_done(&eraser.wrapped);
	buf_done(&eraser.code);
	buf_done(&eraser.map);
	eraser.vm = NULL;
}

bool
eraser_strip(struct vm *vm)
{
	uint8_t *room;
	struct err e;
	bool ok;

	if (engine_reserve(&room, &e) < 0) /* the instance takes one, and cannot say no */
		return false;
	engine_release(room);
	eraser.vm = vm;
	eraser.wrapped = buf_max(SOURCE_MAX + KiB(1));
	eraser.code = buf_max(STRIP_CODE_MAX);
	eraser.map = buf_max(STRIP_CODE_MAX * 4);
	buf_add(&eraser.wrapped, STR(ERASER_HEAD));
	buf_add(&eraser.wrapped, buf_str(&vm->source));
	buf_add(&eraser.wrapped, STR(TAIL));
	open_instance();
	ok = buf_ok(&eraser.wrapped) && may_blank(buf_str(&vm->source)) &&
	     (blank() || (!vm->trap.stop && print()));
	close_instance();
	if (vm->trap.stop)
		trap_guest(&vm->trap);
	return ok;
}
