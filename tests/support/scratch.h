// Directories of a test's own.
#ifndef IBTRAPD_TESTS_SCRATCH_H
#define IBTRAPD_TESTS_SCRATCH_H

enum { SCRATCH_PATH_SIZE = 64 };

// A new directory below $TMPDIR, or below /tmp where that is unset or too long for the path of a
// socket. Aborts when none can be made. The path is valid until scratch_remove. What is not removed
// until then is removed when the process that made it exits, whether its tests failed or not; one
// that a signal ends leaves it. At most 16 at a time, for one thread.
const char *scratch_make(void);

// The same in memory (/dev/shm), for what is written thousands of times.
const char *scratch_make_in_memory(void);

// Removes what is in it.
void scratch_clear(const char *directory);

// Removes it and all that is in it. It may be gone already.
void scratch_remove(const char *directory);

#endif
