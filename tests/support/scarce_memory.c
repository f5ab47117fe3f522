// SPDX-License-Identifier: BSD-2-Clause
#include "scarce_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static atomic_uint count, fail_at;
static atomic_bool fail_for_good;

static bool fails(void)
{
    unsigned n = atomic_fetch_add(&count, 1) + 1, at = atomic_load(&fail_at);
    bool now = at > 0 && (n == at || (n > at && atomic_load(&fail_for_good)));
    if (now)
        errno = ENOMEM;
    return now;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void scarce_memory_fail(unsigned nth, bool for_good)
{
    atomic_store(&fail_at, 0);
    atomic_store(&count, 0);
    atomic_store(&fail_for_good, for_good);
    atomic_store(&fail_at, nth);
}

unsigned scarce_memory_count(void)
{
    return atomic_load(&count);
}

bool scarce_memory_failed(void)
{
    unsigned at = atomic_load(&fail_at);
    return at > 0 && atomic_load(&count) >= at;
}
