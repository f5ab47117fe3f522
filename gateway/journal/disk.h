// SPDX-License-Identifier: BSD-2-Clause
// Who works with the journal's file: one thread at a time. Either the thread of this module, so
// that the writer can stop waiting for a disk that hangs, or a thread that has taken the file.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct disk;

// Some work; `ctx` is that of disk_start.
typedef void disk_work(void *ctx, int64_t argument);

// Starts the thread, which does work each time disk_run asks for work. If no thread can be started,
// disk_run does the work itself.
struct disk *disk_start(void *ctx);

// Waits `earlier_us` at most for the end of earlier work. Then asks for work, and waits for the end
// of the work, for `wait_us` at most. False: the work goes on, or the earlier work goes on and
// nothing new was asked for.
bool disk_run(struct disk *disk, disk_work *work, int64_t argument, int64_t earlier_us,
              int64_t wait_us);

// Takes the file for work in the calling thread, which then calls disk_give_back. Waits `wait_us`
// at most for the end of earlier work. False: the earlier work goes on.
bool disk_take(struct disk *disk, int64_t wait_us);
void disk_give_back(struct disk *disk);

// Ends and frees the thread; waits for `wait_us` at most. False: some work hangs, and the thread
// lives on. NULL is allowed.
bool disk_stop(struct disk *disk, int64_t wait_us);
