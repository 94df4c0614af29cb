/* SPDX-License-Identifier: MIT */
/*
 * Fails the n-th system call of a set-up, in a program linked with --wrap=syscall: all walls are
 * put up through that one symbol. fault_none.c is for programs that are linked without.
 *
 * A process and its forks count together; a program that was executed counts for itself and is
 * told by the variable CRISOL_TEST_FAIL, "n errno".
 */
#ifndef TESTS_ESCAPE_FAULT_H
#define TESTS_ESCAPE_FAULT_H

#include <stdbool.h>

#define FAULT_NAME "CRISOL_TEST_FAIL"

/* From here on calls count; without an order to fail nothing does. */
void fault_arm(void);
void fault_disarm(void);
/* Orders the n-th call (from 1) to fail with this errno; 0: none. Starts counting anew. */
void fault_order(long n, int code);
/* Takes the order from the variable, if it is there. */
void fault_order_from_env(void);
/* Whether the ordered call came, and its number. */
bool fault_hit(long *ret_call);

#endif
