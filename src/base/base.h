/* SPDX-License-Identifier: MIT */
/*
 * The few macros every file may use: attributes, scope cleanup, sizes.
 *
 * Scope cleanup is the default way to release: initialise at declaration, hand out with steal.
 *
 *	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
 *	auto_free char *copy = xstrdup(text);
 *	auto_done(buf) struct buf out = buf_max(KiB(64));
 *	*ret_fd = steal_fd(&fd);
 *
 * Compiler extensions live here and nowhere else. True out-of-memory aborts (xmalloc and
 * friends); sizes that come from a peer are checked against a limit before they get here.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define must_use          __attribute__((warn_unused_result))
#define like_printf(f, a) __attribute__((format(printf, f, a)))
#define no_return         __attribute__((noreturn))
#define attr_cleanup(f)   __attribute__((cleanup(f)))
#define attr_unused       __attribute__((unused))
#define attr_noinline     __attribute__((noinline))
#define attr_aligned(n)   __attribute__((aligned(n)))
#define attr_fallthrough  __attribute__((fallthrough))

#define COUNT(array)      (sizeof(array) / sizeof((array)[0]))
#define KiB(n)            ((size_t)(n) << 10)
#define MiB(n)            ((size_t)(n) << 20)
#define GiB(n)            ((size_t)(n) << 30)
#define MIN(a, b)         ((a) < (b) ? (a) : (b))
#define MAX(a, b)         ((a) > (b) ? (a) : (b))
#define STRINGIFY_(x)     #x
#define STRINGIFY(x)      STRINGIFY_(x)

/* The struct that a member is embedded in. */
#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr) - offsetof(type, member)))

/* Scope cleanup: auto_done(t) calls t_done(&x), auto_obj(t) calls t_free(x). */
#define auto_free    attr_cleanup(base_free_ptr)
#define auto_fd      attr_cleanup(base_close_fd)
#define auto_done(t) attr_cleanup(t##_done)
#define auto_obj(t)  attr_cleanup(t##_free_ptr)
#define DEFINE_AUTO_OBJ(t)                                            \
	static inline void attr_unused t##_free_ptr(struct t **ret_p) \
	{                                                             \
		t##_free(*ret_p);                                     \
		*ret_p = NULL;                                        \
	}

/* Take the value out of a variable that would otherwise be cleaned up. */
#define steal(ret_ptr)                                      \
	({                                                  \
		__typeof__(ret_ptr) steal_p_ = (ret_ptr);   \
		__typeof__(*steal_p_) steal_v_ = *steal_p_; \
		*steal_p_ = NULL;                           \
		steal_v_;                                   \
	})

static inline int
steal_fd(int *ret_fd)
{
	int fd = *ret_fd;

	*ret_fd = -1;
	return fd;
}

/* Frees *(void **)p; for auto_free only. */
void base_free_ptr(void *ret_p);
/* Closes a descriptor unless it is negative, keeping errno; for auto_fd only. */
void base_close_fd(int *ret_fd);

/* Allocation that aborts when the machine is out of memory. Sizes are checked by the caller. */
void *xmalloc(size_t n) must_use;
void *xcalloc(size_t n, size_t size) must_use;
void *xrealloc(void *p, size_t n) must_use;
char *xstrdup(const char *text) must_use;

#endif
