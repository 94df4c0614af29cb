/* SPDX-License-Identifier: MIT */
/*
 * One face for the two forms in which wasm2c writes the engine: wabt 1.0.32 (Debian 12) and
 * 1.0.36 (Debian 13). qjs.h and wasm-rt.h come from the engine's build; nothing but src/js
 * includes this.
 *
 *	qjs_inst	     the module instance
 *	QJS(name)	     an exported function; takes the instance first
 *	QJS_ENV(name), QJS_WASI(name)	an import to define; ENV_SELF, WASI_SELF its first parameter
 */
#ifndef JS_ABI_H
#define JS_ABI_H

#include "qjs-info.h"
#include "qjs.h"

#if QJS_WABT_ABI == 2

typedef w2c_qjs qjs_inst;
typedef uint64_t wasm_pages;
#define QJS(name)      w2c_qjs_##name
#define QJS_INITIALIZE w2c_qjs_0x5Finitialize
#define QJS_ENV(name)  w2c_env_##name
#define QJS_WASI(name) w2c_wasi__snapshot__preview1_##name
#define ENV_SELF       struct w2c_env *self
#define WASI_SELF      struct w2c_wasi__snapshot__preview1 *self
#define STACK_POINTER  w2c_0x5F_stack_pointer
#define WASM_PAGES_BAD UINT64_MAX

static inline void
qjs_instantiate(qjs_inst *i, void *env)
{
	wasm2c_qjs_instantiate(i, env, env);
}

#else

typedef Z_qjs_instance_t qjs_inst;
typedef uint32_t wasm_pages;
#define QJS(name)      Z_qjsZ_##name
#define QJS_INITIALIZE Z_qjsZ__initialize
#define QJS_ENV(name)  Z_envZ_##name
#define QJS_WASI(name) Z_wasi_snapshot_preview1Z_##name
#define ENV_SELF       struct Z_env_instance_t *self
#define WASI_SELF      struct Z_wasi_snapshot_preview1_instance_t *self
#define STACK_POINTER  w2c___stack_pointer
#define WASM_PAGES_BAD UINT32_MAX

static inline void
qjs_instantiate(qjs_inst *i, void *env)
{
	Z_qjs_init_module();
	Z_qjs_instantiate(i, env, env);
}

#endif

#define WASM_PAGE KiB(64)

#endif
