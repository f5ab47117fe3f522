// SPDX-License-Identifier: BSD-2-Clause
// Memory that is never NULL: when the memory ends, the process ends, with a line on its standard
// error. A crash at any moment loses nothing (tests/faults), and MemoryMax of the unit kills the
// process before malloc fails. So no caller handles the end of memory. A size that a peer, a file
// or a user chooses has a bound in octets before the memory is asked for.
//
// Decides: What happens when the memory ends?
#pragma once

#include <stddef.h>

// Ends the process with status 1 and a line on standard error. Any thread.
_Noreturn void memory_end(void);

// Each returns memory that the caller frees with free(), never NULL. A size of 0 is allowed. Any
// thread.
__attribute__((returns_nonnull)) void *memory_get(size_t size);
__attribute__((returns_nonnull)) void *memory_zeroed(size_t count, size_t size);
__attribute__((returns_nonnull)) char *memory_copy(const char *text); // NUL-terminated
__attribute__((returns_nonnull)) void *memory_copy_octets(const void *octets, size_t size);

// The same for `count` items of `size` octets, with the content of `old`.
__attribute__((returns_nonnull)) void *memory_resize(void *old, size_t count, size_t size);

// Makes room for one more item in an array of `count` items: doubles the capacity of a full array.
// `items` and `capacity` are variables; a capacity of 0 goes with NULL.
#define MEMORY_MAKE_ROOM(items, count, capacity)                                                   \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) > 0 ? 2 * (capacity) : 64;                                     \
            (items) = memory_resize(items, capacity, sizeof *(items));                             \
        }                                                                                          \
    } while (0)

// Returns `got`, which a library made. NULL, which a library returns for the end of memory alone,
// ends the process.
static inline void *memory_need(void *got)
{
    if (!got)
        memory_end();
    return got;
}
