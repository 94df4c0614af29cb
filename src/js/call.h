/* SPDX-License-Identifier: MIT */
/*
 * The engine's exported functions as this program calls them: each marks the guest's turn
 * around the call, so that a stop or a fault inside it leaves the VM and nothing else. What a
 * caller owns across such a call is lost then: the VM must own it.
 *
 * A handle is an address in the linear memory that stands for a JavaScript value, freed with
 * q_free_value; 0 means the engine had no memory to make it.
 */
#ifndef JS_CALL_H
#define JS_CALL_H

#include "js/engine.h"

typedef uint32_t handle;

#define QJS_TYPE_GLOBAL 0u
#define QJS_ASYNC       128u /* top-level await; the result is a promise of {value} */
#define QJS_STRIP       48u  /* byte code without source text and line numbers */

#define Q0(type, name)                                            \
	static inline type attr_unused q_##name(struct engine *g) \
	{                                                         \
		type r;                                           \
		engine_guest(g);                                  \
		r = QJS(name)(&g->inst);                          \
		engine_host(g);                                   \
		return r;                                         \
	}
#define Q1(type, name, t1)                                              \
	static inline type attr_unused q_##name(struct engine *g, t1 a) \
	{                                                               \
		type r;                                                 \
		engine_guest(g);                                        \
		r = QJS(name)(&g->inst, a);                             \
		engine_host(g);                                         \
		return r;                                               \
	}
#define Q2(type, name, t1, t2)                                                \
	static inline type attr_unused q_##name(struct engine *g, t1 a, t2 b) \
	{                                                                     \
		type r;                                                       \
		engine_guest(g);                                              \
		r = QJS(name)(&g->inst, a, b);                                \
		engine_host(g);                                               \
		return r;                                                     \
	}
#define Q3(type, name, t1, t2, t3)                                                  \
	static inline type attr_unused q_##name(struct engine *g, t1 a, t2 b, t3 c) \
	{                                                                           \
		type r;                                                             \
		engine_guest(g);                                                    \
		r = QJS(name)(&g->inst, a, b, c);                                   \
		engine_host(g);                                                     \
		return r;                                                           \
	}
#define Q4(type, name, t1, t2, t3, t4)                                                    \
	static inline type attr_unused q_##name(struct engine *g, t1 a, t2 b, t3 c, t4 d) \
	{                                                                                 \
		type r;                                                                   \
		engine_guest(g);                                                          \
		r = QJS(name)(&g->inst, a, b, c, d);                                      \
		engine_host(g);                                                           \
		return r;                                                                 \
	}
#define Q6(type, name, t1, t2, t3, t4, t5, t6)                                            \
	static inline type attr_unused q_##name(struct engine *g, t1 a, t2 b, t3 c, t4 d, \
	    t5 e, t6 f)                                                                   \
	{                                                                                 \
		type r;                                                                   \
		engine_guest(g);                                                          \
		r = QJS(name)(&g->inst, a, b, c, d, e, f);                                \
		engine_host(g);                                                           \
		return r;                                                                 \
	}
#define V1(name, t1)                                                    \
	static inline void attr_unused q_##name(struct engine *g, t1 a) \
	{                                                               \
		engine_guest(g);                                        \
		QJS(name)(&g->inst, a);                                 \
		engine_host(g);                                         \
	}

Q0(handle, qjs_get_undefined)
Q0(handle, qjs_get_exception)
Q0(handle, qjs_new_object)
Q0(handle, qjs_new_error)
Q0(uint32_t, qjs_is_job_pending)
Q0(uint32_t, qjs_execute_pending_job)
Q0(uint32_t, qjs_get_allocated_size)
Q0(uint32_t, qjs_get_runtime_ptr)
Q0(uint32_t, qjs_get_context_ptr)
Q1(uint32_t, wasm_malloc, uint32_t)
Q1(handle, qjs_new_number, double)
Q1(handle, qjs_throw, handle)
Q1(double, qjs_get_float64, handle)
Q1(uint32_t, qjs_get_bool, handle)
Q1(uint32_t, qjs_is_exception, handle)
Q1(uint32_t, qjs_is_string, handle)
Q1(uint32_t, qjs_is_object, handle)
Q1(uint32_t, qjs_is_proxy, handle)
Q1(handle, qjs_get_class_name, handle)
Q1(handle, qjs_get_proxy_target, handle)
Q2(handle, qjs_new_string, uint32_t, uint32_t)
Q2(uint32_t, qjs_get_string_len, handle, uint32_t)
Q2(handle, qjs_eval_bytecode, uint32_t, uint32_t)
Q2(handle, qjs_new_array_buffer, uint32_t, uint32_t)
Q2(uint32_t, qjs_get_array_buffer, handle, uint32_t)
Q2(handle, qjs_get_prop_string, handle, uint32_t)
Q3(uint32_t, qjs_set_prop_string, handle, uint32_t, handle)
Q3(handle, qjs_new_host_function, uint32_t, uint32_t, uint32_t)
Q4(handle, qjs_call, handle, handle, uint32_t, uint32_t)
Q4(handle, qjs_eval, uint32_t, uint32_t, uint32_t, uint32_t)
Q6(uint32_t, qjs_compile, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)
V1(wasm_free, uint32_t)
V1(qjs_free_value, handle)
V1(qjs_free_cstring, uint32_t)
V1(qjs_set_gc_threshold, uint32_t)
V1(qjs_set_max_stack_size, uint32_t)
V1(qjs_set_interrupt_handler, uint32_t)
V1(qjs_set_promise_rejection_handler, uint32_t)

#undef Q0
#undef Q1
#undef Q2
#undef Q3
#undef Q4
#undef Q6
#undef V1

#endif
