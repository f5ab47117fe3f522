// SPDX-License-Identifier: BSD-2-Clause
// A disk below SQLite that fails on demand, and at a power failure loses all writes that were not
// synced.
//
// Like on Linux, a failed sync loses its writes: readers still see these writes, but the writes
// never reach the disk, and the next sync ignores them.
#pragma once

#include <stdbool.h>

// Puts SQLite's files in that directory on the disk, which is empty and works. No file there may be
// open.
void faulty_disk_begin(const char *directory);
void faulty_disk_end(void);

// Makes the n-th operation from now on that changes the disk fail (0: none); if `for_good`, also
// all later ones.
void faulty_disk_fail(unsigned nth, bool for_good);

// Makes the n-th sync from now on of the database, not of its WAL, fail (0: none).
void faulty_disk_fail_sync(unsigned nth);

// How many operations changed the disk, or tried to, since faulty_disk_begin.
unsigned faulty_disk_operations(void);

// Whether an operation failed since faulty_disk_begin.
bool faulty_disk_failed(void);

// Copies the content that the disk would have after a power failure now to another directory.
void faulty_disk_after_power_failure(const char *directory);
