// SPDX-License-Identifier: BSD-2-Clause
// An allocator that fails on demand: for the gateway's code through the linker's --wrap, for SQLite
// and jansson through their replaceable allocation functions.
#ifndef IBTRAPD_TESTS_SCARCE_MEMORY_H
#define IBTRAPD_TESTS_SCARCE_MEMORY_H

#include <stdbool.h>

// Call it before either library is used.
void scarce_memory_begin(void);

// Makes the n-th allocation from now on fail (0: none); if `for_good`, also all later ones. In
// effect until the next call.
void scarce_memory_fail(unsigned nth, bool for_good);

// How many allocations there were since that call, and whether one failed.
unsigned scarce_memory_count(void);
bool scarce_memory_failed(void);

#endif
