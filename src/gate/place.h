/* SPDX-License-Identifier: MIT */
/* Where a path is, by its text; for gate.c. Paths are real and normal, as in gate_path. */
#ifndef GATE_PLACE_H
#define GATE_PLACE_H

#include "gate/gate.h"

/*
 * The longest of the protected folders and of the roots carved out of them that holds the path
 * decides; of the same length, the protected one.
 */
bool place_protected(const struct gate_policy *policy, struct str path);
/* In a root of that kind. Under --read-only declared folders are none. */
bool place_in(const struct gate_policy *policy, struct str path, enum gate_root_kind kind);
bool place_inside(const struct gate_policy *policy, struct str path);
/* In a folder named .git or .crisol, or one itself, below what was carved out for crisol. */
bool place_guarded(const struct gate_policy *policy, struct str path);

#endif
