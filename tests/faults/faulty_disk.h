// A disk below SQLite that fails when told to, and forgets what was not synced when the power goes.
//
// As on Linux, a failed sync loses what it should have written: readers go on seeing it, the disk
// never gets it, and the next sync knows nothing of it.
#ifndef IBTRAPD_TESTS_FAULTY_DISK_H
#define IBTRAPD_TESTS_FAULTY_DISK_H

#include <stdbool.h>

// From then on SQLite's files in that directory are on it; none may be open. It begins empty and
// whole.
void faulty_disk_begin(const char *directory);
void faulty_disk_end(void);

// The n-th operation from now on that changes the disk fails (0: none does), and, if `for_good`,
// all that follow.
void faulty_disk_fail(unsigned nth, bool for_good);

// The n-th sync of the database from now on, not of its WAL, fails (0: none does).
void faulty_disk_fail_sync(unsigned nth);

// How many operations changed it, or were to, since it began.
unsigned faulty_disk_operations(void);

// Whether one failed since it began.
bool faulty_disk_failed(void);

// What the disk would have after a power failure now goes to another directory.
void faulty_disk_after_power_failure(const char *directory);

#endif
