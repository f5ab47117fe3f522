// SPDX-License-Identifier: BSD-2-Clause
// Whether this process may write to a file, or make files in a directory, and what to tell if it
// may not even look there.
#ifndef IBTRAPD_BASE_WRITABLE_H
#define IBTRAPD_BASE_WRITABLE_H

#include "base/error.h"

#include <stdbool.h>

// Whether the file may be written, or, if it does not exist, made. Changes nothing and never waits
// for a FIFO or device. False with a sentence that says what to do.
bool writable_check_file(const char *path, struct error *err);

// Whether files may be made in the directory, or, if it does not exist, the directory itself.
bool writable_check_directory(const char *path, struct error *err);

// False, with a sentence that says why stat() of `path` failed, by errno, and what to do.
bool writable_cannot_look(const char *path, struct error *err);

#endif
