// SPDX-License-Identifier: BSD-2-Clause
#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *err, const char *fmt, ...)
{
    TEXT_FILL(err->text, fmt);
    return false;
}

bool error_prefix(struct error *err, const char *fmt, ...)
{
    struct error old = *err;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof err->text)
        snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", old.text);
    return false;
}
