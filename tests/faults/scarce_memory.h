// An allocator that fails when told to: for the gateway's own code through the linker's --wrap, for
// SQLite and jansson through the functions that they let one replace.
#ifndef IBTRAPD_TESTS_SCARCE_MEMORY_H
#define IBTRAPD_TESTS_SCARCE_MEMORY_H

#include <stdbool.h>

// Before either library is used.
void scarce_memory_begin(void);

// From now on, until the next call, the n-th allocation fails (0: none does), and, if `for_good`,
// all that follow.
void scarce_memory_fail(unsigned nth, bool for_good);

// How many there were since, and whether one failed.
unsigned scarce_memory_count(void);
bool scarce_memory_failed(void);

#endif
