// SPDX-License-Identifier: BSD-2-Clause
// Opens and reads files whose paths users choose. Never waits, not even for the writer of a FIFO,
// and refuses what is not a regular file: a device may go on without end. Follows links.
#pragma once

#include "base/error.h"

#include <stddef.h>

// Returns a descriptor to read from; -1 with a sentence.
int regular_file_open(const char *path, struct error *err);

// Returns the content of a file of at most `max` octets, with a NUL that `size` excludes, for the
// caller to free. NULL with a sentence.
char *regular_file_read(const char *path, size_t max, size_t *size, struct error *err);

// Does the same with an open file, which stays open. `path` is for the sentence.
char *regular_file_take(int fd, const char *path, size_t max, size_t *size, struct error *err);

// Replaces the file by one with this content, for its owner alone, and syncs file and directory.
// After a crash the file is the old or the new one. False, with errno: the disk failed.
bool regular_file_replace(const char *path, const char *octets, size_t size);

// Syncs a directory, so that new names in the directory survive a power failure. False, with errno:
// the disk failed.
bool directory_sync(const char *path);
bool directory_sync_of(const char *path); // the directory of that file

// Whether this process may write to a file, or make files in a directory, and what to tell if it
// may not even look there.

// Whether the process may write to the file, or make the file if the file does not exist. Changes
// nothing and never waits for a FIFO or device. False with advice for the administrator.
bool writable_check_file(const char *path, struct error *err);

// Whether files may be made in the directory, or, if it does not exist, the directory itself.
bool writable_check_directory(const char *path, struct error *err);

// False, with a sentence that says why stat() of `path` failed, by errno, and what to do.
bool writable_cannot_look(const char *path, struct error *err);
