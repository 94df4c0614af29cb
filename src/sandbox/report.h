/* SPDX-License-Identifier: MIT */
/*
 * What a closed process lost: which layers hold, which of them it proved by trying, and why
 * each of the others does not. The launcher starts a report, the closed process completes it
 * before it reads its first message, and everybody else only reads it.
 *
 *	held	 the layer is up
 *	proved	 an attempt that the layer forbids was made afterwards and failed as it should
 *	want	 what the profile asks for; want & ~held is what the machine did not give
 *
 * The text form is a few lines of `key value...`; sandbox_report_read takes its input as
 * hostile (unknown keys, control bytes, bits that do not exist and oversized text are refused).
 *
 *	auto_done(buf) struct buf text = buf_max(SANDBOX_REPORT_MAX);
 *	sandbox_report_write(&report, &text);
 *	r = sandbox_report_read(buf_str(&text), &copy, e);
 */
#ifndef SANDBOX_REPORT_H
#define SANDBOX_REPORT_H

#include "base/buf.h"
#include "base/err.h"

enum sandbox_layer {
#define LAYER(name, text) LAYER_##name,
#include "sandbox/layer.def"
#undef LAYER
	LAYER_COUNT
};

#define LAYER_BIT(name) (1U << LAYER_##name)
#define LAYERS_ALL      ((1U << LAYER_COUNT) - 1)
#define LAYERS_NAMESPACES                                                             \
	(LAYER_BIT(userns) | LAYER_BIT(pidns) | LAYER_BIT(mntns) | LAYER_BIT(netns) | \
	    LAYER_BIT(ipcns) | LAYER_BIT(utsns) | LAYER_BIT(cgroupns))
/* `required`: a second boundary besides the one inside the process. */
#define LAYERS_REQUIRED (LAYER_BIT(seccomp) | LAYER_BIT(landlock))
/* `strict`: nothing outside can be seen either, and there is no network. */
#define LAYERS_STRICT                                                               \
	(LAYERS_REQUIRED | LAYER_BIT(pidns) | LAYER_BIT(mntns) | LAYER_BIT(netns) | \
	    LAYER_BIT(ipcns) | LAYER_BIT(root))

#define SANDBOX_WHY_MAX    120
#define SANDBOX_REPORT_MAX KiB(8)

enum sandbox_mode {
	SANDBOX_BARE,   /* no namespaces: Landlock, seccomp, limits, ids */
	SANDBOX_ROOT,   /* namespaces made by the machine's root, no user namespace */
	SANDBOX_USERNS, /* all namespaces, below a user namespace */
	SANDBOX_MODE_COUNT
};

struct sandbox_why {
	int sys;                    /* errno, 0 when none */
	char text[SANDBOX_WHY_MAX]; /* printable ASCII, "" when the layer holds */
};

struct sandbox_report {
	enum sandbox_mode mode;
	uint32_t want;
	uint32_t held;
	uint32_t proved;
	unsigned landlock_abi; /* as used; 0: none */
	uint64_t landlock_fs;  /* rights handled, as the kernel numbers them */
	uint64_t landlock_net;
	uint64_t landlock_scope;
	unsigned filter_len; /* seccomp instructions; 0: none */
	struct sandbox_why why[LAYER_COUNT];
};

/* Layers the profile wants and the report does not hold. */
static inline uint32_t
sandbox_report_missing(const struct sandbox_report *r)
{
	return r->want & ~r->held;
}

const char *sandbox_layer_name(enum sandbox_layer layer);
const char *sandbox_layer_text(enum sandbox_layer layer);
const char *sandbox_mode_name(enum sandbox_mode mode);

void sandbox_report_write(const struct sandbox_report *r, struct buf *out);
/* ERR_PROTO on anything sandbox_report_write cannot have written. */
int sandbox_report_read(struct str text, struct sandbox_report *ret_report,
    struct err *e) must_use;
/* Names of a set of layers, separated by blanks. */
void sandbox_layers_write(uint32_t layers, struct buf *out);

/*
 * For the code that puts walls up. report_lack also takes back an earlier hold: what is said
 * last and worst counts. report_prove(false) means the wall did not stand the attempt: it is
 * not held.
 */
void report_hold(struct sandbox_report *r, enum sandbox_layer layer);
void report_lack(struct sandbox_report *r, enum sandbox_layer layer, int sys,
    const char *format, ...) like_printf(4, 5);
void report_prove(struct sandbox_report *r, enum sandbox_layer layer, bool stood,
    const char *attempt);

#endif
