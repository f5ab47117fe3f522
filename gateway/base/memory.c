// SPDX-License-Identifier: BSD-2-Clause
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The line is written without the log, which locks and formats. journald makes "<3>" a priority.
void memory_end(void)
{
    static const char line[] = "<3>out of memory: this process ends; what it acknowledged is in "
                               "the journal. Give it more memory, in the unit: MemoryMax.\n";
    const size_t priority = getenv("JOURNAL_STREAM") ? 0 : 3;
    if (write(STDERR_FILENO, line + priority, sizeof line - 1 - priority) < 0)
        _exit(EXIT_FAILURE + 1);
    _exit(EXIT_FAILURE);
}

void *memory_get(size_t size)
{
    return memory_need(malloc(size > 0 ? size : 1));
}

void *memory_zeroed(size_t count, size_t size)
{
    return memory_need(count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1));
}

void *memory_resize(void *old, size_t count, size_t size)
{
    size_t octets;
    if (__builtin_mul_overflow(count, size, &octets))
        memory_end();
    return memory_need(realloc(old, octets > 0 ? octets : 1));
}

char *memory_copy(const char *text)
{
    return memory_need(strdup(text));
}

void *memory_copy_octets(const void *octets, size_t size)
{
    void *copy = memory_get(size);
    return size > 0 ? memcpy(copy, octets, size) : copy;
}
