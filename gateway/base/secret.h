// SPDX-License-Identifier: BSD-2-Clause
// Reads keys and passwords from files that other users cannot read. Follows links and checks the
// file at the end of the links.
//
// Decides: Which file may a key or a password come from?
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SECRET_FILE_MAX = 65536 }; // octets of a file for secret_read_file

// Reads the first line of `path` into `out`, without its line feed, NUL-terminated. Refuses, with
// advice for the administrator, a file that is not regular, is accessible to group or others, has
// the wrong owner, is empty, or has too long a first line.
//
// The owner must be root or the user of this process. For root, who checks a configuration on
// behalf of the service, the service's user may own it, too.
bool secret_read_line(const char *path, char *out, size_t size, struct error *err);

// The same for one 64-bit key, decimal or with 0x. The value never appears in an error.
bool secret_read_key(const char *path, uint64_t *key, struct error *err);

// The same for a whole file, such as a key in PEM, NUL-terminated; `size` excludes the NUL. Free it
// with secret_free. NULL with a sentence, also for a file longer than SECRET_FILE_MAX.
char *secret_read_file(const char *path, size_t *size, struct error *err);
void secret_free(char *content, size_t size); // erases it first; NULL is allowed

// Erases memory from malloc, then frees the memory. For libraries that may hold secrets and call a
// function of the gateway in place of free; NULL is allowed.
void secret_release(void *memory);

// Makes the same checks of the file without reading it.
bool secret_check_file(const char *path, struct error *err);
