// SPDX-License-Identifier: BSD-2-Clause
// Allocations that fail on demand, by the linker's --wrap: for a program whose CMakeLists.txt has
// scarce_memory(TARGET).
#pragma once

#include <stdbool.h>

// Makes the n-th allocation from now on fail (0: none); if `for_good`, also all later ones. In
// effect until the next call.
void scarce_memory_fail(unsigned nth, bool for_good);

// The number of allocations since scarce_memory_fail, and whether an allocation failed.
unsigned scarce_memory_count(void);
bool scarce_memory_failed(void);
