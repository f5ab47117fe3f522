// SPDX-License-Identifier: BSD-2-Clause
// Lets SQLite and jansson allocate from this program, whose allocations fail on demand
// (tests/support/scarce_memory.h).
#ifndef IBTRAPD_TESTS_SCARCE_LIBRARIES_H
#define IBTRAPD_TESTS_SCARCE_LIBRARIES_H

// Call it before either library is used.
void scarce_libraries_begin(void);

#endif
