// SPDX-License-Identifier: BSD-2-Clause
// A thread for all work with the journal's file, so that the writer can stop waiting for a disk
// that hangs.
#ifndef IBTRAPD_JOURNAL_DISK_H
#define IBTRAPD_JOURNAL_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct disk;

// Some work; `ctx` is that of disk_start.
typedef void disk_work(void *ctx, int64_t argument);

// Starts the thread, which does work each time disk_run asks for it. Without a thread, disk_run
// does it itself.
struct disk *disk_start(void *ctx);

// Waits `earlier_us` at most for the end of earlier work. Then asks for work, and waits for its
// end, for `wait_us` at most. False: it goes on, or the earlier one does, and nothing new was asked
// for.
bool disk_run(struct disk *disk, disk_work *work, int64_t argument, int64_t earlier_us,
              int64_t wait_us);

// Ends and frees the thread; waits for `wait_us` at most. False: it hangs, and lives on. NULL is
// allowed.
bool disk_stop(struct disk *disk, int64_t wait_us);

#endif
