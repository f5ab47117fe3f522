// SPDX-License-Identifier: BSD-2-Clause
// Shows at a terminal how far a long task is: a line on standard error, from the third second until
// the end of the task. Shows nothing if standard error is no terminal.
// Decides: When does a terminal show how far a task is?
#pragma once

#include <stdint.h>

struct progress_task {
    const char *what; // "checking the journal"
    int64_t total;    // in the unit of `done`; 0 or less: unknown, only the time is shown, and
                      // what is done if that has a unit
    int64_t (*done)(const void *ctx); // called by a thread of its own
    const void *ctx;
    const char *unit; // of `done`, such as "events"; NULL: it is not shown
};

struct progress;

// Copies the task. NULL: nothing will be shown. progress_end is due in any case, before the task's
// own output.
struct progress *progress_begin(const struct progress_task *task);
void progress_end(struct progress *progress);

// For `done`: how many octets this process has read. Ignores `ctx`.
int64_t progress_octets_read(const void *ctx);
