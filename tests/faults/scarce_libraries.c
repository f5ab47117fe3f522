// SPDX-License-Identifier: BSD-2-Clause
#include "scarce_libraries.h"

#include <jansson.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdlib.h>

static void *sqlite_malloc(int size)
{
    return malloc((size_t)size);
}

static void *sqlite_realloc(void *old, int size)
{
    return realloc(old, (size_t)size);
}

static int sqlite_size(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static int sqlite_round(int size)
{
    return (size + 7) & ~7;
}

static int sqlite_begin(void *ctx)
{
    (void)ctx;
    return SQLITE_OK;
}

static void sqlite_end(void *ctx)
{
    (void)ctx;
}

void scarce_libraries_begin(void)
{
    static const sqlite3_mem_methods METHODS = {sqlite_malloc, free,         sqlite_realloc,
                                                sqlite_size,   sqlite_round, sqlite_begin,
                                                sqlite_end,    NULL};
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &METHODS) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK)
        abort();
    json_set_alloc_funcs(malloc, free);
}
