/* SPDX-License-Identifier: MIT */
/*
 * The mark for the engine's speed: the same scripts in quickjs-ng compiled straight to native
 * code. build-native compiles it with the sources of a released package; it is no part of the
 * product.
 *
 *	native FILE	{"cpu_ns":N,"value":JSON}	FILE is the body of a function
 */
#include <quickjs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOURCE_MAX (4 << 20)

static const char head[] = "(() => {";
static const char tail[] = "\n})()";

/* The script as an expression; NULL when it cannot be read. */
static char *
read_script(const char *path, size_t *ret_size)
{
	char *text = calloc(1, SOURCE_MAX);
	FILE *f = fopen(path, "re");
	size_t n = sizeof(head) - 1;

	if (!f || !text) {
		free(text);
		return NULL;
	}
	memcpy(text, head, n);
	n += fread(text + n, 1, SOURCE_MAX - n - sizeof(tail), f);
	memcpy(text + n, tail, sizeof(tail));
	*ret_size = n + sizeof(tail) - 1;
	fclose(f);
	return text;
}

static uint64_t
cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int
main(int argc, char **argv)
{
	JSRuntime *runtime = JS_NewRuntime();
	JSContext *context = JS_NewContext(runtime);
	size_t size = 0;
	char *script = argc == 2 ? read_script(argv[1], &size) : NULL;
	uint64_t start = cpu_now(), used;
	JSValue value, json;

	if (!script) {
		fprintf(stderr, "usage: native FILE\n");
		return 2;
	}
	value = JS_Eval(context, script, size, "script.js", JS_EVAL_TYPE_GLOBAL);
	used = cpu_now() - start;
	if (JS_IsException(value))
		value = JS_GetException(context);
	json = JS_JSONStringify(context, value, JS_UNDEFINED, JS_UNDEFINED);
	printf("{\"cpu_ns\":%llu,\"value\":%s,\"version\":\"%s\"}\n", (unsigned long long)used,
	    JS_IsString(json) ? JS_ToCString(context, json) : "null", JS_GetVersion());
	return 0;
}
