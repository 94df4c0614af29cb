/* SPDX-License-Identifier: MIT */
/*
 * What a tool that goes through a folder leaves out: crisol's own folders, and paths that a rule
 * refuses or asks about. The gate judged the folder; the same gate judges here what lies in it.
 */
#ifndef TOOL_HIDDEN_H
#define TOOL_HIDDEN_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/rule.h"

#define HIDDEN_FOLDERS_MAX 4
#define HIDDEN_GLOBS_MAX   (HIDDEN_FOLDERS_MAX + 3)
#define HIDDEN_ROOTS_MAX   64

struct hidden {
	struct gate_policy policy;
	struct gate_root roots[HIDDEN_ROOTS_MAX];
	struct str protected[HIDDEN_FOLDERS_MAX];
	struct rules rules;
	struct buf text; /* what `protected` points into */
};

/*
 * protected: real paths, a line each. rules: {files: [{file, project, home, rules}], real: [folder],
 * carved: root} as JSON, `real` having what the folder of each rule's path really is, or "", `carved`
 * being the scratchpad, which is not protected wherever it is. roots are borrowed. ERR_INVALID,
 * ERR_LIMIT.
 */
int hidden_init(struct hidden *h, const struct gate_root *roots, size_t roots_n,
    struct str protected, struct str rules, struct err *e) must_use;
/* Whether what this tool shows must leave this real path out. */
bool hidden_is(const struct hidden *h, const char *tool, struct str real);
/* Whether any rule could make it so: then counts of what was looked at say too much. */
bool hidden_by_rules(const struct hidden *h);
/*
 * Ripgrep's option that keeps it out of the i-th folder that it need not go into when it starts in
 * `folder`: protected ones, and the kernel's, which have no files that anybody wrote and do not end.
 * False when there is none below it. For i from 0 to HIDDEN_GLOBS_MAX - 1.
 */
bool hidden_glob(const struct hidden *h, size_t i, struct str folder, struct buf *ret_option);

#endif
