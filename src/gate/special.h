/* SPDX-License-Identifier: MIT */
/*
 * Programs whose words have a form of their own. Each function gets the command, adds what it runs
 * to the parts, and gives the flags that the command itself is to have. For wrapper.c and special.c.
 */
#ifndef GATE_SPECIAL_H
#define GATE_SPECIAL_H

#include "base/utf8.h"
#include "gate/parts.h"

#define WRAPPER_LOST ((size_t)-2) /* an option that is not in the list, or a word not known */

unsigned see_shell(struct reading *all, const struct gate_command *c);
unsigned see_other_shell(struct reading *all, const struct gate_command *c);
unsigned see_env(struct reading *all, const struct gate_command *c);
unsigned see_xargs(struct reading *all, const struct gate_command *c);
unsigned see_find(struct reading *all, const struct gate_command *c);
unsigned see_git(struct reading *all, const struct gate_command *c);
unsigned see_trap(struct reading *all, const struct gate_command *c);
unsigned see_set(struct reading *all, const struct gate_command *c);
unsigned see_sed(struct reading *all, const struct gate_command *c);
unsigned see_awk(struct reading *all, const struct gate_command *c);
unsigned see_test(struct reading *all, const struct gate_command *c);
unsigned see_setting(struct reading *all, const struct gate_command *c);
unsigned see_plus(struct reading *all, const struct gate_command *c);
unsigned see_dots(struct reading *all, const struct gate_command *c);
unsigned see_make(struct reading *all, const struct gate_command *c);

/* The name of the program that a word stands for, without its folder. */
struct str wrapper_program(struct str word);
/* The word behind the options from `at` on, written as in wrapper.def; WRAPPER_LOST, or past the end. */
size_t wrapper_options(const struct gate_command *c, size_t at, const char *known);
size_t wrapper_settings(const struct gate_command *c, size_t at, unsigned *ret_flags);
bool wrapper_any_unknown(const struct gate_command *c, size_t from);
bool wrapper_is_file(struct str word);
bool wrapper_of_git(struct str name);
/* Add a command or the commands of a line; false when there are none. */
bool wrapper_inner(struct reading *all, const struct str *argv, size_t n, unsigned flags);
bool wrapper_line(struct reading *all, struct str line);

#endif
