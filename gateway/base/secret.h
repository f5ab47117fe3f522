// Keys and passwords from files that others cannot read.
#ifndef IBTRAPD_BASE_SECRET_H
#define IBTRAPD_BASE_SECRET_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// Reads the first line of `path` into `out` (without its end, always NUL-terminated). Refuses, with
// a sentence that says what to do, a file that is not regular, that group or others can access, that
// is empty, or whose first line does not fit.
bool secret_read_line(const char *path, char *out, size_t size, struct error *err);

// The same for one 64-bit key, decimal or with 0x. The value never appears in an error.
bool secret_read_key(const char *path, uint64_t *key, struct error *err);

#endif
