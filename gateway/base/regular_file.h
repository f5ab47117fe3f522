// SPDX-License-Identifier: BSD-2-Clause
// Opens and reads files whose paths users choose. Never waits, not even for the writer of a FIFO,
// and refuses what is not a regular file: a device may go on without end. Follows links.
#ifndef IBTRAPD_BASE_REGULAR_FILE_H
#define IBTRAPD_BASE_REGULAR_FILE_H

#include "base/error.h"

#include <stddef.h>

// Returns a descriptor to read from; -1 with a sentence.
int regular_file_open(const char *path, struct error *err);

// Returns the content of a file of at most `max` octets, with a NUL that `size` excludes, for the
// caller to free. NULL with a sentence.
char *regular_file_read(const char *path, size_t max, size_t *size, struct error *err);

// Does the same with an open file, which stays open. `path` is for the sentence.
char *regular_file_take(int fd, const char *path, size_t max, size_t *size, struct error *err);

#endif
