// SPDX-License-Identifier: BSD-2-Clause
// SIGTERM, SIGINT and SIGHUP. A thread of its own takes the signals. The thread ends the process
// when a stop takes too long: the main thread may wait for a disk that does not read.
// Decides: What happens when a stop takes too long?
#pragma once

#include "base/error.h"
#include "base/log.h"

#include <stdint.h>

struct signals_options {
    // Gets each signal, in the thread of the signals; must not wait.
    void (*take)(void *ctx, int number);
    void *ctx;
    int64_t limit_us; // as signals_limit sets it
    struct log *log;
};

struct signals;

// Blocks the signals in the calling thread and in all threads that it starts later. Call
// signals_block before there is another thread.
void signals_block(void);

// Starts the thread; copies the options. NULL with a sentence.
struct signals *signals_start(const struct signals_options *options, struct error *err);

// Sets how long the process may run on after the first SIGTERM or SIGINT, also after an earlier
// signal. Then the process ends with a line in the log and EXIT_FAILURE, like after kill -9. Any
// thread.
void signals_limit(struct signals *signals, int64_t limit_us);

void signals_free(struct signals *signals); // NULL is allowed; ends the thread
