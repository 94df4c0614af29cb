/* SPDX-License-Identifier: MIT */
/*
 * A script in a VM of small limits. What begins with a NUL is a list of pieces instead, one a byte,
 * so that chance writes programs and not only noise. The engine is not instrumented; the code
 * around it is.
 */
#include "../unit/script.h"
#include "base/json.h"
#include "base/utf8.h"
#include "forge/result.h"
#include "fuzz.h"
#include "js/source.h"

static const char *const pieces[] = {
	"a",
	"b",
	"c",
	"f",
	"x",
	"0",
	"1",
	"2",
	"-1",
	"1e9",
	"3.5",
	"10n",
	"''",
	"'text'",
	"`t${",
	"}`",
	"null",
	"undefined",
	"true",
	"NaN",
	"this",
	"globalThis",
	"arguments",
	"args",
	"[",
	"]",
	"{",
	"}",
	"(",
	")",
	",",
	";",
	":",
	".",
	"?.",
	"...",
	"=",
	"==",
	"===",
	"=>",
	"+",
	"-",
	"*",
	"/",
	"%",
	"**",
	"&&",
	"||",
	"??",
	"!",
	"~",
	"++",
	"<<",
	">>>",
	"<",
	">=",
	"\n",
	" ",
	"let ",
	"const ",
	"var ",
	"function ",
	"function* ",
	"async ",
	"await ",
	"yield ",
	"return ",
	"throw ",
	"try{",
	"}catch(e){",
	"}finally{",
	"if(",
	"else ",
	"for(",
	"while(",
	"do{",
	"break;",
	"continue;",
	"switch(",
	"case ",
	"default:",
	"new ",
	"delete ",
	"typeof ",
	"void ",
	"in ",
	" of ",
	"instanceof ",
	"class ",
	"extends ",
	"super",
	"static ",
	"get ",
	"set ",
	"eval(",
	"Function(",
	"Object",
	"Array",
	"String",
	"Number",
	"BigInt",
	"Symbol",
	"Promise",
	"Proxy",
	"Reflect",
	"Map",
	"Set",
	"WeakMap",
	"WeakRef",
	"Date",
	"RegExp",
	"Error",
	"JSON",
	"Math",
	"Uint8Array",
	"ArrayBuffer",
	"DataView",
	"Iterator",
	"TextEncoder()",
	"TextDecoder()",
	"URL('http://a/b?c')",
	"URLSearchParams('a=1')",
	"AbortController()",
	"structuredClone(",
	"crypto.randomUUID()",
	"crypto.getRandomValues(",
	"console.log(",
	"console.table(",
	"text(",
	"setTimeout(",
	"setInterval(",
	"queueMicrotask(",
	"performance.now()",
	"Intl.NumberFormat()",
	".then(",
	".catch(",
	".constructor",
	".prototype",
	".__proto__",
	".length",
	".toString()",
	".toJSON",
	".valueOf",
	".map(",
	".sort(",
	".reduce(",
	".join(",
	".split(",
	".replace(",
	".repeat(",
	".slice(",
	".fill(",
	".concat(",
	".flat(",
	".push(",
	".call(",
	".apply(",
	".bind(",
	".stack",
	".message",
	".name",
	".cause",
	"Symbol.iterator",
	"Symbol.toPrimitive",
	"Symbol.species",
	"Symbol.asyncIterator",
	"/a+/g",
	"/(a*)*b/",
	".exec(",
	".test(",
	"JSON.stringify(",
	"JSON.parse(",
	"Object.keys(",
	"Object.freeze(",
	"Object.defineProperty(",
	"Object.setPrototypeOf(",
	"Reflect.construct(",
	"Array.from(",
	"Promise.all(",
	"new Proxy(",
	"new Array(",
	"new Error(",
	"#p",
	"@",
	"\\",
	"'\xc3\xa9'",
	"'\\ud800'",
	"\xf0\x9f\x98\x80",
	"/*",
	"*/",
	"//",
	"`",
	"'",
	"\"",
};

static void
add_pieces(const uint8_t *bytes, size_t n, struct buf *ret_source)
{
	for (size_t i = 0; i < n; i++)
		buf_add(ret_source, str_of(pieces[bytes[i] % COUNT(pieces)]));
}

/* As crisol-js keeps a script's text: valid, and no more than a message holds. */
static void
on_text(struct vm *vm, struct str text)
{
	struct script *s = container_of(vm, struct script, vm);

	must(text.n <= KiB(16));
	if (s->text.n < KiB(256))
		utf8_scrub(text, &s->text);
}

/* What comes back fits its messages. */
static void
check(struct script *s)
{
	struct run_result r;

	must(s->outcome < VM_OUTCOMES);
	must(buf_ok(&s->vm.value) && utf8_valid(buf_str(&s->vm.value)));
	must(utf8_valid(buf_str(&s->vm.error)) && utf8_valid(buf_str(&s->vm.notes)));
	must(s->vm.has_value || s->vm.value.n == 0);
	result_init(&r);
	r.has_value = s->vm.has_value;
	if (s->outcome == VM_OK)
		result_value(&r, buf_str(&s->vm.value), buf_str(&s->text), 16000,
		    s->vm.value_chars, 0);
	/* Whatever a script does, what the prelude makes of its value is JSON. */
	must(r.code == CODE_NONE);
	if (s->outcome == VM_ERROR)
		result_error(&r, buf_str(&s->vm.error), UINT64_MAX);
	result_notes(&r, buf_str(&s->vm.notes));
	result_done(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static bool ready;
	auto_done(buf) struct buf given = buf_max(KiB(64)), source = buf_max(KiB(64));
	struct script s = {
		.args = STR("{\"a\":[1,\"two\",{}]}"),
		.timeout_ms = 20,
		.memory = MiB(4),
		.stack = KiB(64),
		.on_text = on_text,
		.rests = n % 2,
	};
	struct err e;

	if (!ready)
		ready = script_setup(&e);
	must(ready);
	if (n && bytes[0] == '\0')
		add_pieces(bytes + 1, MIN(n - 1, KiB(1)), &given);
	else
		buf_add(&given, (struct str){ (const char *)bytes, MIN(n, KiB(8)) });
	/* The channel lets UTF-8 through alone. */
	if (!utf8_valid(buf_str(&given)) ||
	    source_prepare(buf_str(&given), &source) != SOURCE_SCRIPT)
		return 0;
	s.source = buf_str(&source);
	script_run(&s);
	check(&s);
	script_done(&s);
	return 0;
}
