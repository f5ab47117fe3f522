// SPDX-License-Identifier: BSD-2-Clause
// Scratch directories for tests.
#pragma once

enum { SCRATCH_PATH_SIZE = 64 };

// A new directory below $TMPDIR, or below /tmp where that is unset or too long for the path of a
// socket. Aborts on failure. The path is valid until scratch_remove. The process removes its
// remaining directories at its exit, even if its tests failed; a process that a signal ends leaves
// its directories. At most 16 at a time, for one thread.
const char *scratch_make(void);

// The same in memory (/dev/shm), for tests that write thousands of times.
const char *scratch_make_in_memory(void);

// Removes the directory's content.
void scratch_clear(const char *directory);

// Removes the directory and its content. The directory may already be missing.
void scratch_remove(const char *directory);
