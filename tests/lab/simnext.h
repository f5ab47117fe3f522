// SPDX-License-Identifier: BSD-2-Clause
/* Finds the original of a function that a preloaded library replaces. */

#pragma once

#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>

typedef ssize_t read_function(int fd, void *buffer, size_t size);
typedef ssize_t write_function(int fd, const void *buffer, size_t size);

static inline read_function *next_read(void)
{
    read_function *function;
    void *symbol = dlsym(RTLD_NEXT, "read");

    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static inline write_function *next_write(void)
{
    write_function *function;
    void *symbol = dlsym(RTLD_NEXT, "write");

    memcpy(&function, &symbol, sizeof(function));
    return function;
}
