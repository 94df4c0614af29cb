/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target is one file fuzz_<parser>.c with this function: whatever the bytes are, it must
 * neither crash nor hang, and should assert what holds for every input.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#endif
